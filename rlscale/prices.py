"""Dated prices: what one token on Tinker, one hour of a GPU and one hour of a sandbox cost on a day.

A look-up takes a day and gives the price that was listed last before it, with its source; asked for a model
that had been taken off the list, it says so.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .errors import CostError, suggest_names, suggest_sentence
from .given import show_value
from .named_inputs import CostInputError
from .price_list import (
    STALE_DAYS,
    Price,
    TokenPrices,
    age_days,
    check_day,
    check_token_price,
    newest_day,
    price_table,
)

__all__ = [
    "STALE_DAYS",
    "Price",
    "TokenPrices",
    "age_days",
    "check_day",
    "check_token_price",
    "find_gpu_price",
    "find_sandbox_price",
    "find_token_prices",
    "newest_day",
]

#: A list of fewer models than this is an extract: that a model is missing from it means nothing.
_WHOLE_LIST = 10


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
    rlscale.named_inputs.CostInputError: Tinker no longer lists 'Llama-3.1-8B' on 2026-11-01 ...
    """
    day = newest_day() if day is None else check_day(day)
    table = price_table("tinker_prices")
    table = table[
        (table["context"] == context) & (table["discount"] == "") & table["train_usd_per_mtok"].notna()
    ]
    rows = table[table["model"].str.lower() == model.strip().lower()]
    if rows.empty:
        near = suggest_sentence(model, sorted(set(table["model"])), limit=8)
        raise CostInputError(
            f"no {context} Tinker price is known for {show_value(model)}. {near} "
            "Choose a `tinker_model`, or give `price_prefill`, `price_sample` and `price_train`"
        )
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
        raise CostInputError(
            f"Tinker no longer lists {row['model']!r} on {day} (missing from the list of {last}, last seen "
            f"{row['as_of']}). {suggest_sentence(model, listed, limit=20)} Or give an earlier `date`"
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
    table = price_table("gpus")
    table = table[(table["provider"] != "") & (table["offer"] != "median of providers")]
    rows = table[table["gpu"].str.lower() == gpu.strip().lower()]
    if rows.empty:
        raise CostInputError(_no_gpu_price(gpu, _names(table["gpu"])))
    rows = rows.assign(offered=rows["provider"] + " " + rows["offer"])
    if provider is not None:
        asked = provider.strip().lower()
        found = rows[(rows["offered"].str.lower() == asked) | (rows["provider"].str.lower() == asked)]
        if found.empty:
            raise CostError(
                f"no price of {rows['gpu'].iloc[0]} at {show_value(provider)} is known; "
                f"{suggest_names(provider, _names(rows['offered']), limit=20)}"
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


def _no_gpu_price(gpu: str, priced: list[str]) -> str:
    """Say that a GPU has no price: because it is not known, or because only its data sheet is."""
    near = suggest_sentence(gpu, priced, limit=20)
    sheets = {name.lower(): name for name in _names(price_table("gpus")["gpu"])}
    if gpu.strip().lower() in sheets:
        return (
            f"no price is known for the GPU {sheets[gpu.strip().lower()]!r}, only its data sheet; give "
            "`gpu_price` (USD for one GPU and hour)"
        )
    return f"no price is known for the GPU {show_value(gpu)}. {near} Choose a `gpu`, or give `gpu_price`"


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
    table = price_table("sandbox_prices")
    rows = table[table["provider"].str.lower() == provider.strip().lower()]
    if rows.empty:
        near = suggest_sentence(provider, list(table["provider"]), limit=20)
        raise CostInputError(
            f"no sandbox price is known for {show_value(provider)}. {near} "
            "Choose a `sandbox_provider`, or give a `sandbox_price`"
        )
    row = rows.iloc[0]
    if np.isnan(row["vcpu_usd_per_hour"]):
        value, size = float(row["example_usd_per_hour"]), "machine"
    else:
        memory = 0.0 if np.isnan(row["memory_usd_per_gib_hour"]) else float(row["memory_usd_per_gib_hour"])
        value = float(row["vcpu_usd_per_hour"]) * vcpu + memory * memory_gib
        size = f"{vcpu:g} {row['cpu_unit']}, {memory_gib:g} GiB"
    return Price(f"sandbox at {row['provider']} ({size})", value, "USD per hour", row["as_of"], row["source"])


def _names(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
