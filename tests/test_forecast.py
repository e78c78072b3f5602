"""The forecast of a run: what it may depend on, what it must not, and what it refuses."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlscale import Curve, Sigmoid, forecast_run
from rlscale.errors import ForecastError
from rlscale.forecast import CEILING, END_ONLY, REFUSED
from rlscale.simulate import simulate_curve

LAW = Sigmoid(0.2, 0.6, 1.5, 100)
RUN = simulate_curve(LAW, np.linspace(0, 1000, 61), unit="gpu_hours", seed=1)


def numbers(forecast):
    return np.array(
        [forecast.end.median, forecast.end.lo, forecast.end.hi]
        + [v for i in (forecast.A, forecast.R0, forecast.B) if i for v in (i.median, i.lo, i.hi)]
    )


def test_states_follow_what_was_seen():
    assert forecast_run(RUN.cut(60), budget=1000).state == REFUSED
    assert forecast_run(RUN.cut(300), budget=1000).state == END_ONLY
    full = forecast_run(RUN, budget=1000)
    assert full.state == CEILING
    assert full.A.lo < LAW.A < full.A.hi
    assert full.Cmid.lo < LAW.Cmid < full.Cmid.hi
    assert full.end.width >= 0.04 - 1e-9


def test_the_future_does_not_change_a_forecast():
    other = Curve(RUN.compute, np.where(RUN.compute > 300, 0.9, RUN.pass_rate), unit=RUN.unit, n=1000, k=16)
    past, same = forecast_run(RUN.cut(300), budget=1000), forecast_run(other.cut(300), budget=1000)
    np.testing.assert_array_equal(numbers(past), numbers(same))
    assert past.state == same.state


def test_the_same_pilot_gives_the_same_numbers():
    first, again = forecast_run(RUN.cut(400), budget=1000), forecast_run(RUN.cut(400), budget=1000)
    assert json.dumps(first.to_dict()) == json.dumps(again.to_dict())
    assert first.draws(50, seed=3).equals(again.draws(50, seed=3))
    np.testing.assert_array_equal(first.band([100, 900]).hi, again.band([100, 900]).hi)


@pytest.mark.parametrize("factor", [2000.0, 1 / 3, 1e21])
def test_units_do_not_matter(factor):
    pilot = RUN.cut(400)
    scaled = Curve(pilot.compute * factor, pilot.pass_rate, unit="trained_tokens", n=pilot.n, k=pilot.k)
    here, there = forecast_run(pilot, budget=1000), forecast_run(scaled, budget=1000 * factor)
    assert here.state == there.state
    np.testing.assert_allclose(numbers(there), numbers(here), atol=1e-9)
    assert there.Cmid.median == pytest.approx(here.Cmid.median * factor, rel=1e-9)


def test_hidden_numbers_are_null_in_json_and_absent_in_words():
    refused = forecast_run(RUN.cut(60), budget=1000, target=0.5, price=1, value=10)
    out = refused.to_dict()
    assert [out[k] for k in ("A", "B", "Cmid", "R0")] == [None] * 4
    assert out["verdict"] == "cannot tell"
    assert "p_target" not in out
    assert f"{refused.end.median:.3f}" not in refused.summary()
    assert refused.summary().startswith("State: no forecast")
    assert (out["gain"], out["gain_per_usd"]) == (None, None)
    assert "Left to win" not in refused.summary() and "best_stop" not in out
    only = forecast_run(RUN.cut(300), budget=1000).to_dict()
    assert only["A"] is None
    assert only["R0"] is not None
    assert all(s["A"] is None for s in only["shapes"].values())


def test_json_has_the_promised_fields():
    out = forecast_run(RUN, budget=2000, target=0.5, price=1, value=10).to_dict()
    promised = (
        "log state reasons verdict seen_over_Cmid A B Cmid R0 end p_target best_stop level shapes warnings "
        "decided_by also gain gain_per_usd target price price_per value verdict_by_money rest"
    )
    assert set(promised.split()) <= set(out)
    assert set(out["end"]) == {"at", "unit", "median", "lo", "hi"}
    assert set(out["log"]) == {"format", "run", "x", "y", "points", "segments"}
    assert set(out["shapes"]) == {"sigmoid", "weibull", "power"}
    assert out["calibration"]["status"] == "calibrated" and out["calibration"]["q"] >= 1
    json.dumps(out, allow_nan=False)


def test_gain_and_what_the_next_dollars_buy():
    forecast = forecast_run(RUN.cut(300), budget=1000, price=2, value=30)
    out = forecast.to_dict()
    true = float(LAW(1000) - LAW(300))
    assert 0 <= out["gain"]["lo"] < true < out["gain"]["hi"]
    # the curve itself: narrower than what will be measured
    assert out["gain"]["hi"] - out["gain"]["lo"] < forecast.end.width
    step = out["gain_per_usd"]
    assert (step["until"], step["usd"]) == (pytest.approx(370), pytest.approx(140))
    assert step["lo"] < float(LAW(370) - LAW(300)) / 140 < step["hi"]
    assert out["rest"] == {"compute": pytest.approx(700), "usd": pytest.approx(1400)}
    assert (out["target"], out["price"], out["value"]) == (None, 2.0, 30.0)
    said = forecast.summary()
    assert "Left to win: " in said and "The next USD 140, to 370 GPU-hours, buy " in said
    free = forecast_run(RUN.cut(300), budget=1000, price=0).to_dict()
    assert free["gain_per_usd"] is None and free["rest"]["usd"] == 0


def test_no_minus_zero_in_json():
    over = Curve(RUN.compute, RUN.pass_rate, unit="gpu_hours", n=1000, k=16)
    text = json.dumps(forecast_run(over, budget=1000, price=1e6, value=-0.0, target=0.3).to_dict())
    assert "-0.0" not in text
    # the kernel of a mixture once made a curve fall: "0.0 percentage points (-0.1 to 0.1)"
    late = forecast_run(RUN, budget=1001)
    assert late.gain.lo >= 0 and "-0" not in late.decision.why


def test_big_computes_are_read_in_words():
    tokens = Curve(RUN.compute * 2.4e7, RUN.pass_rate, unit="generated_tokens")
    said = forecast_run(tokens, budget=3e10, price=2e-7, value=30).summary()
    assert "24 B generated tokens" in said and "30 B generated tokens" in said
    assert "e+" not in said and "per unit of" not in said
    dear = forecast_run(tokens, budget=3e10, price=2e-3, value=1e-3).decision.why
    assert "USD 2,000 per million generated tokens" in dear


@pytest.mark.slow
def test_the_gain_is_inside_its_interval_nine_times_in_ten():
    # 40 planted sigmoids at half of the run; the engine also allows for other shapes, so more than .90 is no
    # fault. 33 of 40 is the 5 % quantile of Binomial(40, .9)
    rng = np.random.default_rng(3)
    inside = []
    for seed in range(40):
        law = Sigmoid(
            rng.uniform(0.15, 0.4), rng.uniform(0.5, 0.8), rng.uniform(0.8, 2.5), rng.uniform(30, 250)
        )
        run = simulate_curve(law, np.linspace(0, 1000, 61), unit="gpu_hours", seed=seed)
        forecast = forecast_run(run.cut(500), budget=1000, price=1)
        if forecast.gain is None:
            continue
        for got, until in ((forecast.gain, 1000), (forecast.next_gain.gain, 550)):
            inside.append(got.lo - 1e-9 <= float(law(until) - law(500)) <= got.hi + 1e-9)
    assert len(inside) > 60 and np.mean(inside) >= 33 / 40


def test_the_budget_says_where_it_comes_from():
    pilot = RUN.cut(300)
    assert forecast_run(pilot).budget.at == 1200
    planned = Curve(pilot.compute, pilot.pass_rate, unit="gpu_hours", planned=900, planned_from="max_steps")
    from_log = forecast_run(planned)
    assert (from_log.budget.at, from_log.budget.source) == (900, "log")
    assert "max_steps" in from_log.summary()
    stale = Curve(pilot.compute, pilot.pass_rate, unit="gpu_hours", planned=100, planned_from="max_steps")
    assert [w.code for w in forecast_run(stale).warnings][-1] == "plan-exceeded"


@pytest.mark.parametrize("said", ["option", "log"])
def test_a_run_whose_steps_count_from_0_is_finished_at_n_less_1(said):
    """A reader's log: 200 steps, 0 to 199; with --budget 200 it was told to go on."""
    at = np.arange(200)
    law = Sigmoid(0.2, 0.6, 1.6, 40)
    noise = np.random.default_rng(0).normal(0, 0.01, 200)
    planned = 200 if said == "log" else None
    curve = Curve(at, law(at) + noise, unit="rollout_steps", planned=planned, planned_from="max_steps")
    forecast = forecast_run(curve, budget=None if planned else 200, target=0.59, price=1, value=1000)
    assert (forecast.budget.at, forecast.budget.source, forecast.verdict) == (199, said, "stop")
    assert "counts from 0: 199 is the last" in forecast.summary()
    # a run that counts from 1 has one more to go, and hours are not counted
    later = Curve(at[1:], curve.pass_rate[1:], unit="rollout_steps")
    hours = Curve(at, curve.pass_rate, unit="gpu_hours")
    assert [forecast_run(c, budget=200).budget.at for c in (later, hours)] == [200, 200]


def test_a_wider_level_gives_a_wider_interval_and_the_same_state():
    usual, wide = forecast_run(RUN.cut(300), budget=1000), forecast_run(RUN.cut(300), budget=1000, level=0.99)
    assert wide.end.lo < usual.end.lo < usual.end.median < usual.end.hi < wide.end.hi
    assert wide.state == usual.state


def test_band_draws_and_end_agree():
    forecast = forecast_run(RUN.cut(400), budget=1000)
    draws = forecast.draws(4000, seed=1)
    low, high = draws.end.quantile([0.05, 0.95])
    # 4,000 systematic draws: some hundredths of the width
    assert low == pytest.approx(forecast.end.lo, abs=0.05 * forecast.end.width)
    assert high == pytest.approx(forecast.end.hi, abs=0.05 * forecast.end.width)
    assert ((draws.R0 >= 0) & (draws.A <= 1) & (draws.R0 <= draws.A)).all()
    band = forecast.band([0, 200, 400, 1000])
    # beyond what was seen a measured point scatters more than the curve
    assert band.observed_lo[-1] < band.lo[-1]
    assert band.observed_hi[-1] > band.hi[-1]
    assert (band.lo <= band.median).all()
    assert np.diff(band.hi - band.lo)[-1] > 0
    expected = forecast.expected([400.0, 1000.0])
    assert np.abs(expected - [band.median[2], band.median[3]]).max() < 0.03


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"budget": 200}, "smaller"),
        ({"budget": float("nan")}, "finite"),
        ({"target": 61}, "0.61"),
        ({"target": 0}, "outside"),
        ({"level": 90}, "0.9"),
        ({"level": 1.0}, "outside"),
        ({"price": -1}, "USD"),
        ({"price": float("inf")}, "USD"),
    ],
)
def test_what_has_no_meaning_is_refused(arguments, word):
    with pytest.raises(ForecastError, match=word):
        forecast_run(RUN.cut(300), **arguments)


def test_constant_and_single_points_are_refused():
    with pytest.raises(ForecastError, match="nothing has moved"):
        forecast_run(Curve([1, 2, 3], [0.3, 0.3, 0.3], unit="updates"))
    for n in (0, 1):
        with pytest.raises(ForecastError, match="a forecast needs at least 2"):
            forecast_run(Curve(np.arange(n), np.full(n, 0.3), unit="updates"))


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    st.lists(st.tuples(st.floats(1e-6, 1e6), st.floats(0, 1)), min_size=2, max_size=12),
    st.floats(1, 1e4),
)
def test_no_valid_curve_breaks_it(steps, times):
    compute = np.cumsum([s for s, _ in steps])
    pass_rate = [p for _, p in steps]
    if np.any(np.diff(compute) <= 0) or np.ptp(pass_rate) == 0:
        return
    forecast = forecast_run(Curve(compute, pass_rate, unit="usd"), budget=float(compute[-1]) * times)
    assert forecast.state in (CEILING, END_ONLY, REFUSED)
    assert 0 <= forecast.end.lo <= forecast.end.median <= forecast.end.hi <= 1
    json.dumps(forecast.to_dict(), allow_nan=False)
