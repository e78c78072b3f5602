"""Figures: what lies on the axes, not the pixels."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("agg")
import matplotlib.pyplot as plt

import rlscale as rs
from rlscale import plot, plot_marks, plot_published
from rlscale.errors import CurveError, TableError
from rlscale.simulate import simulate_curve
from rlscale.tables import load_table

LAW = rs.Sigmoid(R0=0.2, A=0.6, B=1.5, Cmid=1000)


@pytest.fixture
def ax():
    with plt.style.context("rlscale.book"):
        figure, axes = plt.subplots()
        yield axes
        plt.close(figure)


@pytest.fixture(scope="module")
def fits():
    return plot_published.select_published(load_table("published_fits"))


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_style_sheet_fixes_size_resolution_and_background():
    with plt.style.context("rlscale.book"):
        figure = plt.figure()
        assert tuple(figure.get_size_inches()) == (6.2, 3.9) and figure.dpi == 150
        assert matplotlib.colors.to_hex(figure.get_facecolor(), keep_alpha=True) == "#ffffffff"
        plt.close(figure)


def test_style_sheet_starts_with_the_colours_of_the_marks():
    with plt.style.context("rlscale.book"):
        cycle = [c.upper() for c in plt.rcParams["axes.prop_cycle"].by_key()["color"]]
    named = {c.lstrip("#").upper() for name, c in plot.COLOURS.items() if name != "grey"}
    assert {c.lstrip("#") for c in cycle} == named


def test_no_two_recipes_look_the_same_even_without_colour():
    looks = [(mark.dash, mark.marker) for mark in plot.RECIPES.values()]
    assert len(set(looks)) == len(looks)


def test_marks_cannot_be_changed_by_a_chapter():
    with pytest.raises(TypeError):
        plot.RECIPES["GRPO"] = plot.PLAIN


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (0, "updates", "0 optimizer updates"),
        (0.025, "", "0.025"),
        (999.6, "", "999.6"),
        (1000, "", "1,000"),
        (10909, "gpu_hours", "10,909 GPU-hours"),
        (2.5e9, "generated_tokens", "2.5G generated tokens"),
        (-5e6, "", "-5M"),
        (float("inf"), "usd", "inf US dollars"),
    ],
)
def test_compute_in_words(value, unit, expected):
    assert plot.format_compute(value, unit) == expected


def test_compute_in_words_keeps_four_digits_at_any_size():
    for value in np.geomspace(1e-6, 1e20, 60):
        text = plot.format_compute(value).replace(",", "")
        factor = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}.get(text[-1], 1)
        number = float(text.rstrip("kMGTP")) * factor
        assert number == pytest.approx(value, rel=6e-4)


def test_unknown_unit_is_refused_with_the_known_ones(ax):
    with pytest.raises(CurveError, match=r"steps.*rollout_steps"):
        plot.label_compute_axis(ax, "steps")


@pytest.mark.parametrize("unit", list(rs.UNITS))
def test_compute_axis_names_its_unit_and_scale(ax, unit):
    assert plot.label_compute_axis(ax, unit) is ax
    assert ax.get_xlabel() == f"compute ({rs.UNITS[unit]})"
    plot.label_compute_axis(ax, unit, log=True, low=3.0)
    assert ax.get_xlabel() == f"compute ({rs.UNITS[unit]}, log scale)"
    assert ax.get_xscale() == "log" and ax.get_xlim()[0] == 3.0


def test_points_are_dots_and_nothing_else(ax):
    assert plot.plot_points(ax, [0, 1, 2], [0.1, 0.2, 0.3]) is ax
    (line,) = ax.lines
    assert line.get_linestyle() == "None" and line.get_marker() == "o"
    np.testing.assert_array_equal(line.get_xydata(), [[0, 0.1], [1, 0.2], [2, 0.3]])


def test_points_of_unequal_length_are_refused(ax):
    with pytest.raises(CurveError, match="3 points and pass_rate 2"):
        plot.plot_points(ax, [0, 1, 2], [0.1, 0.2])


def test_law_is_solid_where_seen_and_dashed_beyond_with_no_gap(ax):
    plot.plot_law(ax, LAW, 0, 8000, seen=2000)
    seen, beyond = ax.lines
    assert (seen.get_linestyle(), beyond.get_linestyle()) == ("-", "--")
    assert seen.get_xdata()[[0, -1]].tolist() == [0, 2000]
    assert beyond.get_xdata()[[0, -1]].tolist() == [2000, 8000]
    for line in ax.lines:
        np.testing.assert_allclose(line.get_ydata(), LAW(line.get_xdata()), rtol=0, atol=1e-12)


def test_law_seen_to_its_end_has_no_dashed_part(ax):
    plot.plot_law(ax, LAW, 0, 8000, seen=8000)
    assert [line.get_linestyle() for line in ax.lines] == ["-"]


def test_midpoint_lies_at_half_of_the_gain(ax):
    plot.plot_law(ax, LAW, 0, 8000, midpoint=True)
    np.testing.assert_allclose(ax.lines[-1].get_xydata(), [[1000, 0.4]], atol=1e-12)


@pytest.mark.parametrize(("start", "end", "log"), [(5, 5, False), (7, 3, False), (0, 10, True)])
def test_empty_range_is_refused(ax, start, end, log):
    with pytest.raises(CurveError, match="cannot draw from"):
        plot.plot_law(ax, LAW, start, end, log=log)


def test_family_changes_one_parameter_only(ax):
    plot.plot_family(ax, LAW, "A", [0.5, 0.7], 10, 1e5)
    lines = [line for line in ax.lines if len(line.get_xdata()) > 1]
    for line, ceiling in zip(lines, (0.5, 0.7), strict=True):
        expected = rs.Sigmoid(R0=0.2, A=ceiling, B=1.5, Cmid=1000)(line.get_xdata())
        np.testing.assert_allclose(line.get_ydata(), expected, atol=1e-12)
    assert len({line.get_linestyle() for line in lines}) == 2  # a second cue beside the colour


def test_family_of_an_unknown_parameter_is_refused(ax):
    with pytest.raises(CurveError, match="use R0, A, B or Cmid"):
        plot.plot_family(ax, LAW, "Rmax", [1], 1, 10)


def test_names_of_lines_never_overlap_and_stay_in_order(ax):
    ax.set_ylim(0, 1)
    plot.label_ends(ax, [(0.98, "c", "k"), (0.5, "a", "k"), (0.97, "b", "k"), (0.99, "d", "k")], gap=0.05)
    heights = [text.xy[1] for text in ax.texts]
    assert texts(ax) == ["a", "b", "c", "d"]
    assert min(np.diff(heights)) >= 0.05 - 1e-12 and max(heights) <= 1.0


# ---- forecasts


def forecast_of(upto, **options):
    curve = simulate_curve(
        rs.Sigmoid(0.2, 0.6, 1.5, 60), np.arange(0, upto + 1, 8), unit="rollout_steps", seed=5
    )
    return rs.forecast_run(curve, budget=400, **options)


def test_forecast_is_dashed_beyond_what_was_seen_and_ends_at_the_budget(ax):
    forecast = forecast_of(200)
    assert plot.plot_forecast(ax, forecast) is ax
    lines = {line.get_linestyle(): line for line in ax.lines if len(line.get_xdata()) > 50}
    assert lines["-"].get_xdata()[-1] == 200 and lines["--"].get_xdata()[[0, -1]].tolist() == [200, 400]
    dots = next(line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata()) == 26)
    np.testing.assert_array_equal(dots.get_ydata(), forecast.curve.pass_rate)
    assert "seen 200" in texts(ax) and "budget 400" in texts(ax) and "Cmid" in texts(ax)


def test_end_of_a_forecast_is_written_as_it_is(ax):
    forecast = forecast_of(200)
    plot.plot_forecast(ax, forecast)
    end = forecast.end
    assert f"{end.median:.3f}\n{end.lo:.3f} to\n{end.hi:.3f}" in texts(ax)


def test_band_holds_the_interval_of_the_curve(ax):
    forecast = forecast_of(200)
    plot.plot_forecast(ax, forecast)
    light, dark = (collection.get_paths()[0].vertices for collection in ax.collections[:2])
    band = forecast.band([400.0])
    for vertices, low, high in ((dark, band.lo, band.hi), (light, band.observed_lo, band.observed_hi)):
        at_end = vertices[vertices[:, 0] == 400, 1]
        assert at_end.min() == pytest.approx(low[0], abs=1e-9)
        assert at_end.max() == pytest.approx(high[0], abs=1e-9)


def test_refused_forecast_has_no_line_beyond_and_no_number(ax):
    forecast = forecast_of(24)
    assert forecast.state == "no forecast"
    plot.plot_forecast(ax, forecast)
    assert not any(line.get_linestyle() == "--" for line in ax.lines)
    assert "no forecast" in texts(ax) and not any("0." in text for text in texts(ax))
    assert ax.collections[0].get_hatch()  # a second cue beside the grey


def test_log_axis_leaves_out_the_point_at_no_compute(ax):
    plot.plot_forecast(ax, forecast_of(200), log=True)
    dots = next(line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata()) > 5)
    assert ax.get_xscale() == "log" and dots.get_xdata().min() == 8 and ax.get_xlim()[0] == 8


def test_finished_run_says_so(ax):
    plot.plot_forecast(ax, forecast_of(400))
    assert "budget, all seen: 400" in texts(ax)
    assert not any(text.startswith("seen") for text in texts(ax))


def test_target_is_drawn_where_it_is_even_above_all_points(ax):
    plot.plot_forecast(ax, forecast_of(200, target=0.9), target=0.9)
    assert "target 0.9" in texts(ax) and ax.get_ylim()[1] > 0.9


def test_best_stop_is_marked_where_money_has_it(ax):
    forecast = forecast_of(200, price=0.5, value=20)
    stop = forecast.decision.best_stop.at
    assert 200 < stop < 400
    plot.plot_forecast(ax, forecast)
    assert any(line.get_linestyle() == ":" and line.get_xdata()[0] == stop for line in ax.lines)
    assert any(text.startswith("best stop ") for text in texts(ax))


def test_nothing_global_is_changed_and_no_figure_is_opened(fits):
    before, open_figures = dict(plt.rcParams), plt.get_fignums()
    figure, axes = plt.subplots(1, 3)
    plot.plot_law(axes[0], LAW, 0, 10)
    plot_published.plot_gain_shares(axes[0], fits)
    plot_published.plot_ceilings(axes[1], fits)
    plot_published.plot_spans(axes[2], fits)
    plt.close(figure)
    assert dict(plt.rcParams) == before and plt.get_fignums() == open_figures


# ---- the published fits


def test_table_1_of_scalerl_is_whole(fits):
    assert len(fits) == 10 and set(fits.index) == set(plot_published.PUBLISHED)
    assert fits["R0"].isna().all()  # never published: a curve of pass rates cannot be drawn from this table


def test_compute_at_90_and_95_percent_is_where_the_law_has_it(fits):
    for row in fits.itertuples():
        law = rs.Sigmoid(R0=0.0, A=1.0, B=row.B, Cmid=row.Cmid_gpu_hours)
        assert law(row.gpu_hours_90) == pytest.approx(0.90, abs=1e-12)
        assert law(row.gpu_hours_95) == pytest.approx(0.95, abs=1e-12)


def test_derived_compute_agrees_with_an_independent_reckoning(fits):
    # worked out by hand from Table 1: Cmid * 9^(1/B) and Cmid * 19^(1/B), in thousands of GPU-hours
    expected = {
        "t1_scalerl": (8.0, 11.8),
        "t1_32k": (36.0, 53.5),
        "t1_scout": (16.1, 25.3),
        "t1_bs2048": (39.7, 61.7),
    }
    for row_id, (at_90, at_95) in expected.items():
        row = fits.loc[row_id]
        assert row.gpu_hours_90 / 1e3 == pytest.approx(at_90, abs=0.05)
        assert row.gpu_hours_95 / 1e3 == pytest.approx(at_95, abs=0.05)


def test_gain_shares_pass_one_half_at_cmid(ax, fits):
    plot_published.plot_gain_shares(ax, fits)
    dots = sorted(line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 1)
    assert dots == sorted(fits.Cmid_gpu_hours)
    assert "GB200 GPU-hours" in ax.get_xlabel() and ax.get_ylabel() == "share of the gain won"


def test_ceilings_and_spans_have_one_row_a_fit_in_the_same_order(fits):
    figure, (left, right) = plt.subplots(1, 2)
    plot_published.plot_ceilings(left, fits)
    plot_published.plot_spans(right, fits)
    for axes in (left, right):
        assert [label.get_text() for label in axes.get_yticklabels()] == list(fits.name)
    bars = [container.lines[0].get_xdata()[0] for container in left.containers]
    np.testing.assert_array_equal(bars, fits.A)
    plt.close(figure)


def test_unknown_fit_and_empty_table_are_refused(fits):
    with pytest.raises(TableError, match="t1_scout"):
        plot_published.find_published(fits, "t1_scouts")
    with pytest.raises(TableError, match="no row with A, B and Cmid"):
        plot_published.select_published(load_table("published_fits").query("law == 'power'"))


def test_labels_of_marks_are_shared_by_both_modules():
    assert plot.COLOURS is plot_marks.COLOURS
