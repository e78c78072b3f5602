"""Read a training log as it lies on disk: format found, steps put in order, series named, axes with units."""

from __future__ import annotations

from .run import Run, read_run, read_runs

__all__ = ["Run", "read_run", "read_runs"]
