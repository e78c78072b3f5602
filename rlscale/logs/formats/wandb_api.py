"""CSV of a wandb history frame: ``run.history()`` or ``run.scan_history()`` written with pandas.

``history()`` is a random sample of 500 rows; series that are logged at different times are empty in most
rows. ``_step`` is wandb's own counter and is not used where the log has a step of its own.
"""

from __future__ import annotations

from ..raw import RawRun
from ..source import Source
from .csv_table import read_columns, read_header

NAME = "wandb history CSV"
EXTRA = None


def sniff(source: Source) -> bool:
    """Whether the header has ``_step`` and ``_timestamp`` or ``_runtime``."""
    if source.is_binary:
        return False
    header = set(read_header(source))
    return "_step" in header and bool(header & {"_timestamp", "_runtime"})


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    columns = read_columns(source)
    unnamed = [c for c in columns.numbers.columns if str(c).startswith("Unnamed:")]
    columns.numbers = columns.numbers.drop(columns=unnamed)
    return [RawRun(source.path.stem, columns, facts={"container": "wandb"})]
