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
    only = forecast_run(RUN.cut(300), budget=1000).to_dict()
    assert only["A"] is None
    assert only["R0"] is not None
    assert all(s["A"] is None for s in only["shapes"].values())


def test_json_has_the_promised_fields():
    out = forecast_run(RUN, budget=2000, target=0.5, price=1, value=10).to_dict()
    promised = (
        "log state reasons verdict seen_over_Cmid A B Cmid R0 end p_target best_stop level shapes warnings"
    )
    assert set(promised.split()) <= set(out)
    assert set(out["end"]) == {"at", "unit", "median", "lo", "hi"}
    assert set(out["log"]) == {"format", "run", "x", "y", "points", "segments"}
    assert set(out["shapes"]) == {"sigmoid", "weibull", "power"}
    assert out["calibration"]["status"] == "calibrated" and out["calibration"]["q"] >= 1
    json.dumps(out, allow_nan=False)


def test_the_budget_says_where_it_comes_from():
    pilot = RUN.cut(300)
    assert forecast_run(pilot).budget.at == 1200
    planned = Curve(pilot.compute, pilot.pass_rate, unit="gpu_hours", planned=900, planned_from="max_steps")
    from_log = forecast_run(planned)
    assert (from_log.budget.at, from_log.budget.source) == (900, "log")
    assert "max_steps" in from_log.summary()
    stale = Curve(pilot.compute, pilot.pass_rate, unit="gpu_hours", planned=100, planned_from="max_steps")
    assert [w.code for w in forecast_run(stale).warnings][-1] == "plan-exceeded"


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
        ({"value": 5}, "price"),
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
