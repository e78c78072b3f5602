"""Two starting models at equal pass rate; cold starts; what a doubling leaves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlscale import Sigmoid
from rlscale.errors import CurveError
from rlscale.starting_models import cold_start_factor, find_best_start, gap_after_doubling, share_of_compute

SLOW, FAST = Sigmoid(0.2, 0.6, 1.7, 10_000), Sigmoid(0.25, 0.7, 1.65, 4_000)


@settings(deadline=None)
@given(st.floats(0.3, 0.59))
def test_the_share_takes_both_to_the_same_pass_rate(rate: float):
    share = float(share_of_compute(FAST, SLOW, rate))
    assert float(FAST(share * SLOW.compute_for(rate))) == pytest.approx(rate, abs=1e-9)


@settings(deadline=None)
@given(st.floats(0.3, 0.59), st.floats(1e-3, 1e6))
def test_the_share_has_no_unit(rate: float, factor: float):
    scaled = [Sigmoid(law.R0, law.A, law.B, law.Cmid * factor) for law in (FAST, SLOW)]
    assert float(share_of_compute(*scaled, rate)) == pytest.approx(float(share_of_compute(FAST, SLOW, rate)))


def test_where_only_one_or_neither_gets():
    assert share_of_compute(FAST, SLOW, [0.65]).tolist() == [0]
    assert np.isinf(share_of_compute(SLOW, FAST, [0.65])).all()
    assert np.isnan(share_of_compute(FAST, SLOW, [0.75, 0.1])).all()


def test_equal_ceilings_and_steepness_have_one_ratio():
    one, two = Sigmoid(0.2, 0.6, 1.5, 1000), Sigmoid(0.2, 0.6, 1.5, 6000)
    assert share_of_compute(one, two, np.linspace(0.25, 0.59, 9)) == pytest.approx(np.full(9, 1 / 6))


def test_the_best_start_is_the_highest_curve():
    budgets = np.geomspace(100, 1e5, 50)
    names = find_best_start({"slow": SLOW, "fast": FAST, "small": Sigmoid(0.2, 0.5, 2, 300)}, budgets)
    curves = {"slow": SLOW, "fast": FAST, "small": Sigmoid(0.2, 0.5, 2, 300)}
    assert all(
        curves[n](c) == max(law(c) for law in curves.values()) for n, c in zip(names, budgets, strict=True)
    )
    assert {"small", "fast"} == set(names)
    with pytest.raises(CurveError, match="no law"):
        find_best_start({}, [1])


@settings(deadline=None)
@given(st.floats(0.5, 4), st.floats(0.1, 50))
def test_what_a_doubling_leaves_of_the_gap(B: float, multiple: float):
    law = Sigmoid(0.0, 1.0, B, 1.0)
    assert float(gap_after_doubling(B, multiple)) == pytest.approx(
        float((1 - law(2 * multiple)) / (1 - law(multiple))), rel=1e-6
    )


def test_far_out_a_doubling_leaves_two_to_the_minus_B():
    assert float(gap_after_doubling(1.7, 1e4)) == pytest.approx(2**-1.7, rel=1e-3)


def test_a_cold_start_that_saves_and_costs_nothing_is_free():
    assert float(cold_start_factor(0, 1)) == 1
    assert float(cold_start_factor(0.5, 2)) == 1
    assert float(cold_start_factor(0.5, 2, 0.1)) == pytest.approx(1.1)


@pytest.mark.parametrize(
    "bad", [(1, 1, 0), (-0.1, 1, 0), (0, 0, 0), (0, 1, -1), (np.nan, 1, 0), (0, np.nan, 0)]
)
def test_impossible_starts_are_refused(bad):
    with pytest.raises(CurveError):
        cold_start_factor(*bad)


@pytest.mark.parametrize("rate", [1.2, np.nan, 60])
def test_impossible_pass_rates_are_refused(rate):
    with pytest.raises(CurveError, match="percent"):
        share_of_compute(FAST, SLOW, rate)


def test_the_sixth_is_a_share_of_hours_and_a_third_of_the_steps():
    """The numbers of the chapter, from the tables alone."""
    from rlscale.claims import claim
    from rlscale.tables import load_table

    rows = load_table("reference_runs").set_index("id")
    dense, moe = rows.loc["scalerl_8b_100k"], rows.loc["scalerl_scout_50k"]
    steps = claim("C20").source_value * dense.gpu_hours / (moe.gpu_hours / moe.steps)
    assert round(steps, -2) == 2400 and round(steps / dense.steps, 2) == 0.32
