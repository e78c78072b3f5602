"""The block bootstrap: same seed same rows, blocks that wrap, and the spread that it should have."""

import time

import numpy as np
import pytest

from rlscale.errors import CurveError, FitError
from rlscale.fitting import bootstrap_law, fit_law
from rlscale.law import SHAPES, Law, Sigmoid
from rlscale.points import prepare_points
from rlscale.resampling import draw_blocks
from rlscale.varpro import Box, solve

COMPUTE = np.linspace(0, 4000, 60)
TRUTH = Sigmoid(0.2, 0.6, 1.5, 1000)


def noisy(seed: int = 0, sd: float = 0.01) -> np.ndarray:
    return np.clip(TRUTH(COMPUTE) + sd * np.random.default_rng(seed).standard_normal(60), 0, 1)


@pytest.mark.parametrize("block", ["stationary", "circular"])
def test_same_seed_same_rows(block) -> None:
    one, two, other = (bootstrap_law(COMPUTE, noisy(), replicates=50, seed=s, block=block) for s in (7, 7, 8))
    assert list(one.columns) == ["R0", "A", "B", "Cmid"] and len(one) == 50
    np.testing.assert_array_equal(one, two)
    assert not np.allclose(one, other)


def test_first_rows_do_not_depend_on_how_many_follow() -> None:
    """Not so within a batch of draws, so it is stated for whole batches only."""
    few = bootstrap_law(COMPUTE, noisy(), replicates=1000, seed=3)
    many = bootstrap_law(COMPUTE, noisy(), replicates=1100, seed=3)
    assert len(many) == 1100
    np.testing.assert_allclose(many[:1000], few, rtol=1e-9)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_replicate_is_the_fit_of_its_own_series(shape: type[Law]) -> None:
    """The recipe spelled out for one replicate: residuals of the fit, drawn in blocks, refitted alone."""
    pass_rate = noisy(1)
    table = bootstrap_law(COMPUTE, pass_rate, law=shape, replicates=5, seed=11, block_length=4)
    best = fit_law(COMPUTE, pass_rate, law=shape).law
    residual = pass_rate - best(COMPUTE)
    residual = (residual - residual.mean()) * np.sqrt(60 / 56)
    drawn = draw_blocks(np.random.default_rng(11), 5, 60, 4, stationary=True)
    points = prepare_points(COMPUTE, pass_rate)
    for i in range(5):
        series = (best(COMPUTE) + residual[drawn[i]])[None]
        alone = solve(points.x, points.weights, series, shape, Box())
        assert table["A"][i] == pytest.approx(alone.A[0], rel=1e-5)
        assert table["Cmid"][i] == pytest.approx(4000 * np.exp(alone.m[0]), rel=1e-4)


def test_spread_is_that_of_fresh_noise() -> None:
    """With independent noise the bootstrap of blocks of one repeats the spread of refitting new runs."""
    fresh = np.array([fit_law(COMPUTE, noisy(seed)).law.A for seed in range(300)])
    table = bootstrap_law(COMPUTE, noisy(1000), replicates=500, seed=0, block_length=1)
    # both standard deviations have an error of some 5 %, and one run scatters more or less than the mean run
    assert 0.6 < table["A"].std() / fresh.std() < 1.7
    assert abs(table["A"].median() - fit_law(COMPUTE, noisy(1000)).law.A) < table["A"].std()


def test_blocks_keep_neighbours_and_wrap() -> None:
    rng = np.random.default_rng(0)
    circular = draw_blocks(rng, 400, 20, 5, stationary=False)
    steps = np.diff(circular, axis=1) % 20
    inside = np.arange(1, 20) % 5 != 0
    assert (steps[:, inside] == 1).all() and (steps[:, ~inside] != 1).any()
    stationary = draw_blocks(rng, 4000, 20, 5, stationary=True)
    # a block goes on with probability 4/5, and a new one opens at the next place by chance once in 20
    assert np.mean(np.diff(stationary, axis=1) % 20 == 1) == pytest.approx(0.8 + 0.2 / 20, abs=0.01)
    for drawn in (circular, stationary):
        assert drawn.min() == 0 and drawn.max() == 19
        share = np.bincount(drawn.ravel(), minlength=20) / drawn.size
        assert share == pytest.approx(np.full(20, 0.05), abs=0.01)  # ends as often as the middle


def test_long_logs_are_binned() -> None:
    rng = np.random.default_rng(0)
    compute = np.arange(1000.0)
    pass_rate = np.clip(Sigmoid(0.2, 0.7, 1.5, 250)(compute) + 0.05 * rng.standard_normal(1000), 0, 1)
    table = bootstrap_law(compute, pass_rate, replicates=200, seed=0)
    assert table["A"].quantile(0.01) < 0.7 < table["A"].quantile(0.99)
    assert table["A"].std() < 0.05


def test_thousand_replicates_take_less_than_a_second() -> None:
    bootstrap_law(COMPUTE, noisy(), replicates=2)
    began = time.process_time()
    bootstrap_law(COMPUTE, noisy(), replicates=1000)
    assert time.process_time() - began < 1.0  # CPU time, measured .07 to .1 s; the rest is for slow machines


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replicates": 0}, "replicates is 0"),
        ({"block": "moving"}, "'stationary' or 'circular'"),
        ({"block_length": 0}, "block_length is 0"),
        ({"block_length": 61}, "block_length is 61 with 60"),
    ],
)
def test_bad_options_are_refused(options, message: str) -> None:
    with pytest.raises(FitError, match=message):
        bootstrap_law(COMPUTE, noisy(), **options)


def test_bad_points_are_refused() -> None:
    with pytest.raises(FitError, match="constant series"):
        bootstrap_law(COMPUTE, np.full(60, 0.5))
    with pytest.raises(CurveError, match="nan"):
        bootstrap_law(COMPUTE, np.full(60, np.nan))
