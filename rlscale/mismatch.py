"""How far the probabilities of the generator and of the trainer are apart: a distribution, not a mean.

The engine that generates and the one that trains give the same token different probabilities, by precision,
kernels or sampling settings. Differences of both signs cancel in the mean of the log-ratios; what a clipped
objective feels is the share of ratios outside its band.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .errors import CostError


@dataclass(frozen=True)
class Mismatch:
    """Ratios trainer/generator of the sampled tokens.

    Attributes
    ----------
    tokens : int
        How many.
    mean_log_ratio : float
        What many logs show; near 0 even when the engines disagree.
    share_outside : float
        Share of the ratios outside the band.
    largest_ratio : float
        The ratio farthest from 1, as a factor of 1 or more.
    """

    tokens: int
    mean_log_ratio: float
    share_outside: float
    largest_ratio: float


def measure_mismatch(log_ratios: ArrayLike, *, low: float = 0.9, high: float = 1.1) -> Mismatch:
    """Return how far the two engines disagree.

    Parameters
    ----------
    log_ratios : array_like
        log p_trainer − log p_generator of each sampled token.
    low, high : float
        Band of ratios that counts as agreement.

    Returns
    -------
    Mismatch
        Share outside the band and largest ratio, beside the mean.

    Raises
    ------
    CostError
        If there is no token, or a log-ratio is not finite.

    Examples
    --------
    A mean of 0, and half of the tokens outside the band:

    >>> m = measure_mismatch([0.15, -0.15, 0.02, -0.02])
    >>> round(m.mean_log_ratio, 12), m.share_outside, round(m.largest_ratio, 3)
    (0.0, 0.5, 1.162)
    """
    values = np.asarray(log_ratios, np.float64).ravel()
    if values.size == 0 or not np.all(np.isfinite(values)):
        raise CostError("log_ratios must hold one finite number or more; drop padding and masked tokens")
    ratios = np.exp(values)
    outside = (ratios < low) | (ratios > high)
    return Mismatch(
        int(values.size), float(values.mean()), float(outside.mean()), float(np.exp(np.abs(values).max()))
    )
