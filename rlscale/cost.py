"""What a run costs: on Tinker, on own or rented GPUs, in sandboxes, with an interval and its causes.

:func:`estimate_cost` draws every uncertain input (length, throughput, price, steps …) from its 90 % interval,
independently and with a fixed seed, makes the bill of each draw, and reads the median and the interval. What
moves the result most is found by moving one input at a time from its low to its high end.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bill import Bill, make_bill
from .cost_result import DECIDED, Cost, Swing
from .errors import CostError
from .given import show_value
from .named_inputs import CostInputError, list_names
from .price_list import STALE_DAYS, Price, age_days
from .scenario import Scenario
from .setting import Setting, settle
from .spread import Interval

__all__ = ["DECIDED", "Cost", "Swing", "estimate_cost", "warn_unused"]

Floats = NDArray[np.float64]

_Z90 = 1.6448536269514722
_MOST_DRAWS = 200_000  # the lengths of a step take 300 bytes a draw and level


def estimate_cost(scenario: Scenario, *, draws: int = 2000, seed: int = 0, today: date | None = None) -> Cost:
    """Return what a run costs, with intervals.

    Parameters
    ----------
    scenario : Scenario
        The inputs; see :func:`rlscale.presets.load_scenario` for presets.
    draws : int
        Draws of the uncertain inputs, 100 or more.
    seed : int
        Seed of the draws: the same seed gives the same result.
    today : date, optional
        When given, prices older than 90 days on that day are warned about.

    Returns
    -------
    Cost
        Tokens, GPU-hours, dollars by branch and by part, break-even, swings, assumptions and prices.

    Raises
    ------
    CostError
        If the scenario has no priced branch, or a model, GPU or day is not in the tables.

    Examples
    --------
    >>> from rlscale.presets import load_scenario
    >>> cost = estimate_cost(load_scenario("starting-page"))
    >>> f"${cost.usd['tinker'].median / 1000:.1f}K", f"${cost.usd['self_hosted'].median / 1000:.1f}K"
    ('$27.8K', '$80.7K')
    """
    if not isinstance(scenario, Scenario):
        raise CostError(f"the scenario is {show_value(scenario)}; make one with load_scenario")
    if not (isinstance(draws, int) and 100 <= draws <= _MOST_DRAWS):
        raise CostInputError(
            f"`draws` is {draws!r}; give a whole number of 100 or more, up to {_MOST_DRAWS:,}"
        )
    if today is not None and not isinstance(today, date):
        raise CostError(f"today is {show_value(today)}; give a datetime.date")
    if not (isinstance(seed, int) and seed >= 0):
        raise CostInputError(f"`seed` is {seed!r}; give a whole number of 0 or more")
    setting = settle(scenario)
    if setting.tokens is None and not scenario.gpu and scenario.sandbox_containers.hi == 0:
        raise CostInputError(_say_what_to_price(scenario))
    names = list(setting.spreads)
    z = np.random.default_rng(seed).standard_normal((draws, len(names)))
    with np.errstate(all="ignore"):  # what runs out of the range of numbers is refused, once, at the end
        cost = _estimate(scenario, setting, names, z, today)
    if not all(np.all(np.isfinite(values)) for values in _list_numbers(cost)):
        raise CostError(
            "the bill has more digits than a number can hold; check the largest and the smallest inputs"
        )
    return cost


def _say_what_to_price(scenario: Scenario) -> str:
    """Say what a scenario lacks that could cost anything."""
    given = _list_unused(scenario)
    if given:
        verb = "costs" if len(given) == 1 else "cost"
        return f"nothing has a price: {list_names(given)} {verb} nothing without a GPU; name it with `gpu`"
    if scenario.model:
        return (
            "nothing has a price: `model` is the shape of a model on GPUs, which needs `gpu` and `gpus`; "
            "for the price of tokens give a `tinker_model`"
        )
    return "nothing has a price; give a `tinker_model`, a `gpu`, or `sandbox_containers`"


def _list_numbers(cost: Cost) -> list[Any]:
    """Return every number of an estimate that a reader may see."""
    spans = [*cost.usd.values(), cost.gpu_hours, cost.wall_hours, cost.throughput]
    return [
        *cost.draws.values(),
        *cost.tokens.values(),
        *cost.central.values(),
        *cost.parts.values(),
        *([] if cost.break_even is None else [cost.break_even]),
        *((s.median, s.lo, s.hi) for s in spans if s is not None),
        *((w.usd_at_lo, w.usd_at_hi) for w in cost.swings),
    ]


def _estimate(scenario: Scenario, setting: Setting, names: list[str], z: Floats, today: date | None) -> Cost:
    bill = _bill_at(setting, names, z)
    totals = _totals(setting, names, z, bill)
    usd = {key: None if value is None else Interval.of(value) for key, value in totals.items()}
    tinker, hosted = totals["total_tinker"], totals["total_self_hosted"]
    p_cheaper = None if tinker is None or hosted is None else float(np.mean(hosted < tinker))
    generated = None if bill.tokens is None else bill.tokens.generated
    break_even = throughput = None
    middle = np.zeros((1, len(names)))
    centre = _bill_at(setting, names, middle)
    central = {k: float(v[0]) for k, v in _totals(setting, names, middle, centre).items() if v is not None}
    rent = setting.spreads["gpu_price"].mid if "gpu_price" in setting.spreads else 0.0
    if rent > 0 and centre.tokens is not None and central.get("tinker", 0) > 0:
        seconds = central["tinker"] / rent * 3600  # of one GPU, for that money
        break_even = float(centre.tokens.generated[0]) / seconds or None
    if bill.gpu_hours is not None and generated is not None and np.all(bill.gpu_hours > 0):
        throughput = Interval.of(generated / bill.gpu_hours / 3600)
    return Cost(
        scenario=scenario,
        tokens=_median_tokens(bill),
        gpu_hours=None if bill.gpu_hours is None else Interval.of(bill.gpu_hours),
        wall_hours=None if bill.wall_hours is None else Interval.of(bill.wall_hours),
        usd=usd,
        central=central,
        parts=_mean_parts(setting, bill, totals),
        break_even=break_even,
        throughput=throughput,
        p_self_hosted_cheaper=p_cheaper,
        swings=_find_swings(setting, names),
        assumptions=setting.assumptions,
        prices=setting.prices,
        warnings=(*warn_unused(scenario), *_warn(setting.prices, today)),
        draws={
            key: value
            for key, value in (totals | _amounts(setting, names, z, bill)).items()
            if value is not None
        },
    )


def _bill_at(setting: Setting, names: list[str], z: Floats) -> Bill:
    kinds = {f: setting.scenario.__dataclass_fields__[f].metadata["kind"] for f in names}
    values = {}
    for i, name in enumerate(names):
        value = setting.spreads[name].at(z[:, i])
        # beyond its interval a share may go half of the way that is left to 1, and stays below 1 if hi is
        values[name] = (
            np.minimum(value, (1 + setting.spreads[name].hi) / 2) if kinds[name] == "share" else value
        )
    return make_bill(setting, values)


def _totals(setting: Setting, names: list[str], z: Floats, bill: Bill) -> dict[str, Floats | None]:
    """Return the bills, and each with what comes on top of it."""
    at = {n: setting.spreads[n].at(z[:, names.index(n)]) for n in ("overhead_share", "project_share")}
    totals: dict[str, Floats | None] = {
        "tinker": bill.tinker,
        "self_hosted": bill.self_hosted,
        "sandbox": bill.sandbox,
    }
    extra = bill.storage + (0.0 if bill.sandbox is None else bill.sandbox)
    for branch in ("tinker", "self_hosted"):
        base = totals[branch]
        total = None
        if base is not None:
            total = (base * (1 + at["overhead_share"]) + extra) * (1 + at["project_share"])
        totals[f"total_{branch}"] = total
    return totals


def _amounts(setting: Setting, names: list[str], z: Floats, bill: Bill) -> dict[str, Floats | None]:
    """Return the draws of what a price may be asked for, named as the units of a curve."""
    steps = setting.spreads["steps"].at(z[:, names.index("steps")]) if "steps" in names else None
    return {
        "rollout_steps": steps,
        "completions": None if bill.tokens is None else bill.tokens.completions,
        "generated_tokens": None if bill.tokens is None else bill.tokens.generated,
        "gpu_hours": bill.gpu_hours,
    }


def _median_tokens(bill: Bill) -> dict[str, float]:
    t = bill.tokens
    if t is None:
        return {}
    return {
        "generated": float(np.median(t.generated + t.eval_generated)),
        "prefill": float(np.median(t.prefill + t.cached + t.eval_prefill)),
        "trained": float(np.median(t.trained)),
    }


def _mean_parts(setting: Setting, bill: Bill, totals: dict[str, Floats | None]) -> dict[str, float]:
    parts = {name: float(np.mean(value)) for name, value in bill.parts.items()}
    extra = np.mean(bill.storage + (0.0 if bill.sandbox is None else bill.sandbox))
    for branch, label in (("tinker", "tinker"), ("self_hosted", "self-hosted")):
        base, total = totals[branch], totals[f"total_{branch}"]
        if base is not None and total is not None:
            rest = float(np.mean(total) - np.mean(base) - extra)
            if abs(rest) > 1e-9 * max(float(np.mean(total)), 1e-9):
                parts[f"{label}: services, pilots and failed runs"] = rest
    return parts


def _find_swings(setting: Setting, names: list[str]) -> tuple[Swing, ...]:
    """Move one input at a time; two rows of one array for each, so that a single bill gives them all."""
    moving = [n for n in names if not setting.spreads[n].exact]
    if not moving:
        return ()
    z = np.zeros((2 * len(moving), len(names)))
    for row, name in enumerate(moving):
        z[2 * row, names.index(name)], z[2 * row + 1, names.index(name)] = -_Z90, _Z90
    totals = _totals(setting, names, z, _bill_at(setting, names, z))
    found = []
    for branch in ("total_tinker", "total_self_hosted", "sandbox"):
        values = totals[branch]
        if values is not None:
            found += [
                Swing(branch, name, float(values[2 * row]), float(values[2 * row + 1]))
                for row, name in enumerate(moving)
            ]
    # what differs in the last digits only is rounding and no swing
    changed = [w for w in found if w.width > 1e-9 * max(w.usd_at_lo, w.usd_at_hi)]
    order = {"total_tinker": 0, "total_self_hosted": 1, "sandbox": 2}
    return tuple(sorted(changed, key=lambda w: (order[w.branch], -w.width)))


def warn_unused(scenario: Scenario, say: Callable[[str], str] = str) -> tuple[str, ...]:
    """Name what only own GPUs need and what therefore was not used: nothing is dropped in silence.

    Parameters
    ----------
    scenario : Scenario
    say : callable
        How the name of an input is written.
    """
    names = [] if scenario.gpu else _list_unused(scenario)
    if not names:
        return ()
    shown = ", ".join(say(name) for name in names)
    return (f"{shown}: not used, since no GPU is named; give {say('gpu')} to cost own GPUs too",)


def _list_unused(scenario: Scenario) -> list[str]:
    names = [n for n in ("gpus", "gpu_hours", "throughput", "gpu_price") if getattr(scenario, n) is not None]
    return names + (["provider"] if scenario.provider else [])


def _warn(prices: tuple[Price, ...], today: date | None) -> tuple[str, ...]:
    if today is None:
        return ()
    old = {}
    for price in prices:
        if price.as_of[:4].isdigit() and age_days(price.as_of, today) > STALE_DAYS:
            old[price.what] = (
                f"{price.what}: listed {price.as_of}, {age_days(price.as_of, today)} days ago; check it"
            )
    return tuple(old.values())
