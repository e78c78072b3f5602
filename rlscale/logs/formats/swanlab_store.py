"""The ``run-<id>.swanlab`` file of SwanLab: framed like a LevelDB log, protocol-buffer records.

A scalar record has key (1), step (2), time (4) and a value message (5) with a double (1). Older versions
wrote one JSON-lines file a metric. Source: swanlab protos (2026-08); the record that carries a scalar is
known by its shape, so that a renumbered envelope does not matter.
"""

from __future__ import annotations

from typing import Any

from ...curve import LogWarning
from ...errors import LogError
from ..columns import RowTable
from ..raw import RawRun
from ..source import Source
from .record_log import RecordLog
from .wire import BYTES, EIGHT_BYTES, VARINT, iterate_fields, to_double

NAME = "SwanLab run file"
EXTRA = None


def sniff(source: Source) -> bool:
    """Whether the file begins with SwanLab's mark."""
    return source.head.startswith(b":SWL")


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    table = RowTable()
    log = RecordLog(source.path)
    row: dict[str, Any] = {}
    unread = 0
    for data in log:
        try:
            fields = list(iterate_fields(data))
        except ValueError:
            unread += 1
            continue
        for number, wire, value in fields:
            if number < 3 or wire != BYTES or not isinstance(value, bytes):
                continue
            scalar = _parse_scalar(value)
            if scalar is None:
                continue
            key, step, clock, number_value = scalar
            if row and (row["step"] != step or key in row):
                table.add(row)
                row = {}
            row["step"] = step
            if clock:
                row.setdefault("timestamp", clock)
            row[key] = number_value
    if row:
        table.add(row)
    damaged = log.damaged + unread
    if not table.rows:
        raise LogError(f"{source.path}: the SwanLab file holds no scalar; was a number logged in this run?")
    warnings = [LogWarning("lines-skipped", f"{damaged} damaged records were left out.")] if damaged else []
    return [RawRun(source.path.stem, table.finish(), warnings=warnings)]


def _parse_scalar(data: bytes) -> tuple[str, float, float, float] | None:
    """Return key, step, time and number when a message has the shape of a scalar record."""
    try:
        fields = {number: (wire, value) for number, wire, value in iterate_fields(data)}
        wire, raw_key = fields.get(1, (VARINT, b""))
        wire_value, raw_value = fields.get(5, (VARINT, b""))
        if (
            wire != BYTES
            or wire_value != BYTES
            or not isinstance(raw_key, bytes)
            or not isinstance(raw_value, bytes)
        ):
            return None
        inner = {number: (kind, value) for number, kind, value in iterate_fields(raw_value)}
        if inner and (set(inner) != {1} or inner[1][0] != EIGHT_BYTES):
            return None
        number_value = inner[1][1] if inner else b"\0" * 8  # a zero is not written
        _, step = fields.get(2, (VARINT, 0))
        clock = 0.0
        if 4 in fields and isinstance(fields[4][1], bytes):
            clock = float(
                next((int(v) for n, w, v in iterate_fields(fields[4][1]) if n == 1 and w == VARINT), 0)
            )
        if not isinstance(step, int) or not isinstance(number_value, bytes):
            return None
        return raw_key.decode("utf-8"), float(step), clock, to_double(number_value)
    except (ValueError, UnicodeDecodeError):
        return None
