"""OpenRLHF's log lines ``Global step N: {dict}``; N counts rollout batches."""

from __future__ import annotations

import re

from ..columns import RowTable
from ..raw import RawRun
from ..source import Source, strip_ansi
from .printed_dict import parse_dict

NAME = "OpenRLHF console log"
EXTRA = None

_LINE = re.compile(r"Global step (\d{1,9}): (\{.*)")


def sniff(source: Source) -> bool:
    """Whether such a line stands in the file."""
    if source.is_binary:
        return False
    if _LINE.search(source.text):
        return True
    marked = "openrlhf" in source.text.lower()
    return marked and any(_LINE.search(line) for line in source.lines() if "Global step" in line)


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    table = RowTable()
    for line in source.lines():
        if "Global step" in line:
            match = _LINE.search(strip_ansi(line))
            if match:
                # the console has the bare names, the event files have a group before them
                row = {_with_group(k): v for k, v in parse_dict(match.group(2)).items()}
                table.add({**row, "step": float(match.group(1))})
    return [RawRun(source.path.stem, table.finish(), "step", "rollout_steps", framework="OpenRLHF")]


def _with_group(key: str) -> str:
    if "/" in key.split("_")[0] or key.startswith(("train/", "eval/")):
        return key
    return f"eval/{key}" if key.startswith("eval_") else f"train/{key}"
