"""What every law can do, whatever its shape: evaluate, invert, say what was won and what comes next.

A shape says how its share f of the gain depends on ln(C/Cmid) and B, and what the slope of that is;
everything else follows from R(C) = R0 + (A − R0)·f and stands here once. The shapes are in
:mod:`rlscale.law`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import CurveError

Floats = NDArray[np.float64]
#: What a method evaluates at: several numbers (a single one gives a float back).
Many = Sequence[float] | NDArray[Any]

#: ln(C/Cmid) that stands for no compute where −inf would turn products into NaN.
LOG_NOTHING = -700.0


@dataclass(frozen=True)
class Law(ABC):
    """A shape with its four parameters; use one of :mod:`rlscale.law`.

    Attributes
    ----------
    R0, A : float
        Pass rate at no compute and at endless compute, 0 ≤ R0 ≤ A ≤ 1.
    B : float
        Steepness, above 0.
    Cmid : float
        Compute at half of the gain, above 0, in the unit of compute.

    Raises
    ------
    CurveError
        If a parameter is no finite number or lies outside its range.
    """

    R0: float
    A: float
    B: float
    Cmid: float

    #: Name of the shape, as in tables and JSON.
    name: ClassVar[str]

    def __post_init__(self) -> None:
        for key in ("R0", "A", "B", "Cmid"):
            try:
                value = float(getattr(self, key))
            except (TypeError, ValueError):
                raise CurveError(f"{key} of a law is {getattr(self, key)!r}; give one number") from None
            if not math.isfinite(value):
                raise CurveError(f"{key} of a law is {value}; give a finite number")
            object.__setattr__(self, key, value)
        if not 0 <= self.R0 <= self.A <= 1:
            raise CurveError(f"a law needs 0 ≤ R0 ≤ A ≤ 1; found R0 = {self.R0:g}, A = {self.A:g}")
        for key, value in (("B", self.B), ("Cmid", self.Cmid)):
            if value <= 0:
                raise CurveError(f"{key} of a law is {value:g}; it must be above 0")

    @staticmethod
    @abstractmethod
    def share(log_ratio: ArrayLike, B: ArrayLike) -> Floats:
        """Return the share of the gain won, given ln(C/Cmid) (−inf at no compute); broadcasts."""

    @staticmethod
    @abstractmethod
    def partials(log_ratio: Floats, B: Floats | float) -> tuple[Floats, Floats, Floats]:
        """Return the share and its derivatives by ln B and by ln Cmid; broadcasts.

        The derivative by ln C is minus that by ln Cmid, since a share depends on C/Cmid alone.
        ``log_ratio`` must be finite: :data:`LOG_NOTHING` stands for no compute.
        """

    @staticmethod
    @abstractmethod
    def log_ratio_for(share: ArrayLike, B: ArrayLike) -> Floats:
        """Return the ln(C/Cmid) at which a share in [0, 1] of the gain is won; broadcasts."""

    @staticmethod
    @abstractmethod
    def _log_steepness(log_ratio: Floats, B: float) -> Floats:
        """Logarithm of d share / d ln C, which neither over- nor underflows."""

    @staticmethod
    @abstractmethod
    def _slope_at_zero(B: float, Cmid: float) -> float:
        """Limit of d share / dC as C goes to 0."""

    @classmethod
    def fraction(cls, compute: ArrayLike, B: ArrayLike, Cmid: ArrayLike) -> Floats:
        """Return the share of the gain won at each compute, for many parameters at once.

        Parameters
        ----------
        compute, B, Cmid : array_like
            Compute (0 or more, may be inf), steepness and half-way compute (above 0); broadcast together.

        Returns
        -------
        array
            Shares in [0, 1] in the shape they broadcast to. Nothing is checked: this is the inner loop.

        Examples
        --------
        >>> from rlscale.law import Sigmoid, Weibull
        >>> Sigmoid.fraction([0.0, 10.0, 30.0], 1.0, 10.0)
        array([0.  , 0.5 , 0.75])
        >>> Weibull.fraction([[5.0], [10.0]], [1.0, 2.0], 10.0).shape
        (2, 2)
        """
        return cls.share(_log_ratio(np.asarray(compute, np.float64), Cmid), B)

    @overload
    def __call__(self, compute: float) -> float: ...
    @overload
    def __call__(self, compute: Many) -> Floats: ...
    def __call__(self, compute: float | Many) -> float | Floats:
        """Return the pass rate at a compute.

        Parameters
        ----------
        compute : float or array_like
            0 or more, in the unit of ``Cmid``; inf gives the ceiling.

        Returns
        -------
        float or array
            Pass rate in [R0, A].

        Raises
        ------
        CurveError
            If a compute is negative or no number.

        Examples
        --------
        >>> from rlscale.law import Sigmoid
        >>> law = Sigmoid(R0=0.2, A=0.6, B=1.5, Cmid=1000)
        >>> law(0), law(1000), law(float("inf"))
        (0.2, 0.4, 0.6)
        """
        return self.R0 + self.gain(compute)

    @overload
    def gain(self, compute: float) -> float: ...
    @overload
    def gain(self, compute: Many) -> Floats: ...
    def gain(self, compute: float | Many) -> float | Floats:
        """Return R(C) − R0, what the run has won by a compute; arguments and errors as for the call.

        Examples
        --------
        >>> from rlscale.law import Weibull
        >>> round(Weibull(R0=0.2, A=0.6, B=1.0, Cmid=10).gain(20), 12)
        0.3
        """
        c = _checked(compute, "compute", low=0.0)
        return _same_kind((self.A - self.R0) * self.fraction(c, self.B, self.Cmid))

    @overload
    def slope(self, compute: float) -> float: ...
    @overload
    def slope(self, compute: Many) -> Floats: ...
    def slope(self, compute: float | Many) -> float | Floats:
        """Return dR/dC: pass rate won per unit of compute spent next.

        Parameters
        ----------
        compute : float or array_like
            0 or more. At 0 the limit is given: for the sigmoid and the Weibull it is inf below B = 1,
            finite at B = 1 and 0 above; for the power law it is finite.

        Returns
        -------
        float or array
            Pass rate per unit of compute, 0 or more.

        Raises
        ------
        CurveError
            If a compute is negative or no number.

        Examples
        --------
        >>> from rlscale.law import Sigmoid
        >>> round(Sigmoid(R0=0.2, A=0.6, B=1.0, Cmid=10).slope(0), 12)
        0.04
        """
        c = _checked(compute, "compute", low=0.0)
        if self.A == self.R0:
            return _same_kind(np.zeros_like(c))
        inside = (c > 0) & np.isfinite(c)
        log_c = np.log(np.where(inside, c, self.Cmid))
        with np.errstate(over="ignore", under="ignore"):
            share_slope = np.exp(self._log_steepness(log_c - math.log(self.Cmid), self.B) - log_c)
        share_slope = np.where(
            inside, share_slope, np.where(c == 0, self._slope_at_zero(self.B, self.Cmid), 0.0)
        )
        return _same_kind((self.A - self.R0) * share_slope)

    @overload
    def compute_for(self, pass_rate: float) -> float: ...
    @overload
    def compute_for(self, pass_rate: Many) -> Floats: ...
    def compute_for(self, pass_rate: float | Many) -> float | Floats:
        """Return the compute at which a pass rate is first reached.

        Parameters
        ----------
        pass_rate : float or array_like
            Pass rate wanted.

        Returns
        -------
        float or array
            Compute; 0 for a pass rate of R0 or less (the run starts there), inf for A or more (never).

        Raises
        ------
        CurveError
            If a pass rate is no number.

        Examples
        --------
        >>> from rlscale.law import Power
        >>> law = Power(R0=0.2, A=0.6, B=1.0, Cmid=1000)
        >>> round(law.compute_for(0.4), 9), law.compute_for(0.6), law.compute_for(0.1)
        (1000.0, inf, 0.0)
        """
        p = _checked(pass_rate, "pass_rate", low=-math.inf)
        between = (p > self.R0) & (p < self.A)
        share = np.where(between, p - self.R0, 0.0) / (self.A - self.R0 if self.A > self.R0 else 1.0)
        with np.errstate(over="ignore", under="ignore", divide="ignore"):
            found = self.Cmid * np.exp(self.log_ratio_for(share, self.B))
        return _same_kind(np.where(between, found, np.where(p <= self.R0, 0.0, math.inf)))


def _log_ratio(compute: Floats, Cmid: ArrayLike) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(compute) - np.log(Cmid))


def _checked(values: float | Many, name: str, low: float) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CurveError(f"{name} holds something that is no number ({error}); give numbers only") from None
    wrong = ~(array >= low)
    if wrong.any():
        first = array[wrong].flat[0]
        need = "a number" if math.isinf(low) else f"{low:g} or more"
        raise CurveError(f"{name} is {first:g}; it must be {need}")
    return array


def _same_kind(values: ArrayLike) -> float | Floats:
    array = np.asarray(values, np.float64)
    return float(array) if array.ndim == 0 else array
