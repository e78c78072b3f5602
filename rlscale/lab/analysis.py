"""What a laboratory run came to: its end, its speed, its fitted law where there is one, its worst fall.

Three rules keep the numbers honest. Speed is the compute to a *fixed* pass rate (``c50``), since Cmid alone
rewards a run that collapses early. A fitted ceiling counts only where the points determine it. A run that
falls, or hardly rises, has no law at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..errors import CurveError
from ..fitting import fit_law
from .shipped import ShippedRuns

Floats = NDArray[np.float64]

#: Share of a run that its end is the mean of.
END_SHARE = 0.15
#: Pass rate at which speed is read off.
FIXED_RATE = 0.5
#: A run that rises by less has no law.
LEAST_RISE = 0.05
#: Root mean square residual above which the sigmoid does not describe a run (healthy runs: below .02).
WORST_RMSE = 0.03
#: Compute seen over Cmid from which a fitted ceiling is believed.
LEAST_SEEN = 2.0


@dataclass(frozen=True)
class RunSummary:
    """One run in numbers.

    Attributes
    ----------
    R0, end, best : float
        Pass rate at the start, mean over the last 15 % of compute, and the highest.
    c50 : float
        Compute at which the pass rate first reaches .5; NaN where it starts above or never does.
    drawdown : float
        Largest fall below an earlier pass rate.
    A, B, Cmid, rmse : float
        Fitted sigmoid; NaN where there is no fit.
    fit : str
        ``"identified"``, ``"not identified"`` (the ceiling is not determined) or ``"no fit"``.
    why : str
        Reason, where the ceiling is not identified.
    """

    R0: float
    end: float
    best: float
    c50: float
    drawdown: float
    A: float
    B: float
    Cmid: float
    rmse: float
    fit: str
    why: str


def mean_of_end(compute: ArrayLike, values: ArrayLike, share: float = END_SHARE) -> float:
    """Return the mean of ``values`` over the last ``share`` of the compute.

    Examples
    --------
    >>> mean_of_end([0, 50, 90, 100], [0, 1, 2, 4])
    3.0
    """
    x, y = np.asarray(compute, np.float64), np.asarray(values, np.float64)
    return float(y[x >= (1 - share) * x[-1]].mean())


def compute_to_reach(compute: ArrayLike, pass_rate: ArrayLike, rate: float = FIXED_RATE) -> float:
    """Return the compute at which the pass rate first reaches ``rate``, between points in a straight line.

    Returns
    -------
    float
        NaN where the run starts above ``rate`` or never reaches it.

    Examples
    --------
    >>> compute_to_reach([0, 100, 200], [0.1, 0.4, 0.6])
    150.0
    >>> compute_to_reach([0, 100], [0.6, 0.9])
    nan
    """
    x, y = np.asarray(compute, np.float64), np.asarray(pass_rate, np.float64)
    above = np.flatnonzero(y >= rate)
    if not above.size or above[0] == 0:
        return float("nan")
    i = above[0]
    return float(x[i - 1] + (x[i] - x[i - 1]) * (rate - y[i - 1]) / (y[i] - y[i - 1]))


def largest_drawdown(values: ArrayLike) -> float:
    """Return the largest fall below an earlier value; 0 for a run that never falls.

    Examples
    --------
    >>> round(largest_drawdown([0.1, 0.6, 0.5, 0.7, 0.3]), 3)
    0.4
    """
    y = np.asarray(values, np.float64)
    return float((np.maximum.accumulate(y) - y).max())


def summarise_curve(compute: ArrayLike, pass_rate: ArrayLike) -> RunSummary:
    """Describe one run.

    Parameters
    ----------
    compute : array, shape (points,)
        From 0 on.
    pass_rate : array, shape (points,)
        Exact held-out pass rate.

    Raises
    ------
    CurveError
        If there are fewer than five points.
    """
    x, y = np.asarray(compute, np.float64), np.asarray(pass_rate, np.float64)
    if x.size < 5:
        raise CurveError(f"a run of {x.size} points cannot be summarised; give 5 or more")
    end, drawdown = mean_of_end(x, y), largest_drawdown(y)
    base = {
        "R0": float(y[0]),
        "end": end,
        "best": float(y.max()),
        "c50": compute_to_reach(x, y),
        "drawdown": drawdown,
    }
    nothing = dict.fromkeys(("A", "B", "Cmid", "rmse"), float("nan"))
    if end - y[0] < LEAST_RISE:
        return RunSummary(**base, **nothing, fit="no fit", why=f"rises by {end - y[0]:+.3f} only")
    fit = fit_law(x, y)
    law = {"A": fit.law.A, "B": fit.law.B, "Cmid": fit.law.Cmid, "rmse": fit.rmse}
    if fit.rmse > WORST_RMSE:
        return RunSummary(**base, **nothing, fit="no fit", why=f"residual {fit.rmse:.3f}: no sigmoid")
    if fit.status != "ok":
        why = ", ".join(fit.at_bounds) or fit.status
        return RunSummary(**base, **law, fit="not identified", why=why)
    if fit.seen_over_Cmid < LEAST_SEEN:
        why = f"only {fit.seen_over_Cmid:.1f} Cmid seen"
        return RunSummary(**base, **law, fit="not identified", why=why)
    return RunSummary(**base, **law, fit="identified", why="")


def summarise_runs(
    runs: ShippedRuns, arms: Iterable[str] | None = None, *, x: str = "completions"
) -> pd.DataFrame:
    """Return one row a run.

    Columns: ``arm``, ``seed``, the fields of :class:`RunSummary`, ``pass_at_8``, ``dead``, ``cpu_seconds``.

    Parameters
    ----------
    runs : ShippedRuns
        From :func:`rlscale.lab.shipped.read_shipped_runs`.
    arms : iterable of str, optional
        Only these; default: all.
    x : str
        Column of compute.
    """
    rows = []
    for arm in runs.arms if arms is None else arms:
        for seed in runs.seeds(arm):
            table = runs.table(arm, seed).drop_duplicates(x)
            compute = table[x].to_numpy(float)
            summary = summarise_curve(compute, table["heldout_pass_rate"].to_numpy(float))
            rows.append(
                {
                    "arm": arm,
                    "seed": seed,
                    **asdict(summary),
                    "pass_at_8": mean_of_end(compute, table["pass_at_8"]),
                    "dead": mean_of_end(compute, table["dead"]),
                    "cpu_seconds": float(table["cpu_seconds"].iloc[-1]),
                }
            )
    return pd.DataFrame(rows)


def summarise_arms(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row an arm: mean and deviation over seeds, and how many seeds identify a ceiling.

    Parameters
    ----------
    table : DataFrame
        From :func:`summarise_runs`.

    Returns
    -------
    DataFrame
        Indexed by ``arm``: ``n``, ``end``, ``end_sd``, ``c50``, ``c50_sd``, ``reached`` (seeds that reach
        .5), ``drawdown``,
        ``pass_at_8``, ``dead``, ``A``, ``A_sd``, ``B``, ``Cmid`` (means over the ``identified`` seeds) and
        ``identified``.
    """
    groups = table.groupby("arm", sort=False)
    out = pd.DataFrame({"n": groups.size()})
    for name in ("end", "c50"):
        out[name], out[f"{name}_sd"] = groups[name].mean(), groups[name].std()
    out["reached"] = groups["c50"].count()
    for name in ("drawdown", "pass_at_8", "dead"):
        out[name] = groups[name].mean()
    known = table[table["fit"] == "identified"].groupby("arm", sort=False)
    for name in ("A", "B", "Cmid"):
        out[name] = known[name].mean()
    out["A_sd"] = known["A"].std()
    out["identified"] = known.size().reindex(out.index).fillna(0).astype(int)
    return out
