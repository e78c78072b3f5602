"""JSON that TensorBoard's page downloads: a list of ``[wall time, step, value]`` of one tag.

As with the CSV, the page thins it to 1,000 points and the tag stands in the file name only.
"""

from __future__ import annotations

import re

from ...curve import LogWarning
from ..columns import RowTable, to_number
from ..raw import RawRun
from ..source import Source
from .json_rows import iterate_list

NAME = "TensorBoard JSON"
EXTRA = None

_START = re.compile(r"^\s*\[\s*\[\s*1\d{9}(\.\d+)?\s*,\s*\d+\s*,\s*[-+\dN]")


def sniff(source: Source) -> bool:
    """Whether the file begins with a list of a time of day, a step and a value."""
    return not source.is_binary and bool(_START.match(source.text[:500].lstrip("\ufeff")))


def read(source: Source) -> list[RawRun]:
    """Read the one tag of the file."""
    warnings: list[LogWarning] = []
    stem = source.path.stem
    run, separator, tag = stem.rpartition("-tag-")
    tag = tag if separator else stem
    table = RowTable()
    for item in iterate_list(source, warnings):
        if isinstance(item, list) and len(item) == 3 and all(to_number(v) is not None for v in item):
            table.add({"Wall time": item[0], "Step": item[1], tag: item[2]})
    name = run.removeprefix("run-") or stem
    return [RawRun(name, table.finish(), "Step", facts={"container": "tensorboard"}, warnings=warnings)]
