"""A manifest: which runs to replay, one row a run, and where their logs lie.

Only ``path`` is needed. The manifest of this project, ``data/public_runs.csv``, names public runs by
repository, path and commit; it holds no log. Clone the repositories into one folder, and that folder is the
root. A log is looked for, under the root, as ``copy`` (a name of your own choice), as ``repository/path``, as
the last part of ``repository`` and ``path``, and as ``path``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .backtest import LEAST_POINTS
from .curve import Curve
from .errors import BacktestError, RlscaleError, suggest_names
from .noise import spread_of_differences

Floats = NDArray[np.float64]

#: Columns of a manifest that are used; others are allowed and left alone.
COLUMNS: tuple[str, ...] = ("path", "id", "repository", "copy", "commit", "run", "x", "y", "class", "points")
#: What a whole run can be.
RISING, FLAT = "rising", "flat"
#: A run rises when its best 10 % lies this many standard deviations of a point above its first 5 % …
_RISE_SIGMAS = 3.0
#: … and by more than this.
_RISE_LEAST = 0.02


@dataclass(frozen=True)
class Entry:
    """One row of a manifest.

    Attributes
    ----------
    id : str
        Name of the run in results.
    path : str
        Of the log.
    repository : str
        ``owner/name``, or empty; runs of one repository are one family.
    copy : str
        Where the log lies under the root, if not at one of the usual places.
    run, x, y : str
        As :func:`rlscale.read_run` and :meth:`rlscale.Run.curve` take them; empty: chosen.
    points : int or None
        Points that the curve should have.
    """

    id: str
    path: str
    repository: str = ""
    copy: str = ""
    run: str = ""
    x: str = ""
    y: str = ""
    points: int | None = None

    @property
    def family(self) -> str:
        """The repository, or the folder of the log."""
        return self.repository or str(Path(self.path).parent)

    def find(self, root: Path) -> Path | None:
        """Return the log under ``root``, or None."""
        name = self.repository.rsplit("/", 1)[-1]
        places = [root / self.copy] if self.copy else []
        if self.repository:
            places += [root / self.repository / self.path, root / name / self.path]
        return next((p for p in [*places, root / self.path] if p.exists()), None)


@dataclass(frozen=True)
class Collection:
    """Curves that were read, and rows that were not.

    Attributes
    ----------
    curves : dict of str to Curve
        Whole runs by id.
    families : dict of str to str
        What each belongs to.
    left_out : dict of str to str
        Id of a row and why it gave no curve.
    notes : dict of str to str
        Id of a row and what is not as the manifest says.
    """

    curves: dict[str, Curve]
    families: dict[str, str]
    left_out: dict[str, str]
    notes: dict[str, str]


def read_manifest(path: str | Path) -> list[Entry]:
    """Read a manifest.

    Parameters
    ----------
    path : path-like
        CSV in UTF-8 with a column ``path`` and any of :data:`COLUMNS`.

    Returns
    -------
    list of Entry
        Rows without an ``id`` are named by path, run and series.

    Raises
    ------
    BacktestError
        If the file cannot be read, has no column ``path``, no row, a row without a path, an id twice, or
        points that are no whole number.
    """
    file = Path(path)
    try:
        with file.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle, strict=True)
            rows = [(reader.line_num, row) for row in reader if any(v for v in row.values() if v)]
            header = [str(h) for h in reader.fieldnames or []]
    except OSError as error:
        raise BacktestError(f"{file}: cannot be read ({error.strerror or error}); give a CSV file") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise BacktestError(f"{file}: is no CSV in UTF-8 ({error})") from None
    if "path" not in header:
        raise BacktestError(
            f"{file}, line 1: no column 'path' ({suggest_names('path', header)}); a manifest needs one: "
            "the log of each run, under the root"
        )
    if not rows:
        raise BacktestError(f"{file}: holds no run; add one row a run")
    entries = [_read_entry(file, line, row) for line, row in rows]
    seen: set[str] = set()
    for (line, _), entry in zip(rows, entries, strict=True):
        if entry.id in seen:
            raise BacktestError(
                f"{file}, line {line}: the run {entry.id!r} stands twice; give each an id of its own"
            )
        seen.add(entry.id)
    return entries


def _read_entry(file: Path, line: int, row: dict[str, str]) -> Entry:
    cells = {name: (row.get(name) or "").strip() for name in COLUMNS}
    if not cells["path"]:
        raise BacktestError(f"{file}, line {line}, column 'path': is empty; name the log of this run")
    points: int | None = None
    if cells["points"]:
        try:
            points = int(float(cells["points"]))
        except ValueError:
            raise BacktestError(
                f"{file}, line {line}, column 'points': found {cells['points']!r}, expected a whole number "
                "or an empty cell"
            ) from None
    name = cells["id"] or " ".join(c for c in (cells["path"], cells["run"], cells["y"]) if c)
    return Entry(
        name, cells["path"], cells["repository"], cells["copy"], cells["run"], cells["x"], cells["y"], points
    )


def collect_curves(entries: Iterable[Entry], root: str | Path) -> Collection:
    """Read the whole curve of each row, what comes after a collapse included.

    Parameters
    ----------
    entries : iterable of Entry
        From :func:`read_manifest`.
    root : path-like
        Folder of the logs.

    Returns
    -------
    Collection
        A log that is missing or cannot be read leaves its row out, with the reason.

    Raises
    ------
    BacktestError
        If the root is no folder, or no row gives a curve.
    """
    from .logs import read_runs

    folder = Path(root)
    if not folder.is_dir():
        raise BacktestError(f"{folder}: is no folder; --root is the folder that holds the logs")
    curves, families, left_out, notes = {}, {}, {}, {}
    read: dict[tuple[Path, str], dict] = {}
    for entry in entries:
        log = entry.find(folder)
        if log is None:
            left_out[entry.id] = f"no file {entry.path} under {folder}"
            continue
        try:
            if (log, entry.x) not in read:
                read[log, entry.x] = read_runs(log, entry.x.split(":")[0] or None)
            curve = _pick_run(read[log, entry.x], entry, log).curve(
                entry.x or None, entry.y or None, whole=True
            )
        except RlscaleError as error:
            left_out[entry.id] = str(error)
            continue
        if len(curve) < LEAST_POINTS:
            left_out[entry.id] = f"{len(curve)} points; a replay needs {LEAST_POINTS} or more"
            continue
        if entry.points is not None and entry.points != len(curve):
            notes[entry.id] = (
                f"{len(curve)} points, {entry.points} in the manifest: another version of the log"
            )
        curves[entry.id], families[entry.id] = curve, entry.family
    if not curves:
        first = next(iter(left_out.items()), ("", "the manifest is empty"))
        raise BacktestError(f"no run of the manifest can be replayed; the first, {first[0]!r}: {first[1]}")
    return Collection(curves, families, left_out, notes)


def _pick_run(runs: dict, entry: Entry, log: Path):
    if not entry.run:
        if len(runs) == 1:
            return next(iter(runs.values()))
        raise BacktestError(f"{log}: holds {len(runs)} runs; name one in the column 'run'")
    if entry.run not in runs:
        raise BacktestError(f"{log}: no run {entry.run!r}; {suggest_names(entry.run, runs)}")
    return runs[entry.run]


def classify_run(pass_rate: Floats) -> str:
    """Return whether a whole run rises or stays flat, judged in hindsight.

    It rises when the best mean of a window of 10 % of its points lies above the mean of its first 5 % by
    more than three standard deviations of a point, and by more than .02. The standard deviation comes from
    the differences of neighbouring points (:func:`rlscale.noise.spread_of_differences`, which is not 0 on
    rewards of a single prompt, as a median deviation alone would be).

    Parameters
    ----------
    pass_rate : array, shape (points,)
        In the order of compute, two points or more.

    Returns
    -------
    str
        :data:`RISING` or :data:`FLAT`.

    Examples
    --------
    >>> classify_run(np.linspace(0.2, 0.6, 40)), classify_run(np.tile([0.2, 0.3], 20))
    ('rising', 'flat')
    """
    n = pass_rate.size
    size, first = max(1, round(n / 10)), max(1, round(n / 20))
    best = float(np.convolve(pass_rate, np.full(size, 1 / size), "valid").max())
    rise = best - float(pass_rate[:first].mean())
    noise = spread_of_differences(pass_rate)
    return RISING if rise > max(_RISE_SIGMAS * noise, _RISE_LEAST) else FLAT
