"""Signal of groups, trajectories and filters: exact values against enumeration and simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rlscale.difficulty import (
    compare_filters,
    count_zero_variance,
    prompt_pull,
    signal_to_noise,
    spread_zero_variance,
    trajectory_pass_rate,
    undivided,
)
from rlscale.losses import ObjectiveError, compute_advantages, find_objective
from rlscale.signal import SignalError, group_spread, zero_variance_probability

GRPO, PLAIN = find_objective("grpo"), find_objective("dr-grpo")


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 1), st.integers(2, 40))
@example(2.2250738585072014e-308, 4)  # overflowed
@example(5e-324, 40)
def test_undivided_pull_is_the_group_spread(p: float, size: int) -> None:
    assert float(prompt_pull(p, size, PLAIN)) == pytest.approx(float(group_spread(p, size)), abs=1e-12)


def test_divided_pull_is_what_all_groups_give() -> None:
    p, size = 0.3, 5
    total = 0.0
    for rewards in itertools.product((0.0, 1.0), repeat=size):
        chance = math.prod(p if r else 1 - p for r in rewards)
        advantage = compute_advantages([rewards], GRPO)[0]
        total += chance * float(np.mean(advantage * (np.array(rewards) - p)))
    assert float(prompt_pull(p, size)) == pytest.approx(total, abs=1e-12)


def test_pull_is_symmetric_and_nothing_at_the_ends() -> None:
    rates = np.array([0.0, 0.1, 0.5, 0.9, 1.0])
    pull = prompt_pull(rates, 8)
    assert pull[[0, 4]] == pytest.approx([0, 0]) and pull[1] == pytest.approx(pull[3])
    assert pull.argmax() == 2


def test_what_depends_on_other_prompts_is_refused() -> None:
    for name in ("scalerl", "reinforce"):
        with pytest.raises(ObjectiveError, match="other prompts of the batch"):
            prompt_pull(0.5, 8, find_objective(name))
    assert undivided(find_objective("scalerl")).scale == "none"


@pytest.mark.parametrize(("p", "size"), [(1.2, 8), (math.nan, 8), (-0.1, 8), (0.5, 1), (0.5, 0)])
def test_impossible_prompts_are_refused(p: float, size: int) -> None:
    with pytest.raises(SignalError):
        prompt_pull(p, size)


@pytest.mark.parametrize("size", [2, 8, 32])
def test_undivided_signal_to_noise_has_a_closed_form(size: int) -> None:
    rates = np.array([0.05, 0.5, 0.8])
    expected = (1 - 1 / size) * rates * (1 - rates)
    assert signal_to_noise(rates, size, PLAIN) == pytest.approx(expected, rel=1e-9)


def test_a_pair_keeps_half_of_the_signal_divided_or_not() -> None:
    # divided advantages of a pair are +1 and -1 when they differ: pull p(1-p), noise 2p(1-p)
    assert float(signal_to_noise(0.3, 2)) == pytest.approx(0.21 / 2)
    assert float(signal_to_noise(0.0, 2)) == 0


def test_trajectory_is_the_power_of_a_step() -> None:
    assert trajectory_pass_rate(0.9, [1, 2]) == pytest.approx([0.9, 0.81])
    for q, k in ((1.1, 2), (math.nan, 2), (0.5, 0)):
        with pytest.raises(SignalError):
            trajectory_pass_rate(q, k)


@pytest.mark.parametrize(("mean", "spread"), [(0.5, 0.35), (0.1, 0.1), (0.8, 0.3)])
def test_spread_agrees_with_drawn_prompts(mean: float, spread: float) -> None:
    total = mean * (1 - mean) / spread**2 - 1
    rates = np.random.default_rng(0).beta(mean * total, (1 - mean) * total, size=200_000)
    drawn = float(zero_variance_probability(rates, 8).mean())
    # standard error of 200,000 draws is below 0.001; 5 of them
    assert spread_zero_variance(mean, spread, 8) == pytest.approx(drawn, abs=0.005)


def test_no_spread_is_the_formula_and_full_spread_leaves_nothing() -> None:
    assert spread_zero_variance(0.5, 0.0, 8) == float(zero_variance_probability(0.5, 8))
    assert spread_zero_variance(0.5, 1e-4, 8) == pytest.approx(
        float(zero_variance_probability(0.5, 8)), rel=1e-4
    )
    assert spread_zero_variance(0.5, 0.4999, 8) > 0.99
    for mean, spread in ((0.5, 0.5), (0.0, 0.0), (0.2, math.nan), (math.nan, 0.1), (0.5, 0.6)):
        with pytest.raises(SignalError):
            spread_zero_variance(mean, spread, 8)


@pytest.mark.parametrize(("n", "c", "size"), [(6, 2, 3), (5, 5, 2), (8, 0, 8), (7, 3, 2)])
def test_counts_agree_with_all_groups_that_can_be_drawn(n: int, c: int, size: int) -> None:
    answers = [1] * c + [0] * (n - c)
    groups = list(itertools.combinations(answers, size))
    dead = sum(len(set(g)) == 1 for g in groups) / len(groups)
    assert float(count_zero_variance(n, c, size)) == pytest.approx(dead, abs=1e-12)


def test_counts_are_unbiased_where_the_naive_estimate_is_not() -> None:
    c = np.random.default_rng(1).binomial(8, 0.1, size=100_000)
    exact = float(zero_variance_probability(0.1, 8))
    # 0/1 outcomes: standard error 0.0016
    assert float(count_zero_variance(8, c, 8).mean()) == pytest.approx(exact, abs=0.007)
    assert float(zero_variance_probability(c / 8, 8).mean()) > exact + 0.1


def test_too_few_samples_for_a_group_are_refused() -> None:
    with pytest.raises(SignalError, match="only 4 samples"):
        count_zero_variance([4, 8], [1, 1], 8)


def test_filters_by_hand() -> None:
    none, dropped, replaced, skipped = compare_filters(0.75, sample_usd=1.0, train_usd=2.0)
    assert (none.usd, dropped.usd, replaced.usd, skipped.usd) == (12.0, 6.0, 6.0, 3.0)
    assert dropped.sampled == 4 and dropped.trained == 1
    assert len({f.usd for f in compare_filters(0.0, sample_usd=1.0, train_usd=2.0)}) == 1
    for share, price in ((1.0, 1.0), (-0.1, 1.0), (math.nan, 1.0), (0.5, -1.0), (0.5, math.inf)):
        with pytest.raises(SignalError):
            compare_filters(share, sample_usd=price, train_usd=1.0)
