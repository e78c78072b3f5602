"""What the writers of known curves share.

Rates are multiples of 1/8, so that three printed decimals and 32-bit floats hold them exactly.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

RATES = [0.125, 0.125, 0.25, 0.375, 0.25, 0.5, 0.5, 0.625, 0.625, 0.75, 0.625, 0.75]
STEPS = [10 * i for i in range(len(RATES))]


@dataclass
class Written:
    """A log on disk and what reading it must give."""

    path: Path
    x: list[float]
    y: list[float]
    y_key: str
    unit: str
    kind: str
    run: str | None = None
    ask: str | None = None  # --y that is needed
    extra: str | None = None


def write_lines(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
