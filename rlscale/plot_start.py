"""Figures about the starting model: shares of compute, pass@k before and after, slopes by size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .plot_marks import COLOURS, Mark, label_ends

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from .size_law import SizeLaw

Floats = NDArray[np.float64]

#: Before and after training, the same in every figure: colour, dash and marker.
BEFORE, AFTER = Mark(COLOURS["grey"], "--", "s"), Mark(COLOURS["blue"], "-", "o")


def plot_shares(ax: Axes, pass_rate: ArrayLike, shares: ArrayLike, *, stated: float) -> Axes:
    """Draw the share of compute against the pass rate at which two models are compared.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    pass_rate : array, shape (points,)
        Pass rates.
    shares : array, shape (assumptions, points)
        Share under each assumption about the starts; drawn as a band with its median.
    stated : float
        The share that is claimed, as a dashed line.
    """
    x, y = np.asarray(pass_rate, np.float64), np.asarray(shares, np.float64)
    ax.fill_between(x, y.min(axis=0), y.max(axis=0), color=COLOURS["green"], alpha=0.2, linewidth=0)
    ax.plot(x, np.median(y, axis=0), color=COLOURS["green"], label="from the published fits")
    ax.axhline(stated, color=COLOURS["black"], linestyle="--", linewidth=1.0, label=f"stated: {stated:.2f}")
    ax.set_ylim(0, 1)
    ax.set_xlabel("pass rate that both reach")
    ax.set_ylabel("share of the GPU-hours")
    ax.legend(loc="upper right")
    return ax


def plot_pass_at_k(
    ax: Axes, k: ArrayLike, before: ArrayLike, after: ArrayLike, crossing: float = np.nan
) -> Axes:
    """Draw pass@k before and after training against k, with the crossing where there is one.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    k, before, after : array, shape (ks,)
        From :func:`rlscale.latent.mean_pass_at_k` or from counts.
    crossing : float
        From :func:`rlscale.latent.find_crossing`; NaN draws none.
    """
    ks = np.asarray(k, np.float64)
    for values, mark in ((before, BEFORE), (after, AFTER)):
        ax.plot(ks, np.asarray(values), mark.dash, marker=mark.marker, color=mark.colour, markersize=4)
    if np.isfinite(crossing):
        ax.axvline(crossing, color=COLOURS["vermillion"], linestyle=":", linewidth=1.2)
        ax.annotate(
            f"k = {crossing:.1f}",
            (crossing, 0.03),
            xytext=(4, 0),
            textcoords="offset points",
            fontsize="small",
        )
    ax.set_xscale("log", base=2)
    ax.set_xticks(ks[:: max(1, len(ks) // 5)], [f"{one:.0f}" for one in ks[:: max(1, len(ks) // 5)]])
    ax.minorticks_off()
    ax.set_ylim(0, 1)
    ax.set_xlabel("k, answers a problem")
    return ax


def plot_coverage(ax: Axes, table: pd.DataFrame, labels: Sequence[str]) -> Axes:
    """Draw pass@k at the end of training for arms of the laboratory, and at their common start.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    table : DataFrame
        From :func:`rlscale.lab.coverage.tabulate_coverage`.
    labels : sequence of str
        Which arms, in the order of their marks.
    """
    from .lab.figures import MARKS

    ks = sorted(set(table.index.get_level_values("k")))
    places = range(len(ks))
    start = [float(table["start"].loc[(labels[0], k)]) for k in ks]
    ax.plot(places, start, BEFORE.dash, marker=BEFORE.marker, color=BEFORE.colour)
    names = [(start[-1], "before", BEFORE.colour)]
    for label, mark in zip(labels, MARKS, strict=False):
        end = [float(table["end"].loc[(label, k)]) for k in ks]
        ax.plot(places, end, mark.dash, marker=mark.marker, color=mark.colour)
        names.append((end[-1], label, mark.colour))
    ax.set_xticks(places, [str(k) for k in ks])
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("k, answers a problem")
    ax.set_ylabel("pass@k (held out)")
    return label_ends(ax, names, gap=0.06)


def plot_size_slopes(ax: Axes, law: SizeLaw, points: Mapping[float, float]) -> Axes:
    """Draw the slope of the error against model size: points as reported, and the law through them.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    law : SizeLaw
        From :func:`rlscale.size_law.fit_size_law`.
    points : mapping of size in billions to slope
        What was reported.
    """
    sizes = np.geomspace(0.3, 300, 200)
    seen = sizes <= max(points)
    ax.plot(sizes[seen], law.slope(sizes[seen]), color=COLOURS["blue"])
    ax.plot(sizes[~seen], law.slope(sizes[~seen]), "--", color=COLOURS["blue"])
    ax.plot(list(points), list(points.values()), "o", color=COLOURS["blue"])
    ax.axhline(law.Kmax, color=COLOURS["grey"], linestyle=":", linewidth=1.0)
    ax.annotate("limit", (0.3, law.Kmax), xytext=(0, 3), textcoords="offset points", fontsize="small")
    ax.set_xscale("log")
    ax.set_xticks([0.5, 2, 7, 32, 72, 300], ["0.5", "2", "7", "32", "72", "300"])
    ax.minorticks_off()
    ax.set_ylim(0, 1.15 * law.Kmax)
    ax.set_xlabel("model size (billion parameters)")
    ax.set_ylabel("slope (decades of error a decade)")
    return ax
