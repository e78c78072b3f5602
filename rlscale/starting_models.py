"""Two starting models compared at equal pass rate, and what a start by SFT must save to pay.

A ratio of compute has a meaning at one pass rate only. Two sigmoids with other ceilings have no single ratio:
it grows along the way and has no value above the lower ceiling.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import CurveError
from .law import Sigmoid

Floats = NDArray[np.float64]


def share_of_compute(first: Sigmoid, second: Sigmoid, pass_rate: ArrayLike) -> Floats:
    """Return the compute that ``first`` needs, as a share of what ``second`` needs, at each pass rate.

    Parameters
    ----------
    first, second : Sigmoid
        Laws in one unit of compute.
    pass_rate : array
        Where to compare.

    Returns
    -------
    array, shape of ``pass_rate``
        0 where only ``first`` gets there, infinite where only ``second`` does, NaN where neither does or both
        start above.

    Examples
    --------
    >>> slow, fast = Sigmoid(0.2, 0.6, 1.0, 6000), Sigmoid(0.2, 0.8, 1.0, 1000)
    >>> share_of_compute(fast, slow, [0.3, 0.7]).round(3)
    array([0.1, 0. ])
    """
    rates = np.asarray(pass_rate, np.float64)
    if not np.all((rates >= 0) & (rates <= 1)):  # also catches NaN
        raise CurveError("a pass rate is outside [0, 1] or not a number; percent must be divided by 100")
    one, two = _compute_to(first, rates), _compute_to(second, rates)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(np.isinf(one) & np.isinf(two), np.nan, one / two))


def _compute_to(law: Sigmoid, rates: Floats) -> Floats:
    """Compute to a pass rate: 0 up to the start, infinite from the ceiling on."""
    share = (rates - law.R0) / (law.A - law.R0)
    inside = np.clip(share, 1e-12, 1 - 1e-12)
    compute = law.Cmid * (inside / (1 - inside)) ** (1 / law.B)
    return np.where(share <= 0, 0.0, np.where(share >= 1, np.inf, compute))


def find_best_start(laws: Mapping[str, Sigmoid], compute: ArrayLike) -> list[str]:
    """Return, for each budget, the name of the law with the highest pass rate.

    Parameters
    ----------
    laws : mapping of name to Sigmoid
        In one unit of compute.
    compute : array, shape (budgets,)
        Budgets.

    Examples
    --------
    >>> laws = {"small": Sigmoid(0.2, 0.5, 2.0, 100), "large": Sigmoid(0.2, 0.7, 2.0, 1000)}
    >>> find_best_start(laws, [50, 5000])
    ['small', 'large']
    """
    if not laws:
        raise CurveError("there is no law to choose from; give at least one")
    names = list(laws)
    budgets = np.atleast_1d(np.asarray(compute, np.float64))
    rates = np.array([np.asarray(laws[name](budgets)) for name in names])
    return [names[i] for i in rates.argmax(axis=0)]


def gap_after_doubling(B: ArrayLike, multiple: ArrayLike) -> Floats:
    """Return the share of the gap to the ceiling that is left after doubling the compute.

    With f the share of the gain won, it is (1 - f(2C)) / (1 - f(C)), which tends to 2^-B far above Cmid. A
    power law loses the same share, 2^-b, at every doubling.

    Parameters
    ----------
    B : array
        Steepness.
    multiple : array
        Compute before doubling, in multiples of Cmid.

    Examples
    --------
    >>> gap_after_doubling(1.0, [1.0, 100.0]).round(3)
    array([0.667, 0.502])
    """
    reached = np.asarray(multiple, np.float64)
    return np.asarray((1 - Sigmoid.fraction(2 * reached, B, 1.0)) / (1 - Sigmoid.fraction(reached, B, 1.0)))


def cold_start_factor(steps_saved: ArrayLike, length_factor: ArrayLike, sft_share: ArrayLike = 0.0) -> Floats:
    """Return the cost of SFT plus RL as a multiple of RL alone.

    Cost = SFT + (1 - share of steps saved) x (price of a step with longer answers); a step is charged by the
    tokens that it generates.

    Parameters
    ----------
    steps_saved : array
        Share of the rollout steps that the start saves, in [0, 1).
    length_factor : array
        Mean length of an answer with SFT over that without.
    sft_share : array
        Cost of the SFT phase over that of RL alone.

    Examples
    --------
    >>> float(cold_start_factor(0.5, 1.5, 0.1))
    0.85
    """
    saved, longer, extra = (np.asarray(v, np.float64) for v in (steps_saved, length_factor, sft_share))
    if not (np.all((saved >= 0) & (saved < 1)) and np.all(longer > 0) and np.all(extra >= 0)):
        raise CurveError(
            "steps saved must lie in [0, 1), the length factor above 0, the share of SFT at 0 or above"
        )
    return np.asarray(extra + (1 - saved) * longer)
