"""The arms of the sweep: which runs the laboratory ships, in the order of their weight for the book.

An arm is the baseline with a few settings changed; it is trained with several seeds. Arms with the same seed
share warm start, held-out prompts and, where the batch allows, the order of training prompts, so they are
compared in pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..errors import suggest_names
from .settings import LabError, LabSettings


@dataclass(frozen=True)
class Arm:
    """One arm.

    Attributes
    ----------
    name, block, title : str
        Key, the question it belongs to, and words for a table.
    changes : dict
        Settings that differ from the defaults.
    reference : str
        Arm it is compared with; empty for one that only is a reference.
    seeds : int
        How many seeds the finished sweep holds.
    tier : int
        1 is trained first.
    """

    name: str
    block: str
    title: str
    changes: dict[str, Any] = field(default_factory=dict, hash=False)
    reference: str = "baseline"
    seeds: int = 5
    tier: int = 1

    def settings(self, seed: int) -> LabSettings:
        """Return the settings of one run of this arm."""
        return LabSettings.from_dict(self.changes | {"seed": seed})


_OFF_POLICY = {"prompts": 64, "mini_batches": 4}
_STRESS = {"staleness": 8, "learning_rate": 1e-3}


def _build() -> Iterator[Arm]:
    yield Arm(
        "baseline",
        "baseline",
        "GRPO, 32 prompts x 8 answers, one update a step, step size 5e-4",
        reference="",
    )
    for size, tier in ((2.5e-4, 1), (1e-3, 1), (2e-3, 1), (4e-3, 1)):
        yield Arm(f"lr-{size:g}", "learning rate", f"step size {size:g}", {"learning_rate": size}, tier=tier)
    for pool in (32, 128, 512):
        yield Arm(f"pool-{pool}", "prompt pool", f"{pool} training prompts", {"pool": pool})
    yield from _algorithms()
    for size in (2.5e-4, 5e-4, 1e-3):
        reference = "baseline" if size == 5e-4 else f"lr-{size:g}"
        for age in (4, 16):
            changes = {"staleness": age, "learning_rate": size}
            title = f"sampler {age} steps old, step size {size:g}"
            yield Arm(f"stale-{age}-lr-{size:g}", "staleness x step size", title, changes, reference)
    for group in (2, 4, 16, 32):
        changes = {"group_size": group, "prompts": 256 // group}
        yield Arm(
            f"group-{group}",
            "group size, equal completions",
            f"{256 // group} prompts x {group} answers",
            changes,
        )
    for start in (0.02, 0.05, 0.3, 0.6):
        yield Arm(f"start-{start:g}", "edge of competence", f"warm start to {start:g}", {"start": start})
    yield from _second_tier()
    yield from _third_tier()


def _algorithms() -> Iterator[Arm]:
    block = "algorithm, 4 updates a step"
    for name, title, seeds, tier in (
        ("grpo", "GRPO", 8, 1),
        ("dapo", "DAPO", 5, 1),
        ("cispo", "CISPO", 8, 1),
        ("reinforce", "REINFORCE", 5, 1),
        ("dr-grpo", "Dr. GRPO", 8, 1),
        ("gspo", "GSPO", 8, 1),
        ("scalerl", "ScaleRL", 5, 3),
    ):
        reference = "" if name == "grpo" else "off-grpo"
        yield Arm(f"off-{name}", block, title, _OFF_POLICY | {"algorithm": name}, reference, seeds, tier)


def _second_tier() -> Iterator[Arm]:
    for name, title in (("grpo", "GRPO"), ("cispo", "CISPO"), ("gspo", "GSPO")):
        reference = "lr-0.001" if name == "grpo" else "stale-8-grpo"
        changes = _STRESS | {"algorithm": name}
        yield Arm(
            f"stale-8-{name}",
            "staleness x algorithm",
            f"{title}, sampler 8 steps old, 1e-3",
            changes,
            reference,
            tier=2,
        )
    for rank in (1, 4):
        changes = {"lora_rank": rank, "learning_rate": 1e-2}
        yield Arm(f"lora-{rank}", "adapters", f"LoRA of rank {rank}, step size 1e-2", changes, tier=2)
    for group in (2, 16, 32):
        changes = {"group_size": group}
        yield Arm(
            f"prompts-32-group-{group}",
            "group size, equal prompts",
            f"32 prompts x {group} answers",
            changes,
            tier=2,
        )
    rote = {"task": "times", "start": 0.3, "budget": 60_000}
    yield Arm("rote", "limits", "a*b mod 23 from .3: facts, no rule", rote, reference="", tier=2)
    yield Arm("sampler-bf16", "limits", "sampler logits rounded to bfloat16", {"sampler_bits": 8}, tier=2)
    yield Arm("experts-4", "limits", "mixture of 4 experts, top 1", {"experts": 4}, tier=2)
    yield Arm("filter", "limits", "groups without spread left out", {"zero_variance_filter": True}, tier=2)


def _third_tier() -> Iterator[Arm]:
    for kl in (0.01, 0.04, 0.1):
        yield Arm(f"kl-{kl:g}", "KL", f"KL penalty {kl:g}", {"kl": kl}, tier=3)
    for digits in (4, 6, 7):
        yield Arm(f"sort-{digits}", "difficulty", f"sort {digits} digits", {"digits": digits}, tier=3)
    hard = {"digits": 7, "start": 0.02}
    yield Arm("partial", "reward", "share of right tokens as reward", {"partial_credit": True}, tier=3)
    yield Arm("noise-0.2", "reward", "verifier wrong in 20 %", {"verifier_noise": 0.2}, tier=3)
    yield Arm("hard-exact", "reward", "sort 7 digits from .02, exact reward", hard, reference="", tier=3)
    yield Arm(
        "hard-partial",
        "reward",
        "the same, partial credit",
        hard | {"partial_credit": True},
        "hard-exact",
        tier=3,
    )
    length = {"task": "unique", "digits": 7, **_OFF_POLICY}
    for name, title in (("grpo", "GRPO"), ("dr-grpo", "Dr. GRPO")):
        reference = "" if name == "grpo" else "length-grpo"
        changes = length | {"algorithm": name}
        yield Arm(
            f"length-{name}",
            "answers of varying length",
            f"{title}, sort and drop repeats",
            changes,
            reference,
            tier=3,
        )
    # DAPO's average without its sampling and its wider band: the average alone differs from GRPO
    only_average = length | {"algorithm": "dapo", "sampling_tries": 1, "clip_high": 0.2}
    title = "GRPO with DAPO's token mean"
    yield Arm("length-token-mean", "answers of varying length", title, only_average, "length-grpo", tier=3)
    for turns in (1, 2, 4):
        changes = {"task": "chain", "turns": turns, "budget": 120_000}
        reference = "" if turns == 1 else "chain-1"
        yield Arm(
            f"chain-{turns}", "difficulty", f"{turns} sorts of 3 in a chain", changes, reference, tier=3
        )


#: All arms by name, in order of training.
ARMS: dict[str, Arm] = {arm.name: arm for arm in _build()}


def find_arm(name: str) -> Arm:
    """Return the arm of that name.

    Raises
    ------
    LabError
        If there is none; the message suggests one.

    Examples
    --------
    >>> find_arm("pool-32").changes
    {'pool': 32}
    """
    if name not in ARMS:
        raise LabError(f"no arm is called {name!r}; {suggest_names(name, ARMS)}")
    return ARMS[name]


#: How many seeds an arm of a tier waits behind the first tier.
_DELAY = {1: 0.0, 2: 0.5, 3: 2.75}


def list_jobs(names: Iterable[str] | None = None) -> list[tuple[Arm, int]]:
    """Return (arm, seed) in order of training: seed by seed, so that a stopped sweep has all arms.

    The first tier is up to three seeds ahead; seeds beyond five, for arms expected to be equal, come last.
    """
    arms = list(ARMS.values()) if names is None else [find_arm(n) for n in names]
    order = {arm.name: i for i, arm in enumerate(arms)}
    jobs = [(arm, seed) for arm in arms for seed in range(arm.seeds)]
    return sorted(jobs, key=lambda j: (j[1] + _DELAY[j[0].tier] + 5 * (j[1] >= 5), order[j[0].name]))
