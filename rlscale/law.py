"""The law of a run: pass rate against compute, from a start to a ceiling.

    R(C) = R0 + (A − R0) · f(C; B, Cmid)

``R0`` is the pass rate at the start, ``A`` the ceiling, ``B`` the steepness and ``Cmid`` the compute at which
half of the gain ``A − R0`` is won. The share ``f`` of the gain is what the three shapes differ in:

=================  ================================================  =======================================
shape              share of the gain won after compute C             ``B`` is
=================  ================================================  =======================================
:class:`Sigmoid`   1 / (1 + (Cmid/C)^B)                              steepness on a log axis
:class:`Weibull`   1 − exp(−ln 2 · (C/Cmid)^B)                       shape; B = 1 is the plain exponential
:class:`Power`     1 − (1 + C/c)^−B,  c = Cmid / (2^(1/B) − 1)       exponent of the tail
=================  ================================================  =======================================

The sigmoid is the law of ScaleRL (Khatri and others 2025, arXiv 2510.13786, equation 1). The rivals are
written with the factors ``ln 2`` and ``2^(1/B) − 1`` so that ``Cmid`` is the half-way point of *every* shape:
gates, priors and tables that speak of Cmid then need no case distinction.

Compute is in whatever unit the curve has; ``Cmid`` is in the same one; a slope is pass rate per that unit.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit, logit

from .law_base import LOG_NOTHING, Law

__all__ = ["LOG_NOTHING", "SHAPES", "Law", "Power", "Sigmoid", "Weibull"]

Floats = NDArray[np.float64]

_LN2 = math.log(2.0)
# exp() of more than this overflows a double; every share is 1 to the last bit long before.
_EXP_MAX = 700.0


class Sigmoid(Law):
    """R0 + (A − R0) / (1 + (Cmid/C)^B), the law of ScaleRL; see :class:`Law` for the parameters.

    Examples
    --------
    >>> law = Sigmoid(R0=0.2, A=0.6, B=1.5, Cmid=1000)
    >>> round(law(4000), 4)
    0.5556
    """

    name: ClassVar[str] = "sigmoid"

    @staticmethod
    def share(log_ratio: ArrayLike, B: ArrayLike) -> Floats:
        """Return 1 / (1 + exp(−B·ln(C/Cmid))); see :meth:`Law.share`."""
        return np.asarray(expit(np.multiply(B, log_ratio)))

    @staticmethod
    def partials(log_ratio: Floats, B: Floats | float) -> tuple[Floats, Floats, Floats]:
        """Return the share and its derivatives by ln B and ln Cmid; see :meth:`Law.partials`."""
        z = B * log_ratio
        f = expit(z)
        steep = f * expit(-z)
        return f, steep * z, -steep * B

    @staticmethod
    def log_ratio_for(share: ArrayLike, B: ArrayLike) -> Floats:
        """Return logit(share)/B; see :meth:`Law.log_ratio_for`."""
        return np.asarray(logit(np.asarray(share, np.float64)) / B)

    @staticmethod
    def _log_steepness(log_ratio: Floats, B: float) -> Floats:
        z = B * log_ratio
        return np.asarray(math.log(B) + log_expit(z) + log_expit(-z))

    @staticmethod
    def _slope_at_zero(B: float, Cmid: float) -> float:
        return math.inf if B < 1 else 1 / Cmid if B == 1 else 0.0


class Weibull(Law):
    """R0 + (A − R0)·(1 − exp(−ln 2·(C/Cmid)^B)): ``Cmid`` is the median, ``B`` the shape; see :class:`Law`.

    Examples
    --------
    >>> law = Weibull(R0=0.2, A=0.6, B=1.0, Cmid=1000)
    >>> round(law(4000), 4)
    0.575
    """

    name: ClassVar[str] = "weibull"

    @staticmethod
    def share(log_ratio: ArrayLike, B: ArrayLike) -> Floats:
        """Return 1 − exp(−ln 2·exp(B·ln(C/Cmid))); see :meth:`Law.share`."""
        return np.asarray(-np.expm1(-_LN2 * np.exp(np.minimum(np.multiply(B, log_ratio), _EXP_MAX))))

    @staticmethod
    def partials(log_ratio: Floats, B: Floats | float) -> tuple[Floats, Floats, Floats]:
        """Return the share and its derivatives by ln B and ln Cmid; see :meth:`Law.partials`."""
        z = B * log_ratio
        hazard = _LN2 * np.exp(np.minimum(z, _EXP_MAX))
        left = np.exp(-hazard)
        steep = left * hazard
        return -np.expm1(-hazard), steep * z, -steep * B

    @staticmethod
    def log_ratio_for(share: ArrayLike, B: ArrayLike) -> Floats:
        """Return ln(−ln(1 − share)/ln 2)/B; see :meth:`Law.log_ratio_for`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(-np.log1p(-np.asarray(share, np.float64)) / _LN2) / B)

    @staticmethod
    def _log_steepness(log_ratio: Floats, B: float) -> Floats:
        z = B * log_ratio
        return np.asarray(math.log(B * _LN2) + z - _LN2 * np.exp(np.minimum(z, _EXP_MAX)))

    @staticmethod
    def _slope_at_zero(B: float, Cmid: float) -> float:
        return math.inf if B < 1 else _LN2 / Cmid if B == 1 else 0.0


class Power(Law):
    """R0 + (A − R0)·(1 − (1 + C/c)^−B) with c = Cmid/(2^(1/B) − 1), a shifted power law; see :class:`Law`.

    Examples
    --------
    >>> law = Power(R0=0.2, A=0.6, B=1.0, Cmid=1000)
    >>> round(law(4000), 4)
    0.52
    """

    name: ClassVar[str] = "power"

    @staticmethod
    def share(log_ratio: ArrayLike, B: ArrayLike) -> Floats:
        """Return 1 − (1 + (2^(1/B) − 1)·C/Cmid)^−B; see :meth:`Law.share`."""
        return np.asarray(-np.expm1(-np.asarray(B) * np.logaddexp(0.0, np.add(log_ratio, _log_scale(B)))))

    @staticmethod
    def partials(log_ratio: Floats, B: Floats | float) -> tuple[Floats, Floats, Floats]:
        """Return the share and its derivatives by ln B and ln Cmid; see :meth:`Law.partials`."""
        v = log_ratio + _log_scale(B)
        tail = np.logaddexp(0.0, v)
        left = np.exp(-B * tail)
        # ln c = ln Cmid − _log_scale(B) moves with B; its derivative by ln B is t/(1 − e^−t), t = ln 2/B
        t = _LN2 / B
        moved = expit(v) * (t / -np.expm1(-t))
        return -np.expm1(-B * tail), B * left * (tail - moved), -B * left * expit(v)

    @staticmethod
    def log_ratio_for(share: ArrayLike, B: ArrayLike) -> Floats:
        """Return ln((1 − share)^(−1/B) − 1) − ln(2^(1/B) − 1); see :meth:`Law.log_ratio_for`."""
        q = -np.log1p(-np.asarray(share, np.float64)) / np.asarray(B)
        with np.errstate(divide="ignore"):
            return np.asarray(q + np.log(-np.expm1(-q)) - _log_scale(B))

    @staticmethod
    def _log_steepness(log_ratio: Floats, B: float) -> Floats:
        v = log_ratio + _log_scale(B)
        return np.asarray(math.log(B) - B * np.logaddexp(0.0, v) + log_expit(v))

    @staticmethod
    def _slope_at_zero(B: float, Cmid: float) -> float:
        log_slope = math.log(B) + float(_log_scale(B)) - math.log(Cmid)
        return math.exp(log_slope) if log_slope < _EXP_MAX else math.inf


#: The shapes that are pooled, by name.
SHAPES: dict[str, type[Law]] = {"sigmoid": Sigmoid, "weibull": Weibull, "power": Power}


def _log_scale(B: ArrayLike) -> Floats:
    """Return ln(2^(1/B) − 1) without overflow for a small B."""
    t = _LN2 / np.asarray(B, np.float64)
    return np.asarray(t + np.log(-np.expm1(-t)))
