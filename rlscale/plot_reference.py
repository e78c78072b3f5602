"""Figures of the reference runs: throughput as told and with units made equal, the range of a GPU, needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .errors import TableError
from .plot_marks import COLOURS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from .reference import H100Hours


def plot_throughput(ax: Axes, table: pd.DataFrame, column: str, label: str) -> Axes:
    """Draw one dot a run on a logarithmic axis; a run out of line is a square in another colour.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    table : DataFrame
        From :func:`rlscale.contradictions.compare_throughput`, in the order of the rows from the top.
    column : str
        ``"steps_per_gpu_hour"``, ``"tokens_per_s_per_h100"`` or ``"work"``.
    label : str
        What the axis counts, with its unit.

    Returns
    -------
    Axes
        The same axes. Rows told by the starting page are hollow.

    Raises
    ------
    TableError
        If no row has a value.
    """
    if not table[column].notna().any():
        raise TableError(f"no run has a value of {column!r}: steps, batch, lengths or GPU-hours are missing")
    heights = np.arange(len(table))[::-1]
    for height, row in zip(heights, table.to_dict("records"), strict=True):
        odd = row["out_of_line"] is True
        colour = COLOURS["vermillion"] if odd else COLOURS["blue"]
        told = row["origin"] == "starting page"
        ax.plot(
            row[column],
            height,
            "s" if odd else "o",
            color=colour,
            markerfacecolor="white" if told else colour,
            markeredgewidth=1.5,
            markersize=8 if odd else 6,
        )
    ax.set_yticks(heights, list(table["id"]))
    ax.set_ylim(-0.7, len(table) - 0.3)
    ax.set_xscale("log")
    ax.margins(x=0.08)
    ax.set_xlabel(f"{label}\n(log scale)")
    ax.grid(axis="y", visible=False)
    return ax


def plot_factor(ax: Axes, hours: H100Hours, measured: pd.DataFrame, stated: float) -> Axes:
    """Draw the range of H100 hours for one hour of a GPU: measured steps, the middle, and what a page states.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    hours : H100Hours
        From ``h100_hours(1, gpu)``.
    measured : DataFrame
        The rows of ``gpu_speedups`` of this GPU.
    stated : float
        The factor that the starting page states.

    Returns
    -------
    Axes
        The same axes.
    """
    order = measured.sort_values("speedup")
    heights = np.arange(len(order))
    ax.axvspan(hours.lo, hours.hi, color=COLOURS["sky"], alpha=0.18, linewidth=0)
    ax.plot(order["speedup"], heights, "o", color=COLOURS["blue"])
    ax.set_yticks(heights, [f"{m}, {s}" for m, s in zip(order["model"], order["setting"], strict=True)])
    top = len(order) - 0.3
    lines = ((hours.mid, "--", COLOURS["black"], "right"), (stated, ":", COLOURS["vermillion"], "left"))
    for value, dash, colour, side in lines:
        ax.axvline(value, linestyle=dash, color=colour)
        text = f"ratios: {value:.2f} " if colour == COLOURS["black"] else f" stated: {value:.1f}"
        ax.text(value, top, text, color=colour, ha=side, va="bottom", fontsize="small")
    ax.set_ylim(-0.7, len(order) + 0.3)
    ax.set_xlim(0, max(hours.hi, stated) * 1.25)
    ax.set_xlabel(f"H100 hours of one {hours.gpu} hour")
    ax.grid(axis="y", visible=False)
    return ax


def plot_needs(ax: Axes, nearest: pd.DataFrame) -> Axes:
    """Draw what the nearest runs needed in H100-equivalent hours: a dot in the middle of a range.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    nearest : DataFrame
        From :func:`rlscale.reference.nearest_runs`; rows without hours are left out.

    Returns
    -------
    Axes
        The same axes, nearest run at the top.

    Raises
    ------
    TableError
        If no run has hours of a known GPU.
    """
    from matplotlib.ticker import EngFormatter, NullFormatter

    known = nearest[nearest["h100_hours_mid"].notna()]
    if known.empty:
        raise TableError("none of these runs states the hours of a known GPU")
    heights = np.arange(len(known))[::-1]
    ax.hlines(heights, known["h100_hours_lo"], known["h100_hours_hi"], color=COLOURS["sky"], linewidth=6)
    ax.plot(known["h100_hours_mid"], heights, "o", color=COLOURS["blue"])
    steps = [
        "" if np.isnan(s) else f", {s:,.0f} {u.replace('_', ' ')}"
        for s, u in zip(known["steps"], known["steps_unit"], strict=True)
    ]
    ax.set_yticks(heights, [f"{i}{s}" for i, s in zip(known["id"], steps, strict=True)])
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(EngFormatter(sep=""))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_ylim(-0.7, len(known) - 0.3)
    ax.set_xlabel("H100-equivalent GPU-hours (log scale)")
    ax.grid(axis="y", visible=False)
    return ax
