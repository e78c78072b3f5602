"""The three states and their reasons."""

import numpy as np
import pytest

import rlscale as rs
from rlscale.gate import CEILING, END_ONLY, REFUSED, Spread, find_fall, judge_pilot, measure_rise

RISING = np.linspace(0.2, 0.6, 20)


def make_spread(**changes):
    return Spread(
        **{
            "end": (0.55, 0.62),
            "ceiling": (0.57, 0.65),
            "passed": 0.99,
            "disagreement": 0.01,
            "rise_nats": 9.0,
            **changes,
        }
    )


def judge(pass_rate=RISING, **changes):
    state, reasons = judge_pilot(np.asarray(pass_rate), 0.01, make_spread(**changes), "400 updates")
    return state, [r.code for r in reasons]


def test_all_conditions_met_identify_the_ceiling():
    assert judge() == (CEILING, ["ceiling identified"])


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"passed": 0.94}, "Cmid not passed"),
        ({"ceiling": (0.5, 0.61)}, "ceiling too wide"),
        ({"ceiling": (0.9, 0.985)}, "ceiling near 1"),
        ({"disagreement": 0.021}, "shapes disagree"),
        ({"misfit": 0.012}, "misfit"),
        ({"misfit": -0.012}, "misfit"),
    ],
)
def test_each_doubt_leaves_the_end_only(changes, code):
    assert judge(**changes) == (END_ONLY, [code])


def test_width_refuses_and_not_cmid():
    assert judge(end=(0.4, 0.61)) == (REFUSED, ["interval too wide"])
    assert judge(end=(0.4, 0.60), passed=0.1)[0] == END_ONLY


def test_flat_and_drifting_pilots_have_no_rise_yet():
    assert judge(np.full(20, 0.3) + 0.01 * np.cos(np.arange(20)))[1] == ["no rise yet"]
    assert judge(rise_nats=0.9)[1] == ["no rise yet"]
    state, reasons = judge_pilot(np.full(20, 0.3), 0.01, make_spread(), "400 updates")
    assert "1 in 4" in reasons[0].message
    assert state == REFUSED


def test_five_points_are_too_few_and_six_are_not():
    assert judge(RISING[::4])[1] == ["too few points"]
    assert judge(np.linspace(0.2, 0.6, 6))[0] == CEILING


def test_a_collapse_is_flagged_where_it_happens():
    # TC-16: flagged at index 7, best at index 5; not "no rise yet", although the end is below the start
    y = np.array([0.2, 0.3, 0.4, 0.5, 0.55, 0.56, 0.55, 0.30, 0.10])
    assert find_fall(y[:7], 0.02) is None
    assert find_fall(y[:8], 0.052)[1] == 5
    assert find_fall(y, 0.073)[1] == 5
    state, codes = judge(y)
    assert (state, codes) == (REFUSED, ["falling"])


def test_five_points_on_thirty_problems_are_no_improvement():
    # TC-18: p = .40, 30 problems, mean@1: standard error .089
    y = np.full(12, 0.40)
    y[-3:] = 0.45
    assert measure_rise(y, 0.089) < 1


@pytest.mark.parametrize(
    ("at", "rate", "budget"),
    [
        (np.arange(0, 250, 10), 0.2 + 0.001 * np.arange(0, 250, 10), 400),
        (np.arange(0, 60, 10), np.linspace(0.32, 0.42, 6), 110),
        (np.arange(1, 76), 0.05 + 0.0052 * np.arange(1, 76), 180),
    ],
)
def test_a_straight_line_is_not_forecast(at, rate, budget):
    """Each was shown with a narrow interval that excluded the line itself at the budget."""
    forecast = rs.forecast_run(rs.Curve(at, rate, unit="rollout_steps"), budget=budget)
    assert forecast.state == "no forecast" and "no bend yet" in {r.code for r in forecast.reasons}


def test_no_text_names_a_pass_rate_above_one():
    """The allowance for the shape widens the interval of the ceiling beyond 1."""
    spread = make_spread(ceiling=(0.95, 1.03))
    _, reasons = judge_pilot(RISING, 0.01, spread, "400 updates")
    near = next(r for r in reasons if r.code == "ceiling near 1")
    assert "reaches 1.00:" in near.message


@pytest.mark.parametrize(
    ("width", "said"),
    [(0.203, "0.203 wide; 0.20 is"), (0.31, "0.31 wide; 0.20 is"), (0.2000004, "0.200000 wide")],
)
def test_a_number_beside_its_limit_does_not_look_like_it(width, said):
    """A reader met "is 0.20 wide; 0.20 is the widest that is shown"."""
    _, reasons = judge_pilot(RISING, 0.01, make_spread(end=(0.5, 0.5 + width)), "400 updates")
    assert said in next(r.message for r in reasons if r.code == "interval too wide")
