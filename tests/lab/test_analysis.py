"""What a run came to, and what two arms differ by: planted values come back, and refusals stay refusals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rlscale import Sigmoid
from rlscale.errors import CurveError, TableError
from rlscale.lab.analysis import compute_to_reach, largest_drawdown, summarise_arms, summarise_curve
from rlscale.lab.compare import (
    DIFFERS,
    EQUAL,
    UNDECIDED,
    PairedDifference,
    adjust_holm,
    arms_of_block,
    compare_arms,
    format_comparison,
    judge_difference,
    pair_difference,
)

C = np.linspace(0, 160_000, 42)


def _noise(seed, sd=0.004):
    return np.random.default_rng(seed).normal(0, sd, C.size)


def test_a_planted_law_comes_back():
    law = Sigmoid(R0=0.1, A=0.8, B=2.0, Cmid=25_000)
    summary = summarise_curve(C, law(C) + _noise(0))
    assert summary.fit == "identified"
    # noise of .004 on 42 points: the ceiling is known to a few thousandths
    assert pytest.approx(0.8, abs=0.01) == summary.A
    assert pytest.approx(2.0, abs=0.1) == summary.B
    assert summary.Cmid == pytest.approx(25_000, rel=0.03)
    assert summary.end == pytest.approx(law(C[C >= 136_000]).mean(), abs=0.004)
    # .5 is reached where (Cmid/C)^2 = (A - R0)/(.5 - R0) - 1
    assert summary.c50 == pytest.approx(25_000 / np.sqrt(0.7 / 0.4 - 1), rel=0.05)


def test_a_ceiling_at_its_bound_is_not_knowledge():
    summary = summarise_curve(C, Sigmoid(R0=0.1, A=1.0, B=2.0, Cmid=30_000)(C))
    assert (summary.fit, summary.why) == ("not identified", "A=1")


def test_a_run_cut_short_of_two_midpoints_is_not_identified():
    summary = summarise_curve(C, Sigmoid(R0=0.1, A=0.9, B=2.0, Cmid=110_000)(C) + _noise(1, 0.001))
    assert summary.fit == "not identified"
    assert "Cmid seen" in summary.why or "A=1" in summary.why


def test_a_collapse_and_a_flat_run_have_no_law():
    rise = Sigmoid(R0=0.1, A=0.9, B=2.0, Cmid=8_000)(C)
    collapse = np.where(C < 60_000, rise, 0.3)
    summary = summarise_curve(C, collapse)
    assert summary.fit == "no fit" and "no sigmoid" in summary.why
    assert np.isnan(summary.A) and np.isnan(summary.Cmid)
    assert summary.drawdown > 0.5
    flat = summarise_curve(C, 0.3 + _noise(2))
    assert flat.fit == "no fit" and "rises by" in flat.why
    fallen = summarise_curve(C, 0.5 - 0.3 * C / C[-1])
    assert fallen.fit == "no fit"
    with pytest.raises(CurveError, match="give 5 or more"):
        summarise_curve([0, 1], [0, 1])


def test_speed_is_read_at_a_fixed_rate_so_that_a_collapse_is_not_rewarded():
    assert np.isnan(compute_to_reach([0, 10, 20], [0.1, 0.3, 0.4]))
    assert np.isnan(compute_to_reach([0, 10], [0.7, 0.8]))
    assert compute_to_reach([0, 10, 20, 30], [0, 0.6, 0.2, 0.6], 0.3) == pytest.approx(5.0)
    assert largest_drawdown([0.1, 0.2, 0.3]) == 0.0


def test_paired_difference_is_that_of_scipy():
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.9, 0.02, 5), rng.normal(0.88, 0.02, 5)
    d = pair_difference(a, b)
    reference = stats.ttest_rel(a, b)
    interval = reference.confidence_interval(0.95)
    assert (d.n, d.mean) == (5, pytest.approx((a - b).mean()))
    assert d.p == pytest.approx(reference.pvalue, rel=1e-9)
    assert (d.lo, d.hi) == (pytest.approx(interval.low), pytest.approx(interval.high))


def test_missing_seeds_leave_the_pair_out():
    d = pair_difference([0.9, np.nan, 0.8], [0.8, 0.7, 0.75])
    assert d.n == 2
    one = pair_difference([0.9], [0.8])
    assert one.n == 1 and np.isnan(one.lo) and np.isnan(one.p)
    none = pair_difference([np.nan], [0.8])
    assert none.n == 0 and np.isnan(none.mean)
    same = pair_difference([0.9, 0.8], [0.9, 0.8])
    assert same.p == 1.0


def test_holm_by_hand():
    # sorted: .005 x 4 = .02, .01 x 3 = .03, .03 x 2 = .06, .04 x 1 = .04 -> .06 (never below an earlier one)
    assert adjust_holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjust_holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    partly = adjust_holm([0.02, np.nan])
    assert partly[0] == 0.02 and np.isnan(partly[1])
    assert adjust_holm([]).size == 0


def test_three_verdicts():
    wide = PairedDifference(5, 0.02, -0.03, 0.07, 0.3)
    narrow = PairedDifference(5, 0.004, -0.003, 0.011, 0.2)
    clear = PairedDifference(5, -0.1, -0.12, -0.08, 1e-4)
    single = PairedDifference(1, 0.2, np.nan, np.nan, np.nan)
    assert judge_difference(wide, 0.3, 0.02) == UNDECIDED
    assert judge_difference(narrow, 0.2, 0.02) == EQUAL
    assert judge_difference(clear, 1e-3, 0.02) == DIFFERS
    assert judge_difference(single, np.nan, 0.02) == UNDECIDED


def _table():
    rng = np.random.default_rng(4)
    rows = []
    for seed in range(5):
        shared = rng.normal(0, 0.03)
        for arm, end, c50 in (
            ("baseline", 0.9, 20_000),
            ("pool-32", 0.4, np.nan),
            ("lr-0.001", 0.89, 10_000),
        ):
            jitter = rng.normal(0, 0.002)
            rows.append(
                {
                    "arm": arm,
                    "seed": seed,
                    "end": end + shared + jitter,
                    "c50": c50 * np.exp(jitter),
                    **{"drawdown": 0.0, "pass_at_8": 0.9, "dead": 0.0, "A": 0.9, "B": 2.0, "Cmid": 1.0},
                    "fit": "identified" if seed else "no fit",
                }
            )
    return pd.DataFrame(rows)


def test_pairs_see_through_the_scatter_of_seeds():
    table = _table()
    result = compare_arms(table, ["lr-0.001", "pool-32"])
    assert list(result["verdict"]) == [DIFFERS, DIFFERS]
    assert result.loc["lr-0.001", "difference"] == pytest.approx(-0.01, abs=0.006)
    assert (
        result.loc["lr-0.001", "hi"] - result.loc["lr-0.001", "lo"] < table.groupby("arm")["end"].std().min()
    )
    assert (result["p_holm"] >= result["p"]).all()


def test_speed_is_compared_as_a_factor():
    result = compare_arms(_table(), ["lr-0.001", "pool-32"], measure="c50")
    assert result.loc["lr-0.001", "factor"] == pytest.approx(0.5, rel=0.01)
    assert result.loc["pool-32", "n"] == 0
    assert result.loc["pool-32", "verdict"] == UNDECIDED


def test_unknown_arms_and_measures_are_named():
    with pytest.raises(TableError, match="'baseline' cannot be compared with ''"):
        compare_arms(_table(), ["baseline"])
    with pytest.raises(TableError, match="no finished run"):
        compare_arms(_table(), ["pool-128"])
    with pytest.raises(TableError, match="choose one of"):
        compare_arms(_table(), ["pool-32"], measure="speed")


def test_an_arm_is_summed_up_over_its_seeds():
    arms = summarise_arms(_table())
    assert list(arms.index) == ["baseline", "pool-32", "lr-0.001"]
    assert (arms["n"] == 5).all() and (arms["identified"] == 4).all()
    assert arms.loc["pool-32", "reached"] == 0


def test_blocks_name_the_arms_that_can_be_compared():
    assert arms_of_block("prompt pool") == ["pool-32", "pool-128", "pool-512"]
    assert arms_of_block("prompt pool", finished=["baseline", "pool-512"]) == ["pool-512"]
    assert "off-grpo" not in arms_of_block("algorithm, 4 updates a step")


def test_a_comparison_is_printed_with_its_interval_or_in_words():
    ends = format_comparison(compare_arms(_table(), ["lr-0.001", "pool-32"]))
    assert float(ends.loc["step size 0.001", "difference"]) == pytest.approx(-0.01, abs=0.006)
    assert ends.loc["32 training prompts", "95 % interval"].startswith("[-0.5")
    speed = format_comparison(compare_arms(_table(), ["pool-32"], measure="c50"), titles=False)
    assert list(speed.loc["pool-32", ["factor", "95 % interval"]]) == ["not reached", "too few pairs"]
