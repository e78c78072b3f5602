"""File logger of verl and rllm: each line is ``{"step": n, "data": {...}}``.

The file is opened for writing anew at each start, so that a resume erases what stood before: steps that begin
late mean that the head is lost. Validation at step 0 (``val_before_train``) is a row of its own. Source:
verl/utils/tracking.py.
"""

from __future__ import annotations

from ...curve import LogWarning
from ..columns import RowTable
from ..raw import RawRun
from ..source import Source
from .json_rows import iterate_lines

NAME = "verl or rllm file logger"
EXTRA = None


def sniff(source: Source) -> bool:
    """Whether the first line has just ``step`` and an object ``data``."""
    row = source.first_object
    return set(row) == {"step", "data"} and isinstance(row["data"], dict)


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    warnings: list[LogWarning] = []
    table = RowTable()
    for row in iterate_lines(source, warnings):
        data = row.get("data")
        if isinstance(data, dict):
            table.add({**{k: v for k, v in data.items() if k != "step"}, "step": row.get("step")})
    return [RawRun(source.path.stem, table.finish(), "step", "rollout_steps", warnings=warnings)]
