"""The join of a forecast with a cost estimate: draws of the law, paired with draws of the price of compute.

A forecast gives draws of the law R(C); a cost estimate gives draws of the price of a unit of compute. Both
are uncertain and independent, so each draw of the one is paired with a draw of the other. The questions that
the pairs answer are in :mod:`rlscale.spending`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .cost import estimate_cost
from .errors import CostError, suggest_names
from .law import SHAPES
from .scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

#: Units in which a scenario knows its price.
PRICED_UNITS = ("rollout_steps", "completions", "generated_tokens", "gpu_hours", "usd")


@dataclass(frozen=True, eq=False)
class Plan:
    """Pairs of a law and a price; make one with :func:`join_plan`.

    Attributes
    ----------
    shape : array of str, shape (draws,)
        Shape of the law, a key of :data:`rlscale.law.SHAPES`.
    R0, A, B, Cmid : array, shape (draws,)
        Its parameters.
    usd_per_unit : array, shape (draws,)
        Price of one unit of compute.
    spent : float
        Compute that is already paid for.
    """

    shape: NDArray[np.str_]
    R0: Floats
    A: Floats
    B: Floats
    Cmid: Floats
    usd_per_unit: Floats
    spent: float = 0.0

    def pass_rate_at(self, compute: ArrayLike) -> Floats:
        """Return the pass rate of every draw at a compute (one for all, or one a draw)."""
        compute = np.broadcast_to(np.asarray(compute, np.float64), self.R0.shape)
        won = np.zeros_like(self.R0)
        for name in np.unique(self.shape):
            k = self.shape == name
            won[k] = SHAPES[str(name)].fraction(compute[k], self.B[k], self.Cmid[k])
        return np.asarray(self.R0 + (self.A - self.R0) * won)

    def compute_for(self, target: float) -> Floats:
        """Return the compute at which every draw first has a pass rate; inf where it never has."""
        gain = self.A - self.R0
        share = np.divide(target - self.R0, gain, out=np.full_like(gain, np.inf), where=gain > 0)
        out = np.where(target <= self.R0, 0.0, np.inf)
        for name in np.unique(self.shape):
            k = (self.shape == name) & (share > 0) & (share < 1)
            with np.errstate(over="ignore"):
                out[k] = self.Cmid[k] * np.exp(SHAPES[str(name)].log_ratio_for(share[k], self.B[k]))
        return np.asarray(out)


def join_plan(draws: pd.DataFrame, usd_per_unit: ArrayLike, *, spent: float = 0.0, seed: int = 0) -> Plan:
    """Pair the draws of a law with the draws of a price.

    Parameters
    ----------
    draws : DataFrame
        Columns ``R0``, ``A``, ``B``, ``Cmid`` and, if not all are sigmoids, ``shape``: of
        ``Forecast.draws()`` or of :func:`rlscale.bootstrap_law`.
    usd_per_unit : array_like
        One price, or draws of it (of :func:`price_unit`), for the unit that ``Cmid`` is in.
    spent : float
        Compute that is already paid for, in the same unit.
    seed : int
        Seed of the pairing.

    Returns
    -------
    Plan
        As many pairs as there are draws of the law.

    Raises
    ------
    CostError
        If a column is missing, a price is negative or not finite, or a shape is unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> laws = pd.DataFrame({"R0": [0.2] * 3, "A": [0.5, 0.6, 0.7], "B": [1.0] * 3, "Cmid": [100.0] * 3})
    >>> plan = join_plan(laws, usd_per_unit=2.0)
    >>> [round(float(p), 3) for p in plan.pass_rate_at(100)]
    [0.35, 0.4, 0.45]
    """
    missing = [c for c in ("R0", "A", "B", "Cmid") if c not in draws]
    if missing:
        raise CostError(f"the draws have no column {missing[0]!r}; give those of Forecast.draws()")
    price = np.atleast_1d(np.asarray(usd_per_unit, np.float64))
    if price.size == 0 or not np.all(np.isfinite(price) & (price >= 0)):
        raise CostError("usd_per_unit must hold finite prices of 0 or more")
    if not (math.isfinite(spent) and spent >= 0):
        raise CostError(f"spent is {spent}; give the compute already paid for, 0 or more")
    n = len(draws)
    if n == 0:
        raise CostError("there are no draws of the law; a forecast gives 1,000")
    shape = np.asarray(draws["shape"], str) if "shape" in draws else np.full(n, "sigmoid")
    for name in np.unique(shape):
        if str(name) not in SHAPES:
            raise CostError(f"shape {str(name)!r} is not known; {suggest_names(str(name), SHAPES)}")
    rng = np.random.default_rng(seed)
    paired = np.full(n, price[0]) if price.size == 1 else rng.choice(price, size=n, replace=n > price.size)
    r0, a, b, mid = (np.asarray(draws[c], np.float64) for c in ("R0", "A", "B", "Cmid"))
    return Plan(shape, r0, a, b, mid, paired, float(spent))


def price_unit(
    scenario: Scenario, unit: str, *, branch: str = "total_self_hosted", draws: int = 2000, seed: int = 0
) -> Floats:
    """Return draws of the price of one unit of compute.

    Parameters
    ----------
    scenario : Scenario
        What a rollout step is and what it runs on.
    unit : str
        One of :data:`PRICED_UNITS`: the unit of the curve.
    branch : {"total_self_hosted", "total_tinker", "self_hosted", "tinker", "sandbox"}
        Which bill.
    draws, seed : int
        As for :func:`rlscale.cost.estimate_cost`.

    Returns
    -------
    array, shape (draws,)
        US dollars a unit.

    Raises
    ------
    CostError
        If the scenario has no such bill, or the unit is not one that it can price.

    Examples
    --------
    >>> from rlscale.presets import load_scenario
    >>> step = price_unit(load_scenario("tinker-math"), "rollout_steps", branch="tinker")
    >>> bool(0.5 < np.median(step) < 2)
    True
    """
    if unit not in PRICED_UNITS:
        raise CostError(
            f"a scenario has no price of {unit!r}; convert the curve to one of: {', '.join(PRICED_UNITS)}"
        )
    if unit == "usd":
        return np.ones(draws)
    one = scenario if scenario.gpu_hours is not None else scenario.changed(steps=1, storage_gb=0)
    cost = estimate_cost(one, draws=draws, seed=seed)
    if branch not in cost.draws:
        raise CostError(
            f"scenario {scenario.name!r} has no bill {branch!r}; {suggest_names(branch, cost.draws)}"
        )
    amount = "rollout_steps" if unit == "rollout_steps" else unit
    if amount not in cost.draws:
        raise CostError(f"scenario {scenario.name!r} does not say how many {unit} a run has")
    return np.asarray(cost.draws[branch] / cost.draws[amount])
