"""How long completions are: a lognormal, cut off at the longest length allowed.

Step time depends on the tail of the distribution, not on its mean alone: a synchronous step lasts as long as
its longest completion. Lengths of reasoning answers are skewed; a lognormal with a standard deviation about
as large as its mean is our choice for a default, and everything beyond the limit lies *at* the limit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

Floats = NDArray[np.float64]


def length_quantiles(mean: ArrayLike, cv: ArrayLike, longest: ArrayLike, share_alive: ArrayLike) -> Floats:
    """Return the length that a share of the completions exceeds, lognormal and cut off at the longest.

    Parameters
    ----------
    mean : array_like, shape (draws,)
        Mean length *after* the cut-off, in tokens.
    cv : array_like, shape (draws,)
        Standard deviation over mean of the uncut distribution; 0: all equal.
    longest : array_like
        Cut-off in tokens, at or above the mean.
    share_alive : array_like, shape (levels,)
        Shares in (0, 1].

    Returns
    -------
    array, shape (draws, levels)
        Lengths in tokens.

    Examples
    --------
    >>> q = length_quantiles([1000.0], [1.0], 8000, [0.9, 0.5, 0.1, 0.001])
    >>> [round(float(x)) for x in q[0]]
    [246, 715, 2079, 8000]
    """
    mean, cv = np.atleast_1d(np.asarray(mean, np.float64)), np.atleast_1d(np.asarray(cv, np.float64))
    location, sigma, cut = fit_location(mean, cv, longest)
    z = -ndtri(np.clip(np.asarray(share_alive, np.float64), 1e-12, 1 - 1e-12))
    return np.asarray(np.minimum(np.exp(location[:, None] + sigma[:, None] * z), cut[:, None]))


def fit_location(mean: Floats, cv: Floats, longest: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return location, sigma and cut-off of the lognormal whose mean *after* the cut is ``mean``.

    Parameters
    ----------
    mean, cv, longest
        As for :func:`length_quantiles`.

    Returns
    -------
    tuple of array, each of shape (draws,)
        Mean and standard deviation of the logarithm before the cut, and the cut-off.
    """
    cut = np.broadcast_to(np.asarray(longest, np.float64), mean.shape)
    sigma = np.broadcast_to(np.sqrt(np.log1p(cv**2)), mean.shape)
    grid = ndtri((np.arange(64) + 0.5) / 64)
    # raise the location until the mean after the cut is the one asked for: below the cut it is monotone
    low, high = np.log(np.maximum(mean, 1e-9)) - sigma**2 / 2, np.log(np.maximum(cut, 1e-9)) + 6 * sigma
    for _ in range(30):
        middle = (low + high) / 2
        found = np.minimum(np.exp(middle[:, None] + sigma[:, None] * grid), cut[:, None]).mean(axis=1)
        low, high = np.where(found < mean, middle, low), np.where(found < mean, high, middle)
    return (low + high) / 2, sigma, cut
