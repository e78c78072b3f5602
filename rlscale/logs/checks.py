"""What is looked for before any fit: each check is one function that returns a warning, or None.

This module looks at the log as an export: is it whole, is it one run, does its axis count what it says?
:mod:`rlscale.logs.health` looks at the training it describes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..amounts import full_number
from ..curve import Floats, LogWarning
from . import health
from .series import Series

if TYPE_CHECKING:
    from .run import Run

Check = Callable[["Run"], LogWarning | None]

#: Values of a series that are looked at.
_ENOUGH = 20_000

#: Rows after which a tool stops, or to which it thins, without saying so.
SAMPLED_ROWS = {
    500: "wandb run.history()",
    1000: "TensorBoard's page",
    10_000: "TensorBoard's EventAccumulator",
}


def check_run(run: Run) -> tuple[LogWarning, ...]:
    """Return what all checks find in a run."""
    found = (check(run) for check in CHECKS)
    return tuple(warning for warning in found if warning is not None)


def check_sampled(run: Run) -> LogWarning | None:
    """Find exactly 500, 1,000 or 10,000 rows: a thinned export, unless the steps have no hole."""
    rows = int(run.facts.get("rows", len(run)))
    tool = SAMPLED_ROWS.get(rows)
    step = run.axes[0].values
    if tool is None or step.size < 3:
        return None
    gaps = np.diff(step)
    container = run.facts.get("container", "")
    even = bool(np.allclose(gaps, gaps[0], rtol=0.01))
    if even and not (container == "wandb" and rows == 500 and step[-1] > 1.5 * rows * gaps[0]):
        return None
    where = int(np.argmax(gaps))
    return LogWarning(
        "sampled-export",
        f"exactly {rows:,} rows, as {tool} gives when it thins a longer log; steps are "
        f"{full_number(gaps.min())} to {full_number(gaps.max())} apart "
        f"(the widest gap: {full_number(step[where])} to {full_number(step[where + 1])}).",
        "Export all rows: wandb scan_history(), or the TensorBoard event files themselves.",
    )


def check_grouped(run: Run) -> LogWarning | None:
    """Find MIN < value < MAX in a wandb export: means over runs or over thinned points."""
    if "grouped" not in run.facts:
        return None
    return LogWarning("grouped-export", str(run.facts["grouped"]) + ".", "Such a series is not fitted.")


def check_forward_filled(run: Run) -> LogWarning | None:
    """Find values that mostly equal the row before, in steps: a value that was logged on, not measured."""
    for series in run.series:
        if series.kind not in ("heldout_pass_rate", "train_pass_rate", "train_reward", "heldout_reward"):
            continue
        values = run.column(series.key)[:_ENOUGH]
        known = values[np.isfinite(values)]
        if known.size < 20 or series.low == series.high:
            continue
        same = np.diff(known) == 0
        if same.mean() <= 0.6:
            continue
        distinct = np.unique(known).size
        starts = np.concatenate([[0], np.flatnonzero(~same) + 1, [known.size]])
        runs_of_equal = starts.size - 1
        if np.median(np.diff(starts)) < 2:
            continue  # one long plateau, at a ceiling say, is no carrying forward
        # a coarse reward (1 of 8 right) repeats by chance; then few distinct values come back again and again
        if distinct > 0.8 * runs_of_equal:
            return LogWarning(
                "forward-filled",
                f"{series.key}: {int(same.sum())} of {known.size} values equal the row before: carried "
                "forward between "
                f"{runs_of_equal} measurements.",
                "Only the rows where it changes are measurements; keep those.",
            )
    return None


def check_head(run: Run) -> LogWarning | None:
    """Find a log that begins late: a resumed run whose first part stands elsewhere."""
    step = run.axes[0].values
    if step.size < 3:
        return None
    if step[0] < 5:
        return None
    usual = float(np.median(np.diff(step)))
    if step[0] <= 2.0 * max(1.0, usual):
        return None
    return LogWarning(
        "head-missing",
        f"the log begins at {run.axes[0].key} {full_number(step[0])}: a resumed run without its head. "
        "Sums of tokens and time start there, and the start R0 is not in it.",
        "Join the pieces with `rlscale stitch`.",
    )


def check_gaps(run: Run) -> LogWarning | None:
    """Find a hole in the steps that is many times the usual distance."""
    step = run.axes[0].values
    if step.size < 10:
        return None
    gaps = np.diff(step)
    if gaps.max() <= 10 * gaps.min():
        return None
    usual = float(np.median(gaps))
    wide = np.flatnonzero(gaps > 10 * usual)
    if not wide.size or wide.size > 0.05 * gaps.size:
        return None
    at = int(wide[np.argmax(gaps[wide])])
    return LogWarning(
        "gap",
        f"no rows between {run.axes[0].key} {full_number(step[at])} and {full_number(step[at + 1])} "
        f"(usual distance {full_number(usual)}).",
    )


def check_offset(run: Run) -> LogWarning | None:
    """Find a logger's step that jumps where the trainer's own counter does not (a resume at an offset)."""
    main = run.axes[0]
    for key in (
        "training/global_step",
        "train/global_step",
        "trainer/global_step",
        "progress/step",
        "progress/batch",
    ):
        if key == main.key or key not in run.table:
            continue
        own = run.column(key)
        both = np.isfinite(own) & np.isfinite(main.values)
        offset = main.values[both] - own[both]
        if (
            offset.size > 2
            and offset[0] != offset[-1]
            and np.unique(offset).size <= max(2, 0.1 * offset.size)
        ):
            at = int(np.flatnonzero(offset != offset[0])[0])
            return LogWarning(
                "step-offset",
                f"{main.key} runs {offset[at] - offset[0]:+g} ahead of {key} from "
                f"{full_number(main.values[both][at])} on: a resume "
                "logged at an offset.",
                f"Use --x {key}.",
            )
    return None


def explain_flat(run: Run, series: Series) -> str:
    """Say why a series may not move, from what else the log holds.

    Returns
    -------
    str
        ``": no signal, all completions are truncated"`` and the like; empty when the log does not tell.
    """
    reasons = []
    truncated = health.truncated_share(run)
    if truncated is not None and _median(truncated) >= 0.99:
        reasons.append("all completions are truncated")
    dead = health.dead_group_share(run)
    if dead is not None and _median(dead) >= 0.99:
        reasons.append("all groups have zero variance")
    if series.low == series.high == 0 and not reasons:
        return " (no signal)"
    return f": no signal, {' and '.join(reasons)}" if reasons else ""


def _median(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if known.size else np.nan


CHECKS: tuple[Check, ...] = (
    check_sampled,
    check_grouped,
    check_forward_filled,
    check_head,
    check_gaps,
    check_offset,
    health.check_dead_groups,
    health.check_truncation,
    health.check_zero_reward,
    health.check_collapse,
    health.check_format_reward,
    health.check_proxy_reward,
    health.check_mismatch,
)
