"""Any other CSV: one row a step; or a column of run names (long); or one column a run (wide).

Nothing is guessed from a column named only ``reward`` or ``score``.
"""

from __future__ import annotations

import re

import numpy as np

from ..columns import Columns
from ..frameworks import GENERIC, find_counters
from ..raw import RawRun
from ..series import parse_name
from ..source import Source
from .csv_table import read_columns, read_header
from .run_column import name_joined_runs, split_by_run

NAME = "CSV"
EXTRA = None

#: More columns than these are not one a run.
_MOST_RUNS = 1000

#: Names that are no run: what trainers log beside a pass rate.
NO_METRIC = re.compile(r"(?i)[a-z_/ ]*(loss|kl|lr|entropy|epoch|time|grad_?norm|std|ratio|rate|frac|clip).*")


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
    by_name = split_by_run(columns)
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
    return [RawRun(stem, columns, warnings=name_joined_runs(columns))]


def _wide_runs(columns: Columns, keys: list[str]) -> tuple[str, list[str]] | None:
    """Return step and run columns when all other names are no metric and all values lie in [0, 1]."""
    if not 3 <= len(keys) <= _MOST_RUNS:
        return None
    steps = [k for k, c in find_counters(keys, GENERIC) if c.how == "position"]
    if len(steps) != 1 or keys[0] != steps[0] or len(columns.texts.columns):
        return None
    names = [k for k in keys if k != steps[0]]
    for name in names:
        values = columns.numbers[name].to_numpy()
        known = values[np.isfinite(values)]
        named = parse_name(name)
        if named.kind != "other" or NO_METRIC.fullmatch(name):
            return None
        if known.size and (known.min() < 0 or known.max() > 1):
            return None
    return steps[0], names
