"""MLflow's file store: ``<experiment>/<run>/metrics/<key>`` with lines ``timestamp_ms value step``.

The path below ``metrics`` is the key; verl writes ``mean@32`` as ``mean_at_32``. Source: mlflow file store
(2026-08).
"""

from __future__ import annotations

import re
from pathlib import Path

from ...curve import LogWarning
from ...errors import LogError
from ..columns import RowTable
from ..raw import RawRun
from ..source import Source

NAME = "MLflow file store"
EXTRA = None

_LINE = re.compile(r"^\d{10,19} \S+ -?\d+\s*$")
_AT = re.compile(r"_at_(?=\d)")


def sniff(source: Source) -> bool:
    """Whether every line near the beginning is ``timestamp value step``."""
    if source.is_binary:
        return False
    lines = [line for line in source.text.split("\n")[:20] if line.strip()]
    return bool(lines) and all(_LINE.match(line) for line in lines[:-1] or lines)


def read(source: Source) -> list[RawRun]:
    """Read the one metric of a file; give the directory of the run for all of them."""
    parts = source.path.parts
    below = parts[len(parts) - parts[::-1].index("metrics") :] if "metrics" in parts else parts[-1:]
    return _read_files({"/".join(below): source.path}, "/".join(below))


def is_run(directory: Path) -> bool:
    """Whether a directory is one run of the store."""
    return (directory / "meta.yaml").is_file() and (directory / "metrics").is_dir()


def read_run(directory: Path) -> list[RawRun]:
    """Read every metric of a run directory."""
    root = directory / "metrics"
    files = {
        p.relative_to(root).as_posix(): p
        for p in sorted(root.rglob("*"))
        if p.is_file() and not p.is_symlink()
    }
    if not files:
        raise LogError(f"{directory}: an MLflow run without a metric; was anything logged in this run?")
    name = directory.name
    label = directory / "tags" / "mlflow.runName"
    if label.is_file() and not label.is_symlink():
        name = label.read_text("utf-8", errors="replace").strip()[:200] or name
    return _read_files(files, name)


def _read_files(files: dict[str, Path], name: str) -> list[RawRun]:
    rows: list[tuple[int, int, str, str]] = []
    bad = 0
    for key, path in files.items():
        key = _AT.sub("@", key)
        with path.open("r", encoding="utf-8", errors="replace") as stream:
            for line in stream:
                parts = line.split()
                if not parts:
                    continue
                try:
                    clock, value, step = int(parts[0]), parts[1], int(parts[2])
                except (ValueError, IndexError):
                    bad += 1
                    continue
                rows.append((clock, step, key, value))
    # by time: a resume writes old steps again, later
    rows.sort(key=lambda r: r[0])
    table = RowTable()
    row: dict[str, object] = {}
    for clock, step, key, value in rows:
        if row and (row["step"] != step or key in row):
            table.add(row)
            row = {}
        row.setdefault("step", step)
        row.setdefault("timestamp", clock / 1000.0)
        row[key] = value
    if row:
        table.add(row)
    warnings = (
        [LogWarning("lines-skipped", f"{bad} lines are not `timestamp value step`; left out.")] if bad else []
    )
    return [RawRun(name, table.finish(), "step", facts={"container": "mlflow"}, warnings=warnings)]
