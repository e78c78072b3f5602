"""CSV that SwanLab's web page exports: ``step``, then ``<experiment>-<key>_step`` and ``…_timestamp`` pairs.

In spite of its name, the ``_step`` column holds the **value**. Source: swanlab/api/metric.py (2026-08).
"""

from __future__ import annotations

from ...errors import LogError
from ..columns import Columns
from ..raw import RawRun
from ..series import parse_name
from ..source import Source
from .csv_table import read_columns, read_header

NAME = "SwanLab export CSV"
EXTRA = None


def sniff(source: Source) -> bool:
    """Whether the header is ``step`` and pairs ending in ``_step`` and ``_timestamp``."""
    if source.is_binary:
        return False
    header = read_header(source)
    if len(header) < 3 or header[0] != "step" or len(header) % 2 == 0:
        return False
    pairs = zip(header[1::2], header[2::2], strict=True)
    return all(a.endswith("_step") and b.endswith("_timestamp") and a[:-5] == b[:-10] for a, b in pairs)


def read(source: Source) -> list[RawRun]:
    """Read the runs of the file: one an experiment."""
    columns = read_columns(source)
    if "step" not in columns.numbers:
        raise LogError(
            f"{source.path}: the column 'step' holds no numbers; give the CSV as SwanLab exports it"
        )
    groups: dict[str, dict[str, str]] = {}
    for name in (str(c) for c in columns.numbers.columns):
        if name.endswith("_step"):
            experiment, key = _split(name.removesuffix("_step"))
            groups.setdefault(experiment, {})[key] = name
    raws = []
    for experiment, keys in groups.items():
        numbers = columns.numbers[["step", *keys.values()]].set_axis(["step", *keys], axis=1)
        part = Columns(
            numbers, columns.texts[[]], {k: columns.bad[c] for k, c in keys.items() if c in columns.bad}
        )
        rows = numbers[list(keys)].notna().any(axis=1).to_numpy()
        if rows.any():
            raws.append(RawRun(experiment or source.path.stem, part.take(rows), "step"))
    return raws


def _split(name: str) -> tuple[str, str]:
    """Part ``<experiment>-<key>``, both of which may hold ``-``.

    A key with a slash begins after the last dash before its first slash (``val-core/`` keeps its dash);
    else at the last dash that leaves the name of a known kind of series.

    Examples
    --------
    >>> _split("my-exp-eval/accuracy"), _split("a-b-val-core/math/acc/mean@4")
    (('my-exp', 'eval/accuracy'), ('a-b', 'val-core/math/acc/mean@4'))
    """
    group, slash, rest = name.partition("/")
    pieces = group.split("-") if slash else name.split("-")
    if slash:
        cut = len(pieces) - (2 if pieces[-2:-1] == ["val"] and pieces[-1] in ("core", "aux") else 1)
        return "-".join(pieces[:cut]), "-".join(pieces[cut:]) + slash + rest
    for cut in range(len(pieces) - 1, 0, -1):
        if parse_name("-".join(pieces[cut:])).kind != "other":
            return "-".join(pieces[:cut]), "-".join(pieces[cut:])
    return (pieces[0], "-".join(pieces[1:])) if len(pieces) > 1 else ("", name)
