"""What the belief adds to the posterior: an allowance for the shape, and what is made of a misfit."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import rlscale as rs
from rlscale.belief import GAIN_ALLOWANCE, SHAPE_ALLOWANCE, UNBENT_ALLOWANCE, Belief, form_belief
from rlscale.noise import estimate_noise

NOISE = np.random.default_rng(3).normal(0, 0.006, 30)


def steep_then_slow(at):
    """Nine tenths of the gain in a twentieth of the budget, the rest slowly: the form of two public logs."""
    return 0.02 + 0.46 * rs.Sigmoid.fraction(at, 5.0, 5.0) + 0.16 * np.log1p(at / 4) / np.log(26)


def make_belief(rate, at, budget) -> Belief:
    curve = rs.Curve(at, rate, unit="updates")
    return form_belief(curve, estimate_noise(curve), budget)


@cache
def bent() -> Belief:
    at = np.linspace(0, 40, 30)
    return make_belief(rs.Sigmoid(0.2, 0.6, 1.6, 10)(at) + NOISE, at, 160.0)


@cache
def misfitting() -> Belief:
    at = np.linspace(1, 60, 30)
    return make_belief(steep_then_slow(at) + 0.5 * NOISE, at, 100.0)


def test_the_allowance_grows_with_what_is_extrapolated():
    b = bent()
    grown = b.posterior.pool(lambda s: s.end).expected - float(b.posterior.expected(np.array([1.0]))[0])
    assert grown > 0.02
    ahead = b.log_midpoint.share_above(0.0)
    assert ahead < 0.05, "four times Cmid were seen"
    share = GAIN_ALLOWANCE + UNBENT_ALLOWANCE * ahead
    expected = np.hypot(SHAPE_ALLOWANCE * np.sqrt(np.log(4)), share * grown)
    assert b.allowance == pytest.approx(expected, rel=1e-9)


def test_before_the_bend_more_of_the_gain_is_left_open():
    """Small steps with stale rollouts: seen to half of Cmid, five of five ended above the interval."""
    at = np.linspace(0, 40, 30)
    law = rs.Sigmoid(0.1, 0.85, 2.2, 75)
    rise = law(at) + NOISE
    early, late = make_belief(rise, at, 160.0), bent()
    assert early.log_midpoint.share_above(0.0) > 0.8
    assert early.gain_allowance > GAIN_ALLOWANCE + 0.8 * UNBENT_ALLOWANCE
    assert late.gain_allowance < GAIN_ALLOWANCE + 0.1 * UNBENT_ALLOWANCE
    # what is left to win is believed as little as the end
    won = rs.forecast_run(rs.Curve(at, rise, unit="updates"), budget=160.0)
    assert won.end.lo < float(law(np.linspace(144, 160, 12)).mean()) < won.end.hi


@pytest.mark.parametrize("part", ["end", "ceiling"])
def test_end_and_ceiling_are_widened_and_nothing_else(part):
    b = bent()
    plain = b.posterior.pool(lambda s: getattr(s, part))
    low, high = getattr(b, part).quantiles([0.05, 0.95])
    inner_low, inner_high = plain.quantiles([0.05, 0.95])
    assert low < inner_low < inner_high < high
    assert getattr(b, part).expected == pytest.approx(plain.expected, abs=1e-12)


def test_a_whole_run_needs_hardly_any_allowance():
    at = np.linspace(0, 160, 40)
    whole = make_belief(rs.Sigmoid(0.2, 0.6, 1.6, 10)(at), at, 160.0)
    assert whole.allowance < 0.001


def test_a_law_that_fits_is_no_misfit():
    assert bent().misfit == 0.0
    assert bent().spread().misfit == 0.0


def test_points_that_leave_the_curve_are_a_misfit():
    # the fault that a reader saw at a glance: the forecast lay below the plateau that it continues
    b = misfitting()
    last = b.pilot.pass_rate[-6:].mean()
    assert b.misfit > 0.01
    assert b.spread().misfit == b.misfit
    plain = b.posterior.pool(lambda s: s.end)
    assert b.end.expected == pytest.approx(plain.expected + b.misfit / 2, abs=1e-9)
    assert abs(b.end.quantiles([0.5])[0] - last) < abs(plain.quantiles([0.5])[0] - last)


def test_a_misfit_takes_the_ceiling_away():
    at = np.linspace(1, 60, 30)
    curve = rs.Curve(at, steep_then_slow(at) + 0.5 * NOISE, unit="updates")
    forecast = rs.forecast_run(curve, budget=100.0)
    assert forecast.state != "ceiling identified"
    assert "misfit" in [r.code for r in forecast.reasons] or forecast.state == "no forecast"
    assert forecast.A is None


def test_draws_have_the_allowance_and_the_misfit_too():
    b = misfitting()
    drawn = b.loosen_draws(np.full(40_000, 0.5), seed=1)
    # a normal of that deviation, of which half is moved: moments to three standard errors
    assert drawn.mean() == pytest.approx(0.5 + b.misfit / 2, abs=3 * drawn.std() / 200)
    assert drawn.std() == pytest.approx(np.hypot(b.allowance, b.misfit / 2), rel=0.02)
    np.testing.assert_array_equal(drawn, b.loosen_draws(np.full(40_000, 0.5), seed=1))


def test_a_misfit_gives_no_reason_to_stop():
    """Steep, then slow: the fitted curve is flat and wins nothing, while the points go on rising."""
    at = np.linspace(1, 60, 30)
    curve = rs.Curve(at, steep_then_slow(at) + 0.5 * NOISE, unit="updates")
    forecast = rs.forecast_run(curve, budget=100.0)
    assert "misfit" in {reason.code for reason in forecast.reasons}
    assert forecast.verdict == "cannot tell" and "do not follow the fitted curve" in forecast.decision.why
    assert forecast.gain is None, "what is left to win is read from a curve that the points have left"
    # 0.6 is where its points are now, though the fitted curve lies lower; 0.7 is out of what they have seen
    now = float(curve.pass_rate[-6:].mean())
    met = rs.forecast_run(curve, budget=100.0, target=round(now - 0.05, 2))
    assert met.verdict == "stop" and "reached now" in met.decision.why
    hoped = [rs.forecast_run(curve, budget=100.0, target=round(now + up, 2)) for up in (0.02, 0.04, 0.06)]
    assert "continue" not in {f.verdict for f in hoped if f.decision.p_target < 0.5}
