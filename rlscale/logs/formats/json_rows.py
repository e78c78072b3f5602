"""Rows of JSON, shared by the formats that are made of them: lines, or one list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ...curve import LogWarning
from ...errors import LogError
from ..columns import RowTable
from ..source import Source, parse_json


def iterate_lines(source: Source, warnings: list[LogWarning]) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a JSONL file, one a line.

    Lines that are no object are counted; a torn last line (the log of a run that is still being written, or
    was killed) is left out with a warning.

    Raises
    ------
    LogError
        If more lines are damaged than whole.
    """
    good = bad = 0
    first_bad, last_bad, number = 0, 0, 0
    loads = json.loads
    for number, line in enumerate(source.lines(), 1):
        try:
            row = loads(line)
        except (ValueError, RecursionError):
            if not line.strip():
                continue
            row = None
        if isinstance(row, dict):
            good += 1
            yield row
            continue
        bad += 1
        first_bad = first_bad or number
        last_bad = number
    if bad > good:
        raise LogError(
            f"{source.path}: line {first_bad} is no JSON object, nor are {bad} of {good + bad} lines; give "
            "one object a line"
        )
    if bad:
        torn = bad == 1 and last_bad == number
        what = (
            "the last line is torn" if torn else f"{bad} lines are no JSON object (first: line {first_bad})"
        )
        warnings.append(LogWarning("lines-skipped", f"{what}; left out."))


def iterate_list(source: Source, warnings: list[LogWarning]) -> Iterator[Any]:
    """Yield the elements of a JSON list one by one, without building the whole list."""
    text = source.path.read_bytes().decode(source.encoding, errors="replace")
    decoder = json.JSONDecoder()
    position = text.index("[") + 1
    end = len(text)
    while True:
        while position < end and text[position] in " \t\r\n,\0":
            position += 1
        if position >= end:
            warnings.append(
                LogWarning("lines-skipped", "the JSON list is cut off at its end; the whole rows are kept.")
            )
            return
        if text[position] == "]":
            return
        try:
            item, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            warnings.append(
                LogWarning(
                    "lines-skipped", f"the JSON is damaged at character {position}; the rows before are kept."
                )
            )
            return
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
    """Return the rows of a JSONL file."""
    table = RowTable()
    add = table.add
    for row in iterate_lines(source, warnings):
        add(row)
    return table
