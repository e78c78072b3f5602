"""Axes of compute: each with its unit and how it was derived.

A step number is read as it stands. Running totals that fall (a counter that was not saved with the
checkpoint) go on from where they were. Amounts logged for one step are summed. Times of day count from the
first row, and the pause before a resume is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..curve import Curve, Floats, LogWarning
from ..errors import CurveError, LogError
from .frameworks import Counter, Framework, find_counters
from .stitch import Ints


@dataclass(frozen=True, eq=False)
class Axis:
    """One axis of compute, aligned with the rows of a run.

    Attributes
    ----------
    key : str
        Key in the log that it comes from.
    unit : str
        One of :data:`rlscale.curve.UNITS`.
    values : array, shape (rows,)
        Compute spent when the row was written; NaN where unknown.
    derived : str
        How the values follow from the log; empty when they stand there.
    note : str
        What is taken for granted.
    """

    key: str
    unit: str
    values: Floats
    derived: str = ""
    note: str = ""


#: Seconds that the step timer of a framework leaves out.
LEFT_OUT = {
    "verl": ("timing_s/testing",),
    "TRL": ("eval_runtime",),
    "NeMo-RL": ("timing/validation/total_validation_time",),
}


def rebase_total(values: Floats) -> tuple[Floats, int]:
    """Return a running total without its falls, and how many there were.

    Parameters
    ----------
    values : array, shape (rows,)
        A counter that may restart; NaN where missing.

    Returns
    -------
    values : array, shape (rows,)
        Never falling: after a fall the counter goes on from where it was.
    falls : int

    Examples
    --------
    >>> rebase_total(np.array([4e5, 5e5, 1e5]))
    (array([400000., 500000., 600000.]), 1)
    """
    known = np.isfinite(values)
    held = values[known]
    falls = np.flatnonzero(np.diff(held) < 0)
    if not falls.size:
        return values, 0
    offset = np.zeros(held.size)
    for fall in falls:
        offset[fall + 1 :] += held[fall]
    result = values.copy()
    result[known] = held + offset
    return result, int(falls.size)


def sum_amounts(amount: Floats, position: Floats) -> Floats:
    """Return what was spent up to each row, from what each row spent.

    A row at step 0 that has an amount is written before that amount counts (0-based batches), so the sum
    starts at 0.
    Where rows are further apart than one step, the steps between are taken to cost the same.

    Parameters
    ----------
    amount : array, shape (rows,)
        Spent in the step of the row; NaN where the row has none (an evaluation row).
    position : array, shape (rows,)
        Step of the row, strictly increasing.

    Returns
    -------
    array, shape (rows,)

    Examples
    --------
    >>> sum_amounts(np.array([np.nan, 10.0, 10, 20]), np.array([0.0, 1, 2, 3]))
    array([ 0., 10., 20., 40.])
    >>> sum_amounts(np.array([10.0, 10, 20]), np.array([0.0, 1, 2]))
    array([ 0., 10., 20.])
    >>> sum_amounts(np.array([2.0, 2.0]), np.array([5.0, 10.0]))
    array([10., 20.])
    """
    known = np.isfinite(amount)
    if not known.any():
        return np.full(amount.size, np.nan)
    at, spent = position[known], amount[known]
    gaps = np.diff(at)
    usual = float(np.median(gaps)) if gaps.size else 1.0
    if at[0] <= 0:  # the row describes the steps after it
        width = np.append(gaps, usual)
        total = np.concatenate([[0.0], np.cumsum(spent * width)])[:-1]
    else:
        width = np.concatenate([[min(at[0], usual)], gaps])
        total = np.cumsum(spent * width)
    filled = np.full(amount.size, np.nan)
    filled[known] = total
    return pd.Series(filled).ffill().fillna(0.0).to_numpy()


def elapsed_hours(clock: Floats, segment: Ints) -> tuple[Floats, float]:
    """Return hours since the first row, without the pauses between segments, and the hours left out.

    Examples
    --------
    >>> hours, pause = elapsed_hours(np.array([0.0, 3600, 36000, 39600]), np.array([0, 0, 1, 1]))
    >>> hours.tolist(), pause
    ([0.0, 1.0, 2.0, 3.0], 8.0)
    """
    known = np.isfinite(clock)
    held, piece = clock[known], segment[known]
    gaps = np.diff(held)
    pause = np.diff(piece) > 0
    usual = float(np.median(gaps[~pause])) if (~pause).any() else 0.0
    left_out = float(np.clip(gaps[pause] - usual, 0, None).sum())
    gaps = np.where(pause, usual, np.clip(gaps, 0, None))
    result = np.full(clock.size, np.nan)
    if held.size:
        result[known] = np.concatenate([[0.0], np.cumsum(gaps)]) / 3600.0
    return result, left_out / 3600.0


def build_axes(
    table: pd.DataFrame, segment: Ints, main: Axis, framework: Framework
) -> tuple[list[Axis], list[LogWarning]]:
    """Return every axis that a log offers, the step first.

    Parameters
    ----------
    table : DataFrame
        One row a step.
    segment : array of int, shape (rows,)
    main : Axis
        The axis of the step.
    framework : Framework

    Returns
    -------
    axes : list of Axis
    warnings : list of LogWarning
    """
    axes, warnings = [main], []
    for key, counter in find_counters([str(k) for k in table.columns], framework):
        if key == main.key:
            continue
        values = table[key].to_numpy(np.float64)
        if np.isfinite(values).sum() < 2:
            continue
        axis, found = _build_axis(key, counter, values, table, segment, main, framework)
        if axis is not None and not any(a.key == axis.key and a.unit == axis.unit for a in axes):
            axes.append(axis)
            warnings += found
    return axes, warnings


def _build_axis(
    key: str,
    counter: Counter,
    values: Floats,
    table: pd.DataFrame,
    segment: Ints,
    main: Axis,
    framework: Framework,
) -> tuple[Axis | None, list[LogWarning]]:
    how, unit, warnings = counter.how, counter.unit, []
    known = values[np.isfinite(values)]
    if known.min() < 0:
        return None, []
    if how == "auto" and unit == "seconds" and known[0] > 1e8:
        how = "clock"
    if how == "auto":
        how = "total" if known[-1] > known[0] and (np.diff(known) >= 0).mean() >= 0.9 else "each"
    if how == "position":
        if (np.diff(known) <= 0).any():
            return None, []
        return Axis(key, unit, values, note=counter.note), []
    if how == "clock":
        if known[0] < 1e8:  # no time of day
            return None, []
        clock, pause = elapsed_hours(values, segment)
        derived = "hours since the first row"
        if pause > 0:
            derived += f", without a pause of {pause:.2f} h before a resume"
        return Axis(key, "wall_hours", clock, derived, counter.note), []
    if how == "total":
        total, falls = rebase_total(values)
        derived = ""
        if falls:
            derived = (
                f"the counter restarts {falls} time{'s' if falls > 1 else ''}; each piece goes on "
                f"from the last total"
            )
            warnings.append(LogWarning("counter-rebased", f"{key}: {derived}."))
    else:
        total = sum_amounts(values, main.values)
        derived = f"sum of {key} over the steps"
        if unit == "seconds":
            for extra in LEFT_OUT.get(framework.name, ()):
                if extra in table:
                    total = total + np.nancumsum(table[extra].to_numpy(np.float64))
                    derived += f", plus {extra}, which the step timer leaves out"
    if unit == "seconds":
        total, unit = total / 3600.0, "wall_hours"
    return Axis(key, unit, total, derived, counter.note), warnings


def gpu_hours_axis(axes: Sequence[Axis], gpus: float | Mapping[str, float]) -> Axis:
    """Return GPU-hours: wall-clock hours times all GPUs, of every pool.

    Parameters
    ----------
    axes : sequence of Axis
        Axes of a run; times of day are preferred to summed timers, which leave something out.
    gpus : float or mapping of str to float
        Number of GPUs, or the number in each pool (``{"trainer": 8, "rollout": 24}``): an idle pool is paid
        for too.

    Raises
    ------
    LogError
        If the run has no axis of time, or a number of GPUs is not positive.

    Examples
    --------
    >>> hours = Axis("t", "wall_hours", np.array([0.0, 2.0]))
    >>> gpu_hours_axis([hours], {"trainer": 8, "rollout": 24}).values.tolist()
    [0.0, 64.0]
    """
    pools = dict(gpus) if isinstance(gpus, Mapping) else {"": float(gpus)}
    if not pools or not all(np.isfinite(n) and n > 0 for n in pools.values()):
        raise LogError(f"the number of GPUs is {gpus}; give a number above 0, or one for each pool")
    hours = [a for a in axes if a.unit == "wall_hours"]
    if not hours:
        raise LogError(
            "this log holds no time, so GPU-hours do not follow from it; give the seconds a step by hand"
        )
    best = next((a for a in hours if a.derived.startswith("hours since")), hours[0])
    total = sum(pools.values())
    shown = " + ".join(f"{n:g} {name}".strip() for name, n in pools.items())
    derived = f"{best.key} × ({shown}) GPUs" + (f"; {best.derived}" if best.derived else "")
    return Axis(best.key, "gpu_hours", best.values * total, derived, best.note)


def require_same_axis(curves: Sequence[Curve]) -> str:
    """Return the unit that all curves share.

    B and Cmid carry the unit of their axis: on tokens and on steps they are different numbers of the same
    run, and are not compared. The ceiling A has no unit.

    Raises
    ------
    CurveError
        If the units differ.

    Examples
    --------
    >>> require_same_axis([Curve([0, 1], [0.1, 0.2], unit="updates")])
    'updates'
    """
    units = list(dict.fromkeys(c.unit for c in curves))
    if len(units) != 1:
        raise CurveError(
            f"the curves are on different axes ({', '.join(units)}); B and Cmid are comparable on one axis "
            "only: "
            "choose the same --x for all"
        )
    return units[0]
