"""The calculator against real runs: predicted over actual GPU time, for every run that publishes its inputs.

No constant is fitted to these rows, but two were chosen after a first look at some of them: the lower
efficiency of mixtures of experts, and how the utilisation on an H100 is carried to other GPUs. Where a mean
length is not published the prediction has an interval, and the table says where the interval comes from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .cost import estimate_cost
from .presets import scenario_from
from .scenario import Scenario
from .spread import Interval

if TYPE_CHECKING:
    import pandas as pd

#: Columns of ``cost_checks`` that an empty cell takes from ``reference_runs``, and their name there.
_FROM_REFERENCE = {
    "gpu": "gpu",
    "gpus": "gpus",
    "rollout_steps": "steps",
    "prompts": "prompts_per_step",
    "group_size": "group_size",
    "max_length": "max_tokens",
    "actual": "gpu_hours",
}


@dataclass(frozen=True)
class Check:
    """One run or step: what was predicted, what was needed.

    Attributes
    ----------
    id, label : str
        Row of ``data/cost_checks.csv``, and what it is.
    what : str
        ``"run"`` (GPU-hours) or ``"step"`` (seconds).
    predicted : Interval
        In GPU-hours or seconds.
    actual : float
        The same, as published.
    counts : bool
        False for a second reading of a run that is already counted.
    length_basis, reason : str
        Where the mean length comes from; why the prediction is off.
    """

    id: str
    label: str
    what: str
    predicted: Interval
    actual: float
    counts: bool
    length_basis: str
    reason: str

    @property
    def ratio(self) -> Interval:
        """Predicted over actual."""
        p = self.predicted
        return Interval(p.median / self.actual, p.lo / self.actual, p.hi / self.actual)

    @property
    def within_2(self) -> bool:
        """Whether the median prediction is within a factor 2."""
        return 0.5 <= self.ratio.median <= 2.0


def list_inputs(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the inputs of every check, with the empty cells filled from ``reference_runs``.

    Parameters
    ----------
    table : DataFrame, optional
        A table like ``cost_checks``; by default that of the project.

    Returns
    -------
    DataFrame
        One row a check.

    Examples
    --------
    >>> row = list_inputs().set_index("id").loc["verl_dapo_7b_32_sync"]
    >>> float(row["gpus"]), float(row["actual"])
    (32.0, 2851.0)
    """
    from .tables import load_table

    checks = load_table("cost_checks") if table is None else table.copy()
    runs = load_table("reference_runs").set_index("id")
    for ours, theirs in _FROM_REFERENCE.items():
        values = [
            runs.loc[ref, theirs] if ref and _is_empty(own) else own
            for ref, own in zip(checks["reference"], checks[ours], strict=True)
        ]
        checks[ours] = values
    return checks


def _is_empty(value: Any) -> bool:
    return value == "" or (isinstance(value, float) and math.isnan(value))


def to_scenario(row: Any) -> Scenario:
    """Return the cost scenario of one row of :func:`list_inputs`; a GPU-hour costs a dollar in it."""
    inputs: dict[str, Any] = dict(
        name=row["id"],
        steps=row["rollout_steps"],
        prompts=row["prompts"],
        group_size=row["group_size"],
        prompt_tokens=row["prompt_tokens"],
        mean_length=[row["length_lo"], row["length_mid"], row["length_hi"]],
        # a mean close to the longest allowed leaves no room for a wide spread
        length_cv=(0.6, 1.0, 1.5) if row["length_hi"] < row["max_length"] / 2 else (0.2, 0.4, 0.6),
        max_length=row["max_length"],
        environment_seconds=[row["wait_s"] / 2, row["wait_s"], row["wait_s"] * 2],
        model=row["model"],
        gpu=row["gpu"],
        gpus=row["gpus"],
        gpus_per_replica=None if _is_empty(row["gpus_per_replica"]) else row["gpus_per_replica"],
        mode=row["mode"],
        trainer_share=None if _is_empty(row["trainer_share"]) else row["trainer_share"],
        train_method=row["method"],
        old_logprob=row["passes"] != "none",
        reference=row["passes"] == "old and reference",
        gpu_price=1,
    )
    return scenario_from(inputs, where=row["id"])


def check_costs(what: str = "run", *, draws: int = 2000, seed: int = 0) -> list[Check]:
    """Return predicted against actual for every run, or for every measured step.

    Parameters
    ----------
    what : {"run", "step"}
        Which rows.
    draws, seed : int
        As for :func:`rlscale.cost.estimate_cost`.

    Returns
    -------
    list of Check
        In the order of the table.
    """
    from .tables import load_table

    names = load_table("reference_runs").set_index("id")["model"]
    checks = []
    for row in list_inputs().to_dict("records"):
        if row["what"] != what:
            continue
        cost = estimate_cost(to_scenario(row), draws=draws, seed=seed)
        assert cost.gpu_hours is not None  # every check has a GPU
        scale = 1.0 if what == "run" else 3600 / row["gpus"]
        hours = cost.gpu_hours
        label = row["note"] if not row["reference"] else names[row["reference"]]
        checks.append(
            Check(
                row["id"],
                f"{label}, {row['gpus']:.0f} {row['gpu']}, {row['mode']}",
                what,
                Interval(hours.median * scale, hours.lo * scale, hours.hi * scale),
                float(row["actual"]),
                row["counts"] == "yes",
                row["length_basis"],
                row["reason"],
            )
        )
    return checks
