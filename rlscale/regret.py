"""What a verdict costs: the worth that a stop rule leaves on the table, in percentage points and in money.

Let the whole run cost as much as ``stake`` percentage points of pass rate are worth to you. Stopping at
compute C is then worth 100·R(C) − stake·C/budget. The *regret* of a rule is the best worth that hindsight
finds among the checkpoints, less the worth where the rule stops.

A rule is asked at every checkpoint: at ``stop`` it stops, else it goes on and is asked again. So "cannot
tell" costs what it costs in practice, one more checkpoint. The rules:

- *forecast*: the verdict. Stop when a forecast is given and no later stop is expected to pay.
- *expected worth*: the same expectation, but also where the gate refuses to show a number. A refusal says
  that the interval is too wide to quote, not that nothing is believed; where flat runs are among yours, this
  is the rule for money.
- *least squares*: the best sigmoid, taken for the truth.
- *always* goes on to the end, *never* stops at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import BacktestError
from .gate import REFUSED
from .stopping import CANDIDATES

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

#: What the whole run may cost, in percentage points of pass rate.
STAKES: tuple[float, ...] = (4.0, 8.0, 16.0)
#: Rules that are compared.
RULES: tuple[str, ...] = ("forecast", "expected worth", "least squares", "always", "never")


def find_break_even(expected: Callable[[Floats], Any], seen: float, budget: float) -> float:
    """Return the highest price of a whole run, in percentage points, at which going on is worth it.

    Going on from T to C wins 100·(R(C) − R(T)) percentage points and uses the share (C − T)/budget of the
    run. The rule of :func:`rlscale.stopping.decide_by_money` says stop exactly when the price is at or above
    the largest ratio of the two.

    Parameters
    ----------
    expected : callable
        Expected pass rate at an array of computes.
    seen, budget : float
        Compute seen, and of the whole run.

    Returns
    -------
    float
        Percentage points for the whole run; 0 when nothing is won, or nothing is left to run.

    Examples
    --------
    >>> round(find_break_even(lambda C: 0.5 + 0.001 * C, seen=20.0, budget=100.0), 6)
    10.0
    """
    at = np.linspace(seen, budget, CANDIDATES)
    if budget <= seen:
        return 0.0
    level = np.asarray(expected(at), np.float64)
    ratio = 100 * (level[1:] - level[0]) * budget / (at[1:] - at[0])
    return max(0.0, float(ratio.max()))


def score_decisions(
    table: pd.DataFrame, stakes: Sequence[float] = STAKES, *, run_usd: float | None = None
) -> pd.DataFrame:
    """Return the regret of each rule, when it is first asked at each share seen.

    Parameters
    ----------
    table : DataFrame
        From :func:`rlscale.backtest_runs`.
    stakes : sequence of float
        Prices of the whole run in percentage points, above 0.
    run_usd : float, optional
        What a whole run costs in USD, above 0: then regret is given in money, too.

    Returns
    -------
    DataFrame
        Columns ``share``, ``stake``, ``rule``, ``runs``, ``regret_points`` (mean over runs), and
        ``regret_usd`` where ``run_usd`` is given.

    Raises
    ------
    BacktestError
        If a stake or price is not above 0.
    """
    import pandas as pd

    for name, value in [*(("stake", s) for s in stakes), ("run_usd", 1.0 if run_usd is None else run_usd)]:
        if not (np.isfinite(value) and value > 0):
            raise BacktestError(f"{name} is {value}; give a number above 0")
    rows = []
    for stake in stakes:
        found: dict[tuple[float, str], list[float]] = {}
        for _, run in table.groupby("run", sort=False):
            for key, regret in _regrets_of_run(run, stake):
                found.setdefault(key, []).append(regret)
        for (share, rule), values in found.items():
            points = float(np.mean(values))
            row = {
                "share": share,
                "stake": stake,
                "rule": rule,
                "runs": len(values),
                "regret_points": points,
            }
            if run_usd is not None:
                row["regret_usd"] = points * run_usd / stake
            rows.append(row)
    order = pd.DataFrame(rows)
    order["rule"] = pd.Categorical(order["rule"], RULES)
    ordered = order.sort_values(["share", "stake", "rule"], ignore_index=True)
    return ordered.astype({"rule": str})


def _regrets_of_run(run: pd.DataFrame, stake: float) -> list[tuple[tuple[float, str], float]]:
    """Regret of each rule, first asked at each share of one run."""
    share = np.append(run["share"].to_numpy(float), 1.0)
    level = np.append(run["level_now"].to_numpy(float), float(run["end"].iloc[0]))
    worth = 100 * level - stake * share
    shown = run["state"].to_numpy() != REFUSED
    worth_it = run["break_even"].to_numpy(float) > stake
    known = run["break_even"].notna().to_numpy()
    says_stop = {
        "forecast": shown & ~worth_it,
        "expected worth": known & ~worth_it,
        "least squares": run["break_even_ls"].to_numpy(float) <= stake,  # no fit (NaN): go on
        "always": np.zeros(len(run), bool),
        "never": np.ones(len(run), bool),
    }
    out = []
    for i in range(len(run)):
        best = float(worth[i:].max())
        for rule in RULES:
            stops = np.flatnonzero(says_stop[rule][i:])
            at = i + int(stops[0]) if stops.size else len(run)
            out.append(((float(share[i]), rule), best - float(worth[at])))
    return out
