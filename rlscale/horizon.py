"""The compute that a forecast is for, and whether what was asked has a meaning."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .amounts import say_compute
from .curve import UNITS, Curve, LogWarning
from .errors import ForecastError
from .given import as_number

#: Without any plan, the run is thought to go on to this many times what was seen: the pilot is a quarter of
#: it.
ASSUMED_TIMES = 4.0
#: Units that are counted one by one, as axes write them: N of them may be numbered from 0 to N − 1.
COUNTED: tuple[str, ...] = (UNITS["rollout_steps"], UNITS["updates"])
#: Beyond this many times what was seen, the plan says little about the end.
FAR_TIMES = 100.0
#: Beyond this many times what was seen, a budget is a mistake in its unit.
MOST_TIMES = 1e9
#: Compute seen must lie between these, so that no product of a forecast leaves the range of numbers.
LEAST_SEEN, MOST_SEEN = 1e-200, 1e200
#: No price and no value is larger, USD.
MOST_USD = 1e15


@dataclass(frozen=True)
class Budget:
    """Compute that a forecast is for.

    Attributes
    ----------
    at : float
        Compute, in the unit of the curve.
    source : str
        ``"option"``, ``"log"`` or ``"assumed"``.
    why : str
        The same as a sentence.
    warnings : tuple of LogWarning
        Soft trouble with it.
    """

    at: float
    source: str
    why: str
    warnings: tuple[LogWarning, ...] = ()


def choose_budget(curve: Curve, budget: float | None) -> Budget:
    """Return the compute to forecast: as given, else as planned in the log, else four times what was seen.

    Parameters
    ----------
    curve : Curve
        The pilot.
    budget : float or None
        What was asked for, in the unit of the curve.

    Returns
    -------
    Budget

    Raises
    ------
    ForecastError
        If the budget is no finite number, smaller than what was seen or more than 1e9 times it.

    Examples
    --------
    >>> curve = Curve([10, 20], [0.2, 0.3], unit="updates")
    >>> choose_budget(curve, None).at, choose_budget(curve, 50).source
    (80.0, 'option')
    """
    seen, label = float(curve.compute[-1]), curve.label
    if budget is not None:
        budget = as_number(budget, "budget", ForecastError)
        if not math.isfinite(budget):
            raise ForecastError(f"budget is {budget}; give a finite number of {label}")
        if budget < seen:
            raise ForecastError(
                f"budget of {budget:g} {label} is smaller than the {seen:g} {label} already seen; "
                f"give the compute of the whole run, {seen:g} or more"
            )
        if budget > MOST_TIMES * seen:
            raise ForecastError(
                f"budget of {budget:g} {label} is {budget / seen:.3g} times the {seen:g} {label} seen; "
                f"check its unit, and give at most {MOST_TIMES:.0e} times what was seen"
            )
        far: tuple[LogWarning, ...] = ()
        if budget > FAR_TIMES * seen:
            far = (
                LogWarning(
                    "far-budget",
                    f"The budget is {budget / seen:.3g} times what was seen.",
                    "Check its unit; a forecast that far rests on the shapes alone.",
                ),
            )
        at, last = _end_of_count(curve, float(budget))
        why = f"The budget of {say_compute(budget, label)} is the one you gave.{last}"
        return Budget(at, "option", why, far)
    if curve.planned is not None and seen <= curve.planned <= MOST_TIMES * seen:
        source = f" ({curve.planned_from})" if curve.planned_from else ""
        at, last = _end_of_count(curve, float(curve.planned))
        planned = say_compute(curve.planned, label)
        return Budget(at, "log", f"The budget of {planned} is the planned length in the log{source}.{last}")
    assumed = ASSUMED_TIMES * seen
    warnings: tuple[LogWarning, ...] = ()
    if curve.planned is not None and curve.planned > seen:
        warnings = (
            LogWarning(
                "plan-too-far",
                f"The log plans {say_compute(curve.planned, label)}, {curve.planned / seen:.3g} times what "
                "was seen.",
                "That is no plan and is not used; give the budget.",
            ),
        )
    elif curve.planned is not None:
        warnings = (
            LogWarning(
                "plan-exceeded",
                f"The log plans {say_compute(curve.planned, label)} and holds {say_compute(seen, label)} "
                "already.",
                "The plan is not used; give the budget.",
            ),
        )
    why = (
        f"The budget of {say_compute(assumed, label)} is four times what was seen, since neither you nor the "
        "log gives one; the forecast depends on it, so give the budget if you know it."
    )
    return Budget(assumed, "assumed", why, warnings)


def _end_of_count(curve: Curve, budget: float) -> tuple[float, str]:
    """Return where the budget ends where N steps are numbered from 0 to N − 1, and a sentence on it."""
    seen = float(curve.compute[-1])
    if curve.label in COUNTED and curve.compute[0] == 0 and seen > 1 and budget == seen + 1:
        return seen, f" The log counts from 0: {seen:g} is the last of them, and the run is at its end."
    return budget, ""


def check_request(
    curve: Curve, *, target: float | None, price: float | None, value: float | None, level: float
) -> None:
    """Refuse what has no meaning.

    Raises
    ------
    ForecastError
        If the curve has fewer than two points or never moves, its compute is in a unit out of all proportion,
        the target or level is outside (0, 1), or a price is negative, huge or no number.
    """
    n = len(curve)
    for name, number in (("target", target), ("price", price), ("value", value), ("level", level)):
        if number is not None or name == "level":
            as_number(number, name, ForecastError)
    if n < 2:
        raise ForecastError(
            f"the curve has {n} point{'' if n == 1 else 's'}; a forecast needs at least 2, better 6"
        )
    if np.ptp(curve.pass_rate) == 0:
        raise ForecastError(
            f"the pass rate is {curve.pass_rate[0]:g} at all {n} points, so nothing has moved: "
            "a wrong column, a broken reward, or a run that does not learn yet; check the column, "
            "or go on to the next checkpoint"
        )
    seen = float(curve.compute[-1])
    if not LEAST_SEEN <= seen <= MOST_SEEN:
        raise ForecastError(
            f"the last compute seen is {seen:g} {curve.label}; "
            f"choose a unit in which it is between {LEAST_SEEN:g} and {MOST_SEEN:g}"
        )
    if target is not None and not 0 < target < 1:
        hint = (
            f"it looks like percent: give {target / 100:g}"
            if 1 < target <= 100
            else "give a pass rate, such as 0.6"
        )
        raise ForecastError(f"target is {target:g}, outside (0, 1); {hint}")
    if not 0 < level < 1:
        hint = (
            f"it looks like percent: give {level / 100:g}" if 1 < level < 100 else "give a share, such as 0.9"
        )
        raise ForecastError(f"level is {level:g}, outside (0, 1); {hint}")
    for name, amount in (("price", price), ("value", value)):
        if amount is not None and not 0 <= amount <= MOST_USD:
            raise ForecastError(f"{name} is {amount:g}; give USD, from 0 to {MOST_USD:g}")


def as_places(compute: ArrayLike) -> NDArray[np.float64]:
    """Return computes as an array.

    Raises
    ------
    ForecastError
        If one is no finite number of 0 or more.
    """
    try:
        at = np.asarray(compute, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ForecastError(f"compute holds something that is no number ({error}); give numbers") from None
    wrong = at[~(np.isfinite(at) & (at >= 0))]
    if wrong.size:
        raise ForecastError(f"compute is {wrong[0]:g} somewhere; give finite numbers of 0 or more")
    return at
