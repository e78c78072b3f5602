"""What a figure shows is read back from it, number by number."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from rlscale.figure_data import COLUMNS, KINDS, read_figure
from rlscale.figure_files import FOLDER, list_calls, read_index

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = [path.stem for path in sorted((ROOT / "notebooks").glob("*.py"))]


def panel():
    return Figure().subplots()


def read(ax, kind, columns=("x", "y")):
    table = read_figure(ax.figure)
    assert tuple(table.columns) == COLUMNS and set(table["kind"]) <= set(KINDS)
    return table[table["kind"] == kind][list(columns)].to_numpy()


@pytest.mark.parametrize("scale", ["linear", "log", "logit"])
def test_lines_are_their_xydata_to_the_last_digit(scale):
    ax = panel()
    x, y = np.geomspace(1e-3, 0.9, 50), np.random.default_rng(0).uniform(0.1, 0.9, 50)
    (line,) = ax.plot(x, y)
    ax.set_xscale(scale)
    np.testing.assert_array_equal(read(ax, "line"), line.get_xydata())


def test_digits_survive_the_file(tmp_path):
    ax = panel()
    (line,) = ax.plot([0.1 + 0.2, 1e21, 1 / 3], [1e-300, 2 / 3, np.nan])
    read_figure(ax.figure).to_csv(tmp_path / "f.csv", index=False)
    back = pd.read_csv(tmp_path / "f.csv", dtype=str)[["x", "y"]].astype(float).to_numpy()
    np.testing.assert_array_equal(back, line.get_xydata())


def test_points_of_plot_and_scatter():
    ax = panel()
    ax.plot([1, 2], [3, 4], "o")
    ax.scatter([5, 6], [7, 8], c=[0.25, 0.75])
    np.testing.assert_array_equal(read(ax, "points"), [[1, 3], [2, 4], [5, 7], [6, 8]])
    assert read(ax, "points", ["value"])[2:].ravel().tolist() == [0.25, 0.75]


def test_bands_have_both_edges():
    ax = panel()
    x, low, high = np.arange(5.0), np.arange(5) * 0.1, np.arange(5) * 0.1 + 0.3
    ax.fill_between(x, low, high)
    np.testing.assert_array_equal(read(ax, "band", ["x", "y", "y2"]), np.c_[x, low, high])


def test_bars_errors_and_areas():
    ax = panel()
    ax.bar([0, 1], [3.0, 4.0], width=0.5, bottom=[0, 1], label="weights")
    ax.errorbar([2], [0.5], yerr=[[0.1], [0.2]], fmt="none")
    ax.fill([0, 1, 1], [0, 0, 1])
    boxes = read(ax, "box", ["x", "y", "x2", "y2"])
    np.testing.assert_allclose(boxes, [[-0.25, 0, 0.25, 3], [0.75, 1, 1.25, 5]], rtol=1e-15)
    np.testing.assert_allclose(read(ax, "segment", ["x", "y", "x2", "y2"]), [[2, 0.4, 2, 0.7]])
    assert read(ax, "outline").shape == (4, 2)
    assert set(read_figure(ax.figure).query("kind == 'box'")["series"]) == {"weights"}


@pytest.mark.parametrize("origin", ["upper", "lower"])
def test_cells_of_an_image_and_of_a_mesh(origin):
    values = np.arange(6.0).reshape(2, 3)
    ax = panel()
    ax.imshow(values, origin=origin, extent=(0, 3, 0, 2))
    top = 1.5 if origin == "upper" else 0.5
    first = read(ax, "cell", ["x", "y", "value"])[0]
    np.testing.assert_allclose(first, [0.5, top, 0.0])
    mesh = panel()
    mesh.pcolormesh([0, 1, 2, 3], [0, 10, 20], values)
    np.testing.assert_allclose(read(mesh, "cell", ["x", "y", "value"])[[0, -1]], [[0.5, 5, 0], [2.5, 15, 5]])


def test_what_is_masked_is_no_data():
    hidden = np.ma.masked_greater(np.arange(6.0).reshape(2, 3), 3)
    for draw in ("imshow", "pcolormesh"):
        ax = panel()
        getattr(ax, draw)(hidden)
        assert np.isnan(read(ax, "cell", ["value"])).sum() == 2
    ax = panel()
    ax.plot(np.ma.masked_less([1, 2, 3], 2), [4, 5, 6])
    ax.scatter([1, 2], [1, 2], c=np.ma.masked_greater([0.0, 1.0], 0.5))
    assert np.isnan(read(ax, "line")).tolist() == [[True, False], [False, False], [False, False]]
    assert np.isnan(read(ax, "points", ["value"])).ravel().tolist() == [False, True]


def test_a_line_across_the_axes_keeps_its_place_and_ends_at_the_limits():
    ax = panel()
    ax.axhline(0.1 + 0.2)
    ax.set(xlim=(10, 1000), xscale="log")
    np.testing.assert_allclose(read(ax, "line"), [[10, 0.3], [1000, 0.3]], rtol=1e-9)
    assert read(ax, "line")[0, 1] == 0.1 + 0.2


def test_what_has_no_place_in_the_data_is_left_out():
    ax = panel()
    ax.text(0.5, 0.5, "a note", transform=ax.transAxes)
    ax.plot([], [])
    ax.plot([1], [1], visible=False)
    assert read_figure(ax.figure).empty


def test_series_are_named_by_label_legend_or_the_text_in_their_colour():
    ax = panel()
    ax.plot([0, 1], [0, 1], color="#0072b2")
    ax.plot([0, 1], [0, 2], color="#0072b2")
    ax.text(1, 1, "fresh prompts", color="#0072b2")
    ax.plot([0, 1], [1, 1], color="black")
    ax.text(0, 0, "a note in black", color="black")
    ax.plot([0, 1], [2, 2], color="#d55e00", label="pool of 32")
    ax.plot([0, 1], [3, 3], color="#0072b2", gid="law")
    ax.plot([0, 1], [4, 4], color="black", gid="forecast")
    names = read_figure(ax.figure).query("kind == 'line'")["series"].unique().tolist()
    assert names == [
        "fresh prompts (1)", "fresh prompts (2)", "line (1)", "pool of 32", "fresh prompts: law", "forecast",
    ]  # fmt: skip


def test_panels_that_share_an_axis_share_its_name():
    figure = Figure()
    left, right = figure.subplots(1, 2, sharey=True)
    left.plot([1, 10], [0.1, 0.2])
    right.plot([1, 10], [0.1, 0.2])
    left.set(ylabel="pass rate", xlabel="steps")
    right.set(xlabel="GPU-hours", xscale="log")
    assert read_figure(figure)["panel"].unique().tolist() == [
        "1: pass rate ~ steps", "2: pass rate ~ GPU-hours (log scale)",
    ]  # fmt: skip


def test_names_on_an_axis_and_panels():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    left.bar(["GRPO", "CISPO"], [0.5, 0.6])
    left.set(xlabel="recipe", ylabel="ceiling\n(pass rate)")
    right.plot([1], [1], "o")
    right.set_title("second")
    right.set_yticks([0, 2], ["none", "all"])
    table = read_figure(figure)
    ticks = table[table["kind"] == "x tick"]
    assert list(zip(ticks["series"], ticks["x"], strict=True)) == [("GRPO", 0), ("CISPO", 1)]
    ticks = table[table["kind"] == "y tick"]
    assert list(zip(ticks["series"], ticks["y"], strict=True)) == [("none", 0), ("all", 2)]
    assert table["panel"].unique().tolist() == ["1: ceiling (pass rate) ~ recipe", "2: second"]


def test_calls_are_read_from_the_cell():
    assert list_calls("ax.plot(x)\nrs.plot_fit(ax)\nx = plot_arms (ax)\nplot_fit(ax)") == [
        "plot_fit",
        "plot_arms",
    ]


# What the built book ships


class _Figures(HTMLParser):
    """Collects id, picture, caption and link to the data of each figure of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str]] = []
        self._part = ""

    def handle_starttag(self, tag, attrs):
        given = {key: value or "" for key, value in attrs}
        if tag == "figure":
            self.found.append({"id": given.get("id", ""), "caption": "", "alt": "", "data": ""})
        elif self.found and tag == "img" and not self.found[-1]["caption"]:
            self.found[-1]["alt"] = given.get("alt", "")
        elif tag == "span" and "caption-text" in given.get("class", ""):
            self._part = "caption"
        elif tag == "a" and "_static/figures/" in given.get("href", ""):
            self.found[-1]["data"] = unquote(given["href"])

    def handle_data(self, data):
        if self._part:
            self.found[-1][self._part] += data

    def handle_endtag(self, tag):
        if tag in ("span", "p"):
            self._part = ""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_each_figure_has_caption_text_for_the_blind_and_data(site, chapter):
    page = _Figures()
    page.feed((site / f"{chapter}.html").read_text(encoding="utf-8"))
    notebook = json.loads((ROOT / "book" / f"{chapter}.ipynb").read_text(encoding="utf-8"))
    drawn = sum(
        "image/png" in output.get("data", {})
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
    )
    assert len(page.found) == drawn > 0
    for figure in page.found:
        assert len(figure["caption"]) > 15 and len(figure["alt"]) > 15, figure
        assert Path(figure["data"]).name == f"{figure['id']}.csv", figure
        table = pd.read_csv(site / figure["data"])
        assert tuple(table.columns) == COLUMNS and set(table["kind"]) <= set(KINDS)
        assert table[["x", "y"]].notna().all(axis=1).sum() >= 2, figure
    index = read_index(ROOT, chapter)
    assert index is not None and [f["name"] for f in index] == [f["id"] for f in page.found]
    for name in {call for figure in index for call in figure["calls"]}:
        found = [
            p for p in (ROOT / "rlscale").rglob("*.py") if f"def {name}(" in p.read_text(encoding="utf-8")
        ]
        assert found, f"{name} is said to draw a figure and is no function of the package"


def test_the_data_of_a_figure_are_those_of_the_table_it_draws():
    """The pools of the laboratory: each seed's line is that run's log."""
    from rlscale.lab.shipped import read_shipped_runs

    table = pd.read_csv(ROOT / FOLDER / "12-lab" / "fig-lab-pool.csv", dtype=str)
    lines = {
        name: part[["x", "y"]].to_numpy(float)
        for name, part in table[table["kind"] == "line"].groupby("series")
    }
    runs = read_shipped_runs()
    for seed in runs.seeds("pool-128"):
        log = runs.table("pool-128", seed)
        wanted = log[["completions", "heldout_pass_rate"]].to_numpy(float)
        name = f"128 ({runs.seeds('pool-128').index(seed) + 1})"
        np.testing.assert_array_equal(lines[name], wanted)


def test_print_leaves_the_link_out(root):
    style = (root / "book" / "_static" / "print.css").read_text(encoding="utf-8")
    assert re.search(r"@media print \{[^}]*\.figure-data[^}]*\{\s*display: none", style)
