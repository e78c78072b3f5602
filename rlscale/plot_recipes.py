"""Figures of recipes: two laws side by side, what a loss does to a token, levers, memory.

See :mod:`rlscale.plot` for how figures are read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .difficulty import prompt_pull
from .losses import AVERAGES, Objective, average_weights, ratio_weights
from .plot_laws import plot_law
from .plot_marks import COLOURS, RECIPES, RIVAL, Mark, label_ends
from .plot_published import PUBLISHED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .law import Law

#: How a lever moves a ceiling or a speed: marker and colour, so that neither is the only cue.
EFFECTS: Mapping[str, tuple[str, str]] = {
    "up": ("^", COLOURS["green"]),
    "down": ("v", COLOURS["vermillion"]),
    "none": ("_", COLOURS["grey"]),
    "mixed": ("D", COLOURS["orange"]),
    "unknown": ("$?$", COLOURS["grey"]),
}
_FRAME: Mapping[str, Any] = {
    "marker": "s",
    "linestyle": "none",
    "markerfacecolor": "none",
    "markeredgecolor": COLOURS["black"],
    "markeredgewidth": 0.9,
}
_AVERAGE_MARKS: Mapping[str, Mark] = {
    "sequence": Mark(COLOURS["vermillion"], "--", "s"),
    "token": Mark(COLOURS["orange"], "-.", "D"),
    "prompt": Mark(COLOURS["green"], "-", "^"),
    "constant": Mark(COLOURS["pink"], ":", "v"),
}
_PARTS: Mapping[str, tuple[str, str]] = {
    "weights": (COLOURS["blue"], ""),
    "gradients": (COLOURS["sky"], "//"),
    "optimizer": (COLOURS["orange"], "xx"),
    "activations": (COLOURS["green"], ".."),
    "logits": (COLOURS["pink"], "\\\\"),
}


def mark_of(name: str, other: bool = False) -> Mark:
    """Return the mark of a recipe or published fit; of another, the plain or (``other``) the rival mark."""
    known: dict[str, Mark] = {**RECIPES, **dict(PUBLISHED.values())}
    return known.get(name, RIVAL if other else Mark(COLOURS["blue"]))


def plot_pair(
    ax: Axes,
    laws: Mapping[str, Law],
    start: float,
    end: float,
    *,
    target: float | None = None,
    crossings: Sequence[float] = (),
) -> Axes:
    """Draw laws with a dot at Cmid each, a line at the target, and where they change places.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    laws : mapping of name to Law
        Names of :data:`rlscale.plot_marks.RECIPES` keep their colours.
    start, end : float
        Range of compute, above 0.
    target : float, optional
        Pass rate that is wanted.
    crossings : sequence of float
        From :func:`rlscale.recipes.find_crossings`.
    """
    labels = []
    for i, (name, law) in enumerate(laws.items()):
        mark = mark_of(name, other=i > 0)
        plot_law(ax, law, start, end, mark=mark, midpoint=True, log=True)
        labels.append((law(end), name, mark.colour))
    ax.set_xscale("log")
    if target is not None:
        ax.axhline(target, color=COLOURS["grey"], linewidth=0.9, linestyle=":")
        ax.annotate("target", (start, target), xytext=(2, 3), textcoords="offset points", fontsize="small")
    first = next(iter(laws.values()))
    for place in crossings:
        ax.plot([place], [first(place)], "x", color=COLOURS["black"], markersize=8, zorder=6)
    ax.set_xlim(start, end)
    return label_ends(ax, labels, gap=0.06)


def plot_ratio_weights(
    axes: tuple[Axes, Axes], objectives: Iterable[Objective], low: float = 0.4, high: float = 10
) -> tuple[Axes, Axes]:
    """Draw what the ratio makes of a token's weight: for right answers (left) and for wrong ones (right).

    Parameters
    ----------
    axes : two Axes
        For a positive and for a negative advantage.
    objectives : iterable of Objective
        With a ratio a token.
    low, high : float
        Range of ratios, on a log axis.
    """
    chosen = list(objectives)
    edges = [1 + sign * e for o in chosen for sign, e in ((-1, o.low), (1, o.high)) if 1 + sign * e > 0]
    # each edge twice, a hair apart: a clip is a vertical line
    beside = [e * (1 + s) for e in edges for s in (-1e-9, 1e-9)]
    ratios = np.unique(np.r_[np.geomspace(low, high, 400), [b for b in beside if low < b < high]])
    for ax, sign, title in zip(axes, (1.0, -1.0), ("right answer", "wrong answer"), strict=True):
        for objective in chosen:
            gap = np.log(ratios)[None, :, None]
            advantage = np.full((1, ratios.size), sign)
            weight = ratio_weights(gap, advantage, np.ones(gap.shape, bool), objective)[0, :, 0]
            mark = mark_of(objective.title)
            ax.plot(ratios, weight, mark.dash, color=mark.colour, label=objective.title)
        ax.axvline(1, color=COLOURS["grey"], linewidth=0.8)
        ax.set(xscale="log", xlabel="ratio of trained to sampling policy", title=title)
        ticks = [t for t in (0.5, 1, 2, 5, 10) if low <= t <= high]
        ax.set_xticks(ticks, [f"{t:g}" for t in ticks])
        ax.minorticks_off()
    axes[0].set_ylabel("weight of the token")
    return axes


def plot_averages(ax: Axes, lengths: Sequence[Sequence[int]], *, longest: int) -> Axes:
    """Draw the weight of one token against the length of its answer, for each way to average.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    lengths : sequence of sequence of int
        Lengths of the answers of each prompt, in any unit; as many for each prompt.
    longest : int
        Longest allowed answer, in that unit.
    """
    counts = np.asarray(lengths)
    mask = np.arange(longest)[None, None, :] < counts[..., None]
    order = np.argsort(counts.ravel(), kind="stable")
    for average in AVERAGES:
        weight = average_weights(mask, average, longest=longest)[:, :, 0].ravel() * counts.sum()
        mark = _AVERAGE_MARKS[average]
        ax.plot(
            counts.ravel()[order],
            weight[order],
            mark.marker,
            linestyle=mark.dash if average != "prompt" else "none",
            color=mark.colour,
            label=average,
            markersize=6,
        )
    ax.set(xscale="log", yscale="log", ylabel="weight of one token (1: token mean)")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
    return ax


def plot_pull(ax: Axes, objectives: Mapping[str, Objective], group_size: int) -> Axes:
    """Draw how hard a group pulls on its prompt against the prompt's pass rate, each scaled to 1 at one half.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    objectives : mapping of label to Objective
        With a group baseline and scale ``group`` or ``none``.
    group_size : int
        Answers a prompt.
    """
    p = np.linspace(0, 1, 401)
    for objective, dash, colour, label in zip(
        objectives.values(), ("--", "-"), ("vermillion", "pink"), objectives, strict=False
    ):
        pull = prompt_pull(p, group_size, objective)
        ax.plot(p, pull / pull[200], dash, color=COLOURS[colour], label=label)
    ax.set(xlabel="pass rate of the prompt", ylabel="pull of its group (1 at one half)", xlim=(0, 1))
    return ax


def plot_levers(ax: Axes, levers: pd.DataFrame) -> Axes:
    """Draw what each lever does to the ceiling and to the speed; a frame marks what the starting page says.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    levers : DataFrame
        From ``load_table("levers")``: ``id``, ``ceiling``, ``speed``, ``page_says``.
    """
    names = [str(i).replace("_", " ") for i in levers["id"]]
    rows = np.arange(len(levers))[::-1]
    for x, column in enumerate(("ceiling", "speed")):
        for y, effect, page in zip(rows, levers[column], levers["page_says"], strict=True):
            _plot_effect(ax, x, float(y), effect)
            if page in (column, "both"):
                ax.plot([x], [y], **_FRAME, markersize=16)
    ax.set_yticks(rows, names)
    ax.set_xticks([0, 1], ["ceiling", "speed"])
    ax.xaxis.tick_top()
    ax.set(xlim=(-0.5, 1.5), ylim=(-0.7, len(levers) - 0.3))
    ax.grid(visible=False)
    for effect in EFFECTS:
        _plot_effect(ax, np.nan, np.nan, effect, label=effect)
    ax.plot([], [], **_FRAME, markersize=10, label="page says")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return ax


def _plot_effect(ax: Axes, x: float, y: float, effect: str, label: str | None = None) -> None:
    marker, colour = EFFECTS[effect]
    ax.plot(
        [x],
        [y],
        marker=marker,
        linestyle="none",
        color=colour,
        markersize=8,
        markeredgewidth=2 if marker == "_" else 0.5,
        label=label,
    )


def plot_memory(ax: Axes, setups: pd.DataFrame, memory_gb: float) -> Axes:
    """Draw the memory of setups by what holds it, and the number of GPUs.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    setups : DataFrame
        From :func:`rlscale.setups.tabulate_setups`.
    memory_gb : float
        Memory of one GPU, 10^9 bytes, for grid lines.
    """
    rows = np.arange(len(setups))[::-1]
    left = np.zeros(len(setups))
    for part, (colour, hatch) in _PARTS.items():
        ax.barh(
            rows,
            setups[part],
            left=left,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            label=part,
            height=0.62,
        )
        left += setups[part].to_numpy()
    for y, end, gpus in zip(rows, left, setups["gpus"], strict=True):
        ax.annotate(
            f"{gpus} GPU{'s' if gpus > 1 else ''}",
            (end, y),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
        )
    ax.set_yticks(rows, list(setups.index))
    ax.set_xlabel("memory over all GPUs (GB)")
    ax.set_xlim(0, float(left.max()) * 1.15)
    for k in range(1, math.ceil(float(left.max()) / memory_gb) + 1):
        ax.axvline(k * memory_gb, color=COLOURS["grey"], linewidth=0.5, linestyle=":", zorder=0)
    ax.grid(visible=False)
    ax.legend(loc="upper center", bbox_to_anchor=(0.35, -0.18), ncols=3)
    return ax
