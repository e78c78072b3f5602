"""TensorBoard event files ``events.out.tfevents.*``, one or a directory of them.

A restart writes a new file into the same directory, so all files of a directory are read in the order of
their time stamps and the last write of a (tag, step) wins. Scalars stand as ``simple_value`` or, in the
second style, as tensors of one number; texts and histograms between them are passed over. Source:
tensorboard's own record reader and protos.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import numpy as np

from ...curve import LogWarning
from ...errors import LogError
from ..columns import RowTable
from ..raw import RawRun
from ..source import Source

NAME = "TensorBoard event file"
EXTRA = "tensorboard"

_FILE = re.compile(r"\.tfevents\.")
_FLOATS = {1: "float_val", 2: "double_val", 3: "int_val", 9: "int64_val", 19: "half_val"}
_PACKED = {1: "<f4", 2: "<f8", 3: "<i4", 9: "<i8", 19: "<f2"}


def sniff(source: Source) -> bool:
    """Whether the file begins with a framed event."""
    head = source.head
    if len(head) < 24:
        return False
    (length,) = struct.unpack("<Q", head[:8])
    return length < 10_000 and (b"brain.Event:" in head[:64] or bool(_FILE.search(source.path.name)))


def list_events(directory: Path) -> list[Path]:
    """Return the event files of one directory, the oldest first."""
    files = [p for p in directory.iterdir() if _FILE.search(p.name) and p.is_file() and not p.is_symlink()]
    return sorted(files, key=lambda p: (_time_of(p.name), p.name))


def _time_of(name: str) -> int:
    match = re.search(r"\.tfevents\.(\d{1,18})", name)
    return int(match.group(1)) if match else 0


def read(source: Source) -> list[RawRun]:
    """Read the scalars of one file."""
    return read_files([source.path], source.path.stem)


def read_files(paths: list[Path], name: str) -> list[RawRun]:
    """Read the scalars of several files as one run."""
    table = RowTable()
    damaged = 0
    for path in paths:
        damaged += _read_one(path, table)
    if not table.rows:
        raise LogError(f"{paths[0]}: the event file holds no scalar; give the directory of the run")
    warnings = []
    if len(paths) > 1:
        warnings.append(
            LogWarning(
                "files-joined", f"{len(paths)} event files of one directory were read in the order of time."
            )
        )
    if damaged:
        warnings.append(
            LogWarning(
                "lines-skipped", f"{damaged} event files are torn or damaged; what stands before is read."
            )
        )
    return [RawRun(name, table.finish(), "step", facts={"container": "tensorboard"}, warnings=warnings)]


def _read_one(path: Path, table: RowTable) -> int:
    """Add the scalars of a file, one row for what is written together; return 1 when damaged."""
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event

    row: dict[str, Any] = {}
    damaged = 0
    loader = RawEventFileLoader(str(path)).Load()
    while True:
        try:
            record = next(loader, None)
        except Exception:  # TensorBoard's DataLossError has no public home
            damaged = 1
            break
        if record is None:
            break
        try:
            event = Event.FromString(record)
        except Exception:  # protobuf's DecodeError
            damaged = 1
            continue
        if not event.HasField("summary"):
            continue
        step = event.step
        for value in event.summary.value:
            number = _scalar(value)
            if number is None:
                continue
            if row and (row["step"] != step or value.tag in row):
                table.add(row)
                row = {}
            if not row:
                row = {"step": float(step), "wall_time": event.wall_time}
            row[value.tag] = number
    if row:
        table.add(row)
    return damaged


def _scalar(value: Any) -> float | None:
    """Return the number of a summary value, or None when it is a text, picture or histogram."""
    kind = value.WhichOneof("value")
    if kind == "simple_value":
        return float(value.simple_value)
    if kind != "tensor":
        return None
    tensor = value.tensor
    if tensor.dtype not in _FLOATS or any(d.size != 1 for d in tensor.tensor_shape.dim):
        return None
    if tensor.tensor_content:
        found = np.frombuffer(tensor.tensor_content, dtype=_PACKED[tensor.dtype])
        return float(found[0]) if found.size == 1 else None
    held = getattr(tensor, _FLOATS[tensor.dtype])
    if tensor.dtype == 19 and len(held) == 1:
        return float(np.array([held[0]], np.uint16).view(np.float16)[0])
    return float(held[0]) if len(held) == 1 else None
