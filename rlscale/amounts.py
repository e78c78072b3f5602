"""How amounts are written for a reader: three digits, with K, M, B or T, and a range in brackets."""

from __future__ import annotations

from .spread import Interval


def span(value: Interval, sign: str = "") -> str:
    """Return ``median (low to high)`` in three digits."""
    if value.lo == value.hi:
        return number(value.median, sign)
    return f"{number(value.median, sign)} ({number(value.lo, sign)} to {number(value.hi, sign)})"


def number(value: float, sign: str = "") -> str:
    """Return a number in three digits with K, M, B or T.

    Examples
    --------
    >>> number(27806.78, "$"), number(34_757_000_000), number(0.4)
    ('$27.8K', '34.8B', '0.4')
    """
    for limit, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if abs(value) >= limit * 0.9995:
            short = value / limit
            digits = 2 if abs(short) < 9.995 else 1 if abs(short) < 99.95 else 0
            return f"{sign}{short:.{digits}f}{letter}"
    return f"{sign}{value:.3g}"
