"""Figures of the reference runs hold the numbers of their tables."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from rlscale.contradictions import compare_throughput
from rlscale.errors import TableError
from rlscale.plot_marks import COLOURS
from rlscale.plot_reference import plot_factor, plot_needs, plot_throughput
from rlscale.reference import h100_hours, nearest_runs
from rlscale.tables import load_table

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def test_throughput_has_a_dot_a_row_and_marks_what_is_out_of_line(ax) -> None:
    table = compare_throughput()
    table = table[table.out_of_line.notna()].sort_values("work")
    assert plot_throughput(ax, table, "work", "work") is ax
    drawn = [line.get_xdata()[0] for line in ax.lines]
    assert drawn == table["work"].tolist()
    assert [t.get_text() for t in ax.get_yticklabels()] == table["id"].tolist()
    squares = [line for line in ax.lines if line.get_marker() == "s"]
    assert len(squares) == 1 and squares[0].get_color() == COLOURS["vermillion"]
    hollow = sum(line.get_markerfacecolor() == "white" for line in ax.lines)
    assert hollow == (table["origin"] == "starting page").sum() == 2
    assert ax.get_xscale() == "log" and "log scale" in ax.get_xlabel()


def test_throughput_without_values_is_refused(ax) -> None:
    table = compare_throughput()
    with pytest.raises(TableError, match="no run has a value of 'work'"):
        plot_throughput(ax, table[table["work"].isna()], "work", "work")


def test_factor_shows_the_measurements_the_middle_and_what_is_stated(ax) -> None:
    one = h100_hours(1, "GB200")
    measured = load_table("gpu_speedups")
    plot_factor(ax, one, measured, 2.8)
    assert sorted(ax.lines[0].get_xdata()) == sorted(measured["speedup"])
    assert [line.get_xdata()[0] for line in ax.lines[1:]] == [one.mid, 2.8]
    span = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    assert (span.x0, span.x1) == pytest.approx((one.lo, one.hi))
    words = " ".join(t.get_text() for t in ax.texts)
    assert "2.42" in words and "2.8" in words


def test_needs_show_ranges_of_the_runs_that_state_hours(ax) -> None:
    nearest = nearest_runs("math", 8, limit=30)
    known = nearest[nearest["h100_hours_mid"].notna()]
    assert 0 < len(known) < len(nearest)
    plot_needs(ax, nearest)
    bars = np.array([[p[0, 0], p[1, 0]] for p in ax.collections[0].get_segments()])
    assert np.allclose(bars, known[["h100_hours_lo", "h100_hours_hi"]])
    assert ax.lines[0].get_xdata().tolist() == known["h100_hours_mid"].tolist()
    heights = ax.lines[0].get_ydata()
    assert heights[0] == max(heights)  # the nearest run stands at the top


def test_needs_without_hours_are_refused(ax) -> None:
    nearest = nearest_runs("math", 8, limit=30)
    with pytest.raises(TableError, match="none of these runs states the hours"):
        plot_needs(ax, nearest[nearest["h100_hours_mid"].isna()])


def test_sorting_of_a_table_on_a_page() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node to run the page's functions outside of a browser")
    script = f"""
    const s = require({json.dumps(str(ROOT / "book" / "_static" / "sort-tables.js"))});
    const cells = ["7,400 rollouts", "", "180 rollouts", "H100", "1,170 rollouts"];
    const sort = (direction) => [...cells].sort((a, b) => s.compareCells(a, b, direction));
    const read = s.readLeadingNumber;
    console.log(JSON.stringify([sort(1), sort(-1), read("-2.5 x"), read("H100")]));
    """
    done = subprocess.run([node, "-e", script], check=True, capture_output=True, text=True)
    up, down, number, word = json.loads(done.stdout)
    assert up == ["180 rollouts", "1,170 rollouts", "7,400 rollouts", "H100", ""]
    assert down == ["H100", "7,400 rollouts", "1,170 rollouts", "180 rollouts", ""]  # empty last both ways
    assert (number, word) == (-2.5, None)
