"""The verdict: by target, by money, by gain, and where the pilot cannot tell."""

import numpy as np
import pytest

from rlscale import Curve, Sigmoid, forecast_run
from rlscale.intervals import Interval
from rlscale.stopping import decide_by_gain, decide_by_money, decide_by_target, refuse_verdict


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


@pytest.mark.parametrize(
    ("p_end", "p_now", "verdict"),
    [(0.04, 0.0, "stop"), (0.06, 0.0, "continue"), (0.9, 0.5, "continue"), (0.99, 0.96, "stop")],
)
def test_a_target_out_of_reach_or_reached_stops(p_end, p_now, verdict):
    decision = decide_by_target(0.7, p_end, p_now, "400 updates")
    assert (decision.verdict, decision.p_target) == (verdict, p_end)


@pytest.mark.parametrize(
    ("lo", "hi", "verdict"), [(0.0, 0.009, "stop"), (0.011, 0.1, "continue"), (0.005, 0.05, "cannot tell")]
)
def test_gain_decides_without_prices(lo, hi, verdict):
    assert decide_by_gain(Interval((lo + hi) / 2, lo, hi), "400 updates").verdict == verdict


def test_a_falling_run_keeps_its_best_checkpoint():
    assert "checkpoint" in refuse_verdict(("no rise yet",), "").why
    assert "point 6" in refuse_verdict(("falling",), "point 6, at 50 updates").why


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


def test_target_decides_and_best_stop_stands_beside_it():
    law = Sigmoid(0.2, 0.6, 1.5, 50)
    C = np.linspace(0, 400, 41)
    y = law(C) + np.random.default_rng(0).normal(0, 0.004, 41)
    forecast = forecast_run(Curve(C, y, unit="gpu_hours"), budget=800, target=0.8, price=1.0, value=100.0)
    assert forecast.verdict == "stop"
    assert forecast.decision.p_target < 0.05
    assert forecast.decision.best_stop is not None


def test_an_unlikely_target_is_not_called_within_reach() -> None:
    # "within reach: probability 0.18" once stood beside the verdict
    likely, unlikely = (decide_by_target(0.6, p, 0.0, "400 updates") for p in (0.88, 0.18))
    assert likely.verdict == unlikely.verdict == "continue"
    assert "within reach" in likely.why and "unlikely but not excluded" in unlikely.why
