"""One line a file: format, runs, suggested axis and series, warnings, or the refusal."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ..errors import LogError, RlscaleError
from ..given import shorten_text
from .run import read_runs
from .search import walk_files
from .source import is_directory


@dataclass(frozen=True)
class Surveyed:
    """What one file is.

    Attributes
    ----------
    file : str
        Path below the directory.
    format : str
        Format found; empty when none.
    runs : int
        How many runs it holds.
    x, y : str
        What would be fitted in the first run where something would.
    points : int
        Points of that curve.
    warnings : tuple of str
        Codes of the warnings.
    refusal : str
        Why nothing would be fitted; empty when something would.
    """

    file: str
    format: str = ""
    runs: int = 0
    x: str = ""
    y: str = ""
    points: int = 0
    warnings: tuple[str, ...] = ()
    refusal: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain types."""
        return {**self.__dict__, "warnings": list(self.warnings)}


def survey_logs(directory: str | PathLike[str]) -> list[Surveyed]:
    """Look at every file below a directory, each by itself.

    Raises
    ------
    LogError
        If it is no directory.
    """
    root = Path(directory)
    if not is_directory(root):
        raise LogError(f"{shorten_text(str(root), 200)}: a directory is needed to make a table of its files")
    files = list(walk_files(root))
    shown = tqdm(files, unit="file", file=sys.stderr, leave=False, disable=None)  # only on a terminal
    return [_survey_file(path, path.relative_to(root).as_posix()) for path in shown]


def _survey_file(path: Path, name: str) -> Surveyed:
    try:
        read = read_runs(path)
    except RlscaleError as error:
        return Surveyed(
            name, refusal=str(error).removeprefix(f"{path}: ").removeprefix(str(path)).lstrip(", ")
        )
    runs = list(read.values())
    codes = tuple(dict.fromkeys(w.code for w in (*read.warnings, *(w for run in runs for w in run.warnings))))
    refusal = ""
    for run in runs:
        try:
            curve = run.curve()
        except RlscaleError as error:
            refusal = refusal or str(error).removeprefix(run.where).lstrip(":, ")
            continue
        codes = tuple(dict.fromkeys((*codes, *(w.code for w in curve.warnings))))
        return Surveyed(name, run.format, len(runs), curve.x_key, curve.y_key, len(curve), codes)
    return Surveyed(name, runs[0].format, len(runs), runs[0].axes[0].key, warnings=codes, refusal=refusal)


def format_survey(rows: list[Surveyed]) -> str:
    """Return the table as text."""
    lines = []
    for row in rows:
        what = f"{row.format or 'no format'}, {row.runs} runs"
        found = f"{row.y} over {row.x}, {row.points} points" if row.y else f"refused: {row.refusal}"
        lines.append(
            f"{row.file}\n    {what}; {found}"
            + (f"\n    warnings: {', '.join(row.warnings)}" if row.warnings else "")
        )
    refused = sum(not row.y for row in rows)
    lines.append(f"{len(rows)} files: {len(rows) - refused} with a curve, {refused} refused")
    return "\n".join(lines)
