"""Console tables of tinker-cookbook: a title ``Step N``, then rows ``│ key │ value │``.

The keys are those of ``metrics.jsonl``.
"""

from __future__ import annotations

import re

from ..columns import RowTable
from ..raw import RawRun
from ..source import Source, strip_ansi

NAME = "tinker-cookbook console log"
EXTRA = None

_TITLE = re.compile(r"^\s*Step (\d{1,9})\s*$")
_ROW = re.compile(r"^\s*[│|]\s*(\S[^│|]*?)\s*[│|]\s*(\S[^│|]*?)\s*[│|]\s*$")
_SIGN = re.compile(r"[│|]\s*(progress/(batch|done_frac)|env/all/[\w/]+|optim/\w+)\s*[│|]")


def sniff(source: Source) -> bool:
    """Whether a table with keys of tinker-cookbook stands in the file."""
    if source.is_binary:
        return False
    if "tinker_cookbook" not in source.text and not _SIGN.search(source.text):
        return False
    return bool(_SIGN.search(source.text)) or any(_SIGN.search(line) for line in source.lines())


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    table = RowTable()
    row: dict[str, object] = {}
    for line in source.lines():
        if "\x1b" in line:
            line = strip_ansi(line)
        if "Step" in line:
            title = _TITLE.match(line)
            if title:
                if len(row) > 1:
                    table.add(row)
                row = {"step": float(title.group(1))}
                continue
        if row and ("│" in line or "|" in line):
            cells = _ROW.match(line)
            if cells:
                row[cells.group(1)] = cells.group(2)
    if len(row) > 1:
        table.add(row)
    return [RawRun(source.path.stem, table.finish(), "step", "rollout_steps", framework="tinker-cookbook")]
