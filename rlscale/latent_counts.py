"""pass@k before and after training, from counts of right answers, with an interval over problems.

The file is CSV, one row a problem: ``problem``, ``n_before``, ``c_before``, ``n_after``, ``c_after``, with n
the answers drawn and c those that are right. The problems are drawn again with replacement, for both models
at once, so the interval is about other problems of the same kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .errors import LogError, suggest_names
from .signal import pass_at_k

Ints = NDArray[np.int64]
COLUMNS = ("problem", "n_before", "c_before", "n_after", "c_after")


@dataclass(frozen=True, eq=False)
class Counts:
    """Right answers of two models on the same problems.

    Attributes
    ----------
    problems : tuple of str
        Names.
    n_before, c_before, n_after, c_after : array, shape (problems,)
        Answers drawn and right ones, of the starting and of the trained model.
    """

    problems: tuple[str, ...]
    n_before: Ints
    c_before: Ints
    n_after: Ints
    c_after: Ints

    @property
    def largest_k(self) -> int:
        """The largest k with an unbiased estimate for every problem."""
        return int(min(self.n_before.min(), self.n_after.min()))


def read_counts(path: str | Path) -> Counts:
    """Read a file of counts.

    Raises
    ------
    LogError
        If the file cannot be read, lacks a column, or holds an impossible count; file and line are named.
    """
    file = Path(path)
    try:
        table = pd.read_csv(
            file, dtype=str, keep_default_na=False, encoding="utf-8-sig", skipinitialspace=True
        )
    except (OSError, ValueError, UnicodeDecodeError) as error:
        raise LogError(f"{file} cannot be read as a CSV table of counts: {error}") from None
    table.columns = [str(c).strip().lower() for c in table.columns]
    for column in COLUMNS:
        if column not in table.columns:
            raise LogError(
                f"{file} has no column {column!r}; {suggest_names(column, list(table.columns))}. "
                f"A table of counts needs: {', '.join(COLUMNS)}"
            )
    if table.empty:
        raise LogError(f"{file} holds no problem; give one row a problem")
    names = [str(p).strip() for p in table["problem"]]
    repeated = pd.Series(names)[pd.Series(names).duplicated()]
    if len(repeated):
        line = int(repeated.index[0]) + 2
        raise LogError(f"{file}, line {line}: problem {repeated.iloc[0]!r} stands twice; add its counts up")
    numbers = {c: _whole(file, c, table[c]) for c in COLUMNS[1:]}
    for when in ("before", "after"):
        n, c = numbers[f"n_{when}"], numbers[f"c_{when}"]
        for bad, said in ((n < 1, f"n_{when} is below 1"), (c > n, f"c_{when} is larger than n_{when}")):
            if bad.any():
                line = int(np.flatnonzero(bad)[0]) + 2
                raise LogError(f"{file}, line {line}: {said}; c counts the right ones among n answers")
    return Counts(tuple(names), *(numbers[c] for c in COLUMNS[1:]))


def _whole(file: Path, column: str, cells: pd.Series) -> Ints:
    out = []
    for place, cell in enumerate(cells):
        try:
            value = float(str(cell).strip())
        except ValueError:
            value = float("nan")
        if not (np.isfinite(value) and value >= 0 and value == int(value)):
            where = f"{file}, line {place + 2}, column {column!r}"
            raise LogError(f"{where}: found {cell!r}, expected a whole number from 0")
        out.append(int(value))
    return np.asarray(out, np.int64)


def compare_pass_at_k(
    counts: Counts,
    ks: Sequence[int] | None = None,
    *,
    level: float = 0.9,
    replicates: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """Compare the trained with the starting model at several k.

    Parameters
    ----------
    counts : Counts
        From :func:`read_counts`.
    ks : sequence of int, optional
        Default: powers of two up to :attr:`Counts.largest_k`.
    level : float
        Of the interval of the difference.
    replicates, seed : int
        Of the bootstrap over problems.

    Returns
    -------
    DataFrame
        Indexed by ``k``: ``before``, ``after``, ``difference`` (after minus before), ``lo``, ``hi`` and
        ``verdict``: ``trained ahead``, ``start ahead`` or ``cannot tell``.

    Raises
    ------
    SignalError
        If a k is larger than the number of answers drawn.

    Examples
    --------
    >>> n = np.full(50, 16)
    >>> counts = Counts(tuple(map(str, range(50))), n, n // 4, n, n // 2)
    >>> compare_pass_at_k(counts, [1]).verdict.iloc[0]
    'trained ahead'
    """
    chosen = list(ks) if ks is not None else [2**i for i in range(counts.largest_k.bit_length())]
    rng = np.random.default_rng(seed)
    size = len(counts.problems)
    drawn = rng.integers(0, size, (replicates, size))
    rows = []
    for k in chosen:
        before = np.atleast_1d(pass_at_k(counts.n_before, counts.c_before, k))
        after = np.atleast_1d(pass_at_k(counts.n_after, counts.c_after, k))
        gap = after - before
        lo, hi = np.quantile(gap[drawn].mean(axis=1), [0.5 - level / 2, 0.5 + level / 2])
        # one problem has no spread over problems, so nothing can be said
        verdict = "cannot tell" if size < 2 or lo <= 0 <= hi else "trained ahead" if lo > 0 else "start ahead"
        rows.append((k, before.mean(), after.mean(), gap.mean(), float(lo), float(hi), verdict))
    columns = ["k", "before", "after", "difference", "lo", "hi", "verdict"]
    return pd.DataFrame(rows, columns=columns).set_index("k")
