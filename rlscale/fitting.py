"""Least squares of a law: the best start, ceiling, steepness and half-way compute for some points.

A fit is a point estimate and no forecast. On a pilot that has not passed twice its ``Cmid`` the ceiling of
the best fit is routinely wrong by 0.1 and more, so read ``status`` and ``at_bounds`` before the numbers,
and use :func:`rlscale.forecast_run` for what lies ahead. How it is computed is told in
:mod:`rlscale.varpro`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .binning import DEFAULT_BINS
from .errors import FitError
from .law import Law, Sigmoid
from .points import Points, prepare_points
from .profile import profile_ceiling
from .resampling import bootstrap_law
from .varpro import Box, Solutions, solve

__all__ = ["BOX", "Fit", "bootstrap_law", "fit_law", "profile_ceiling"]

Floats = NDArray[np.float64]

#: Where B and Cmid (as a multiple of the last compute seen) are searched.
BOX = Box()


@dataclass(frozen=True)
class Fit:
    """The best law for some points, and how far it can be believed.

    Attributes
    ----------
    law : Law
        The fitted law, in the unit of the compute that was given.
    sse : float
        Weighted sum of squared residuals over the fitted points.
    status : str
        ``"ok"``; ``"at bounds"``: at least one parameter stopped at its bound, so the points do not
        determine it; ``"flat"``: nothing beats a constant, ``B`` and ``Cmid`` mean nothing; ``"not
        converged"``.
    at_bounds : tuple of str
        Each bound that was hit, such as ``"A=1"``, ``"B=8"`` or ``"Cmid=20T"`` (T: last compute seen).
    points : int
        Points given.
    fitted_points : int
        Points after binning.
    total_weight : float
        Sum of the weights.
    seen : float
        T, the last compute seen.
    steps : int
        Levenberg–Marquardt steps taken.
    """

    law: Law
    sse: float
    status: str
    at_bounds: tuple[str, ...]
    points: int
    fitted_points: int
    total_weight: float
    seen: float
    steps: int

    @property
    def rmse(self) -> float:
        """Weighted root mean square of the residuals, in pass rate."""
        return math.sqrt(self.sse / self.total_weight)

    @property
    def seen_over_Cmid(self) -> float:
        """How far the points reach: 2 is usable for the ceiling, 4 comfortable, below 1 hopeless."""
        return self.seen / self.law.Cmid

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, ready for JSON."""
        law = self.law
        return {
            "shape": law.name,
            **{key: getattr(law, key) for key in ("R0", "A", "B", "Cmid")},
            **{
                key: getattr(self, key)
                for key in ("sse", "rmse", "status", "points", "fitted_points", "seen")
            },
            "at_bounds": list(self.at_bounds),
        }


def fit_law(
    compute: ArrayLike,
    pass_rate: ArrayLike,
    *,
    law: type[Law] = Sigmoid,
    weights: ArrayLike | None = None,
    bins: int | None = DEFAULT_BINS,
) -> Fit:
    """Fit a law to points by least squares.

    The search is over B in [0.2, 8] and Cmid in [0.001, 20] times the last compute seen, with 0 ≤ R0 ≤ A ≤
    1. The result does not depend on the unit of compute, and no start has to be guessed.

    Parameters
    ----------
    compute : array_like, shape (points,)
        Compute, 0 or more, in any unit and order. Do give the point at 0, the base model: it pins R0.
    pass_rate : array_like, shape (points,)
        Pass rate in [0, 1].
    law : type of Law
        :class:`Sigmoid`, :class:`Weibull` or :class:`Power`.
    weights : array_like, shape (points,), optional
        Weight of each squared residual, above 0, such as 1/variance; equal when absent.
    bins : int or None
        More than 60 points are averaged into this many bins first (:func:`rlscale.binning.bin_curve`);
        None fits every point.

    Returns
    -------
    Fit

    Raises
    ------
    CurveError
        If shapes differ, a number is not finite or compute or pass rate is out of range.
    FitError
        If there are fewer than four different computes, or the pass rate never changes.

    Examples
    --------
    >>> import numpy as np
    >>> compute = np.linspace(0, 4000, 41)
    >>> fit = fit_law(compute, Sigmoid(R0=0.2, A=0.6, B=1.5, Cmid=1000)(compute))
    >>> fit.status, round(fit.law.A, 6), round(fit.law.Cmid, 3)
    ('ok', 0.6, 1000.0)
    """
    if not (isinstance(law, type) and issubclass(law, Law)):
        raise FitError(f"law is {law!r}; give one of the classes Sigmoid, Weibull or Power")
    points = prepare_points(compute, pass_rate, weights, bins=bins)
    found = solve(points.x, points.weights, points.pass_rate[None], law, BOX)
    return _read_fit(points, found, law)


def _read_fit(points: Points, found: Solutions, shape: type[Law]) -> Fit:
    R0, A = float(np.clip(found.R0[0], 0, 1)), float(np.clip(found.A[0], 0, 1))
    if A > R0:
        law = shape(R0, A, math.exp(found.b[0]), math.exp(found.m[0]) * points.seen)
        at_bounds = _bounds_hit(law, float(found.b[0]), float(found.m[0]))
        status = "not converged" if not found.converged[0] else "at bounds" if at_bounds else "ok"
    else:  # any share fits equally well: a neutral one is named, and the status says that it means nothing
        law = shape(R0, R0, 1.0, points.seen)
        at_bounds, status = ("A=R0",), "flat"
    return Fit(
        law=law,
        sse=float(found.sse[0]),
        status=status,
        at_bounds=at_bounds,
        points=points.given,
        fitted_points=points.compute.size,
        total_weight=float(points.weights.sum()),
        seen=points.seen,
        steps=int(found.steps[0]),
    )


def _bounds_hit(law: Law, b: float, m: float) -> tuple[str, ...]:
    near = 1e-9
    hit = [text for text, distance in (("R0=0", law.R0), ("A=1", 1 - law.A)) if distance <= near]
    for value, bounds, name, unit in ((b, BOX.B, "B", ""), (m, BOX.Cmid, "Cmid", "T")):
        hit += [f"{name}={bound:g}{unit}" for bound in bounds if abs(value - math.log(bound)) < near]
    return tuple(hit)
