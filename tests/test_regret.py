"""Regret of a stop rule: one price that settles the verdict, and hand-made runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rlscale as rs
from rlscale.errors import BacktestError
from rlscale.money import decide_by_money
from rlscale.regret import (
    RIVALS,
    RULES,
    contrast_rules,
    find_break_even,
    list_regrets,
    score_decisions,
    tabulate_regret,
)


@pytest.mark.parametrize("seen", [30.0, 120.0, 399.0])
@pytest.mark.parametrize(
    "law", [rs.Sigmoid(0.2, 0.6, 1.5, 100), rs.Sigmoid(0.1, 0.9, 4.0, 300), rs.Weibull(0.2, 0.6, 0.7, 50)]
)
def test_one_price_settles_the_verdict_of_the_stop_rule(law, seen):
    budget, value = 400.0, 50.0
    price = find_break_even(law, seen, budget)
    at = np.linspace(seen, budget, 201)
    for factor, verdict in ((0.999, "continue"), (1.001, "stop")):
        usd_a_unit = factor * price * value / budget
        assert decide_by_money(at, law(at), usd_a_unit, value, "updates").verdict == verdict


def test_a_run_that_falls_or_is_over_is_worth_nothing_more():
    assert find_break_even(lambda c: 0.5 - 0.001 * c, 10, 100) == 0.0
    assert find_break_even(lambda c: 0.5 + 0.001 * c, 100, 100) == 0.0


def run(name, levels, end, states, prices, prices_ls, reasons="shapes disagree", family="x"):
    shares = [0.25, 0.5, 0.75]
    return pd.DataFrame(
        {"run": name, "family": family, "share": shares, "reasons": reasons,
         "level_now": levels, "end": end, "state": states,
         "break_even": prices, "break_even_ls": prices_ls}
    )  # fmt: skip


SHOWN, REFUSED = "end forecast only", "no forecast"


def test_regret_by_hand():
    # worth at the checkpoints for a stake of 8: 40−2, 50−4, 50−6, and 50−8 at the end
    one = run("a", [0.4, 0.5, 0.5], 0.5, [SHOWN] * 3, [30, 1, 0], [5, 5, 5])
    got = score_decisions(one, [8.0], run_usd=400.0).set_index(["share", "rule"])
    assert got["regret_points"].loc[0.25].to_dict() == {
        "forecast": 0.0,  # goes on at 25 %, stops at 50 %
        "shown only": 0.0,  # the same where nothing is refused
        "least squares": 46.0 - 38.0,  # stops at once
        "always": 46.0 - 42.0,
        "never": 46.0 - 38.0,
    }
    assert got["regret_points"].loc[0.5, "always"] == pytest.approx(4.0)
    # a point is worth 400/8 USD
    assert got["regret_usd"].loc[0.25, "always"] == pytest.approx(4 * 50)


def test_a_refused_pilot_is_decided_by_expectation():
    one = run("a", [0.5, 0.5, 0.5], 0.5, [REFUSED, SHOWN, SHOWN], [0, 0, 0], [np.nan] * 3, "no rise yet")
    got = score_decisions(one, [8.0]).set_index(["share", "rule"])["regret_points"]
    assert got[0.25, "forecast"] == 0.0  # nothing is expected to be won, though no number is shown
    assert got[0.25, "shown only"] == pytest.approx(2.0)  # stops at 50 %, a quarter of the run later
    assert got[0.25, "least squares"] == got[0.25, "always"] == pytest.approx(6.0)  # no fit: goes on
    assert got[0.25, "never"] == 0.0


def test_cannot_tell_after_a_fall_costs_one_checkpoint_more():
    reasons = ["falling; interval too wide", "no rise yet", "no rise yet"]
    one = run("a", [0.5, 0.5, 0.5], 0.5, [REFUSED] * 3, [0, 0, 0], [0, 0, 0], reasons)
    got = score_decisions(one, [8.0]).set_index(["share", "rule"])["regret_points"]
    assert got[0.25, "forecast"] == pytest.approx(2.0) and got[0.25, "least squares"] == 0.0
    # where there is no curve at all yet there is nothing to expect
    blind = run("a", [0.5, 0.5, 0.5], 0.5, [REFUSED] * 3, [np.nan, 0, 0], [0, 0, 0], "never moves")
    got = score_decisions(blind, [8.0]).set_index(["share", "rule"])["regret_points"]
    assert got[0.25, "forecast"] == pytest.approx(2.0)


def test_table_and_contrast_agree_with_the_scores():
    good = run("good", [0.4, 0.5, 0.5], 0.5, [SHOWN] * 3, [30, 1, 0], [5, 5, 5], family="a")
    same = run("same", [0.5, 0.5, 0.5], 0.5, [SHOWN] * 3, [1, 1, 1], [1, 1, 1], family="b")
    table = pd.concat([good, same])
    wide = tabulate_regret(table, stakes=[8.0])
    assert list(wide.columns) == list(RULES) and wide.index.tolist() == [(0.25, 8.0), (0.5, 8.0)]
    assert wide.loc[(0.25, 8.0), "least squares"] == pytest.approx((8 + 0) / 2)
    saved = contrast_rules(table, stakes=[8.0])
    for rival in RIVALS:
        row = contrast_rules(table, rival, stakes=[8.0])["saved"]
        assert np.allclose(row, wide[rival] - wide["forecast"])
    # one family saves 8, the other nothing: a sample of two families lies anywhere between
    assert saved.loc[(0.25, 8.0)].tolist() == pytest.approx([4.0, 0.0, 8.0])
    assert saved.loc[(0.5, 8.0)].tolist() == pytest.approx([0.0, 0.0, 0.0])
    # one family alone: runs are drawn, so that the interval is no point
    alone = table.assign(family="x")
    assert contrast_rules(alone, stakes=[8.0]).loc[(0.25, 8.0), "hi"] == pytest.approx(8.0)
    with pytest.raises(BacktestError, match="rival is 'best'"):
        contrast_rules(table, "best")
    assert set(list_regrets(table)["run"]) == {"good", "same"}


def test_regret_is_a_mean_over_runs_and_never_negative():
    rng = np.random.default_rng(0)
    runs = [
        run(
            str(i),
            rng.random(3),
            rng.random(),
            rng.choice([SHOWN, REFUSED], 3),
            rng.random(3) * 40,
            rng.random(3) * 40,
        )
        for i in range(20)
    ]
    got = score_decisions(pd.concat(runs))
    assert (got["regret_points"] >= 0).all() and (got["runs"] == 20).all()
    assert got["rule"].tolist()[:5] == list(RULES)
    single = [score_decisions(r) for r in runs]
    mean = np.mean([s["regret_points"].to_numpy() for s in single], axis=0)
    assert np.allclose(got["regret_points"], mean)


@pytest.mark.parametrize("stake", [0.0, -1.0, float("nan")])
def test_prices_must_be_above_zero(stake):
    one = run("a", [0.4, 0.5, 0.5], 0.5, [SHOWN] * 3, [1] * 3, [1] * 3)
    with pytest.raises(BacktestError, match="stake"):
        score_decisions(one, [stake])
    with pytest.raises(BacktestError, match="run_usd"):
        score_decisions(one, [8.0], run_usd=stake)
