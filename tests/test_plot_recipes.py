"""Figures of recipes and difficulty hold the numbers that the functions give."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from rlscale import plot_difficulty, plot_recipes
from rlscale.errors import CurveError
from rlscale.hardware import find_gpu, find_model
from rlscale.lab.shipped import read_shipped_runs
from rlscale.losses import AVERAGES, find_objective
from rlscale.plot_marks import RECIPES
from rlscale.recipes import find_recipe
from rlscale.setups import tabulate_setups
from rlscale.signal import zero_variance_probability
from rlscale.tables import load_table


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def test_pair_has_a_dot_at_each_Cmid_and_a_cross_at_each_crossing(ax) -> None:
    laws = {n: find_recipe(n).law for n in ("GRPO", "CISPO")}
    assert plot_recipes.plot_pair(ax, laws, 100, 1e5, target=0.45, crossings=[500.0]) is ax
    dots = [line for line in ax.lines if len(line.get_xdata()) == 1]
    assert [d.get_xdata()[0] for d in dots] == [3500, 2542, 500]
    assert dots[1].get_ydata()[0] == pytest.approx((0.25 + 0.61) / 2)
    colours = {line.get_color() for line in ax.lines}
    assert {RECIPES["GRPO"].colour, RECIPES["CISPO"].colour} <= colours


def test_two_recipes_without_a_mark_of_their_own_are_told_apart() -> None:
    assert plot_recipes.mark_of("mine") != plot_recipes.mark_of("theirs", other=True)


def test_clip_edges_are_where_the_recipes_put_them() -> None:
    fig, axes = plt.subplots(1, 2)
    plot_recipes.plot_ratio_weights(tuple(axes), [find_objective(n) for n in ("grpo", "dapo", "cispo")])
    right = {line.get_label(): line.get_xydata() for line in axes[0].lines}
    wrong = {line.get_label(): line.get_xydata() for line in axes[1].lines}
    for name, edge in (("GRPO", 1.2), ("DAPO", 1.28)):
        points = right[name]
        assert points[points[:, 1] > 0, 0].max() == pytest.approx(edge, rel=1e-6)
        assert wrong[name][wrong[name][:, 1] > 0, 0].min() == pytest.approx(0.8, rel=1e-6)
        assert wrong[name][-1, 1] == pytest.approx(10)  # no bound for a wrong answer that became likelier
    assert right["CISPO"][:, 1].max() == wrong["CISPO"][:, 1].max() == 5
    plt.close(fig)


def test_averages_draw_one_line_each_and_the_token_mean_is_one(ax) -> None:
    plot_recipes.plot_averages(ax, [[1, 2], [10, 20]], longest=20)
    drawn = {line.get_label(): line.get_xydata() for line in ax.lines}
    assert set(drawn) == set(AVERAGES)
    assert drawn["token"][:, 1] == pytest.approx(1)
    # by sequence: total tokens / (answers x length)
    assert drawn["sequence"] == pytest.approx(np.array([[n, 33 / (4 * n)] for n in (1, 2, 10, 20)]))
    assert drawn["prompt"][:, 1] == pytest.approx([33 / 6, 33 / 6, 33 / 60, 33 / 60])
    assert drawn["constant"][:, 1] == pytest.approx(33 / 80)


def test_pull_is_scaled_to_one_at_one_half(ax) -> None:
    plot_recipes.plot_pull(ax, {"a": find_objective("grpo"), "b": find_objective("dr-grpo")}, 8)
    for line in ax.lines:
        assert line.get_ydata()[200] == 1
    assert (ax.lines[0].get_ydata()[1:-1] >= ax.lines[1].get_ydata()[1:-1] - 1e-12).all()


def test_levers_draw_each_effect_and_frame_what_the_page_says(ax) -> None:
    levers = load_table("levers")
    plot_recipes.plot_levers(ax, levers)
    frames = [line for line in ax.lines if line.get_markersize() == 16]
    said = sum(2 if p == "both" else p in ("ceiling", "speed") for p in levers["page_says"])
    assert len(frames) == said
    assert [t.get_text() for t in ax.get_yticklabels()] == [i.replace("_", " ") for i in levers["id"]]
    assert set(levers["ceiling"]) | set(levers["speed"]) <= set(plot_recipes.EFFECTS)


def test_memory_bars_add_up_to_the_total(ax) -> None:
    table = tabulate_setups(find_model("Llama-3.1-8B"), find_gpu("H100 SXM"), tokens_per_gpu=4096)
    plot_recipes.plot_memory(ax, table, 80)
    widths = np.array([[bar.get_width() for bar in part] for part in ax.containers]).sum(0)
    assert widths == pytest.approx(table["total"].to_numpy())


def test_zero_variance_lines_are_the_formula(ax) -> None:
    plot_difficulty.plot_zero_variance(ax, (2, 8))
    for line, size in zip(ax.lines, (2, 8), strict=True):
        x, y = line.get_xydata().T
        assert y == pytest.approx(zero_variance_probability(x, size))


def test_spread_begins_at_equal_prompts(ax) -> None:
    plot_difficulty.plot_spread(ax, 0.5, (4, 8))
    assert [line.get_ydata()[0] for line in ax.lines] == pytest.approx([0.125, 0.0078125])
    assert all((np.diff(line.get_ydata()) > 0).all() for line in ax.lines)


def test_lines_are_named_at_their_end(ax) -> None:
    plot_difficulty.plot_lines(ax, {"a": ([0, 1], [0, 0.2]), "b": ([0, 1], [0, 0.9])})
    assert {t.get_text() for t in ax.texts} == {"a", "b"}


def test_early_gain_is_read_off_the_runs(ax) -> None:
    runs = read_shipped_runs()
    table = plot_difficulty.tabulate_early_gain(runs, ["baseline"], 100_000)
    curve = runs.curve("baseline", 0, "generated_tokens")
    expected = np.interp(100_000, curve.compute, curve.pass_rate) - curve.pass_rate[0]
    assert table.loc[table["seed"] == 0, "gain"].iloc[0] == pytest.approx(expected)
    with pytest.raises(CurveError, match="give no more than that"):
        plot_difficulty.tabulate_early_gain(runs, ["baseline"], 1e12)
    plot_difficulty.plot_early_gain(ax, pd.DataFrame({"start": [0.1, 0.5], "gain": [0.09, 0.25]}))
    # both points lie on p(1 - p), so the line is p(1 - p) itself
    assert ax.lines[1].get_ydata()[50] == pytest.approx(0.25)
