"""The points of a fit: checked, sorted, binned where the log is long, and freed of their unit.

Every fit sees compute as x = ln(C/T), T the last compute seen. A curve in GPU-hours, in steps or in FLOPs
is then the same curve to the last digits, which raw compute is not: started in raw units, a general
optimiser finds the optimum of 6 % (steps) to 0 % (FLOPs) of runs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .binning import DEFAULT_BINS, LONG_LOG, bin_curve
from .errors import CurveError, FitError

Floats = NDArray[np.float64]

#: Four parameters need four different places.
MIN_PLACES = 4


@dataclass(frozen=True, eq=False)
class Points:
    """What is fitted.

    Attributes
    ----------
    compute, pass_rate, weights : array, shape (fitted points,)
        In order of compute.
    x : array, shape (fitted points,)
        ln(C/T); −inf at no compute.
    seen : float
        T, the last compute of a point that was given, in its unit.
    given : int
        Points before binning.
    """

    compute: Floats
    pass_rate: Floats
    weights: Floats
    x: Floats
    seen: float
    given: int


def prepare_points(
    compute: ArrayLike,
    pass_rate: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    bins: int | None = DEFAULT_BINS,
) -> Points:
    """Check points and bring them into the form that is fitted.

    Parameters
    ----------
    compute, pass_rate : array_like, shape (points,)
        In any order; compute 0 or more in any unit, pass rate in [0, 1].
    weights : array_like, shape (points,), optional
        Weight of each squared residual, above 0, such as 1/variance; equal when absent.
    bins : int or None
        Logs of more than 60 points are averaged into this many bins first; None keeps every point.

    Returns
    -------
    Points

    Raises
    ------
    CurveError
        If shapes differ, a number is not finite or compute or pass rate is out of range.
    FitError
        If there are fewer than four different places, or the pass rate never changes.

    Examples
    --------
    >>> points = prepare_points([0, 10, 20, 40], [0.2, 0.3, 0.35, 0.4])
    >>> points.seen, points.x.round(3)
    (40.0, array([  -inf, -1.386, -0.693,  0.   ]))
    """
    c = _floats(compute, "compute")
    y = _floats(pass_rate, "pass_rate")
    w = np.ones_like(c) if weights is None else _floats(weights, "weights")
    if not c.shape == y.shape == w.shape:
        raise CurveError(
            f"compute, pass_rate and weights have {c.size}, {y.size} and {w.size} entries; "
            "give one of each a point"
        )
    if c.size and c.min() < 0:
        raise CurveError(f"compute at point {int(np.argmin(c))} is {c.min():g}; it cannot be negative")
    outside = np.flatnonzero((y < 0) | (y > 1))
    if outside.size:
        i = int(outside[0])
        raise CurveError(
            f"pass_rate at point {i} is {y[i]:.10g}, outside [0, 1]; divide percent by 100, fit no raw reward"
        )
    if (w <= 0).any():
        raise CurveError(f"the weight of point {int(np.argmin(w))} is {w.min():g}; leave out points instead")
    places = np.unique(c).size
    if places < MIN_PLACES:
        raise FitError(
            f"there are points at {places} different computes; "
            f"a law of four parameters needs at least {MIN_PLACES}"
        )
    if y.min() == y.max():
        raise FitError(
            f"the pass rate is {y[0]:g} at every point; a constant series says nothing about a ceiling: "
            "see whether the series is the right one"
        )
    seen = float(c.max())
    if not 1e-290 < seen < 1e290:
        raise FitError(
            f"the last compute seen is {seen:g}; choose a unit in which it is between 1e-290 and 1e290"
        )
    long = bins is not None and c.size > LONG_LOG
    means = bin_curve(c, y, bins=bins if long and bins is not None else max(c.size, 2), weights=w)
    with np.errstate(divide="ignore"):
        x = np.log(means.compute / seen)
    return Points(means.compute, means.pass_rate, means.weights, x, seen, c.size)


def _floats(values: ArrayLike, name: str) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise CurveError(f"{name} holds something that is no number ({error}); give numbers only") from None
    if array.ndim != 1:
        raise CurveError(f"{name} has {array.ndim} dimensions; give a flat list, one number a point")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise CurveError(f"{name} at point {bad[0]} is {array[bad[0]]}; drop or mend that point")
    return array
