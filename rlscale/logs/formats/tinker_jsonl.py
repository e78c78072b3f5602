"""tinker-cookbook ``metrics.jsonl``: one flat object a line, appended to on resume.

``step`` is the 0-based batch; evaluation runs before the update, and in asynchronous mode as a row of its
own.
Source: tinker_cookbook/stores/training_store.py, rl/train.py (2026-08).
"""

from __future__ import annotations

from ...curve import LogWarning
from ..raw import RawRun
from ..source import Source
from .json_rows import read_lines

NAME = "tinker-cookbook metrics.jsonl"
EXTRA = None


def sniff(source: Source) -> bool:
    """Whether the first object has the keys of tinker-cookbook."""
    keys = source.first_object
    return ("step" in keys and any(k in keys for k in ("progress/batch", "optim/kl_sample_train_v1"))) or any(
        k.startswith(("env/all/", "test/env/all/")) for k in keys
    )


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    warnings: list[LogWarning] = []
    columns = read_lines(source, warnings).finish()
    return [
        RawRun(
            source.path.stem,
            columns,
            "step" if "step" in columns.numbers else None,
            "rollout_steps",
            warnings=warnings,
            framework="tinker-cookbook",
        )
    ]
