"""By how much intervals have to be widened, measured on finished runs of a library.

q is the share-``level`` quantile of |observed end − median| / half-width, the half-width on the side of the
end. With q = 1 the intervals hold what they promise on those runs, above 1 they were too narrow and are
widened by q. They are never narrowed: a library is small, and its runs are not yours.

A coverage holds for the family of runs it was measured on, so a calibration says where it comes from. With
fewer than 20 runs there is none, and intervals are labelled ``uncalibrated``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import BacktestError, RlscaleError
from .intervals import Interval
from .scores import usable_cuts

if TYPE_CHECKING:
    import pandas as pd

    from .curve import Curve

#: Fewer runs are no library.
LEAST_RUNS = 20
#: Shares at which the runs of a library are cut.
LIBRARY_SHARES: tuple[float, ...] = (0.15, 0.25, 0.35, 0.5, 0.75)
#: Name of the library that comes with this project.
SHIPPED = "public runs of this project"


@dataclass(frozen=True)
class Calibration:
    """A widening factor and where it comes from.

    Attributes
    ----------
    q : float
        Factor on both half-widths, 1 or more.
    q_measured : float
        The same as measured; below 1 the intervals were wider than need be. NaN if uncalibrated.
    coverage : float
        Share of ends that the intervals held before widening. NaN if uncalibrated.
    level : float
        What they promise.
    runs, cuts, families : int
        How many it was measured on.
    label : str
        The library.
    """

    q: float
    q_measured: float
    coverage: float
    level: float
    runs: int
    cuts: int
    families: int
    label: str

    @classmethod
    def from_dict(cls, cells: dict[str, Any]) -> Calibration:
        """Return the calibration that :meth:`to_dict` wrote."""
        measured, coverage = (
            np.nan if cells[name] is None else float(cells[name]) for name in ("q_measured", "coverage")
        )
        runs, cuts, families = (int(cells[name]) for name in ("runs", "cuts", "families"))
        q, level = float(cells["q"]), float(cells["level"])
        return cls(q, measured, coverage, level, runs, cuts, families, cells["library"])

    @property
    def status(self) -> str:
        """``"calibrated"`` or ``"uncalibrated"``."""
        return "calibrated" if np.isfinite(self.q_measured) else "uncalibrated"

    @property
    def note(self) -> str:
        """The same as a sentence."""
        if self.status == "uncalibrated":
            return f"uncalibrated: {self.label} holds {self.runs} finished runs, {LEAST_RUNS} are needed"
        repair = f"widened by a factor of {self.q:.2f}" if self.q > 1 else "not widened"
        held = f"{100 * self.coverage:.0f} % of {self.cuts} cuts of {self.runs} runs"
        return (
            f"calibrated on {self.label}: the {100 * self.level:.0f} % intervals held the end in {held} "
            f"of {self.families} families; {repair}"
        )

    def widen(self, interval: Interval) -> Interval:
        """Return the interval with both sides q times as far from the median, inside [0, 1].

        Examples
        --------
        >>> calibration = Calibration(1.5, 1.5, 0.8, 0.9, 30, 150, 6, "my runs")
        >>> wide = calibration.widen(Interval(0.5, 0.4, 0.7))
        >>> round(wide.lo, 2), round(wide.hi, 2)
        (0.35, 0.8)
        """
        low = interval.median - self.q * (interval.median - interval.lo)
        high = interval.median + self.q * (interval.hi - interval.median)
        return Interval(interval.median, max(0.0, low), min(1.0, high))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON has them; no number where there is none."""
        known = self.status == "calibrated"
        return {
            "status": self.status,
            "q": self.q,
            "q_measured": self.q_measured if known else None,
            "coverage": self.coverage if known else None,
            "level": self.level,
            "runs": self.runs,
            "cuts": self.cuts,
            "families": self.families,
            "library": self.label,
            "note": self.note,
        }


#: What a replay forecasts with: intervals as the posterior gives them.
UNCALIBRATED = Calibration(1.0, np.nan, np.nan, 0.9, 0, 0, 0, "no library")


def measure_calibration(table: pd.DataFrame, label: str, *, level: float = 0.9) -> Calibration:
    """Return the calibration that a replay shows.

    Parameters
    ----------
    table : DataFrame
        From :func:`rlscale.backtest_runs`; its intervals have the level ``level``.
    label : str
        Where the runs come from.
    level : float
        Level of the intervals, inside (0, 1).

    Returns
    -------
    Calibration
        With q = 1, and status ``uncalibrated``, for fewer than 20 runs.

    Raises
    ------
    BacktestError
        If the table holds no forecast.
    """
    cuts = usable_cuts(table)
    runs, families = int(cuts["run"].nunique()), int(cuts["family"].nunique())
    if runs < LEAST_RUNS:
        return Calibration(1.0, np.nan, np.nan, level, runs, len(cuts), families, label)
    miss = (cuts["end"] - cuts["median"]).to_numpy(float)
    upper = (cuts["hi"] - cuts["median"]).to_numpy(float)
    lower = (cuts["median"] - cuts["lo"]).to_numpy(float)
    half = np.where(miss > 0, upper, lower)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(miss == 0, 0.0, np.abs(miss) / half)
    q = float(np.quantile(ratio, level, method="higher"))
    if not np.isfinite(q):
        raise BacktestError(f"{label}: more than {100 * (1 - level):.0f} % of the intervals have no width")
    return Calibration(max(1.0, q), q, float(cuts["inside"].mean()), level, runs, len(cuts), families, label)


@cache
def load_calibration() -> Calibration:
    """Return the calibration on the rising public runs that this project was tested on.

    Returns
    -------
    Calibration
        From ``data/calibration.json``, which :func:`measure_shipped` measures on
        ``data/public_backtest.csv`` (a forecast should not wait for that table).

    Examples
    --------
    >>> load_calibration().status
    'calibrated'
    """
    from .tables import data_path

    return Calibration.from_dict(json.loads(data_path("calibration.json").read_text(encoding="utf-8")))


def measure_shipped() -> Calibration:
    """Return the calibration that ``data/public_backtest.csv`` shows."""
    from .public import load_backtest

    table = load_backtest()
    rising = table[(table["class"] == "rising") & table["share"].isin(LIBRARY_SHARES)]
    return measure_calibration(rising, SHIPPED)


def calibrate_library(
    folder: str | Path, *, level: float = 0.9, n_jobs: int | None = -1, progress: bool | None = None
) -> Calibration:
    """Return the calibration on your own finished runs.

    Parameters
    ----------
    folder : path-like
        A folder of logs. The curve of each run is the one that :func:`rlscale.forecast_run` would take.
    level : float
        Level of the intervals.
    n_jobs, progress
        As for :func:`rlscale.backtest_runs`.

    Returns
    -------
    Calibration

    Raises
    ------
    BacktestError
        If the folder holds no finished run that can be replayed.
    """
    from .backtest import backtest_runs

    curves = read_library(folder)
    table = backtest_runs(
        curves, LIBRARY_SHARES, families={name: name.split(" ")[0] for name in curves}, level=level,
        peers=False, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    return measure_calibration(table, str(folder), level=level)


def read_library(folder: str | Path, least_points: int | None = None) -> dict[str, Curve]:
    """Return the whole curve of each run of each log under a folder; what cannot be read is left out.

    Parameters
    ----------
    folder : path-like
        Logs in it, at any depth.
    least_points : int, optional
        Shorter runs are left out; by default those that cannot be replayed.

    Returns
    -------
    dict of str to Curve
        By path under the folder, and run.

    Raises
    ------
    BacktestError
        If the folder is none, or no log in it can be used.
    """
    from .backtest import LEAST_POINTS
    from .logs import read_runs

    root = Path(folder)
    if not root.is_dir():
        raise BacktestError(f"{root}: is no folder; --library is a folder of logs of finished runs")
    least = LEAST_POINTS if least_points is None else least_points
    found: dict[str, Curve] = {}
    why = "it holds no file"
    for path in sorted(p for p in root.rglob("*") if p.is_file() and not p.name.startswith(".")):
        try:
            runs: Sequence[Any] = list(read_runs(path).values())
        except RlscaleError as error:
            why = str(error)
            continue
        for run in runs:
            try:
                curve = run.curve(whole=True)
            except RlscaleError as error:
                why = str(error)
                continue
            if len(curve) >= least:
                found[f"{path.relative_to(root)} {run.name}"] = curve
    if not found:
        raise BacktestError(f"{root}: no finished run of {least} points or more; {why}")
    return found
