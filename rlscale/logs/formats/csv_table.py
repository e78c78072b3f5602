"""A CSV file as columns of numbers, read in pieces so that long texts never stay in memory."""

from __future__ import annotations

import csv
import warnings as python_warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import LogError
from ..columns import LONGEST_NAME, BadCells, Columns, drop_infinite, to_number
from ..source import Source, strip_ansi

if TYPE_CHECKING:
    import pandas as pd

_FIRST_PIECE = 20_000
_PIECE = 200_000
_NUMBER_PIECE = 1_000_000
_DELIMITERS = (",", "\t", ";", "|")
_MOST_COLUMNS = 20_000
_LONGEST = 120


def find_delimiter(source: Source) -> str:
    """Return the character that parts the cells of the first line.

    Raises
    ------
    LogError
        If the first line has none of the usual ones.
    """
    line = source.first_line
    counts = {d: line.count(d) for d in _DELIMITERS}
    best = max(counts, key=lambda d: counts[d])
    return best if counts[best] else ","


def read_header(source: Source) -> list[str]:
    """Return the names of the first line."""
    try:
        return [
            name.strip() for name in next(csv.reader([source.first_line], delimiter=find_delimiter(source)))
        ]
    except (csv.Error, StopIteration):
        return []


def read_columns(source: Source) -> Columns:
    """Read the whole file.

    Raises
    ------
    LogError
        If it cannot be parsed; the message has the parser's words, which name the line.
    """
    import pandas as pd

    if len(read_header(source)) > _MOST_COLUMNS:
        raise LogError(
            f"{source.path}: the first line has more than {_MOST_COLUMNS} cells; that is no header of a log"
        )
    numbers: dict[str, list[np.ndarray]] = {}
    texts: dict[str, list[np.ndarray]] = {}
    bad: dict[str, BadCells] = {}
    dropped: set[str] = set()
    rows = 0
    try:
        with python_warnings.catch_warnings():
            python_warnings.simplefilter("ignore")
            spaced = ", " in source.first_line or ', "' in source.text[:4096]
            # before pandas 3 a NUL ends a name: "st\0ep" would be read as "st"
            header = read_header(source) if source.has_nul_in_header else None
            reader = pd.read_csv(
                source.path, sep=find_delimiter(source), encoding=source.encoding, encoding_errors="replace",
                chunksize=_PIECE, index_col=False, skipinitialspace=spaced, on_bad_lines="skip",
                header=0, names=header,
            )  # fmt: skip
            with reader:
                for piece in _pieces(reader, texts, dropped):
                    _split(piece, rows, numbers, texts, bad, dropped)
                    rows += len(piece)
    except (ValueError, OSError, csv.Error, OverflowError) as error:
        raise LogError(
            f"{source.path}: this is no CSV that can be read ({' '.join(str(error).split())[:200]})"
        ) from None
    if not rows:
        raise LogError(
            f"{source.path}: a header and no rows; give a log that holds at least two measurements"
        )
    for name in dropped:
        for held in (numbers, texts, bad):
            held.pop(name, None)  # type: ignore[attr-defined]
    # one block, column by column: nothing is copied twice
    block = np.empty((len(numbers), rows))
    for row, pieces in zip(block, numbers.values(), strict=True):
        np.concatenate(pieces, out=row, casting="unsafe")
        pieces.clear()
    words = pd.DataFrame(
        {k: np.concatenate(v) for k, v in texts.items()}, index=pd.RangeIndex(rows), dtype=object
    )
    columns = Columns(pd.DataFrame(block.T, columns=list(numbers), copy=False), words, bad)
    _settle(columns)
    drop_infinite(columns)
    return columns


def _pieces(reader: Any, texts: dict[str, list[np.ndarray]], dropped: set[str]) -> Iterator[pd.DataFrame]:
    """Yield the file in pieces: larger ones as long as there are only numbers, which take little memory."""
    size = _FIRST_PIECE
    while True:
        try:
            piece = reader.get_chunk(size)
        except StopIteration:
            return
        if not len(piece):
            return
        yield piece
        size = _PIECE if texts or dropped else _NUMBER_PIECE


def _split(
    piece: pd.DataFrame,
    start: int,
    numbers: dict[str, list[np.ndarray]],
    texts: dict[str, list[np.ndarray]],
    bad: dict[str, BadCells],
    dropped: set[str],
) -> None:
    """Part a piece into numbers and short texts; a column of numbers with some texts keeps its numbers."""
    import pandas as pd

    names: set[str] = set()
    for position, label in enumerate(piece.columns):
        name = strip_ansi(str(label).replace("\0", "")).strip()  # as the header is read elsewhere
        if name in names or name in dropped or len(name) > LONGEST_NAME:
            continue
        names.add(name)
        column = piece.iloc[:, position]
        words = None
        if column.dtype != object and not isinstance(column.dtype, pd.StringDtype):
            found = column.to_numpy()
        elif _is_prose(column):
            dropped.add(name)  # prompts, answers, identifiers: neither numbers nor names of runs
            continue
        else:
            found, words = _numbers_of(column.tolist(), name, start, bad)
        numbers.setdefault(name, []).append(found)
        if words is not None and name not in texts and start:
            texts[name] = [np.full(start, None, dtype=object)]
        if words is not None:
            texts.setdefault(name, []).append(words)
        elif name in texts:
            texts[name].append(np.full(len(piece), None, dtype=object))


def _is_prose(column: pd.Series[Any]) -> bool:
    """Whether a column holds many different texts, or long ones."""
    if len(column) < 20:
        return False
    sample = column.dropna().iloc[:2000].astype(str)
    wordy = sample[[to_number(value) is None for value in sample]]
    if len(wordy) < 0.5 * len(sample) or len(sample) < 20:
        return False
    return bool(
        wordy.str.len().max() > _LONGEST or (len(sample) > 1000 and wordy.nunique() > 0.9 * len(sample))
    )


def _numbers_of(
    cells: list[object], name: str, start: int, bad: dict[str, BadCells]
) -> tuple[np.ndarray, np.ndarray | None]:
    values = np.full(len(cells), np.nan)
    words = np.full(len(cells), None, dtype=object)
    found = 0
    known: dict[str, str] = {}
    for row, cell in enumerate(cells):
        number = to_number(cell)
        if number is not None:
            values[row] = number
        else:
            text = str(cell)[:_LONGEST]
            words[row] = known.setdefault(text, text)
            found += 1
    if not found:
        return values, None
    held = bad.setdefault(name, BadCells())
    for row in np.flatnonzero(words != None)[:1].tolist():  # noqa: E711 (elementwise)
        held.add(start + row, str(words[row]))
        held.count += found - 1
    return values, words


def _settle(columns: Columns) -> None:
    """Decide which columns are numbers with stray texts, and which are texts."""
    words: list[str] = []
    for name in [str(c) for c in columns.texts.columns]:
        numbers = int(np.isfinite(columns.numbers[name].to_numpy()).sum())
        if name in columns.bad and numbers < columns.bad[name].count:
            words.append(name)
            del columns.bad[name]
    columns.numbers = columns.numbers.drop(columns=words)
    columns.texts = columns.texts[words]
