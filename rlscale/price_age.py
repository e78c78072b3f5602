"""How old the prices of the book are: the newest day of each price list, and whether that is too long ago.

Pages print the day and warn in the reader's browser (``book/_static/price-age.js``).
``python -m rlscale.price_age`` prints a report and ends with status 1 when a list is stale, for a weekly job.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import date

from .errors import TableError
from .prices import STALE_DAYS, age_days
from .tables import load_table

#: The tables of prices, and what a reader calls them.
LISTS = {
    "tinker_prices": "tokens at Tinker",
    "gpus": "rented GPUs",
    "sandbox_prices": "sandboxes",
}


def newest_days() -> dict[str, str]:
    """Return the newest day of each list of prices, by the name of its table.

    Returns
    -------
    dict of str to str
        Days as YYYY-MM-DD; a month stands for its first day.

    Raises
    ------
    TableError
        A list has no dated price.

    Examples
    --------
    >>> sorted(newest_days()) == sorted(LISTS)
    True
    """
    newest: dict[str, str] = {}
    for name in LISTS:
        table = load_table(name)
        priced = table[table["provider"] != ""] if name == "gpus" else table
        days = [f"{day}-01"[:10] if len(day) == 7 else day for day in priced["as_of"] if len(day) >= 7]
        if not days:
            raise TableError(f"data/{name}.csv: no price has a date")
        newest[name] = max(days)
    return newest


def report_ages(today: date) -> list[tuple[str, str, int]]:
    """Return table, newest day and age in days of each list of prices, the oldest first.

    Parameters
    ----------
    today : date
        The day from which to count.

    Returns
    -------
    list of tuple of str, str and int
    """
    ages = [(name, day, age_days(day, today)) for name, day in newest_days().items()]
    return sorted(ages, key=lambda row: -row[2])


def main(argv: Sequence[str] | None = None) -> int:
    """Print the ages, and fail when a list is stale."""
    parser = argparse.ArgumentParser(prog="python -m rlscale.price_age", description="Ages of the prices.")
    parser.add_argument("--today", type=date.fromisoformat, default=date.today(), help="count from this day")
    ages = report_ages(parser.parse_args(argv).today)
    for name, day, age in ages:
        note = f"older than {STALE_DAYS} days: read the list again" if age > STALE_DAYS else "fresh"
        print(f"data/{name}.csv ({LISTS[name]}): {day}, {age} days, {note}")
    return 1 if any(age > STALE_DAYS for _, _, age in ages) else 0


if __name__ == "__main__":
    sys.exit(main())
