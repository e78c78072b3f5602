"""The bill of a run for given inputs: tokens, then token prices, then GPU time, then sandboxes.

Everything is an array with one entry a draw; :mod:`rlscale.cost` makes the draws and reads the intervals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .errors import CostError
from .hardware import find_gpu, find_model, usual_mfu
from .prices import Price, TokenPrices, find_gpu_price, find_sandbox_price, find_token_prices
from .roofline import DECODE_EFFICIENCY, replica_gpus
from .scenario import Scenario
from .speed import Cluster, time_step
from .spread import Spread
from .tokens import Rollout, StepTokens, count_tokens

Floats = NDArray[np.float64]
Values = Mapping[str, Floats]

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


@dataclass(frozen=True)
class Bill:
    """What a run uses and costs; arrays of shape (draws,), None for a branch that does not apply.

    Attributes
    ----------
    tokens : StepTokens or None
        Tokens of the whole run.
    gpu_hours, wall_hours : array or None
        GPU-hours of all pools, and hours on the clock.
    tinker, self_hosted, sandbox, storage : array or None
        US dollars of each branch.
    parts : dict
        US dollars by part; the parts of a branch add up to it.
    """

    tokens: StepTokens | None
    gpu_hours: Floats | None
    wall_hours: Floats | None
    tinker: Floats | None
    self_hosted: Floats | None
    sandbox: Floats | None
    storage: Floats
    parts: dict[str, Floats] = field(default_factory=dict)


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
            f"tokens read again cost {share:.0%} of the prefill price, those of a group included (a guess)"
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


def make_bill(setting: Setting, values: Values) -> Bill:
    """Return the bill for arrays of inputs.

    Parameters
    ----------
    setting : Setting
        Scenario with prices.
    values : mapping
        For each name in ``setting.spreads`` an array of shape (draws,).

    Returns
    -------
    Bill
        One entry a draw.
    """
    s = setting.scenario
    parts: dict[str, Floats] = {}
    rollout, step, tokens = None, None, None
    if (
        s.mean_length is not None
        and s.prompts is not None
        and s.group_size is not None
        and s.steps is not None
    ):
        rollout = _make_rollout(s, values)
        step = count_tokens(rollout, prefix_cache=s.prefix_cache)
        tokens = step.times(values["steps"])
    tinker: Floats | None = None
    if setting.tokens is not None and tokens is not None:
        tinker = _bill_tokens(s, setting, tokens, parts)
    gpu_hours: Floats | None = None
    wall_hours: Floats | None = None
    self_hosted: Floats | None = None
    if s.gpu:
        shares = _use_gpus(s, values, rollout, step)
        gpu_hours = np.asarray(sum(shares.values()))
        for name, hours in shares.items():
            parts[f"self-hosted: {name}"] = hours * values["gpu_price"]
        self_hosted = gpu_hours * values["gpu_price"]
        wall_hours = None if s.gpus is None else gpu_hours / s.gpus
    sandbox: Floats | None = None
    if s.sandbox_containers.hi > 0:
        rented: Floats | None = wall_hours if s.sandbox_hours is None else values["sandbox_hours"]
        if rented is None:
            raise CostError("sandbox_hours is missing; without GPUs the wall time of the run is not known")
        busy = rented * (1 - values["sandbox_idle_share"])
        sandbox = values["sandbox_containers"] * busy * values["sandbox_price"]
        parts["sandbox"] = sandbox
    storage = values["storage_gb"] * values["storage_months"] * values["storage_price"]
    if s.storage_gb.hi > 0:
        parts["storage"] = storage
    return Bill(tokens, gpu_hours, wall_hours, tinker, self_hosted, sandbox, storage, parts)


def _make_rollout(s: Scenario, v: Values) -> Rollout:
    names = (
        "prompts",
        "group_size",
        "prompt_tokens",
        "turns",
        "observation_tokens",
        "zero_variance",
        "skip_recall",
        "eval_problems",
        "eval_samples",
        "eval_every",
    )
    # a draw of the mean cannot lie above the longest completion
    length = np.minimum(v["mean_length"], s.longest)
    return Rollout(mean_length=length, filtering=s.filtering, **{n: v[n] for n in names})


def _bill_tokens(s: Scenario, setting: Setting, t: StepTokens, parts: dict[str, Floats]) -> Floats:
    price = setting.tokens
    assert price is not None  # the caller has looked
    million = 1e-6
    parts["tinker: generated"] = t.generated * price.sample * million
    cached = t.cached * setting.cached_share
    parts["tinker: read"] = (t.prefill + cached) * price.prefill * million
    trained = t.trained + (t.context if s.train_charged_on == "datum" else 0.0)
    train = trained * price.train
    if s.train_charged_on == "completion and prefill":
        train = train + t.context * price.prefill
    parts["tinker: trained"] = train * million
    parts["tinker: evaluation"] = (t.eval_generated * price.sample + t.eval_prefill * price.prefill) * million
    return np.asarray(sum(parts[name] for name in parts if name.startswith("tinker: ")))


def _use_gpus(s: Scenario, v: Values, rollout: Rollout | None, step: StepTokens | None) -> dict[str, Floats]:
    """Return GPU-hours of the run by what they are spent on."""
    if s.gpu_hours is not None:
        return {"GPU-hours as given": v["gpu_hours"]}
    if rollout is None or step is None:
        raise CostError("steps, prompts, group_size and mean_length are needed to compute GPU-hours")
    if s.throughput is not None:
        tokens = (step.generated + step.eval_generated) * v["steps"]
        return {"at the given throughput": tokens / v["throughput"] / 3600}
    model, gpu = find_model(s.model), find_gpu(s.gpu)
    # from the ends of the inputs, not from the draws: the machine must be the same in each of them
    context = s.prompt_tokens.hi + (s.turns.hi - 1) * s.observation_tokens.hi + s.longest
    per_replica = s.gpus_per_replica or replica_gpus(model, gpu, context)
    assert s.gpus is not None  # checked by the scenario
    cluster = Cluster(
        model,
        gpu,
        s.gpus,
        per_replica,
        mode=s.mode,
        trainer_share=s.trainer_share,
        decode_efficiency=v["decode_efficiency"],
        mfu=v["mfu"],
        step_overhead=v["step_overhead"],
        scaling_loss=v["scaling_loss"],
        method=s.train_method,
        recompute=s.recompute,
        old_logprob=s.old_logprob,
        reference=s.reference,
    )
    # what the environment answers is read in between; while it is, it lies in the cache like the prompt
    prompt = v["prompt_tokens"] + (v["turns"] - 1) * v["observation_tokens"]
    time = time_step(
        cluster,
        step.completions,
        prompt,
        rollout.mean_length,
        v["length_cv"],
        s.longest,
        step.trained + step.context,
        read_tokens=step.prefill,
        wait_seconds=v["turns"] * v["environment_seconds"],
    )
    hours = v["steps"] / 3600
    generated = np.maximum(step.generated, 1e-300)
    shares = {
        "generation": time.generation * hours,
        "training": time.training * hours,
        "overhead": time.overhead * hours,
        "idle pool": time.idle * hours,
        "evaluation": time.generation * step.eval_generated / generated * hours,
    }
    return {name: np.asarray(h) for name, h in shares.items() if np.any(h > 0)} or {"generation": 0 * hours}
