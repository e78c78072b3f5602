"""NeMo-RL's JSON dump of its TensorBoard log: ``{tag: {"1": value, …}}``.

Source: tests/json_dump_tb_logs.py of that repository (2026-08).
"""

from __future__ import annotations

from ...curve import LogWarning
from ..columns import RowTable, to_number
from ..raw import RawRun
from ..source import Source
from .json_rows import load_object

NAME = "NeMo-RL JSON dump"
EXTRA = None


def sniff(source: Source) -> bool:
    """Whether the file is one object of objects whose keys are step numbers."""
    text = source.text.lstrip("\ufeff \t\n")
    if not text.startswith("{"):
        return False
    rest = text[1:].lstrip()
    if not rest.startswith('"'):
        return False
    end = rest.find('"', 1)
    inner = rest[end + 1 :].lstrip()
    if not inner.startswith(":"):
        return False
    inner = inner[1:].lstrip()
    if not inner.startswith("{"):
        return False
    step = inner[1:].lstrip()
    return step.startswith('"') and step[1 : step.find('"', 1)].isdigit()


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    rows: dict[int, dict[str, float]] = {}
    bad = 0
    for tag, series in load_object(source).items():
        if not isinstance(series, dict):
            bad += 1
            continue
        for step, value in series.items():
            number = to_number(value)
            if number is None or not step.isdigit() or len(step) > 15:
                bad += 1
                continue
            rows.setdefault(int(step), {})[tag] = number
    table = RowTable()
    for step in sorted(rows):
        table.add({"step": step, **rows[step]})
    warnings = [LogWarning("lines-skipped", f"{bad} entries are no `step: number`; left out.")] if bad else []
    return [
        RawRun(
            source.path.stem, table.finish(), "step", "rollout_steps", warnings=warnings, framework="NeMo-RL"
        )
    ]
