"""Dated prices: what one token on Tinker, one hour of a GPU and one hour of a sandbox cost on a day.

A price without a date does not exist here. A look-up takes a day and gives the price that was listed last
before it, with its source; asked for a model that had been taken off the list, it says so.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import CostError, suggest_names

if TYPE_CHECKING:
    import pandas as pd

#: A list of fewer models than this is an extract: that a model is missing from it means nothing.
_WHOLE_LIST = 10
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
def _table(name: str) -> pd.DataFrame:
    from .tables import load_table

    return load_table(name)


def newest_day() -> str:
    """Return the newest day for which any price is known; the default of every look-up.

    Examples
    --------
    >>> newest_day() >= "2026-11-09"
    True
    """
    priced = _table("gpus")
    days = [*_table("tinker_prices")["as_of"], *priced[priced["provider"] != ""]["as_of"]]
    return max(days)


def check_day(day: str) -> str:
    """Return ``day`` if it is a date as YYYY-MM-DD, else refuse it."""
    try:
        return date.fromisoformat(day).isoformat()
    except (TypeError, ValueError):
        raise CostError(f"{day!r} is no day; write it as YYYY-MM-DD, such as {newest_day()}") from None


def find_token_prices(model: str, day: str | None = None, *, context: str = "standard") -> TokenPrices:
    """Return what Tinker listed for a model on a day, or last before it.

    Parameters
    ----------
    model : str
        Name on Tinker; upper or lower case.
    day : str, optional
        YYYY-MM-DD; by default the newest day known.
    context : {"standard", "long"}
        Tier of context length.

    Returns
    -------
    TokenPrices
        US dollars a million tokens.

    Raises
    ------
    CostError
        If the model was never listed, not yet listed, or no longer listed on that day. The message names
        the nearest models or days.

    Examples
    --------
    >>> p = find_token_prices("Llama-3.1-8B", "2026-02-03")
    >>> p.sample, p.train, p.as_of
    (0.4, 0.4, '2026-02-03')
    >>> find_token_prices("Llama-3.1-8B", "2026-11-01")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    rlscale.errors.CostError: Tinker no longer lists 'Llama-3.1-8B' on 2026-11-01 ...2026-03-08): ...
    """
    day = newest_day() if day is None else check_day(day)
    table = _table("tinker_prices")
    table = table[
        (table["context"] == context) & (table["discount"] == "") & table["train_usd_per_mtok"].notna()
    ]
    rows = table[table["model"].str.lower() == model.strip().lower()]
    if rows.empty:
        near = suggest_names(model, sorted(set(table["model"])))
        raise CostError(f"no {context} Tinker price is known for {model!r}; {near}")
    before = rows[rows["as_of"] <= day]
    if before.empty:
        first = rows["as_of"].min()
        raise CostError(
            f"no Tinker price of {model!r} is known on or before {day}; the nearest day is {first}"
        )
    row = before.sort_values("as_of", kind="stable").iloc[-1]
    lists = table[table["as_of"] <= day].groupby("as_of")["model"].nunique()
    whole = lists[lists >= _WHOLE_LIST]
    if len(whole) and row["as_of"] < whole.index.max():
        last = whole.index.max()
        listed = sorted(set(table[table["as_of"] == last]["model"]))
        raise CostError(
            f"Tinker no longer lists {row['model']!r} on {day} (missing from the list of {last}, last seen "
            f"{row['as_of']}): {suggest_names(model, listed)} Or give an earlier day"
        )
    columns = ("prefill_usd_per_mtok", "sample_usd_per_mtok", "train_usd_per_mtok")
    prefill, sample, train = (float(row[c]) for c in columns)
    return TokenPrices(row["model"], prefill, sample, train, row["as_of"], row["source"])


def find_gpu_price(gpu: str, day: str | None = None, *, provider: str | None = None) -> Price:
    """Return what an hour of a GPU cost on a day, over the providers known or at one of them.

    Parameters
    ----------
    gpu : str
        As in ``data/gpus.csv``; upper or lower case.
    day : str, optional
        YYYY-MM-DD; by default the newest day known.
    provider : str, optional
        ``"RunPod"`` or ``"RunPod community"`` (provider, and kind of offer); by default all, of which the
        10th, 50th and 90th percentile are given.

    Returns
    -------
    Price
        US dollars for one GPU and hour; each offer counts with its last price up to that day.

    Raises
    ------
    CostError
        If GPU, provider or day has no price; the message names the nearest.

    Examples
    --------
    >>> find_gpu_price("H100 SXM", "2026-11-09", provider="RunPod community").value
    2.69
    >>> spread = find_gpu_price("H100 SXM", "2026-11-09")
    >>> spread.lo < spread.value < spread.hi
    True
    """
    day = newest_day() if day is None else check_day(day)
    table = _table("gpus")
    table = table[(table["provider"] != "") & (table["offer"] != "median of providers")]
    rows = table[table["gpu"].str.lower() == gpu.strip().lower()]
    if rows.empty:
        raise CostError(f"no price is known for the GPU {gpu!r}; {suggest_names(gpu, _names(table['gpu']))}")
    rows = rows.assign(offered=rows["provider"] + " " + rows["offer"])
    if provider is not None:
        asked = provider.strip().lower()
        found = rows[(rows["offered"].str.lower() == asked) | (rows["provider"].str.lower() == asked)]
        if found.empty:
            raise CostError(
                f"no price of {rows['gpu'].iloc[0]} at {provider!r} is known; "
                f"{suggest_names(provider, _names(rows['offered']))}"
            )
        rows = found
    before = rows[rows["as_of"] <= day]
    if before.empty:
        raise CostError(
            f"no price of {gpu!r} is known on or before {day}; the nearest day is {rows['as_of'].min()}"
        )
    last = before.sort_values("as_of", kind="stable").groupby("offered").tail(1)
    price = last["price_usd_per_gpu_hour"]
    lo, middle, hi = (float(q) for q in np.percentile(price, [10, 50, 90]))
    who = _names(last["source"])
    return Price(
        f"{rows['gpu'].iloc[0]} rental" + (f", {provider}" if provider else f", {len(last)} offers"),
        middle,
        "USD per GPU-hour",
        last["as_of"].max(),
        "; ".join(who),
        lo,
        hi,
    )


def find_sandbox_price(provider: str, vcpu: float, memory_gib: float) -> Price:
    """Return what an hour of one sandbox of a size costs.

    Parameters
    ----------
    provider : str
        As in ``data/sandbox_prices.csv``; upper or lower case.
    vcpu, memory_gib : float
        Size. A provider that sells whole machines has one price whatever the size.

    Returns
    -------
    Price
        US dollars an hour.

    Examples
    --------
    >>> round(find_sandbox_price("e2b", 2, 4).value, 4)
    0.1656
    """
    table = _table("sandbox_prices")
    rows = table[table["provider"].str.lower() == provider.strip().lower()]
    if rows.empty:
        raise CostError(
            f"no sandbox price is known for {provider!r}; {suggest_names(provider, list(table['provider']))}"
        )
    row = rows.iloc[0]
    if np.isnan(row["vcpu_usd_per_hour"]):
        value, size = float(row["example_usd_per_hour"]), "machine"
    else:
        memory = 0.0 if np.isnan(row["memory_usd_per_gib_hour"]) else float(row["memory_usd_per_gib_hour"])
        value = float(row["vcpu_usd_per_hour"]) * vcpu + memory * memory_gib
        size = f"{vcpu:g} {row['cpu_unit']}, {memory_gib:g} GiB"
    return Price(f"sandbox at {row['provider']} ({size})", value, "USD per hour", row["as_of"], row["source"])


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
    rlscale.errors.CostError: price_sample is 4e-07, far too little for a million tokens; ... give 0.4, ...
    """
    if not np.isfinite(value) or value < 0:
        raise CostError(f"{field} is {value}; give US dollars a million tokens, 0 or more")
    if 0 < value < 1e-3:
        raise CostError(
            f"{field} is {value:g}, far too little for a million tokens; if it is the price of one token, "
            f"give {value * 1e6:g}, if of a thousand, {value * 1e3:g}"
        )
    if value > 1e4:
        raise CostError(
            f"{field} is {value:g}; prices are US dollars a million tokens: divide a price a billion by 1,000"
        )
    return value


def age_days(as_of: str, today: date) -> int:
    """Return how many days a price is old; a month counts from its first day."""
    return (today - date.fromisoformat((as_of + "-01-01")[:10] if len(as_of) < 10 else as_of)).days


def _names(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
