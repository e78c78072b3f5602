"""Figures of cost and speed: where two bills cross, what moves one, and predictions against real runs.

As everywhere in :mod:`rlscale.plot`: axes in, axes out, nothing shown and no global setting changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .amounts import number
from .cost import Cost, Swing
from .cost_checks import Check
from .plot_marks import COLOURS
from .spread import Interval, Spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_break_even(
    ax: Axes,
    tokens: float,
    usd_by_token: float,
    gpu_price: Spread,
    marks: Mapping[str, float],
    *,
    estimate: Interval | None = None,
) -> Axes:
    """Draw the GPU bill of some tokens against throughput, beside the bill by the token.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    tokens : float
        Generated tokens of the run.
    usd_by_token : float
        What they cost where they are billed by the token.
    gpu_price : Spread
        Price of a GPU-hour; its ends make the band.
    marks : mapping
        Label to tokens a second a GPU: points on the central line.
    estimate : Interval, optional
        Throughput that is expected: a span on the axis.

    Returns
    -------
    Axes
        The same.
    """
    place = np.geomspace(100, 6000, 200)
    hours = tokens / place / 3600
    ax.fill_between(
        place, hours * gpu_price.lo, hours * gpu_price.hi, color=COLOURS["blue"], alpha=0.15, linewidth=0
    )
    ax.plot(place, hours * gpu_price.mid, color=COLOURS["blue"])
    ax.axhline(usd_by_token, color=COLOURS["vermillion"], linestyle="--")
    ax.set(xscale="log", yscale="log", xlim=(100, 6000))
    if estimate is not None:
        ax.axvspan(estimate.lo, estimate.hi, color=COLOURS["grey"], alpha=0.2, linewidth=0)
        ax.axvline(estimate.median, color=COLOURS["grey"], linewidth=0.8)
    for label, x in marks.items():
        usd = tokens / x / 3600 * gpu_price.mid
        ax.plot([x], [usd], "o", color=COLOURS["blue"], markersize=6)
        ax.annotate(
            f"{label}\n{number(usd, '$')}", (x, usd), xytext=(7, 4), textcoords="offset points", fontsize=9
        )
    ax.annotate(
        f"by the token {number(usd_by_token, '$')}",
        (105, usd_by_token),
        xytext=(0, -12),
        textcoords="offset points",
        fontsize=9,
        color=COLOURS["vermillion"],
    )
    _tick_numbers(ax, "x", [100, 200, 500, 1000, 2000, 5000])
    ax.set_xlabel("generated tokens per second and GPU, whole step")
    _tick_numbers(ax, "y", [1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6])
    ax.yaxis.set_major_formatter(lambda v, _: number(v, "$").replace(".00", "").replace(".0", ""))
    ax.set_ylabel("GPU bill")
    return ax


def plot_checks(ax: Axes, checks: Sequence[Check]) -> Axes:
    """Draw predicted over actual GPU time, one row a run or step, with the interval of the prediction.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    checks : sequence of Check
        Rows, the first on top. A hollow dot does not count.

    Returns
    -------
    Axes
        The same.
    """
    rows = np.arange(len(checks))[::-1]
    ax.axvspan(0.5, 2, color=COLOURS["grey"], alpha=0.18, linewidth=0)
    ax.axvline(1, color=COLOURS["grey"], linewidth=0.8)
    for y, check in zip(rows, checks, strict=True):
        ratio = check.ratio
        colour = COLOURS["blue"] if check.within_2 else COLOURS["vermillion"]
        ax.plot([ratio.lo, ratio.hi], [y, y], color=colour, linewidth=1.6)
        marker = "o" if check.within_2 else "D"
        ax.plot([ratio.median], [y], marker, color=colour, markerfacecolor=colour if check.counts else "none")
    ax.set(xscale="log", ylim=(-0.8, len(checks) - 0.2))
    ax.set_yticks(rows, [c.id for c in checks], fontsize=8)
    _tick_numbers(ax, "x", [0.1, 0.2, 0.5, 1, 2, 5])
    ax.set_xlabel("predicted GPU time ÷ actual")
    return ax


#: Colour and hatch of a part of a bill by a word of its name: the same thing looks the same in both bills.
_LOOKS = {
    "generat": ("blue", ""),
    "given": ("blue", ""),
    "read": ("sky", ".."),
    "train": ("orange", "//"),
    "sandbox": ("green", "xx"),
    "services": ("pink", "\\\\"),
}


def list_parts(cost: Cost, branch: str) -> dict[str, float]:
    """Return the mean parts of one bill in all: its own, then what both bills share (sandbox, storage).

    Parameters
    ----------
    cost : Cost
        The estimate.
    branch : str
        ``"tinker"`` or ``"self_hosted"``.

    Returns
    -------
    dict
        Part to US dollars; parts that cost nothing are left out.
    """
    own = branch.replace("_", "-") + ": "
    found = {n: usd for n, usd in cost.parts.items() if usd > 0 and (n.startswith(own) or ": " not in n)}
    return {name.removeprefix(own): usd for name, usd in found.items()}


def plot_bills(ax: Axes, cost: Cost) -> Axes:
    """Draw what the same run costs by the token and on own GPUs: mean parts, and the 90 % range of the whole.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    cost : Cost
        An estimate with both bills.

    Returns
    -------
    Axes
        The same.
    """
    branches = {"tinker": "by the token", "self_hosted": "own GPUs"}
    known: set[str] = set()
    for row, branch in enumerate(reversed(branches)):
        left = 0.0
        for name, usd in list_parts(cost, branch).items():
            colour, hatch = next((look for word, look in _LOOKS.items() if word in name), ("grey", "--"))
            label = {"blue": "generation", "sky": "reading", "orange": "training"}.get(colour, name)
            label = "overhead, evaluation, storage" if colour == "grey" else label
            ax.barh(
                row,
                usd,
                left=left,
                height=0.5,
                color=COLOURS[colour],
                hatch=hatch,
                edgecolor="white",
                label=None if label in known else label,
            )
            known.add(label)
            left += usd
        whole = cost.usd[f"total_{branch}"]
        assert whole is not None  # an estimate with both bills
        ax.plot([whole.lo, whole.hi], [row - 0.36] * 2, "|-", color="#222222", linewidth=1.2)
        ax.plot([whole.median], [row - 0.36], "D", color="#222222", markersize=5)
        ax.annotate(
            f"{number(whole.median, '$')} ({number(whole.lo, '$')} to {number(whole.hi, '$')})",
            (0, row + 0.28),
            xytext=(2, 2),
            textcoords="offset points",
            fontsize=9,
        )
    ax.set_yticks(range(len(branches)), list(reversed(branches.values())))
    ax.set_ylim(-0.6, 1.6)
    ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter(lambda v, _: number(v, "$"))
    ax.set_xlabel("US dollars")
    ax.legend(loc="lower right", fontsize=8)
    return ax


def plot_swings(ax: Axes, swings: Sequence[Swing], central: float, *, most: int = 6) -> Axes:
    """Draw what each input does to a bill from its low to its high end, the widest on top.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    swings : sequence of Swing
        Of one branch, widest first.
    central : float
        The bill with every input central, in US dollars.
    most : int
        How many to draw.

    Returns
    -------
    Axes
        The same.
    """
    shown = list(swings[:most])
    rows = np.arange(len(shown))[::-1]
    for y, swing in zip(rows, shown, strict=True):
        for end, at, colour in (
            ("low", swing.usd_at_lo, COLOURS["sky"]),
            ("high", swing.usd_at_hi, COLOURS["orange"]),
        ):
            ax.barh(y, at - central, left=central, color=colour, height=0.6)
            left = at < central
            ax.annotate(
                end,
                (at, y),
                xytext=(-4 if left else 4, 0),
                textcoords="offset points",
                ha="right" if left else "left",
                va="center",
                fontsize=8,
            )
    ax.axvline(central, color="#333333", linewidth=0.9)
    ax.set_yticks(rows, [s.input.replace("_", " ").replace("mfu", "MFU") for s in shown])
    ax.xaxis.set_major_formatter(lambda v, _: number(v, "$"))
    ax.margins(x=0.14)
    ax.set_xlabel("US dollars")
    return ax


def plot_step_parts(
    ax: Axes, labels: Sequence[str], parts: Mapping[str, ArrayLike], measured: ArrayLike | None = None
) -> Axes:
    """Draw the seconds of a step by part, one bar a setting, with the measured time beside it.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    labels : sequence of str
        Settings, the first on top.
    parts : mapping
        Part to seconds, one entry a setting.
    measured : array_like, optional
        Measured seconds, one entry a setting.

    Returns
    -------
    Axes
        The same.
    """
    rows = np.arange(len(labels))[::-1].astype(float)
    left = np.zeros(len(labels))
    styles = [("blue", ""), ("orange", "//"), ("grey", ".."), ("yellow", "xx")]
    for (name, seconds), (colour, hatch) in zip(parts.items(), styles, strict=False):
        width = np.asarray(seconds, np.float64)
        ax.barh(
            rows,
            width,
            left=left,
            height=0.55,
            color=COLOURS[colour],
            hatch=hatch,
            edgecolor="white",
            label=name,
        )
        left = left + width
    if measured is not None:
        ax.plot(np.asarray(measured), rows, "D", color="#222222", label="measured", linestyle="none")
    ax.set_yticks(rows, labels)
    ax.set_xlabel("seconds of a rollout step")
    return ax


def _tick_numbers(ax: Axes, axis: str, places: Sequence[float]) -> None:
    """Write plain numbers instead of powers of ten."""
    one = ax.xaxis if axis == "x" else ax.yaxis
    one.set_major_locator(_fixed(places))
    one.set_minor_locator(_fixed([]))
    one.set_major_formatter(lambda v, _: f"{v:,g}")


def _fixed(places: Sequence[float]):  # type: ignore[no-untyped-def]
    from matplotlib.ticker import FixedLocator

    return FixedLocator(list(places))
