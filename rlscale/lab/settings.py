"""All knobs of one laboratory run, checked before anything is trained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from ..errors import RlscaleError, suggest_names
from ..losses import OBJECTIVES, Objective, find_objective

#: GSPO's band is for answers of thousands of tokens; on five tokens the sequence ratio moves a hundred times
#: more.
LAB_CLIP: dict[str, tuple[float, float]] = {"gspo": (0.05, 0.05)}


class LabError(RlscaleError):
    """A laboratory run is set up in a way that cannot work."""


@dataclass(frozen=True)
class LabSettings:
    """One run of the laboratory. The defaults are the recommended setting: 160,000 completions from .10.

    Attributes
    ----------
    task, digits, turns
        What is trained, see :mod:`rlscale.lab.tasks`; ``digits`` (and ``turns`` of a chain) is the
        difficulty.
    width, layers, heads, mlp, experts
        The transformer; more than one expert makes each MLP a top-1 mixture.
    lora_rank, lora_alpha
        0: train all weights; else only adapters of that rank on every linear map.
    start : float
        Pass rate at which the supervised warm start stops: R0.
    algorithm, clip_low, clip_high
        A key of :data:`rlscale.losses.OBJECTIVES`; the band may be changed.
    prompts, group_size, mini_batches
        A rollout step samples ``prompts`` x ``group_size`` answers and makes one update a mini-batch of
        prompts.
    learning_rate, temperature, kl
        AdamW step, sampling temperature, weight of the KL penalty to the warm start.
    pool : int
        Number of distinct training prompts; 0: fresh ones each step.
    drop_solved : float
        With a pool: a prompt whose last group passed at this rate or above is not used again; 0: off.
    partial_credit, verifier_noise
        Reward the share of right tokens; flip a reward with this probability.
    zero_variance_filter, sampling_tries
        Leave out groups whose rewards are all equal; replace them in up to this many rounds of sampling.
        None: as the algorithm has it.
    staleness : int
        The sampler's weights are this many rollout steps old.
    sampler_bits : int
        Bits of mantissa to which the sampler's logits are rounded (8: as in bf16); 0: off.
    budget, eval_every : int
        Completions to generate in all, and between two evaluations.
    eval_prompts, seed : int
        Held-out prompts, and the random seed.
    """

    task: str = "sort"
    digits: int = 5
    turns: int = 1
    width: int = 32
    layers: int = 2
    heads: int = 2
    mlp: int = 128
    experts: int = 1
    lora_rank: int = 0
    lora_alpha: float = 8.0
    start: float = 0.10
    algorithm: str = "grpo"
    clip_low: float | None = None
    clip_high: float | None = None
    prompts: int = 32
    group_size: int = 8
    mini_batches: int = 1
    learning_rate: float = 5e-4
    temperature: float = 1.0
    kl: float = 0.0
    pool: int = 0
    drop_solved: float = 0.0
    partial_credit: bool = False
    verifier_noise: float = 0.0
    zero_variance_filter: bool | None = None
    sampling_tries: int | None = None
    staleness: int = 0
    sampler_bits: int = 0
    budget: int = 160_000
    eval_every: int = 3_840
    eval_prompts: int = 1_024
    seed: int = 0

    def __post_init__(self) -> None:
        _check_types(self)
        _check_ranges(self)

    @property
    def objective(self) -> Objective:
        """The objective with this run's band and filters."""
        base = find_objective(self.algorithm)
        low, high = LAB_CLIP.get(self.algorithm, (base.low, base.high))
        return replace(
            base,
            low=low if self.clip_low is None else self.clip_low,
            high=high if self.clip_high is None else self.clip_high,
            zero_variance_filter=(
                base.zero_variance_filter if self.zero_variance_filter is None else self.zero_variance_filter
            ),
        )

    @property
    def tries(self) -> int:
        """Rounds of sampling a rollout step may take."""
        if self.sampling_tries is not None:
            return self.sampling_tries
        return 4 if find_objective(self.algorithm).dynamic_sampling else 1

    @property
    def completions_a_step(self) -> int:
        """Answers that one round of sampling generates."""
        return self.prompts * self.group_size

    def to_dict(self) -> dict[str, Any]:
        """Return all settings by name."""
        return asdict(self)

    def changed(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> LabSettings:
        """Build settings from names and values.

        Raises
        ------
        LabError
            If a name is not a setting; the message suggests one.

        Examples
        --------
        >>> LabSettings.from_dict({"group_size": 16}).group_size
        16
        """
        known = [f.name for f in fields(cls)]
        for name in values:
            if name not in known:
                raise LabError(f"no setting is called {name!r}; {suggest_names(name, known)}")
        return cls(**values)


_TYPES: dict[str, type | tuple[type, ...]] = {"str": str, "bool": bool, "int": int, "float": (int, float)}


def _check_types(s: LabSettings) -> None:
    for f in fields(s):
        value, kind = getattr(s, f.name), str(f.type)
        if value is None and "None" in kind:
            continue
        good = _TYPES[kind.split(" |")[0]]
        # bool is an int to Python, and True for a count is surely a slip
        if not isinstance(value, good) or (isinstance(value, bool) and good is not bool):
            raise LabError(f"setting {f.name} is {value!r}; give a value of type {kind}")
        if isinstance(value, float) and not math.isfinite(value):
            raise LabError(f"setting {f.name} is {value}; give a finite number")


#: Setting -> least and greatest value.
_RANGES: dict[str, tuple[float, float]] = {
    "digits": (2, 9),
    "turns": (1, 5),
    "width": (4, 512),
    "layers": (1, 12),
    "heads": (1, 16),
    "mlp": (4, 2048),
    "experts": (1, 16),
    "lora_rank": (0, 64),
    "lora_alpha": (1e-3, 1e3),
    "start": (0.001, 0.95),
    "prompts": (1, 4096),
    "group_size": (1, 512),
    "mini_batches": (1, 64),
    "learning_rate": (1e-7, 1.0),
    "temperature": (0.05, 20),
    "kl": (0, 100),
    "pool": (0, 1_000_000),
    "drop_solved": (0, 1),
    "verifier_noise": (0, 0.5),
    "sampling_tries": (1, 64),
    "staleness": (0, 256),
    "sampler_bits": (0, 23),
    "budget": (1, 50_000_000),
    "eval_every": (1, 50_000_000),
    "eval_prompts": (16, 65_536),
    "seed": (0, 2**31 - 1),
    "clip_low": (0, 1),
    "clip_high": (0, 1e6),
}


def _check_ranges(s: LabSettings) -> None:
    for name, (least, greatest) in _RANGES.items():
        value = getattr(s, name)
        if value is not None and not least <= value <= greatest:
            raise LabError(f"setting {name} is {value:g}; it must lie in [{least:g}, {greatest:g}]")
    if s.algorithm not in OBJECTIVES:
        raise LabError(f"no algorithm is called {s.algorithm!r}; {suggest_names(s.algorithm, OBJECTIVES)}")
    if s.width % s.heads:
        raise LabError(f"width {s.width} is not a multiple of heads {s.heads}; change one of them")
    if s.prompts % s.mini_batches:
        raise LabError(f"{s.prompts} prompts cannot be split into {s.mini_batches} equal mini-batches")
    if s.group_size == 1 and s.objective.baseline == "group":
        raise LabError(
            f"group size 1 leaves {s.objective.title} without any advantage; take 2 or more, or reinforce"
        )
    if s.pool and s.pool < s.prompts:
        raise LabError(f"the pool holds {s.pool} prompts and a step needs {s.prompts}; enlarge the pool")
    if s.drop_solved and not s.pool:
        raise LabError("drop_solved needs a pool: fresh prompts are never seen twice")
    if s.tries > 1 and s.staleness:
        raise LabError("dynamic sampling together with staleness is not supported; set sampling_tries to 1")
