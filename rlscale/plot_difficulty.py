"""Figures of difficulty: what a prompt can teach, how groups die, what a start is worth.

See :mod:`rlscale.plot` for how figures are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .difficulty import spread_zero_variance
from .errors import CurveError
from .plot_marks import COLOURS, Mark, label_ends
from .signal import gradient_signal, zero_variance_probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .lab.shipped import ShippedRuns

#: Marks of group sizes, the same in every figure of the chapter.
GROUPS: Mapping[int, Mark] = {
    2: Mark(COLOURS["vermillion"], ":", "s"),
    4: Mark(COLOURS["orange"], "-.", "D"),
    8: Mark(COLOURS["blue"], "-", "o"),
    16: Mark(COLOURS["green"], "--", "^"),
    64: Mark(COLOURS["pink"], "-", "v"),
}
#: Marks of other lines, in the order in which they are drawn.
LINES: tuple[Mark, ...] = (
    Mark(COLOURS["green"], "--", "^"),
    Mark(COLOURS["orange"], "-.", "D"),
    Mark(COLOURS["blue"], "-", "o"),
)


def plot_zero_variance(ax: Axes, group_sizes: Sequence[int]) -> Axes:
    """Draw the chance of a group without spread against the pass rate, and p(1 − p) scaled to 1.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    group_sizes : sequence of int
        Keys of :data:`GROUPS`.
    """
    p = np.linspace(0, 1, 401)
    ax.fill_between(
        p, 4 * gradient_signal(p), color=COLOURS["grey"], alpha=0.2, linewidth=0, label="4 p (1 − p)"
    )
    for size in group_sizes:
        mark = GROUPS[size]
        ax.plot(p, zero_variance_probability(p, size), mark.dash, color=mark.colour, label=f"G = {size}")
    ax.set(
        xlim=(0, 1), ylim=(0, 1), xlabel="pass rate of the prompt", ylabel="share of groups without spread"
    )
    return ax


def plot_spread(ax: Axes, mean: float, group_sizes: Sequence[int]) -> Axes:
    """Draw the share of groups without spread against the spread of the prompts' pass rates, at a fixed mean.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    mean : float
        Mean pass rate, between 0 and 1.
    group_sizes : sequence of int
        Keys of :data:`GROUPS`.
    """
    spreads = np.linspace(0, 0.995 * np.sqrt(mean * (1 - mean)), 100)
    for size in group_sizes:
        dead = [spread_zero_variance(mean, float(s), size) for s in spreads]
        mark = GROUPS[size]
        ax.plot(spreads, dead, mark.dash, color=mark.colour, label=f"G = {size}")
    ax.set(ylim=(0, 1), xlabel="standard deviation of pass rates", ylabel="share of groups without spread")
    ax.set_xlim(left=0)
    return ax


def plot_lines(
    ax: Axes,
    lines: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    marks: Sequence[Mark] = LINES,
    gap: float = 0.06,
) -> Axes:
    """Draw named lines with their names at the right end.

    Parameters
    ----------
    ax : Axes
        Where to draw; set its height first.
    lines : mapping of name to (x, y)
        What to draw.
    marks : sequence of Mark
        One a line.
    gap : float
        Least distance of two names, as a share of the height.
    """
    labels = []
    for (name, (x, y)), mark in zip(lines.items(), marks, strict=False):
        ax.plot(np.asarray(x), np.asarray(y), mark.dash, color=mark.colour)
        labels.append((float(np.asarray(y)[-1]), name, mark.colour))
    return label_ends(ax, labels, gap=gap)


def tabulate_early_gain(runs: ShippedRuns, arms: Iterable[str], tokens: float) -> pd.DataFrame:
    """Return what the first ``tokens`` generated tokens won, one row a laboratory run.

    Parameters
    ----------
    runs : ShippedRuns
        From :func:`rlscale.lab.shipped.read_shipped_runs`.
    arms : iterable of str
        Which arms.
    tokens : float
        Generated tokens, within the length of each run.

    Returns
    -------
    DataFrame
        ``arm``, ``seed``, ``start`` (pass rate at the start), ``gain`` (won by then; between points in a
        straight line).

    Raises
    ------
    CurveError
        If a run has fewer tokens.
    """
    rows = []
    for arm in arms:
        for seed in runs.seeds(arm):
            curve = runs.curve(arm, seed, "generated_tokens")
            if not 0 < tokens <= curve.compute[-1]:
                raise CurveError(
                    f"{arm} seed {seed} has {curve.compute[-1]:,.0f} tokens; give no more than that, above 0"
                )
            start = float(curve.pass_rate[0])
            then = float(np.interp(tokens, curve.compute, curve.pass_rate))
            rows.append({"arm": arm, "seed": seed, "start": start, "gain": then - start})
    return pd.DataFrame(rows)


def plot_early_gain(ax: Axes, table: pd.DataFrame) -> Axes:
    """Draw what the first tokens won against the pass rate at the start, one dot a run.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    table : DataFrame
        ``start`` and ``gain``, one row a run; ``signal`` (p(1 − p) scaled) is drawn as a line.
    """
    ax.plot(table["start"], table["gain"], "o", color=COLOURS["blue"], alpha=0.7)
    signal = table["start"] * (1 - table["start"])
    scale = float((signal * table["gain"]).sum() / (signal**2).sum())
    p = np.linspace(0, 1, 101)
    ax.plot(p, scale * p * (1 - p), "--", color=COLOURS["grey"], label="p (1 − p), scaled")
    ax.set(xlim=(0, 1), xlabel="pass rate at the start", ylabel="gain")
    ax.set_ylim(bottom=0)
    ax.legend(loc="upper right")
    return ax
