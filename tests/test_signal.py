"""Task difficulty: closed forms against counting, limits, and errors."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlscale.signal import (
    SignalError,
    baseline_variance,
    filtered_pass_rate,
    generation_overhead,
    gradient_signal,
    group_spread,
    pass_at_k,
    zero_variance_probability,
)


def _outcomes(p: float, size: int):
    """Return all reward patterns of a group with their probabilities."""
    return [(np.array(r), p ** sum(r) * (1 - p) ** (size - sum(r))) for r in product((0, 1), repeat=size)]


@pytest.mark.parametrize("p", [0.05, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_closed_forms_equal_a_count_over_all_outcomes(p, size):
    outcomes = _outcomes(p, size)
    equal = sum(w for r, w in outcomes if np.ptp(r) == 0)
    assert zero_variance_probability(p, size) == pytest.approx(equal, abs=1e-14)
    spread = sum(w * np.mean((r - r.mean()) ** 2) for r, w in outcomes)
    assert group_spread(p, size) == pytest.approx(spread, abs=1e-14)
    variance = sum(w * (r.mean() - p) ** 2 for r, w in outcomes)
    assert baseline_variance(p, size) == pytest.approx(variance, abs=1e-14)
    if size > 1:
        left = sum(w * r.mean() for r, w in outcomes if np.ptp(r)) / (1 - equal)
        assert filtered_pass_rate(p, size) == pytest.approx(left, abs=1e-13)


def test_signal_is_largest_at_the_edge_of_competence():
    p = np.linspace(0, 1, 101)
    assert p[np.argmax(gradient_signal(p))] == 0.5
    assert gradient_signal([0.0, 1.0]) == pytest.approx([0, 0])


def test_a_filtered_log_looks_flat_while_the_pass_rate_climbs():
    logged = filtered_pass_rate([0.1, 0.9], 8)
    assert logged[1] - logged[0] < 0.65 < 0.8
    assert np.isnan(filtered_pass_rate([0.0, 1.0], 8)).all()
    assert np.isnan(filtered_pass_rate(0.5, 1))


def test_dynamic_sampling_pays_for_dead_and_solved_prompts():
    assert generation_overhead([0.5], 8) == pytest.approx(1 / (1 - 2 / 256))
    assert generation_overhead([0.5, 1.0], 8) == pytest.approx(2 / (1 - 2 / 256), rel=1e-12)
    assert generation_overhead([0.0, 1.0], 8) == np.inf


def test_pass_at_k_known_values():
    # facts/log_formats: n = 8, c = 2, k = 4 gives .786 without and .684 with replacement
    assert pass_at_k(8, 2, 4) == pytest.approx(1 - 15 / 70, abs=1e-15)
    assert pass_at_k([10, 10, 10], [0, 10, 6], 5) == pytest.approx([0, 1, 1])
    assert pass_at_k(16, 5, 1) == pytest.approx(5 / 16)


@given(n=st.integers(1, 9), data=st.data())
@settings(max_examples=60, deadline=None)
def test_pass_at_k_counts_subsets(n, data):
    c = data.draw(st.integers(0, n))
    k = data.draw(st.integers(1, n))
    hits = [any(i < c for i in chosen) for chosen in combinations(range(n), k)]
    assert pass_at_k(n, c, k) == pytest.approx(np.mean(hits), abs=1e-12)


def test_pass_at_k_is_unbiased():
    # over all numbers of right answers the estimate averages to 1 - (1 - p)^k
    from scipy.stats import binom

    p, n, k = 0.07, 20, 8
    c = np.arange(n + 1)
    assert np.sum(binom.pmf(c, n, p) * pass_at_k(n, c, k)) == pytest.approx(1 - (1 - p) ** k, abs=1e-12)


def test_pass_at_k_does_not_overflow():
    assert pass_at_k(10_000, 1, 5_000) == pytest.approx(0.5, abs=1e-9)


def test_bad_input_is_named():
    with pytest.raises(SignalError, match="percent"):
        gradient_signal([50])
    with pytest.raises(SignalError, match="outside"):
        zero_variance_probability([np.nan], 8)
    with pytest.raises(SignalError, match="group size is 0"):
        zero_variance_probability(0.5, 0)
    with pytest.raises(SignalError, match=r"group size is 2\.5"):
        zero_variance_probability(0.5, 2.5)
    with pytest.raises(SignalError, match="larger than n"):
        pass_at_k(4, 5, 1)
    with pytest.raises(SignalError, match="only 4 samples"):
        pass_at_k([8, 4], [1, 1], 8)
    with pytest.raises(SignalError, match="whole numbers"):
        pass_at_k(4, 1.5, 1)
