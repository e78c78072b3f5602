"""Figures show what their tables hold."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from rlscale.errors import TableError
from rlscale.lab.analysis import summarise_runs
from rlscale.lab.figures import (
    gain_per_token,
    mean_curve,
    plot_arms,
    plot_ends,
    plot_gain,
    plot_speed_and_end,
    plot_zero_variance,
)
from rlscale.lab.shipped import read_shipped_runs


@pytest.fixture(scope="module")
def runs():
    return read_shipped_runs()


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_each_seed_is_a_line_and_their_mean_another(runs, ax):
    plot_arms(ax, runs, {"GRPO": "baseline", "small pool": "pool-32"})
    assert len(ax.lines) == len(runs.seeds("baseline")) + len(runs.seeds("pool-32")) + 2
    assert {t.get_text() for t in ax.texts} == {"GRPO", "small pool"}
    assert "completions" in ax.get_xlabel()
    grid, mean = mean_curve(runs, "baseline", points=11)
    seeds = [runs.curve("baseline", s) for s in runs.seeds("baseline")]
    assert mean[0] == pytest.approx(np.mean([c.pass_rate[0] for c in seeds]))
    assert grid[-1] == min(c.compute[-1] for c in seeds)


def test_processor_time_is_an_axis_to_look_at(runs, ax):
    plot_arms(ax, runs, {"GRPO": "baseline"}, x="cpu_seconds", end=5.0)
    assert ax.get_xlabel() == "processor time (s)"
    assert ax.get_xlim() == (0, 5)


def test_too_many_arms_are_refused(runs, ax):
    with pytest.raises(TableError, match="draw fewer"):
        plot_arms(ax, runs, {str(i): "baseline" for i in range(9)})


def test_ends_stand_at_their_setting(runs, ax):
    table = summarise_runs(runs, ["baseline", "pool-32", "pool-512"])
    plot_ends(ax, table, {"pool": {32: "pool-32", 512: "pool-512"}}, xlabel="prompts")
    assert [t.get_text() for t in ax.get_xticklabels()] == ["32", "512"]
    dots = np.concatenate([line.get_ydata() for line in ax.lines if line.get_linestyle() == "None"])
    wanted = table.loc[table["arm"] != "baseline", "end"]
    assert np.allclose(np.sort(dots), np.sort(wanted))


def test_runs_that_never_reach_half_are_left_out_of_the_speed_figure(runs, ax):
    table = summarise_runs(runs, ["baseline", "pool-32"])
    plot_speed_and_end(ax, table, {"GRPO": "baseline", "small pool": "pool-32"})
    drawn = {t.get_text() for t in ax.texts}
    assert "GRPO" in drawn
    reached = table[table["c50"].notna()]["arm"].unique()
    assert ("small pool" in drawn) == ("pool-32" in reached)


def test_gain_is_a_difference_of_pass_rates_over_tokens(runs, ax):
    table = gain_per_token(runs, "baseline", smooth=2)
    curve = runs.curve("baseline", 0, "generated_tokens")
    first = table[table["seed"] == 0].iloc[0]
    expected = (curve.pass_rate[2] - curve.pass_rate[0]) / (curve.compute[2] - curve.compute[0]) * 1e5
    assert first["gain"] == pytest.approx(expected)
    plot_gain(ax, runs, {"from .1": "baseline"})
    plot_zero_variance(ax, runs, {"G = 8": "baseline"})
    assert ax.get_ylabel() == "share of groups without spread"
