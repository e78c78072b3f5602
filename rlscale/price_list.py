"""A dated price, its day and its age: a price without a date does not exist here."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import CostError
from .named_inputs import CostInputError

if TYPE_CHECKING:
    import pandas as pd

#: Older than this many days, a price deserves a second look.
STALE_DAYS = 90


@dataclass(frozen=True)
class Price:
    """One price, with the day it was listed and where.

    Attributes
    ----------
    what : str
        What is bought.
    value : float
        US dollars a ``unit``; the central one where there is a range.
    unit : str
        Such as ``"USD per million tokens"``.
    as_of : str
        Day as YYYY-MM-DD (or month).
    source : str
        Who listed it.
    lo, hi : float
        Range, both equal to ``value`` where there is none.
    """

    what: str
    value: float
    unit: str
    as_of: str
    source: str
    lo: float = float("nan")
    hi: float = float("nan")

    def __post_init__(self) -> None:
        for side in ("lo", "hi"):
            if np.isnan(getattr(self, side)):
                object.__setattr__(self, side, self.value)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of ``cost --json``."""
        return {
            "what": self.what,
            "value": self.value,
            "unit": self.unit,
            "as_of": self.as_of,
            "source": self.source,
        }


@dataclass(frozen=True)
class TokenPrices:
    """What a million tokens cost on one day: read, generated, trained on."""

    model: str
    prefill: float
    sample: float
    train: float
    as_of: str
    source: str

    def to_prices(self) -> tuple[Price, ...]:
        """Return the three as :class:`Price`."""
        unit = "USD per million tokens"
        return tuple(
            Price(f"Tinker {kind}, {self.model}", float(getattr(self, kind)), unit, self.as_of, self.source)
            for kind in ("prefill", "sample", "train")
        )


@functools.cache
def price_table(name: str) -> pd.DataFrame:
    """Return a table of ``data/``, read once."""
    from .tables import load_table

    return load_table(name)


def newest_day() -> str:
    """Return the newest day for which any price is known; the default of every look-up.

    Examples
    --------
    >>> newest_day() >= "2026-11-09"
    True
    """
    priced = price_table("gpus")
    days = [*price_table("tinker_prices")["as_of"], *priced[priced["provider"] != ""]["as_of"]]
    return max(days)


def check_day(day: str) -> str:
    """Return ``day`` if it is a date as YYYY-MM-DD, else refuse it."""
    try:
        return date.fromisoformat(day).isoformat()
    except (TypeError, ValueError):
        raise CostError(f"{day!r} is no day; write it as YYYY-MM-DD, such as {newest_day()}") from None


def check_token_price(value: float, field: str) -> float:
    """Return a price a million tokens, or refuse one that can only be meant a token or a thousand.

    Parameters
    ----------
    value : float
        What the reader gave.
    field : str
        The name it was given under.

    Returns
    -------
    float
        ``value``.

    Raises
    ------
    CostError
        Below $0.001 (that would be a price for one token or a thousand) or above $10,000.

    Examples
    --------
    >>> check_token_price(4e-7, "price_sample")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    rlscale.named_inputs.CostInputError: price_sample is 4e-07, far too little ... give 0.4, ...
    """
    if not np.isfinite(value) or value < 0:
        raise CostInputError(f"`{field}` is {value}; give US dollars a million tokens, 0 or more")
    if 0 < value < 1e-3:
        raise CostInputError(
            f"`{field}` is {value:g}, far too little for a million tokens; if it is the price of one token, "
            f"give {value * 1e6:g}, if of a thousand, {value * 1e3:g}"
        )
    if value > 1e4:
        raise CostInputError(
            f"`{field}` is {value:g}; prices are US dollars a million tokens: "
            "divide a price a billion by 1,000"
        )
    return value


def age_days(as_of: str, today: date) -> int:
    """Return how many days a price is old; a month counts from its first day."""
    return (today - date.fromisoformat((as_of + "-01-01")[:10] if len(as_of) < 10 else as_of)).days
