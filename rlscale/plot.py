"""Figures of the book and of the report.

Every function takes the axes to draw on and gives them back; none shows, saves or closes a figure and none
changes a global setting. The look comes from the style sheet: ``plt.style.use("rlscale.book")``.

How a figure is read, everywhere the same: measured points are dots, a fitted or believed law is a line, the
part beyond the last measured point is dashed, an interval is a band. A recipe keeps its colour, dash and
marker through the whole book (:data:`RECIPES`), so colour is never the only cue.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .curve import UNITS
from .errors import CurveError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .law import Law

Floats = NDArray[np.float64]

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
    if size >= 1e5:
        for limit, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
            if size >= limit and size < limit * 1e6:
                return f"{value / limit:.4g}{prefix}{words}"
    return (
        f"{value:.0f}{words}"
        if 1e2 <= size < 1e3
        else f"{value:,.0f}{words}"
        if 1e3 <= size < 1e5
        else f"{value:.4g}{words}"
    )


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


def plot_points(
    ax: Axes,
    compute: ArrayLike,
    pass_rate: ArrayLike,
    *,
    mark: Mark = PLAIN,
    label: str = "",
    alpha: float | None = None,
) -> Axes:
    """Draw measured points as dots.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    compute, pass_rate : array_like, shape (points,)
        What was measured.
    mark : Mark
        Colour and marker.
    label : str
        Name in the legend.
    alpha : float, optional
        Opacity; the more points there are, the fainter, when not given.

    Returns
    -------
    Axes
        The same axes.

    Raises
    ------
    CurveError
        If the two differ in length.
    """
    x, y = np.asarray(compute, np.float64), np.asarray(pass_rate, np.float64)
    if x.shape != y.shape:
        raise CurveError(f"compute has {x.size} points and pass_rate {y.size}; give one of each a point")
    many = x.size > 150
    ax.plot(
        x,
        y,
        mark.marker,
        color=mark.colour,
        markersize=2.5 if many else 4.5,
        markeredgewidth=0,
        alpha=alpha if alpha is not None else (0.35 if many else 0.75),
        label=label or None,
        zorder=3,
    )
    return ax


def plot_law(
    ax: Axes,
    law: Law,
    start: float,
    end: float,
    *,
    seen: float | None = None,
    mark: Mark = PLAIN,
    label: str = "",
    midpoint: bool = False,
    log: bool = False,
) -> Axes:
    """Draw a law as a line, dashed beyond what was seen.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    law : Law
        What to draw.
    start, end : float
        Range of compute, ``start < end``; ``start`` above 0 when ``log``.
    seen : float, optional
        Compute of the last measured point; the line is dashed after it.
    mark : Mark
        Colour and dash.
    label : str
        Name in the legend.
    midpoint : bool
        Put a dot at (Cmid, halfway between R0 and A).
    log : bool
        Space the points of the line for a logarithmic axis.

    Returns
    -------
    Axes
        The same axes.

    Raises
    ------
    CurveError
        If the range is empty, or starts at 0 on a logarithmic axis.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rlscale import Sigmoid
    >>> _, ax = plt.subplots()
    >>> ax = plot_law(ax, Sigmoid(R0=0.2, A=0.6, B=1.5, Cmid=1000), 0, 8000, seen=2000)
    >>> [line.get_linestyle() for line in ax.lines]
    ['-', '--']
    >>> plt.close()
    """
    x = _grid(start, end, log)
    shown = x if seen is None else np.union1d(x[x <= seen], [np.clip(seen, start, end)])
    ax.plot(shown, law(shown), linestyle=mark.dash, color=mark.colour, label=label or None, zorder=4)
    if seen is not None and seen < end:
        rest = np.union1d(x[x > seen], [max(seen, start)])
        ax.plot(rest, law(rest), linestyle="--", color=mark.colour, zorder=4)
    if midpoint:
        ax.plot(
            [law.Cmid],
            [law(law.Cmid)],
            mark.marker,
            color=mark.colour,
            markersize=7,
            markeredgecolor="white",
            zorder=5,
        )
    return ax


def plot_family(
    ax: Axes,
    law: Law,
    parameter: str,
    values: Sequence[float],
    start: float,
    end: float,
    *,
    mark: Mark = PLAIN,
) -> Axes:
    """Draw a law several times with one parameter changed, to show what that parameter does.

    Parameters
    ----------
    ax : Axes
        Where to draw, on a logarithmic compute axis.
    law : Law
        The law that the others differ from.
    parameter : str
        ``"R0"``, ``"A"``, ``"B"`` or ``"Cmid"``.
    values : sequence of float
        Its values, the faintest line first.
    start, end : float
        Range of compute, above 0.
    mark : Mark
        Colour of all; dashes and opacity tell the values apart.

    Returns
    -------
    Axes
        The same axes; each line has the value as its label, and a dot at its Cmid.

    Raises
    ------
    CurveError
        If the parameter is not one of the four, or a value is out of range.
    """
    if parameter not in ("R0", "A", "B", "Cmid"):
        raise CurveError(f"a law has no parameter {parameter!r}; use R0, A, B or Cmid")
    dashes = (":", "--", "-")
    compute = _grid(start, end, log=True)
    for i, value in enumerate(values):
        changed = replace(law, **{parameter: value})
        alpha = 0.55 + 0.45 * (i + 1) / len(values)
        ax.plot(compute, changed(compute), dashes[i % 3], color=mark.colour, alpha=alpha, label=f"{value:g}")
        ax.plot(
            [changed.Cmid],
            [changed(changed.Cmid)],
            "o",
            color=mark.colour,
            markersize=5.5,
            markeredgecolor="white",
            zorder=5,
        )
    ax.set_xscale("log")
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


def _grid(start: float, end: float, log: bool, points: int = 400) -> Floats:
    if not start < end or (log and start <= 0):
        raise CurveError(
            f"cannot draw from {start:g} to {end:g}{' on a log axis' if log else ''}; give 0 or more, rising"
        )
    return np.geomspace(start, end, points) if log else np.linspace(start, end, points)
