"""What the cost calculator of the published page starts from: inputs, presets, dated prices, constants.

The script holds the algorithm and this module everything else, so that no price and no preset is typed twice.
Prices are asked of :mod:`rlscale.prices` for every day on which something changed: between two such days they
stand still, and the script only has to find the day.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

import numpy as np

from ..cost import DECIDED
from ..errors import CostError
from ..hardware import find_gpu, find_model, list_gpus, list_models, usual_mfu
from ..presets import list_presets, load_scenario
from ..prices import STALE_DAYS, find_gpu_price, find_sandbox_price, find_token_prices, newest_day
from ..roofline import DECODE_EFFICIENCY, LAYER_FLOOR_S, USABLE_MEMORY
from ..scenario import Scenario
from ..setting import settle
from ..spread import Spread
from ..tables import load_table
from .calculator_fields import COUNTS, GROUPS, HELP, LABELS, LINK_V1, MOST, PARTS, SLIDERS, WHOLE, WORDS

#: The case that the page shows first: the one of the chapter's text and figure.
FIRST_PRESET = "tinker-math"
#: Draws and seed of the page: what ``rlscale cost`` takes by default.
DRAWS, SEED = 2000, 0
#: Where the tail begins in a ziggurat of 256 layers (Marsaglia and Tsang 2000), as in NumPy.
_TAIL = 3.6541528853610088


def describe_stream(seed: int) -> dict[str, Any]:
    """Return where ``numpy.random.default_rng(seed)`` starts, for a script that draws the same numbers.

    Parameters
    ----------
    seed : int
        Seed of the draws.

    Returns
    -------
    dict
        ``state`` and ``increment`` of PCG64 as hexadecimal text, and the ``area`` of a layer of the ziggurat.

    Examples
    --------
    >>> round(describe_stream(0)["area"], 9)
    0.004928673
    """
    start: Any = dict(np.random.PCG64(seed).state)["state"]
    tail = math.sqrt(math.pi / 2) * math.erfc(_TAIL / math.sqrt(2))
    return {
        "state": hex(start["state"]),
        "increment": hex(start["inc"]),
        "area": _TAIL * math.exp(-_TAIL * _TAIL / 2) + tail,
    }


def page_data() -> dict[str, Any]:
    """Return everything that the calculator's script needs, ready for JSON.

    Returns
    -------
    dict
        ``fields`` (name, kind, default, choices, unit, help, label, slider), ``groups``, ``presets``,
        ``models``, ``gpus``, ``token_prices``, ``gpu_prices``, ``sandbox_prices``, ``sources``, ``words``,
        ``link_v1`` (what a link of version 1 means by an input that it does not name), and constants.

    Examples
    --------
    >>> data = page_data()
    >>> data["presets"]["starting-page"]["values"]["steps"], data["first"]
    ([7400.0, 7400.0, 7400.0], 'tinker-math')
    """
    sources: list[str] = []

    def cite(source: str) -> int:
        if source not in sources:
            sources.append(source)
        return sources.index(source)

    return {
        "title": "Cost calculator",
        "first": FIRST_PRESET,
        "draws": DRAWS,
        "seed": SEED,
        "stream": describe_stream(SEED),
        "decided": DECIDED,
        "stale_days": STALE_DAYS,
        "newest_day": newest_day(),
        "usable_memory": USABLE_MEMORY,
        "layer_floor_s": LAYER_FLOOR_S,
        "decode_efficiency": {family: list(share) for family, share in DECODE_EFFICIENCY.items()},
        "fields": _describe_fields(),
        "groups": [{"title": title, "shown": shown, "more": more} for title, shown, more in GROUPS],
        "presets": {name: _describe_preset(name) for name in list_presets()},
        "models": {name: _describe_model(name) for name in list_models()},
        "gpus": {name: _describe_gpu(name) for name in list_gpus()},
        "token_prices": _list_token_prices(cite),
        "gpu_prices": _list_gpu_prices(cite),
        "sandbox_prices": _list_sandbox_prices(cite),
        "sources": sources,
        "link_v1": LINK_V1,
        "words": WORDS,
        "parts": PARTS,
    }


def plain(value: Any) -> Any:
    """Return an input of a scenario as JSON can hold it: a spread becomes its three numbers."""
    return [value.lo, value.mid, value.hi] if isinstance(value, Spread) else value


def _describe_fields() -> list[dict[str, Any]]:
    described = []
    for f in fields(Scenario):
        meta = f.metadata
        entry = {
            "name": f.name,
            "kind": meta["kind"],
            "default": plain(f.default),
            "label": LABELS.get(f.name, f.name.replace("_", " ").capitalize()),
            "help": HELP.get(f.name, meta["help"]),
            "unit": meta["unit"],
            "choices": list(meta["choices"]),
            "slider": SLIDERS.get(f.name),
        }
        if meta["kind"] in ("spread", "share", "number", "token price"):
            entry["least"] = 1 if f.name in COUNTS else 0
            entry["whole"] = f.name in WHOLE or None
            entry["most"] = MOST.get(f.name, MOST.get(meta["kind"]))
        described.append({key: value for key, value in entry.items() if value not in ("", [], None)})
    return described


def _describe_preset(name: str) -> dict[str, Any]:
    scenario = load_scenario(name)
    values = {f.name: plain(getattr(scenario, f.name)) for f in fields(Scenario)}
    changed = {f.name: values[f.name] for f in fields(Scenario) if values[f.name] != plain(f.default)}
    return {"title": scenario.name, "note": changed.pop("note", ""), "values": changed}


def _describe_model(name: str) -> dict[str, Any]:
    model = find_model(name)
    return {
        "total": model.params_total,
        "active": model.params_active,
        "layers": model.layers,
        "kv_bytes": model.kv_bytes,
        "family": model.family,
    }


def _describe_gpu(name: str) -> dict[str, Any] | None:
    """Return a specification, or None where the maker has not published enough for a roofline."""
    try:
        gpu = find_gpu(name)
    except CostError:
        return None
    examples = {find_model(m).family: find_model(m) for m in list_models()}
    return {
        "memory_gb": gpu.memory_gb,
        "bandwidth_tb_s": gpu.bandwidth_tb_s,
        "bf16_tflops": gpu.bf16_tflops,
        "mfu": {family: list(usual_mfu(model, gpu)) for family, model in examples.items()},
    }


def _changes(days: Iterable[str], ask: Callable[[str], list[Any] | None]) -> list[list[Any]]:
    """Return ``[day, answer]`` for each day on which the answer is another one than before."""
    found: list[list[Any]] = []
    for day in sorted(set(days)):
        answer = ask(day)
        if answer != (found[-1][1] if found else None):
            found.append([day, answer])
    return found


def _list_token_prices(cite: Callable[[str], int]) -> dict[str, list[list[Any]]]:
    table = load_table("tinker_prices")
    discounts: dict[str, bool] = {}  # whether a list has a price of cached tokens depends on its day alone

    def ask(model: str) -> Callable[[str], list[Any] | None]:
        def on(day: str) -> list[Any] | None:
            try:
                price = find_token_prices(model, day)
            except CostError:  # not yet, or no longer, on the list
                return None
            if price.as_of not in discounts:
                probe = load_scenario(FIRST_PRESET, tinker_model=model, date=day, cached_share=0, gpu="")
                discounts[price.as_of] = settle(probe).cached_share == 0
            listed = [price.prefill, price.sample, price.train]
            return [*listed, price.as_of, cite(price.source), discounts[price.as_of]]

        return on

    names = sorted(set(table["model"]))
    listed = {name: _changes(table["as_of"], ask(name)) for name in names}
    return {name: changes for name, changes in listed.items() if changes}


def _list_gpu_prices(cite: Callable[[str], int]) -> dict[str, dict[str, list[list[Any]]]]:
    table = load_table("gpus")
    table = table[(table["provider"] != "") & (table["offer"] != "median of providers")]

    def ask(gpu: str, provider: str) -> Callable[[str], list[Any] | None]:
        def on(day: str) -> list[Any] | None:
            try:
                price = find_gpu_price(gpu, day, provider=provider or None)
            except CostError:  # not yet known
                return None
            return [price.lo, price.value, price.hi, price.as_of, cite(price.source), price.what]

        return on

    prices = {}
    for gpu, rows in table.groupby("gpu", sort=False):
        offers = sorted({*rows["provider"], *(rows["provider"] + " " + rows["offer"])})
        prices[str(gpu)] = {name: _changes(rows["as_of"], ask(str(gpu), name)) for name in ["", *offers]}
    return prices


def _list_sandbox_prices(cite: Callable[[str], int]) -> dict[str, dict[str, Any]]:
    """Return what a virtual CPU, a GiB and a whole machine cost an hour, and how a size is called."""
    found = {}
    for provider in load_table("sandbox_prices")["provider"]:
        empty, cpu, memory = (find_sandbox_price(provider, *size).value for size in ((0, 0), (1, 0), (0, 1)))
        price = find_sandbox_price(provider, 1, 1)
        unit = price.what.split("(1 ")[1].split(",")[0] if "(1 " in price.what else ""
        found[provider] = {
            "machine": empty,
            "vcpu": cpu - empty,
            "memory": memory - empty,
            "unit": unit,
            "as_of": price.as_of,
            "source": cite(price.source),
        }
    return found
