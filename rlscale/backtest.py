"""How well is the end of a run forecast from its first part? Finished runs, replayed.

Each run is cut at several shares of its compute. From the points up to a cut, and nothing else, the end is
forecast; then the forecast is held against the end that was observed, the mean of the last 10 % of the
points. One row a run and cut; :mod:`rlscale.scores` sums rows up, :mod:`rlscale.regret` puts a price on the
verdicts, :mod:`rlscale.peers` holds the simpler rules that the forecast has to beat.

What the forecast sees is made by :func:`hide_future` alone: points up to the cut, the planned compute, and
how the pass rate was measured. Scaling, bins and noise are then taken from these points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .calibration import UNCALIBRATED
from .curve import Curve
from .errors import BacktestError, FitError, ForecastError
from .fitting import fit_law
from .forecast import forecast_run
from .gate import REFUSED
from .peers import extrapolate_pilot
from .regret import find_break_even
from .stopping import CONTINUE, LEAST_GAIN, STOP

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

#: Shares of the compute of a run at which it is cut: 5, 10, … 90 %.
SHARES: tuple[float, ...] = tuple(round(0.05 * i, 2) for i in range(1, 19))
#: A run with fewer points has no first part and no end.
LEAST_POINTS = 8
#: The end is the mean of this share of the points, as in a forecast.
END_SHARE = 0.10
#: The level at a cut is, in hindsight, the mean of the points within this share of the compute round it …
_LEVEL_SHARE = 0.05
#: … and of no fewer than this many.
_LEVEL_POINTS = 3


def backtest_runs(
    curves: Mapping[str, Curve] | Iterable[Curve],
    shares: Sequence[float] = SHARES,
    *,
    families: Mapping[str, str] | None = None,
    level: float = 0.9,
    peers: bool = True,
    n_jobs: int | None = -1,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Replay finished runs: forecast the end of each from its first part, and compare.

    Runs are replayed side by side with joblib. A backend that was set with ``joblib.parallel_config`` is
    used, a cluster of Dask for instance.

    Parameters
    ----------
    curves : mapping of str to Curve, or iterable of Curve
        Whole runs by name, 8 points or more each; without names, ``Curve.run`` is the name.
    shares : sequence of float
        Where to cut, as shares of the compute of a run; inside (0, 1), increasing.
    families : mapping of str to str, optional
        What each run belongs to, such as its repository: runs of one family are not independent.
    level : float
        Share of the truth that an interval should hold, inside (0, 1).
    peers : bool
        Whether the simpler rules of :mod:`rlscale.peers` forecast, too.
    n_jobs : int or None
        Processes, as joblib counts them: −1 is one a core, None what is configured.
    progress : bool, optional
        Whether to show a bar on standard error; by default on a terminal.

    Returns
    -------
    DataFrame
        One row a run and share, in the order given:

        - ``run``, ``family``, ``unit``, ``kind``, ``share``, ``seen`` and ``budget`` (compute up to the cut
          and of the whole run), ``points`` (up to the cut), ``points_total``
        - ``state``, ``reasons`` (codes), ``verdict`` as :func:`rlscale.forecast_run` gives them;
          ``median``, ``lo``, ``hi`` of the end, also where the state is ``no forecast`` (missing where there
          was no curve to forecast), ``seen_over_Cmid``
        - ``end`` and ``level_now``: what was observed at the end and round the cut
        - ``error`` (median − end), ``width``, ``inside``, ``outside`` (how far the end is outside, else 0)
        - ``hindsight``: ``continue`` if the rest of the run won more than one percentage point, else ``stop``
        - ``break_even`` and ``break_even_ls``: the highest price of the whole run, in percentage points, at
          which going on is worth it, by the forecast and by least squares
        - ``peer_…``: the end that each simpler rule expects

    Raises
    ------
    BacktestError
        If a run is too short, two have the same name, or a share has no meaning.

    Examples
    --------
    >>> from rlscale import Sigmoid
    >>> from rlscale.simulate import simulate_curve
    >>> law = Sigmoid(R0=0.2, A=0.6, B=1.5, Cmid=20)
    >>> run = simulate_curve(law, np.linspace(0, 400, 81), unit="updates", seed=0)
    >>> table = backtest_runs({"a": run}, [0.25, 0.5], peers=False, n_jobs=1)
    >>> table.share.tolist(), table.inside.tolist()
    ([0.25, 0.5], [True, True])
    """
    import pandas as pd

    named = name_curves(curves)
    cuts = check_shares(shares)
    if not (isinstance(level, (int, float)) and 0 < level < 1):
        raise BacktestError(f"level is {level!r}; give a share inside (0, 1), such as 0.9")
    replayed = _replay_side_by_side(list(named.values()), cuts, level, peers, n_jobs, progress)
    rows = [
        {"run": name, "family": (families or {}).get(name, ""), **row}
        for name, of_run in zip(named, replayed, strict=True)
        for row in of_run
    ]
    return pd.DataFrame(rows)


def _replay_side_by_side(
    curves: list[Curve],
    shares: tuple[float, ...],
    level: float,
    peers: bool,
    n_jobs: int | None,
    progress: bool | None,
) -> list[list[dict[str, Any]]]:
    from joblib import Parallel, delayed
    from tqdm import tqdm

    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    except ValueError:  # a backend that cannot hand over results one by one: the bar jumps at the end
        parallel = Parallel(n_jobs=n_jobs)
    results = parallel(delayed(replay_run)(curve, shares, level, peers) for curve in curves)
    hidden = None if progress is None else not progress
    return list(tqdm(results, total=len(curves), desc="runs replayed", unit="run", disable=hidden))


def name_curves(curves: Mapping[str, Curve] | Iterable[Curve]) -> dict[str, Curve]:
    """Return whole runs by name, or say which of them cannot be replayed."""
    if isinstance(curves, Mapping):
        named = dict(curves)
    else:
        named = {}
        for i, curve in enumerate(curves):
            name = curve.run or f"run {i + 1}"
            if name in named:
                raise BacktestError(f"two runs are called {name!r}; give a mapping of names to curves")
            named[name] = curve
    if not named:
        raise BacktestError("there is no run to replay; give one or more")
    for name, curve in named.items():
        if len(curve) < LEAST_POINTS:
            raise BacktestError(
                f"run {name!r} has {len(curve)} points; a replay needs {LEAST_POINTS} or more: leave it out"
            )
    return named


def check_shares(shares: Sequence[float]) -> tuple[float, ...]:
    """Return the shares as a tuple, or say which has no meaning."""
    cuts = tuple(float(s) for s in shares)
    if not cuts:
        raise BacktestError("no share is given; give one or more inside (0, 1), such as 0.25")
    for share, before in zip(cuts, (0.0, *cuts), strict=False):
        if not (math.isfinite(share) and before < share < 1):
            raise BacktestError(f"shares are {list(cuts)}; give increasing numbers inside (0, 1)")
    return cuts


def hide_future(curve: Curve, at: float) -> Curve:
    """Return what was known of a run at a compute: its points up to there and how they were measured.

    The planned length, warnings and remarks of the log are dropped: they may tell of what came later.

    Parameters
    ----------
    curve : Curve
        The whole run.
    at : float
        Compute, in its unit.

    Returns
    -------
    Curve

    Examples
    --------
    >>> whole = Curve([1, 2, 3, 4], [0.1, 0.2, 0.3, 0.0], unit="updates")
    >>> hide_future(whole, 3.5).pass_rate
    array([0.1, 0.2, 0.3])
    """
    return replace(curve.cut(at), planned=None, planned_from="", why="", warnings=(), collapsed=None)


def replay_run(
    curve: Curve, shares: Sequence[float] = SHARES, level: float = 0.9, peers: bool = True
) -> list[dict[str, Any]]:
    """Return one row a cut of one run; see :func:`backtest_runs`."""
    budget = float(curve.compute[-1])
    end = observe_end(curve)
    rows = []
    for share in shares:
        pilot = hide_future(curve, share * budget)
        now = observe_level(curve, share * budget)
        rows.append(
            {
                "unit": curve.unit,
                "kind": curve.kind,
                "share": share,
                "seen": float(pilot.compute[-1]) if len(pilot) else 0.0,
                "budget": budget,
                "points": len(pilot),
                "points_total": len(curve),
                **_compare(forecast_pilot(pilot, budget, level), end),
                "end": end,
                "level_now": now,
                "hindsight": CONTINUE if end - now > LEAST_GAIN else STOP,
                "break_even_ls": _break_even_of_fit(pilot, budget),
                **(extrapolate_pilot(pilot, budget) if peers else {}),
            }
        )
    return rows


def forecast_pilot(pilot: Curve, budget: float, level: float) -> dict[str, Any]:
    """Return the forecast of a pilot as the cells of a row; missing numbers where there is no curve yet."""
    try:
        forecast = forecast_run(pilot, budget=budget, level=level, calibration=UNCALIBRATED)
    except ForecastError:  # fewer than two points, or none has moved
        code = "too few points" if len(pilot) < 2 else "never moves"
        missing = dict.fromkeys(("median", "lo", "hi", "seen_over_Cmid", "break_even"), math.nan)
        return {"state": REFUSED, "reasons": code, "verdict": "cannot tell", **missing}
    seen = float(pilot.compute[-1])
    return {
        "state": forecast.state,
        "reasons": "; ".join(r.code for r in forecast.reasons),
        "verdict": forecast.verdict,
        "median": forecast.end.median,
        "lo": forecast.end.lo,
        "hi": forecast.end.hi,
        "seen_over_Cmid": forecast.seen_over_Cmid.median,
        "break_even": find_break_even(forecast.expected, seen, budget),
    }


def _compare(cells: dict[str, Any], end: float) -> dict[str, Any]:
    outside = max(cells["lo"] - end, end - cells["hi"], 0.0) if math.isfinite(cells["lo"]) else math.nan
    return {
        **cells,
        "error": cells["median"] - end,
        "width": cells["hi"] - cells["lo"],
        "inside": outside == 0.0,
        "outside": outside,
    }


def _break_even_of_fit(pilot: Curve, budget: float) -> float:
    try:
        law = fit_law(pilot.compute, pilot.pass_rate).law
    except FitError:  # too few points, or all equal
        return math.nan
    return find_break_even(law, float(pilot.compute[-1]), budget)


def observe_end(curve: Curve) -> float:
    """Return the observed end of a whole run: the mean of the last 10 % of its points."""
    return float(curve.pass_rate[-max(1, round(END_SHARE * len(curve))) :].mean())


def observe_level(curve: Curve, at: float) -> float:
    """Return the level of a whole run round a compute, in hindsight.

    Parameters
    ----------
    curve : Curve
        The whole run.
    at : float
        Compute, in its unit.

    Returns
    -------
    float
        Mean of the points within 5 % of the compute of the run, of the three nearest at least.

    Examples
    --------
    >>> whole = Curve(np.arange(1, 101), np.linspace(0.01, 1, 100), unit="updates")
    >>> round(observe_level(whole, 50.0), 3)
    0.5
    """
    distance = np.abs(curve.compute - at)
    near = distance <= _LEVEL_SHARE * float(curve.compute[-1])
    if near.sum() < _LEVEL_POINTS:
        near = np.zeros(len(curve), bool)
        near[np.argsort(distance, kind="stable")[:_LEVEL_POINTS]] = True
    return float(curve.pass_rate[near].mean())
