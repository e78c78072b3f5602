"""The verdict by money: where stopping is worth most, and what is missing for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .amounts import name_one, say_compute, say_price, say_usd
from .decision import BY_MONEY, CONTINUE, NOT_YET, STOP, BestStop, Decision

Floats = NDArray[np.float64]

#: An expected gain of fewer percentage points is called nothing.
LEAST_POINTS = 0.01


def decide_by_money(
    compute: Floats, expected: Floats, price: float, value: float, unit: str, *, quoted: bool = True
) -> Decision:
    """Return the verdict for a price per unit of compute and a value per percentage point.

    Parameters
    ----------
    compute : array, shape (candidates,)
        Where the run could be stopped; the first is now.
    expected : array, shape (candidates,)
        Expected pass rate of the curve there.
    price : float
        USD for one unit of compute, 0 or more.
    value : float
        USD for one percentage point of pass rate, 0 or more.
    unit : str
        Unit in words.
    quoted : bool
        Whether the expectation may be quoted. If not, the verdict is given without a number of the forecast.

    Returns
    -------
    Decision

    Examples
    --------
    >>> C = np.linspace(100, 400, 201)
    >>> decision = decide_by_money(C, 0.6 - 20 / C, price=1.0, value=20.0, unit="GPU-hours")
    >>> decision.verdict, decision.best_stop.at, round(decision.best_stop.usd)
    ('continue', 200.5, 100)
    """
    worth = value * 100 * (expected - expected[0]) - price * (compute - compute[0])
    best = int(np.argmax(worth))
    verdict = STOP if best == 0 else CONTINUE
    prices = f"{say_price(price, unit)}, {say_usd(value)} per percentage point"
    if not quoted:
        pays = "going on is worth its price" if best else "no further compute is worth its price"
        then = "Ask again at the next checkpoint." if best else NOT_YET
        why = (
            "No number can be quoted for this pilot, but the money has to be decided: averaged over all that "
            f"it leaves possible, {pays} ({prices}). {then}"
        )
        return Decision(verdict, why, by=BY_MONEY, by_money=verdict)
    stop = BestStop(float(compute[best]), float(worth[best]) + 0.0)
    if best == 0:
        why = f"No further compute is expected to be worth its price ({prices}). {NOT_YET}"
    else:
        points = 100 * (expected[best] - expected[0])
        why = (
            f"Best stop at {say_compute(stop.at, unit)}: {points:.1f} percentage points more for "
            f"{say_usd(price * (stop.at - compute[0]))}, worth {say_usd(stop.usd)} more than stopping now."
        )
    return Decision(verdict, why, best_stop=stop, by=BY_MONEY, by_money=verdict)


def say_what_is_missing(
    compute: Floats,
    expected: Floats,
    price: float | None,
    value: float | None,
    unit: str,
    *,
    quoted: bool = True,
) -> str:
    """Return what the rest costs when only a price is given, or what it may cost when only a value is.

    Parameters
    ----------
    compute, expected, unit, quoted
        As for :func:`decide_by_money`.
    price, value : float or None
        One of them.

    Examples
    --------
    >>> C = np.linspace(100, 400, 201)
    >>> say_what_is_missing(C, 0.6 - 20 / C, None, 20.0, "GPU-hours")
    'Going on pays below USD 3.94089 per GPU-hour: give the price for a verdict by money.'
    """
    rest = price * (compute[-1] - compute[0]) if price is not None else 0.0
    cost = f"The rest of the budget costs {say_usd(rest)}. " if price is not None else ""
    if quoted and 100 * float(np.max(expected - expected[0])) < LEAST_POINTS:
        return f"{cost}Next to nothing more is expected to be won."
    slope = float(np.max((expected[1:] - expected[0]) / (compute[1:] - compute[0])))
    if price is not None:
        if not quoted:
            return f"{cost}Give the value of a percentage point for a verdict by money."
        least = say_usd(price / (100 * slope))
        return (
            f"{cost}Going on pays if a percentage point is worth more than {least} to you: give its value "
            "for a verdict by money."
        )
    if quoted and value is not None:
        most = say_price(value * 100 * slope, unit)
        return f"Going on pays below {most}: give the price for a verdict by money."
    return f"Give the price of a {name_one(unit)} for a verdict by money."
