"""Simulated runs: the planted law and the planted noise come back."""

import numpy as np
import pytest

import rlscale as rs
from rlscale.errors import CurveError
from rlscale.simulate import simulate_curve

LAW = rs.Sigmoid(R0=0.2, A=0.6, B=1.5, Cmid=100)


def flat(points, **options):
    """A law that does not move, so that all that varies is noise."""
    law = rs.Sigmoid(R0=0.5, A=0.5, B=1, Cmid=1)
    return simulate_curve(law, np.arange(points, dtype=float), unit="updates", **options).pass_rate


def test_same_seed_same_run_other_seed_other_run():
    runs = [simulate_curve(LAW, [0, 50, 100], unit="updates", seed=s).pass_rate.tolist() for s in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_mean_of_many_runs_is_the_law():
    compute = [0.0, 50.0, 100.0, 400.0]
    mean = np.mean(
        [simulate_curve(LAW, compute, unit="updates", seed=s).pass_rate for s in range(400)], axis=0
    )
    # sd of one point is below .008, so that of the mean of 400 is below .0004: 4 of these
    np.testing.assert_allclose(mean, LAW(compute), atol=0.0016)


def test_without_drift_the_noise_is_binomial():
    rates = flat(4000, seed=3, n=100, k=4, drift=0)
    # sd of a sample sd of 4,000 normal draws is 1.1 %: 4 of these
    assert rates.std() == pytest.approx(np.sqrt(0.25 / 400), rel=0.045)
    np.testing.assert_allclose(rates * 400, np.round(rates * 400), atol=1e-9)


def test_drift_has_its_size_and_its_memory():
    rates = flat(20_000, seed=4, n=10**6, k=1, drift=0.02, drift_length=5.0) - 0.5
    # about 2,000 independent stretches: 4 standard errors are 6.5 % of the sd and .07 of the correlation
    assert rates.std() == pytest.approx(0.02, rel=0.065)
    for lag in (1, 5, 20):
        assert np.corrcoef(rates[:-lag], rates[lag:])[0, 1] == pytest.approx(np.exp(-lag / 5), abs=0.07)


def test_curve_says_that_it_is_simulated_and_how():
    curve = simulate_curve(LAW, [0, 50], unit="gpu_hours", seed=0, n=30, k=2, kind="train_pass_rate")
    assert (curve.format, curve.n, curve.k, curve.unit, curve.kind) == (
        "simulated",
        30,
        2,
        "gpu_hours",
        "train_pass_rate",
    )


def test_rates_stay_inside_zero_and_one_under_wild_drift():
    law = rs.Sigmoid(R0=0.0, A=1.0, B=2, Cmid=10)
    rates = simulate_curve(law, np.arange(200.0), unit="updates", seed=0, n=10, k=1, drift=0.5).pass_rate
    assert rates.min() >= 0 and rates.max() <= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "n of a simulated run is 0"),
        ({"k": 1.5}, "k of a simulated run is 1.5"),
        ({"drift": -0.1}, "drift of a simulated run"),
        ({"drift": float("nan")}, "drift of a simulated run"),
        ({"drift_length": 0.0}, "drift_length of a simulated run"),
        ({"unit": "steps"}, "unit 'steps' is not known"),
    ],
)
def test_what_has_no_meaning_is_refused(options, message):
    with pytest.raises(CurveError, match=message):
        simulate_curve(LAW, [0, 50, 100], **{"unit": "updates", "seed": 0, **options})


@pytest.mark.parametrize("compute", [[-1, 2], [0, float("nan")], [2, 1], [1, 1]])
def test_compute_that_is_no_compute_is_refused(compute):
    with pytest.raises(CurveError):
        simulate_curve(LAW, compute, unit="updates", seed=0)
