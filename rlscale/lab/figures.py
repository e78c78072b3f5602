"""Figures of the laboratory's runs: seeds as thin lines, their mean as a thick one, names at the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import TableError
from ..plot_marks import COLOURS, Mark, format_compute, label_compute_axis, label_ends, label_pass_rate_axis
from ..signal import zero_variance_probability
from .logbook import UNITS_OF
from .shipped import ShippedRuns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

#: Marks of arms in the order they are drawn; dash and marker are the second cue.
MARKS: tuple[Mark, ...] = (
    Mark(COLOURS["blue"], "-", "o"),
    Mark(COLOURS["vermillion"], "--", "s"),
    Mark(COLOURS["green"], "-.", "^"),
    Mark(COLOURS["orange"], ":", "D"),
)


def mean_curve(
    runs: ShippedRuns, arm: str, x: str = "completions", points: int = 120
) -> tuple[Floats, Floats]:
    """Return the mean pass rate over the seeds of an arm, on an even grid that all of them cover.

    Parameters
    ----------
    runs : ShippedRuns
        The runs.
    arm, x : str
        Which arm, against which column of compute, or ``cpu_seconds``.
    points : int
        Size of the grid.

    Returns
    -------
    compute, pass_rate : array, shape (points,)
    """
    curves = [_read_curve(runs, arm, seed, x) for seed in runs.seeds(arm)]
    grid = np.linspace(0, min(compute[-1] for compute, _ in curves), points)
    return grid, np.mean([np.interp(grid, compute, rate) for compute, rate in curves], axis=0)


def _read_curve(runs: ShippedRuns, arm: str, seed: int, x: str) -> tuple[Floats, Floats]:
    if x == "cpu_seconds":
        # no unit of compute: another machine has other seconds, so it is for looking only
        table = runs.table(arm, seed)
        return table[x].to_numpy(float), table["heldout_pass_rate"].to_numpy(float)
    curve = runs.curve(arm, seed, x)
    return curve.compute, curve.pass_rate


def plot_arms(
    ax: Axes,
    runs: ShippedRuns,
    arms: Mapping[str, str],
    *,
    x: str = "completions",
    marks: Sequence[Mark] = MARKS,
    end: float | None = None,
) -> Axes:
    """Draw arms: each seed thin, the mean thick.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    runs : ShippedRuns
        The runs.
    arms : mapping of label to arm
        What to draw, and how to name it.
    x : str
        Column of compute, or ``cpu_seconds``.
    marks : sequence of Mark
        One an arm.
    end : float, optional
        Right end of the axis; default: the longest run.

    Returns
    -------
    Axes
        The same axes.

    Raises
    ------
    TableError
        If there are more arms than marks.
    """
    if len(arms) > len(marks):
        raise TableError(f"{len(arms)} arms and {len(marks)} marks: draw fewer arms in one figure")
    labels = []
    for (label, arm), mark in zip(arms.items(), marks, strict=False):
        for seed in runs.seeds(arm):
            ax.plot(*_read_curve(runs, arm, seed, x), color=mark.colour, alpha=0.25, linewidth=0.7)
        grid, mean = mean_curve(runs, arm, x)
        ax.plot(grid, mean, color=mark.colour, linestyle=mark.dash, linewidth=1.8, zorder=4)
        last = mean[-1] if end is None else float(np.interp(end, grid, mean))
        labels.append((float(last), label, mark.colour))
    ax.set_ylim(0, 1)
    ax.set_xlim(0, end)
    if end is None:
        ax.set_xlim(left=0)
    if x == "cpu_seconds":
        ax.set_xlabel("processor time (s)")
    else:
        label_compute_axis(ax, UNITS_OF[x])
    label_pass_rate_axis(ax, "pass rate (held out)")
    return label_ends(ax, labels, gap=0.06)


def plot_speed_and_end(ax: Axes, table: pd.DataFrame, arms: Mapping[str, str]) -> Axes:
    """Draw the end of each run against the compute to a pass rate of .5: fast is left, high is up.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    table : DataFrame
        From :func:`rlscale.lab.analysis.summarise_runs`. Runs that never reach .5 are not drawn.
    arms : mapping of label to arm
        What to draw.
    """
    for (label, arm), mark in zip(arms.items(), MARKS, strict=False):
        part = table[(table["arm"] == arm) & table["c50"].notna()]
        if part.empty:
            continue
        ax.plot(part["c50"], part["end"], mark.marker, color=mark.colour, alpha=0.75)
        at = (float(part["c50"].mean()), float(part["end"].max()))
        ax.annotate(
            label, at, (0, 7), textcoords="offset points", color=mark.colour, ha="center", fontsize="small"
        )
    ax.set_xlabel("completions to a pass rate of .5 (log scale)")
    ax.set_xscale("log")
    ticks = [5_000, 7_000, 10_000, 15_000, 20_000, 30_000, 40_000, 60_000, 80_000, 120_000]
    low, high = ax.get_xlim()
    ax.set_xticks(
        [t for t in ticks if low <= t <= high], [format_compute(t) for t in ticks if low <= t <= high]
    )
    ax.minorticks_off()
    ax.set_ylabel("pass rate, mean of the last 15 %")
    return ax


def plot_ends(
    ax: Axes,
    table: pd.DataFrame,
    lines: Mapping[str, Mapping[float, str]],
    *,
    xlabel: str,
    measure: str = "end",
) -> Axes:
    """Draw a measure of arms against a setting, one line a group of arms; each dot is a seed.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    table : DataFrame
        From :func:`rlscale.lab.analysis.summarise_runs`.
    lines : mapping of label to mapping of setting to arm
        What to draw.
    xlabel : str
        Name of the setting.
    measure : str
        Column of ``table``.
    """
    labels = []
    places = sorted({value for arms in lines.values() for value in arms})
    at = {value: i for i, value in enumerate(places)}
    for (label, arms), mark in zip(lines.items(), MARKS, strict=False):
        shift = 0.06 * (list(lines).index(label) - (len(lines) - 1) / 2)
        means = []
        for value, arm in sorted(arms.items()):
            values = table.loc[table["arm"] == arm, measure]
            where = at[value] + shift
            ax.plot([where] * len(values), values, mark.marker, color=mark.colour, alpha=0.45, markersize=4)
            means.append((where, float(values.mean())))
        ax.plot(*zip(*means, strict=True), color=mark.colour, linestyle=mark.dash)
        labels.append((means[-1][1], label, mark.colour))
    ax.set_xticks(range(len(places)), [f"{p:g}" for p in places])
    ax.set_xlabel(xlabel)
    ax.set_ylabel("pass rate, mean of the last 15 %" if measure == "end" else measure)
    return label_ends(ax, labels, gap=0.06)


def plot_zero_variance(ax: Axes, runs: ShippedRuns, arms: Mapping[str, str]) -> Axes:
    """Draw the share of groups without spread against the pass rate: measured, and by formula.

    Dots are measured in training. The line is p^G + (1 - p)^G as if all prompts had the mean pass rate;
    crosses are its mean over the held-out prompts, each with its own pass rate.
    """
    for (label, arm), mark in zip(arms.items(), MARKS, strict=False):
        rows = pd.concat([runs.table(arm, s) for s in runs.seeds(arm)])
        size = runs.settings(arm, runs.seeds(arm)[0]).group_size
        rows = rows.dropna(subset=["zero_variance"])
        ax.plot(
            rows["train_pass_rate"],
            rows["zero_variance"],
            mark.marker,
            color=mark.colour,
            alpha=0.35,
            markersize=3,
        )
        ax.plot(
            rows["heldout_pass_rate"],
            rows["zero_variance_expected"],
            "x",
            color=mark.colour,
            alpha=0.35,
            markersize=3,
        )
        p = np.linspace(0, 1, 201)
        ax.plot(p, zero_variance_probability(p, size), color=mark.colour, linestyle=mark.dash, label=label)
    ax.set_xlabel("mean pass rate")
    ax.set_ylabel("share of groups without spread")
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.legend(loc="upper center")
    return ax


def gain_per_token(runs: ShippedRuns, arm: str, *, smooth: int = 3) -> pd.DataFrame:
    """Return where an arm stands and how fast it gains there, over all its seeds.

    Parameters
    ----------
    runs : ShippedRuns
        The runs.
    arm : str
        Which arm.
    smooth : int
        The slope is taken over that many evaluations.

    Returns
    -------
    DataFrame
        ``seed``, ``pass_rate`` (middle of the stretch), ``gain`` (won per 100,000 generated tokens).
    """
    parts = []
    for seed in runs.seeds(arm):
        curve = runs.curve(arm, seed, "generated_tokens")
        rate, tokens = curve.pass_rate, curve.compute
        gain = (rate[smooth:] - rate[:-smooth]) / (tokens[smooth:] - tokens[:-smooth]) * 1e5
        parts.append(
            pd.DataFrame({"seed": seed, "pass_rate": (rate[smooth:] + rate[:-smooth]) / 2, "gain": gain})
        )
    return pd.concat(parts, ignore_index=True)


def plot_gain(ax: Axes, runs: ShippedRuns, arms: Mapping[str, str]) -> Axes:
    """Draw the gain per token against the pass rate it is won at, with p (1 - p) scaled to it."""
    tables = {label: gain_per_token(runs, arm) for label, arm in arms.items()}
    for (label, table), mark in zip(tables.items(), MARKS, strict=False):
        ax.plot(
            table["pass_rate"],
            table["gain"],
            mark.marker,
            color=mark.colour,
            alpha=0.45,
            markersize=3.5,
            label=label,
        )
    both = pd.concat(tables.values())
    signal = both["pass_rate"] * (1 - both["pass_rate"])
    scale = float((signal * both["gain"]).sum() / (signal**2).sum())
    p = np.linspace(0, 1, 101)
    ax.plot(p, scale * p * (1 - p), color=COLOURS["grey"], linestyle="--", label="p (1 - p), scaled")
    ax.set_xlabel("pass rate")
    ax.set_ylabel("gain per 100,000 tokens")
    ax.set_xlim(0, 1)
    ax.legend()
    return ax
