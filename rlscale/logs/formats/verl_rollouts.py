"""verl's dumps of samples: ``<directory>/<step>.jsonl``, one line a sample.

A line has ``input``, ``output``, ``score``, ``step`` and what else the reward function returns.
Prompts that repeat are groups, so that the share of groups without variance follows from the samples.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from ...curve import LogWarning
from ...errors import LogError
from ..columns import RowTable, to_number
from ..raw import RawRun
from ..source import Source
from .per_sample import exact_shares

NAME = "verl sample dump"
EXTRA = None

_FILE = re.compile(r"^\d{1,9}\.jsonl$")


def sniff(source: Source) -> bool:
    """Whether the first line is a sample with input, output, score and step."""
    return {"input", "output", "score", "step"} <= source.first_object.keys()


def list_dumps(directory: Path) -> list[Path]:
    """Return the dumps of one directory by step."""
    files = [p for p in directory.iterdir() if _FILE.match(p.name) and p.is_file() and not p.is_symlink()]
    return sorted(files, key=lambda p: int(p.stem))


def read(source: Source) -> list[RawRun]:
    """Read the samples of one file."""
    return read_files([source.path], source.path.stem)


def read_files(paths: list[Path], name: str) -> list[RawRun]:
    """Read the samples of several steps as one run."""
    table = RowTable()
    groups: dict[float, dict[int, list[float]]] = {}
    bad = 0
    for path in paths:
        for line in Source.open(path).lines():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                bad += bool(line.strip())
                continue
            if not isinstance(row, dict):
                bad += 1
                continue
            numbers = _numbers_of(row)
            if "step" not in numbers and path.stem.isdigit():
                numbers["step"] = float(path.stem)
            table.add(numbers)
            score = numbers.get("score")
            if isinstance(row.get("input"), str) and score is not None and "step" in numbers:
                groups.setdefault(numbers["step"], {}).setdefault(hash(row["input"]), []).append(score)
    if not table.rows:
        raise LogError(f"{paths[0]}: no sample; give the directory of dumps")
    sizes = [len(scores) for step in groups.values() for scores in step.values()]
    raw = RawRun(name, table.finish(), "step", "rollout_steps", facts={"container": "samples"})
    heldout = any("val" in part.lower() for part in paths[0].parts[-2:-1])
    exact_shares(raw, heldout)
    if sizes and min(sizes) > 1:
        raw.facts["dead_groups"] = {
            step: float(np.mean([len(set(scores)) == 1 for scores in found.values()]))
            for step, found in groups.items()
        }
    if sizes:
        problems = int(np.median([len(found) for found in groups.values()]))
        raw.facts["groups"] = (problems, int(np.median(sizes)))
    if bad:
        raw.warnings.append(LogWarning("lines-skipped", f"{bad} lines are no JSON object; left out."))
    return [raw]


def _numbers_of(row: dict[str, Any]) -> dict[str, float]:
    """Keep the numbers of a sample: its texts are long and not needed."""
    found = {}
    for key, value in row.items():
        if isinstance(value, (bool, int, float)):
            number = to_number(value)
            if number is not None:
                found[str(key)] = number
    return found
