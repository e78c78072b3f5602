"""Whether RL made right answers more frequent, or solves problems that the starting model could not.

Compare pass@k before and after. If RL only sharpens what is there, the trained model leads at k = 1 and the
starting model overtakes it at some larger k (Yue et al. 2025, arXiv 2504.13837). If RL lifts every problem,
the curves never cross. Both are one line of arithmetic here:

* sharpening: the right answer and m equally frequent wrong ones compete; probabilities are raised to a power
  beta > 1 and normalised. Where the right answer is the most frequent one it wins, elsewhere it dies out.
* lifting: the log-odds of the right answer rise by the same amount everywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import CurveError

Floats = NDArray[np.float64]


def _rates(values: ArrayLike) -> Floats:
    p = np.asarray(values, np.float64)
    if p.size == 0 or not np.all((p >= 0) & (p <= 1)):  # also catches NaN
        raise CurveError("a pass rate is missing or outside [0, 1]; percent must be divided by 100")
    return p


def sharpen(pass_rate: ArrayLike, power: float, rivals: int) -> Floats:
    """Return pass rates after sharpening: p^power / (p^power + rivals ((1 - p) / rivals)^power).

    Parameters
    ----------
    pass_rate : array
        Of each problem.
    power : float
        Above 1: the frequent becomes more frequent. 1 changes nothing.
    rivals : int
        Wrong answers that share the rest equally. A problem gains where p > 1 / (rivals + 1).

    Examples
    --------
    >>> sharpen([0.5, 0.25, 0.1], 3.0, 3).round(3)
    array([0.9  , 0.25 , 0.012])
    """
    p = _rates(pass_rate)
    if not power > 0 or rivals < 1:
        raise CurveError("the power must be above 0 and there must be at least one rival")
    right = p**power
    return np.asarray(right / (right + rivals * ((1 - p) / rivals) ** power))


def lift(pass_rate: ArrayLike, log_odds: float) -> Floats:
    """Return pass rates after adding the same amount to the log-odds of every problem.

    Examples
    --------
    >>> lift([0.5, 0.1], 1.0).round(3)
    array([0.731, 0.232])
    """
    p = _rates(pass_rate)
    factor = np.exp(log_odds)
    return np.asarray(p * factor / (p * factor + 1 - p))


def mean_pass_at_k(pass_rate: ArrayLike, k: ArrayLike) -> Floats:
    """Return pass@k of problems whose pass rates are known: the mean of 1 - (1 - p)^k.

    Parameters
    ----------
    pass_rate : array, shape (problems,)
        Exact pass rates. From counts use :func:`rlscale.signal.pass_at_k`.
    k : array, shape (ks,)
        Answers a problem, 1 or more.

    Returns
    -------
    array, shape (ks,)

    Examples
    --------
    >>> mean_pass_at_k([0.5, 0.0], [1, 2]).round(3)
    array([0.25 , 0.375])
    """
    p, ks = _rates(pass_rate), np.atleast_1d(np.asarray(k, np.float64))
    if not np.all(ks >= 1):
        raise CurveError("k is below 1; pass@k needs at least one answer")
    return np.asarray([float(np.mean(1 - (1 - p) ** one)) for one in ks])


def find_crossing(k: ArrayLike, before: ArrayLike, after: ArrayLike) -> float:
    """Return the k from which the starting model stays at or above the trained one; NaN if it never does.

    Interpolated in log k between the two values of k around the change. Where the curves cross more than once
    it is the last crossing; where the starting model leads from the first k on, it is that k.

    Parameters
    ----------
    k, before, after : array, shape (ks,)
        Rising k, and pass@k before and after training.

    Examples
    --------
    >>> round(find_crossing([1, 4, 16], [0.2, 0.5, 0.9], [0.4, 0.6, 0.8]), 2)
    8.0
    >>> find_crossing([1, 4], [0.2, 0.3], [0.4, 0.5])
    nan
    """
    ks, gap = np.asarray(k, np.float64), np.asarray(before, np.float64) - np.asarray(after, np.float64)
    if ks.ndim != 1 or ks.shape != gap.shape or ks.size < 2 or not np.all(np.diff(ks) > 0) or ks[0] < 1:
        raise CurveError("k must rise, from 1 or above, with one pass@k before and one after for each")
    if not np.all(np.isfinite(gap)):
        raise CurveError("a pass@k is not a number; leave its k out")
    if gap[-1] < 0 or np.all(gap == 0):
        return float("nan")
    behind = np.flatnonzero(gap < 0)
    if behind.size == 0:
        return float(ks[0])
    last = int(behind[-1])
    share = -gap[last] / (gap[last + 1] - gap[last])
    return float(np.exp(np.log(ks[last]) + share * (np.log(ks[last + 1]) - np.log(ks[last]))))
