"""Fewer points without losing the curve: a long log becomes some fifty weighted means.

A training log of 1,000 points says no more about four parameters than 50 means of it do, and costs 20 times
as much to fit. Bins hold equally many points, so that each mean is equally sure; points at no compute keep a
bin of their own, since they alone say where the run started. A bin looks at nothing beyond the points given,
so a pilot is binned as it would have been on the day.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import CurveError

Floats = NDArray[np.float64]

#: Bins of a long log, and the number of points from which a log counts as long.
DEFAULT_BINS = 48
LONG_LOG = 60


class Bins(NamedTuple):
    """Weighted means of neighbouring points.

    Attributes
    ----------
    compute, pass_rate : array, shape (bins,)
        Weighted means over the points of each bin, in order of compute.
    weights : array, shape (bins,)
        Sum of the weights of the points.
    counts : array of int, shape (bins,)
        How many points a bin holds.
    """

    compute: Floats
    pass_rate: Floats
    weights: Floats
    counts: NDArray[np.int64]


def bin_curve(
    compute: ArrayLike,
    pass_rate: ArrayLike,
    *,
    bins: int = DEFAULT_BINS,
    weights: ArrayLike | None = None,
) -> Bins:
    """Average neighbouring points into bins of equally many points.

    Parameters
    ----------
    compute, pass_rate : array_like, shape (points,)
        A curve in any order; compute in any unit, 0 or more.
    bins : int
        Bins wanted, 2 or more. A curve with no more points than this comes back as it is, sorted.
    weights : array_like, shape (points,), optional
        Weight of each point, above 0; equal when absent.

    Returns
    -------
    Bins
        Means, summed weights and counts. All points at compute 0 together are the first bin.

    Raises
    ------
    CurveError
        If lengths differ, a number is not finite, a weight is not above 0, or ``bins`` is below 2.

    Examples
    --------
    >>> means = bin_curve([0, 1, 2, 3, 4], [0.2, 0.3, 0.5, 0.5, 0.7], bins=3)
    >>> means.compute, means.pass_rate, means.counts
    (array([0. , 1.5, 3.5]), array([0.2, 0.4, 0.6]), array([1, 2, 2]))
    """
    if bins < 2:
        raise CurveError(f"bins is {bins}; a curve needs at least 2")
    c = np.asarray(compute, np.float64)
    y = np.asarray(pass_rate, np.float64)
    w = np.ones_like(c) if weights is None else np.asarray(weights, np.float64)
    if c.ndim != 1 or c.shape != y.shape or c.shape != w.shape:
        raise CurveError(
            f"compute, pass_rate and weights have shapes {c.shape}, {y.shape} and {w.shape}; "
            "give flat lists, one number of each a point"
        )
    if not (np.isfinite(c).all() and np.isfinite(y).all() and np.isfinite(w).all()):
        raise CurveError("compute, pass_rate or weights holds a number that is not finite; drop those points")
    if (w <= 0).any():
        raise CurveError(
            f"a weight is {w.min():g}; weights must be above 0 (leave out points that do not count)"
        )
    order = np.argsort(c, kind="stable")
    c, y, w = c[order], y[order], w[order]
    if c.size <= bins:
        return Bins(c, y, w, np.ones(c.size, np.int64))
    at_zero = int(np.count_nonzero(c == 0))
    left = bins - (at_zero > 0)
    edges = at_zero + np.unique(np.arange(left) * (c.size - at_zero) // left)
    starts = np.concatenate([[0], edges]) if at_zero else edges
    starts = starts[starts < c.size]
    total = np.add.reduceat(w, starts)
    return Bins(
        np.add.reduceat(w * c, starts) / total,
        np.add.reduceat(w * y, starts) / total,
        total,
        np.diff(np.append(starts, c.size)),
    )
