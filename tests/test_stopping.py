"""The verdict: by target, by money, by gain, and where the pilot cannot tell."""

import numpy as np
import pytest

from rlscale import Curve, Sigmoid, forecast_run
from rlscale.intervals import Interval
from rlscale.money import decide_by_money, say_what_is_missing
from rlscale.simulate import simulate_curve
from rlscale.stopping import decide_by_budget, decide_by_fall, decide_by_gain, decide_by_target, say_reached


def test_best_stop_is_where_the_slope_pays_its_price():
    law = Sigmoid(0.2, 0.6, 1.5, 100)
    C = np.linspace(100, 1000, 2001)
    decision = decide_by_money(C, np.asarray(law(C)), price=2.0, value=50.0, unit="GPU-hours")
    assert decision.verdict == "continue"
    # marginal form: value of the next unit equals its price (grid of .45 GPU-hours)
    assert 50.0 * 100 * law.slope(decision.best_stop.at) == pytest.approx(2.0, rel=0.01)
    expected = 50.0 * 100 * (law(decision.best_stop.at) - law(100)) - 2.0 * (decision.best_stop.at - 100)
    assert decision.best_stop.usd == pytest.approx(expected)


def test_nothing_worth_its_price_stops_now():
    C = np.linspace(100, 400, 201)
    decision = decide_by_money(C, 0.6 - 1 / C, price=10.0, value=1.0, unit="updates")
    assert decision.verdict == "stop"
    assert (decision.best_stop.at, decision.best_stop.usd) == (100.0, 0.0)


def test_free_compute_goes_to_the_budget():
    C = np.linspace(100, 400, 201)
    assert decide_by_money(C, 0.6 - 1 / C, price=0.0, value=1.0, unit="updates").best_stop.at == 400


@pytest.mark.parametrize(("p_end", "verdict"), [(0.04, "stop"), (0.06, "continue"), (0.9, "continue")])
def test_a_target_out_of_reach_stops(p_end, verdict):
    decision = decide_by_target(0.7, p_end, "400 updates")
    assert (decision.verdict, decision.p_target, decision.by) == (verdict, p_end, "target")


def test_a_reached_target_is_reached_now():
    decision = say_reached(0.7, 0.97, 0.99)
    assert (decision.verdict, decision.p_target) == ("stop", 0.99) and "reached now" in decision.why


@pytest.mark.parametrize(
    ("lo", "hi", "verdict"), [(0.0, 0.009, "stop"), (0.011, 0.1, "continue"), (0.005, 0.05, "cannot tell")]
)
def test_gain_decides_without_prices(lo, hi, verdict):
    assert decide_by_gain(Interval((lo + hi) / 2, lo, hi), "400 updates").verdict == verdict


@pytest.mark.parametrize(("lo", "hi"), [(0.0, 0.001), (0.02, 0.05)])
def test_a_curve_that_the_last_points_leave_decides_nothing(lo, hi):
    small = decide_by_gain(Interval(0.0015, 0.0007, 0.0022), "400 updates").why
    assert "0.15 percentage points (0.07 to 0.22)" in small, "the digits of the line on what is left to win"
    decision = decide_by_gain(Interval((lo + hi) / 2, lo, hi), "400 updates", followed=False)
    assert decision.verdict == "cannot tell" and "do not follow the fitted curve" in decision.why


def test_a_falling_run_keeps_its_best_checkpoint_whatever_it_costs():
    assert "point 6" in decide_by_fall("point 6, at 50 updates").why
    y = np.asarray(Sigmoid(0.2, 0.6, 1.5, 50)(np.linspace(0, 400, 41)))
    y = y + np.random.default_rng(0).normal(0, 0.004, 41) - np.clip(np.arange(41) - 35, 0, None) * 0.05
    fallen = Curve(np.linspace(0, 400, 41), y, unit="gpu_hours")
    for price in (0.01, 1e6):
        decision = forecast_run(fallen, budget=800, price=price, value=10, target=0.3).decision
        assert (decision.verdict, decision.by, decision.by_money) == ("cannot tell", "fall", None)
        assert "best checkpoint (point " in decision.why


# ---- which of several questions decides

RUN = simulate_curve(Sigmoid(0.2, 0.6, 1.5, 50), np.linspace(0, 400, 41), unit="gpu_hours", seed=2)
FLAT = simulate_curve(Sigmoid(0.3, 0.3, 1, 1), np.linspace(0, 290, 30), unit="rollout_steps", seed=1)


def test_a_refused_pilot_is_decided_by_expectation_when_there_are_prices():
    without = forecast_run(FLAT, budget=1000)
    assert (without.state, without.verdict, without.decision.by) == ("no forecast", "cannot tell", "refusal")
    verdicts = {}
    for price in (1e-4, 1e4):
        decision = forecast_run(FLAT, budget=1000, price=price, value=100).decision
        verdicts[price] = decision.verdict
        assert decision.by == "money" and decision.best_stop is None and decision.p_target is None
        assert decision.why.startswith("No number can be quoted") and "has to be decided" in decision.why
    assert verdicts == {1e-4: "continue", 1e4: "stop"}
    # a target cannot be told, and it decides: what money says stands beside it
    both = forecast_run(FLAT, budget=1000, price=1e4, value=100, target=0.9).decision
    assert (both.verdict, both.by, both.by_money) == ("cannot tell", "target", "stop")
    assert "By money alone: stop" in both.also


def test_one_of_price_and_value_says_what_is_missing():
    priced = forecast_run(RUN.cut(200), budget=800, price=2.0)
    plain = forecast_run(RUN.cut(200), budget=800)
    assert (priced.verdict, priced.decision.why) == (plain.verdict, plain.decision.why)
    assert plain.decision.also == ""
    assert "The rest of the budget costs USD 1,200" in priced.decision.also
    # what it says is the worth of a point at which the verdict turns
    least = float(priced.decision.also.split("more than USD ")[1].split()[0].replace(",", ""))
    for factor, verdict in ((0.97, "stop"), (1.03, "continue")):
        assert forecast_run(RUN.cut(200), budget=800, price=2.0, value=factor * least).verdict == verdict
    valued = forecast_run(RUN.cut(200), budget=800, value=least)
    most = float(valued.decision.also.split("below USD ")[1].split()[0])
    assert most == pytest.approx(2.0, rel=0.01) and "give the price" in valued.decision.also
    # refused: what the rest costs is known, what it brings is not
    refused = forecast_run(FLAT, budget=1000, price=2.0).decision
    assert refused.verdict == "cannot tell" and "costs USD 1,420" in refused.also
    assert "more than" not in refused.also
    assert "rollout step" in forecast_run(FLAT, budget=1000, value=2.0).decision.also


def test_nothing_left_to_win_needs_no_price():
    C = np.linspace(100, 400, 201)
    said = say_what_is_missing(C, np.full(201, 0.6), 2.0, None, "updates")
    assert said == "The rest of the budget costs USD 600. Next to nothing more is expected to be won."


def test_a_used_up_budget_stops_and_says_so():
    for asked in ({}, {"price": 1.0, "value": 1e6}, {"target": 0.9}):
        decision = forecast_run(RUN, budget=400, **asked).decision
        assert (decision.verdict, decision.by, decision.best_stop) == ("stop", "budget", None)
        assert "The budget of 400 GPU-hours is used up." in decision.why
    assert "0.9 is not surely reached: probability below 0.01" in decision.why
    assert "not surely reached." in decide_by_budget("4 updates", 0.5).why
    assert forecast_run(FLAT, budget=290).decision.by == "budget"


def test_a_reached_target_stops_also_where_no_forecast_can_be_made():
    decision = forecast_run(FLAT, budget=1000, target=0.2).decision
    assert (decision.verdict, decision.by, decision.p_target) == ("stop", "target", None)
    reached = forecast_run(RUN, budget=400, target=0.4)
    assert "reached now" in reached.decision.why and reached.decision.by == "target"


@pytest.mark.parametrize("cut", [300, 900])
def test_a_pilot_up_to_cmid_cannot_tell(cut):
    # TC-17: A .61, B 1.7, Cmid 900, R0 .2, 15 points from 50 on, noise .01. Least squares gives a ceiling
    # anywhere in .25-1.00 (seen to 300) or .46-1.00 (seen to 900).
    law = Sigmoid(0.2, 0.61, 1.7, 900)
    C = np.linspace(50, cut, 15)
    for seed in range(3):
        y = np.clip(law(C) + np.random.default_rng(seed).normal(0, 0.01, 15), 0, 1)
        forecast = forecast_run(Curve(C, y, unit="gpu_hours"))
        assert forecast.verdict == "cannot tell"
        assert forecast.A is None


def test_target_decides_and_what_money_says_stands_beside_it():
    forecast = forecast_run(RUN, budget=800, target=0.8, price=1.0, value=1000.0)
    decision = forecast.decision
    assert (forecast.verdict, decision.by, decision.by_money) == ("stop", "target", "continue")
    assert decision.p_target < 0.05 and decision.best_stop.at > 400
    assert decision.why.startswith("The target decides. ")
    assert decision.also.startswith("By money alone: continue. Best stop at ")
    lines = forecast.summary().splitlines()
    assert lines[1].startswith("Verdict: stop. The target decides") and lines[2].startswith("Beside it: By m")


def test_an_unlikely_target_is_not_called_within_reach() -> None:
    # "within reach: probability 0.18" once stood beside the verdict
    likely, unlikely = (decide_by_target(0.6, p, "400 updates") for p in (0.88, 0.18))
    assert likely.verdict == unlikely.verdict == "continue"
    assert "within reach" in likely.why and "unlikely but not excluded" in unlikely.why
