"""torchforge's console block: a line with ``METRICS STEP N``, then ``key: value`` lines, then a rule."""

from __future__ import annotations

import re

from ..columns import RowTable, to_number
from ..raw import RawRun
from ..source import Source, strip_ansi

NAME = "torchforge console log"
EXTRA = None

_TITLE = re.compile(r"METRICS STEP (\d{1,9})\b")
_PAIR = re.compile(r"^\s*([\w@./-]+(?: [\w@./-]+)?)\s*:\s*(\S+)\s*$")


def sniff(source: Source) -> bool:
    """Whether such a block stands in the file."""
    if source.is_binary:
        return False
    if _TITLE.search(source.text):
        return True
    return "forge" in source.text.lower() and any(_TITLE.search(x) for x in source.lines() if "METRICS" in x)


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    table = RowTable()
    row: dict[str, float] = {}
    inside = False
    for line in source.lines():
        line = strip_ansi(line)
        title = _TITLE.search(line)
        if title:
            if len(row) > 1:
                table.add(row)
            row, inside = {"step": float(title.group(1))}, True
            continue
        if not inside:
            continue
        if line.strip() and not line.strip().strip("=-"):
            inside = len(row) < 2  # the rule under the title, or the one that ends the block
            continue
        pair = _PAIR.match(line)
        number = to_number(pair.group(2)) if pair else None
        if pair and number is not None:
            row[pair.group(1)] = number
    if len(row) > 1:
        table.add(row)
    return [RawRun(source.path.stem, table.finish(), "step", "updates", framework="torchforge")]
