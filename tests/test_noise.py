"""The noise of a pilot: where it is taken from, and what the eigenproblems stand for."""

import numpy as np
import pytest

from rlscale import Curve
from rlscale.noise import (
    FIRST_PHASE_LENGTH,
    FIRST_PHASE_SD,
    NOISE_FLOOR,
    estimate_noise,
    prepare_noise,
    spread_of_differences,
)


def make_curve(pass_rate, **kwargs):
    return Curve(np.arange(1, len(pass_rate) + 1), pass_rate, unit="rollout_steps", **kwargs)


def test_differences_find_the_planted_noise_under_a_trend_and_a_jump():
    rng = np.random.default_rng(1)
    for planted in (0.01, 0.03):
        y = np.linspace(0.2, 0.7, 500) + rng.normal(0, planted, 500)
        y[250:] += 0.2
        assert spread_of_differences(y) == pytest.approx(planted, rel=0.15)  # 500 points: some 5 % of error


def test_quantised_rewards_are_not_taken_for_exact():
    # rewards in eighths that mostly repeat: the median difference is 0, the noise is not
    y = np.full(40, 0.5)
    y[::5] = 0.625
    assert np.median(np.abs(np.diff(y))) == 0
    assert spread_of_differences(y) > 0.02


def test_counts_give_the_binomial_noise():
    noise = estimate_noise(make_curve(np.linspace(0.3, 0.5, 20), n=30, k=1))
    assert noise.source == "binomial"
    # TC-18: p = .40, 30 problems, one sample each: standard error .089
    assert noise.sd[10] == pytest.approx(0.089, abs=0.005)
    finer = estimate_noise(make_curve(np.linspace(0.3, 0.5, 20), n=30, k=32))
    assert finer.sd[10] == pytest.approx(0.016, abs=0.001)


def test_a_rate_of_zero_is_not_certain():
    noise = estimate_noise(make_curve(np.zeros(5), n=100, k=1))
    assert (noise.sd > 0.005).all()


def test_without_counts_the_note_says_so():
    noise = estimate_noise(make_curve([0.2, 0.3, 0.25, 0.4]))
    assert noise.source == "differences"
    assert "does not say" in noise.note


def test_training_noise_stays_within_what_fresh_problems_allow():
    rng = np.random.default_rng(2)
    y = np.clip(0.5 + rng.normal(0, 0.3, 60), 0, 1)
    noise = estimate_noise(make_curve(y, n=64, k=8, kind="train_pass_rate"))
    assert noise.sd.max() <= 0.5 / np.sqrt(64) + 1e-9
    quiet = estimate_noise(make_curve(np.full(60, 0.5), n=64, k=8, kind="train_pass_rate"))
    assert quiet.sd.min() >= 0.9 * 0.5 / np.sqrt(64 * 8)


def test_counts_that_cannot_be_true_are_reported_and_not_used():
    rng = np.random.default_rng(3)
    noise = estimate_noise(make_curve(0.5 + rng.normal(0, 0.05, 40), n=10_000, k=4))
    assert noise.source == "differences"
    assert [w.code for w in noise.warnings] == ["noise-above-counts"]


def test_noise_is_never_below_the_floor():
    assert spread_of_differences(np.array([0.1])) == NOISE_FLOOR
    assert estimate_noise(make_curve(np.full(5, 0.2), n=10**9, k=10**3)).sd.min() == NOISE_FLOOR


def test_eigenproblems_stand_for_the_covariance_of_every_setting():
    rng = np.random.default_rng(4)
    at, sd, v = np.sort(rng.uniform(0, 1, 9)), rng.uniform(0.005, 0.02, 9), rng.normal(size=9)
    settings = prepare_noise(at, sd, horizon=3.0)
    assert settings.count == 90
    assert np.exp(settings.log_prior).sum() == pytest.approx(1)
    first = FIRST_PHASE_SD * np.exp(-at / (FIRST_PHASE_LENGTH * 3.0))
    for i, length in enumerate(settings.length):
        for j in range(settings.q.size):
            drift = np.exp(-np.abs(at[:, None] - at) / length)
            white = np.diag(sd**2) + (i >= 3) * np.outer(first, first)
            sigma = settings.q[j] ** 2 * white + settings.tau[j] ** 2 * drift
            rotated = settings.rotation[i] @ v
            assert rotated @ (settings.inverse[i, j] * rotated) == pytest.approx(
                v @ np.linalg.solve(sigma, v)
            )
            assert settings.log_det[i, j] == pytest.approx(np.linalg.slogdet(sigma)[1])
