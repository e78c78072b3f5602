"""Any other CSV: one row a step; or a column of run names (long); or one column a run (wide).

Nothing is guessed from a column named only ``reward`` or ``score``.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from ..columns import Columns
from ..frameworks import GENERIC, find_counters, find_framework
from ..raw import RawRun
from ..series import parse_name
from ..source import Source
from .csv_table import read_columns, read_header

NAME = "CSV"
EXTRA = None

_RUN_COLUMN = re.compile(
    r"(?i)(run|run_?name|run_?id|name|condition|experiment|exp|exp_?name|experiment_name|variant|group|model|method|seed|id)"
)
_MOST_RUNS = 1000


def sniff(source: Source) -> bool:
    """Whether the first line is a header of several cells."""
    if source.is_binary or source.text.lstrip("\ufeff \t\n")[:1] in ("{", "["):
        return False
    header = read_header(source)
    named = [n for n in header if re.search(r"[A-Za-z_]", n)]
    if len(header) < 2 or len(named) < max(2, 0.5 * len(header)):
        return False
    if source.path.suffix.lower() in (".csv", ".tsv"):
        return True
    rows = [line for line in source.text.split("\n")[:20] if line.strip()]
    cells = {len(row.split(",")) for row in rows[:-1]}
    return len(rows) > 2 and cells == {len(header)} and len(header) > 1


def read(source: Source) -> list[RawRun]:
    """Read the runs of the file."""
    columns = read_columns(source)
    keys = [str(k) for k in columns.numbers.columns]
    stem = source.path.stem
    by_name = _split_by_run(columns, keys)
    if by_name:
        return [RawRun(name, part) for name, part in by_name.items()]
    wide = _wide_runs(columns, keys)
    if wide:
        step, names = wide
        raws = []
        for name in names:
            part = Columns(columns.numbers[[step, name]], columns.texts[[]], columns.bad, columns.not_finite)
            rows = part.numbers[name].notna().to_numpy()
            if rows.any():
                raws.append(RawRun(name, part.take(rows), step, wide=True))
        return raws
    return [RawRun(stem, columns)]


def _split_by_run(columns: Columns, keys: list[str]) -> dict[str, Columns]:
    """Split a long table by the text column whose groups each have rising steps."""
    step = next((k for k, c in find_counters(keys, find_framework(keys)) if c.how == "position"), None)
    candidates = [str(k) for k in columns.texts.columns] + [k for k in keys if _RUN_COLUMN.fullmatch(k)]
    candidates.sort(key=lambda k: not _RUN_COLUMN.fullmatch(k))
    if step is None or not candidates:
        return {}
    at = columns.numbers[step].to_numpy()
    rises = np.diff(at[np.isfinite(at)]) > 0
    if not rises.size or rises.all():
        return {}
    for key in candidates:
        labels = columns.texts[key] if key in columns.texts else columns.numbers[key].map(lambda v: f"{v:g}")
        codes, names = pd.factorize(labels)
        if len(names) < 2 or len(names) > _MOST_RUNS or (codes < 0).any():
            continue
        parts = [at[codes == code] for code in range(len(names))]
        rising = [bool(np.isfinite(p).any()) and _mostly_rising(p[np.isfinite(p)]) for p in parts]
        if not all(rising) or sum(p.size for p in parts) < 2 * len(parts):
            continue
        return {str(name): columns.take(codes == code) for code, name in enumerate(names)}
    return {}


def _mostly_rising(step: np.ndarray) -> bool:
    """Rising, but for a few places (a run that was resumed, or exported twice)."""
    return bool((np.diff(step) <= 0).sum() <= max(1, 0.1 * step.size))


def _wide_runs(columns: Columns, keys: list[str]) -> tuple[str, list[str]] | None:
    """Return step and run columns when all other names are no metric and all values lie in [0, 1]."""
    if not keys:
        return None
    steps = [k for k, c in find_counters(keys, GENERIC) if c.how == "position"]
    if len(steps) != 1 or keys[0] != steps[0] or len(keys) < 3 or len(columns.texts.columns):
        return None
    names = [k for k in keys if k != steps[0]]
    for name in names:
        values = columns.numbers[name].to_numpy()
        known = values[np.isfinite(values)]
        named = parse_name(name)
        if named.kind != "other" or re.fullmatch(
            r"(?i)[a-z_/ ]*(loss|kl|lr|entropy|epoch|time|grad_?norm|std|ratio|rate|frac|clip).*", name
        ):
            return None
        if known.size and (known.min() < 0 or known.max() > 1):
            return None
    return steps[0], names
