"""``trainer_state.json`` of Hugging Face transformers and TRL: ``log_history`` is a list of rows.

A step is an optimizer update. Evaluation rows have ``eval_`` keys and share a step with a training row; the
last row (``train_runtime``) sums the run up and is no measurement. ``max_steps`` is the planned length.
Source: transformers Trainer; trl/trainer/grpo_trainer.py (2026-07).
"""

from __future__ import annotations

import math

from ...errors import LogError
from ..columns import RowTable, to_number
from ..raw import RawRun
from ..source import Source
from .json_rows import load_object

NAME = "TRL trainer_state.json"
EXTRA = None


def sniff(source: Source) -> bool:
    """Whether the file is a JSON object that has ``log_history``."""
    if not source.text.lstrip("\ufeff \n\t").startswith("{"):
        return False
    return source.path.name == "trainer_state.json" or '"log_history"' in source.text


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    state = load_object(source)
    history = state.get("log_history")
    if not isinstance(history, list):
        raise LogError(
            f"{source.path}: no list 'log_history'; give the trainer_state.json of the last checkpoint"
        )
    table = RowTable()
    for row in history:
        if isinstance(row, dict) and "train_runtime" not in row:
            table.add(row)
    facts: dict[str, object] = {}
    planned = to_number(state.get("max_steps"))
    if planned is not None and math.isfinite(planned) and planned > 0:
        facts["planned_steps"] = (planned, "max_steps")
    columns = table.finish()
    step = "step" if "step" in columns.numbers else None
    return [RawRun(source.path.stem, columns, step, "updates" if step else "", facts=facts, framework="TRL")]
