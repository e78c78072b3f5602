"""Rows of JSON, shared by the formats that are made of them: lines, or one list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...curve import LogWarning
from ...errors import LogError
from ..columns import RowTable
from ..source import Source, parse_json

_BATCH = 2048
_PART = 1 << 20


def iterate_lines(source: Source, warnings: list[LogWarning]) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a JSONL file, one a line.

    Lines that are no object are counted; a torn last line (the log of a run that is still being written, or
    was killed) is left out with a warning.

    Raises
    ------
    LogError
        If more lines are damaged than whole.
    """
    spoiled = _Spoiled()
    for line in source.lines():
        row = spoiled.parse(line)
        if row is not None:
            yield row
    spoiled.report(source, warnings)


@dataclass
class _Spoiled:
    """Counts the lines of a JSONL file that are no object."""

    good: int = 0
    bad: int = 0
    number: int = 0
    first: int = 0
    last: int = 0

    def parse(self, line: str) -> dict[str, Any] | None:
        """Return the object of a line; count it when it is none."""
        self.number += 1
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            if not line.strip():
                return None
            row = None
        if isinstance(row, dict):
            self.good += 1
            return row
        self.bad += 1
        self.first = self.first or self.number
        self.last = self.number
        return None

    def report(self, source: Source, warnings: list[LogWarning]) -> None:
        """Raise when most lines are damaged, warn when some are."""
        if self.bad > self.good:
            raise LogError(
                f"{source.path}: line {self.first} is no JSON object, nor are {self.bad} of "
                f"{self.good + self.bad} lines; "
                "give one object a line"
            )
        if self.bad:
            torn = self.bad == 1 and self.last == self.number
            what = (
                "the last line is torn"
                if torn
                else f"{self.bad} lines are no JSON object (first: line {self.first})"
            )
            warnings.append(LogWarning("lines-skipped", f"{what}; left out."))


def iterate_list(source: Source, warnings: list[LogWarning]) -> Iterator[Any]:
    """Yield the elements of a JSON list one by one, holding only a part of the text at a time."""
    decoder = json.JSONDecoder()
    with source.path.open("r", encoding=source.encoding, errors="replace") as stream:
        text = stream.read(_PART)
        position = text.index("[") + 1
        part, ended = _PART, False
        while True:
            while position < len(text) and text[position] in " \t\r\n,\0\ufeff":
                position += 1
            if position < len(text) and text[position] == "]":
                return
            try:
                if position >= len(text):
                    raise ValueError("the end of this part")
                item, position = decoder.raw_decode(text, position)
            except (ValueError, RecursionError) as error:
                if ended or isinstance(error, RecursionError):
                    what = "cut off or damaged after its last whole row"
                    warnings.append(
                        LogWarning("lines-skipped", f"the JSON list is {what}; the rows before are kept.")
                    )
                    return
                more = stream.read(part)
                ended = not more
                text, position = text[position:] + more, 0
                part *= 2  # an element longer than a part is tried again a few times only
                continue
            part = _PART
            yield item


def load_object(source: Source) -> dict[str, Any]:
    """Return the one JSON object that a file is.

    Raises
    ------
    LogError
        If it is none.
    """
    text = source.path.read_bytes().decode(source.encoding, errors="replace").replace("\0", "")
    found = parse_json(text)
    if not isinstance(found, dict):
        try:
            json.loads(text)
            what = f"a {type(found).__name__} was found"
        except (ValueError, RecursionError) as error:
            what = str(error)
        raise LogError(f"{source.path}: the JSON is damaged or no object ({what}); give the whole file")
    return found


def read_lines(source: Source, warnings: list[LogWarning]) -> RowTable:
    """Return the rows of a JSONL file.

    Whole lines are parsed many at once, as one list, which is twice as quick; the rest one by one.
    """
    table = RowTable()
    lines: list[str] = []
    spoiled = _Spoiled()

    def flush() -> None:
        rows = _parse_together(lines)
        if rows is not None:
            table.add_many(rows)
            spoiled.good += len(rows)
            spoiled.number += len(lines)
        else:
            for line in lines:
                row = spoiled.parse(line)
                if row is not None:
                    table.add(row)
        lines.clear()

    for line in source.lines():
        lines.append(line)
        if len(lines) == _BATCH:
            flush()
    if lines:
        flush()
    spoiled.report(source, warnings)
    return table


def _parse_together(lines: list[str]) -> list[dict[str, Any]] | None:
    """Return the objects of lines that are each one whole object, or None."""
    if not all(line[:1] == "{" and line[-1:] == "}" for line in lines):
        return None
    try:
        rows = json.loads("[" + ",".join(lines) + "]")
    except (ValueError, RecursionError):
        return None
    # two objects on one line would make the numbers differ
    return rows if len(rows) == len(lines) and all(type(row) is dict for row in rows) else None
