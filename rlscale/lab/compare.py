"""Comparing arms in pairs: same seed, same warm start, same held-out prompts.

The seed moves both arms of a pair alike, so their difference scatters two to four times less than the arms
do. What is reported is the mean difference with its t interval, the number of pairs, and one of three
verdicts, ``undecided`` among them. Within a block of comparisons the p values are corrected after Holm
(1979).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..errors import TableError
from ..scores import format_scores
from .arms import ARMS, find_arm

Floats = NDArray[np.float64]

DIFFERS, EQUAL, UNDECIDED = "differs", "equal", "undecided"
#: Two ends within this are the same for any decision of the book.
MARGIN = 0.02


@dataclass(frozen=True)
class PairedDifference:
    """Mean difference of two arms over shared seeds.

    Attributes
    ----------
    n : int
        Pairs.
    mean, lo, hi : float
        Mean difference (or mean factor) and its interval; NaN with fewer than two pairs.
    p : float
        Two-sided p value of the paired t test; NaN with fewer than two pairs.
    """

    n: int
    mean: float
    lo: float
    hi: float
    p: float


def pair_difference(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> PairedDifference:
    """Return first minus second over pairs in which both are known.

    Parameters
    ----------
    first, second : array, shape (seeds,)
        Same seed at the same place; NaN where a run has no value.
    level : float
        Of the t interval.

    Examples
    --------
    >>> d = pair_difference([0.90, 0.92, 0.91], [0.85, 0.88, 0.86])
    >>> d.n, round(d.mean, 3), round(d.lo, 3), round(d.hi, 3)
    (3, 0.047, 0.032, 0.061)
    """
    from scipy.stats import t as student

    gap = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    gap = gap[np.isfinite(gap)]
    if gap.size < 2:
        mean = float(gap.mean()) if gap.size else float("nan")
        return PairedDifference(int(gap.size), mean, float("nan"), float("nan"), float("nan"))
    mean, error = float(gap.mean()), float(gap.std(ddof=1) / np.sqrt(gap.size))
    half = float(student.ppf(0.5 + level / 2, gap.size - 1)) * error
    if error == 0:
        # all pairs differ by the same amount: certain, one way or the other
        return PairedDifference(int(gap.size), mean, mean, mean, 0.0 if mean else 1.0)
    p = float(2 * student.sf(abs(mean) / error, gap.size - 1))
    return PairedDifference(int(gap.size), mean, mean - half, mean + half, p)


def adjust_holm(p: Sequence[float]) -> Floats:
    """Correct p values for their number after Holm; NaN stays NaN and does not count.

    Examples
    --------
    >>> adjust_holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = np.asarray(p, np.float64)
    known = np.flatnonzero(np.isfinite(values))
    order = known[np.argsort(values[known], kind="stable")]
    out = np.full(values.shape, np.nan)
    steps = values[order] * np.arange(len(order), 0, -1)
    out[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(order) else []
    return out


def judge_difference(difference: PairedDifference, p_holm: float, margin: float) -> str:
    """Return ``differs`` (Holm p below .05), ``equal`` (interval within the margin), else ``undecided``."""
    if np.isfinite(p_holm) and p_holm < 0.05:
        return DIFFERS
    if np.isfinite(difference.lo) and max(abs(difference.lo), abs(difference.hi)) <= margin:
        return EQUAL
    return UNDECIDED


def compare_arms(
    table: pd.DataFrame,
    names: Iterable[str],
    *,
    reference: str | None = None,
    measure: str = "end",
    margin: float = MARGIN,
) -> pd.DataFrame:
    """Compare arms with their reference, seed by seed, as one block.

    Parameters
    ----------
    table : DataFrame
        From :func:`rlscale.lab.analysis.summarise_runs`.
    names : iterable of str
        Arms to compare.
    reference : str, optional
        Arm that all are compared with; default: each arm's own, as in :data:`rlscale.lab.arms.ARMS`.
    measure : str
        Column of ``table``. For ``c50`` and ``Cmid`` the factor is compared (on a logarithmic scale), else
        the difference.
    margin : float
        Interval within which two arms count as equal; for a factor, of its logarithm.

    Returns
    -------
    DataFrame
        Indexed by ``arm``: ``reference``, ``n``, ``difference`` (or ``factor``), ``lo``, ``hi``, ``p``,
        ``p_holm``, ``verdict``.

    Raises
    ------
    TableError
        If an arm or the measure is not in the table.
    """
    if measure not in table.columns:
        raise TableError(
            f"{measure!r} is no column of the table of runs; choose one of: {', '.join(table.columns)}"
        )
    by_factor = measure in ("c50", "Cmid")
    values = table.pivot(index="seed", columns="arm", values=measure)
    chosen = list(names)
    pairs = []
    for name in chosen:
        other = find_arm(name).reference if reference is None else reference
        for arm in (name, other):
            if arm not in values.columns:
                why = "it has no reference arm" if not arm else "it has no finished run"
                raise TableError(f"arm {name!r} cannot be compared with {arm!r}: {why}")
        first, second = values[name].to_numpy(float), values[other].to_numpy(float)
        if by_factor:
            first, second = np.log(first), np.log(second)
        pairs.append((other, pair_difference(first, second)))
    adjusted = adjust_holm([d.p for _, d in pairs])
    rows = []
    for name, (other, d), p_holm in zip(chosen, pairs, adjusted, strict=True):
        shown = np.exp([d.mean, d.lo, d.hi]) if by_factor else np.array([d.mean, d.lo, d.hi])
        rows.append(
            {
                "arm": name,
                "reference": other,
                "n": d.n,
                "factor" if by_factor else "difference": shown[0],
                "lo": shown[1],
                "hi": shown[2],
                "p": d.p,
                "p_holm": p_holm,
                "verdict": judge_difference(d, float(p_holm), margin),
            }
        )
    return pd.DataFrame(rows).set_index("arm")


def format_comparison(table: pd.DataFrame, titles: bool = True) -> pd.DataFrame:
    """Return a comparison ready to be printed: one interval a row, in words where nothing was compared.

    Parameters
    ----------
    table : DataFrame
        From :func:`compare_arms`.
    titles : bool
        Name the arms by their titles.
    """
    kind = "factor" if "factor" in table.columns else "difference"
    sign = "" if kind == "factor" else "+"
    rows = []
    for arm, row in table.iterrows():
        known = np.isfinite(row["lo"])
        rows.append(
            {
                "arm": find_arm(str(arm)).title if titles else str(arm),
                "against": row["reference"],
                "n": int(row["n"]),
                kind: f"{row[kind]:{sign}.3f}" if np.isfinite(row[kind]) else "not reached",
                "95 % interval": f"[{row['lo']:{sign}.3f}, {row['hi']:{sign}.3f}]"
                if known
                else "too few pairs",
                "verdict": row["verdict"],
            }
        )
    return pd.DataFrame(rows).set_index("arm")


def format_arms(table: pd.DataFrame) -> pd.DataFrame:
    """Return means of arms ready to be printed: rates to three decimals, compute to hundreds.

    Parameters
    ----------
    table : DataFrame
        Columns of :func:`rlscale.lab.analysis.summarise_arms`.

    Examples
    --------
    >>> table = pd.DataFrame({"n": [5, 5], "end": [0.96554, 0.97], "c50": [25_041.0, np.nan]})
    >>> format_arms(table).values.tolist()
    [['5', '0.966', '25,000'], ['5', '0.970', '–']]
    """
    shown = format_scores(table)
    if "c50" in table:
        hundreds = table["c50"].round(-2).map("{:,.0f}".format)
        shown["c50"] = hundreds.where(table["c50"].notna(), "–")
    return shown


def arms_of_block(block: str, *, finished: Iterable[str] | None = None) -> list[str]:
    """Return the arms of a block that have a reference, and, with ``finished``, at least one run each."""
    have = None if finished is None else set(finished)
    return [
        a.name
        for a in ARMS.values()
        if a.block == block and a.reference and (have is None or (a.name in have and a.reference in have))
    ]
