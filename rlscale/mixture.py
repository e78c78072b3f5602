"""Mixtures of normal distributions: quantiles from the sum of the parts, not from samples.

A grid posterior is a hundred thousand weighted pieces, each nearly normal. Sorting samples of it would give other
numbers every time; inverting the distribution function of the mixture gives the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float64]

#: Ratio of neighbouring standard deviations after condensing.
_SD_RATIO = 1.3
#: Halvings of the bracket of a quantile: 1 / 2^40 of its width is far below any pass rate that matters.
_HALVINGS = 40


@dataclass(frozen=True, eq=False)
class Mixture:
    """Weighted normal distributions.

    Attributes
    ----------
    mean, sd, weight : array, shape (parts,)
        Of each part; ``sd`` above 0, ``weight`` not negative and of sum 1.

    Examples
    --------
    >>> two = Mixture(np.array([0.2, 0.6]), np.array([0.01, 0.01]), np.array([0.5, 0.5]))
    >>> round(two.expected, 3), round(two.share_above(0.4), 3)
    (0.4, 0.5)
    """

    mean: Floats
    sd: Floats
    weight: Floats

    @property
    def expected(self) -> float:
        """Mean of the mixture."""
        return float(self.weight @ self.mean)

    def share_above(self, value: float) -> float:
        """Return the probability of more than ``value``."""
        return float(self.weight @ ndtr((self.mean - value) / self.sd))

    def quantiles(self, shares: Sequence[float]) -> Floats:
        """Return the values below which the given shares of the distribution lie.

        Parameters
        ----------
        shares : sequence of float
            Each inside (0, 1).

        Returns
        -------
        array, shape (shares,)

        Examples
        --------
        >>> normal = Mixture(np.array([0.5]), np.array([0.1]), np.array([1.0]))
        >>> normal.quantiles([0.05, 0.5, 0.95]).round(3)
        array([0.336, 0.5  , 0.664])
        """
        wanted = np.asarray(shares, np.float64)
        reach = 9 * self.sd
        low = np.full(wanted.size, (self.mean - reach).min())
        high = np.full(wanted.size, (self.mean + reach).max())
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            below = ndtr((middle[:, None] - self.mean) / self.sd) @ self.weight < wanted
            low = np.where(below, middle, low)
            high = np.where(below, high, middle)
        return 0.5 * (low + high)


def condense_mixture(mean: Floats, sd: Floats, weight: Floats, step: float = 0.001) -> Mixture:
    """Merge the parts of a mixture that can hardly be told apart.

    Each part is shared out between the two nearest means of a lattice (which keeps its mean) and the two nearest
    standard deviations of a geometric series (which keeps its variance). The lattice adds at most ``step²/4`` of variance.

    Parameters
    ----------
    mean, sd, weight : array, shape (parts,)
        Of each part; weights need not sum to 1. A standard deviation below ``step`` counts as ``step``.
    step : float
        Distance of neighbouring means, above 0.

    Returns
    -------
    Mixture
        Same mean and variance, far fewer parts.

    Examples
    --------
    >>> many = condense_mixture(np.linspace(0.4, 0.5, 9999), np.full(9999, 0.02), np.ones(9999))
    >>> many.mean.size < 300, round(many.expected, 6)
    (True, 0.45)
    """
    place = mean / step
    left = np.floor(place).astype(np.int64)
    to_right = place - left
    sd = np.maximum(sd, step)
    rank = np.log(sd / step) / np.log(_SD_RATIO)
    lower = np.floor(rank).astype(np.int64)
    low_var = (step * _SD_RATIO**lower) ** 2
    to_upper = np.clip((sd**2 - low_var) / (low_var * (_SD_RATIO**2 - 1)), 0.0, 1.0)
    first, classes = int(left.min()), int(lower.max()) + 2
    index = (left - first) * classes + lower
    size = (int(left.max()) - first + 2) * classes
    total = np.zeros(size)
    for move, share in (
        (0, (1 - to_right) * (1 - to_upper)),
        (1, (1 - to_right) * to_upper),
        (classes, to_right * (1 - to_upper)),
        (classes + 1, to_right * to_upper),
    ):
        total += np.bincount(index + move, weights=weight * share, minlength=size)
    used = np.flatnonzero(total > 0)
    kept = total[used]
    return Mixture(
        (used // classes + first) * step, step * _SD_RATIO ** (used % classes).astype(np.float64), kept / kept.sum()
    )


def pool_mixtures(mixtures: Sequence[Mixture]) -> Mixture:
    """Return the mixture in which each of the given ones has the same weight."""
    return Mixture(
        np.concatenate([m.mean for m in mixtures]),
        np.concatenate([m.sd for m in mixtures]),
        np.concatenate([m.weight for m in mixtures]) / len(mixtures),
    )
