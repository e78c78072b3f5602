"""Where the starting page contradicts itself or its sources: each computed from the tables, none typed.

The page prints numbers that cannot all be true. Each row of :func:`list_contradictions` takes them from
``claims.csv`` and ``reference_runs.csv``, works out what should follow, and says by which factor they differ.
:func:`compare_throughput` asks the same of every run: how many steps, completions and tokens an hour of one
GPU would have had to do, and which rows are out of line.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .claims import claim
from .reference import add_h100_hours, h100_hours
from .tables import load_table

if TYPE_CHECKING:
    import pandas as pd

#: A run is out of line when its robust z-score is beyond this (Iglewicz and Hoaglin 1993).
OUT_OF_LINE = 3.5


def list_contradictions() -> pd.DataFrame:
    """Return what the starting page states beside what follows from its own numbers or its sources.

    Returns
    -------
    DataFrame
        One row a contradiction: ``name``, ``claim`` (of the ledger), ``stated``, ``computed``, ``unit``,
        ``ratio`` (the larger over the smaller) and ``how`` (the arithmetic).

    Examples
    --------
    >>> table = list_contradictions().set_index("name")
    >>> table.loc["self-hosted cost", ["stated", "computed"]].tolist()
    [80700.0, 753200.0]
    >>> round(float(table.loc["self-hosted cost", "ratio"]), 1)
    9.3
    """
    import pandas as pd

    rows = _contradictions(_Runs(load_table("reference_runs").set_index("id")))
    table = pd.DataFrame(rows, columns=["name", "claim", "stated", "computed", "unit", "how"])
    low, high = table[["stated", "computed"]].min(axis=1), table[["stated", "computed"]].max(axis=1)
    table.insert(5, "ratio", high / low)
    return table


class _Runs:
    """Cells of the table of runs, as numbers."""

    def __init__(self, table: pd.DataFrame) -> None:
        self._table = table

    def __call__(self, run: str, column: str) -> float:
        return float(self._table[column].loc[run])


def _contradictions(run: _Runs) -> list[tuple[str, str, float, float, str, str]]:
    dense_hours, dense_steps = run("page_scalerl_8b", "gpu_hours"), run("page_scalerl_8b", "steps")
    moe_hours, moe_steps = run("page_scalerl_moe", "gpu_hours"), run("page_scalerl_moe", "steps")
    sixth_hours = claim("C20").value * dense_hours
    sixth_steps = sixth_hours * moe_steps / moe_hours
    h100_hours_stated = run("page_scalerl_8b", "h100_hours_stated")
    price, self_hosted = claim("C50").value, claim("C48").value
    small_hours, source_hours = run("page_math_8b", "gpu_hours"), run("simplerl_7b", "gpu_hours")
    steps, prompts, group, cap = (
        run("tinker_math_9b", column) for column in ("steps", "prompts_per_step", "group_size", "max_tokens")
    )
    tokens = steps * prompts * group * cap
    return [
        (
            "longest run",
            "C45",
            claim("C45").value,
            dense_steps,
            "rollout steps",
            f"the caveat says {claim('C45').value:,.0f}, the table of the same page {dense_steps:,.0f}",
        ),
        (
            "compute of the mixture of experts",
            "C35c",
            claim("C35c").value,
            moe_hours / dense_hours,
            "share of the 8B run",
            f"{moe_hours:,.0f} of {dense_hours:,.0f} hours; a sixth would be {sixth_hours:,.0f}",
        ),
        (
            "steps of the mixture of experts",
            "C20b",
            claim("C20b").value,
            sixth_steps / dense_steps,
            "share of the 8B run's steps",
            f"{sixth_hours:,.0f} hours at {moe_hours / moe_steps:.2f} hours a step are "
            f"{sixth_steps:,.0f} steps, of {dense_steps:,.0f}",
        ),
        (
            "self-hosted cost",
            "C48",
            self_hosted,
            h100_hours_stated * price,
            "US dollars",
            f"{h100_hours_stated:,.0f} H100 hours at ${price:.2f}; the stated sum pays for "
            f"{self_hosted / price:,.0f} hours",
        ),
        (
            "hours of the small run",
            "C33",
            small_hours,
            source_hours,
            "GPU-hours",
            f"the source named gives {source_hours:,.0f} for {run('simplerl_7b', 'steps'):,.0f} steps "
            "of a 7B model",
        ),
        (
            "speed of the small run",
            "C33",
            tokens / (small_hours * 3600),
            tokens / (source_hours * 3600),
            "tokens a second and GPU, at most",
            f"{steps:,.0f} steps of {prompts:.0f} x {group:.0f} answers of at most {cap:.0f} tokens are "
            f"{tokens / 1e6:.1f}M tokens; over {small_hours:,.0f} hours against {source_hours:,.0f}",
        ),
        (
            "steps of R1",
            "C39",
            run("page_r1_671b", "steps"),
            run("r1_zero", "steps"),
            "updates",
            f"the paper has {run('r1_zero', 'steps'):,.0f} updates of "
            f"{run('r1_zero', 'prompts_per_step'):.0f} x {run('r1_zero', 'group_size'):.0f} answers",
        ),
        (
            "cost of R1",
            "C39b",
            run("page_r1_671b", "usd_stated"),
            claim("C39b").source_value,
            "US dollars",
            "an estimate of January 2025 against what the paper later stated",
        ),
        (
            "H100 hours of a GB200 hour",
            "C02",
            claim("C02").value,
            h100_hours(1.0, "GB200").mid,
            "times",
            "most of a step at the ratio of bandwidth, the rest at the ratio of dense BF16 compute",
        ),
    ]


def compare_throughput(runs: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return how much each run did in an hour of one GPU, and which runs are out of line.

    Two measures. ``steps_per_gpu_hour`` is what a table of steps and hours invites to compare: it mixes
    models, batches and lengths. ``work`` makes them equal: the most tokens the steps can have had (all
    answers at the cap), per second and H100, times active parameters. A run of the starting page has no
    batch; it gets that of its own sources (``batch_from``). A run is out of line when its ``work`` is further
    than :data:`OUT_OF_LINE` robust standard deviations from the median of this project's runs of sources, on
    a log scale. Where the GPU is not known, its hours count as H100 hours.

    Parameters
    ----------
    runs : DataFrame, optional
        From ``load_table("reference_runs")``; by default the one of this project.

    Returns
    -------
    DataFrame
        One row a run with steps and GPU-hours: ``id``, ``origin``, ``steps``, ``steps_unit``, ``gpu``,
        ``gpu_hours``, ``steps_per_gpu_hour``, ``tokens_per_s_per_h100`` (at most), ``work``, ``z``,
        ``out_of_line`` (None where the batch is not known) and ``batch_from``.

    Examples
    --------
    >>> table = compare_throughput()
    >>> table.loc[table["out_of_line"].eq(True), "id"].tolist()
    ['page_math_8b']
    """
    import numpy as np

    ours = _add_work(load_table("reference_runs"))
    table = ours if runs is None else _add_work(runs)
    in_line = np.log10(ours.loc[ours["origin"] == "source", "work"].dropna())
    middle = float(in_line.median())
    spread = 1.4826 * float(
        (in_line - middle).abs().median()
    )  # as a standard deviation, were the logs normal
    table["z"] = (np.log10(table["work"]) - middle) / spread
    table["out_of_line"] = (table["z"].abs() > OUT_OF_LINE).astype(object).where(table["z"].notna(), None)
    columns = ["id", "origin", "steps", "steps_unit", "gpu", "gpu_hours", "steps_per_gpu_hour"]
    columns += ["tokens_per_s_per_h100", "work", "z", "out_of_line", "batch_from"]
    return table[columns].reset_index(drop=True)


def _add_work(runs: pd.DataFrame) -> pd.DataFrame:
    table = add_h100_hours(runs).assign(batch_from=runs["id"])
    for i in table.index[(table["origin"] == "starting page") & (table["pair"] != "")]:
        _borrow_batch(table, i)
    table = table[table["steps"].notna() & (table["gpu_hours"] > 0)].copy()
    table["steps_per_gpu_hour"] = table["steps"] / table["gpu_hours"]
    hours = table["h100_hours_mid"].fillna(table["gpu_hours"].where(table["gpu"] == ""))
    tokens = table["steps"] * table["prompts_per_step"] * table["group_size"] * table["max_tokens"]
    table["tokens_per_s_per_h100"] = tokens / (hours * 3600)
    table["work"] = table["tokens_per_s_per_h100"] * table["params_active_b"]
    table.loc[table["work"].isna(), "batch_from"] = ""
    return table


def _borrow_batch(table: pd.DataFrame, i: int) -> None:
    """Give a row of the starting page the batch of a run that it names, where that run states one."""
    batch = ["prompts_per_step", "group_size", "max_tokens"]
    donors = table[(table["pair"] == table.loc[i, "pair"]) & (table["origin"] == "source")]
    donors = donors[donors[batch].notna().all(axis=1)]
    if donors.empty:
        return
    # of several sources take the one whose number of steps the page repeats
    off = (donors["steps"] - float(table["steps"].loc[i])).abs().fillna(math.inf)
    donor = donors.loc[off.sort_values(kind="stable").index[0]]
    table.loc[i, batch] = donor[batch].astype(float)
    table.loc[i, "batch_from"] = donor["id"]
