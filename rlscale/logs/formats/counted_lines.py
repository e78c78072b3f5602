"""Text lines of hand-written training loops.

Either ``12/100 | loss=0.1 | reward=0.25 | acc=62.5%`` or ``Step 3/30 | …``, one line a step; or a title line
``GRPO Iteration: 7 …`` with ``name: value`` lines below it.

A number with ``%`` is a percentage, whatever its name, and is divided by 100.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...curve import LogWarning
from ..columns import RowTable, to_number
from ..raw import RawRun
from ..series import parse_name
from ..source import Source, strip_ansi

NAME = "text log of a training loop"
EXTRA = None

_COUNTED = re.compile(
    r"(?i)(?:^|\s)(?:(step|iter|iteration|update|rollout|batch)\s*[:#]?\s*)?(\d{1,9})\s*/\s*(\d{1,9})\s*[|:,]\s*(.*=.*)$"
)
_NAMED = re.compile(
    r"(?i)(?:^|\s)(step|iter|iteration|update|rollout)\s*[:=#]?\s*(\d{1,9})\s*[|:,-]\s*(.*[=:].*)$"
)
_PAIR = re.compile(
    r"([A-Za-z][\w/@. -]{0,60}?)\s*[=:]\s*([-+]?[\d.]+(?:e[-+]?\d+)?|nan|inf)(%?)(?=$|[\s|,;\])])",
    re.IGNORECASE,
)
_ITERATION = re.compile(
    r"(?i)^\W{0,3}(?:(?:grpo|ppo|rl|training) )?(iteration):?\s+(\d{1,9})\b(?=[ ,:]*(?:epoch|evaluat|$))(.*)$"
)
_LINE_PAIR = re.compile(
    r"^\s*([A-Za-z][\w /@-]{2,60}?)\s*:\s+([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(%?)\s*$", re.IGNORECASE
)


def sniff(source: Source) -> bool:
    """Whether such lines stand in the file with the name of a reward or a pass rate."""
    if source.is_binary:
        return False
    return any(True for _ in _iterate_rows(source, stop_after=200_000))


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    table = RowTable()
    warnings: list[LogWarning] = []
    facts: dict[str, Any] = {}
    percent: set[str] = set()
    totals: set[int] = set()
    for step, total, row, scaled in _iterate_rows(source):
        percent |= scaled
        if total:
            totals.add(total)
        table.add({**row, "step": float(step)})
    if len(totals) == 1:
        facts["planned_steps"] = (float(totals.pop()), "i/N of the lines")
    for name in sorted(percent):
        warnings.append(LogWarning("scaled", f"{name}: printed with %, divided by 100."))
    return [RawRun(source.path.stem, table.finish(), "step", facts=facts, warnings=warnings)]


def _iterate_rows(
    source: Source, stop_after: int | None = None
) -> Iterator[tuple[int, int, dict[str, float], set[str]]]:
    """Yield step, total, numbers, and the names that were printed with ``%``."""
    step: int | None = None
    heldout = False
    for number, line in enumerate(source.lines()):
        if stop_after is not None and number > stop_after:
            return
        if len(line) > 5000:
            continue
        if "=" in line and ("/" in line or "tep" in line or "ter" in line):
            clean = strip_ansi(line)
            match = _COUNTED.search(clean)
            named = None if match else _NAMED.search(clean)
            row, scaled = _pairs(match.group(4) if match else named.group(3) if named else "")
            if match and _tells(row):
                yield int(match.group(2)), int(match.group(3)), row, scaled
                continue
            if named and _tells(row):
                yield int(named.group(2)), 0, row, scaled
                continue
        if ":" not in line and "," not in line:
            continue
        title = _ITERATION.search(line) if "teration" in line else None
        if title and len(line) < 400:
            step = int(title.group(2))
            heldout = bool(re.search(r"(?i)evaluat|valid|\btest", title.group(3)))
            continue
        if step is not None:
            pair = _LINE_PAIR.match(line)
            if pair:
                value = to_number(pair.group(2))
                key = pair.group(1).strip()
                if value is None or not _tells({key: value}):
                    continue
                scaled_by = 0.01 if pair.group(3) else 1.0
                name = f"{'eval' if heldout else 'train'}/{key}"
                yield step, 0, {name: value * scaled_by}, {name} if pair.group(3) else set()
                heldout = False


def _pairs(text: str) -> tuple[dict[str, float], set[str]]:
    row: dict[str, float] = {}
    scaled: set[str] = set()
    for key, value, sign in _PAIR.findall(text):
        number = to_number(value)
        if number is None:
            continue
        key = key.strip()
        if sign:
            scaled.add(key)
            number /= 100.0
        row[key] = number
    return row, scaled


def _tells(row: dict[str, float]) -> bool:
    return any(parse_name(key).kind not in ("other", "length") for key in row)
