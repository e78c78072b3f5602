"""A run that rises and then collapses: the fall is found, and never fitted through."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ..amounts import full_number
from ..curve import Floats, LogWarning

_MOST = 2000


def find_collapse(values: ArrayLike) -> tuple[int, int] | None:
    """Return where a curve has its best point and where it collapses for good; None when it does not.

    A collapse is a fall from the (median-smoothed) best by more than 0.1, 30 % of the rise and 4 times the
    noise, from which the curve does not come back to within half of the fall. Noise is taken from second
    differences, which a trend does not move.

    Parameters
    ----------
    values : array, shape (points,)
        Pass rate in the order of compute.

    Returns
    -------
    tuple of int or None
        Index of the best point, index of the first point after the fall.

    Examples
    --------
    >>> find_collapse([0.2, 0.3, 0.4, 0.5, 0.55, 0.56, 0.55, 0.30, 0.10])
    (5, 7)
    >>> find_collapse([0.2, 0.3, 0.4, 0.5, 0.55, 0.56, 0.55, 0.56, 0.55]) is None
    True
    """
    y = np.asarray(values, np.float64)
    if y.size < 6:
        return None
    if y.size > 2 * _MOST:  # a long log in blocks: the place is then known to a block
        width = -(-y.size // _MOST)
        blocks = np.add.reduceat(y, np.arange(0, y.size, width))
        blocks[:-1] /= width
        blocks[-1] /= y.size - width * (blocks.size - 1)
        found = find_collapse(blocks)
        return None if found is None else (found[0] * width, found[1] * width)
    smooth = y.copy()
    a, b, c = y[:-2], y[1:-1], y[2:]
    smooth[1:-1] = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))  # the median of three
    best = int(np.argmax(smooth[:-1]))
    peak = float(smooth[best])
    rise = peak - float(smooth[: best + 1].min())
    if y[-2:].max() >= peak - 0.5 * max(0.1, 0.3 * rise):
        return None
    second = np.diff(y, 2)
    noise = 1.4826 * float(np.median(np.abs(second))) / math.sqrt(6.0)
    least = max(0.1, 0.3 * rise, 5.0 * noise)
    low = np.flatnonzero(y < peak - least)
    low = low[low > best]
    # one stray point at the end is no collapse
    if low.size < 2 or y[-2:].max() >= peak - 0.5 * least:
        return None
    deepest = float(smooth[best:].min())
    if float(np.median(y[-max(2, y.size // 20) :])) > peak - 0.5 * (peak - deepest) and y[-1] > peak - least:
        return None
    first = int(low[0])
    while first < y.size - 1 and np.median(y[first : first + 3]) >= peak - least:
        first = int(low[low > first][0]) if (low > first).any() else y.size
    best_raw = int(np.argmax(y[:first])) if first > 0 else best
    return (best_raw, first) if first < y.size else None


def describe_collapse(key: str, x: Floats, y: Floats, found: tuple[int, int]) -> LogWarning:
    """Return the warning for a collapse that :func:`find_collapse` found."""
    best, first = found
    return LogWarning(
        "collapse",
        f"{key} falls from {y[best]:.3g} (best, at {full_number(x[best])}) to {y[first:].min():.3g} "
        f"from {full_number(x[first])} on; the {y.size - first} points after the fall are left out of the "
        "curve.",
        "Go back to the best checkpoint; a forecast of this run only says what it would have reached.",
    )
