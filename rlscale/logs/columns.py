"""Rows of unequal keys become columns of numbers.

Loggers write numbers as numbers, as quoted strings, as ``np.float64(0.5)``, as ``nan`` or null; rows of one
log have different keys. A column whose cells are mostly numbers is a number column, and what is no number in
it is kept for the error message. Long texts (prompts, answers) are dropped, so that memory stays near that of
the numbers.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from .source import without_surrogates

if TYPE_CHECKING:
    import pandas as pd

#: Nothing that a log measures is larger; products of such numbers stay finite.
LARGEST = 1e60

#: A longer name is no name of a series but a damaged line.
LONGEST_NAME = 500

_BLOCK = 4096
_LONGEST_TEXT = 120
_MOST_TEXTS = 5000
_DEEPEST = 4
_WRAPPED = re.compile(r"^(?:np\.|numpy\.)?(?:float|int|uint|bool_?|tensor|array)\d*\(\s*([^(),]+)(?:,.*)?\)$")
_DATE = re.compile(r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_MISSING = frozenset(("", "nan", "none", "null", "na", "n/a", "<na>", "-", "--"))


def to_number(value: object) -> float | None:
    """Return ``value`` as a float (missing: NaN), or None when it is a text.

    Examples
    --------
    >>> to_number("0.125"), to_number("np.float64(0.5)"), to_number(True), to_number("1,5")
    (0.125, 0.5, 1.0, None)
    >>> to_number(None), to_number("NaN")
    (nan, nan)
    """
    if value is None:
        return math.nan
    if isinstance(value, (bool, int, float)):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        return float(text) if "_" not in text else None
    except ValueError:
        pass
    low = text.lower()
    if low in _MISSING:
        return math.nan
    if low in ("true", "false"):
        return 1.0 if low == "true" else 0.0
    wrapped = _WRAPPED.match(text)
    if wrapped:
        return to_number(wrapped.group(1))
    if _DATE.match(text):
        try:
            return datetime.fromisoformat(text).timestamp()
        except (ValueError, OverflowError):
            return None
    return None


@dataclass
class BadCells:
    """Texts met in a column of numbers."""

    count: int = 0
    first: tuple[int, str] | None = None

    def add(self, row: int, text: str) -> None:
        """Count one text and keep the first."""
        self.count += 1
        if self.first is None:
            self.first = (row, text[:60])


@dataclass
class Columns:
    """What a file holds, in file order.

    Attributes
    ----------
    numbers : DataFrame
        Number columns; a missing cell is NaN.
    texts : DataFrame
        Text columns with short values.
    bad : dict
        Number column -> texts that stand in it.
    not_finite : dict
        Number column -> how many infinite values (or beyond :data:`LARGEST`) were taken as missing.
    """

    numbers: pd.DataFrame
    texts: pd.DataFrame
    bad: dict[str, BadCells] = field(default_factory=dict)
    not_finite: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: Any) -> Columns:
        """Return the columns of some rows only, without the columns that are empty there."""
        numbers = self.numbers[rows].reset_index(drop=True)
        texts = self.texts[rows].reset_index(drop=True)
        return Columns(
            numbers.dropna(axis=1, how="all"), texts.dropna(axis=1, how="all"), self.bad, self.not_finite
        )


@dataclass
class _TextColumn:
    """The texts of a column, as long as they are few and short: run names and the like."""

    count: int = 0
    first: tuple[int, str] | None = None
    dropped: bool = False
    rows: array[int] = field(default_factory=lambda: array("q"))
    codes: array[int] = field(default_factory=lambda: array("i"))
    known: dict[str, int] = field(default_factory=dict)

    def add(self, row: int, value: str) -> None:
        self.count += 1
        if self.first is None:
            self.first = (row, without_surrogates(value[:60]))
        if self.dropped:
            return
        if len(value) > _LONGEST_TEXT or len(self.known) >= _MOST_TEXTS:
            self.dropped = True
            self.rows, self.codes, self.known = array("q"), array("i"), {}
            return
        self.rows.append(row)
        self.codes.append(self.known.setdefault(value, len(self.known)))

    def to_array(self, rows: int) -> np.ndarray:
        filled = np.full(rows, None, dtype=object)
        values = np.array([without_surrogates(text) for text in self.known], dtype=object)
        filled[np.array(self.rows, np.int64)] = values[np.array(self.codes, np.int64)]
        return filled


class RowTable:
    """Collects rows of unequal keys and returns them as :class:`Columns`.

    Examples
    --------
    >>> table = RowTable()
    >>> table.add({"step": 1, "acc": "0.5"}); table.add({"step": 2, "eval": {"acc": 0.25}})
    >>> table.finish().numbers["eval/acc"].tolist()
    [nan, 0.25]
    """

    def __init__(self) -> None:
        self.rows = 0
        self._blocks: dict[tuple[str, ...], tuple[list[int], list[tuple[Any, ...]]]] = {}
        self._numbers: dict[str, list[tuple[Any, Any]]] = {}
        self._texts: dict[str, _TextColumn] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Add one row; nested objects become ``outer/inner`` keys, lists are left out."""
        self.put(self.rows, row)
        self.rows += 1

    def put(self, place: int, row: Mapping[str, Any]) -> None:
        """Fill in a row that was added empty."""
        keys = tuple(row)
        block = self._blocks.get(keys)
        if block is None:
            block = self._blocks[keys] = ([], [])
        block[0].append(place)
        block[1].append(tuple(row.values()))
        if len(block[0]) >= _BLOCK or len(self._blocks) > 256:
            self._flush()

    def add_many(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add several rows; quick when all have the same keys."""
        keys = rows[0].keys()
        if len(keys) < 2 or not all(row.keys() == keys for row in rows):
            for row in rows:
                self.add(row)
            return
        self._flush()  # keeps the order of pieces, so that a later row never loses to an earlier one
        index = np.arange(self.rows, self.rows + len(rows))
        values = list(map(itemgetter(*keys), rows))
        try:
            block = np.array(values, dtype=np.float64)
            if block.ndim != 2 or any(isinstance(v, str) for v in values[0]):
                raise ValueError
        except (ValueError, TypeError, OverflowError):
            for key, column in zip(keys, zip(*values, strict=True), strict=True):
                self._store(str(key), index, column, 0)
        else:
            for key, column in zip(keys, block.T, strict=True):
                self._numbers.setdefault(str(key), []).append((index, column))
        self.rows += len(rows)

    def _flush(self) -> None:
        for keys, (rows, values) in self._blocks.items():
            index = np.array(rows, np.int64)
            for key, column in zip(keys, zip(*values, strict=True), strict=True):
                self._store(str(key), index, column, 0)
        self._blocks = {}

    def _store(self, key: str, index: np.ndarray, values: Sequence[Any], depth: int) -> None:
        try:
            # NumPy would read "1_000" as a number and lists as more dimensions; both are for the slow way
            if isinstance(values[0], str):
                raise ValueError
            array = np.array(values, dtype=np.float64)
            if array.ndim != 1:
                raise ValueError
        except (ValueError, TypeError, OverflowError):
            self._store_slowly(key, index, values, depth)
        else:
            self._numbers.setdefault(key, []).append((index, array))

    def _store_slowly(self, key: str, index: np.ndarray, values: Sequence[Any], depth: int) -> None:
        rows: list[int] = []
        numbers: list[float] = []
        nested: dict[str, tuple[list[int], list[Any]]] = {}
        for row, value in zip(index.tolist(), values, strict=True):
            number = to_number(value)
            if number is not None:
                rows.append(row)
                numbers.append(number)
            elif isinstance(value, str):
                self._add_text(key, row, value)
            elif isinstance(value, Mapping) and depth < _DEEPEST:
                for inner, item in value.items():
                    place = nested.setdefault(f"{key}/{inner}", ([], []))
                    place[0].append(row)
                    place[1].append(item)
        if rows:
            self._numbers.setdefault(key, []).append((np.array(rows, np.int64), np.array(numbers)))
        for inner_key, (inner_rows, items) in nested.items():
            self._store(inner_key, np.array(inner_rows, np.int64), items, depth + 1)

    def _add_text(self, key: str, row: int, value: str) -> None:
        self._texts.setdefault(key, _TextColumn()).add(row, value)

    def finish(self) -> Columns:
        """Return everything that was added."""
        import pandas as pd

        self._flush()
        numbers: dict[str, np.ndarray] = {}
        texts: dict[str, np.ndarray] = {}
        bad: dict[str, BadCells] = {}
        for key, pieces in self._numbers.items():
            if len(key) > LONGEST_NAME:
                continue
            column = np.full(self.rows, np.nan)
            for index, values in pieces:
                column[index] = values
            numbers[without_surrogates(key)] = column
        for raw_key, held in self._texts.items():
            if len(raw_key) > LONGEST_NAME:
                continue
            key = without_surrogates(raw_key)
            if key in numbers and np.isfinite(numbers[key]).sum() >= held.count:
                bad[key] = BadCells(held.count, held.first)
                continue
            numbers.pop(key, None)
            if not held.dropped:
                texts[key] = held.to_array(self.rows)
        index = pd.RangeIndex(self.rows)
        columns = Columns(pd.DataFrame(numbers, index=index), pd.DataFrame(texts, index=index), bad)
        drop_infinite(columns)
        return columns


def drop_infinite(columns: Columns) -> None:
    """Make infinite and absurd values missing, and count them by column."""
    for key in columns.numbers.columns:
        values = columns.numbers[key].to_numpy()
        # two passes without a copy; a comparison with NaN is false
        if not len(values) or (np.fmax.reduce(values) <= LARGEST and np.fmin.reduce(values) >= -LARGEST):
            continue
        infinite = np.abs(values) > LARGEST
        if infinite.any():
            columns.not_finite[str(key)] = int(infinite.sum())
            columns.numbers[key] = np.where(infinite, np.nan, values)
