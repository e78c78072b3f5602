"""Figures of cost and speed: axes in, axes out, the numbers in them, nothing global."""

from __future__ import annotations

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from rlscale import plot_cost
from rlscale.cost import Swing, estimate_cost
from rlscale.cost_checks import Check
from rlscale.presets import load_scenario
from rlscale.spread import Interval, Spread


@pytest.fixture
def ax():
    before = dict(matplotlib.rcParams)
    fig, ax = plt.subplots()
    yield ax
    assert dict(matplotlib.rcParams) == before and plt.get_fignums() == [fig.number]
    plt.close(fig)


def texts(ax) -> str:
    return " | ".join(t.get_text() for t in ax.texts)


def test_bills_cross_where_they_should(ax):
    marks = {"break-even": 934.0}
    out = plot_cost.plot_break_even(
        ax, 34.75e9, 27_800, Spread(2, 2.69, 4), marks, estimate=Interval(900, 500, 1500)
    )
    assert out is ax
    (dot,) = [line for line in ax.lines if line.get_marker() == "o"]
    assert dot.get_ydata()[0] == pytest.approx(27_800, rel=0.001)
    assert "break-even\n$27.8K" in texts(ax)


def test_checks_show_ratio_and_what_does_not_count(ax):
    good = Check("good", "", "run", Interval(100, 50, 200), 80.0, True, "", "")
    second = Check("second", "", "run", Interval(10, 5, 20), 80.0, False, "", "why")
    assert plot_cost.plot_checks(ax, [good, second]) is ax
    dots = {line.get_marker(): line for line in ax.lines if line.get_marker() in ("o", "D")}
    assert dots["o"].get_xdata()[0] == 1.25 and dots["D"].get_xdata()[0] == 0.125
    assert dots["D"].get_markerfacecolor() == "none"
    assert [t.get_text() for t in ax.get_yticklabels()] == ["good", "second"]


def test_swings_start_at_the_central_bill(ax):
    swings = [Swing("total_tinker", "mean_length", 50, 200), Swing("total_tinker", "mfu", 130, 80)]
    assert plot_cost.plot_swings(ax, swings, 100.0) is ax
    assert sorted((p.get_x(), round(p.get_width())) for p in ax.patches) == [
        (100, -50),
        (100, -20),
        (100, 30),
        (100, 100),
    ]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["mean length", "MFU"]


def test_parts_of_a_step_are_stacked(ax):
    parts = {"generation": [3.0, 4.0], "training": [1.0, 2.0]}
    assert plot_cost.plot_step_parts(ax, ["sync", "async"], parts, measured=[4.5, 5.0]) is ax
    ends = [p.get_x() + p.get_width() for p in ax.patches]
    assert np.allclose(sorted(ends), [3, 4, 4, 6])


def test_bills_add_up_and_share_what_both_pay(ax):
    cost = estimate_cost(load_scenario("tinker-math"), draws=200)
    assert plot_cost.plot_bills(ax, cost) is ax
    for branch in ("tinker", "self_hosted"):
        parts = plot_cost.list_parts(cost, branch)
        mean = float(np.mean(cost.draws[f"total_{branch}"]))
        assert sum(parts.values()) == pytest.approx(mean) and "storage" in parts
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches]
    assert max(ends) == pytest.approx(float(np.mean(cost.draws["total_tinker"])))
    shown = {line.get_xdata()[0] for line in ax.lines if line.get_marker() == "D"}
    assert shown == {cost.usd["total_tinker"].median, cost.usd["total_self_hosted"].median}
