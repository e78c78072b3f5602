"""A text that stands where a number should: the line of the file, what was found, what to write instead."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import LogError
from ..given import show_value
from .columns import BadCells
from .source import Source

if TYPE_CHECKING:
    import pandas as pd

_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}([,' \u00a0\u202f]\d{3})+(\.\d+)?")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+(e[-+]?\d+)?", re.IGNORECASE)
_PERCENT = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*%")
_FRACTION = re.compile(r"(\d+)\s*/\s*(\d+)")
_WITH_WORDS = re.compile(r"[^\d]*?([-+]?\d+(?:\.\d+)?)[^\d]*")


def describe_cells(where: str, path: str, key: str, cells: BadCells) -> str:
    """Return the sentence of an error about texts in a column of numbers.

    Parameters
    ----------
    where : str
        File, and run where there are several; may be empty.
    path : str
        The file, in which the line is looked for; a name that is no file gives the row instead.
    key : str
        Name of the column.
    cells : BadCells
        The texts met; at least one.

    Returns
    -------
    str
        File, line, column, value, what was expected, and what to do.

    Examples
    --------
    >>> describe_cells("run.csv", "", "accuracy", BadCells(3, (4, "20%")))  # doctest: +ELLIPSIS
    "run.csv, row 5, column 'accuracy': found '20%' (and 2 more texts), expected a number; write 0.2, ..."
    """
    row, text = cells.first or (0, "")
    line = find_line(path, key, text)
    place = f"row {row + 1}" if line is None else f"line {line}"
    others = cells.count - 1
    more = f" (and {others} more text{'s' if others > 1 else ''})" if others > 0 else ""
    start = f"{where}, " if where else ""
    return (
        f"{start}{place}, column {show_value(key)}: found {show_value(text)}{more}, expected a number; "
        f"{advise_number(text, key)}"
    )


def advise_number(text: str, key: str) -> str:
    """Return what to write instead of a text that is nearly a number.

    Examples
    --------
    >>> advise_number("1,000", "step")
    'write 1000, without a sign between thousands'
    >>> advise_number("0,25", "accuracy")
    'write 0.25, with a point and not a comma'
    """
    text = text.strip()
    if _THOUSANDS.fullmatch(text):
        return f"write {re.sub('[^-+.0-9]', '', text)}, without a sign between thousands"
    if _DECIMAL_COMMA.fullmatch(text):
        return f"write {text.replace(',', '.')}, with a point and not a comma"
    percent = _PERCENT.fullmatch(text)
    if percent:
        share = f"{float(percent.group(1)) / 100:.10g}"
        return f"write {share}, or take the % signs out and pass --y {show_value(f'{key}:percent')}"
    fraction = _FRACTION.fullmatch(text)
    if fraction and int(fraction.group(2)) > 0:
        return f"write {int(fraction.group(1)) / int(fraction.group(2)):.10g}, the fraction worked out"
    words = _WITH_WORDS.fullmatch(text)
    if words:
        return f"write the number alone: {words.group(1)}"
    return "mend that cell, or leave it empty where the value is not known"


def find_line(path: str, key: str, text: str) -> int | None:
    """Return the line of a CSV or JSON-lines file on which a column first holds a text; None where unknown.

    Blank lines, rows over several lines and rows that were skipped part the number of a row from that of its
    line, so the file is read again, which happens only on the way to an error.
    """
    if not text or not path:
        return None
    try:
        source = Source.open(Path(path))
        if source.is_binary:
            return None
        if source.first_line.lstrip("\ufeff \t").startswith("{"):
            return _find_in_json(source, key, text)
        return _find_in_csv(source, key, text)
    except (LogError, OSError, ValueError, csv.Error):  # the error that is being made says what is wrong
        return None


def _find_in_csv(source: Source, key: str, text: str) -> int | None:
    from .formats.csv_table import find_delimiter, read_header

    header = read_header(source)
    # exports put the name of the run before the key
    columns = [i for i, name in enumerate(header) if name == key or name.endswith(f" - {key}")]
    if not columns:
        return None
    reader = csv.reader(source.lines(), delimiter=find_delimiter(source))
    for row in reader:
        if any(i < len(row) and row[i].strip().startswith(text) for i in columns):
            return reader.line_num
    return None


def _find_in_json(source: Source, key: str, text: str) -> int | None:
    last = key.rsplit("/", 1)[-1]
    quoted = json.dumps(text)[:-1]  # without the closing mark: the text may have been cut
    plain = json.dumps(text, ensure_ascii=False)[:-1]
    for number, line in enumerate(source.lines(), start=1):
        if (quoted in line or plain in line) and last in line:
            return number
    return None


def refuse_texts(where: str, path: str, key: str, cells: BadCells | None) -> None:
    """Raise a :class:`LogError` when a column of numbers holds texts."""
    if cells is not None and cells.first is not None:
        raise LogError(describe_cells(where, path, key, cells))


def first_text(column: pd.Series[Any]) -> BadCells:
    """Return how many texts a column of texts holds, and the first.

    Examples
    --------
    >>> import pandas as pd
    >>> first_text(pd.Series([None, "a", "b"])).first
    (1, 'a')
    """
    known = column.notna().to_numpy()
    if not known.any():
        return BadCells()
    row = int(known.argmax())
    return BadCells(int(known.sum()), (row, str(column.iloc[row])[:60]))
