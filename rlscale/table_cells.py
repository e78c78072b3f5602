"""The cells of a CSV file as text, each row with its line; nothing is guessed and nothing repaired."""

from __future__ import annotations

import csv
from pathlib import Path

from .errors import TableError

#: Words that others write into an empty cell. Here an empty cell is empty.
_EMPTY_WORDS = frozenset({"nan", "na", "n/a", "null", "#n/a"})


def read_cells(file: Path) -> tuple[list[str], list[list[str]], list[int]]:
    """Return the header, the rows, and the line of the file that each row ends on.

    Raises
    ------
    TableError
        If the file is no CSV in UTF-8, a row has not as many cells as the header, or a cell says in words
        that it is empty.
    """
    try:
        if file.exists() and not file.is_file():  # a pipe would make us wait for ever
            raise TableError(f"{file}: is no regular file; give the path of a CSV file")
        with file.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.reader(handle, strict=True)
            header = [cell.strip() for cell in next(reader, [])]
            rows, lines = [], []
            for row in reader:
                if not any(cell.strip() for cell in row):
                    continue
                rows.append([cell.strip() for cell in row])
                lines.append(reader.line_num)
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableError(
            f"{file}: is no CSV in UTF-8 ({error}); save the table as comma-separated UTF-8"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL in it
        why = getattr(error, "strerror", None) or error
        raise TableError(f"{file}: cannot be read ({why}); give the path of a CSV file") from None
    if not header:
        raise TableError(f"{file}: is empty; the first line must name the columns")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            raise TableError(
                f"{file}, line {line}: found {len(row)} cells, expected {len(header)} as in the header; "
                "put a cell that holds a comma in double quotes"
            )
        for column, cell in zip(header, row, strict=True):
            if cell.lower() in _EMPTY_WORDS:
                raise TableError(
                    f"{file}, line {line}, column {column!r}: found {cell!r}; leave an unknown cell empty"
                )
    return header, rows, lines
