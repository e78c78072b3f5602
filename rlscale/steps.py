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

from .amounts import full_number
from .batch import Batch, MissingStepError, StepError, trl_batch
from .errors import suggest_names
from .given import as_number, show_value

__all__ = [
    "STEP_UNITS",
    "Batch",
    "Conversion",
    "MissingStepError",
    "StepError",
    "convert_steps",
    "trl_batch",
]

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
    warnings : tuple of str
        What no trainer does as it stands, such as 4.3 updates of one rollout.
    """

    value: float
    unit: str
    lines: tuple[str, ...] = field(default=())
    warnings: tuple[str, ...] = field(default=())


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
    if {from_unit, to_unit} == {"wall_hours", "gpu_hours"}:
        return _convert_hours(amount, from_unit, to_unit, batch)
    lines: list[str] = []
    steps = amount
    if from_unit != "rollout_steps":
        factor, how = _factor(from_unit, batch)
        steps = _held(amount / factor, "rollout_steps")
        lines += [
            how,
            f"{full_number(amount)} {STEP_UNITS[from_unit]} / {full_number(factor)} = "
            f"{full_number(steps)} rollout steps",
        ]
    value = steps
    if to_unit != "rollout_steps":
        factor, how = _factor(to_unit, batch)
        value = _held(steps * factor, to_unit)
        lines += [
            how,
            f"{full_number(steps)} rollout steps × {full_number(factor)} = "
            f"{full_number(value)} {STEP_UNITS[to_unit]}",
        ]
    warnings = batch.warnings if "updates" in (from_unit, to_unit) else ()
    # a batch of a table may hold NumPy numbers
    return Conversion(float(value), to_unit, tuple(lines), warnings)


def _convert_hours(amount: float, from_unit: str, to_unit: str, batch: Batch) -> Conversion:
    """Convert between hours and GPU-hours, for which a rollout step need not be known."""
    gpus = batch.need("gpus", "GPU-hours")
    value = _held(amount * gpus if to_unit == "gpu_hours" else amount / gpus, to_unit)
    sign = "×" if to_unit == "gpu_hours" else "/"
    line = (
        f"{full_number(amount)} {STEP_UNITS[from_unit]} {sign} {full_number(gpus)} GPUs = "
        f"{full_number(value)} {STEP_UNITS[to_unit]}"
    )
    return Conversion(float(value), to_unit, (line,))


def _factor(unit: str, batch: Batch) -> tuple[float, str]:
    """Return how many of ``unit`` one rollout step is, and the arithmetic."""
    b, words = batch, STEP_UNITS[unit]
    each = f"{unit.replace('_', ' ')} a rollout step"
    if unit in ("wall_hours", "gpu_hours"):
        seconds = b.need("seconds", words)
        gpus = b.need("gpus", words) if unit == "gpu_hours" else 1
        value = _held(seconds * gpus / 3600, unit, factor=True)
        over = f" × {full_number(gpus)} GPUs" if unit == "gpu_hours" else ""
        return value, f"{each} = {full_number(seconds)} s{over} / 3,600 = {full_number(value)}"
    prompts = b.need("prompts", words)
    group = f"{full_number(prompts)} prompts × {full_number(b.group_size)} completions"
    if unit == "prompts":
        return prompts, f"{each} = {full_number(prompts)}"
    if unit == "completions":
        return b.completions, f"{each} = {group} = {full_number(b.completions)}"
    if unit == "updates":
        passes = f"{full_number(b.passes)} pass{'es' if b.passes != 1 else ''}"
        value = _held(b.updates_a_rollout, unit, factor=True)
        mini = full_number(b.need("mini_batch", words))
        return value, f"{each} = {group} × {passes} / {mini} completions an update = {full_number(value)}"
    if unit == "epochs":
        data = b.need("data", words)
        value = _held(prompts / data, unit, factor=True)
        of = f"{full_number(prompts)} prompts / {full_number(data)} in the data set"
        return value, f"{each} = {of} = {full_number(value)}"
    tokens = b.need("tokens", words)
    value = _held(b.completions * tokens, unit, factor=True)
    return value, f"{each} = {group} × {full_number(tokens)} tokens = {full_number(value)}"


def _held(value: float, unit: str, *, factor: bool = False) -> float:
    """Return a product or ratio, unless it ran out of the range of numbers; a factor cannot be 0 either."""
    if math.isfinite(value) and (value > 0 or not factor):
        return value
    size = "less" if value == 0 else "more"
    raise StepError(
        f"the {STEP_UNITS[unit]} are {size} than a number can hold; "
        "check the amount and what a rollout step is made of"
    )
