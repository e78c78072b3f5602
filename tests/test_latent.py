"""pass@k before and after: sharpening, lifting and the crossing, against closed forms and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlscale.errors import CurveError
from rlscale.latent import find_crossing, lift, mean_pass_at_k, sharpen
from rlscale.signal import pass_at_k

RATES = st.floats(0.001, 0.999)


@settings(deadline=None)
@given(RATES, st.floats(0.2, 5), st.integers(1, 20))
def test_sharpening_keeps_the_distribution_whole(p: float, power: float, rivals: int):
    """The right answer and its rivals, each raised to the power, still add up to one."""
    right = float(sharpen(p, power, rivals))
    each = float(sharpen((1 - p) / rivals, power, 1)) if rivals == 1 else None
    wrong = ((1 - p) / rivals) ** power / (p**power + rivals * ((1 - p) / rivals) ** power)
    assert right + rivals * wrong == pytest.approx(1, abs=1e-12)
    assert each is None or each == pytest.approx(1 - right, abs=1e-9)


@settings(deadline=None)
@given(RATES, st.floats(1.01, 5), st.integers(1, 20))
def test_sharpening_helps_where_the_right_answer_leads_and_hurts_elsewhere(p, power, rivals):
    gain = float(sharpen(p, power, rivals)) - p
    threshold = 1 / (rivals + 1)
    if abs(p - threshold) > 1e-6:
        assert (gain > 0) == (p > threshold) or abs(gain) < 1e-12


@settings(deadline=None)
@given(RATES, st.floats(0.01, 6))
def test_lifting_adds_to_the_log_odds(p: float, amount: float):
    after = float(lift(p, amount))
    assert np.log(after / (1 - after)) == pytest.approx(np.log(p / (1 - p)) + amount, abs=1e-6)


def test_certain_problems_stay_certain():
    assert sharpen([0.0, 1.0], 3, 4).tolist() == [0, 1] == lift([0.0, 1.0], 2.0).tolist()


def test_exact_pass_at_k_is_what_unbiased_counts_estimate():
    rng = np.random.default_rng(0)
    rates = rng.beta(0.4, 1.0, 40_000)
    counts = rng.binomial(32, rates)
    for k in (1, 4, 16):
        # 40,000 problems: standard error below 0.0025
        assert float(pass_at_k(32, counts, k).mean()) == pytest.approx(
            float(mean_pass_at_k(rates, k)[0]), abs=0.01
        )


def test_sharpened_models_are_overtaken_and_lifted_ones_never():
    rates, ks = np.random.default_rng(1).beta(0.35, 0.9, 2000), 2 ** np.arange(12)
    before = mean_pass_at_k(rates, ks)
    assert 1 < find_crossing(ks, before, mean_pass_at_k(sharpen(rates, 3, 8), ks)) < 64
    assert np.isnan(find_crossing(ks, before, mean_pass_at_k(lift(rates, 0.5), ks)))


def test_crossing_is_found_where_it_was_planted():
    ks = np.array([1.0, 2, 4, 8, 16, 32])
    gap = np.log2(ks) - 2.5  # crosses at 2^2.5, linear in log k
    assert find_crossing(ks, 0.5 + 0.05 * gap, np.full(6, 0.5)) == pytest.approx(2**2.5)


def test_crossing_at_the_edges():
    assert find_crossing([1, 8], [0.5, 0.7], [0.4, 0.6]) == 1  # the start leads throughout
    assert np.isnan(find_crossing([1, 8], [0.5, 0.7], [0.5, 0.7]))  # no difference at all
    assert find_crossing([1, 2, 4, 8], [0.5, 0.3, 0.7, 0.9], [0.4, 0.4, 0.6, 0.8]) == pytest.approx(2**1.5)


@pytest.mark.parametrize("bad", [[1.2], [-0.1], [np.nan], [], [50.0]])
def test_impossible_pass_rates_are_refused(bad):
    for call in (lambda: sharpen(bad, 2, 2), lambda: lift(bad, 1), lambda: mean_pass_at_k(bad, 1)):
        with pytest.raises(CurveError, match="percent must be divided"):
            call()


def test_other_impossible_numbers_are_refused():
    with pytest.raises(CurveError, match="power"):
        sharpen([0.5], 0, 2)
    with pytest.raises(CurveError, match="rival"):
        sharpen([0.5], 2, 0)
    with pytest.raises(CurveError, match="k is below 1"):
        mean_pass_at_k([0.5], 0)
    with pytest.raises(CurveError, match="k must rise"):
        find_crossing([2, 1], [0.1, 0.2], [0.1, 0.2])
    with pytest.raises(CurveError, match="not a number"):
        find_crossing([1, 2], [0.1, np.nan], [0.1, 0.2])
