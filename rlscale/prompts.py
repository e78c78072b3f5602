"""A set of prompts, each sampled n times and solved c times: how hard it is, and how it spreads.

Counts of a few samples are noisy: a prompt solved 0 of 8 times may well be solved now and then. Everything
here is therefore estimated without the bias that comes from putting c/n in the place of a pass rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .difficulty import count_zero_variance
from .errors import TableError
from .signal import SignalError, zero_variance_probability

if TYPE_CHECKING:
    import pandas as pd

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PromptCounts:
    """Samples and right samples of each prompt.

    Attributes
    ----------
    n, c : array of int, shape (prompts,)
        Two samples or more each, 0 ≤ c ≤ n.

    Raises
    ------
    SignalError
        If a count is impossible.
    """

    n: Ints
    c: Ints

    def __post_init__(self) -> None:
        if self.n.ndim != 1 or self.n.size == 0 or self.n.shape != self.c.shape:
            raise SignalError("give n and c as two rows of equal length, one entry a prompt")
        if np.any(self.n < 2):
            raise SignalError("a prompt has fewer than 2 samples; its spread cannot be told from chance")
        if np.any((self.c < 0) | (self.c > self.n)):
            raise SignalError("c is negative or larger than n; it counts the right ones among n samples")

    @property
    def mean(self) -> float:
        """Mean pass rate over the prompts."""
        return float(np.mean(self.c / self.n))

    @property
    def spread(self) -> float:
        """Standard deviation of the true pass rates: the scatter of c/n less what chance explains.

        0 where chance alone explains the scatter.

        Examples
        --------
        >>> counts = PromptCounts(np.array([8, 8, 8, 8]), np.array([0, 0, 8, 8]))
        >>> round(counts.spread, 3)
        0.577
        """
        n, c = self.n.astype(float), self.c.astype(float)
        if n.size < 2:
            return 0.0
        chance = np.mean(c * (n - c) / (n**2 * (n - 1)))
        return float(np.sqrt(max(np.var(c / n, ddof=1) - chance, 0.0)))


def read_prompts(path: str | Path) -> PromptCounts:
    """Read a CSV of prompts with the columns ``n`` (samples) and ``c`` (right ones); others are ignored.

    Raises
    ------
    TableError
        If the file cannot be read or a cell is no such count; the message names the line.
    """
    import pandas as pd

    file = Path(path)
    try:
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise TableError(f"{file} cannot be read as a CSV of prompts: {error}") from None
    table.columns = [str(name).strip() for name in table.columns]
    missing = [name for name in ("n", "c") if name not in table.columns]
    if missing:
        raise TableError(
            f"{file} has no column {' and no column '.join(missing)}; it needs n (samples of the prompt) "
            f"and c (right ones), and has: {', '.join(table.columns)}"
        )
    if table.empty:
        raise TableError(f"{file} has a header and no prompt; give one line a prompt")
    values = {name: _read_counts(file, table[name], name) for name in ("n", "c")}
    wrong = np.flatnonzero((values["c"] > values["n"]) | (values["n"] < 2))
    if wrong.size:
        line, row = int(wrong[0]) + 2, int(wrong[0])
        raise TableError(
            f"{file}, line {line}: n is {values['n'][row]} and c is {values['c'][row]}; "
            "n must be 2 or more and c at most n"
        )
    return PromptCounts(values["n"], values["c"])


def _read_counts(file: Path, cells: pd.Series, name: str) -> Ints:
    found = []
    for line, cell in enumerate(cells, start=2):
        text = str(cell).strip()
        if not text.isdigit() or len(text) > 9:
            raise TableError(f"{file}, line {line}: {name} is {cell!r}; give a whole number of 0 or more")
        found.append(int(text))
    return np.array(found, dtype=np.int64)


def simulate_prompts(mean: float, spread: float, *, prompts: int, samples: int, seed: int) -> PromptCounts:
    """Draw a set of prompts whose pass rates follow a beta distribution.

    Parameters
    ----------
    mean, spread : float
        Mean and standard deviation of the pass rates, 0 < mean < 1, 0 < spread² < mean·(1 − mean).
    prompts, samples : int
        Prompts, and samples of each.
    seed : int
        Of the draw.

    Examples
    --------
    >>> counts = simulate_prompts(0.4, 0.3, prompts=2000, samples=16, seed=0)
    >>> round(counts.mean, 1), round(counts.spread, 1)
    (0.4, 0.3)
    """
    if not 0 < mean < 1 or not 0 < spread**2 < mean * (1 - mean):
        raise SignalError(f"pass rates cannot have mean {mean} and standard deviation {spread}")
    total = mean * (1 - mean) / spread**2 - 1
    rng = np.random.default_rng(seed)
    rates = rng.beta(mean * total, (1 - mean) * total, size=prompts)
    return PromptCounts(np.full(prompts, samples, np.int64), rng.binomial(samples, rates).astype(np.int64))


def tabulate_groups(counts: PromptCounts, group_sizes: Sequence[int], *, completions: int) -> pd.DataFrame:
    """Return what groups of each size are worth on a set of prompts.

    Parameters
    ----------
    counts : PromptCounts
        The prompts.
    group_sizes : sequence of int
        Those above the smallest n are left out: there is no unbiased estimate for them.
    completions : int
        Completions of a rollout step, for the number of useful groups.

    Returns
    -------
    DataFrame
        Indexed by ``G``: ``dead`` (share of groups without spread), ``if_alike`` (the same if all prompts had
        the mean pass rate), ``useful_groups`` (of a step), ``overhead`` (answers sampled for each one trained
        on when dead groups are replaced).

    Raises
    ------
    SignalError
        If no group size is left.

    Examples
    --------
    >>> counts = PromptCounts(np.array([4, 4]), np.array([2, 4]))
    >>> tabulate_groups(counts, [2, 8], completions=64).round(3).loc[2].to_dict()
    {'dead': 0.667, 'if_alike': 0.625, 'useful_groups': 10.667, 'overhead': 3.0}
    """
    import pandas as pd

    sizes = [g for g in group_sizes if 2 <= g <= int(counts.n.min())]
    if not sizes:
        raise SignalError(
            f"the prompts have {int(counts.n.min())} samples at least; give a group size of 2 up to that"
        )
    rows = {}
    for size in sizes:
        dead = float(np.mean(count_zero_variance(counts.n, counts.c, size)))
        rows[size] = {
            "dead": dead,
            "if_alike": float(zero_variance_probability(counts.mean, size)),
            "useful_groups": completions / size * (1 - dead),
            "overhead": 1 / (1 - dead) if dead < 1 else np.inf,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("G")
