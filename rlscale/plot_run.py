"""The figure of a forecast: what was measured, what is believed, and what the end may be.

See :mod:`rlscale.plot` for how every figure is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .plot_laws import plot_points
from .plot_marks import (
    COLOURS,
    KIND_LABELS,
    PLAIN,
    RIVAL,
    Mark,
    format_compute,
    label_compute_axis,
    label_ends,
    label_pass_rate_axis,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patheffects import AbstractPathEffect

    from .forecast import Forecast


def plot_forecast(ax: Axes, forecast: Forecast, *, target: float | None = None, log: bool = False) -> Axes:
    """Draw a forecast: what was measured, what is believed of the curve, and what the end may be.

    The dark band is the interval of the curve itself, the light one that of a measured point, which also
    scatters. Where the state refuses a number the bands are grey and hatched, there is no line beyond what
    was seen, and no end is marked: a picture of how little is known.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    forecast : Forecast
        From :func:`rlscale.forecast_run`.
    target : float, optional
        Pass rate that is wanted; a dotted line.
    log : bool
        Logarithmic compute. A point at compute 0 has no place on it and is then not drawn.

    Returns
    -------
    Axes
        The same axes.
    """
    curve, refused = forecast.curve, forecast.state == "no forecast"
    seen, end = float(curve.compute[-1]), forecast.budget.at
    above = curve.compute[curve.compute > 0]
    start = float(above[0]) if log else 0.0
    grid = np.geomspace(start, end, 160) if log else np.linspace(start, end, 161)
    band = forecast.band(np.union1d(grid, [seen]))
    colour = COLOURS["grey"] if refused else PLAIN.colour
    ax.fill_between(
        band.compute,
        band.observed_lo,
        band.observed_hi,
        color=colour,
        alpha=0.14,
        linewidth=0,
        hatch="///" if refused else None,
        gid="where measured points lie",
    )
    ax.fill_between(
        band.compute, band.lo, band.hi, color=colour, alpha=0.26, linewidth=0, gid="where the curve lies"
    )
    before, after = band.compute <= seen, band.compute >= seen
    ax.plot(band.compute[before], band.median[before], "-", color=colour, zorder=4, gid="curve so far")
    if not refused and end > seen:
        ax.plot(band.compute[after], band.median[after], "--", color=colour, zorder=4, gid="forecast")
    dots = curve.compute > 0 if log else np.full(len(curve), True)
    plot_points(ax, curve.compute[dots], curve.pass_rate[dots], mark=Mark(COLOURS["black"]))
    label_compute_axis(ax, curve.unit, log=log)
    label_pass_rate_axis(ax, KIND_LABELS.get(curve.kind, "pass rate"))
    low = min(band.observed_lo.min(), curve.pass_rate.min())
    high = max(band.observed_hi.max(), curve.pass_rate.max())
    ax.set_ylim(max(low - 0.06 * (high - low), -0.02), min(high + 0.06 * (high - low), 1.02))
    ax.set_xlim(start, end * (1.12 if log else 1.02))
    if end > seen:
        _mark_compute(ax, seen, f"seen {format_compute(seen)}")
    _mark_compute(
        ax, end, f"budget {format_compute(end)}" if end > seen else f"budget, all seen: {format_compute(end)}"
    )
    if refused:
        ax.text(
            0.5, 0.93, "no forecast", transform=ax.transAxes, ha="center", color="#444444", style="italic"
        )
    else:
        _mark_end(ax, forecast)
        _mark_midpoint(ax, forecast)
        _mark_best_stop(ax, forecast)
    if target is not None:
        _mark_target(ax, target)
    return ax


def _mark_compute(ax: Axes, at: float, text: str) -> None:
    """Draw a thin line at a compute, named above the axes; the name is kept inside by its alignment."""
    ax.axvline(at, color=COLOURS["grey"], linewidth=0.8, zorder=1, gid=text)
    left, right = ax.get_xlim()
    place = (
        (np.log(at / left) / np.log(right / left))
        if ax.get_xscale() == "log"
        else (at - left) / (right - left)
    )
    side = "right" if place > 0.6 else "left" if place < 0.2 else "center"
    ax.annotate(
        text,
        (at, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 3),
        textcoords="offset points",
        ha=side,
        va="bottom",
        fontsize="small",
        color="#555555",
        annotation_clip=False,
    )


def _mark_end(ax: Axes, forecast: Forecast) -> None:
    """Draw the interval of the observed end as a bar at the budget, with its numbers beside it."""
    end = forecast.end
    spread = [[end.median - end.lo], [end.hi - end.median]]
    bar = ax.errorbar(
        [forecast.budget.at],
        [end.median],
        yerr=spread,
        fmt="s",
        color=COLOURS["black"],
        markersize=5,
        capsize=4,
        zorder=6,
        clip_on=False,
    )
    for part in bar.get_children():
        part.set_gid("end, with its interval")
    text = f"{end.median:.3f}\n{end.lo:.3f} to\n{end.hi:.3f}"
    label_ends(ax, [(end.median, text, COLOURS["black"])])


def _mark_midpoint(ax: Axes, forecast: Forecast) -> None:
    """Draw Cmid as a dot on the curve with its interval, when it lies inside the figure."""
    mid = forecast.Cmid
    left, right = ax.get_xlim()
    if mid is None or not left < mid.median < right:
        return
    height = forecast.curve_at(mid.median).median
    lo, hi = max(mid.lo, left), min(mid.hi, right)
    bar = ax.errorbar(
        [mid.median],
        [height],
        xerr=[[mid.median - lo], [hi - mid.median]],
        fmt="o",
        color=RIVAL.colour,
        markersize=6,
        capsize=3,
        zorder=6,
    )
    for part in bar.get_children():
        part.set_gid("Cmid, with its interval")
    ax.annotate(
        "Cmid",
        (mid.median, height),
        xytext=(7, -13),
        textcoords="offset points",
        color=RIVAL.colour,
        fontsize="small",
        path_effects=_halo(),
        zorder=7,
    )


def _mark_best_stop(ax: Axes, forecast: Forecast) -> None:
    """Draw where stopping is worth most, when that is neither now nor the end of the budget."""
    stop = forecast.decision.best_stop
    if stop is None or not forecast.curve.compute[-1] < stop.at < forecast.budget.at:
        return
    ax.axvline(stop.at, color=COLOURS["green"], linestyle=":", linewidth=1.6, zorder=4)
    ax.annotate(
        f"best stop {format_compute(float(f'{stop.at:.3g}'))}",
        (stop.at, 0.03),
        xycoords=("data", "axes fraction"),
        xytext=(4, 0),
        textcoords="offset points",
        color="#006B4F",
        fontsize="small",
        path_effects=_halo(),
    )


def _mark_target(ax: Axes, target: float) -> None:
    """Draw the pass rate that is wanted, and make room for it."""
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, target - 0.02), max(high, target + 0.02))
    ax.axhline(target, color=COLOURS["black"], linestyle=":", linewidth=1.2, zorder=2)
    ax.annotate(
        f"target {target:g}",
        (0.01, target),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        fontsize="small",
        path_effects=_halo(),
    )


def _halo() -> list[AbstractPathEffect]:
    """Return a white edge for letters, so that they can be read on points and bands."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=3, foreground="white")]
