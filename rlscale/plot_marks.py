"""How things look in every figure: colours, marks, amounts of compute in words, names of axes and of lines.

A recipe keeps its colour, dash and marker through the whole book (:data:`RECIPES`), so colour is never the
only cue. The rest of the look is in the style sheet ``rlscale/book.mplstyle``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from .curve import UNITS
from .errors import CurveError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Okabe and Ito's colours by name, told apart with the common kinds of colour blindness.
COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "blue": "#0072B2",
        "vermillion": "#D55E00",
        "green": "#009E73",
        "pink": "#CC79A7",
        "orange": "#E69F00",
        "sky": "#56B4E9",
        "yellow": "#F0E442",
        "black": "#000000",
        "grey": "#767676",
    }
)


@dataclass(frozen=True)
class Mark:
    """How one thing is drawn wherever it appears.

    Attributes
    ----------
    colour : str
        Hexadecimal colour.
    dash : str
        Line style; a second cue beside the colour.
    marker : str
        Marker of its points; a second cue as well.
    """

    colour: str
    dash: str = "-"
    marker: str = "o"


#: How a pass rate was measured, as written on an axis.
KIND_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "heldout_pass_rate": "pass rate (held out)",
        "train_pass_rate": "pass rate (training)",
        "pass_at_k": "pass@k",
        "train_reward": "reward (training)",
        "heldout_reward": "reward (held out)",
    }
)

_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))

#: One mark a recipe, the same in every chapter.
RECIPES: Mapping[str, Mark] = MappingProxyType(
    {
        "ScaleRL": Mark(COLOURS["blue"], "-", "o"),
        "GRPO": Mark(COLOURS["vermillion"], "--", "s"),
        "CISPO": Mark(COLOURS["green"], "-", "^"),
        "DAPO": Mark(COLOURS["orange"], "-.", "D"),
        "Dr. GRPO": Mark(COLOURS["pink"], "--", "v"),
        "GSPO": Mark(COLOURS["sky"], "-.", "P"),
        "PPO": Mark(COLOURS["black"], ":", "X"),
        "MiniMax": Mark(COLOURS["green"], ":", "<"),
        "Magistral": Mark(COLOURS["orange"], ":", ">"),
    }
)

#: Of a run whose recipe is not known.
PLAIN = Mark(COLOURS["blue"])
#: Of a second thing in the same figure, such as a rival shape.
RIVAL = Mark(COLOURS["vermillion"], "-", "s")


def format_compute(value: float, unit: str = "") -> str:
    """Return an amount of compute as people write it, with its unit when one is given.

    Parameters
    ----------
    value : float
        Compute, in ``unit``.
    unit : str
        One of :data:`rlscale.UNITS`, or empty.

    Returns
    -------
    str
        At most four digits, with a prefix for thousands, millions and so on from 100,000.

    Raises
    ------
    CurveError
        If the unit is not known.

    Examples
    --------
    >>> format_compute(10909, "gpu_hours"), format_compute(2.5e9), format_compute(0.025)
    ('10,909 GPU-hours', '2.5G', '0.025')
    """
    words = f" {_unit_label(unit)}" if unit else ""
    if not np.isfinite(value):
        return f"{value}{words}"
    size = abs(value)
    if size < 1e3:
        return f"{value:.4g}{words}"
    if size < 1e5:
        return f"{value:,.0f}{words}"
    limit, prefix = next(p for p in _PREFIXES if size >= p[0])
    return f"{value / limit:.4g}{prefix}{words}"


def label_compute_axis(
    ax: Axes, unit: str, *, log: bool = False, low: float | None = None, hardware: str = ""
) -> Axes:
    """Name the compute axis with its unit and put readable ticks on it.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    unit : str
        One of :data:`rlscale.UNITS`.
    log : bool
        Logarithmic compute; the label says so.
    low : float, optional
        Left end of a logarithmic axis (above 0).
    hardware : str
        Which GPU the hours are of, such as ``"GB200"``.

    Returns
    -------
    Axes
        The same axes.

    Raises
    ------
    CurveError
        If the unit is not known.
    """
    from matplotlib.ticker import EngFormatter, NullFormatter

    words = f"{hardware} {_unit_label(unit)}".strip()
    ax.set_xlabel(f"compute ({words}{', log scale' if log else ''})")
    if log:
        ax.set_xscale("log")
        ax.xaxis.set_minor_formatter(NullFormatter())
        if low is not None:
            ax.set_xlim(left=low)
    ax.xaxis.set_major_formatter(EngFormatter(sep=""))
    return ax


def label_pass_rate_axis(ax: Axes, what: str = "pass rate") -> Axes:
    """Name the pass-rate axis; ticks stay fractions, as in the text."""
    ax.set_ylabel(what)
    return ax


def label_ends(ax: Axes, labels: Iterable[tuple[float, str, str]], *, gap: float = 0.05) -> Axes:
    """Write names at the right edge, each beside its line, moved apart where they would overlap.

    Parameters
    ----------
    ax : Axes
        Where to draw; set its limits first.
    labels : iterable of (y, text, colour)
        Height in data units, what to write, and in which colour.
    gap : float
        Least distance of two names, as a share of the height of the axes.

    Returns
    -------
    Axes
        The same axes.
    """
    low, high = ax.get_ylim()
    wanted = sorted(labels)
    heights = np.array([(y - low) / (high - low) for y, _, _ in wanted])
    for i in range(1, heights.size):
        heights[i] = max(heights[i], heights[i - 1] + gap)
    if heights.size and heights[-1] > 1:
        heights[-1] = 1.0
        for i in range(heights.size - 2, -1, -1):
            heights[i] = min(heights[i], heights[i + 1] - gap)
    for height, (_, text, colour) in zip(heights, wanted, strict=True):
        ax.annotate(
            text,
            (1, height),
            xycoords="axes fraction",
            xytext=(5, 0),
            textcoords="offset points",
            color=colour,
            va="center",
            fontsize="small",
            annotation_clip=False,
        )
    return ax


def _unit_label(unit: str) -> str:
    if unit not in UNITS:
        raise CurveError(f"unit {unit!r} is not known; use one of: {', '.join(UNITS)}")
    return UNITS[unit]
