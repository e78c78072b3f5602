"""Mixtures of normal distributions: quantiles from the sum of the parts, not from samples.

A grid posterior is a hundred thousand weighted pieces, each nearly normal. Sorting samples of it would give
other numbers every time; inverting the distribution function of the mixture gives the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float64]

#: Ratio of neighbouring standard deviations after condensing.
SD_RATIO = 1.25
#: Means of a lattice within one standard deviation.
PLACES_PER_SD = 4
#: A quantile is sought until its distribution function is this near, or for so many steps.
NEAR = 1e-13
STEPS = 60


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
        # the weights sum to 1 but for rounding, which must not make a probability of more
        return min(1.0, float(self.weight @ ndtr((self.mean - value) / self.sd)))

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
        low = np.full(wanted.size, (self.mean - 9 * self.sd).min())
        high = np.full(wanted.size, (self.mean + 9 * self.sd).max())
        at = np.full(wanted.size, self.expected)
        for _ in range(STEPS):
            z = (at[:, None] - self.mean) / self.sd
            short = wanted - ndtr(z) @ self.weight
            if np.all(np.abs(short) < NEAR):
                break
            low = np.where(short > 0, at, low)
            high = np.where(short > 0, high, at)
            density = np.exp(-0.5 * z * z) @ (self.weight / self.sd) / np.sqrt(2 * np.pi)
            # Newton, and a halving of the bracket where that leaves it (flat stretches between modes)
            step = at + short / np.maximum(density, 1e-12)
            at = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        return at

    def widen(self, sd: float) -> Mixture:
        """Return the mixture with independent normal noise of standard deviation ``sd`` added.

        Examples
        --------
        >>> Mixture(np.array([0.5]), np.array([0.03]), np.array([1.0])).widen(0.04).sd.round(3)
        array([0.05])
        """
        return Mixture(self.mean, np.hypot(self.sd, sd), self.weight)

    def split(self, shift: float) -> Mixture:
        """Return the mixture of which one half stays where it is and the other is moved by ``shift``.

        Examples
        --------
        >>> Mixture(np.array([0.5]), np.array([0.03]), np.array([1.0])).split(0.1).expected
        0.55
        """
        return Mixture(
            np.concatenate([self.mean, self.mean + shift]),
            np.concatenate([self.sd, self.sd]),
            np.concatenate([self.weight, self.weight]) / 2,
        )


def condense_mixture(mean: Floats, sd: Floats, weight: Floats, step: float = 0.001) -> Mixture:
    """Merge the parts of a mixture that can hardly be told apart.

    Each part is shared out between the two nearest standard deviations of a geometric series, so that its
    variance stays, and between the two nearest means of a lattice a quarter of that deviation wide, so that
    its mean stays. What the lattice adds to the variance (a sixth of its step squared) is taken off again.

    Parameters
    ----------
    mean, sd, weight : array, shape (parts,)
        Of each part; weights need not sum to 1. A standard deviation below ``step`` counts as ``step``.
    step : float
        Smallest standard deviation that is told apart from 0, above 0.

    Returns
    -------
    Mixture
        Same mean and variance, far fewer parts.

    Examples
    --------
    >>> many = condense_mixture(np.linspace(0.4, 0.5, 9999), np.full(9999, 0.02), np.ones(9999))
    >>> many.mean.size < 100, round(many.expected, 6)
    (True, 0.45)
    """
    sd = np.maximum(sd, step)
    lower = np.floor(np.log(sd / step) / np.log(SD_RATIO)).astype(np.int64)
    classes = step * SD_RATIO ** np.arange(int(lower.max()) + 2)
    below = classes[lower] ** 2
    to_upper = np.clip((sd**2 - below) / (below * (SD_RATIO**2 - 1)), 0.0, 1.0)
    lattice = classes / PLACES_PER_SD
    first = np.floor(mean.min() / lattice).astype(np.int64)
    places = np.floor(mean.max() / lattice).astype(np.int64) + 2 - first
    offset = np.concatenate([[0], np.cumsum(places)])
    total = np.zeros(int(offset[-1]))
    for rank, share in ((lower, 1 - to_upper), (lower + 1, to_upper)):
        place = mean / lattice[rank]
        left = np.floor(place)
        index = offset[rank] + left.astype(np.int64) - first[rank]
        to_right = place - left
        total += np.bincount(index, weights=weight * share * (1 - to_right), minlength=total.size)
        total += np.bincount(index + 1, weights=weight * share * to_right, minlength=total.size)
    used = np.flatnonzero(total > 0)
    rank = np.searchsorted(offset, used, side="right") - 1
    narrowed = classes * np.sqrt(1 - 1 / (6 * PLACES_PER_SD**2))
    return Mixture(
        (used - offset[rank] + first[rank]) * lattice[rank], narrowed[rank], total[used] / total[used].sum()
    )


def pool_mixtures(mixtures: Sequence[Mixture]) -> Mixture:
    """Return the mixture in which each of the given ones has the same weight."""
    return Mixture(
        np.concatenate([m.mean for m in mixtures]),
        np.concatenate([m.sd for m in mixtures]),
        np.concatenate([m.weight for m in mixtures]) / len(mixtures),
    )
