"""SQLite stores: trackio's ``<project>.db`` and MLflow's ``mlruns.db``; both have a table ``metrics``.

trackio: ``metrics(run_name, step, timestamp, metrics)`` with a JSON object a row. MLflow: ``metrics(run_uuid,
key, value, step, timestamp)`` and ``runs(run_uuid, name)``. The file is opened read-only, only true tables
are read (a view could run for ever), and a query that takes too long is ended.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from ...errors import LogError
from ..columns import RowTable
from ..raw import RawRun
from ..source import Source, parse_json

NAME = "SQLite store"
EXTRA = None

_LONGEST_QUERY = 60.0


def sniff(source: Source) -> bool:
    """Whether the file begins as SQLite files do."""
    return source.head.startswith(b"SQLite format 3\0")


def read(source: Source) -> list[RawRun]:
    """Read the runs of the store."""
    try:
        uri = f"{source.path.absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as base:
            base.execute("PRAGMA trusted_schema=OFF")
            end = time.monotonic() + _LONGEST_QUERY
            base.set_progress_handler(lambda: int(time.monotonic() > end), 100_000)
            base.text_factory = lambda data: data.decode("utf-8", "replace")
            columns = _columns_of(base, "metrics")
            if {"run_name", "step", "metrics"} <= columns:
                return _read_trackio(base, columns)
            if {"run_uuid", "key", "value", "step"} <= columns:
                return _read_mlflow(base, columns)
    except (sqlite3.Error, OverflowError, ValueError) as error:
        raise LogError(
            f"{source.path}: the SQLite file is damaged or locked ({error}); give a copy of the whole file"
        ) from None
    raise LogError(
        f"{source.path}: a SQLite file without the table of trackio or MLflow; export its metrics as CSV"
    )


def _columns_of(base: sqlite3.Connection, table: str) -> set[str]:
    found = base.execute("SELECT type FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    if found is None or found[0] != "table":
        return set()
    return {row[1] for row in base.execute(f"PRAGMA table_info({table})")}


def _read_trackio(base: sqlite3.Connection, columns: set[str]) -> list[RawRun]:
    tables: dict[str, RowTable] = {}
    fields = "run_name, step, metrics" + (", timestamp" if "timestamp" in columns else ", NULL")
    for run, step, metrics, clock in base.execute(f"SELECT {fields} FROM metrics ORDER BY rowid"):
        row = parse_json(metrics) if isinstance(metrics, str) else None
        if isinstance(row, dict):
            found: dict[str, Any] = {"step": step, "timestamp": clock}
            found.update((k, v) for k, v in row.items() if k not in found)
            tables.setdefault(str(run), RowTable()).add(found)
    return [
        RawRun(run, table.finish(), "step", facts={"container": "trackio"}) for run, table in tables.items()
    ]


def _read_mlflow(base: sqlite3.Connection, columns: set[str]) -> list[RawRun]:
    names: dict[str, str] = {}
    if {"run_uuid", "name"} <= _columns_of(base, "runs"):
        names = {str(u): str(n or u) for u, n in base.execute("SELECT run_uuid, name FROM runs")}
    clock = "timestamp" if "timestamp" in columns else "0"
    raws = []
    for (run,) in base.execute("SELECT DISTINCT run_uuid FROM metrics").fetchall():
        table = RowTable()
        query = f"SELECT {clock}, step, key, value FROM metrics WHERE run_uuid IS ? ORDER BY {clock}, rowid"
        for row in _join_rows(base.execute(query, (run,))):
            table.add(row)
        raws.append(
            RawRun(names.get(str(run), str(run)), table.finish(), "step", facts={"container": "mlflow"})
        )
    return raws


def _join_rows(rows: sqlite3.Cursor) -> Iterator[dict[str, Any]]:
    """Yield one row for the values that were logged together."""
    row: dict[str, Any] = {}
    for clock, step, key, value in rows:
        key = str(key)
        if row and (row["step"] != step or key in row):
            yield row
            row = {}
        if not row:
            row = {"step": step, "timestamp": clock / 1000.0 if isinstance(clock, (int, float)) else None}
        row[key] = value
    if row:
        yield row
