"""Figures about the starting model: axes in, axes out, the numbers in them, nothing global."""

from __future__ import annotations

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from rlscale import plot_start
from rlscale.lab.coverage import tabulate_coverage
from rlscale.lab.shipped import read_shipped_runs
from rlscale.size_law import SizeLaw


@pytest.fixture
def ax():
    before = dict(matplotlib.rcParams)
    fig, ax = plt.subplots()
    yield ax
    assert dict(matplotlib.rcParams) == before and plt.get_fignums() == [fig.number]
    plt.close(fig)


def test_shares_show_the_median_and_what_was_stated(ax):
    shares = [[0.4, 0.2], [0.5, 0.3], [0.6, 0.7]]
    assert plot_start.plot_shares(ax, [0.4, 0.6], shares, stated=1 / 6) is ax
    median, stated = ax.lines
    assert median.get_ydata().tolist() == [0.5, 0.3] and stated.get_ydata()[0] == 1 / 6
    assert "stated: 0.17" in [t.get_text() for t in ax.get_legend().get_texts()]


def test_pass_at_k_marks_a_crossing_and_nothing_where_there_is_none(ax):
    plot_start.plot_pass_at_k(ax, [1, 2, 4], [0.1, 0.3, 0.6], [0.3, 0.4, 0.5])
    assert len(ax.lines) == 2 and not ax.texts
    plot_start.plot_pass_at_k(ax, [1, 2, 4], [0.1, 0.3, 0.6], [0.3, 0.4, 0.5], crossing=2.8)
    assert ax.lines[-1].get_xdata()[0] == 2.8 and ax.texts[0].get_text() == "k = 2.8"


def test_coverage_names_every_line(ax):
    table = tabulate_coverage(read_shipped_runs(), {"fresh": "baseline", "32": "pool-32"})
    plot_start.plot_coverage(ax, table, ["fresh", "32"])
    assert [t.get_text() for t in ax.texts] and {"before", "fresh", "32"} == {t.get_text() for t in ax.texts}
    assert ax.lines[1].get_ydata()[0] == pytest.approx(table.loc[("fresh", 1), "end"])


def test_slopes_are_dashed_beyond_the_largest_model(ax):
    law = SizeLaw(0.13, 13)
    plot_start.plot_size_slopes(ax, law, {0.5: 0.005, 72: 0.11})
    solid, dashed, points, limit = ax.lines
    assert solid.get_xdata().max() <= 72 < dashed.get_xdata().min() and dashed.get_linestyle() == "--"
    assert np.asarray(points.get_ydata()).tolist() == [0.005, 0.11] and limit.get_ydata()[0] == law.Kmax
