"""The profile of the ceiling: it holds the truth, opens where nothing is known, and adds up."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rlscale.errors import CurveError, FitError
from rlscale.fitting import profile_ceiling
from rlscale.law import SHAPES, Law, Sigmoid
from rlscale.profile import CALIBRATED_CUTOFF, DRIFT_LENGTHS, DRIFT_SDS
from rlscale.simulate import simulate_curve

TRUTH = Sigmoid(0.2, 0.6, 1.5, 1000)


def draw(end: float, points: int = 40, seed: int = 0):
    curve = simulate_curve(TRUTH, np.linspace(0, end, points), unit="gpu_hours", seed=seed, k=32)
    return curve.compute, curve.pass_rate


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_whole_run_pins_the_ceiling(shape: type[Law]) -> None:
    truth = shape(0.2, 0.6, 1.5, 1000)
    curve = simulate_curve(truth, np.linspace(0, 8000, 40), unit="gpu_hours", seed=1, k=32)
    found = profile_ceiling(curve.compute, curve.pass_rate, law=shape, noise_sd=0.003)
    assert found.lo < 0.6 < found.hi and found.lo <= found.A <= found.hi
    assert found.hi - found.lo < 0.25
    assert found.cutoff == CALIBRATED_CUTOFF == 5.4


def test_a_pilot_below_cmid_leaves_the_ceiling_open() -> None:
    found = profile_ceiling(*draw(500), noise_sd=0.003)
    assert found.hi == 1.0 and found.hi - found.lo > 0.3


def test_wider_with_a_larger_cutoff_and_with_more_noise() -> None:
    compute, pass_rate = draw(2500)
    narrow, wide = (profile_ceiling(compute, pass_rate, noise_sd=0.003, cutoff=c) for c in (2.71, 5.4))
    assert wide.lo < narrow.lo < narrow.hi < wide.hi
    noisy = profile_ceiling(compute, pass_rate, noise_sd=0.02)
    assert noisy.hi - noisy.lo > wide.hi - wide.lo


def test_deviance_is_the_likelihood_of_the_module() -> None:
    """One row of the table, minimised anew by Nelder–Mead with the covariance written out."""
    compute, pass_rate = draw(2500, points=25)
    found = profile_ceiling(compute, pass_rate, noise_sd=0.003)
    apart = np.abs(np.subtract.outer(compute, compute))

    def deviance(A: float, R0: float, B: float, Cmid: float, tau: float, length: float) -> float:
        covariance = 0.003**2 * np.eye(25) + tau**2 * np.exp(-apart / length)
        residual = pass_rate - (R0 + (A - R0) * Sigmoid.fraction(compute, B, Cmid))
        return float(residual @ np.linalg.solve(covariance, residual) + np.linalg.slogdet(covariance)[1])

    least = []
    for _, row in found.table.iloc[:: len(found.table) // 6].iterrows():
        options = []
        for tau in DRIFT_SDS:
            for share in DRIFT_LENGTHS if row.drift_sd == tau else ():
                start = [row.R0, np.log(row.B), np.log(row.Cmid)]

                def objective(p, A=row.A, tau=tau, length=share * compute[-1]):
                    near = 1e-9  # a start on a bound must not fall out by rounding
                    if not (-near <= p[0] <= A + near and abs(p[1] - np.log(1.265)) < 1.845):
                        return 1e9
                    if not 1e-3 * (1 - near) <= np.exp(p[2]) / compute[-1] <= 20 * (1 + near):
                        return 1e9
                    return deviance(A, p[0], np.exp(p[1]), np.exp(p[2]), tau, length)

                options.append(minimize(objective, start, method="Nelder-Mead", options={"xatol": 1e-7}).fun)
        least.append((row.deviance, min(options)))
    reported, again = np.array(least).T
    # the table counts from the lowest of all, so differences are compared
    np.testing.assert_allclose(reported - reported[0], again - again[0], atol=2e-3)


def test_units_do_not_matter() -> None:
    compute, pass_rate = draw(2500)
    one = profile_ceiling(compute, pass_rate, noise_sd=0.003)
    other = profile_ceiling(compute * 1e18, pass_rate, noise_sd=0.003)
    assert (other.lo, other.hi) == pytest.approx((one.lo, one.hi), rel=1e-6)


def test_noise_is_taken_from_differences_when_not_given() -> None:
    rng = np.random.default_rng(0)
    compute = np.linspace(0, 8000, 60)
    pass_rate = np.clip(TRUTH(compute) + 0.01 * rng.standard_normal(60), 0, 1)
    assert profile_ceiling(compute, pass_rate).noise_sd == pytest.approx(0.01, rel=0.4)
    assert profile_ceiling(compute, TRUTH(compute)).noise_sd == 0.002  # the floor: rounding of logs


def test_a_noise_for_each_point() -> None:
    compute, pass_rate = draw(2500)
    sd = np.full(40, 0.003)
    one, same = (profile_ceiling(compute, pass_rate, noise_sd=s) for s in (0.003, sd))
    assert (one.lo, one.hi) == pytest.approx((same.lo, same.hi), rel=1e-9)


def test_covers_at_the_calibrated_cutoff_and_not_at_the_textbook_one() -> None:
    """60 pilots, 90 % nominal: the binomial error of .9 is ±.04, and of the textbook's .75 it is ±.06."""
    held = {2.71: 0, 5.4: 0}
    tried = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        R0, B, Cmid = rng.uniform(0.15, 0.4), *np.exp(rng.uniform(np.log([0.8, 0.06]), np.log([2.5, 0.6])))
        truth = Sigmoid(R0, min(R0 + rng.uniform(0.15, 0.45), 0.9), B, Cmid)
        whole = simulate_curve(truth, np.linspace(0, 1, 60), unit="gpu_hours", seed=seed, k=32)
        for kept in (15, 30):
            found = profile_ceiling(whole.compute[:kept], whole.pass_rate[:kept], noise_sd=0.0028)
            at_truth = np.interp(truth.A, found.table["A"], found.table["deviance"])
            tried += 1
            for cutoff in held:
                held[cutoff] += at_truth <= cutoff
            assert (at_truth <= 5.4) == (found.lo <= truth.A <= found.hi)
    assert held[5.4] / tried >= 0.82
    assert held[2.71] / tried <= 0.86


@pytest.mark.parametrize("noise_sd", [0.0, -1.0, np.nan, np.inf, [0.1, 0.2]])
def test_bad_noise_is_refused(noise_sd) -> None:
    with pytest.raises(CurveError, match="noise_sd"):
        profile_ceiling(*draw(2500), noise_sd=noise_sd)


def test_bad_input_is_refused() -> None:
    with pytest.raises(FitError, match="cutoff"):
        profile_ceiling(*draw(2500), cutoff=0)
    with pytest.raises(FitError, match="constant series"):
        profile_ceiling([0, 1, 2, 3], [0.5] * 4)
