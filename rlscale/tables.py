"""The tables of ``data/``: found, read and validated, or refused with the row and the column named.

Every row carries its source, the place in it, a date and how its numbers came about. A table that breaks
its promise (:mod:`rlscale.schemas`) raises :class:`~rlscale.errors.TableError`; nothing is repaired silently.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import TableError, suggest_names
from .given import show_value
from .schema_list import TABLES
from .schemas import Column, Table
from .table_cells import read_cells

if TYPE_CHECKING:
    import pandas as pd


def data_path(name: str) -> Path:
    """Return the path of a file of ``data/``, in a checkout or in an installed package.

    Parameters
    ----------
    name : str
        File name under ``data/``, such as ``"gpus.csv"`` or ``"lab/README.md"``.

    Returns
    -------
    Path
        The file. In a wheel the folder lies inside the package, as ``rlscale/_data``.

    Raises
    ------
    TableError
        If there is no such file.

    Examples
    --------
    >>> data_path("published_fits.csv").name
    'published_fits.csv'
    """
    package = Path(__file__).resolve().parent
    folders = [package / "_data", package.parent / "data"]
    inside = bool(name) and not Path(name).is_absolute() and ".." not in Path(name).parts
    for folder in folders:
        if inside and _exists(folder / name):
            return folder / name
    known = sorted(p.name for folder in folders if folder.is_dir() for p in folder.iterdir())
    raise TableError(
        f"data file {show_value(name)} is not part of this installation; {suggest_names(name, known)}"
    )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


def load_table(name: str, path: str | Path | None = None) -> pd.DataFrame:
    """Read one table and check every promise it makes.

    Parameters
    ----------
    name : str
        Which table: a key of :data:`rlscale.schema_list.TABLES`.
    path : str or Path, optional
        A table of your own in the same form; by default the one of this project.

    Returns
    -------
    DataFrame
        One row a fact. Numbers are float (empty: NaN), words are text (empty: ``""``).

    Raises
    ------
    TableError
        If the file cannot be read, a column is missing or unknown, or a cell breaks its promise. The
        message names file, line and column, what was found and what was expected.

    Examples
    --------
    >>> fits = load_table("published_fits")
    >>> row = fits.set_index("id").loc["t1_scalerl"]
    >>> float(row["A"]), float(row["B"]), float(row["Cmid_gpu_hours"])
    (0.61, 1.92, 2542.0)
    """
    if name not in TABLES:
        raise TableError(f"no table is called {show_value(name)}; {suggest_names(name, TABLES)}")
    return _load_shipped(name).copy() if path is None else _load(TABLES[name], Path(path))


@cache
def _load_shipped(name: str) -> pd.DataFrame:
    return _load(TABLES[name], data_path(f"{name}.csv"))


def _load(table: Table, file: Path) -> pd.DataFrame:
    header, rows, lines = read_cells(file)
    _check_header(file, table, header)
    return _validate(file, table, header, rows, lines)


def _check_header(file: Path, table: Table, header: Sequence[str]) -> None:
    known = [c.name for c in table.columns]
    for column in header:
        if header.count(column) > 1:
            raise TableError(
                f"{file}, line 1: column {column!r} stands {header.count(column)} times; keep one"
            )
        if column not in known:
            raise TableError(
                f"{file}, line 1: column {column!r} is not part of table {table.name!r}; "
                f"{suggest_names(column, known)} Put remarks into 'note'"
            )
    for promise in table.columns:
        if promise.filled and promise.name not in header:
            raise TableError(
                f"{file}, line 1: column {promise.name!r} is missing; table {table.name!r} needs it "
                f"({promise.meaning}): add it, with {promise.expected}"
            )


def _validate(
    file: Path, table: Table, header: Sequence[str], rows: list[list[str]], lines: list[int]
) -> pd.DataFrame:
    import pandas as pd
    import pandera.pandas as pa

    frame = pd.DataFrame(rows, columns=list(header), dtype=object)
    frame = frame.reindex(columns=[c.name for c in table.columns], fill_value="")
    raw = frame.copy()  # the cells as written, for messages
    for column in table.columns:
        if column.type != "text":
            frame[column.name] = _parse_numbers(file, column, frame[column.name], lines)
    try:
        checked = build_schema(table).validate(frame, lazy=True)
    except pa.errors.SchemaErrors as error:
        raise TableError(_describe_failures(file, table, error.failure_cases, raw, lines)) from None
    return checked


def _parse_numbers(file: Path, column: Column, cells: pd.Series, lines: list[int]) -> list[float]:
    values = []
    for cell, line in zip(cells, lines, strict=True):
        try:
            if "_" in cell:  # float() reads 1_000 as a thousand
                raise ValueError
            values.append(float(cell) if cell else math.nan)
        except ValueError:
            raise TableError(
                f"{file}, line {line}, column {column.name!r}: found {cell!r}, expected {column.expected}; "
                "write digits and a point only"
            ) from None
    return values


@cache
def build_schema(table: Table) -> Any:
    """Return the pandera schema of a table.

    Parameters
    ----------
    table : Table
        What the table promises.

    Returns
    -------
    pandera.pandas.DataFrameSchema
        Strict: no other columns. Numbers are coerced to float, words to text.

    Examples
    --------
    >>> schema = build_schema(TABLES["published_fits"])
    >>> schema.columns["A"].nullable, schema.columns["source"].nullable
    (True, False)
    """
    import pandera.pandas as pa

    return pa.DataFrameSchema(
        {c.name: _pandera_column(c) for c in table.columns},
        checks=[pa.Check(rule.holds, name=rule.name, ignore_na=False) for rule in table.rules],
        strict=True,
        name=table.name,
    )


def _pandera_column(column: Column) -> Any:
    import numpy as np
    import pandera.pandas as pa

    checks = []
    if column.type == "text":
        if column.filled:
            checks.append(pa.Check(lambda s: s.str.len() > 0, name="filled"))
        if column.allowed:
            words = set(column.allowed) | (set() if column.filled else {""})
            checks.append(pa.Check(lambda s: s.isin(words), name="allowed"))
        if column.pattern:
            pattern = column.pattern if column.filled else f"(?:{column.pattern})?"
            checks.append(pa.Check(lambda s: s.str.fullmatch(pattern), name="pattern"))
        return pa.Column(str, checks, nullable=False, unique=column.unique, coerce=True)
    checks.append(pa.Check(lambda s: np.isfinite(s), name="finite"))
    if column.type == "integer":
        checks.append(pa.Check(lambda s: s == np.floor(s), name="whole"))
    if column.lo is not None:
        checks.append(pa.Check.ge(column.lo))
    if column.hi is not None:
        checks.append(pa.Check.le(column.hi))
    return pa.Column(float, checks, nullable=not column.filled, unique=column.unique, coerce=True)


def _describe_failures(
    file: Path, table: Table, failures: pd.DataFrame, frame: pd.DataFrame, lines: list[int]
) -> str:
    """Return one sentence on the first cell that broke its promise, and how many others did."""
    rules = {rule.name: rule for rule in table.rules}
    found: dict[tuple[int, str], str] = {}
    cases = zip(failures["index"], failures["column"], failures["check"], strict=True)
    for index, name, check in cases:
        rule = rules.get(str(check))
        column = rule.column if rule else str(name)
        expected = rule.expected if rule else table.column(column).expected
        whole_column = index is None or index != index  # the whole column failed, not one of its cells
        found.setdefault((-1 if whole_column else int(index), column), expected)
    (row, column), expected = min(found.items(), key=lambda item: (item[0][0], item[0][1]))
    if row < 0:
        return f"{file}, column {column!r}: expected {expected}"
    value = str(frame.loc[row, column])
    shown = repr(value) if value else "an empty cell"
    label = frame.loc[row].get("id", "")
    which = f"line {lines[row]}" + (f" (row {label!r})" if label and column != "id" else "")
    more = f" ({len(found) - 1} more cells of this table are wrong)" if len(found) > 1 else ""
    return f"{file}, {which}, column {column!r}: found {shown}, expected {expected}{more}"


def main(argv: Sequence[str] | None = None) -> int:
    """Check every table and write the data dictionary and the ledger page."""
    parser = argparse.ArgumentParser(
        prog="python -m rlscale.tables", description="Check the tables of data/."
    )
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout")
    root = parser.parse_args(argv).root.resolve()
    # not at the top: dictionary imports this module; and its own copy, not the one that runs as __main__
    from .dictionary import write_all

    try:
        rows = sum(len(load_table(name)) for name in TABLES)
        changed = write_all(root)
    except TableError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{len(TABLES)} tables are valid, {rows} rows")
    for path in changed:
        print(f"wrote {path.relative_to(root)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
