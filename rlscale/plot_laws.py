"""Points and laws: dots, lines, a family of lines with one parameter changed. See :mod:`rlscale.plot`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import CurveError
from .plot_marks import PLAIN, Mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .law import Law

Floats = NDArray[np.float64]


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
        gid="measured",
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
    ax.plot(
        shown, law(shown), linestyle=mark.dash, color=mark.colour, label=label or None, zorder=4, gid="law"
    )
    if seen is not None and seen < end:
        rest = np.union1d(x[x > seen], [max(seen, start)])
        ax.plot(rest, law(rest), linestyle="--", color=mark.colour, zorder=4, gid="law, continued")
    if midpoint:
        ax.plot(
            [law.Cmid],
            [law(law.Cmid)],
            mark.marker,
            color=mark.colour,
            markersize=7,
            markeredgecolor="white",
            zorder=5,
            gid="Cmid",
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


def _grid(start: float, end: float, log: bool, points: int = 400) -> Floats:
    if not start < end or (log and start <= 0):
        raise CurveError(
            f"cannot draw from {start:g} to {end:g}{' on a log axis' if log else ''}; give 0 or more, rising"
        )
    return np.geomspace(start, end, points) if log else np.linspace(start, end, points)
