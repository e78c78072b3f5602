"""Peers: each finds its own law again, fails with NaN and not with a substitute, and sees the pilot only."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rlscale as rs
from rlscale.peers import PEERS, extrapolate_pilot

C = np.arange(1.0, 41.0)
BUDGET = 160.0
AT = 0.95 * BUDGET


def pilot(pass_rate, compute=C):
    return rs.Curve(compute, pass_rate, unit="gpu_hours")


@pytest.mark.parametrize(
    ("peer", "law"),
    [
        ("linear", lambda c: 0.1 + 0.002 * c),
        ("log_linear", lambda c: 0.1 + 0.05 * np.log(c)),
        ("power", lambda c: 0.7 - 0.5 * c**-0.6),
        ("sigmoid", rs.Sigmoid(0.2, 0.7, 1.8, 15.0)),
        ("exponential", lambda c: 0.2 + 0.4 * (1 - np.exp(-c / 20))),
    ],
)
def test_each_rule_extends_its_own_law(peer, law):
    # without noise the only error is that of the optimiser
    assert extrapolate_pilot(pilot(law(C)), BUDGET)[f"peer_{peer}"] == pytest.approx(float(law(AT)), abs=1e-3)


def test_the_last_value_is_a_mean_of_the_last_tenth():
    rate = np.linspace(0.1, 0.5, 40)
    assert extrapolate_pilot(pilot(rate), BUDGET)["peer_last"] == pytest.approx(rate[-4:].mean())


def test_the_grid_agrees_with_the_paper_s_own_search():
    """The same nodes, in the paper's unit: T = 16,000 GPU-hours."""
    compute = np.linspace(0, 16_000, 17)
    truth = rs.Sigmoid(R0=0.25, A=0.61, B=1.92, Cmid=2542)
    rate = truth(compute) + np.random.default_rng(0).normal(0, 0.004, 17)
    rate[0] = 0.25
    slow = rs.fit_scalerl_grid(compute, rate, R0=0.25).law(0.95 * 40_000)
    fast = extrapolate_pilot(pilot(rate, compute), 40_000)["peer_grid"]
    # B is on a grid of 61 here and continuous there, which moves the best node of A by .005 at most
    assert fast == pytest.approx(float(slow), abs=0.006)


def test_a_grid_cannot_see_a_ceiling_outside():
    low = rs.Sigmoid(0.1, 0.3, 2.0, 5.0)
    assert extrapolate_pilot(pilot(low(C)), BUDGET)["peer_grid"] > 0.32


def test_three_points_are_no_curve():
    ends = extrapolate_pilot(pilot([0.1, 0.2, 0.3], [1.0, 2.0, 3.0]), BUDGET)
    assert list(ends) == [f"peer_{p}" for p in PEERS] and np.isnan(list(ends.values())).all()


@pytest.mark.parametrize(
    "rate",
    [np.full(40, 0.3), np.zeros(40), np.ones(40), np.tile([0.0, 1.0], 20), np.linspace(0.9, 0.1, 40)],
    ids=["constant", "zeros", "ones", "jumps", "falling"],
)
def test_ends_stay_pass_rates_on_curves_that_fit_no_law(rate):
    ends = np.array(list(extrapolate_pilot(pilot(rate), BUDGET).values()))
    assert np.all(np.isnan(ends) | ((ends >= 0) & (ends <= 1)))
    # the grid alone may have no node above the start
    assert np.isfinite(ends[:-1]).all()


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e18])
def test_the_unit_of_compute_does_not_matter(unit):
    law = rs.Sigmoid(0.2, 0.7, 1.8, 15.0)
    base = extrapolate_pilot(pilot(law(C)), BUDGET)
    scaled = extrapolate_pilot(pilot(law(C), C * unit), BUDGET * unit)
    # the same numbers but for rounding, which an optimiser can blow up to its own tolerance
    pd.testing.assert_series_equal(pd.Series(base), pd.Series(scaled), rtol=1e-4)


def test_the_base_model_at_no_compute_is_no_trouble():
    law = rs.Sigmoid(0.2, 0.7, 1.8, 15.0)
    compute = np.append(0.0, C)
    ends = extrapolate_pilot(pilot(law(compute), compute), BUDGET)
    assert np.isfinite(list(ends.values())).all()
    assert ends["peer_sigmoid"] == pytest.approx(float(law(AT)), abs=1e-3)
