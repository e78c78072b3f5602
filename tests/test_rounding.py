"""Rounding of logits: the formats are those of the hardware, expectations are right, and the blur adds up."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rlscale.errors import CostError
from rlscale.rounding import Rounding, compare_rounding, draw_logits, round_logits


@pytest.fixture(scope="module")
def logits():
    return draw_logits(100, vocabulary=512)


def test_formats_are_those_of_the_hardware(logits):
    """NumPy casts to half and single precision; bf16 is single precision with half of its bits cut off."""
    assert_array_equal(round_logits(logits, "fp32"), logits.astype(np.float32).astype(np.float64))
    normal = np.abs(logits) > 2.0**-14  # below, half precision has fewer bits
    halved = logits.astype(np.float16).astype(np.float64)
    assert_array_equal(round_logits(logits, "fp16")[normal], halved[normal])
    bits = logits.astype(np.float32).view(np.uint32)
    kept = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000  # to nearest, ties to even
    single = logits.astype(np.float32)
    assert_array_equal(round_logits(single, "bf16"), kept.astype(np.uint32).view(np.float32).astype(float))


def test_equal_engines_agree_exactly(logits):
    same = compare_rounding(logits, "bf16", "bf16")
    assert same == Rounding(0.0, 0.0, 0.0, 0.0)
    assert same.outside_mean(1000, 3e-4, 4e-4) == 0


def test_two_tokens_by_hand():
    """Logits 20.05 and 19.9 become 20.0 and 19.875 in bf16: the odds go from e^.15 to e^.125."""
    p, q = 1 / (1 + np.exp(-0.125)), 1 / (1 + np.exp(-0.15))
    found = compare_rounding([[20.05, 19.9]], "bf16", "fp32", low=0.99, high=2.0)
    ratios, weights = np.log([q / p, (1 - q) / (1 - p)]), np.array([p, 1 - p])
    mean = float(ratios @ weights)
    assert_allclose(found.mean_log_ratio, mean, rtol=2e-4)  # fp32 moves a logit by up to 1e-6, of .025
    assert_allclose(found.spread, np.sqrt(ratios**2 @ weights - mean**2), rtol=2e-4)
    assert_allclose(found.moved, q - p, rtol=2e-4)
    assert_allclose(found.outside, 1 - p, rtol=2e-4)  # the second ratio is .986, the first 1.011


@pytest.mark.parametrize("pair", [("bf16", "fp32"), ("fp32", "bf16"), ("fp16", "fp32")])
def test_the_mean_is_a_divergence_and_hides_the_spread(logits, pair):
    found = compare_rounding(logits, *pair)
    assert found.mean_log_ratio < 0
    # to second order the mean is minus half of the variance; third order matters by a few per cent here
    assert_allclose(found.mean_log_ratio, -(found.spread**2) / 2, rtol=0.1)
    assert abs(found.mean_log_ratio) < 0.05 * found.spread
    assert 0 < found.moved < found.spread


def test_three_bits_more_are_eight_times_finer(logits):
    coarse, fine = (compare_rounding(logits, f, "fp32").spread for f in ("bf16", "fp16"))
    assert 6 < coarse / fine < 10  # 8 in expectation; a hundred positions scatter by some per cent


def test_larger_logits_round_worse():
    spreads = [compare_rounding(draw_logits(100, top=t), "bf16", "fp32").spread for t in (10.0, 20.0, 40.0)]
    assert spreads[0] < spreads[1] < spreads[2] and spreads[2] > 3 * spreads[0]


def test_sampled_answers_scatter_as_the_expectation_says(logits):
    """Draw 4,000 answers of 200 tokens from the generator and multiply their ratios."""
    found = compare_rounding(logits, "bf16", "fp32")
    p = np.exp(round_logits(logits, "bf16"))
    q = np.exp(round_logits(logits, "fp32"))
    p, q = p / p.sum(1, keepdims=True), q / q.sum(1, keepdims=True)
    rng = np.random.default_rng(5)
    where = rng.integers(len(logits), size=4000 * 200)
    log_ratio = np.empty(where.size)
    for i in range(len(logits)):
        here = np.flatnonzero(where == i)
        token = np.searchsorted(np.cumsum(p[i]), rng.random(here.size)).clip(max=p.shape[1] - 1)
        log_ratio[here] = np.log(q[i, token] / p[i, token])
    answers = log_ratio.reshape(4000, 200).sum(1)
    # a standard deviation from 4,000 draws has a relative error of 1.1 %: four of them
    assert_allclose(answers.std(), found.answer_spread(200), rtol=0.045)
    low, high = 1e-3, 1e-3
    mean = answers / 200
    outside = np.mean((mean < np.log1p(-low)) | (mean > np.log1p(high)))
    assert_allclose(outside, found.outside_mean(200, low, high), atol=0.035)  # four standard errors


def test_kernels_that_differ_flip_roundings(logits):
    """In fp32 only the kernels' difference is left; in bf16 it flips whole steps and grows."""
    fine, coarse = (compare_rounding(logits, f, f, kernels=1e-4).spread for f in ("fp32", "bf16"))
    assert coarse > 3 * fine > 0


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: round_logits([1.0], "fp8"), "unknown number format 'fp8'"),
        (lambda: draw_logits(0), "one position"),
        (lambda: draw_logits(3, vocabulary=1), "two tokens"),
        (lambda: compare_rounding([1.0, 2.0], "bf16", "fp32"), "one row a position"),
        (lambda: compare_rounding([[1.0, np.nan]], "bf16", "fp32"), "finite"),
        (lambda: compare_rounding([[1.0, 2.0]], "bf16", "fp32", low=1.2, high=0.8), "low < high"),
        (lambda: compare_rounding([[1.0, 2.0]], "bf16", "fp32", kernels=float("nan")), "kernels"),
    ],
)
def test_bad_input_is_refused(call, match):
    with pytest.raises(CostError, match=match):
        call()
