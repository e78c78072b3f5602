"""Figures of the published fits, from the table ``data/published_fits.csv``.

The papers give A, B and Cmid but no R0. So nothing here draws a pass rate against compute: curves show the
*share of the gain* that is won, 1 / (1 + (Cmid/C)^B), which needs no R0, and ceilings stand on their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .errors import TableError, suggest_names
from .law import Sigmoid
from .plot_marks import COLOURS, Mark, format_compute, label_compute_axis

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Short names of the fits of ScaleRL's Table 1, and how each is drawn: those spoken of have a colour.
PUBLISHED: Mapping[str, tuple[str, Mark]] = MappingProxyType(
    {
        "t1_scalerl": ("8B, batch 768", Mark(COLOURS["blue"], "-", "o")),
        "t1_bs512": ("8B, batch 512", Mark(COLOURS["grey"], "-", "o")),
        "t1_8gen": ("8B, 8 generations", Mark(COLOURS["grey"], "-", "o")),
        "t1_24gen": ("8B, 24 generations", Mark(COLOURS["grey"], "-", "o")),
        "t1_32gen": ("8B, 32 generations", Mark(COLOURS["grey"], "-", "o")),
        "t1_mathcode_math": ("8B, math and code: math", Mark(COLOURS["grey"], "-", "o")),
        "t1_mathcode_code": ("8B, math and code: code", Mark(COLOURS["pink"], ":", "v")),
        "t1_scout": ("Scout 17B×16 MoE", Mark(COLOURS["green"], "-.", "^")),
        "t1_bs2048": ("8B, batch 2048", Mark(COLOURS["vermillion"], "--", "s")),
        "t1_32k": ("8B, 32k tokens", Mark(COLOURS["orange"], "-.", "D")),
    }
)


def select_published(table: pd.DataFrame) -> pd.DataFrame:
    """Return the fits that state A, B and Cmid (ScaleRL's Table 1), lowest ceiling first.

    Parameters
    ----------
    table : DataFrame
        From ``load_table("published_fits")``.

    Returns
    -------
    DataFrame
        Indexed by ``id``. Added: ``name`` (short), ``gpu_hours_90`` and ``gpu_hours_95`` (compute at which
        90 % and 95 % of the gain is won; derived: Cmid·9^(1/B), Cmid·19^(1/B)).

    Raises
    ------
    TableError
        If the table holds no such fit.
    """
    full = table[["A", "B", "Cmid_gpu_hours"]].notna().all(axis=1) & (table["law"] == "sigmoid")
    fits = table[full].set_index("id").sort_values(["A", "Cmid_gpu_hours"], kind="stable")
    if fits.empty:
        raise TableError(
            "the table of published fits holds no row with A, B and Cmid; give the table of this project"
        )
    fits["name"] = [PUBLISHED[i][0] if i in PUBLISHED else str(fits.loc[i, "recipe"]) for i in fits.index]
    for percent in (90, 95):
        ratio = np.exp(Sigmoid.log_ratio_for(percent / 100, fits["B"].to_numpy()))
        fits[f"gpu_hours_{percent}"] = fits["Cmid_gpu_hours"] * ratio
    return fits


def plot_gain_shares(ax: Axes, fits: pd.DataFrame, start: float = 300, end: float = 100_000) -> Axes:
    """Draw the share of the gain that each published fit has won, with a dot at its Cmid.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    fits : DataFrame
        From :func:`select_published`.
    start, end : float
        Range in GPU-hours of the paper's hardware.

    Returns
    -------
    Axes
        The same axes.
    """
    compute = np.geomspace(start, end, 300)
    named = False
    # grey ones first, so that those spoken of lie on top
    for row in sorted(_rows(fits), key=lambda r: r.mark.colour != COLOURS["grey"]):
        mark = row.mark
        grey = mark.colour == COLOURS["grey"]
        label = row.name if not grey else ("five more 8B fits" if not named else None)
        named |= grey
        ax.plot(
            compute,
            Sigmoid.fraction(compute, row.B, row.Cmid),
            linestyle=mark.dash,
            color=mark.colour,
            linewidth=1.0 if grey else 2.0,
            label=label,
        )
        ax.plot(
            [row.Cmid],
            [0.5],
            mark.marker,
            color=mark.colour,
            markersize=4 if grey else 7,
            markeredgecolor="white",
            zorder=5,
        )
    ax.axhline(0.5, color=COLOURS["grey"], linewidth=0.8, linestyle=":")
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("share of the gain won")
    return label_compute_axis(ax, "gpu_hours", log=True, hardware="GB200")


def plot_ceilings(ax: Axes, fits: pd.DataFrame) -> Axes:
    """Draw the ceiling of each published fit with its margin, one row a fit.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    fits : DataFrame
        From :func:`select_published`; ``A_margin`` is the half-width of the bar.

    Returns
    -------
    Axes
        The same axes, rows in the order of the table.
    """
    for height, row in enumerate(_rows(fits)):
        mark = row.mark
        ax.errorbar(
            [row.A],
            [height],
            xerr=[row.A_margin],
            fmt=mark.marker,
            color=mark.colour,
            capsize=2,
            markersize=6,
            elinewidth=1.2,
        )
    return _name_rows(ax, fits, "ceiling A (pass rate)")


def plot_spans(ax: Axes, fits: pd.DataFrame) -> Axes:
    """Draw, one row a fit, the way from Cmid (half of the gain, filled) to 90 % of the gain (open).

    Parameters
    ----------
    ax : Axes
        Where to draw.
    fits : DataFrame
        From :func:`select_published`.

    Returns
    -------
    Axes
        The same axes, rows in the order of the table.
    """
    for height, row in enumerate(_rows(fits)):
        mark = row.mark
        ax.plot([row.Cmid, row.at_90], [height] * 2, "-", color=mark.colour, linewidth=1.4)
        ax.plot([row.Cmid], [height], mark.marker, color=mark.colour, markersize=6)
        ax.plot(
            [row.at_90],
            [height],
            mark.marker,
            color=mark.colour,
            markersize=6,
            markerfacecolor="white",
        )
    _name_rows(ax, fits, "")
    ax.set_xlim(1e3, 1e5)  # whole decades, so that more than one tick has a number
    return label_compute_axis(ax, "gpu_hours", log=True, hardware="GB200")


def tabulate_published(fits: pd.DataFrame) -> pd.DataFrame:
    """Return the published fits as a table to read, numbers as text.

    Parameters
    ----------
    fits : DataFrame
        From :func:`select_published`.

    Returns
    -------
    DataFrame
        One row a fit: A, B, Cmid, and the derived compute at 90 % and 95 % of the gain.
    """
    import pandas as pd

    # no-break spaces, so that a number and its margin stay on one line
    margins = [f"{a:.3f}\u00a0±\u00a0{m:.2f}" for a, m in zip(fits["A"], fits["A_margin"], strict=True)]
    columns = {
        "A": margins,
        "B": [f"{b:.2f}" for b in fits["B"]],
        "Cmid": [format_compute(c) for c in fits["Cmid_gpu_hours"]],
        "90 % won": [format_compute(round(c, -2)) for c in fits["gpu_hours_90"]],
        "95 % won": [format_compute(round(c, -2)) for c in fits["gpu_hours_95"]],
    }
    return pd.DataFrame(columns, index=pd.Index(fits["name"].tolist()))


class _Row(NamedTuple):
    """One fit, as the figures need it."""

    name: str
    mark: Mark
    A: float
    A_margin: float
    B: float
    Cmid: float
    at_90: float


def _rows(fits: pd.DataFrame) -> list[_Row]:
    numbers = fits[["A", "A_margin", "B", "Cmid_gpu_hours", "gpu_hours_90"]].to_numpy(np.float64).tolist()
    marks = [PUBLISHED[i][1] if i in PUBLISHED else Mark(COLOURS["grey"]) for i in fits.index]
    return [_Row(str(n), m, *v) for n, m, v in zip(fits["name"], marks, numbers, strict=True)]


def find_published(fits: pd.DataFrame, row_id: str) -> pd.Series:
    """Return one published fit.

    Parameters
    ----------
    fits : DataFrame
        From :func:`select_published`.
    row_id : str
        Its ``id``.

    Returns
    -------
    Series

    Raises
    ------
    TableError
        If there is no such fit (the message names the nearest ones), or more than one.
    """
    import pandas as pd

    if row_id not in fits.index:
        raise TableError(f"there is no published fit {row_id!r}; {suggest_names(row_id, fits.index)}")
    row = fits.loc[row_id]
    if isinstance(row, pd.DataFrame):
        raise TableError(f"{len(row)} published fits are called {row_id!r}; keep one")
    return row


def _name_rows(ax: Axes, fits: pd.DataFrame, label: str) -> Axes:
    ax.set_yticks(range(len(fits)), list(fits["name"]))
    ax.set_ylim(-0.6, len(fits) - 0.4)
    ax.set_xlabel(label)
    return ax
