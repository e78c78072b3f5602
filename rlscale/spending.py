"""Money on the curve: what a pass rate costs, what a budget buys, which recipe is cheapest, when to stop.

Every answer is read from the pairs of a law and a price (:mod:`rlscale.planning`): a probability where
something may never happen, an interval where it does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .errors import CostError
from .planning import Plan
from .spread import Interval

if TYPE_CHECKING:
    import pandas as pd

_PLACES = 600  # computes at which the best stop is looked for; the optimum is flat


@dataclass(frozen=True)
class TargetCost:
    """What it costs to reach a pass rate.

    Attributes
    ----------
    target : float
        Pass rate.
    p_reached : float
        Share of the draws in which it is reached.
    usd : Interval
        Dollars still to pay, over *all* draws: infinite where the target is not reached, so that a bound
        of inf says how likely that is.
    compute : Interval
        Compute in all, in the unit of the law, in the same manner.
    """

    target: float
    p_reached: float
    usd: Interval
    compute: Interval


@dataclass(frozen=True)
class BestStop:
    """Where value minus cost is expected to be largest.

    Attributes
    ----------
    compute : float
        Compute in all at the best stop; ``Plan.spent`` if stopping now is best.
    usd : Interval
        Dollars still to pay until there.
    points : Interval
        Percentage points still to win until there.
    net_usd : float
        Expected value of these points minus expected cost.
    """

    compute: float
    usd: Interval
    points: Interval
    net_usd: float


def cost_to_target(plan: Plan, target: float, *, longest: float = math.inf) -> TargetCost:
    """Return what it still costs to reach a pass rate, and how likely it is reached.

    Parameters
    ----------
    plan : Plan
        Laws and prices.
    target : float
        Pass rate in [0, 1].
    longest : float
        Longest run that will be paid for, in the unit of the law: what is reached later counts as not
        reached. A forecast in the state ``end forecast only`` knows nothing of what comes after its budget,
        so give that budget here.

    Returns
    -------
    TargetCost
        Probability, dollars and compute.

    Examples
    --------
    >>> import pandas as pd
    >>> from rlscale.planning import join_plan
    >>> laws = pd.DataFrame({"R0": [0.2] * 4, "A": [0.5, 0.6, 0.6, 0.6], "B": [1.0] * 4, "Cmid": [100.0] * 4})
    >>> reached = cost_to_target(join_plan(laws, 2.0), 0.5)
    >>> reached.p_reached, round(reached.usd.median, 6)
    (0.75, 600.0)
    """
    if not 0 <= target <= 1:
        raise CostError(f"target is {target}; give a pass rate from 0 to 1 (divide percent by 100)")
    if not longest >= plan.spent:
        raise CostError(
            f"longest is {longest:g}, below what is spent ({plan.spent:g}); give the longest run in all"
        )
    compute = np.maximum(plan.compute_for(target), plan.spent)
    compute = np.where(compute <= longest, compute, np.inf)
    return TargetCost(
        target,
        float(np.mean(np.isfinite(compute))),
        Interval.of(_dollars_to(plan, compute)),
        Interval.of(compute),
    )


def _dollars_to(plan: Plan, compute: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the dollars still to pay up to a compute; never reached is dear even when compute is free."""
    reached = np.isfinite(compute)
    more = np.where(reached, compute, 0.0) - plan.spent
    return np.where(reached, more * plan.usd_per_unit, np.inf)


def pass_rate_for(plan: Plan, usd: float) -> Interval:
    """Return the pass rate that some more dollars buy.

    Parameters
    ----------
    plan : Plan
        Laws and prices.
    usd : float
        Dollars still to spend, 0 or more.

    Returns
    -------
    Interval
        Pass rate of the curve, without the noise of its measurement.
    """
    if not usd >= 0:
        raise CostError(f"the budget is {usd} USD; give 0 or more")
    with np.errstate(divide="ignore", invalid="ignore"):
        more = np.where(plan.usd_per_unit > 0, usd / plan.usd_per_unit, np.inf if usd > 0 else 0.0)
    return Interval.of(plan.pass_rate_at(plan.spent + more))


def points_per_1000_usd(plan: Plan, compute: float, usd: float = 1000.0) -> Interval:
    """Return the percentage points that the next $1,000 buy after a compute.

    Parameters
    ----------
    plan : Plan
        Laws and prices.
    compute : float
        Compute spent by then, in the unit of the law.
    usd : float
        The dollars; points are given for these, not for $1,000, when another sum is asked for.

    Returns
    -------
    Interval
        Percentage points, 0 or more.
    """
    if not (usd > 0 and compute >= 0):
        raise CostError(f"compute {compute} and dollars {usd} must be 0 or more, dollars above 0")
    with np.errstate(divide="ignore"):
        more = np.where(plan.usd_per_unit > 0, usd / plan.usd_per_unit, np.inf)
    return Interval.of(100 * (plan.pass_rate_at(compute + more) - plan.pass_rate_at(compute)))


def find_best_stop(plan: Plan, usd_per_point: float, longest: float) -> BestStop:
    """Return the compute at which the value of the points won minus their cost is expected to be largest.

    Parameters
    ----------
    plan : Plan
        Laws and prices.
    usd_per_point : float
        What one percentage point is worth.
    longest : float
        Longest run that can be had, in the unit of the law; at least ``plan.spent``.

    Returns
    -------
    BestStop
        Where, what it costs, and what it wins.

    Examples
    --------
    >>> import pandas as pd
    >>> from rlscale.planning import join_plan
    >>> laws = pd.DataFrame({"R0": [0.2], "A": [0.6], "B": [1.0], "Cmid": [100.0]})
    >>> stop = find_best_stop(join_plan(laws, 1.0), usd_per_point=100, longest=5000)
    >>> 520 < stop.compute < 545  # value 4000·C/(C + 100) has slope 1 at C = sqrt(400,000) − 100
    True
    """
    if not (math.isfinite(usd_per_point) and usd_per_point >= 0):
        raise CostError(f"usd_per_point is {usd_per_point}; say what a percentage point is worth, 0 or more")
    if not (math.isfinite(longest) and longest >= plan.spent):
        raise CostError(
            f"longest is {longest:g}, below what is spent ({plan.spent:g}); give the longest run in all"
        )
    ahead = longest - plan.spent
    places = plan.spent + ahead * np.concatenate([[0.0], np.geomspace(1e-4, 1, _PLACES)])
    now = plan.pass_rate_at(plan.spent)
    value = np.array([np.mean(plan.pass_rate_at(c) - now) for c in places]) * 100 * usd_per_point
    net = value - (places - plan.spent) * plan.usd_per_unit.mean()
    best = int(np.argmax(net))
    won = 100 * (plan.pass_rate_at(places[best]) - now)
    return BestStop(
        float(places[best]),
        Interval.of((places[best] - plan.spent) * plan.usd_per_unit),
        Interval.of(won),
        float(net[best]),
    )


def compare_recipes(plans: Mapping[str, Plan], target: float) -> pd.DataFrame:
    """Return which recipe reaches a pass rate for the least money.

    Parameters
    ----------
    plans : mapping
        Recipe to plan; each its own law and its own price, the same number of draws in all.
    target : float
        Pass rate in [0, 1].

    Returns
    -------
    DataFrame
        One row a recipe, the likeliest cheapest first: ``recipe``, ``p_reached``, ``usd_median``, ``usd_lo``,
        ``usd_hi`` (inf: never), and ``p_cheapest``, the share of the draws in which it reaches the target for
        less than every other. The rest of 1 is the chance that none reaches it.
    """
    import pandas as pd

    if not plans:
        raise CostError("there is no recipe to compare; give one plan or more")
    sizes = {len(p.R0) for p in plans.values()}
    if len(sizes) > 1:
        raise CostError(f"the plans have {sorted(sizes)} draws; draw the same number for each recipe")
    costs = {}
    for name, plan in plans.items():
        compute = np.maximum(plan.compute_for(target), plan.spent)
        costs[name] = _dollars_to(plan, compute)
    table = np.stack(list(costs.values()))
    reachable = np.isfinite(table).any(axis=0)
    # equal costs share the draw, so that two equal recipes have a half each
    winners = (table == table.min(axis=0)) & reachable
    share = (winners / np.maximum(winners.sum(axis=0), 1)).mean(axis=1)
    rows = []
    for i, name in enumerate(costs):
        result = cost_to_target(plans[name], target)
        rows.append(
            {
                "recipe": name,
                "p_reached": result.p_reached,
                "usd_median": result.usd.median,
                "usd_lo": result.usd.lo,
                "usd_hi": result.usd.hi,
                "p_cheapest": float(share[i]),
            }
        )
    return pd.DataFrame(rows).sort_values("p_cheapest", ascending=False, kind="stable").reset_index(drop=True)
