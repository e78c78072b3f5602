"""What a format module hands on: the columns of one run as they stand in the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..curve import LogWarning
from .columns import Columns


def name_place(path: str, run: str) -> str:
    """Return file and run for a message; the run only where it is not named after the file.

    Examples
    --------
    >>> name_place("logs/seed1.csv", "seed1"), name_place("logs/export.csv", "8b")
    ('logs/seed1.csv', "logs/export.csv, run '8b'")
    """
    file = Path(path)
    return path if run in ("", file.stem) or file.as_posix().endswith(f"/{run}") else f"{path}, run {run!r}"


@dataclass
class RawRun:
    """One run of a file, before steps are put in order.

    Attributes
    ----------
    name : str
        Its name in the file, or the name of the file.
    columns : Columns
        All numbers, in the order of writing.
    step : str or None
        Key of the step, where the format fixes it; otherwise it is found by name.
    unit : str
        Unit of ``step`` where the format fixes it.
    step_offset : int
        What is added to the step so that it counts what is done before the row is written.
    step_note : str
        How the step was derived, where it was.
    facts : dict
        What the file says about the run as a whole: ``planned_steps`` (number, key), ``gpus`` …
    refused : dict
        Series -> why it may not be fitted.
    kinds : dict
        Series -> fields of :class:`~rlscale.logs.series.Series` that the format knows for certain.
    wide : bool
        Whether the file names its columns after runs, so that the metric has no name.
    framework : str
        Name of the framework where the format fixes it; otherwise the keys tell.
    warnings : list of LogWarning
        Trouble met while reading.
    """

    name: str
    columns: Columns
    step: str | None = None
    unit: str = ""
    step_offset: int = 0
    step_note: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, dict[str, Any]] = field(default_factory=dict)
    wide: bool = False
    framework: str = ""
    warnings: list[LogWarning] = field(default_factory=list)
