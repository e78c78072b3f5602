"""Reference runs: what others needed, with units made equal, and which runs resemble yours.

Hours of one GPU become H100-equivalent hours as a range, not with one factor: how much faster a GPU is
depends on how much of a step is decoding (memory bandwidth) and how much is training (compute), and measured
whole steps lie further apart than either ratio (:func:`h100_hours`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import TableError, suggest_names
from .given import as_number, as_whole, show_value
from .schema_runs import TASKS
from .tables import load_table

if TYPE_CHECKING:
    import pandas as pd

#: Share of a step that decodes, where nothing better is known: ScaleRL gives 64 of 80 GPUs to generation.
DECODE_SHARE = 0.8

#: More hours than all GPUs together will ever run.
_MOST_HOURS = 1e15

#: Tasks near each other: a run on one says something about the other.
_RELATED = (
    frozenset({"math", "math and code", "reasoning", "puzzle"}),
    frozenset({"code", "math and code", "software engineering"}),
    frozenset({"software engineering", "tool use"}),
)


@dataclass(frozen=True)
class H100Hours:
    """Hours of a GPU as H100-equivalent hours: a range and its reasons.

    Attributes
    ----------
    hours : float
        Hours of ``gpu``.
    gpu : str
        As in ``gpus.csv``.
    lo, mid, hi : float
        H100 hours that do the same work.
    reasons : tuple of str
        Where the factors come from.
    """

    hours: float
    gpu: str
    lo: float
    mid: float
    hi: float
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.hours:,.0f} {self.gpu} hours are {self.lo:,.0f} to {self.hi:,.0f} H100 hours"


def h100_hours(hours: float, gpu: str, *, decode_share: float = DECODE_SHARE) -> H100Hours:
    """Return hours of a GPU as a range of H100-equivalent hours.

    The middle weighs the ratio of memory bandwidth by ``decode_share`` and that of dense BF16 compute by the
    rest. The ends are the least and the most of both ratios and of the whole RL steps measured on both GPUs
    (``gpu_speedups.csv``).

    Parameters
    ----------
    hours : float
        Hours of ``gpu``, 0 or more.
    gpu : str
        As in ``gpus.csv``, such as ``"GB200"``.
    decode_share : float
        Share of a step that decodes, from 0 to 1.

    Returns
    -------
    H100Hours

    Raises
    ------
    TableError
        If the GPU is unknown or has no specification, or a number is out of range.

    Examples
    --------
    The factor 2.8 of the starting page is near the upper end of what was measured; the right ratio of compute
    gives about 2.4:

    >>> one = h100_hours(1, "GB200")
    >>> round(one.lo, 2), round(one.mid, 2), round(one.hi, 2)
    (0.99, 2.42, 2.77)
    >>> print(h100_hours(100_000, "GB200"))
    100,000 GB200 hours are 99,000 to 277,000 H100 hours
    >>> h100_hours(10, "H100 SXM").hi
    10.0
    """
    hours = as_number(hours, "hours", TableError)
    if not 0 <= hours <= _MOST_HOURS:
        raise TableError(f"hours is {hours!r}; give a number from 0 to {_MOST_HOURS:g}")
    if not 0 <= as_number(decode_share, "decode_share", TableError) <= 1:
        raise TableError(f"decode_share is {decode_share!r}; give a share from 0 to 1")
    specs = load_table("gpus").drop_duplicates("gpu").set_index("gpu")
    if gpu not in specs.index:
        raise TableError(f"no GPU is called {show_value(gpu)}; {suggest_names(gpu, list(specs.index))}")
    bandwidth, compute = (
        float(specs.at[gpu, column]) / float(specs.at["H100 SXM", column])  # type: ignore[arg-type]
        for column in ("bandwidth_tb_s", "bf16_dense_tflops")
    )
    reasons = []
    if math.isnan(bandwidth) and math.isnan(compute):
        raise TableError(f"gpus.csv has neither bandwidth nor compute of {gpu!r}; add one of them")
    if math.isnan(bandwidth) or math.isnan(compute):
        known, missing = ("bandwidth", "compute") if math.isnan(compute) else ("compute", "bandwidth")
        factors = [bandwidth if math.isnan(compute) else compute]
        mid = factors[0]
        reasons.append(f"{known} {mid:.2f} times an H100; {missing} is not known, so it is left out")
    else:
        factors = [bandwidth, compute]
        mid = decode_share * bandwidth + (1 - decode_share) * compute
        reasons.append(f"bandwidth {bandwidth:.2f} and dense BF16 compute {compute:.2f} times an H100")
        reasons.append(f"middle: {100 * decode_share:.0f} % of a step decodes, so {mid:.2f}")
    speedups = load_table("gpu_speedups")
    measured = speedups.loc[speedups["gpu"] == gpu, "speedup"]
    if len(measured):
        factors += [float(measured.min()), float(measured.max())]
        reasons.append(f"{len(measured)} whole RL steps measured: {factors[-2]:.2f} to {factors[-1]:.2f}")
    return H100Hours(hours, gpu, hours * min(factors), hours * mid, hours * max(factors), tuple(reasons))


def add_h100_hours(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with their GPU-hours as H100-equivalent hours.

    Parameters
    ----------
    runs : DataFrame
        From ``load_table("reference_runs")``.

    Returns
    -------
    DataFrame
        A copy with ``h100_hours_lo``, ``h100_hours_mid`` and ``h100_hours_hi``; NaN where GPU or hours are
        unknown.

    Examples
    --------
    >>> runs = add_h100_hours(load_table("reference_runs")).set_index("id")
    >>> runs.loc["simplerl_7b", ["h100_hours_lo", "h100_hours_hi"]].tolist()
    [240.0, 240.0]
    """
    out = runs.copy()
    factors = {gpu: h100_hours(1.0, gpu) for gpu in runs["gpu"].unique() if gpu}
    for end in ("lo", "mid", "hi"):
        factor = runs["gpu"].map({gpu: getattr(f, end) for gpu, f in factors.items()}).astype(float)
        out[f"h100_hours_{end}"] = runs["gpu_hours"] * factor
    return out


def nearest_runs(
    task: str,
    params_total_b: float,
    *,
    params_active_b: float | None = None,
    max_tokens: float | None = None,
    runs: pd.DataFrame | None = None,
    limit: int = 5,
) -> pd.DataFrame:
    """Return the runs that resemble yours, and what they needed.

    Distance is a judgement, in decades: 0 for the same task, 0.5 for a related one, 1.5 for another; plus the
    decades between the numbers of total and of active parameters (their mean), plus half of the decades
    between the longest answers. What is not known counts a quarter of a decade. Rows of the starting page are
    left out: they are told again by their sources.

    Parameters
    ----------
    task : str
        One of :data:`rlscale.schema_runs.TASKS`.
    params_total_b : float
        Parameters of your model, in billions.
    params_active_b : float, optional
        Parameters used for a token; by default all.
    max_tokens : float, optional
        Longest answer that you allow.
    runs : DataFrame, optional
        Your own table, from ``load_table("reference_runs", path)``; by default the one of this project.
    limit : int
        How many rows.

    Returns
    -------
    DataFrame
        Nearest first. Needs with units made equal: ``completions`` (steps times prompts times group),
        ``h100_hours_lo``, ``_mid``, ``_hi``, ``usd_stated``; then ``distance`` and ``why``.

    Raises
    ------
    TableError
        If the task is unknown, a number is out of range or no run states what it needed.

    Examples
    --------
    >>> nearest_runs("math", 8, max_tokens=8192, limit=2)["id"].tolist()
    ['simplerl_7b', 'scalerl_8b_100k']
    """
    if task not in TASKS:
        raise TableError(f"no task is called {show_value(task)}; {suggest_names(task, TASKS)}")
    params_total_b = as_number(params_total_b, "params_total_b", TableError)
    active = params_total_b if params_active_b is None else params_active_b
    for name, value in (
        ("params_total_b", params_total_b),
        ("params_active_b", active),
        ("max_tokens", max_tokens),
    ):
        if value is not None:
            given = as_number(value, name, TableError)
            if not (math.isfinite(given) and given > 0):
                raise TableError(f"{name} is {given:g}; give a number above 0")
    if active > params_total_b:
        raise TableError(f"params_active_b is {active:g}, more than params_total_b, {params_total_b:g}")
    limit = as_whole(limit, "limit", TableError, least=1)
    table = load_table("reference_runs") if runs is None else runs
    missing = sorted(set(load_table("reference_runs").columns) - set(table.columns))
    if missing:
        raise TableError(
            f"runs has no column {missing[0]!r}; read it with load_table('reference_runs', path)"
        )
    needs = table[["steps", "gpu_hours", "usd_stated"]].notna().any(axis=1)
    table = add_h100_hours(table[(table["origin"] != "starting page") & needs])
    if table.empty:
        raise TableError("no run of this table states steps, GPU-hours or dollars, so none can be compared")
    table["completions"] = table["steps"] * table["prompts_per_step"] * table["group_size"]
    by_task = table["task"].map(lambda other: _task_distance(task, other))
    by_size = (
        _decades(table["params_total_b"], params_total_b) + _decades(table["params_active_b"], active)
    ) / 2
    by_length = 0.5 * _decades(table["max_tokens"], max_tokens)
    table["distance"] = by_task + by_size + by_length
    table["why"] = [
        f"{'same task' if t == 0 else 'related task' if t < 1 else 'other task'}; "
        f"size {'not known' if math.isnan(p) else f'{p / params_total_b:.2g} times yours'}"
        for t, p in zip(by_task, table["params_total_b"], strict=True)
    ]
    columns = ["id", "task", "model", "params_total_b", "params_active_b", "algorithm", "steps", "steps_unit"]
    columns += [
        "completions",
        "max_tokens",
        "gpu",
        "gpu_hours",
        "h100_hours_lo",
        "h100_hours_mid",
        "h100_hours_hi",
    ]
    columns += ["usd_stated", "benchmark", "start_score_percent", "end_score_percent", "ended_by"]
    columns += ["distance", "why", "source", "location", "as_of"]
    return table.sort_values("distance", kind="stable")[columns].head(limit).reset_index(drop=True)


def _task_distance(mine: str, other: str) -> float:
    if mine == other:
        return 0.0
    return 0.5 if any({mine, other} <= group for group in _RELATED) else 1.5


def _decades(values: pd.Series, mine: float | None) -> pd.Series:
    import numpy as np

    if mine is None:
        return values.fillna(0.0) * 0.0
    return np.log10(values / mine).abs().fillna(0.25)
