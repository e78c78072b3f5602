"""How amounts are written for a reader: in three digits with K, M, B or T, or in full with commas."""

from __future__ import annotations

from .spread import Interval


def span(value: Interval, sign: str = "") -> str:
    """Return ``median (low to high)`` in three digits."""
    if value.lo == value.hi:
        return number(value.median, sign)
    return f"{number(value.median, sign)} ({number(value.lo, sign)} to {number(value.hi, sign)})"


def say_compute(value: float, label: str = "") -> str:
    """Return an amount of compute as a sentence has it, with its unit.

    Parameters
    ----------
    value : float
        Compute.
    label : str
        Unit in words, as :attr:`rlscale.Curve.label` has it; may be empty.

    Returns
    -------
    str
        At most six digits below a million, so that a step count is exact; four above.

    Examples
    --------
    >>> say_compute(5370, "rollout steps"), say_compute(1.2e9, "generated tokens"), say_compute(0.025)
    ('5,370 rollout steps', '1.2 B generated tokens', '0.025')
    """
    words = f" {label}" if label else ""
    value += 0.0  # of −0
    for limit, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if limit <= abs(value) < 1e15:
            return f"{value / limit:.4g} {letter}{words}"
    return f"{value:,.6g}{words}"


def name_one(label: str) -> str:
    """Return the singular of a unit in words, for "per …".

    Examples
    --------
    >>> name_one("rollout steps"), name_one("GPU-hours")
    ('rollout step', 'GPU-hour')
    """
    return label.removesuffix("s")


def say_price(price: float, label: str) -> str:
    """Return a price per unit of compute in words; tokens are priced by the million.

    Examples
    --------
    >>> say_price(2.5, "GPU-hours"), say_price(3e-6, "generated tokens")
    ('USD 2.5 per GPU-hour', 'USD 3 per million generated tokens')
    """
    if "token" in label and 0 < price < 0.01:
        return f"USD {price * 1e6:,.6g} per million {label}"
    return f"USD {price:,.6g} per {name_one(label)}"


def say_probability(p: float) -> str:
    """Return a probability with two digits; nothing that is possible is called 0 or 1.

    Examples
    --------
    >>> say_probability(0.394), say_probability(0.0048), say_probability(0.9996)
    ('0.39', 'below 0.01', 'above 0.99')
    """
    return "below 0.01" if p < 0.005 else "above 0.99" if p >= 0.995 else f"{p:.2f}"


def say_usd(amount: float) -> str:
    """Return dollars: whole ones from 100 on, else with cents.

    Examples
    --------
    >>> say_usd(12345.6), say_usd(2.5), say_usd(0.0004)
    ('USD 12,346', 'USD 2.50', 'USD 0.0004')
    """
    if abs(amount) >= 1e9:
        return f"USD {amount:,.4g}" if abs(amount) >= 1e15 else f"USD {number(amount)}"
    if abs(amount) >= 100:
        return f"USD {amount:,.0f}"
    return f"USD {amount:.2f}" if amount == 0 or abs(amount) >= 0.01 else f"USD {amount:.2g}"


def number(value: float, sign: str = "") -> str:
    """Return a number in three digits with K, M, B or T.

    Examples
    --------
    >>> number(27806.78, "$"), number(34_757_000_000), number(0.4)
    ('$27.8K', '34.8B', '0.4')
    """
    value += 0.0  # of −0
    for limit, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if abs(value) >= limit * 0.9995:
            short = value / limit
            digits = 2 if abs(short) < 9.995 else 1 if abs(short) < 99.95 else 0
            return f"{sign}{short:.{digits}f}{letter}"
    return f"{sign}{value:.3g}"


def full_number(value: float) -> str:
    """Return a number with all its digits before the point, and six where it has a fraction.

    Examples
    --------
    >>> full_number(2_621_440), full_number(16.5), full_number(4.285714285)
    ('2,621,440', '16.5', '4.28571')
    """
    value += 0.0  # of −0
    if value == round(value) and abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.1f}"
