"""Where RLVR gets its signal: what a prompt of a given difficulty can teach, and what filters do to it.

With a reward of 0 or 1 and G answers to a prompt whose pass rate is p, the group teaches nothing when all
answers agree. That happens with probability p^G + (1 - p)^G. The advantage has variance p (1 - p), largest at
p = 1/2: the "edge of competence". The unbiased pass@k is that of Chen et al. 2021 (arXiv:2107.03374, Eq. 1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import RlscaleError
from .given import as_whole

Floats = NDArray[np.float64]


class SignalError(RlscaleError):
    """A pass rate, a group size or a count is impossible."""


def _as_rates(p: ArrayLike) -> Floats:
    try:
        rates = np.asarray(p, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise SignalError(f"a pass rate is no number ({error}); give numbers from 0 to 1") from None
    if not np.all((rates >= 0) & (rates <= 1)):  # also catches NaN
        raise SignalError("a pass rate is outside [0, 1] or not a number; percent must be divided by 100")
    return rates


def _as_group(group_size: int, least: int = 1) -> int:
    return as_whole(group_size, "group size", SignalError, least)


def zero_variance_probability(p: ArrayLike, group_size: int) -> Floats:
    """Probability that all answers of a group get the same reward: p^G + (1 - p)^G.

    Parameters
    ----------
    p : array
        Pass rate of the prompt, in [0, 1].
    group_size : int
        Answers a prompt, G.

    Returns
    -------
    array, shape of ``p``
        1 where p is 0 or 1.

    Examples
    --------
    >>> zero_variance_probability([0.5, 0.05], 8).round(3)
    array([0.008, 0.663])
    """
    rates, size = _as_rates(p), _as_group(group_size)
    return rates**size + (1 - rates) ** size


def gradient_signal(p: ArrayLike) -> Floats:
    """Variance of a 0/1 reward at pass rate p, p (1 - p): how much there is to learn from one answer.

    Examples
    --------
    >>> gradient_signal([0.5, 0.1, 0.0])
    array([0.25, 0.09, 0.  ])
    """
    rates = _as_rates(p)
    return rates * (1 - rates)


def group_spread(p: ArrayLike, group_size: int) -> Floats:
    """Return the expected squared advantage with the group's own mean as baseline: (1 - 1/G) p (1 - p).

    The own mean contains the answer itself, which costs the share 1/G: half of the signal at G = 2, 6 % at G
    = 16.

    Examples
    --------
    >>> group_spread(0.5, 2), group_spread(0.5, 16)
    (np.float64(0.125), np.float64(0.234375))
    """
    return gradient_signal(p) * (1 - 1 / _as_group(group_size))


def baseline_variance(p: ArrayLike, group_size: int) -> Floats:
    """Variance of the group mean as an estimate of p: p (1 - p) / G, the noise that a larger group takes out.

    Examples
    --------
    >>> float(baseline_variance(0.5, 8))
    0.03125
    """
    return gradient_signal(p) / _as_group(group_size)


def filtered_pass_rate(p: ArrayLike, group_size: int) -> Floats:
    """Pass rate that a log shows at p when groups without spread are left out: pulled towards 1/2.

    E[mean of group | not all equal] = (p - p^G) / (1 - p^G - (1 - p)^G). It is why a reward logged behind a
    zero-variance filter or dynamic sampling must not be fitted.

    Returns
    -------
    array, shape of ``p``
        NaN where no group is left (p is 0 or 1, or G is 1).

    Examples
    --------
    >>> filtered_pass_rate([0.02, 0.5, 0.98], 8).round(3)
    array([0.134, 0.5  , 0.866])
    """
    rates, size = _as_rates(p), _as_group(group_size)
    left = 1 - zero_variance_probability(rates, size)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(left > 1e-15, (rates - rates**size) / left, np.nan)


def generation_overhead(p: ArrayLike, group_size: int) -> float:
    """Return the answers generated for each one trained on when groups without spread are replaced.

    Parameters
    ----------
    p : array, shape (prompts,)
        Pass rates of the prompts that are drawn from; the mean over them counts.

    Returns
    -------
    float
        1 / (1 - mean zero-variance probability); infinite where nothing can be learned.

    Examples
    --------
    >>> round(generation_overhead([0.05], 8), 2)
    2.97
    """
    left = 1 - float(np.mean(zero_variance_probability(p, group_size)))
    return float(np.inf) if left <= 1e-15 else 1 / left


def pass_at_k(n: ArrayLike, c: ArrayLike, k: int) -> Floats:
    """Unbiased pass@k of problems with c right among n samples: 1 - C(n - c, k) / C(n, k).

    Parameters
    ----------
    n, c : array of int
        Samples and right samples of each problem.
    k : int
        At most the smallest n: with fewer samples there is no unbiased estimate.

    Returns
    -------
    array
        One estimate a problem; the mean over problems is the benchmark's pass@k.

    Raises
    ------
    SignalError
        If a count is impossible or k is larger than n.

    Examples
    --------
    >>> pass_at_k(8, 2, 4).round(3)
    np.float64(0.786)
    """
    try:
        samples, right = np.broadcast_arrays(np.asarray(n, np.float64), np.asarray(c, np.float64))
    except (TypeError, ValueError, OverflowError) as error:
        raise SignalError(
            f"n and c must be whole numbers, as many of one as of the other ({error})"
        ) from None
    for name, counts in (("n", samples), ("c", right)):
        if counts.size == 0 or not np.all(np.isfinite(counts)) or np.any(counts != np.floor(counts)):
            raise SignalError(f"{name} must hold whole numbers")
    size = as_whole(k, "k", SignalError, least=1)
    if np.any(right < 0) or np.any(right > samples):
        raise SignalError("c is negative or larger than n; it counts the right ones among n samples")
    if np.any(samples < size):
        raise SignalError(
            f"k is {size} and only {int(samples.min())} samples were drawn; "
            "pass@k needs at least k samples a problem"
        )
    # product form: no huge binomials, exact zeros when fewer than k are wrong
    wrong = samples - right
    miss = np.ones(samples.shape)
    for i in range(size):
        miss = miss * np.maximum(wrong - i, 0.0) / (samples - i)
    return np.asarray(1.0 - miss)[()]
