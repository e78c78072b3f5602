"""An interval: the middle and the ends of what is believed of one number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .mixture import Mixture


@dataclass(frozen=True)
class Interval:
    """Median and ends of an interval.

    Examples
    --------
    >>> Interval(0.5, 0.49, 0.52).widen(0.02).to_dict()
    {'median': 0.5, 'lo': 0.48, 'hi': 0.52}
    >>> Interval(2.0, 1.0, 4.0).inverse()
    Interval(median=0.5, lo=0.25, hi=1.0)
    """

    median: float
    lo: float
    hi: float

    @classmethod
    def of_mixture(cls, mixture: Mixture, level: float) -> Interval:
        """Return the interval that holds the share ``level`` of a distribution, equal tails left out."""
        tail = 0.5 * (1 - level)
        return cls(*(float(v) for v in mixture.quantiles([0.5, tail, 1 - tail])))

    @classmethod
    def of_share(cls, mixture: Mixture, level: float) -> Interval:
        """Return the same for a pass rate, which stays inside [0, 1]."""
        raw = cls.of_mixture(mixture, level)
        return cls(*(min(1.0, max(0.0, v)) for v in (raw.median, raw.lo, raw.hi)))

    @classmethod
    def of_log(cls, mixture: Mixture, level: float) -> Interval:
        """Return the interval of a number whose logarithm has this distribution."""
        raw = cls.of_mixture(mixture, level)
        return cls(*(float(np.exp(v)) for v in (raw.median, raw.lo, raw.hi)))

    @property
    def width(self) -> float:
        """High end minus low end."""
        return self.hi - self.lo

    def to_dict(self) -> dict[str, float]:
        """Return ``{"median", "lo", "hi"}``."""
        return {"median": self.median, "lo": self.lo, "hi": self.hi}

    def times(self, factor: float) -> Interval:
        """Return the interval of the number times a factor above 0."""
        return Interval(self.median * factor, self.lo * factor, self.hi * factor)

    def inverse(self) -> Interval:
        """Return the interval of one over the number, which is above 0."""
        return Interval(1 / self.median, 1 / self.hi, 1 / self.lo)

    def widen(self, half: float) -> Interval:
        """Return the interval, made to reach ``half`` to each side of the median, inside [0, 1]."""
        low, high = min(self.lo, self.median - half), max(self.hi, self.median + half)
        return Interval(self.median, max(0.0, low), min(1.0, high))
