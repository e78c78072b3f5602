"""An input that is not known exactly: a low, a central and a high value, and draws between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import CostError

Floats = NDArray[np.float64]

_Z90 = 1.6448536269514722  # the standard normal is within ± this in 90 % of draws


@dataclass(frozen=True)
class Spread:
    """A 90 % interval and its centre; all three are equal for a number that is known.

    Attributes
    ----------
    lo, mid, hi : float
        5th, 50th and 95th percentile, 0 ≤ lo ≤ mid ≤ hi.

    Raises
    ------
    CostError
        If a value is negative or not finite, or the order is wrong.

    Examples
    --------
    >>> Spread.parse("2:4:8"), Spread.parse(5), Spread.parse([1, 4])
    (Spread(lo=2.0, mid=4.0, hi=8.0), Spread(lo=5.0, mid=5.0, hi=5.0), Spread(lo=1.0, mid=2.0, hi=4.0))
    """

    lo: float
    mid: float
    hi: float

    def __post_init__(self) -> None:
        values = (self.lo, self.mid, self.hi)
        if not all(math.isfinite(v) and v >= 0 for v in values):
            raise CostError(f"{self.lo:g}:{self.mid:g}:{self.hi:g} must be finite numbers of 0 or more")
        if not self.lo <= self.mid <= self.hi:
            raise CostError(f"{self.lo:g}:{self.mid:g}:{self.hi:g} must rise; write low:central:high")

    @classmethod
    def parse(cls, value: Any, name: str = "value") -> Spread:
        """Return a spread from a number, ``[low, high]``, ``[low, central, high]`` or ``"low:high"``.

        Without a central value it is the geometric mean (the arithmetic one when the low end is 0).
        """
        if isinstance(value, Spread):
            return value
        parts: Sequence[Any] = value.split(":") if isinstance(value, str) else value
        if isinstance(parts, (int, float)) and not isinstance(parts, bool):
            parts = [parts]
        try:
            if isinstance(parts, bool):
                raise TypeError
            numbers = [float(p) for p in parts]
        except (TypeError, ValueError):
            raise CostError(f"{name} is {value!r}; give a number, or low:central:high") from None
        if len(numbers) == 1:
            numbers *= 3
        elif len(numbers) == 2:
            low, high = numbers
            centre = math.sqrt(low * high) if low > 0 and high > 0 else (low + high) / 2
            numbers = [low, centre, high]
        if len(numbers) != 3:
            raise CostError(f"{name} has {len(numbers)} values; give a number, low:high or low:central:high")
        try:
            return cls(*numbers)
        except CostError as error:
            raise CostError(f"{name}: {error}") from None

    @property
    def exact(self) -> bool:
        """Whether low and high are the same."""
        return self.lo == self.hi

    def at(self, z: ArrayLike) -> Floats:
        """Return the value at a standard normal deviate: ``mid`` at 0, ``lo`` and ``hi`` at ∓1.645.

        Log-linear on either side of the centre, linear where a log is not defined (low end 0).

        Parameters
        ----------
        z : array_like
            Standard normal deviates.

        Returns
        -------
        array
            Values, 0 or more, in the shape of ``z``.

        Examples
        --------
        >>> Spread(1, 2, 8).at([-1.6448536, 0, 1.6448536]).round(3)
        array([1., 2., 8.])
        """
        t = np.asarray(z, np.float64) / _Z90
        if self.lo > 0:
            down, up = math.log(self.mid / self.lo), math.log(self.hi / self.mid)
            return np.asarray(self.mid * np.exp(np.where(t < 0, t * down, t * up)))
        return np.asarray(
            np.maximum(self.mid + np.where(t < 0, t * (self.mid - self.lo), t * (self.hi - self.mid)), 0)
        )


@dataclass(frozen=True)
class Interval:
    """What came out: median and a 90 % interval.

    Attributes
    ----------
    median, lo, hi : float
        50th, 5th and 95th percentile.
    """

    median: float
    lo: float
    hi: float

    @classmethod
    def of(cls, draws: ArrayLike, level: float = 0.9) -> Interval:
        """Return the interval of some draws.

        Examples
        --------
        >>> Interval.of([1.0, 2.0, 3.0]).median
        2.0
        """
        tail = (1 - level) / 2 * 100
        # a sorted look-up instead of interpolation, so that infinities among the draws stay infinities
        low, middle, high = np.percentile(
            np.asarray(draws, np.float64), [tail, 50, 100 - tail], method="nearest"
        )
        return cls(float(middle), float(low), float(high))

    def to_dict(self) -> dict[str, float | None]:
        """Return ``{"median", "lo", "hi"}``; what is not finite becomes None, which JSON can hold."""
        return {
            k: getattr(self, k) if math.isfinite(getattr(self, k)) else None for k in ("median", "lo", "hi")
        }
