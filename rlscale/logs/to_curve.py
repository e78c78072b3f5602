"""From a run, an axis and a series to a :class:`~rlscale.curve.Curve`, refusing what is no pass rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..amounts import full_number
from ..curve import Curve, Floats, LogWarning
from ..errors import CurveError, LogError
from .axes import Axis
from .cells import refuse_texts
from .checks import explain_flat
from .collapse import describe_collapse, find_collapse
from .series import Series, is_timer

if TYPE_CHECKING:
    from .run import Run


def build_curve(run: Run, axis: Axis, series: Series, scale: str, why: str, *, whole: bool = False) -> Curve:
    """Return the curve of ``series`` over ``axis``.

    Parameters
    ----------
    run : Run
    axis : Axis
        One of its axes.
    series : Series
        One of its series.
    scale : str
        ``"percent"``, ``"signed"`` or empty: what the user says the values are.
    why : str
        Why this series.
    whole : bool
        Keep what comes after a collapse, and a series that never moves: for replays of finished runs, where
        hindsight must not choose the points.

    Raises
    ------
    LogError
        If the values are no pass rate against compute.
    """
    label = f"{run.where}, series {series.key!r}"
    if series.key in run.refused:
        raise LogError(f"{label}: {run.refused[series.key]}")
    if series.kind == "other" and is_timer(series.key):
        raise LogError(f"{label}: a time, no pass rate; {advise_series(run)}")
    for key in (series.key, axis.key):
        refuse_texts(run.where, run.path, key, run.bad.get(key))
    values = run.table[series.key].to_numpy(np.float64)
    both = np.isfinite(values) & np.isfinite(axis.values)
    warnings = list(run.warnings)
    lost = int(np.isfinite(values).sum() - both.sum())
    if lost:
        warnings.append(
            LogWarning("points-without-axis", f"{lost} points have no {axis.key!r} and were left out.")
        )
    x, y, segment = axis.values, values, run.segment
    if not both.all():
        x, y, segment = x[both], y[both], segment[both]
    y, said = _as_pass_rate(y, series, scale, label)
    if said:
        warnings.append(said)
    if x.size < 2:
        raise LogError(
            f"{label}: {x.size} point{'s' if x.size != 1 else ''}; a curve needs at least two, a forecast "
            "about eight"
        )
    x, y, segment, merged = _increasing(x, y, segment)
    if merged:
        warnings.append(
            LogWarning(
                "points-merged",
                f"{merged} points share their {axis.key!r} with the next; the later value is kept.",
            )
        )
    if y.size < 2:
        raise LogError(f"{label}: one point on the axis {axis.key!r}; a curve needs at least two")
    fallen, collapsed = None if whole else find_collapse(y), None
    if fallen is not None:
        warnings = [w for w in warnings if w.code != "collapse"]
        warnings.append(describe_collapse(series.key, x, y, fallen))
        collapsed = float(x[fallen[1]])
        x, y, segment = x[: fallen[1]], y[: fallen[1]], segment[: fallen[1]]
    if not whole and (y == y[0]).all():
        raise LogError(
            f"{label}: all {y.size} values are {full_number(y[0])}{explain_flat(run, series)}; "
            "there is no curve to fit"
        )
    if series.kind == "other":
        warnings.append(
            LogWarning(
                "name-not-known", f"{series.key}: taken for a pass rate, as you say; its name does not."
            )
        )
    if series.biased:
        warnings.append(
            LogWarning("not-a-pass-rate", f"{series.key}: {series.note or 'not the plain pass rate'}.")
        )
    elif series.note and series.fittable:
        warnings.append(LogWarning("series-assumed", f"{series.key}: {series.note}."))
    if axis.note:
        warnings.append(LogWarning("axis-note", f"{axis.key}: {axis.note}."))
    planned, planned_from = _planned_length(run, axis)
    n, k = _counts(run, series)
    try:
        return Curve(
            x, y, unit=axis.unit, kind=series.kind, n=n, k=k, segment=segment, planned=planned,
            planned_from=planned_from, run=run.name, x_key=axis.key, y_key=series.key,
            format=run.format, why=why, warnings=tuple(_unique(warnings)),
            collapsed=collapsed,
        )  # fmt: skip
    except CurveError as error:
        raise LogError(f"{label}: {error}") from None


def advise_series(run: Run) -> str:
    """Return which series to choose instead."""
    if run.suggestion.y is not None:
        return f"take {run.suggestion.y!r}, or choose another series with --y"
    return "choose another series with --y"


def _as_pass_rate(y: Floats, series: Series, scale: str, label: str) -> tuple[Floats, LogWarning | None]:
    low, high = (float(y.min()), float(y.max())) if y.size else (0.0, 0.0)
    key, extent = series.key, f"{full_number(low)} to {full_number(high)}"
    if scale == "percent":
        if low < 0 or high > 100:
            raise LogError(f"{label}: runs from {extent}; percent lies between 0 and 100")
        return y / 100.0, LogWarning("scaled", f"{key}: divided by 100, as the user says percent.")
    if scale == "signed":
        if low < -1 or high > 1:
            raise LogError(f"{label}: runs from {extent}; a reward of −1 or 1 lies between −1 and 1")
        return (y + 1.0) / 2.0, LogWarning(
            "scaled", f"{key}: (value + 1) / 2, exact if every single reward is −1 or 1."
        )
    if series.factor != 1.0:
        return y * series.factor, LogWarning(
            "scaled", f"{key}: the name says percent; values were divided by 100."
        )
    if low >= 0 and high <= 1:
        return y, None
    if low >= 0 and 1 < high <= 100 and series.kind.endswith("pass_rate"):
        raise LogError(
            f"{label}: runs from {extent}, expected 0 to 1; it looks like percent: if it is, "
            f"pass --y '{key}:percent'"
        )
    if low >= -1 and high <= 1:
        raise LogError(
            f"{label}: runs from {extent}, expected 0 to 1; if every single reward is −1 or 1, "
            f"pass --y '{key}:signed', "
            "which maps it exactly; otherwise log the share of problems solved"
        )
    if series.kind == "length":
        raise LogError(f"{label}: a length ({extent}), no pass rate; choose another series with --y")
    raise LogError(
        f"{label}: runs from {extent}, outside [0, 1], so it is no pass rate (a sum of rewards, "
        "or a shaped one); "
        "choose another series with --y, or log the share of problems solved"
    )


def _increasing(x: Floats, y: Floats, segment: np.ndarray) -> tuple[Floats, Floats, np.ndarray, int]:
    """Keep one point a position, the later one; points are in the order of steps."""
    if bool((np.diff(x) > 0).all()):
        return x, y, segment, 0
    order = np.argsort(x, kind="stable")
    x, y, segment = x[order], y[order], segment[order]
    last = np.append(np.diff(x) > 0, True)
    return x[last], y[last], segment[last], int((~last).sum())


def _planned_length(run: Run, axis: Axis) -> tuple[float | None, str]:
    """Return the planned length in the unit of the axis: from the log, or in proportion to the steps."""
    planned, source = run.facts.get("planned_steps", (None, ""))
    main = run.axes[0]
    if planned is None and "progress/done_frac" in run.table:
        done = run.column("progress/done_frac")
        known = np.flatnonzero(np.isfinite(done) & (done > 0))
        if known.size:
            row = int(known[-1])
            if 0 < done[row] <= 1 and np.isfinite(main.values[row]):
                # a row of batch i is written when i + 1 batches of the plan are done
                planned, source = float(np.rint((main.values[row] + 1) / done[row])), "progress/done_frac"
    if planned is None or not np.isfinite(planned) or planned <= 0:
        return None, ""
    if axis.key == main.key:
        return float(planned), source
    end_step, end = float(main.values[-1]), axis.values[np.isfinite(axis.values)]
    if end.size == 0 or end_step <= 0 or end[-1] <= 0:
        return None, ""
    return float(end[-1] * planned / end_step), f"{source}, in proportion to the steps"


def _counts(run: Run, series: Series) -> tuple[int | None, int | None]:
    """Return problems and samples a problem behind a point, where the log says them."""
    key, table = series.key, run.table
    k = series.k
    if run.framework == "tinker-cookbook" and key.endswith("/correct"):
        episodes = _constant(table, key.removesuffix("correct") + "total_episodes")
        if episodes and key.startswith("test/"):
            return episodes, k or 1
        groups = _constant(table, "time/compute_group_rewards:count")
        if episodes and groups and episodes % groups == 0 and not key.startswith("test/"):
            return groups, episodes // groups
        return None, k
    counted = run.facts.get("rows_a_point", {}).get(key)
    if counted:
        return int(counted), 1
    prefix = key[: max(key.rfind("/"), key.rfind("_")) + 1]
    for name in (
        f"{prefix}n_samples",
        "n_samples",
        f"{prefix}n_scored",
        "num_problems",
        f"{prefix}num_problems",
    ):
        found = _constant(table, name)
        if found:
            return found, k
    return None, k


def _constant(table, name: str) -> int | None:
    """Return the usual value of a column of counts."""
    if name not in table:
        return None
    values = table[name].to_numpy(np.float64)
    values = values[np.isfinite(values)]
    if not values.size:
        return None
    usual = float(np.median(values))
    return int(usual) if usual >= 1 and np.isfinite(usual) and usual < 1e9 else None


def _unique(warnings: list[LogWarning]) -> list[LogWarning]:
    return list(dict.fromkeys(warnings))
