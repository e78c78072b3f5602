"""CSV or JSON that TensorBoard's page downloads: ``Wall time,Step,Value`` of one tag.

The page thins it to 1,000 points. The tag stands in the file name only. Source:
tensorboard/plugins/scalar/scalars_plugin.py.
"""

from __future__ import annotations

from ..raw import RawRun
from ..source import Source
from .csv_table import read_columns, read_header

NAME = "TensorBoard CSV"
EXTRA = None


def sniff(source: Source) -> bool:
    """Whether the header is ``Wall time,Step,Value``."""
    return not source.is_binary and [h.lower() for h in read_header(source)] == ["wall time", "step", "value"]


def read(source: Source) -> list[RawRun]:
    """Read the one tag of the file."""
    columns = read_columns(source)
    stem = source.path.stem
    run, separator, tag = stem.rpartition("-tag-")
    tag = tag if separator else stem
    columns.numbers = columns.numbers.rename(columns=lambda c: tag if str(c).lower() == "value" else c)
    columns.bad = {tag if k.lower() == "value" else k: v for k, v in columns.bad.items()}
    return [RawRun(run.removeprefix("run-") or stem, columns, "Step", facts={"container": "tensorboard"})]
