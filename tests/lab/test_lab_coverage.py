"""pass@k at start and end of shipped runs, against the raw log."""

from __future__ import annotations

import numpy as np

from rlscale.lab.coverage import tabulate_coverage
from rlscale.lab.shipped import read_shipped_runs


def test_start_and_end_are_those_of_the_logs():
    runs = read_shipped_runs()
    table = tabulate_coverage(runs, {"a": "pool-32"})
    logs = [runs.table("pool-32", s) for s in runs.seeds("pool-32")]
    for k, column in ((1, "heldout_pass_rate"), (8, "pass_at_8"), (64, "pass_at_64")):
        assert np.isclose(table.loc[("a", k), "start"], np.mean([log[column].iloc[0] for log in logs]))
        last = [log[column][log.completions >= 0.85 * log.completions.iloc[-1]].mean() for log in logs]
        # two ways to take the last 15 %: up to one point more or less
        assert np.isclose(table.loc[("a", k), "end"], np.mean(last), atol=0.01)
        assert table.loc[("a", k), "n"] == len(logs)


def test_few_prompts_narrow_the_model_and_fresh_ones_do_not():
    table = tabulate_coverage(read_shipped_runs(), {"fresh": "baseline", "few": "pool-32"})
    assert (table.loc["fresh", "change"] > 0).all()
    assert table.loc[("few", 1), "change"] > 0 > table.loc[("few", 64), "change"]


def test_a_verdict_needs_its_interval():
    table = tabulate_coverage(read_shipped_runs(), {"fresh": "baseline", "few": "pool-32"})
    risen, fallen = table.verdict == "rises", table.verdict == "falls"
    assert (table.lo[risen] > 0).all() and (table.hi[fallen] < 0).all()
    open_ = table.verdict == "undecided"
    assert (table.lo[open_].isna() | ((table.lo[open_] <= 0) & (table.hi[open_] >= 0))).all()
