"""How fast the error of RL falls with compute, by model size: k(N) = Kmax / (1 + N0/N).

Tan et al. 2025 (arXiv 2509.25300) describe the error L = 1 - pass@1 by log L = -k(N) log X + E(N): a straight
line on two logarithmic axes, steeper for larger models, with a limit Kmax that no size exceeds. It has no
ceiling, so it must not be carried far beyond the measured compute.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import FitError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SizeLaw:
    """The slope of the error against compute as a function of model size.

    Attributes
    ----------
    Kmax : float
        Slope of a model of endless size.
    N0 : float
        Size, in billions of parameters, at which the slope is half of it.

    Examples
    --------
    >>> law = SizeLaw(Kmax=0.135, N0=13.0)
    >>> float(law.slope(13.0)), round(float(law.error_factor(7.0, 10.0)), 3)
    (0.0675, 0.897)
    """

    Kmax: float
    N0: float

    def slope(self, params_b: ArrayLike) -> Floats:
        """Return k for models of ``params_b`` billion parameters."""
        size = _positive(params_b, "model size")
        return np.asarray(self.Kmax / (1 + self.N0 / size))

    def error_factor(self, params_b: ArrayLike, compute_factor: ArrayLike) -> Floats:
        """Return what is left of the error after ``compute_factor`` times the compute: factor^-k."""
        return np.asarray(_positive(compute_factor, "compute factor") ** -self.slope(params_b))


def fit_size_law(params_b: ArrayLike, slopes: ArrayLike) -> SizeLaw:
    """Fit Kmax and N0 by least squares of the slopes.

    Parameters
    ----------
    params_b, slopes : array, shape (models,)
        Sizes in billions of parameters, and k of each.

    Returns
    -------
    SizeLaw

    Raises
    ------
    FitError
        With fewer than two sizes, or numbers that are not positive.

    Examples
    --------
    >>> truth = SizeLaw(0.2, 5.0)
    >>> found = fit_size_law([1, 4, 20], truth.slope([1, 4, 20]))
    >>> round(found.Kmax, 6), round(found.N0, 6)
    (0.2, 5.0)
    """
    from scipy.optimize import least_squares

    size, k = _positive(params_b, "model size"), _positive(slopes, "slope")
    if size.shape != k.shape or size.ndim != 1 or np.unique(size).size < 2:
        raise FitError("a law of size needs slopes of at least two different sizes, one slope a size")
    unit = k.max()  # slopes are small numbers: without a unit of their own the search stops early
    start = np.log([2.0, np.median(size)])
    found = least_squares(
        lambda v: np.exp(v[0]) / (1 + np.exp(v[1]) / size) - k / unit,
        start,
        xtol=1e-14,
        ftol=1e-14,
        gtol=1e-14,
    )
    Kmax, N0 = np.exp(found.x)
    return SizeLaw(float(Kmax * unit), float(N0))


def _positive(values: ArrayLike, name: str) -> Floats:
    array = np.asarray(values, np.float64)
    if not np.all(np.isfinite(array) & (array > 0)):
        raise FitError(f"a {name} is not a positive number")
    return array
