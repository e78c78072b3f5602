"""What one rollout step is made of: prompts, completions, updates, tokens, seconds."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .amounts import full_number
from .given import as_number
from .named_inputs import InputError


class StepError(InputError):
    """A conversion was given a number that cannot be."""


class MissingStepError(StepError):
    """A conversion needs a number that was not given.

    Attributes
    ----------
    name : str
        The number, as :class:`Batch` calls it.
    """

    def __init__(self, what: str, name: str) -> None:
        self.name = name
        super().__init__(f"{what} need `{name}` ({NEEDS[name]}), which was not given")


#: What each number of a batch is.
NEEDS: dict[str, str] = {
    "prompts": "prompts in one rollout step",
    "group_size": "completions a prompt",
    "mini_batch": "completions in one update",
    "passes": "times each completion is trained on",
    "data": "prompts in the data set",
    "tokens": "mean generated tokens a completion",
    "seconds": "seconds of one rollout step",
    "gpus": "all GPUs, of every pool",
}


@dataclass(frozen=True)
class Batch:
    """What one rollout step is made of.

    Attributes
    ----------
    prompts : float, optional
        Prompts in one rollout step (verl: ``train_batch_size``). Only conversions between rollout steps and
        hours do without it.
    group_size : float
        Completions a prompt (verl: ``rollout.n``; TRL: ``num_generations``).
    mini_batch : float, optional
        Completions in one update. verl's ``ppo_mini_batch_size`` counts prompts: multiply it by
        ``group_size``.
    passes : float
        Times each completion is trained on (verl: ``ppo_epochs``; TRL: ``num_iterations``).
    data : float, optional
        Prompts in the data set, for epochs.
    tokens : float, optional
        Mean generated tokens a completion.
    seconds : float, optional
        Wall-clock seconds a rollout step, everything included.
    gpus : float, optional
        All GPUs, of every pool.

    Raises
    ------
    StepError
        If a number is not positive and finite, a mini-batch is larger than the rollout, or there is neither
        ``prompts`` nor ``seconds`` nor ``gpus``.

    Examples
    --------
    >>> Batch(prompts=512, group_size=16, mini_batch=512).updates_a_rollout
    16.0
    >>> Batch(prompts=10, group_size=3, mini_batch=7).warnings  # doctest: +ELLIPSIS
    ('4.28571 updates a rollout step is no whole number: ...',)
    """

    prompts: float | None = None
    group_size: float = 1
    mini_batch: float | None = None
    passes: float = 1
    data: float | None = None
    tokens: float | None = None
    seconds: float | None = None
    gpus: float | None = None

    def __post_init__(self) -> None:
        for name, value in self.__dict__.items():
            if value is not None or name in ("group_size", "passes"):
                check_positive(value, name)
        if self.prompts is None:
            if self.seconds is None and self.gpus is None:
                raise StepError(
                    "`prompts` (prompts in one rollout step) is missing; give it, or `seconds` of a rollout "
                    "step to convert to hours"
                )
            return
        for product in (self.completions, self.completions * self.passes):
            if not (math.isfinite(product) and product > 0):
                raise StepError(
                    f"{self.prompts:g} prompts × {self.group_size:g} completions × {self.passes:g} passes is "
                    f"{product:g}, which no run has; check them"
                )
        if self.mini_batch is not None and self.mini_batch > self.completions:
            raise StepError(
                f"a mini-batch of {self.mini_batch:g} completions is larger than the rollout of "
                f"{self.completions:g}; if it counts prompts, multiply it by the group size"
            )

    @property
    def completions(self) -> float:
        """Completions of one rollout step."""
        return self.need("prompts", "completions") * self.group_size

    @property
    def updates_a_rollout(self) -> float:
        """Optimizer updates a rollout step; ``passes`` is how often a completion is used."""
        return self.completions * self.passes / self.need("mini_batch", "updates")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What no trainer does as it stands: parts of an update, of a prompt, of a completion."""
        found = []
        if self.prompts is not None and self.mini_batch is not None:
            updates = self.updates_a_rollout
            if not _is_whole(updates):
                found.append(
                    f"{full_number(updates)} updates a rollout step is no whole number: a trainer drops, "
                    f"pads or refuses the rest, so expect {math.floor(updates)} or {math.ceil(updates)}"
                )
        for what, value in (
            ("prompts in a rollout step", self.prompts),
            ("completions a prompt", self.group_size),
        ):
            if value is not None and not _is_whole(value):
                found.append(f"{full_number(value)} {what} is no whole number; is it a mean?")
        return tuple(found)

    def need(self, name: str, what: str) -> float:
        """Return a number of the batch that a conversion needs.

        Raises
        ------
        MissingStepError
            If it was not given.
        """
        value: float | None = getattr(self, name)
        if value is None:
            raise MissingStepError(what, name)
        return value


def trl_batch(
    effective_batch: float,
    group_size: float,
    *,
    num_iterations: float = 1,
    steps_per_generation: float = 1,
    data: float | None = None,
) -> Batch:
    """Return the batch of a TRL GRPO run, whose batch sizes count completions.

    Parameters
    ----------
    effective_batch : float
        Completions in one update: ``per_device_train_batch_size × gradient_accumulation_steps × processes``.
    group_size : float
        ``num_generations``.
    num_iterations : float
        Times a completion is trained on.
    steps_per_generation : float
        Updates' worth of completions that are generated at once.
    data : float, optional
        Prompts in the data set.

    Examples
    --------
    8,000 prompts, 2 epochs, 6 completions each, 24 completions an update (TRL issue 3204):

    >>> from rlscale.steps import convert_steps
    >>> convert_steps(2, "epochs", "updates", trl_batch(24, 6, data=8000)).value
    4000.0
    """
    for name, value in (
        ("effective_batch", effective_batch),
        ("group_size", group_size),
        ("num_iterations", num_iterations),
        ("steps_per_generation", steps_per_generation),
    ):
        check_positive(value, name)
    return Batch(
        prompts=effective_batch * steps_per_generation / group_size,
        group_size=group_size,
        mini_batch=effective_batch,
        passes=num_iterations,
        data=data,
    )


def check_positive(value: float | None, name: str) -> None:
    """Refuse what is no finite number above 0."""
    number = as_number(value, f"`{name}`", StepError)
    if not (math.isfinite(number) and number > 0):
        raise StepError(f"`{name}` is {number:g}; give a number above 0")


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) <= 1e-9 * max(1.0, abs(value))
