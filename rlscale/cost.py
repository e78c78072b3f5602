"""What a run costs: on Tinker, on own or rented GPUs, in sandboxes, with an interval and its causes.

:func:`estimate_cost` draws every uncertain input (length, throughput, price, steps …) from its 90 % interval,
independently and with a fixed seed, makes the bill of each draw, and reads the median and the interval. What
moves the result most is found by moving one input at a time from its low to its high end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bill import Bill, make_bill
from .errors import CostError
from .given import show_value
from .prices import STALE_DAYS, Price, age_days
from .scenario import Scenario
from .setting import Setting, settle
from .spread import Interval

Floats = NDArray[np.float64]

_Z90 = 1.6448536269514722
_MOST_DRAWS = 200_000  # the lengths of a step take 300 bytes a draw and level
#: Share of draws on one side from which a comparison counts as decided.
DECIDED = 0.95


@dataclass(frozen=True)
class Swing:
    """What one input does to a bill, from its low to its high end, all others central."""

    branch: str
    input: str
    usd_at_lo: float
    usd_at_hi: float

    @property
    def width(self) -> float:
        """Size of the change in US dollars."""
        return abs(self.usd_at_hi - self.usd_at_lo)


@dataclass(frozen=True, eq=False)
class Cost:
    """The estimate of one scenario.

    Attributes
    ----------
    scenario : Scenario
        What was asked.
    tokens : dict
        Medians of ``generated``, ``prefill`` (cached reads and evaluation included) and ``trained`` tokens;
        empty when only GPU-hours were given.
    gpu_hours, wall_hours : Interval or None
        GPU-hours of all pools, and hours on the clock.
    usd : dict
        Interval, or None where a branch does not apply, for ``tinker`` (token bill), ``self_hosted`` (GPU
        bill), ``sandbox``, and for ``total_tinker`` and ``total_self_hosted``: that bill with sandbox,
        storage, services and the rest of the project.
    central : dict
        The same bills with every input at its central value: where the swings start from.
    parts : dict
        Mean US dollars by part. (Means, and not medians, add up.)
    break_even : float or None
        Generated tokens a second a GPU at which the GPU bill equals the token bill.
    throughput : Interval or None
        The same quantity as estimated.
    p_self_hosted_cheaper : float or None
        Share of the draws in which the total on GPUs is below the one on Tinker.
    swings : tuple of Swing
        What moves each bill, most first.
    assumptions : tuple of str
        What was taken for granted.
    prices : tuple of Price
        Every price used, with its day and source.
    warnings : tuple of str
        Such as prices that have grown old.
    draws : dict
        The draws of every bill and of steps, completions, tokens and GPU-hours, for :mod:`rlscale.planning`.
    """

    scenario: Scenario
    tokens: dict[str, float]
    gpu_hours: Interval | None
    wall_hours: Interval | None
    usd: dict[str, Interval | None]
    central: dict[str, float]
    parts: dict[str, float]
    break_even: float | None
    throughput: Interval | None
    p_self_hosted_cheaper: float | None
    swings: tuple[Swing, ...]
    assumptions: tuple[str, ...]
    prices: tuple[Price, ...]
    warnings: tuple[str, ...]
    draws: dict[str, Floats] = field(repr=False)

    @property
    def cheaper(self) -> str | None:
        """``"tinker"``, ``"self_hosted"``, ``"undecided"``, or None without both."""
        p = self.p_self_hosted_cheaper
        if p is None:
            return None
        return "self_hosted" if p >= DECIDED else "tinker" if p <= 1 - DECIDED else "undecided"

    def to_dict(self) -> dict[str, Any]:
        """Return what ``rlscale cost --json`` prints."""
        return {
            "scenario": self.scenario.name,
            "tokens": self.tokens or None,
            "gpu_hours": self.gpu_hours.to_dict() if self.gpu_hours else None,
            "wall_hours": self.wall_hours.to_dict() if self.wall_hours else None,
            "usd": {name: value.to_dict() if value else None for name, value in self.usd.items()},
            "break_even": None if self.break_even is None else {"tokens_per_s_per_gpu": self.break_even},
            "tokens_per_s_per_gpu": self.throughput.to_dict() if self.throughput else None,
            "cheaper": self.cheaper,
            "p_self_hosted_cheaper": self.p_self_hosted_cheaper,
            "parts": [{"name": name, "usd": usd} for name, usd in self.parts.items()],
            "swings": [
                {"branch": w.branch, "input": w.input, "usd_at_lo": w.usd_at_lo, "usd_at_hi": w.usd_at_hi}
                for w in self.swings
            ],
            "assumptions": list(self.assumptions),
            "prices": [p.to_dict() for p in self.prices],
            "warnings": list(self.warnings),
        }


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
        raise CostError(f"draws is {draws!r}; give a whole number of 100 or more, up to {_MOST_DRAWS:,}")
    if today is not None and not isinstance(today, date):
        raise CostError(f"today is {show_value(today)}; give a datetime.date")
    if not (isinstance(seed, int) and seed >= 0):
        raise CostError(f"seed is {seed!r}; give a whole number of 0 or more")
    setting = settle(scenario)
    if setting.tokens is None and not scenario.gpu and scenario.sandbox_containers.hi == 0:
        raise CostError("nothing has a price; give a tinker_model, a gpu, or sandbox_containers")
    names = list(setting.spreads)
    z = np.random.default_rng(seed).standard_normal((draws, len(names)))
    with np.errstate(all="ignore"):  # what runs out of the range of numbers is refused, once, at the end
        cost = _estimate(scenario, setting, names, z, today)
    if not all(np.all(np.isfinite(values)) for values in _list_numbers(cost)):
        raise CostError(
            "the bill has more digits than a number can hold; check the largest and the smallest inputs"
        )
    return cost


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
        warnings=(*_warn_unused(scenario), *_warn(setting.prices, today)),
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
    changed = [w for w in found if w.width > 0]
    order = {"total_tinker": 0, "total_self_hosted": 1, "sandbox": 2}
    return tuple(sorted(changed, key=lambda w: (order[w.branch], -w.width)))


def _warn_unused(scenario: Scenario) -> tuple[str, ...]:
    """Name what only own GPUs need and what therefore was not used: nothing is dropped in silence."""
    if scenario.gpu:
        return ()
    names = [n for n in ("gpus", "gpu_hours", "throughput", "gpu_price") if getattr(scenario, n) is not None]
    names += ["provider"] if scenario.provider else []
    if not names:
        return ()
    return (f"{', '.join(names)}: not used, since no GPU is named; give gpu to cost own GPUs too",)


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
