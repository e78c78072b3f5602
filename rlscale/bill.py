"""The bill of a run for given inputs: tokens, then token prices, then GPU time, then sandboxes.

Everything is an array with one entry a draw; :mod:`rlscale.cost` makes the draws and reads the intervals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .hardware import find_gpu, find_model
from .named_inputs import CostInputError
from .roofline import replica_gpus
from .scenario import Scenario
from .setting import Setting
from .speed import Cluster, time_step
from .tokens import Rollout, StepTokens, count_tokens

Floats = NDArray[np.float64]
Values = Mapping[str, Floats]


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
            raise CostInputError("`sandbox_hours` is missing; without `gpus` the wall time is not known")
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
        raise CostInputError("`steps`, `prompts`, `group_size` and `mean_length` are needed for GPU-hours")
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
