"""Runs that mislead, planted: logs whose truth is known, and the verdict that each has to get.

Each is written as a logger would write it and read back by :func:`rlscale.read_run`, so that the reader is
part of what is tested. All numbers are *illustrative*: they show a shape, and measure nothing.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .curve import Curve
from .law import Sigmoid
from .logs import Run, read_run
from .signal import filtered_pass_rate
from .simulate import simulate_curve

Floats = NDArray[np.float64]

#: Problems and samples of a good evaluation, and of a poor one.
_GOOD, _POOR = (1000, 16), (30, 1)
_STEP = "rollout_step"
#: The middle of the last tenth of a run.
_MIDDLE = 0.95


@dataclass(frozen=True, eq=False)
class PlantedRun:
    """A log that misleads.

    Attributes
    ----------
    name : str
        Short name.
    log : DataFrame
        Columns as a logger writes them, ``rollout_step`` first.
    budget : float
        Planned rollout steps.
    truth : str
        What is behind the log.
    later : Curve
        The whole run as it would go on; what is plotted beside the forecast.
    end : float
        True pass rate in the middle of the last tenth of the run, without noise.
    code : str
        Reason for the refusal that the forecast has to name; empty: it need not refuse.
    warning : str
        Code of the warning that the reader has to give; empty: none.
    trap : str
        The column that must not be fitted; empty: there is none.
    """

    name: str
    log: pd.DataFrame
    budget: float
    truth: str
    later: Curve
    end: float
    code: str
    warning: str = ""
    trap: str = ""

    def read(self) -> Run:
        """Write the log to a temporary folder and read it back."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "metrics.csv"
            self.log.to_csv(path, index=False)
            return read_run(path)


def plant_runs(seed: int = 0) -> dict[str, PlantedRun]:
    """Return the planted runs by name.

    Parameters
    ----------
    seed : int
        Of the noise; same seed, same runs.

    Returns
    -------
    dict of str to PlantedRun

    Examples
    --------
    >>> runs = plant_runs()
    >>> list(runs)[:3]
    ['before Cmid', 'flat', 'late take-off']
    >>> runs["flat"].read().curve().y_key
    'val/accuracy'
    """
    planted = (
        _before_cmid(seed),
        _flat(seed),
        _late_take_off(seed),
        _collapse(seed),
        _filtered(seed),
        _shaped(seed),
        _long_answers(seed),
        _thirty_problems(seed),
    )
    return {run.name: run for run in planted}


def _draw(law: Sigmoid, steps: Floats, seed: int, test: tuple[int, int] = _GOOD) -> Curve:
    n, k = test
    return simulate_curve(law, steps, unit="rollout_steps", seed=seed, drift_length=15.0, n=n, k=k)


def _as_log(curve: Curve, **columns: Floats) -> pd.DataFrame:
    return pd.DataFrame({_STEP: curve.compute.astype(int), "val/accuracy": curve.pass_rate, **columns})


def _before_cmid(seed: int) -> PlantedRun:
    steps = np.linspace(0, 3600, 61)
    law = Sigmoid(0.20, 0.61, 1.7, 900)
    later = _draw(law, steps, seed)
    return PlantedRun(
        "before Cmid",
        _as_log(later.cut(600)),
        3600.0,
        "a ceiling of 0.61; the pilot ends at two thirds of Cmid",
        later,
        float(law(_MIDDLE * 3600)),
        "interval too wide",
    )


def _flat(seed: int) -> PlantedRun:
    later = _draw(Sigmoid(0.25, 0.25, 1.0, 100), np.arange(0.0, 401, 5), seed)
    return PlantedRun(
        "flat",
        _as_log(later.cut(100)),
        400.0,
        "nothing is learnt, and nothing will be",
        later,
        0.25,
        "no rise yet",
    )


def _late_take_off(seed: int) -> PlantedRun:
    # Cmid at 250 and a steep law: less than half a point is won in the first 100 steps
    law = Sigmoid(0.25, 0.65, 6.0, 250)
    later = _draw(law, np.arange(0.0, 401, 5), seed)
    return PlantedRun(
        "late take-off",
        _as_log(later.cut(100)),
        400.0,
        "the same pilot as the flat run, but the rise comes at 250 steps",
        later,
        float(law(_MIDDLE * 400)),
        "no rise yet",
    )


def _collapse(seed: int) -> PlantedRun:
    steps = np.arange(0.0, 401, 5)
    rise = _draw(Sigmoid(0.2, 0.6, 2.0, 50), steps, seed)
    fall = np.clip((steps - 180) / 30, 0, 1)
    rate = np.round(rise.pass_rate * (1 - fall) + 0.05 * fall, 5)
    later = Curve(steps, rate, unit="rollout_steps")
    return PlantedRun(
        "collapse",
        _as_log(later.cut(240)),
        400.0,
        "a rise to 0.57, then the policy breaks",
        later,
        0.05,
        "collapsed",
        "collapse",
    )


def _filtered(seed: int) -> PlantedRun:
    steps = np.arange(0.0, 401, 5)
    law = Sigmoid(0.12, 0.30, 1.5, 150)
    later = _draw(law, steps, seed)
    pilot = later.cut(100)
    # what a log shows behind dynamic sampling: groups of 8 that are all right or all wrong are gone
    kept = np.round(filtered_pass_rate(pilot.pass_rate, 8), 5)
    log = _as_log(pilot, **{"train/filtered_reward": kept})
    return PlantedRun(
        "filtered reward",
        log,
        400.0,
        "a pass rate that starts at 0.12; the groups that are kept say 0.19",
        later,
        float(law(_MIDDLE * 400)),
        "",
        trap="train/filtered_reward",
    )


def _shaped(seed: int) -> PlantedRun:
    steps = np.arange(0.0, 401, 5)
    later = _draw(Sigmoid(0.25, 0.25, 1.0, 100), steps, seed)
    pilot = later.cut(150)
    form = Sigmoid(0.1, 1.0, 2.0, 40)(pilot.compute)
    log = pd.DataFrame(
        {
            _STEP: pilot.compute.astype(int),
            "reward": np.round(0.5 * pilot.pass_rate + 0.5 * form, 5),
            "format_reward": np.round(form, 5),
            "accuracy": pilot.pass_rate,
        }
    )
    return PlantedRun(
        "shaped reward",
        log,
        400.0,
        "only the format of the answers is learnt",
        later,
        0.25,
        "no rise yet",
        "format-reward",
        trap="reward",
    )


def _long_answers(seed: int) -> PlantedRun:
    steps = np.arange(0.0, 401, 5)
    later = _draw(Sigmoid(0.30, 0.30, 1.0, 100), steps, seed)
    pilot = later.cut(150)
    length = 400 + 3200 * Sigmoid.fraction(pilot.compute, 2.0, 120.0)
    log = _as_log(pilot)
    log["reward"] = np.round(pilot.pass_rate + 0.4 * (length - 400) / 3600, 5)
    log["response_length/mean"] = np.round(length)
    log["response_length/clip_ratio"] = np.round(np.clip((length - 900) / 3000, 0, 1), 4)
    return PlantedRun(
        "length hacking",
        log,
        400.0,
        "answers grow into the token limit, the pass rate stays",
        later,
        0.30,
        "no rise yet",
        "truncated",
        trap="reward",
    )


def _thirty_problems(seed: int) -> PlantedRun:
    steps = np.arange(0.0, 401, 20)
    later = _draw(Sigmoid(0.40, 0.40, 1.0, 100), steps, seed, _POOR)
    pilot = later.cut(300)
    log = _as_log(pilot, n_samples=np.full(len(pilot), 30))
    return PlantedRun(
        "30 problems",
        log,
        400.0,
        "a pass rate of 0.40 that never moves, seen through 30 answers a point",
        later,
        0.40,
        "interval too wide",
    )
