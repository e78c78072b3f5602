"""A long table holds several runs, told apart by a column (or two) of names: condition, run, seed, model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from ...amounts import full_number
from ...curve import LogWarning
from ..columns import Columns
from ..frameworks import find_counters, find_framework

RUN_COLUMN = re.compile(
    r"(?i)(run|run_?name|run_?id|name|condition|experiment|exp|exp_?name|experiment_name|variant|group"
    r"|model|method|seed|id)"
)
_MOST_RUNS = 1000
_MOST_COLUMNS = 8


def split_by_run(columns: Columns) -> dict[str, Columns]:
    """Return the rows of each run, when the steps fall and a column tells why.

    A column (or a pair of them) is taken when the steps rise within each of its values, but for a few places
    (a run that was resumed, or exported twice).

    Parameters
    ----------
    columns : Columns
        The whole table, in the order of the file.

    Returns
    -------
    dict of str to Columns
        Name of a run -> its rows; empty when the table is one run, or no column tells the runs apart.
    """
    keys = [str(k) for k in columns.numbers.columns]
    step = next((k for k, c in find_counters(keys, find_framework(keys)) if c.how == "position"), None)
    if step is None:
        return {}
    at = columns.numbers[step].to_numpy()
    known = np.isfinite(at)
    if known.sum() < 2 or bool((np.diff(at[known]) > 0).all()):
        return {}
    for tolerance in (0.0, 0.1):
        for labels in _labels(columns, keys):
            codes, names = pd.factorize(labels)
            if not 2 <= len(names) <= _MOST_RUNS or (codes[known] < 0).any():
                continue
            parts = [at[known & (codes == code)] for code in range(len(names))]
            if sum(p.size for p in parts) >= 2 * len(parts) and all(_rises(p, tolerance) for p in parts):
                return {str(name): columns.take(codes == code) for code, name in enumerate(names)}
    return {}


def name_joined_runs(columns: Columns) -> list[LogWarning]:
    """Return a warning where a column names several runs, but their steps follow one another.

    A resumed run often gets a new name; two runs seldom share one count of steps. So they are read as one,
    and it is said.

    Parameters
    ----------
    columns : Columns
        A table that :func:`split_by_run` took for one run.

    Returns
    -------
    list of LogWarning
        Of one or none.
    """
    keys = [str(k) for k in columns.numbers.columns]
    step = next((k for k, c in find_counters(keys, find_framework(keys)) if c.how == "position"), None)
    if step is None:
        return []
    at = columns.numbers[step].to_numpy()
    for key in [str(k) for k in columns.texts.columns if RUN_COLUMN.fullmatch(str(k))]:
        names = columns.texts[key].where(np.isfinite(at)).dropna()
        changes = int((names.to_numpy()[1:] != names.to_numpy()[:-1]).sum())
        if not 1 <= changes == names.nunique() - 1:
            continue
        where = {name: at[names.index[names == name][0]] for name in names.unique()}
        shown = [f"{name!r} from {full_number(start)}" for name, start in list(where.items())[:5]]
        return [
            LogWarning(
                "runs-joined",
                f"Column {key!r} names {len(where)} runs, but their steps go on from one to the next "
                f"({', '.join(shown)}{' …' if len(where) > 5 else ''}): they are read as one run.",
                "If they are several, give each a file of its own.",
            )
        ]
    return []


def _labels(columns: Columns, keys: list[str]) -> Iterator[pd.Series]:
    """Yield the columns that may name runs, those with a telling name first, then pairs of them."""
    candidates = [str(k) for k in columns.texts.columns]
    candidates += [k for k in keys if RUN_COLUMN.fullmatch(k) and k not in candidates]
    candidates.sort(key=lambda k: not RUN_COLUMN.fullmatch(k))
    named = {k: _as_text(columns, k) for k in candidates[:_MOST_COLUMNS]}
    yield from named.values()
    for one, other in combinations(named.values(), 2):
        yield one + ", " + other


def _as_text(columns: Columns, key: str) -> pd.Series:
    if key in columns.texts:
        return columns.texts[key].astype(object)
    return columns.numbers[key].map(lambda v: None if np.isnan(v) else f"{v:g}").astype(object)


def _rises(step: np.ndarray, tolerance: float) -> bool:
    allowed = max(1.0, tolerance * step.size) if tolerance else 0.0
    return step.size > 0 and bool((np.diff(step) <= 0).sum() <= allowed)
