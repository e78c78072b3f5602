"""CSV that the wandb web page exports: ``Step``, then ``<run> - <metric>`` with ``__MIN`` and ``__MAX``.

All cells are quoted. A run name may itself hold `` - ``; the metric comes after the last one. ``__MIN`` and
``__MAX`` equal the value unless the page grouped runs or thinned the points; such a column is no curve of one
run and is refused.
The first column is the axis that was shown: ``Step``, a relative time in seconds, or a metric such as
``train/global_step``; ``<run> - _step`` maps a time axis to steps.
"""

from __future__ import annotations

import csv

import numpy as np

from ...errors import LogError
from ..columns import Columns
from ..raw import RawRun
from ..source import Source
from .csv_table import read_columns

NAME = "wandb UI export CSV"
EXTRA = None

_SEPARATOR = " - "
_TRIPLE = ("__MIN", "__MAX")


def _header(source: Source) -> list[str]:
    line = source.first_line
    if "," not in line:
        return []
    try:
        return next(csv.reader([line]))
    except (csv.Error, StopIteration):
        return []


def sniff(source: Source) -> bool:
    """Whether the header has ``__MIN`` columns or ``<run> - <metric>`` names."""
    if source.is_binary:
        return False
    header = _header(source)
    if any(name.endswith(_TRIPLE) for name in header):
        return True
    return len(header) > 1 and all(_SEPARATOR in name for name in header[1:])


def read(source: Source) -> list[RawRun]:
    """Read the runs of the file, in the order of its columns."""
    columns = read_columns(source)
    names = [str(c) for c in columns.numbers.columns]
    order = [n for n in _header(source) if n in names]
    if not order:
        raise LogError(f"{source.path}: no column of numbers; give the CSV as the wandb page exports it")
    x = order[0]
    groups: dict[str, dict[str, str]] = {}
    for name in order[1:]:
        if name.endswith(_TRIPLE):
            continue
        run, separator, metric = name.rpartition(_SEPARATOR)
        groups.setdefault(run if separator else name, {})[metric if separator else name] = name
    raws = []
    for run, metrics in groups.items():
        named = {x: x, **metrics}
        numbers = columns.numbers[list(named.values())].set_axis(list(named), axis=1)
        rows = numbers[list(metrics)].notna().any(axis=1).to_numpy()
        if not rows.any():
            continue
        part = Columns(
            numbers, columns.texts[[]], {k: columns.bad[c] for k, c in named.items() if c in columns.bad}
        )
        raw = RawRun(run, part.take(rows), facts={"container": "wandb"})
        raw.step = "_step" if "_step" in metrics and x != "Step" else (x if x.lower() == "step" else None)
        for metric, name in metrics.items():
            refusal = _grouped(columns, name)
            if refusal:
                raw.refused[metric] = refusal
                raw.facts["grouped"] = f"{metric}: {refusal}"
        raws.append(raw)
    return raws


def _grouped(columns: Columns, name: str) -> str:
    """Say that a column is a mean over runs or thinned points, when ``__MIN`` or ``__MAX`` differ from it."""
    value = columns.numbers[name].to_numpy()
    for ending in _TRIPLE:
        if name + ending in columns.numbers:
            bound = columns.numbers[name + ending].to_numpy()
            both = np.isfinite(value) & np.isfinite(bound)
            differ = both & (np.abs(value - bound) > 1e-9 * np.maximum(1.0, np.abs(value)))
            if differ.any():
                return (
                    f"{int(differ.sum())} of {int(both.sum())} values differ from their {ending} column, "
                    "so they are means of "
                    "several runs or of thinned points; export one run ungrouped, or use run.scan_history()"
                )
    return ""
