"""Step units and their conversion, with the batch arithmetic shown.

"Step" alone does not exist. A *rollout step* is one batch of generation; an *update* is one optimizer step.
One rollout of ``prompts × group_size`` completions is cut into mini-batches, each of which is one update, and
may be passed over several times::

    updates a rollout step = prompts × group_size × passes / mini_batch

DAPO, for example, generates 512 prompts × 16 = 8,192 completions a rollout step and updates on 512 of them at
a time: 16 updates a rollout step, so that its 320 rollout steps are 5,120 updates (verl issues 795 and 1643).
TRL counts updates and its batch sizes count completions; verl counts rollout steps and its
``ppo_mini_batch_size`` counts prompts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .errors import RlscaleError, suggest_names
from .given import as_number, show_value

#: Units that can be converted, and how each is written.
STEP_UNITS: dict[str, str] = {
    "rollout_steps": "rollout steps",
    "updates": "optimizer updates",
    "prompts": "prompts",
    "completions": "completions",
    "epochs": "epochs",
    "generated_tokens": "generated tokens",
    "wall_hours": "hours",
    "gpu_hours": "GPU-hours",
}


class StepError(RlscaleError):
    """A conversion was given a number that cannot be."""


class MissingStepError(StepError):
    """A conversion needs a number that was not given."""


_NEEDED = ("prompts", "group_size", "passes")


@dataclass(frozen=True)
class Batch:
    """What one rollout step is made of.

    Attributes
    ----------
    prompts : float
        Prompts in one rollout step (verl: ``train_batch_size``).
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
        If a number is not positive and finite, or a mini-batch is larger than the rollout.

    Examples
    --------
    >>> Batch(prompts=512, group_size=16, mini_batch=512).updates_a_rollout
    16.0
    """

    prompts: float
    group_size: float = 1
    mini_batch: float | None = None
    passes: float = 1
    data: float | None = None
    tokens: float | None = None
    seconds: float | None = None
    gpus: float | None = None

    def __post_init__(self) -> None:
        for name, value in self.__dict__.items():
            if value is not None or name in _NEEDED:
                _check_positive(value, name)
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
        return self.prompts * self.group_size

    @property
    def updates_a_rollout(self) -> float:
        """Optimizer updates a rollout step; ``passes`` is how often a completion is used."""
        if self.mini_batch is None:
            raise MissingStepError("updates need the mini-batch: completions in one optimizer step")
        return self.completions * self.passes / self.mini_batch


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

    >>> convert_steps(2, "epochs", "updates", trl_batch(24, 6, data=8000)).value
    4000.0
    """
    for name, value in (
        ("effective_batch", effective_batch),
        ("group_size", group_size),
        ("num_iterations", num_iterations),
        ("steps_per_generation", steps_per_generation),
    ):
        _check_positive(value, name)
    return Batch(
        prompts=effective_batch * steps_per_generation / group_size,
        group_size=group_size,
        mini_batch=effective_batch,
        passes=num_iterations,
        data=data,
    )


@dataclass(frozen=True)
class Conversion:
    """A converted number with its arithmetic.

    Attributes
    ----------
    value : float
    unit : str
        One of :data:`STEP_UNITS`.
    lines : tuple of str
        The arithmetic, one step a line.
    """

    value: float
    unit: str
    lines: tuple[str, ...] = field(default=())


def convert_steps(amount: float, from_unit: str, to_unit: str, batch: Batch) -> Conversion:
    r"""Convert between step units.

    Parameters
    ----------
    amount : float
        How many of ``from_unit``.
    from_unit, to_unit : str
        Two of :data:`STEP_UNITS`.
    batch : Batch
        What a rollout step is made of.

    Returns
    -------
    Conversion

    Raises
    ------
    StepError
        If a unit is unknown, the amount is no number of at least 0, or the batch lacks what a unit needs.

    Examples
    --------
    >>> dapo = Batch(prompts=512, group_size=16, mini_batch=512)
    >>> print(*convert_steps(320, "rollout_steps", "updates", dapo).lines, sep="\n")
    updates a rollout step = 512 prompts × 16 completions × 1 pass / 512 completions an update = 16
    320 rollout steps × 16 = 5,120 optimizer updates
    >>> convert_steps(100, "rollout_steps", "epochs", Batch(1024, data=8532)).value  # doctest: +ELLIPSIS
    12.0018...
    """
    for unit in (from_unit, to_unit):
        if unit not in STEP_UNITS:
            near = suggest_names(str(unit), STEP_UNITS, limit=8)
            raise StepError(f"no step unit {show_value(unit)}: {near}")
    amount = as_number(amount, "the amount", StepError)
    if not (math.isfinite(amount) and amount >= 0):
        raise StepError(f"the amount is {amount:g}; give a number of at least 0")
    amount = abs(amount)  # of −0
    lines: list[str] = []
    steps = amount
    if from_unit != "rollout_steps":
        factor, how = _factor(from_unit, batch)
        steps = _held(amount / factor, "rollout_steps")
        lines += [
            how,
            f"{_number(amount)} {STEP_UNITS[from_unit]} / {_number(factor)} = {_number(steps)} rollout steps",
        ]
    value = steps
    if to_unit != "rollout_steps":
        factor, how = _factor(to_unit, batch)
        value = _held(steps * factor, to_unit)
        lines += [
            how,
            f"{_number(steps)} rollout steps × {_number(factor)} = {_number(value)} {STEP_UNITS[to_unit]}",
        ]
    return Conversion(float(value), to_unit, tuple(lines))  # a batch of a table may hold NumPy numbers


def _factor(unit: str, batch: Batch) -> tuple[float, str]:
    """Return how many of ``unit`` one rollout step is, and the arithmetic."""
    b = batch
    each = f"{unit.replace('_', ' ')} a rollout step"
    group = f"{_number(b.prompts)} prompts × {_number(b.group_size)} completions"
    if unit == "prompts":
        return b.prompts, f"{each} = {_number(b.prompts)}"
    if unit == "completions":
        return b.completions, f"{each} = {group} = {_number(b.completions)}"
    if unit == "updates":
        passes = f"{_number(b.passes)} pass{'es' if b.passes != 1 else ''}"
        value = _held(b.updates_a_rollout, unit, factor=True)
        mini = _number(_given(b.mini_batch, "mini_batch", unit))
        return value, f"{each} = {group} × {passes} / {mini} completions an update = {_number(value)}"
    if unit == "epochs":
        data = _given(b.data, "data", unit)
        value = _held(b.prompts / data, unit, factor=True)
        return (
            value,
            f"{each} = {_number(b.prompts)} prompts / {_number(data)} in the data set = {_number(value)}",
        )
    if unit == "generated_tokens":
        tokens = _given(b.tokens, "tokens", unit)
        value = _held(b.completions * tokens, unit, factor=True)
        return value, f"{each} = {group} × {_number(tokens)} tokens = {_number(value)}"
    seconds = _given(b.seconds, "seconds", unit)
    if unit == "wall_hours":
        value = _held(seconds / 3600, unit, factor=True)
        return value, f"{each} = {_number(seconds)} s / 3,600 = {_number(value)}"
    gpus = _given(b.gpus, "gpus", unit)
    value = _held(seconds * gpus / 3600, unit, factor=True)
    return value, f"{each} = {_number(seconds)} s × {_number(gpus)} GPUs / 3,600 = {_number(value)}"


def _check_positive(value: float | None, name: str) -> None:
    number = as_number(value, name, StepError)
    if not (math.isfinite(number) and number > 0):
        raise StepError(f"{name} is {number:g}; give a number above 0")


def _held(value: float, unit: str, *, factor: bool = False) -> float:
    """Return a product or ratio, unless it ran out of the range of numbers; a factor cannot be 0 either."""
    if math.isfinite(value) and (value > 0 or not factor):
        return value
    size = "less" if value == 0 else "more"
    raise StepError(
        f"the {STEP_UNITS[unit]} are {size} than a number can hold; "
        "check the amount and what a rollout step is made of"
    )


def _given(value: float | None, name: str, unit: str) -> float:
    if value is None:
        raise MissingStepError(f"{unit} need {name!r}, which was not given")
    return value


def _number(value: float) -> str:
    if value == round(value) and abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.1f}"
