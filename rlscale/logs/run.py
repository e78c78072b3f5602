"""A run: what one training log holds, ready to be asked for a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..curve import Curve, Floats, LogWarning
from ..errors import LogError, RlscaleError, suggest_names
from .axes import Axis, gpu_hours_axis
from .cells import describe_cells, refuse_texts
from .choose import SCALES, Suggestion, choose_series, pick_axis, pick_series, split_spec
from .columns import BadCells
from .raw import name_place
from .series import Series, parse_name
from .stitch import Ints

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Run:
    r"""One run of a log.

    Attributes
    ----------
    name : str
        Its name in the file, or the name of the file.
    format : str
        Format of the file.
    path : str
        The file.
    table : DataFrame
        The whole log, one row a step, every number column under its own key.
    segment : array of int, shape (rows,)
        Which uninterrupted piece a row belongs to.
    axes : tuple of Axis
        The axes of compute, the step first.
    series : tuple of Series
        Every other number column, with what it is.
    framework : str
        Framework that wrote the keys; empty when unknown.
    facts : mapping
        What the file says about the run as a whole.
    refused : mapping
        Series -> why it may not be fitted.
    bad : mapping
        Number column -> texts that stand in it.
    warnings : tuple of LogWarning
        Trouble met while reading, and what the checks found.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> log = pathlib.Path(tempfile.mkdtemp()) / "run.csv"
    >>> _ = log.write_text("step,eval_accuracy\n0,0.1\n10,0.2\n20,0.25\n")
    >>> run = read_run(log)
    >>> curve = run.curve()
    >>> curve.y_key, curve.unit, curve.pass_rate.tolist()
    ('eval_accuracy', 'rollout_steps', [0.1, 0.2, 0.25])
    """

    name: str
    format: str
    path: str
    table: pd.DataFrame
    segment: Ints
    axes: tuple[Axis, ...]
    series: tuple[Series, ...]
    framework: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    bad: Mapping[str, BadCells] = field(default_factory=dict)
    warnings: tuple[LogWarning, ...] = ()

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return f"Run({self.name!r}, {self.format}, {len(self)} rows, {len(self.series)} series)"

    @property
    def segments(self) -> int:
        """How many uninterrupted pieces the run has."""
        return int(self.segment.max()) + 1 if self.segment.size else 0

    @property
    def where(self) -> str:
        """File and run, for a message."""
        return name_place(self.path, self.name)

    @cached_property
    def suggestion(self) -> Suggestion:
        """Which axis and series would be fitted, and why; ``y`` is None when the user must say."""
        found = choose_series([s for s in self.series if s.key not in self.refused], self.axes[0].key)
        if found.y is None:
            for key, cells in self.facts.get("text_columns", {}).items():
                if parse_name(key).kind.endswith("pass_rate"):
                    return replace(found, why=describe_cells("", self.path, key, cells))
        return found

    def curve(self, x: str | None = None, y: str | None = None, *, whole: bool = False) -> Curve:
        """Return pass rate against compute.

        Parameters
        ----------
        x : str, optional
            Key of an axis, a unit, or ``KEY:UNIT`` to say what a step counts (``"step:updates"``).
        y : str, optional
            Key of a series; ``KEY:percent`` divides by 100, ``KEY:signed`` maps −1…1 to 0…1, which is exact
            when every single reward is −1 or 1. Without it the series is chosen as :attr:`suggestion` says.
        whole : bool
            Keep what comes after a collapse, and a series that never moves; for the replay of finished runs.

        Returns
        -------
        Curve

        Raises
        ------
        LogError
            If no series may be taken without asking, a name is unknown, or the numbers are no pass rate.
        """
        from .to_curve import build_curve

        axis = pick_axis(self.axes, x, self.where)
        if y is None:
            if self.suggestion.y is None:
                raise LogError(f"{self.where}: nothing to fit: {self.suggestion.why}")
            series, scale = next(s for s in self.series if s.key == self.suggestion.y), ""
            why = self.suggestion.why
        else:
            texts = self.facts.get("text_columns", {})
            key = split_spec(y, SCALES)[0]
            if all(s.key not in (y, key) for s in self.series):
                refuse_texts(self.where, self.path, key, texts.get(key))
            series, scale = pick_series(self.series, y, self.where)
            why = "named by the user"
        return build_curve(self, axis, series, scale, why, whole=whole)

    def with_gpus(self, gpus: float | Mapping[str, float]) -> Run:
        """Return the run with an axis of GPU-hours.

        Parameters
        ----------
        gpus : float or mapping of str to float
            All GPUs, or the number in each pool.

        Raises
        ------
        LogError
            If the log holds no time.
        """
        return replace(self, axes=(*self.axes, gpu_hours_axis(self.axes, gpus)))

    def column(self, key: str) -> Floats:
        """Return the values of one key, one a row; NaN where missing."""
        if key not in self.table:
            raise LogError(
                f"{self.where}: no column {key!r}: {suggest_names(key, [str(k) for k in self.table.columns])}"
            )
        return self.table[key].to_numpy(np.float64)


class Runs(dict[str, Run]):
    """Runs by name, in the order of the file, and what else was there.

    Attributes
    ----------
    refused : dict of str to str
        File or run that looked like a log and could not be read -> why.
    warnings : tuple of LogWarning
        The same as warnings, and the files that were not looked at.
    """

    refused: dict[str, str]
    warnings: tuple[LogWarning, ...]

    def __init__(self, runs: Mapping[str, Run], refused: dict[str, str], unread: Sequence[str]) -> None:
        super().__init__(runs)
        self.refused = refused
        warnings = []
        for name, why in refused.items():
            warnings.append(LogWarning("left-out", f"{why}." if name in why else f"{name}: {why}."))
        if unread:
            count = f"{len(unread)} other file{'s were' if len(unread) > 1 else ' was'} not looked at"
            shown = ", ".join(unread[:5]) + (" …" if len(unread) > 5 else "")
            text = f"{count}, since a surer kind of log is here: {shown}."
            warnings.append(LogWarning("not-read", text, "To read one, give its path."))
        self.warnings = tuple(warnings)

    def only(self, run: str, path: str | PathLike[str]) -> Runs:
        """Return one of the runs.

        Raises
        ------
        LogError
            If it could not be read, with the reason; or if there is none of that name, with the nearest.
        """
        if run in self:
            return Runs({run: self[run]}, {}, ())
        if run in self.refused:
            raise LogError(self.refused[run])
        raise LogError(f"{path}: no run {run!r}: {suggest_names(run, self, limit=20)}")


def read_runs(path: str | PathLike[str], x: str | None = None) -> Runs:
    """Read every run that a log file, or a directory of logs, holds.

    Parameters
    ----------
    path : path-like
        A file or a directory.
    x : str, optional
        Column that counts the steps, where its name does not say so.

    Returns
    -------
    Runs
        A dict of name to :class:`Run`, in the order of the file. Where only some of several files or runs
        can be read, the others stand in its ``refused``, each with its reason.

    Raises
    ------
    LogError
        If the file cannot be read or holds no training log; the message says why and what to do.
    MissingExtraError
        If an optional library is needed; the message says which.
    """
    from .build import build_run
    from .detect import read_raw

    contents = read_raw(Path(path))
    runs: dict[str, Run] = {}
    refused: dict[str, str] = {}
    for found in contents.found:
        name, number = found.raw.name, 2
        while name in runs or name in refused:
            name, number = f"{found.raw.name} ({number})", number + 1
        try:
            runs[name] = build_run(found.raw, found.format, str(found.path), x)
        except RlscaleError as error:
            refused[name] = str(error)
    if not runs:
        first = next(iter(refused.values()))
        if len(refused) == 1:
            raise LogError(first)
        raise LogError(f"{path}: none of its {len(refused)} runs can be read; the first: {first}")
    return Runs(runs, {**refused, **contents.refused}, contents.unread)


def read_run(path: str | PathLike[str], run: str | None = None, x: str | None = None) -> Run:
    """Read one run of a log.

    Parameters
    ----------
    path : path-like
        A file or a directory.
    run : str, optional
        Its name; needed when there are several.
    x : str, optional
        Column that counts the steps, where its name does not say so.

    Returns
    -------
    Run

    Raises
    ------
    LogError
        As :func:`read_runs`; and if there are several runs and no name, or no run of that name.
    """
    runs = read_runs(path, x)
    if run is None:
        if len(runs) == 1:
            only = next(iter(runs.values()))
            return replace(only, warnings=only.warnings + runs.warnings) if runs.warnings else only
        names = ", ".join(repr(n) for n in list(runs)[:20]) + (" …" if len(runs) > 20 else "")
        found = list(runs.values())
        why = ""
        if all(r.suggestion.y is None for r in found):
            why = f"; in none of them would anything be fitted, in the first: {found[0].suggestion.why}"
        raise LogError(f"{path}: holds {len(runs)} runs; name one with --run: {names}{why}")
    return runs.only(run, path)[run]
