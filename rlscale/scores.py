"""A replay summed up: errors, coverage and width by share seen, by state, by T/Cmid, and against the peers.

- *coverage*: share of cuts whose interval holds the observed end.
- *shown*: cuts whose state allows a number. What is not shown cannot mislead, so errors are those of shown
  cuts, and the share that is shown stands beside them.
- *interval score* (Gneiting and Raftery, 2007): width + 2/(1 − level) · how far the end is outside. Smaller
  is better; it punishes both a wide interval and a missed end.
- A peer gives one number. Its interval is that number plus the quantiles of its own errors, at the same share
  seen, on runs of all *other* families: the family that is tested has no part in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import BacktestError
from .gate import REFUSED
from .peers import PEERS

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

#: Cuts with fewer points are counted nowhere: no method has a chance there.
LEAST_POINTS = 4
#: Edges of T/Cmid, the compute seen over the compute at half of the gain.
SEEN_EDGES: tuple[float, ...] = (0.0, 1.0, 2.0, 4.0, 6.0, 10.0, 20.0, np.inf)
#: A shown interval that misses the end by more than this is the worst that a forecast can do.
FAR = 0.05
#: Columns that a table can be grouped by.
GROUPS: tuple[str, ...] = ("share", "state", "seen_over_Cmid", "family")


def score_forecasts(table: pd.DataFrame, by: str = "share") -> pd.DataFrame:
    """Return how good the forecasts were, one row a group.

    Parameters
    ----------
    table : DataFrame
        From :func:`rlscale.backtest_runs`; cuts of fewer than four points are left out.
    by : str
        One of :data:`GROUPS`.

    Returns
    -------
    DataFrame
        Indexed by the group: ``cuts``, ``coverage`` and ``width`` (median) of all of them; ``shown`` (share
        of cuts); of the shown ones ``coverage_shown``, ``error_median``, ``error_p90``, ``within_003`` (share
        with an error of at most .03) and ``far`` (intervals that miss the end by more than .05).

    Raises
    ------
    BacktestError
        If ``by`` is no group or no cut is left.
    """
    import pandas as pd

    if by not in GROUPS:
        raise BacktestError(f"by is {by!r}; give one of: {', '.join(GROUPS)}")
    cuts = usable_cuts(table)
    key: Any = cuts[by]
    if by == "seen_over_Cmid":
        key = pd.cut(cuts[by], list(SEEN_EDGES), right=False)
    rows = {group: _score(part) for group, part in cuts.groupby(key, observed=True)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(by)


def usable_cuts(table: pd.DataFrame) -> pd.DataFrame:
    """Return the cuts that have a forecast and four points or more."""
    cuts = table[(table["points"] >= LEAST_POINTS) & table["median"].notna()]
    if cuts.empty:
        raise BacktestError(
            f"no cut has {LEAST_POINTS} points and a forecast; cut later, or give longer runs"
        )
    return cuts


def _score(cuts: pd.DataFrame) -> dict[str, float]:
    shown = cuts[cuts["state"] != REFUSED]
    error = shown["error"].abs()
    some = len(shown) > 0
    return {
        "cuts": len(cuts),
        "coverage": float(cuts["inside"].mean()),
        "width": float(cuts["width"].median()),
        "shown": len(shown) / len(cuts),
        "coverage_shown": float(shown["inside"].mean()) if some else np.nan,
        "error_median": float(error.median()) if some else np.nan,
        "error_p90": float(error.quantile(0.9)) if some else np.nan,
        "within_003": float((error <= 0.03).mean()) if some else np.nan,
        "far": int((shown["outside"] > FAR).sum()),
    }


def score_verdicts(table: pd.DataFrame) -> pd.DataFrame:
    """Return how often each verdict was right in hindsight.

    A verdict without prices is about one percentage point: ``continue`` is right when the rest of the run won
    more, ``stop`` when it did not. ``cannot tell`` is neither right nor wrong.

    Parameters
    ----------
    table : DataFrame
        From :func:`rlscale.backtest_runs`.

    Returns
    -------
    DataFrame
        Indexed by ``share``: ``cuts``, ``right``, ``wrong`` and ``cannot_tell`` as shares of the cuts.
    """
    import pandas as pd

    rows = {}
    for share, part in usable_cuts(table).groupby("share"):
        told = part["verdict"] != "cannot tell"
        right = told & (part["verdict"] == part["hindsight"])
        rows[share] = {
            "cuts": len(part),
            "right": float(right.mean()),
            "wrong": float((told & ~right).mean()),
            "cannot_tell": float((~told).mean()),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("share")


def format_scores(table: pd.DataFrame, digits: int = 3) -> pd.DataFrame:
    """Return a table ready to be printed: shares with so many decimals, counts without, a dash for none.

    Parameters
    ----------
    table : DataFrame
        From a function of this module.
    digits : int
        Decimals of what is no count.

    Examples
    --------
    >>> import pandas as pd
    >>> format_scores(pd.DataFrame({"cuts": [14, 20], "error": [float("nan"), 0.01]})).values.tolist()
    [['14', '–'], ['20', '0.010']]
    """
    import pandas as pd

    shown = {}
    for name, column in table.items():
        form = f"{{:.{digits}f}}" if pd.api.types.is_float_dtype(column) else "{}"
        shown[name] = column.map(form.format).where(column.notna(), "–")
    return pd.DataFrame(shown)


def list_misses(table: pd.DataFrame, by: float = 0.0) -> pd.DataFrame:
    """Return the shown intervals that did not hold the end, the worst first.

    Parameters
    ----------
    table : DataFrame
        From :func:`rlscale.backtest_runs`.
    by : float
        Only those that miss it by more than this.

    Returns
    -------
    DataFrame
        Columns ``run``, ``share``, ``state``, ``lo``, ``hi``, ``end``, ``outside``.
    """
    cuts = usable_cuts(table)
    missed = cuts[(cuts["state"] != REFUSED) & (cuts["outside"] > by)]
    columns = ["run", "share", "state", "lo", "hi", "end", "outside"]
    return missed.sort_values("outside", ascending=False)[columns].reset_index(drop=True)


def compare_peers(table: pd.DataFrame, *, level: float = 0.9, shown: bool = False) -> pd.DataFrame:
    """Return the forecast beside the simpler rules, on the same cuts.

    Parameters
    ----------
    table : DataFrame
        From :func:`rlscale.backtest_runs`, with ``families`` and ``peers``.
    level : float
        Level of the intervals in the table, inside (0, 1).
    shown : bool
        Only the cuts that the forecast shows a number for; the errors that a peer's interval is made of are
        still those of all cuts.

    Returns
    -------
    DataFrame
        Indexed by method, ``forecast`` first: ``cuts``, ``error_median``, ``error_p90``, ``coverage``,
        ``width`` (mean), ``score`` (mean interval score). Cuts where any method has no number are left out.

    Raises
    ------
    BacktestError
        If the table has no peers or fewer than two families.
    """
    import pandas as pd

    columns = [f"peer_{name}" for name in PEERS]
    if not set(columns) <= set(table.columns):
        raise BacktestError("the table holds no peers; replay the runs with peers=True")
    cuts = usable_cuts(table).dropna(subset=columns).reset_index(drop=True)
    if cuts["family"].nunique() < 2:
        raise BacktestError(
            "all runs are of one family, and a peer's interval comes from the others; give families"
        )
    keep = (cuts["state"] != REFUSED).to_numpy() if shown else np.ones(len(cuts), bool)
    rows = {"forecast": _score_method(cuts, "median", cuts["lo"], cuts["hi"], keep, level)}
    for name, column in zip(PEERS, columns, strict=True):
        lo, hi = spread_errors(cuts, column, level)
        rows[name] = _score_method(cuts, column, lo, hi, keep & np.isfinite(lo), level)
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")


def spread_errors(cuts: pd.DataFrame, column: str, level: float) -> tuple[Floats, Floats]:
    """Return an interval round the number in ``column``, from its errors on runs of other families.

    Parameters
    ----------
    cuts : DataFrame
        Columns ``share``, ``family``, ``end`` and ``column``.
    column : str
        What is expected of the end.
    level : float
        Share of the truth that an interval should hold.

    Returns
    -------
    lo, hi : array, shape (cuts,)
        Inside [0, 1]; NaN where no other family has a cut at that share.
    """
    guess, end = cuts[column].to_numpy(float), cuts["end"].to_numpy(float)
    share, family = cuts["share"].to_numpy(), cuts["family"].to_numpy()
    lo, hi = np.full(len(cuts), np.nan), np.full(len(cuts), np.nan)
    tail = 0.5 * (1 - level)
    for s in np.unique(share):
        for f in np.unique(family[share == s]):
            others = (share == s) & (family != f)
            mine = (share == s) & (family == f)
            if others.any():
                low, high = np.quantile(end[others] - guess[others], [tail, 1 - tail])
                lo[mine] = np.clip(guess[mine] + low, 0, 1)
                hi[mine] = np.clip(guess[mine] + high, 0, 1)
    return lo, hi


def interval_score(lo: Any, hi: Any, end: Any, level: float) -> Floats:
    """Return the interval score of each interval.

    Parameters
    ----------
    lo, hi, end : array_like, shape (cuts,)
        Interval and what was observed.
    level : float
        Level of the interval, inside (0, 1).

    Returns
    -------
    array, shape (cuts,)

    Examples
    --------
    >>> interval_score([0.4, 0.4], [0.6, 0.6], [0.5, 0.7], level=0.9).round(3)
    array([0.2, 2.2])
    """
    low, high, truth = (np.asarray(v, np.float64) for v in (lo, hi, end))
    outside = np.maximum(np.maximum(low - truth, truth - high), 0.0)
    return np.asarray(high - low + 2 / (1 - level) * outside)


def _score_method(
    cuts: pd.DataFrame, guess: str, lo: Any, hi: Any, keep: NDArray[np.bool_], level: float
) -> dict[str, float]:
    low, high = np.asarray(lo, np.float64)[keep], np.asarray(hi, np.float64)[keep]
    end = cuts["end"].to_numpy(float)[keep]
    error = np.abs(cuts[guess].to_numpy(float)[keep] - end)
    if not keep.any():
        return dict.fromkeys(("cuts", "error_median", "error_p90", "coverage", "width", "score"), np.nan)
    return {
        "cuts": int(keep.sum()),
        "error_median": float(np.median(error)),
        "error_p90": float(np.quantile(error, 0.9)),
        "coverage": float(((low <= end) & (end <= high)).mean()),
        "width": float((high - low).mean()),
        "score": float(interval_score(low, high, end, level).mean()),
    }
