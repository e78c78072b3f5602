"""From the columns of a file to a :class:`~rlscale.logs.run.Run`: steps in order, axes, series, checks."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from ..curve import Floats, LogWarning
from ..errors import LogError, suggest_names
from .axes import Axis, build_axes
from .cells import describe_cells, first_text
from .columns import BadCells
from .frameworks import GENERIC, Framework, find_counters, find_framework
from .raw import RawRun, name_place
from .run import Run
from .series import Series, describe_values, parse_name
from .stitch import stitch_rows

#: Column in which ``rlscale stitch`` keeps the segment of a row.
SEGMENT_KEY = "rlscale/segment"
#: What is said of a series in a table with one column a run.
WIDE_NOTE = (
    "the columns are named after runs and the metric has no name: it is taken for a pass rate, "
    "since it lies in [0, 1]"
)


def build_run(raw: RawRun, format_name: str, path: str, x: str | None = None) -> Run:
    """Return the run that the rows of a file make.

    Parameters
    ----------
    raw : RawRun
        What a format module read.
    format_name, path : str
        For the run and for messages.
    x : str, optional
        Column that counts the steps, where its name does not say so.

    Raises
    ------
    LogError
        If no column counts steps.
    """
    numbers = raw.columns.numbers
    keys = [str(k) for k in numbers.columns]
    framework = find_framework(keys, raw.framework)
    where = name_place(path, raw.name)
    step_key, unit, note, step = _find_step(raw, keys, framework, where, x)
    known = step[np.isfinite(step)]
    if x is not None and known.size > 1 and np.ptp(known) == 0:
        step_key, unit, note, step = _named_step(raw, keys, where, x)
    has_step = np.isfinite(step)
    warnings = list(raw.warnings)
    if not has_step.all():
        dropped = int((~has_step & numbers.notna().any(axis=1).to_numpy()).sum())
        if dropped:
            warnings.append(
                LogWarning("rows-without-step", f"{dropped} rows have no {step_key!r} and were left out.")
            )
    if not has_step.any():
        raise LogError(f"{where}: {step_key!r} holds no number; give a log with steps")
    if has_step.sum() > 1 and np.ptp(step[has_step]) == 0:
        value = step[has_step][0]
        raise LogError(
            f"{where}: {step_key!r} is {value:g} in all {int(has_step.sum())} rows, so it does not count "
            "steps; if another column does, name it with --x"
        )
    segment = None
    if SEGMENT_KEY in keys:  # written by `rlscale stitch`
        keys = [k for k in keys if k != SEGMENT_KEY]
        held = numbers[SEGMENT_KEY].to_numpy(np.float64)[has_step]
        numbers = numbers[keys]
        segment = np.unique(np.nan_to_num(held), return_inverse=True)[1].astype(np.int64)
    values = numbers.to_numpy(np.float64)
    if not has_step.all():
        step, values = step[has_step], values[has_step]
    stitched = stitch_rows(step, values, keys, segment)
    warnings += stitched.warnings
    table = pd.DataFrame(stitched.values, columns=keys, copy=False)
    position = stitched.step + raw.step_offset
    if note:
        warnings.append(
            LogWarning(
                "unit-assumed", f"{step_key}: {note}.", f"If it counts updates, say --x {step_key}:updates."
            )
        )
    for key, count in raw.columns.not_finite.items():
        if key in table:
            warnings.append(
                LogWarning(
                    "not-finite", f"{key}: {count} infinite or absurdly large values were taken as missing."
                )
            )
    main = Axis(step_key, unit, position, raw.step_note)
    axes, found = build_axes(table, stitched.segment, main, framework)
    warnings += found
    axis_keys = {a.key for a in axes} | {step_key}
    series = tuple(
        _describe(key, table[key].to_numpy(), framework, raw) for key in keys if key not in axis_keys
    )
    series = name_sums(series, framework)
    run = Run(
        name=raw.name,
        format=format_name,
        path=path,
        table=table,
        segment=stitched.segment,
        axes=tuple(axes),
        series=tuple(s for s in series if s.points),
        framework=framework.name,
        facts={**raw.facts, "rows": len(raw.columns), "text_columns": _text_columns(raw)},
        refused=raw.refused,
        bad=raw.columns.bad,
        warnings=tuple(warnings),
    )
    from .checks import check_run

    return replace(run, warnings=run.warnings + check_run(run))


def _text_columns(raw: RawRun) -> dict[str, BadCells]:
    """Return the columns that hold text, each with its first cell."""
    texts = raw.columns.texts
    found = {str(key): first_text(texts[key]) for key in texts.columns}
    return {key: cells for key, cells in found.items() if cells.first is not None}


def name_sums(series: tuple[Series, ...], framework: Framework) -> tuple[Series, ...]:
    """Say of TRL's ``reward`` that it is the weighted sum of several functions, and no pass rate."""
    if framework.name != "TRL":
        return series
    named = []
    for one in series:
        prefix = "eval_" if one.key.startswith("eval_") else ""
        parts = {
            re.sub(r"/mean$", "", s.key)
            for s in series
            if s.key.startswith(f"{prefix}rewards/") and not s.key.endswith("/std")
        }
        if one.key == f"{prefix}reward" and len(parts) > 1:
            note = f"the weighted sum of {len(parts)} reward functions ({', '.join(sorted(parts)[:4])})"
            one = replace(one, note=note, biased=True)
        named.append(one)
    return tuple(named)


def _describe(key: str, values: Floats, framework: Framework, raw: RawRun) -> Series:
    if key in raw.kinds:
        return describe_values(Series(key, **raw.kinds[key]), values)
    series = parse_name(key, framework.name)
    if raw.wide and series.kind == "other":
        series = replace(
            series,
            kind="train_pass_rate",
            rank=5,
            note=WIDE_NOTE,
        )
    return describe_values(series, values)


def find_step(raw: RawRun, where: str) -> tuple[str, str, str, Floats]:
    """Return key, unit, what is taken for granted, and values of the step of each row.

    Raises
    ------
    LogError
        If no column counts steps.
    """
    keys = [str(k) for k in raw.columns.numbers.columns]
    return _find_step(raw, keys, find_framework(keys, raw.framework), where, None)


def _find_step(
    raw: RawRun, keys: list[str], framework: Framework, where: str, x: str | None
) -> tuple[str, str, str, Floats]:
    """Return key, unit, note and values of the step."""
    numbers = raw.columns.numbers
    if raw.step is not None and raw.step in keys:
        counters = [c for k, c in find_counters(keys, framework) if k == raw.step and c.how == "position"]
        default = (
            (counters[0].unit, counters[0].note) if counters else ("rollout_steps", GENERIC.steps[2].note)
        )
        return (
            raw.step,
            raw.unit or default[0],
            "" if raw.unit else default[1],
            numbers[raw.step].to_numpy(np.float64),
        )
    for steps in (framework.steps, GENERIC.steps):
        for counter in steps:
            matching = [k for k in keys if counter.pattern.fullmatch(k)]
            if matching:
                values = numbers[matching[0]].to_numpy(np.float64)
                for other in matching[1:]:  # train/global_step and eval/global_step stand in different rows
                    values = np.where(np.isnan(values), numbers[other].to_numpy(np.float64), values)
                return matching[0], raw.unit or counter.unit, counter.note, values
    for key, counter in find_counters(keys, framework):
        if counter.how in ("total", "clock", "auto") and raw.columns.numbers[key].is_monotonic_increasing:
            unit = "wall_hours" if counter.unit == "seconds" else counter.unit
            values = numbers[key].to_numpy(np.float64)
            if counter.unit == "seconds":
                values = (values - (np.nanmin(values) if counter.how == "clock" else 0.0)) / 3600.0
            return key, unit, "", values
    if x is not None:
        return _named_step(raw, keys, where, x)
    _refuse_text_steps(raw, framework, where)
    raise LogError(f"{where}: {_no_step(raw, keys)}")


def _refuse_text_steps(raw: RawRun, framework: Framework, where: str) -> None:
    """Refuse a column that is named like a step and holds text."""
    for counter in (*framework.steps, *GENERIC.steps):
        for key in (str(k) for k in raw.columns.texts.columns):
            if counter.pattern.fullmatch(key):
                cells = first_text(raw.columns.texts[key])
                if cells.first is not None:
                    raise LogError(describe_cells(where, where.split(", run ")[0], key, cells))


def _named_step(raw: RawRun, keys: list[str], where: str, x: str) -> tuple[str, str, str, Floats]:
    """Return the step that the user names as ``KEY`` or ``KEY:UNIT``."""
    key, _, unit = (x, "", "") if x in keys else x.rpartition(":")
    if key not in keys:
        raise LogError(f"{where}: no column {x!r}: {suggest_names(x, keys)}; {_no_step(raw, keys)}")
    note = "" if unit else GENERIC.steps[2].note
    return key, unit or "rollout_steps", note, raw.columns.numbers[key].to_numpy(np.float64)


def _no_step(raw: RawRun, keys: list[str]) -> str:
    """Say what the table looks like instead of a training log."""
    shown = ", ".join(repr(k) for k in keys[:6]) + (" …" if len(keys) > 6 else "")
    if not keys:
        return "no column of numbers was found; a log has a step and a pass rate in each row"
    indexed = [
        k
        for k in keys
        if re.fullmatch(
            r"(?i)(idx|index|id|question|problem|prompt|task|row|n_?correct|n_?samples)(_?id|_?idx)?", k
        )
    ]
    if indexed:
        return f"one row a problem ({indexed[0]!r} is no step), so no training curve; columns: {shown}"
    summary = [k for k in keys if re.search(r"(?i)(final|best|peak|last\d*|first\d*)_", k)]
    if summary:
        return f"one row a run ({summary[0]!r} sums a whole run up), so a summary table and no training curve"
    return f"no column counts steps; columns: {shown}. If one does, name it with --x"
