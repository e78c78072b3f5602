"""The ``run-<id>.wandb`` file that wandb writes on disk, online or offline.

A history record is one ``wandb.log`` call: items of a key (or a nested key) and a JSON value. Source:
wandb/proto/wandb_internal.proto; the framing is that of LevelDB logs.
"""

from __future__ import annotations

import json
import math
from typing import Any

from ...curve import LogWarning
from ...errors import LogError
from ..columns import RowTable
from ..raw import RawRun
from ..source import Source
from .record_log import RecordLog

NAME = "wandb run file"
EXTRA = "wandb"


def sniff(source: Source) -> bool:
    """Whether the file begins with wandb's mark."""
    return source.head.startswith(b":W&B")


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    from wandb.proto import wandb_internal_pb2

    new_record: Any = wandb_internal_pb2.Record  # type: ignore[attr-defined]
    table = RowTable()
    log = RecordLog(source.path)
    name = source.path.stem
    unread = 0
    for data in log:
        record = new_record()
        try:
            record.ParseFromString(data)
        except Exception:  # protobuf raises its own DecodeError, whose class differs between its versions
            unread += 1
            continue
        kind = record.WhichOneof("record_type")
        if kind == "run" and record.run.display_name:
            name = record.run.display_name
        elif kind == "history":
            row = {}
            for item in record.history.item:
                key = "/".join(item.nested_key) or item.key
                try:
                    row[key] = json.loads(item.value_json)
                except (ValueError, RecursionError):
                    row[key] = math.nan
            if row:
                table.add(row)
    damaged = log.damaged + unread
    if not table.rows:
        torn = f" ({damaged} records are damaged)" if damaged else ""
        raise LogError(
            f"{source.path}: the wandb file holds no logged row{torn}; was anything logged in this run?"
        )
    warnings = []
    if damaged:
        warnings.append(LogWarning("lines-skipped", f"{damaged} damaged records were left out."))
    return [RawRun(name, table.finish(), facts={"container": "wandb"}, warnings=warnings)]
