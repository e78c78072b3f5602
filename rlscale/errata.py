"""Errata with teeth: a published number may only change together with a dated entry.

``tests/frozen_values.csv`` holds every number (and every verdict) of the reference tables as it was first
published. The entries of ``data/errata.csv`` are applied to it in order; what comes out must be what the
tables hold today. New rows and columns are free: they are added to the frozen file, and from then on they are
held too.

``python -m rlscale.errata`` adds what is new and writes ``book/appendix-errata.md``. It never changes a value
that was frozen. Until the book is published for the first time there is nothing to hold: delete
``tests/frozen_values.csv`` and run it.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from .errors import TableError
from .schema_list import TABLES
from .tables import load_table

#: Tables whose numbers readers lean on. Prices are not here: a price that changes is no error.
FROZEN_TABLES = (
    "claims",
    "reference_runs",
    "published_fits",
    "recipes",
    "levers",
    "models",
    "cost_checks",
    "scaling_forms",
    "size_slopes",
)
FROZEN_FILE = Path("tests", "frozen_values.csv")
PAGE = Path("book", "appendix-errata.md")

#: (table, row, column)
Cell = tuple[str, str, str]


def collect_values(tables: Mapping[str, pd.DataFrame] | None = None) -> dict[Cell, str]:
    """Return every number of the frozen tables, and every verdict, as text.

    Parameters
    ----------
    tables : mapping of name to DataFrame, optional
        Default: the tables of this project.

    Returns
    -------
    dict
        (table, row, column) to the value; cells that are empty are left out.

    Examples
    --------
    >>> collect_values()["published_fits", "t1_scalerl", "Cmid_gpu_hours"]
    '2542'
    """
    found: dict[Cell, str] = {}
    for name in FROZEN_TABLES:
        table = load_table(name) if tables is None else tables[name]
        key = TABLES[name].columns[0].name
        held = [c.name for c in TABLES[name].columns if c.type != "text" or c.name == "verdict"]
        for record in table.to_dict("records"):
            for column in held:
                text = write_value(record[column])
                if text:
                    found[name, str(record[key]), column] = text
    return found


def write_value(value: object) -> str:
    """Return a cell as text: the shortest that reads back as the same number; empty for nothing.

    Examples
    --------
    >>> write_value(2542.0), write_value(0.61), write_value(float("nan"))
    ('2542', '0.61', '')
    """
    if isinstance(value, str):
        return value
    number = float(value)  # type: ignore[arg-type]
    if number != number:
        return ""
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def apply_errata(frozen: Mapping[Cell, str], errata: pd.DataFrame) -> dict[Cell, str]:
    """Return the frozen values after the entries that are about this book, in the order of the table.

    Raises
    ------
    TableError
        If an entry gives another old value than the one that stands, or two entries are out of order.
    """
    values = dict(frozen)
    day = ""
    for entry in errata[errata["whose"] == "book"].to_dict("records"):
        if entry["date"] < day:
            raise TableError(f"errata.csv: {entry['id']} is dated before the entry above it; sort them")
        day = entry["date"]
        cell = (entry["table"], entry["row"], entry["column"])
        stands = values.get(cell, "")
        if stands != entry["old"]:
            raise TableError(
                f"errata.csv: {entry['id']} says that {' / '.join(cell)} was {entry['old']!r}; "
                f"published was {stands or 'nothing'!r}"
            )
        if entry["new"]:
            values[cell] = entry["new"]
        else:
            values.pop(cell, None)
    return values


def find_unexplained(expected: Mapping[Cell, str], today: Mapping[Cell, str]) -> list[str]:
    """Return one sentence a value that changed or vanished without an entry."""
    said = []
    for cell, value in expected.items():
        now = today.get(cell, "")
        if now != value:
            what = f"is {now}" if now else "is gone"
            said.append(
                f"{' / '.join(cell)} was published as {value} and {what}; "
                "add a dated entry to data/errata.csv, or put the value back"
            )
    return said


def read_frozen(path: Path) -> dict[Cell, str]:
    """Read the frozen values; an absent file holds none."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as handle:
        return {(r["table"], r["row"], r["column"]): r["value"] for r in csv.DictReader(handle)}


def extend_frozen(path: Path, today: Mapping[Cell, str], errata: pd.DataFrame) -> int:
    """Freeze values that were never published before; return how many. What is frozen stays.

    A value that an entry introduced is held by that entry and not frozen again.
    """
    frozen = read_frozen(path)
    held = set(apply_errata(frozen, errata)) | set(frozen)
    new = {cell: value for cell, value in today.items() if cell not in held}
    if new or not path.exists():
        lines = [("table", "row", "column", "value"), *((*c, v) for c, v in (frozen | new).items())]
        with path.open("w", encoding="utf-8", newline="") as handle:
            csv.writer(handle, lineterminator="\n").writerows(lines)
    return len(new)


def write_page(errata: pd.DataFrame) -> str:
    """Return ``book/appendix-errata.md``.

    Examples
    --------
    >>> write_page(load_table("errata")).startswith("# Errata")
    True
    """
    book, sources = (errata[errata["whose"] == whose] for whose in ("book", "source"))
    if book.empty:
        ours = "No published value has changed so far.\n"
    else:
        rows = [_write_own_entry(entry) for entry in book.to_dict("records")]
        head = "| entry | date | value | was | is | why |\n|---|---|---|---|---|---|\n"
        ours = head + "\n".join(rows) + "\n"
    theirs = "\n".join(_write_source_entry(e) for e in sources.to_dict("records"))
    keys = ",".join(sorted({key for key in errata["bib_key"] if key}))
    return f"""# Errata

Two lists: what this book had wrong, and what its sources have wrong or say in two ways. Each entry has a
date. What the starting page has wrong is not here but in the [ledger of claims](appendix-claims).

The first list has teeth. Every number of the reference tables was frozen when it was first published. A test
takes the frozen numbers, applies the entries below and compares the outcome with the tables: a number that
changes without a dated entry fails it. Prices are exempt, since a price that changes is no error; they carry
their own dates.

You found an error? Open an issue with the page, the number and a source. To mend it: change the cell, add a
line to `data/errata.csv`, run `python -m rlscale.errata`.

## Values of this book that changed

{ours}
## Errors and traps in the sources

{theirs}

Where two sources give different numbers for the same run, see [what did others need?](05-reference-runs)

## Sources

{{cite}}`{keys}`
"""


def _write_own_entry(entry: Mapping[Any, Any]) -> str:
    place = f"`{entry['table']}`, {entry['row']}, `{entry['column']}`"
    was, now = entry["old"] or "nothing", entry["new"] or "taken out"
    why = f"{entry['what']}. {entry['consequence']}."
    return f"| {entry['id']} | {entry['date']} | {place} | {was} | {now} | {why} |"


def _write_source_entry(entry: Mapping[Any, Any]) -> str:
    note = f" {entry['note']}." if entry["note"] else ""
    return (
        f"**{entry['id']}** ({entry['date']}, {entry['kind']}). {entry['what']}. "
        f"*What follows:* {entry['consequence']}.{note} "
        f"Source: {entry['source']}, {entry['location']} ({entry['as_of']}).\n"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Freeze what is new and write the page."""
    parser = argparse.ArgumentParser(prog="python -m rlscale.errata", description="Freeze new values.")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout")
    root = parser.parse_args(argv).root.resolve()
    try:
        errata, today = load_table("errata"), collect_values()
        unexplained = find_unexplained(apply_errata(read_frozen(root / FROZEN_FILE), errata), today)
        if unexplained:
            raise TableError("; ".join(unexplained[:3]))
        added = extend_frozen(root / FROZEN_FILE, today, errata)
    except TableError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    (root / PAGE).write_text(write_page(errata), encoding="utf-8")
    print(f"{len(today)} values are held, {added} of them new")
    return 0


if __name__ == "__main__":
    sys.exit(main())
