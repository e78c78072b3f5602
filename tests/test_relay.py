"""The relay model: one prompt has a closed form, gaps make plateaus."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit

from rlscale.errors import CurveError
from rlscale.relay import climb_ability, simulate_relay


def test_one_prompt_follows_its_differential_equation() -> None:
    # ds/dt = k p(1-p) with p = expit(s) has the solution s + sinh(s) = (t k)/2 from s = 0
    rate, steps, size = 0.01, 2000, 8
    s = climb_ability([0.0], steps=steps, rate=rate, group_size=size)[-1]
    # dt/ds = (2 + 2 cosh s)/k  =>  t k = 2 s + 2 sinh s
    assert 2 * s + 2 * math.sinh(s) == pytest.approx(
        steps * rate * (1 - 1 / size), rel=0.005
    )  # Euler's error


def test_a_group_of_two_is_slower_by_the_share_it_loses() -> None:
    first = [climb_ability([0.0], steps=1, rate=1.0, group_size=g)[1] for g in (2, 8)]
    assert first == pytest.approx([0.5 / 4, 0.875 / 4])


def test_ability_rises_and_pass_rates_are_its_mean() -> None:
    levels = np.linspace(-1, 3, 9)
    curve = simulate_relay(levels, steps=200, every=50)
    ability = climb_ability(levels, steps=200)
    assert (np.diff(ability) > 0).all()
    assert curve.compute.tolist() == [0, 50, 100, 150, 200]
    assert curve.pass_rate[-1] == pytest.approx(expit(ability[-1] - levels).mean())


def test_a_gap_makes_a_plateau_and_a_bridge_shortens_it() -> None:
    easy, hard = np.linspace(-2, 1, 20), np.linspace(1, 4, 20)

    def wait(levels: np.ndarray) -> float:
        c = simulate_relay(levels, steps=12_000, start=-1.0)
        return float(np.interp(0.75, c.pass_rate, c.compute) - np.interp(0.45, c.pass_rate, c.compute))

    plain, gap, wide = (wait(np.r_[easy, hard + g]) for g in (0, 4, 6))
    bridged = wait(np.r_[easy, np.linspace(2, 6, 6), (hard + 6)[:14]])
    assert plain < gap / 3 and gap < wide / 2 and bridged < 0.6 * wide


@pytest.mark.parametrize(
    "change",
    [
        {"difficulty": []},
        {"difficulty": [math.nan]},
        {"steps": 0},
        {"steps": 1.5},
        {"rate": 0},
        {"rate": math.inf},
        {"start": math.nan},
        {"every": 0},
    ],
)
def test_impossible_runs_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(CurveError):
        simulate_relay(**({"difficulty": [0.0], "steps": 10} | change))  # type: ignore[arg-type]
