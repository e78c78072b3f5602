"""Quantiles of mixtures, and condensing them without moving mean, variance or quantiles."""

import numpy as np
import pytest
from scipy.stats import norm

from rlscale.mixture import Mixture, condense_mixture, pool_mixtures

SHARES = (0.005, 0.05, 0.25, 0.5, 0.75, 0.95, 0.995)


def test_quantiles_of_one_normal_are_exact():
    one = Mixture(np.array([0.3]), np.array([0.05]), np.array([1.0]))
    np.testing.assert_allclose(one.quantiles(SHARES), norm(0.3, 0.05).ppf(SHARES), atol=1e-11)


def test_quantiles_between_far_modes_are_found():
    # a flat stretch of the distribution function, where a Newton step would fly off
    two = Mixture(np.array([0.1, 0.9]), np.array([1e-3, 1e-3]), np.array([0.4, 0.6]))
    low, high = two.quantiles([0.2, 0.7])
    assert low == pytest.approx(norm(0.1, 1e-3).ppf(0.5), abs=1e-9)
    assert high == pytest.approx(norm(0.9, 1e-3).ppf(0.5), abs=1e-9)


def test_quantiles_invert_the_distribution_function():
    rng = np.random.default_rng(0)
    m = Mixture(rng.random(200), rng.uniform(1e-3, 0.1, 200), np.full(200, 1 / 200))
    for share, q in zip(SHARES, m.quantiles(SHARES), strict=True):
        assert 1 - m.share_above(float(q)) == pytest.approx(share, abs=1e-10)


@pytest.mark.parametrize("spread", [0.3, 0.01, 0.0])
def test_condensing_keeps_mean_variance_and_quantiles(spread):
    rng = np.random.default_rng(1)
    n = 20_000
    mean, sd, weight = 0.5 + spread * rng.normal(size=n), rng.uniform(0.002, 0.06, n), rng.random(n)
    weight /= weight.sum()
    whole = Mixture(mean, sd, weight)
    small = condense_mixture(mean, sd, weight)
    assert small.mean.size < n / 2
    assert small.expected == pytest.approx(whole.expected, abs=1e-12)
    # what the lattice adds on average is taken off: parts that all lie on it lose 1/96 of their variance
    variance = weight @ (sd**2 + mean**2) - whole.expected**2
    assert small.weight @ (small.sd**2 + small.mean**2) - small.expected**2 == pytest.approx(
        variance, rel=0.011
    )
    # deviations are told apart by a quarter: a hundredth of .06 in the middle, two in the far tails
    np.testing.assert_allclose(small.quantiles(SHARES), whole.quantiles(SHARES), atol=1.2e-3)


def test_a_pool_weighs_its_members_equally():
    low = Mixture(np.array([0.2, 0.2]), np.array([0.01, 0.01]), np.array([0.5, 0.5]))
    high = Mixture(np.array([0.6]), np.array([0.01]), np.array([1.0]))
    pool = pool_mixtures([low, high])
    assert pool.expected == pytest.approx(0.4)
    assert pool.weight.sum() == pytest.approx(1)


def test_a_wider_mixture_has_the_sum_of_variances():
    m = Mixture(np.array([0.3, 0.5]), np.array([0.02, 0.04]), np.array([0.5, 0.5])).widen(0.03)
    np.testing.assert_allclose(m.sd**2, [0.02**2 + 0.03**2, 0.04**2 + 0.03**2])
    assert m.expected == pytest.approx(0.4)


def test_a_split_mixture_moves_half_of_its_weight():
    m = Mixture(np.array([0.3]), np.array([1e-3]), np.array([1.0])).split(0.2)
    assert m.weight.sum() == pytest.approx(1)
    assert m.share_above(0.4) == pytest.approx(0.5)
    np.testing.assert_allclose(m.quantiles([0.25, 0.75]), [0.3, 0.5], atol=1e-6)
