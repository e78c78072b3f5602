"""Binning keeps what a fit needs: means, weights, the start, and no look at the future."""

import numpy as np
import pytest

from rlscale.binning import bin_curve
from rlscale.errors import CurveError


def long_log(points: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return np.arange(points, dtype=float), rng.uniform(size=points)


def test_bins_are_means_of_equally_many_points() -> None:
    compute, pass_rate = long_log()
    means = bin_curve(compute, pass_rate)
    assert len(means.compute) == 48
    assert means.counts.sum() == 1000 and means.weights.sum() == 1000
    assert means.counts[0] == 1 and means.compute[0] == 0  # the start keeps a bin of its own
    assert means.pass_rate[0] == pass_rate[0]
    assert set(means.counts[1:]) <= {21, 22}
    first = slice(1, 1 + means.counts[1])
    assert means.compute[1] == pytest.approx(compute[first].mean())
    assert means.pass_rate[1] == pytest.approx(pass_rate[first].mean())
    assert np.average(means.pass_rate, weights=means.weights) == pytest.approx(pass_rate.mean())


def test_without_a_start_all_bins_are_equal() -> None:
    means = bin_curve(np.arange(1, 961), np.full(960, 0.5))
    assert means.counts.tolist() == [20] * 48


def test_several_points_at_no_compute_share_the_first_bin() -> None:
    means = bin_curve([0, 0, 0, 1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], bins=3)
    assert means.counts.tolist() == [3, 2, 2]
    assert means.pass_rate[0] == pytest.approx(0.2)


def test_weights_count_as_copies() -> None:
    compute, pass_rate = [0, 1, 2, 3, 4, 5], [0.1, 0.3, 0.5, 0.6, 0.7, 0.9]
    weights = [1, 1, 3, 1, 2, 1]
    means = bin_curve(compute, pass_rate, bins=3, weights=weights)
    assert means.weights.tolist() == [1, 4, 4]
    assert means.compute[1] == pytest.approx((1 + 3 * 2) / 4)
    assert means.pass_rate[1] == pytest.approx((0.3 + 3 * 0.5) / 4)


def test_short_curves_come_back_sorted_and_whole() -> None:
    means = bin_curve([3, 1, 2], [0.3, 0.1, 0.2])
    assert means.compute.tolist() == [1, 2, 3] and means.pass_rate.tolist() == [0.1, 0.2, 0.3]
    assert means.counts.tolist() == [1, 1, 1]


def test_order_does_not_matter() -> None:
    compute, pass_rate = long_log(200)
    order = np.random.default_rng(1).permutation(200)
    for a, b in zip(bin_curve(compute, pass_rate), bin_curve(compute[order], pass_rate[order]), strict=True):
        np.testing.assert_array_equal(a, b)


def test_all_points_at_no_compute_are_one_bin() -> None:
    assert bin_curve(np.zeros(100), np.full(100, 0.5)).counts.tolist() == [100]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [0.1], {}), "shapes"),
        (([1, np.nan], [0.1, 0.2], {}), "not finite"),
        (([1, 2], [0.1, np.inf], {}), "not finite"),
        (([1, 2], [0.1, 0.2], {"weights": [1, 0]}), "above 0"),
        (([1, 2], [0.1, 0.2], {"bins": 1}), "at least 2"),
        (([[1, 2]], [[0.1, 0.2]], {}), "flat lists"),
    ],
)
def test_bad_input_is_refused(arguments, message: str) -> None:
    compute, pass_rate, options = arguments
    with pytest.raises(CurveError, match=message):
        bin_curve(compute, pass_rate, **options)
