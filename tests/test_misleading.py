"""Planted runs: each gets its verdict, whatever the noise."""

from __future__ import annotations

import numpy as np
import pytest

import rlscale as rs
from rlscale.misleading import plant_runs

SEEDS = (0, 1, 2)
NAMES = list(plant_runs())


@pytest.fixture(scope="module")
def planted():
    return {seed: plant_runs(seed) for seed in SEEDS}


def test_there_are_the_traps_that_the_chapter_names(planted):
    wanted = {"before Cmid", "flat", "late take-off", "collapse", "filtered reward", "shaped reward"}
    assert wanted | {"length hacking", "30 problems"} == set(NAMES)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NAMES)
def test_each_run_gets_its_verdict(planted, name, seed):
    run = planted[seed][name]
    read = run.read()
    curve = read.curve()
    forecast = rs.forecast_run(curve, budget=run.budget)
    codes = [r.code for r in forecast.reasons]
    if run.warning:
        assert run.warning in [w.code for w in read.warnings]
    assert curve.y_key != run.trap
    # the noisy end scatters round the law: ±.03 for 30 answers a point, far less for the others
    assert run.end == pytest.approx(
        run.later.pass_rate[-8:].mean(), abs=0.09 if name == "30 problems" else 0.02
    )
    if run.code:
        assert forecast.state == "no forecast" and run.code in codes and forecast.verdict == "cannot tell"
    else:
        assert forecast.end.lo <= run.end <= forecast.end.hi


def test_a_least_squares_fit_is_misled(planted):
    """What the planted runs are for: the best fit is far off in several of the eight."""
    far = 0
    for run in planted[2].values():
        curve = run.read().curve()
        fit = rs.fit_law(curve.compute, curve.pass_rate).law
        far += abs(float(fit(run.budget)) - run.end) > 0.05
    assert far >= 3


def test_flat_and_late_pilots_cannot_be_told_apart(planted):
    flat, late = (planted[0][n].read().curve() for n in ("flat", "late take-off"))
    assert np.abs(flat.pass_rate - late.pass_rate).max() < 0.01
    assert planted[0]["late take-off"].later.pass_rate[-1] > 0.55


def test_a_run_that_collapsed_says_where(planted):
    curve = planted[0]["collapse"].read().curve()
    assert 180 <= curve.collapsed <= 215 and curve.compute[-1] < curve.collapsed
    forecast = rs.forecast_run(curve, budget=400)
    assert forecast.reasons[0].code == "collapsed" and f"{curve.collapsed:g}" in forecast.reasons[0].message
    assert "best checkpoint" in forecast.decision.why
    whole = planted[0]["collapse"].read().curve(whole=True)
    assert whole.collapsed is None and len(whole) > len(curve)


def test_same_seed_same_logs(planted):
    again = plant_runs(1)
    assert all(again[n].log.equals(planted[1][n].log) for n in NAMES)
    assert not again["flat"].log.equals(planted[0]["flat"].log)
