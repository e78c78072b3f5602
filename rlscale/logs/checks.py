"""What is looked for before any fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..curve import LogWarning
from .series import Series

if TYPE_CHECKING:
    from .run import Run


def check_run(run: Run) -> tuple[LogWarning, ...]:
    """Return what the checks find in a run."""
    return ()


def explain_flat(run: Run, series: Series) -> str:
    """Say why a series may not move, from what else the log holds."""
    return ""
