"""What a verdict costs: the worth that a stop rule leaves on the table, in percentage points and in money.

Let the whole run cost as much as ``stake`` percentage points of pass rate are worth to you. Stopping at
compute C is then worth 100·R(C) − stake·C/budget. The *regret* of a rule is the best worth that hindsight
finds among the checkpoints, less the worth where the rule stops.

A rule is asked at every checkpoint: at ``stop`` it stops, else it goes on and is asked again. So "cannot
tell" costs what it costs in practice, one more checkpoint. The rules:

- *forecast*: the verdict by money of :func:`rlscale.forecast_run`. Stop when no later stop is expected to
  pay, also where the gate refuses to show a number: a refusal says that the interval is too wide to quote,
  not that nothing is believed. A pilot that fell is told "cannot tell" and goes on.
- *shown only*: the same, but "cannot tell" wherever a number is refused. It was the verdict once; on flat
  runs, which are refused at each checkpoint, it pays for the whole run.
- *least squares*: the best sigmoid, taken for the truth.
- *always* goes on to the end, *never* stops at once.

Levels are measured, so even the best rule pays for noise: the best of several noisy checkpoints looks better
than it is, and all rules are charged for that alike. Compare rules, not a regret with zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .decision import FELL
from .errors import BacktestError
from .gate import REFUSED
from .worth import find_break_even

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

#: What the whole run may cost, in percentage points of pass rate.
STAKES: tuple[float, ...] = (4.0, 8.0, 16.0)
#: Rules that are compared.
RULES: tuple[str, ...] = ("forecast", "shown only", "least squares", "always", "never")
#: Those that the forecast has to beat.
RIVALS: tuple[str, ...] = RULES[2:]


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
    if run_usd is not None:
        _check_positive("run_usd", run_usd)
    each = list_regrets(table, stakes)
    grouped = each.groupby(["share", "stake", "rule"], observed=True)["regret_points"]
    found = grouped.agg(["size", "mean"]).reset_index()
    scores = found.rename(columns={"size": "runs", "mean": "regret_points"}).astype({"rule": str})
    if run_usd is not None:
        scores["regret_usd"] = scores["regret_points"] * run_usd / scores["stake"]
    return scores


def list_regrets(table: pd.DataFrame, stakes: Sequence[float] = STAKES) -> pd.DataFrame:
    """Return the regret of each rule on each run.

    Parameters
    ----------
    table, stakes
        As for :func:`score_decisions`.

    Returns
    -------
    DataFrame
        Columns ``run``, ``family`` (where the table has it), ``share``, ``stake``, ``rule`` (in the order of
        :data:`RULES`), ``regret_points``.
    """
    import pandas as pd

    for stake in stakes:
        _check_positive("stake", stake)
    rows = []
    for name, run in table.groupby("run", sort=False):
        family = {"family": run["family"].iloc[0]} if "family" in run else {}
        for stake in stakes:
            for share, rule, regret in _regrets_of_run(run, stake):
                row = {"share": share, "stake": stake, "rule": rule, "regret_points": regret}
                rows.append({"run": name, **family, **row})
    each = pd.DataFrame(rows)
    each["rule"] = pd.Categorical(each["rule"], RULES, ordered=True)
    return each


def tabulate_regret(
    table: pd.DataFrame, shares: Sequence[float] = (0.25, 0.5), stakes: Sequence[float] = STAKES
) -> pd.DataFrame:
    """Return the regret in points with one column a rule, for a page.

    Parameters
    ----------
    table, stakes
        As for :func:`score_decisions`.
    shares : sequence of float
        Shares seen when a rule is first asked.

    Returns
    -------
    DataFrame
        Rows by share and stake, columns :data:`RULES`.
    """
    scores = score_decisions(table, stakes)
    wide = scores[scores["share"].isin(shares)].pivot(
        index=["share", "stake"], columns="rule", values="regret_points"
    )
    return wide[list(RULES)].rename_axis(columns=None)


def contrast_rules(
    table: pd.DataFrame,
    rival: str = "least squares",
    shares: Sequence[float] = (0.25, 0.5),
    stakes: Sequence[float] = STAKES,
    *,
    draws: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Return by how much the forecast costs less than a rival, and what of it may be chance.

    Parameters
    ----------
    table, shares, stakes
        As for :func:`tabulate_regret`; runs of one ``family`` are drawn together, since they are alike. Where
        there is one family only, runs are drawn.
    rival : str
        One of :data:`RULES`.
    draws, seed : int
        Bootstrap samples, and their seed.

    Returns
    -------
    DataFrame
        Rows by share and stake: ``saved`` (mean over runs, in points; above 0 the forecast is better), ``lo``
        and ``hi`` (5 and 95 % of the samples).

    Raises
    ------
    BacktestError
        If the rival is no rule.
    """
    import pandas as pd

    if rival not in RULES:
        raise BacktestError(f"rival is {rival!r}; give one of {', '.join(RULES)}")
    each = list_regrets(table, stakes)
    each = each[each["share"].isin(shares)].astype({"rule": str})
    if "family" not in each or each["family"].nunique() == 1:
        each = each.assign(family=each["run"])
    family = each.drop_duplicates("run").set_index("run")["family"]
    wide = each.pivot(index=["run", "share", "stake"], columns="rule", values="regret_points")
    saved = (wide[rival] - wide["forecast"]).unstack(["share", "stake"]).sort_index(axis=1)
    groups = saved.groupby(family.reindex(saved.index).to_numpy())
    sums, sizes = groups.sum().to_numpy(), groups.size().to_numpy()
    rng = np.random.default_rng(seed)
    picked = rng.multinomial(len(sizes), np.full(len(sizes), 1 / len(sizes)), size=draws)
    low, high = np.quantile((picked @ sums) / (picked @ sizes)[:, None], [0.05, 0.95], axis=0)
    return pd.DataFrame({"saved": saved.mean().to_numpy(), "lo": low, "hi": high}, index=saved.columns)


def _check_positive(name: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0):
        raise BacktestError(f"{name} is {value}; give a number above 0")


def _regrets_of_run(run: pd.DataFrame, stake: float) -> list[tuple[float, str, float]]:
    """Share at which it is first asked, rule, and its regret."""
    share = np.append(run["share"].to_numpy(float), 1.0)
    level = np.append(run["level_now"].to_numpy(float), float(run["end"].iloc[0]))
    worth = 100 * level - stake * share
    # without any curve yet there is no expectation (NaN): go on
    dear = run["break_even"].to_numpy(float) <= stake
    fell = np.array([bool(FELL & set(str(codes).split("; "))) for codes in run["reasons"]], bool)
    says_stop = {
        "forecast": dear & ~fell,
        "shown only": dear & (run["state"].to_numpy() != REFUSED),
        "least squares": run["break_even_ls"].to_numpy(float) <= stake,
        "always": np.zeros(len(run), bool),
        "never": np.ones(len(run), bool),
    }
    out = []
    for i in range(len(run)):
        best = float(worth[i:].max())
        for rule in RULES:
            stops = np.flatnonzero(says_stop[rule][i:])
            at = i + int(stops[0]) if stops.size else len(run)
            out.append((float(share[i]), rule, best - float(worth[at])))
    return out


__all__ = [
    "RIVALS",
    "RULES",
    "STAKES",
    "contrast_rules",
    "find_break_even",
    "list_regrets",
    "score_decisions",
    "tabulate_regret",
]
