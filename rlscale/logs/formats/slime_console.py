"""slime's log lines ``rollout N: {dict}``, ``perf N: {dict}`` and ``eval N: {dict}``; N counts rollouts.

``step N`` lines count optimizer updates and are kept as ``train/step``.
"""

from __future__ import annotations

import re

from ..columns import RowTable
from ..raw import RawRun
from ..source import Source, strip_ansi
from .printed_dict import parse_dict

NAME = "slime console log"
EXTRA = None

_LINE = re.compile(r"(?:^|[\s\]:-])(rollout|perf|eval|step) (\d{1,9}): (\{.*)")
_SIGN = re.compile(r"['\"](rollout/(raw_reward|response_len[\w/]*)|perf/(rollout_time|step_time))['\"]")


def sniff(source: Source) -> bool:
    """Whether such a line with a key of slime stands in the file."""
    if source.is_binary:
        return False
    if _SIGN.search(source.text) and _LINE.search(source.text):
        return True
    marked = "slime" in source.text.lower() or "sglang" in source.text.lower()
    return marked and any(_SIGN.search(line) and _LINE.search(line) for line in source.lines() if "{" in line)


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    table = RowTable()
    rollout = 0.0
    for line in source.lines():
        if ": {" not in line:
            continue
        match = _LINE.search(strip_ansi(line))
        if match is None:
            continue
        kind, number = match.group(1), float(match.group(2))
        row = parse_dict(match.group(3))
        if kind == "step":
            row["train/step"] = number
        else:
            rollout = number
        table.add({**row, "rollout/step": rollout})
    return [RawRun(source.path.stem, table.finish(), "rollout/step", "rollout_steps", framework="slime")]
