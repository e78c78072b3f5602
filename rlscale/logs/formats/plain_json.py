"""Any other JSON: one object a line (JSONL), a list of objects, or an object that holds such a list.

Rows that say ``train`` or ``eval`` in a text column (one row a game, or a question) become separate series,
averaged by step.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...curve import LogWarning
from ...errors import LogError
from ..columns import Columns, RowTable, to_number
from ..frameworks import find_counters, find_framework
from ..raw import RawRun
from ..source import Source
from .json_rows import iterate_list, load_object, read_lines
from .run_column import split_by_run

NAME = "JSON"
EXTRA = None

SPLIT_KEYS = ("log_type", "split", "phase", "mode", "type", "stage", "kind")
SPLIT_WORDS = frozenset(["train", "training", "eval", "evaluation", "val", "valid", "validation", "test"])


def sniff(source: Source) -> bool:
    """Whether the file begins as JSON does."""
    start = source.text.lstrip("\ufeff \t\n")
    return (
        not source.is_binary
        and start[:1] in ("{", "[")
        and (start[:1] == "{" or start[1:].lstrip()[:1] in ("{", "]"))
    )


def read(source: Source) -> list[RawRun]:
    """Read the runs of the file."""
    warnings: list[LogWarning] = []
    stem = source.path.stem
    start = source.text.lstrip("\ufeff \t\n")
    if start.startswith("["):
        table = RowTable()
        for row in iterate_list(source, warnings):
            if isinstance(row, dict):
                table.add(row)
        return _as_runs(stem, table.finish(), warnings)
    if source.first_object:
        return _as_runs(stem, read_lines(source, warnings).finish(), warnings)
    return _read_object(source, stem, warnings)


def _as_runs(stem: str, columns: Columns, warnings: list[LogWarning]) -> list[RawRun]:
    by_name = {} if any(key in columns.texts for key in SPLIT_KEYS) else split_by_run(columns)
    if by_name:
        return [_as_run(name, part, list(warnings)) for name, part in by_name.items()]
    return [_as_run(stem, columns, warnings)]


def _read_object(source: Source, stem: str, warnings: list[LogWarning]) -> list[RawRun]:
    found = load_object(source)
    lists = {k: v for k, v in found.items() if isinstance(v, list) and v and isinstance(v[0], dict)}
    raws = []
    for name, rows in lists.items():
        table = RowTable()
        for row in rows:
            if isinstance(row, dict):
                table.add(row)
        raw = _as_run(stem if len(lists) == 1 else name, table.finish(), list(warnings))
        planned = to_number(found.get("steps", found.get("max_steps")))
        if planned is not None and planned > 0:
            raw.facts["planned_steps"] = (planned, "steps" if "steps" in found else "max_steps")
        raws.append(raw)
    if raws:
        return raws
    columns = {
        k: v for k, v in found.items() if isinstance(v, list) and len(v) > 1 and to_number(v[0]) is not None
    }
    lengths = {len(v) for v in columns.values()}
    if len(columns) > 1 and len(lengths) == 1:
        table = RowTable()
        for values in zip(*columns.values(), strict=True):
            table.add(dict(zip(columns, values, strict=True)))
        return [_as_run(stem, table.finish(), warnings)]
    raise LogError(
        f"{source.path}: a JSON object without a list of rows; give JSONL, or a list of objects with a "
        "step each"
    )


def _as_run(name: str, columns: Columns, warnings: list[LogWarning]) -> RawRun:
    raw = RawRun(name, columns, warnings=warnings)
    for key in SPLIT_KEYS:
        if key in columns.texts:
            words = columns.texts[key].astype(object)
            known = set(words.dropna().str.lower())
            if known and known <= SPLIT_WORDS and len(known) > 1:
                raw.columns = _split_columns(raw, words.str.lower().to_numpy(), sorted(known))
                break
    return raw


def _split_columns(raw: RawRun, words: np.ndarray, known: list[str]) -> Columns:
    """Give each kind of row its own columns, so that training and evaluation rows of a step are not mixed."""
    numbers = raw.columns.numbers
    keys = [str(k) for k in numbers.columns]
    shared = {k for k, c in find_counters(keys, find_framework(keys)) if c.how in ("position", "clock")}
    parts = {k: numbers[k] for k in keys if k in shared}
    counts: dict[str, int] = {}
    step = next((k for k, c in find_counters(keys, find_framework(keys)) if c.how == "position"), None)
    for word in known:
        rows = words == word
        for key in keys:
            if key in shared:
                continue
            values = np.where(rows, numbers[key].to_numpy(), np.nan)
            if np.isfinite(values).any():
                parts[f"{word}/{key}"] = pd.Series(values)
                if step is not None:
                    at = numbers[step].to_numpy()[np.isfinite(values)]
                    per_step = np.unique(at[np.isfinite(at)], return_counts=True)[1]
                    if per_step.size and (per_step == np.median(per_step)).mean() > 0.9:
                        counts[f"{word}/{key}"] = int(np.median(per_step))
    raw.facts["rows_a_point"] = counts
    return Columns(pd.DataFrame(parts), raw.columns.texts, raw.columns.bad, raw.columns.not_finite)
