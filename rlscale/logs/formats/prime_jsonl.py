"""prime-rl's ``metrics.jsonl``: many lines a step, written by trainer and orchestrator side by side.

Both write ``time/step``, with two meanings; it is told apart by the other keys of the line.
``progress/total_tokens`` is logged before the step's own tokens are added. Source:
src/prime_rl/monitors/file.py, orchestrator, trainer (2026-08).
"""

from __future__ import annotations

import re
from typing import Any

from ...curve import LogWarning
from ..columns import RowTable
from ..raw import RawRun
from ..source import Source, parse_json
from .json_rows import iterate_lines

NAME = "prime-rl metrics.jsonl"
EXTRA = None

_SIGNS = re.compile(
    r"progress/.+|train/agg/.+|mismatch_kl/.+|off_policy/.+|rollouts?/.+|eval/.+/(avg|pass)@\d+"
)
_TRAINER = re.compile(r"(mismatch_kl|optim|loss|entropy|perf|masked)/?.*")
_SHARED = ("time/step",)


def sniff(source: Source) -> bool:
    """Whether lines have ``step``, a unix ``time`` and keys of prime-rl."""
    first = source.first_object
    if "step" not in first or not isinstance(first.get("time"), (int, float)) or first["time"] < 1e8:
        return False
    if "progress/batch" in first:
        return False
    for line in source.text.split("\n")[:40]:
        row = parse_json(line) if line.startswith("{") else None
        if isinstance(row, dict) and any(_SIGNS.fullmatch(k) for k in row):
            return True
    return False


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    warnings: list[LogWarning] = []
    table = RowTable()
    for row in iterate_lines(source, warnings):
        table.add(_tell_writers_apart(row))
    columns = table.finish()
    numbers = columns.numbers
    if "progress/total_tokens" in numbers and "progress/tokens" in numbers:
        total = numbers["progress/total_tokens"] + numbers["progress/tokens"].fillna(0.0)
        columns.numbers = numbers.assign(**{"progress/total_tokens": total})
        warnings.append(
            LogWarning(
                "off-by-one",
                "progress/total_tokens is logged before its own step; progress/tokens was added to it.",
            )
        )
    return [
        RawRun(source.path.stem, columns, "step", "rollout_steps", warnings=warnings, framework="prime-rl")
    ]


def _tell_writers_apart(row: dict[str, Any]) -> dict[str, Any]:
    shared = [k for k in _SHARED if k in row]
    if not shared:
        return row
    writer = "trainer" if any(_TRAINER.fullmatch(k) for k in row) else "orchestrator"
    return {(f"{k} ({writer})" if k in shared else k): v for k, v in row.items()}
