"""What training did to pass@k in the laboratory: from its start to its end, arm by arm.

The laboratory measures pass@1, pass@8 and pass@64 exactly, without sampling, so a crossing of the curves
before and after is no accident of counting.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from .analysis import mean_of_end
from .compare import pair_difference
from .shipped import ShippedRuns

#: k -> column of the log.
PASS_AT = {1: "heldout_pass_rate", 8: "pass_at_8", 64: "pass_at_64"}


def tabulate_coverage(runs: ShippedRuns, arms: Mapping[str, str], *, level: float = 0.95) -> pd.DataFrame:
    """Return pass@k at the start and at the end of the runs of some arms.

    Parameters
    ----------
    runs : ShippedRuns
        The runs.
    arms : mapping of label to arm
        Which ones.
    level : float
        Of the t interval of the change over the seeds.

    Returns
    -------
    DataFrame
        Indexed by ``label`` and ``k``: ``n`` (seeds), ``start`` and ``end`` (means over the seeds; the end is
        the last 15 % of a run), ``change`` with ``lo`` and ``hi`` (NaN with one seed), and ``verdict``:
        ``rises``, ``falls`` or ``undecided``.

    Examples
    --------
    >>> from rlscale.lab.shipped import read_shipped_runs
    >>> table = tabulate_coverage(read_shipped_runs(), {"fresh prompts": "baseline"})
    >>> bool(table.loc[("fresh prompts", 1), "change"] > 0.5)
    True
    """
    rows = []
    for label, arm in arms.items():
        logs = [runs.table(arm, seed) for seed in runs.seeds(arm)]
        for k, column in PASS_AT.items():
            start = np.array([log[column].iloc[0] for log in logs], np.float64)
            end = np.array([mean_of_end(log["completions"], log[column]) for log in logs])
            d = pair_difference(end, start, level=level)
            known = np.isfinite(d.lo) and (d.lo > 0 or d.hi < 0)
            verdict = "undecided" if not known else "rises" if d.mean > 0 else "falls"
            rows.append((label, k, d.n, start.mean(), end.mean(), d.mean, d.lo, d.hi, verdict))
    columns = ["label", "k", "n", "start", "end", "change", "lo", "hi", "verdict"]
    return pd.DataFrame(rows, columns=columns).set_index(["label", "k"])
