"""What each table of ``data/`` promises: its columns, their units and limits, and what a row may not say.

A :class:`Column` is one promise about one column, a :class:`Rule` one about a whole row. The validation
(:mod:`rlscale.tables`), the data dictionary (``data/README.md``) and the tests all read the same list, so
that none of them can drift from the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

#: How a number came about. `measured`: by this project. `reported`: a source states it.
#: `derived`: our arithmetic on stated numbers. `illustrative`: chosen to show a shape.
NUMBER_KINDS = ("measured", "reported", "derived", "illustrative")

#: What a claim of the starting page gets from its sources.
VERDICTS = ("confirmed", "differs", "unsourced")

#: Year, year-month or full date.
DATE_PATTERN = r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?"
DAY_PATTERN = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"


@dataclass(frozen=True)
class Column:
    """One column: what it means, and what its cells may hold.

    Attributes
    ----------
    name : str
        Column name, with its unit at the end where it has one.
    meaning : str
        One line for the data dictionary.
    type : str
        ``"text"``, ``"number"`` or ``"integer"``.
    filled : bool
        Whether a cell may not be empty. A column that may be empty may also be left out of a reader's table.
    lo, hi : float or None
        Limits of a number, both allowed.
    allowed : tuple of str
        The only words a cell may hold; empty: any.
    pattern : str
        Regular expression that the whole cell must match; empty: any.
    unique : bool
        Whether a value may stand only once in the column.
    """

    name: str
    meaning: str
    type: str = "text"
    filled: bool = False
    lo: float | None = None
    hi: float | None = None
    allowed: tuple[str, ...] = ()
    pattern: str = ""
    unique: bool = False

    @property
    def expected(self) -> str:
        """What a cell must hold, in words for an error message and for the data dictionary."""
        if self.allowed:
            text = "one of: " + ", ".join(self.allowed)
        elif self.pattern == DAY_PATTERN:
            text = "a day as YYYY-MM-DD"
        elif self.pattern == DATE_PATTERN:
            text = "a date as YYYY, YYYY-MM or YYYY-MM-DD"
        elif self.pattern:
            text = f"text that matches {self.pattern}"
        elif self.type == "text":
            text = "text"
        else:
            text = "a whole number" if self.type == "integer" else "a number"
            if self.lo is not None and self.hi is not None:
                text += f" from {self.lo:g} to {self.hi:g}"
            elif self.lo is not None:
                text += f" of {self.lo:g} or more"
        return (
            text + (", each only once" if self.unique else "") + ("" if self.filled else ", or an empty cell")
        )


@dataclass(frozen=True)
class Rule:
    """What the cells of one row may not say together.

    Attributes
    ----------
    name : str
        Short and stable.
    column : str
        The column that an error points at.
    holds : callable
        Takes the whole table, gives one truth value a row.
    expected : str
        What was expected, and what to do.
    """

    name: str
    column: str
    holds: Callable[[pd.DataFrame], pd.Series] = field(repr=False)
    expected: str


@dataclass(frozen=True)
class Table:
    """One table of ``data/``: what a row is, its columns and its rules."""

    name: str
    row: str
    columns: tuple[Column, ...]
    rules: tuple[Rule, ...] = ()

    def column(self, name: str) -> Column:
        """Return the column called ``name``."""
        return next(c for c in self.columns if c.name == name)


def text(name: str, meaning: str, **limits: object) -> Column:
    """Return a column of words."""
    return Column(name, meaning, "text", **limits)  # type: ignore[arg-type]


def number(name: str, meaning: str, **limits: object) -> Column:
    """Return a column of numbers, 0 or more unless ``lo`` says otherwise."""
    return Column(name, meaning, "number", **{"lo": 0.0, **limits})  # type: ignore[arg-type]


def whole(name: str, meaning: str, **limits: object) -> Column:
    """Return a column of whole numbers, 1 or more unless ``lo`` says otherwise."""
    return Column(name, meaning, "integer", **{"lo": 1.0, **limits})  # type: ignore[arg-type]


def source_columns(*, day: bool = False) -> tuple[Column, ...]:
    """Return the columns that every table ends with: where a row comes from.

    Parameters
    ----------
    day : bool
        Whether the date must be a full day, as for a price.
    """
    return (
        text("source", "who says so: paper, page or repository, short enough to cite", filled=True),
        text("location", "where in the source: section, table, figure, file", filled=True),
        text(
            "as_of",
            "the day the price was listed" if day else "date of the source; of our reading where it has none",
            filled=True,
            pattern=DAY_PATTERN if day else DATE_PATTERN,
        ),
        text("kind", "how the numbers of the row came about", filled=True, allowed=NUMBER_KINDS),
        text("bib_key", "key in `book/references.bib`, where there is an entry", pattern=r"[a-z0-9_:-]+"),
        text("note", "what a reader must know before using the row"),
    )


#: Identifier of a row: lower-case words joined by a dash or a dot.
ID = text("id", "short name of the row", filled=True, unique=True, pattern=r"[A-Za-z0-9._-]+")
