"""Rows in the order of writing become one row a step.

The rules, each of which is reported when it is used:

* a row that logs, at a step, something already logged at that step or later starts a new **segment** (a
resume);
  a row with other keys is a late one (asynchronous evaluation) and is merged;
* a segment that starts at step T replaces everything earlier at steps ≥ T: the last segment wins;
* several rows a step inside one segment are averaged when that is the rule in this log, else the last one
wins;
* rows out of order in which no step repeats are sorted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..amounts import full_number
from ..curve import Floats, LogWarning

Ints = NDArray[np.int64]

#: Keys that every row may carry, whoever writes it: they say nothing about what the row logs.
BOOKKEEPING = re.compile(
    r"(?i)(_?step|_?timestamp|time|wall[_ "
    r"]?time|_runtime|epoch|.*global_?steps?|progress/.*|_wandb.*|relative time.*|iteration"
    r"|optim/lr|lr|learning_rate)"
)


@dataclass(frozen=True)
class Stitched:
    """The rows that stay.

    Attributes
    ----------
    step : array, shape (steps,)
        Increasing.
    segment : array of int, shape (steps,)
        Which uninterrupted piece a step comes from; 0 is the first piece.
    values : array, shape (steps, columns)
        One row a step; missing is NaN.
    warnings : tuple of LogWarning
        What was replaced, merged or sorted.
    """

    step: Floats
    segment: Ints
    values: Floats
    warnings: tuple[LogWarning, ...]


def own_columns(keys: list[str]) -> NDArray[np.bool_]:
    """Return which columns say what a row logs, and are no bookkeeping."""
    return np.array([not BOOKKEEPING.fullmatch(key) for key in keys], bool)


def find_segments(step: Floats, filled: NDArray[np.bool_]) -> Ints:
    """Return the segment of each row.

    Parameters
    ----------
    step : array, shape (rows,)
        Step of each row, in the order of writing.
    filled : array of bool, shape (rows, columns)
        Which columns a row logs; without bookkeeping columns.

    Returns
    -------
    array of int, shape (rows,)

    Examples
    --------
    A resume at step 2, then an evaluation row that comes late and is none:

    >>> one = np.ones((5, 1), bool)
    >>> find_segments(np.array([1.0, 2, 3, 2, 3]), one).tolist()
    [0, 0, 0, 1, 1]
    >>> train_then_eval = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [1, 0]], bool)
    >>> find_segments(np.array([1.0, 2, 3, 2, 4]), train_then_eval).tolist()
    [0, 0, 0, 0, 0]
    """
    segment = np.zeros(step.size, np.int64)
    if not (np.diff(step) < 0).any():
        return segment
    last = np.full(filled.shape[1], -np.inf)
    top, current = -np.inf, 0
    for row, at in enumerate(step.tolist()):
        has = filled[row]
        if at < top and (not has.size or not has.any() or bool((last[has] >= at).any())):
            current += 1
            last[:] = -np.inf
            top = -np.inf
        top = max(top, at)
        last[has] = np.maximum(last[has], at)
        segment[row] = current
    return segment


def _is_shuffled(step: Floats, segment: Ints) -> bool:
    """Tell rows out of order from a resume: no step repeats, and no two pieces run side by side."""
    pieces = int(segment[-1]) + 1
    if pieces == 1 or np.unique(step).size != step.size:
        return False
    if pieces == 2:
        first, second = step[segment == 0], step[segment == 1]
        side_by_side = min((first >= second.min()).sum(), (second <= first.max()).sum())
        return bool(side_by_side < 2)
    return True


def stitch_rows(step: Floats, values: Floats, keys: list[str], segment: Ints | None = None) -> Stitched:
    """Return one row a step by the rules of this module.

    Parameters
    ----------
    step : array, shape (rows,)
        Step of each row; finite.
    values : array, shape (rows, columns)
        What each row logs; NaN where it logs nothing.
    keys : list of str
        Names of the columns.
    segment : array of int, shape (rows,), optional
        Segment of each row, where it is known (rows of several files); otherwise it is found.

    Returns
    -------
    Stitched

    Examples
    --------
    Steps 1 to 5, then 4 to 6 again after a resume:

    >>> step = np.array([1.0, 2, 3, 4, 5, 4, 5, 6])
    >>> rate = np.array([[0.2], [0.25], [0.3], [0.35], [0.4], [0.5], [0.55], [0.6]])
    >>> joined = stitch_rows(step, rate, ["accuracy"])
    >>> joined.values[:, 0].tolist()
    [0.2, 0.25, 0.3, 0.5, 0.55, 0.6]
    >>> joined.warnings[0].code
    'steps-replaced'
    """
    if segment is None and step.size and bool((np.diff(step) > 0).all()):
        return Stitched(step, np.zeros(step.size, np.int64), values, ())
    warnings: list[LogWarning] = []
    own = own_columns(keys)
    filled = ~np.isnan(values)
    if segment is None:
        segment = find_segments(step, filled[:, own])
        if segment.size and _is_shuffled(step, segment):
            warnings.append(
                LogWarning(
                    "rows-sorted", f"{int(segment[-1])} rows stood out of order; all were sorted by step."
                )
            )
            segment = np.zeros_like(segment)
    keep, found = _last_segment_wins(step, segment, values, own)
    warnings += found
    step, segment, values = step[keep], segment[keep], values[keep]
    order = np.lexsort((np.arange(step.size), step))
    step, segment, values = step[order], segment[order], values[order]
    step, segment, values, found = _merge_steps(step, segment, values, keys, own)
    warnings += found
    _, segment = np.unique(segment, return_inverse=True)
    return Stitched(step, segment.astype(np.int64), values, tuple(warnings))


def _last_segment_wins(
    step: Floats, segment: Ints, values: Floats, own: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], list[LogWarning]]:
    keep = np.ones(step.size, bool)
    warnings: list[LogWarning] = []
    pieces = int(segment[-1]) + 1 if segment.size else 0
    replaced = abandoned = restarts = 0
    starts = []
    for piece in range(1, pieces):
        rows = segment == piece
        start = float(step[rows].min())
        starts.append(start)
        gone = keep & (segment < piece) & (step >= start)
        if not gone.any():
            continue
        again = np.isin(step[gone], step[rows])
        if not (keep & (segment < piece) & ~gone).any():
            if _same_rows(step, values[:, own], gone, rows):
                warnings.append(
                    LogWarning(
                        "block-repeated", f"{int(gone.sum())} rows stand in the file twice; one copy is kept."
                    )
                )
                keep &= ~gone
                continue
            restarts += 1
        replaced += int(again.sum())
        abandoned += int((~again).sum())
        keep &= ~gone
    if replaced or abandoned:
        at = ", ".join(f"{full_number(s)}" for s in starts[:5]) + (" …" if len(starts) > 5 else "")
        text = f"the step falls back (to {at}): {replaced} rows replaced by those of the later segment"
        if abandoned:
            text += f", {abandoned} rows of the abandoned part left out"
        warnings.append(
            LogWarning(
                "steps-replaced", text + ".", "Last segment wins; `rlscale stitch` writes the joined log."
            )
        )
    if restarts:
        warnings.append(
            LogWarning(
                "restarted",
                f"the step starts again from the beginning {restarts} time{'s' if restarts > 1 else ''}; "
                "only the last start is used.",
                "If it went on from trained weights, its step 0 is not the beginning: join the pieces "
                "with `rlscale stitch --continue`.",
            )
        )
    return keep, warnings


def _same_rows(step: Floats, values: Floats, one: NDArray[np.bool_], other: NDArray[np.bool_]) -> bool:
    """Return whether two blocks hold the same numbers."""
    if one.sum() != other.sum() or not np.array_equal(step[one], step[other]):
        return False
    return bool(np.array_equal(values[one], values[other], equal_nan=True))


RUNNING = re.compile(
    r"(?i)(.*tokens(_seen|_total)?|num_tokens|_?timestamp|time|wall[_ "
    r"]?time|_runtime|epoch|.*global_?step|progress/.*)"
)


def _merge_steps(
    step: Floats, segment: Ints, values: Floats, keys: list[str], own: NDArray[np.bool_]
) -> tuple[Floats, Ints, Floats, list[LogWarning]]:
    """Make one row of all rows of a step (rows are sorted by step, then by order of writing)."""
    if step.size < 2 or (np.diff(step) > 0).all():
        return step, segment, values, []
    first = np.concatenate([[True], np.diff(step) > 0])
    group = np.cumsum(first) - 1
    groups = int(group[-1]) + 1
    merged = np.full((groups, values.shape[1]), np.nan)
    averaged = repeated = differing = 0
    for column in range(values.shape[1]):
        has = ~np.isnan(values[:, column])
        inside, found = group[has], values[has, column]
        merged[inside, column] = found  # the last one wins
        if not own[column] or inside.size < 2:
            continue
        counts = np.bincount(inside, minlength=groups)
        several = counts > 1
        if not several.any():
            continue
        if (
            several.sum() > 0.5 * (counts > 0).sum()
            and several.sum() > 1
            and not RUNNING.fullmatch(keys[column])
        ):
            sums = np.bincount(inside, weights=found, minlength=groups)
            merged[several, column] = sums[several] / counts[several]
            averaged = max(averaged, int(np.median(counts[several])))
        else:
            repeated = max(repeated, int(several.sum()))
            differing = max(differing, int((found != merged[inside, column]).sum()))
    warnings = []
    if averaged:
        warnings.append(
            LogWarning(
                "rows-averaged",
                f"a step has about {averaged} rows each (micro-batches, games or questions); their mean is "
                "used, each row with the same weight.",
            )
        )
    if repeated:
        how = f"with {differing} differing values" if differing else "with the same values"
        warnings.append(
            LogWarning("rows-repeated", f"{repeated} steps are logged twice {how}; the last row is kept.")
        )
    return step[first], np.maximum.reduceat(segment, np.flatnonzero(first)), merged, warnings
