"""Parquet: wandb's history export, trackio's ``<project>.parquet``, TRL's completions, or any table.

Only columns of numbers and short texts are read, a batch of rows at a time, so that prompts and answers never
fill the memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import LogError
from ..columns import Columns, RowTable
from ..raw import RawRun
from ..source import Source
from .per_sample import exact_shares

NAME = "parquet table"
EXTRA = "parquet"

_RUN_COLUMNS = ("run_name", "run", "run_id")
_TEXTS = frozenset(("run_name", "run", "run_id", "timestamp", "time", "log_type", "split"))


def sniff(source: Source) -> bool:
    """Whether the file begins as parquet files do."""
    return source.head.startswith(b"PAR1")


def read(source: Source) -> list[RawRun]:
    """Read the runs of one file."""
    return read_files([source.path], source.path.stem)


def read_files(paths: list[Path], name: str) -> list[RawRun]:
    """Read several files with the same columns as one log (TRL writes one a step)."""
    table = RowTable()
    texts: set[str] = set()
    for path in paths:
        texts |= _read_one(path, table)
    columns = table.finish()
    if "step" in columns.numbers and {"prompt", "completion"} & texts:
        raw = RawRun(name, columns, "step", "updates", facts={"container": "samples"})
        exact_shares(raw)
        return [raw]
    for key in _RUN_COLUMNS:
        if key in columns.texts:
            return [RawRun(run, part) for run, part in _by_run(columns, key).items()]
    return [RawRun(name, columns)]


def _by_run(columns: Columns, key: str) -> dict[str, Columns]:
    labels = columns.texts[key].to_numpy()
    return {str(label): columns.take(labels == label) for label in dict.fromkeys(labels) if label is not None}


def _read_one(path: Path, table: RowTable) -> set[str]:
    """Add the rows of one file; return the names of its text columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, memory_map=False) as file:
            names: list[str] = []
            texts: set[str] = set()
            for column in file.schema_arrow:
                kind = column.type
                if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
                    names.append(column.name)
                elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
                    texts.add(column.name)
                    if column.name in _TEXTS:
                        names.append(column.name)
                elif pa.types.is_timestamp(kind) or pa.types.is_decimal(kind):
                    names.append(column.name)
            if file.metadata.num_rows > 50_000_000:
                raise LogError(f"{path}: {file.metadata.num_rows:,} rows; that is no training log")
            for batch in file.iter_batches(batch_size=65_536, columns=names):
                data = {name: _plain(batch.column(i)) for i, name in enumerate(batch.schema.names)}
                for values in zip(*data.values(), strict=True):
                    table.add(dict(zip(data, values, strict=True)))
            return texts
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise LogError(
            f"{path}: the parquet file is damaged ({' '.join(str(error).split())[:150]})"
        ) from None


def _plain(column: Any) -> list[Any]:
    """Return a column as Python numbers and texts; times as text."""
    import pyarrow as pa

    if pa.types.is_timestamp(column.type):
        return [None if v is None else v.timestamp() for v in column.to_pylist()]
    if pa.types.is_decimal(column.type):
        return [None if v is None else float(v) for v in column.to_pylist()]
    return list(column.to_pylist())
