"""What a cost estimate starts from: every input, with its unit and default, from a preset, a file or options.

An input marked *spread* may be a number or ``low:central:high`` (a 90 % interval); ``"none"`` empties an
input that a preset has filled. Nothing is guessed silently: what is left at its default is listed among the
assumptions of the result.
"""

# declare_input() only wraps dataclasses.field(), so no call is shared between instances
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from .errors import CostError, suggest_names
from .named_inputs import CostInputError, list_names
from .scenario_inputs import check_input, declare_input
from .spread import Spread
from .tokens import FILTERS

#: What a run is made of: the least that a scenario must say.
_SIZES = ("steps", "prompts", "group_size", "mean_length")

TRAIN_CHARGES = ("completion", "completion and prefill", "datum")


@dataclass(frozen=True)
class Scenario:
    """One run whose cost is asked for; see the help of each field, or ``rlscale cost --help``.

    Raises
    ------
    CostError
        If an input is missing, is no number, lies outside its limits, or contradicts another.

    Examples
    --------
    >>> s = Scenario(steps="100:180:250", prompts=64, group_size=16, mean_length=300)
    >>> s.steps.mid, s.mode
    (180.0, 'sync')
    """

    name: str = declare_input("text", "my run", "name of the scenario")
    note: str = declare_input("text", "", "what a reader must know about it")
    # the run
    steps: Spread = declare_input("spread", None, "rollout steps of the run", "rollout steps")
    prompts: Spread = declare_input("spread", None, "prompts of a rollout step", "prompts")
    group_size: Spread = declare_input("spread", None, "completions for each prompt", "completions")
    prompt_tokens: Spread = declare_input("spread", 200, "mean length of a prompt", "tokens")
    mean_length: Spread = declare_input(
        "spread", None, "mean tokens that the model writes in a completion", "tokens"
    )
    length_cv: Spread = declare_input(
        "spread", (0.6, 1.0, 1.5), "standard deviation over mean of that length"
    )
    max_length: float | None = declare_input(
        "number", None, "longest completion; default: 8 times the mean", "tokens"
    )
    turns: Spread = declare_input("spread", 1, "turns of a completion", "turns")
    observation_tokens: Spread = declare_input(
        "spread", 0, "what the environment answers between two turns", "tokens"
    )
    environment_seconds: Spread = declare_input(
        "spread", 0, "how long the environment takes for each turn", "seconds"
    )
    zero_variance: Spread = declare_input(
        "share", 0, "share of groups in which every completion got the same reward"
    )
    filtering: str = declare_input("choice", "none", "what is done with them", choices=FILTERS)
    skip_recall: Spread = declare_input(
        "share", 0.5, "with filtering 'before': share of them that is recognised"
    )
    eval_problems: Spread = declare_input("spread", 0, "held-out problems of an evaluation", "problems")
    eval_samples: Spread = declare_input("spread", 1, "completions for each", "completions")
    eval_every: Spread = declare_input(
        "spread", 0, "rollout steps between two evaluations (0: none)", "rollout steps"
    )
    # price by the token
    tinker_model: str = declare_input(
        "text", "", "model on Tinker (empty: no Tinker estimate, unless prices are given)"
    )
    date: str = declare_input("text", "", "day whose prices count, YYYY-MM-DD (empty: newest known)")
    train_charged_on: str = declare_input(
        "choice",
        "completion",
        "which tokens the train price is charged on; sources disagree",
        choices=TRAIN_CHARGES,
    )
    prefix_cache: bool = declare_input("flag", True, "whether tokens read again cost the cached price")
    cached_share: float = declare_input(
        "number", 0.2, "cached price as a share of the prefill price (Tinker: since 2026-07-17)"
    )
    price_prefill: float | None = declare_input(
        "token price", None, "prefill price, instead of the table", "USD per million"
    )
    price_sample: float | None = declare_input(
        "token price", None, "sample price, instead of the table", "USD per million"
    )
    price_train: float | None = declare_input(
        "token price", None, "train price, instead of the table", "USD per million"
    )
    # own or rented GPUs
    model: str = declare_input("text", "", "shape of the model, for the roofline")
    gpu: str = declare_input("text", "", "GPU (empty: no self-hosted estimate)")
    gpus: float | None = declare_input("number", None, "GPUs in all", "GPUs")
    gpus_per_replica: float | None = declare_input(
        "number", None, "GPUs that share one copy of the weights", "GPUs"
    )
    mode: str = declare_input(
        "choice", "sync", "generation and training take turns, or overlap", choices=("sync", "async")
    )
    trainer_share: float | None = declare_input(
        "number", None, "share of the GPUs that train, in async (default: balanced)"
    )
    gpu_hours: Spread | None = declare_input(
        "spread", None, "GPU-hours, where known: no model is used", "GPU-hours"
    )
    throughput: Spread | None = declare_input(
        "spread", None, "generated tokens of the whole step, where known: no roofline is used", "tokens/s/GPU"
    )
    decode_efficiency: Spread | None = declare_input(
        "share", None, "share of the decode roofline (default: by model family)"
    )
    mfu: Spread | None = declare_input(
        "share", None, "FLOPs utilisation in training (default: by model family and GPU)"
    )
    step_overhead: Spread = declare_input(
        "share", (0.02, 0.05, 0.15), "weight transfer, rewards, data: share of the step"
    )
    scaling_loss: Spread = declare_input(
        "share", (0, 0.1, 0.25), "training efficiency falls as (nodes of 8)^-this"
    )
    train_method: str = declare_input("choice", "full", "what is trained", choices=("full", "lora"))
    recompute: bool = declare_input("flag", True, "whether activations are recomputed in the backward pass")
    old_logprob: bool = declare_input(
        "flag", True, "whether the trainer scores the batch with the old policy"
    )
    reference: bool = declare_input("flag", False, "whether it scores it with a reference model")
    gpu_price: Spread | None = declare_input(
        "spread", None, "price of a GPU, instead of the table", "USD per GPU-hour"
    )
    provider: str = declare_input(
        "text", "", "provider of the GPUs, such as 'RunPod community' (empty: all known)"
    )
    # sandbox
    sandbox_containers: Spread = declare_input(
        "spread", 0, "containers that run at once (0: no sandbox)", "containers"
    )
    sandbox_hours: Spread | None = declare_input(
        "spread", None, "hours each runs (default: wall time of the run)", "hours"
    )
    sandbox_idle_share: Spread = declare_input("share", 0, "share of these hours that is idle and not billed")
    sandbox_provider: str = declare_input("text", "E2B", "provider of the sandbox")
    sandbox_vcpu: float = declare_input("number", 2, "virtual CPUs of a container", "vCPU")
    sandbox_memory_gib: float = declare_input("number", 4, "memory of a container", "GiB")
    sandbox_price: Spread | None = declare_input(
        "spread", None, "price of a container, instead of the table", "USD per hour"
    )
    # the rest of the project
    storage_gb: Spread = declare_input("spread", 0, "checkpoints kept", "GB")
    storage_months: Spread = declare_input("spread", 1, "for how long", "months")
    storage_price: Spread = declare_input(
        "spread", 0.10, "price of storage (Tinker's, 2026-10)", "USD per GB-month"
    )
    overhead_share: Spread = declare_input(
        "spread", 0, "engineering, egress, services: share on top of the GPU or token bill"
    )
    project_share: Spread = declare_input(
        "spread", 0, "pilots, failed runs, ablations: share on top of the run"
    )

    def __post_init__(self) -> None:
        for f in fields(self):
            object.__setattr__(self, f.name, check_input(f, getattr(self, f.name)))
        self._check_together()

    def _check_together(self) -> None:
        priced_by_token = bool(self.tinker_model) or self.price_sample is not None
        missing = [n for n in _SIZES if getattr(self, n) is None]
        if missing and (self.gpu_hours is None or priced_by_token):
            are, them = ("is", "it") if len(missing) == 1 else ("are", "them")
            instead = "" if priced_by_token else ", or `gpu_hours` of a `gpu`"
            raise CostInputError(f"{list_names(missing)} {are} missing; a scenario needs {them}{instead}")
        prices = ("price_prefill", "price_sample", "price_train")
        given = [n for n in prices if getattr(self, n) is not None]
        if given and len(given) < 3 and not self.tinker_model:
            absent = [n for n in prices if n not in given]
            raise CostInputError(f"give {list_names(absent)} too, or a `tinker_model` for the rest")
        longest, length = self.max_length, self.mean_length
        if longest is not None and length is not None and length.hi > longest:
            raise CostInputError(
                f"`mean_length` goes up to {length.hi:g}, above `max_length` {longest:g}; lower one"
            )
        if self.gpu and self.gpu_hours is None and self.throughput is None:
            unknown = [n for n, value in (("gpus", self.gpus), ("model", self.model)) if not value]
            if unknown:
                words = {"gpus": "how many GPUs the run has", "model": "whose shape the roofline needs"}
                raise CostInputError(
                    f"{list_names(unknown)} {'is' if len(unknown) == 1 else 'are'} missing; say "
                    f"{' and '.join(words[n] for n in unknown)}, or give `gpu_hours` or `throughput`"
                )
        if self.group_size is not None and self.group_size.lo < 1:
            raise CostInputError(f"`group_size` is {self.group_size.lo:g}; a group has 1 completion or more")
        price = self.gpu_price
        if price is not None and 0 < price.mid < 0.05:
            raise CostInputError(
                f"`gpu_price` is {price.mid:g}, too little for an hour; is it a price a minute or a second?"
            )
        if price is not None and price.mid > 60:
            raise CostInputError(
                f"`gpu_price` is {price.mid:g}; prices are for one GPU: divide by the GPUs of the machine"
            )
        if self.turns.lo < 1:
            raise CostInputError(f"`turns` is {self.turns.lo:g}; a completion has 1 turn or more")

    @property
    def longest(self) -> float:
        """Longest completion in tokens: ``max_length``, else 8 times the (high end of the) mean."""
        return self.max_length if self.max_length is not None else 8 * max(self.mean_length.hi, 1.0)

    def spreads(self) -> dict[str, Spread]:
        """Return the inputs that are given as a spread, by name, in their order."""
        found = {
            f.name: getattr(self, f.name) for f in fields(self) if f.metadata["kind"] in ("spread", "share")
        }
        return {name: value for name, value in found.items() if value is not None}

    def changed(self, **changes: Any) -> Scenario:
        """Return a copy with some inputs changed; an unknown name is an error that lists the nearest."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in changes:
            if name not in values:
                raise CostError(f"no input is called {name!r}; {suggest_names(name, values)}")
        return Scenario(**{**values, **changes})
