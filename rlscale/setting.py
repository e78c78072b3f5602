"""A scenario with everything looked up that it leaves open: prices of its day, efficiencies of its model.

What was looked up or taken for granted is kept in words, so that a result can say it.
"""

from __future__ import annotations

from dataclasses import dataclass

from .hardware import find_gpu, find_model, usual_mfu
from .price_list import Price, TokenPrices
from .prices import find_gpu_price, find_sandbox_price, find_token_prices
from .roofline import DECODE_EFFICIENCY
from .scenario import Scenario
from .spread import Spread

#: Tinker's list has a price for tokens that a cache holds since this day (changelog of the price list).
_CACHED_PRICE_SINCE = "2026-07-17"


@dataclass(frozen=True)
class Setting:
    """A scenario with every open input looked up: spreads, prices with their dates, and what was assumed."""

    scenario: Scenario
    spreads: dict[str, Spread]
    tokens: TokenPrices | None
    cached_share: float
    prices: tuple[Price, ...]
    assumptions: tuple[str, ...]


def settle(scenario: Scenario) -> Setting:
    """Return the scenario with its prices looked up and its open inputs filled from tables.

    Parameters
    ----------
    scenario : Scenario
        What is asked for.

    Returns
    -------
    Setting
        Ready to be drawn from and billed.

    Raises
    ------
    CostError
        If a model, GPU, provider or day is not in the tables.
    """
    s, spreads = scenario, scenario.spreads()
    prices: list[Price] = []
    notes: list[str] = []
    tokens = _settle_token_prices(s, prices, notes)
    if s.gpu:
        if s.gpu_price is None:
            price = find_gpu_price(s.gpu, s.date or None, provider=s.provider or None)
            spreads["gpu_price"] = Spread(price.lo, price.value, price.hi)
            prices.append(price)
        else:
            prices.append(
                Price(
                    f"{s.gpu} rental",
                    s.gpu_price.mid,
                    "USD per GPU-hour",
                    s.date or "given",
                    "given by the reader",
                )
            )
        if s.gpu_hours is not None:
            notes.append("GPU-hours are given, not computed")
        elif s.throughput is not None:
            notes.append("throughput is given: it stands for generation, training and waiting together")
        else:
            notes += _settle_roofline(s, spreads)
    if s.sandbox_containers.hi > 0:
        if s.sandbox_price is None:
            price = find_sandbox_price(s.sandbox_provider, s.sandbox_vcpu, s.sandbox_memory_gib)
            spreads["sandbox_price"] = Spread.parse(price.value)
            prices.append(price)
        notes.append(
            "a sandbox is billed for the whole wall time unless sandbox_hours or sandbox_idle_share is given"
        )
    else:
        notes.append("no sandbox is counted")
    if s.project_share.hi == 0:
        notes.append("only this run is counted: no pilots, failed runs or ablations (project_share)")
    if s.overhead_share.hi == 0:
        notes.append("no engineering, egress or other services are counted (overhead_share)")
    return Setting(s, spreads, tokens, _share_of_cached(s, tokens), tuple(prices), tuple(notes))


def _share_of_cached(s: Scenario, tokens: TokenPrices | None) -> float:
    """Return the price of a cached token over that of one read for the first time."""
    listed_before = tokens is not None and s.price_prefill is None and tokens.as_of < _CACHED_PRICE_SINCE
    return 1.0 if listed_before or not s.prefix_cache else s.cached_share


def _settle_token_prices(s: Scenario, prices: list[Price], notes: list[str]) -> TokenPrices | None:
    given = (s.price_prefill, s.price_sample, s.price_train)
    if not s.tinker_model and None in given:
        return None
    if None in given:
        tokens = find_token_prices(s.tinker_model, s.date or None)
    else:
        tokens = TokenPrices(
            s.tinker_model or "given model", 0.0, 0.0, 0.0, s.date or "given", "given by the reader"
        )
    table = (tokens.prefill, tokens.sample, tokens.train)
    read, sample, train = (own if own is not None else seen for own, seen in zip(given, table, strict=True))
    tokens = TokenPrices(tokens.model, read, sample, train, tokens.as_of, tokens.source)
    prices.extend(tokens.to_prices())
    meaning = {
        "completion": "the train price is charged on generated tokens only",
        "completion and prefill": "the train price is charged on completions, the prefill price on prompts",
        "datum": "the train price is charged on prompt and completion",
    }
    notes.append(meaning[s.train_charged_on])
    share = _share_of_cached(s, tokens)
    if not s.prefix_cache:
        notes.append("no prefix cache: everything is read at the full price")
    elif share == 1:
        notes.append(
            f"tokens read again cost as much as new ones: no cached price is listed on {tokens.as_of}"
        )
    else:
        notes.append(
            f"tokens read again cost {100 * share:.0f} % of the prefill price, those of a group included "
            "(a guess)"
        )
    return tokens


def _settle_roofline(s: Scenario, spreads: dict[str, Spread]) -> list[str]:
    model, gpu = find_model(s.model), find_gpu(s.gpu)
    notes = [f"GPU time is modelled from the shape of {model.name} and the specification of {gpu.name}"]
    if s.decode_efficiency is None:
        spreads["decode_efficiency"] = Spread(*DECODE_EFFICIENCY[model.family])
    if s.mfu is None:
        spreads["mfu"] = Spread(*usual_mfu(model, gpu))
    for name in ("decode_efficiency", "mfu"):
        if getattr(s, name) is None:
            r = spreads[name]
            notes.append(
                f"{name} is {r.lo:.2f} to {r.hi:.2f}, usual for a {model.family} model (not measured here)"
            )
    passes = (
        ["forward and backward"] + ["recomputation"] * s.recompute + ["old log-probabilities"] * s.old_logprob
    )
    passes += ["reference model"] * s.reference
    notes.append(
        f"training ({s.train_method}): {', '.join(passes)}; attention beyond 2N per token is left out"
    )
    notes.append(
        f"{s.mode}: generation and training " + ("take turns" if s.mode == "sync" else "overlap on two pools")
    )
    return notes
