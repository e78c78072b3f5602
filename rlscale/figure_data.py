"""The numbers that a figure shows, read from the drawn figure itself, as one tidy table.

A figure of the book comes with its data. They are not kept beside the drawing, where the two could come to
differ: whatever was drawn is read back, number by number, from the figure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch
    from matplotlib.transforms import Transform

Floats = NDArray[np.float64]

#: Columns of the table. ``panel`` says what is drawn over what; ``kind`` is one of :data:`KINDS`.
COLUMNS: tuple[str, ...] = ("panel", "kind", "series", "x", "y", "x2", "y2", "value")
#: ``line``, ``points``: x, y. ``band``: from y to y2 at x. ``segment``, ``box``: from (x, y) to (x2, y2).
#: ``outline``: corners of an area. ``cell``: a value at (x, y). ``label``: a text at (x, y), in ``series``.
#: ``x tick`` and ``y tick``: what a place on an axis of names stands for, in ``series``.
KINDS: tuple[str, ...] = (
    "line", "points", "band", "segment", "box", "outline", "cell", "label", "x tick", "y tick",
)  # fmt: skip


def read_figure(figure: Figure) -> pd.DataFrame:
    """Return what a figure shows.

    Parameters
    ----------
    figure : matplotlib Figure
        Drawn on axes with data coordinates. What is placed in axes or figure coordinates alone (frames,
        legends, corner notes) shows no data and is left out.

    Returns
    -------
    DataFrame
        Columns :data:`COLUMNS`, a row a place drawn, in the order of drawing; empty cells where a kind has
        no such number. Coordinates are in the units of the axes, with all their digits. A series without a
        label of its own has its ``gid`` and the one text in its colour, else its number.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> figure = Figure()
    >>> ax = figure.subplots()
    >>> _ = ax.plot([1, 10], [0.2, 0.6], label="held-out")
    >>> _ = ax.set(xlabel="GPU-hours", ylabel="pass rate")
    >>> for row in read_figure(figure)[["panel", "kind", "series", "x", "y"]].itertuples(index=False):
    ...     print(*row, sep=", ")
    pass rate ~ GPU-hours, line, held-out, 1.0, 0.2
    pass rate ~ GPU-hours, line, held-out, 10.0, 0.6
    """
    import pandas as pd

    figure.draw_without_rendering()  # ticks, limits and bars are where they are drawn only then
    axes = [ax for ax in figure.axes if ax.get_visible() and ax.get_label() != "<colorbar>"]
    parts = []
    for number, ax in enumerate(axes, 1):
        panel = _name_panel(ax) if len(axes) == 1 else f"{number}: {_name_panel(ax)}"
        for kind, series, values in _read_axes(ax):
            parts.append(pd.DataFrame({"panel": panel, "kind": kind, "series": series, **values}))
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    return table.reindex(columns=list(COLUMNS))


def _name_panel(ax: Axes) -> str:
    """Name what is drawn over what, else the title, on one line."""
    shared = (ax.get_shared_y_axes().get_siblings(ax), ax.get_shared_x_axes().get_siblings(ax))
    up = next((a.get_ylabel() for a in (ax, *shared[0]) if a.get_ylabel()), "")
    along = next((a.get_xlabel() for a in (ax, *shared[1]) if a.get_xlabel()), "")
    if along and ax.get_xscale() == "log" and "log" not in along:
        along += " (log scale)"
    over = " ~ ".join(t for t in (up, along) if t)
    title = ax.get_title() or ax.get_title("left")
    return " ".join("; ".join(t for t in (title, over) if t).split()) or "no axis labels"


def _read_axes(ax: Axes) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield kind, series and numbers of each artist."""
    import matplotlib.collections as collections
    from matplotlib.container import BarContainer

    namer = _Namer(ax)
    for line in ax.lines:
        xy = _place(ax, line.get_transform(), line.get_xydata())
        if xy is not None and line.get_visible() and len(xy):
            kind = "points" if line.get_linestyle() in ("None", "none", " ", "") else "line"
            yield kind, namer.name(line, kind), {"x": xy[:, 0], "y": xy[:, 1]}
    for drawn in ax.collections:
        if not drawn.get_visible():
            continue
        if isinstance(drawn, collections.QuadMesh):
            yield "cell", namer.name(drawn, "cell"), _read_mesh(drawn)
        elif isinstance(drawn, collections.PathCollection):
            xy = _place(ax, drawn.get_offset_transform(), drawn.get_offsets())
            if xy is not None and len(xy):
                values = {"x": xy[:, 0], "y": xy[:, 1]}
                shade = drawn.get_array()
                if shade is not None and np.size(shade) == len(xy):
                    values["value"] = _fill(shade)
                yield "points", namer.name(drawn, "points"), values
        else:
            yield from _read_paths(ax, drawn, namer)
    of_bar = {id(p): c for c in ax.containers if isinstance(c, BarContainer) for p in c.patches}
    for patch in ax.patches:
        if patch.get_visible():
            yield from _read_patch(ax, patch, namer, of_bar.get(id(patch)))
    for image in ax.images:
        if getattr(image.get_array(), "ndim", 0) == 2:  # a photograph has colours, no values
            yield "cell", namer.name(image, "cell"), _read_image(image)
    yield from _read_texts(ax)


def _read_paths(ax: Axes, drawn: Collection, namer: _Namer) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield bands, segments and areas of a collection of paths."""
    from matplotlib.collections import LineCollection

    for path in drawn.get_paths():
        xy = _place(ax, drawn.get_transform(), np.asarray(path.vertices, np.float64))
        if xy is None or not len(xy):
            continue
        if isinstance(drawn, LineCollection):
            if len(xy) == 2:
                values = {"x": xy[:1, 0], "y": xy[:1, 1], "x2": xy[1:, 0], "y2": xy[1:, 1]}
                yield "segment", namer.name(drawn, "segment"), values
            else:
                yield "line", namer.name(drawn, "line"), {"x": xy[:, 0], "y": xy[:, 1]}
            continue
        # fill_between: a corner, one edge forwards, a corner, the other edge backwards, closed
        half = (len(xy) - 3) // 2
        low, high = xy[1 : half + 1], xy[half + 2 : 2 * half + 2][::-1]
        if len(xy) == 2 * half + 3 and half and np.array_equal(low[:, 0], high[:, 0]):
            yield "band", namer.name(drawn, "band"), {"x": low[:, 0], "y": low[:, 1], "y2": high[:, 1]}
        else:
            yield "outline", namer.name(drawn, "outline"), {"x": xy[:, 0], "y": xy[:, 1]}


def _read_patch(ax: Axes, patch: Patch, namer: _Namer, bars: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the corners of a bar or a span, or the outline of an area."""
    from matplotlib.patches import FancyArrowPatch, Polygon, Rectangle, StepPatch

    if isinstance(patch, StepPatch):
        heights, edges, base = patch.get_data()
        low = np.zeros(len(heights)) if base is None else np.broadcast_to(base, len(heights))
        values = {"x": edges[:-1], "y": low, "x2": edges[1:], "y2": heights}
        yield "box", namer.name(patch, "box"), values
    elif isinstance(patch, Rectangle):
        x, y = patch.get_xy()
        ends = np.array([[x, y], [x + patch.get_width(), y + patch.get_height()]])
        of_data = patch.get_data_transform()
        corners = _place(ax, of_data, ends)
        if corners is not None:
            (x, y), (x2, y2) = corners
            name = namer.name(patch, "box", bars)
            yield "box", name, {"x": [x], "y": [y], "x2": [x2], "y2": [y2]}
    elif isinstance(patch, Polygon):
        xy = _place(ax, patch.get_data_transform(), np.asarray(patch.get_xy(), np.float64))
        if xy is not None:
            yield "outline", namer.name(patch, "outline"), {"x": xy[:, 0], "y": xy[:, 1]}
    elif not isinstance(patch, FancyArrowPatch):
        path = patch.get_path()
        xy = _place(ax, patch.get_transform(), np.asarray(path.vertices, np.float64))
        if xy is not None:
            yield "outline", namer.name(patch, "outline"), {"x": xy[:, 0], "y": xy[:, 1]}


def _read_image(image: Any) -> dict[str, Any]:
    """Return centres and values of the cells of ``imshow``."""
    shown = _fill(image.get_array())
    left, right, bottom, top = image.get_extent()
    rows, columns = shown.shape
    first, last = (top, bottom) if image.origin == "upper" else (bottom, top)
    x = left + (np.arange(columns) + 0.5) * (right - left) / columns
    y = first + (np.arange(rows) + 0.5) * (last - first) / rows
    at_x, at_y = np.meshgrid(x, y)
    return {"x": at_x.ravel(), "y": at_y.ravel(), "value": shown.ravel()}


def _read_mesh(mesh: Any) -> dict[str, Any]:
    """Return centres and values of a colour mesh."""
    corners, values = np.asarray(mesh.get_coordinates(), np.float64), _fill(mesh.get_array())
    shape = (corners.shape[0] - 1, corners.shape[1] - 1)
    if values.size == shape[0] * shape[1]:
        centres = 0.25 * (corners[:-1, :-1] + corners[1:, :-1] + corners[:-1, 1:] + corners[1:, 1:])
    else:  # shading="gouraud" has a value a corner
        centres = corners
    x, y = centres[..., 0].ravel(), centres[..., 1].ravel()
    return {"x": x, "y": y, "value": values.ravel()}


def _read_texts(ax: Axes) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield texts that stand at a place of the data, and the names on an axis of names."""
    from matplotlib.category import StrCategoryFormatter
    from matplotlib.text import Annotation
    from matplotlib.ticker import FixedFormatter
    from matplotlib.transforms import Transform

    for text in ax.texts:
        if not (text.get_visible() and text.get_text().strip()):
            continue
        system: Any = text.get_transform()
        at = text.get_position()
        if isinstance(text, Annotation):  # it stands beside what it is about
            at, system = text.xy, ax.transData if text.xycoords == "data" else text.xycoords
        place = _place(ax, system, np.array([at], np.float64)) if isinstance(system, Transform) else None
        if place is not None:
            yield "label", " ".join(text.get_text().split()), {"x": place[:, 0], "y": place[:, 1]}
    for axis, kind, column in ((ax.xaxis, "x tick", "x"), (ax.yaxis, "y tick", "y")):
        formatter = axis.get_major_formatter()
        # set_xticks(places, labels) hands matplotlib's formatter a dictionary of names
        names = getattr(getattr(formatter, "func", None), "args", ())
        of_names = isinstance(formatter, StrCategoryFormatter | FixedFormatter)
        of_names = of_names or bool(names and isinstance(names[0], dict))
        if axis.get_visible() and of_names:
            ticks = zip(axis.get_ticklabels(), axis.get_ticklocs(), strict=False)
            named = {float(at): " ".join(t.get_text().split()) for t, at in ticks if t.get_text().strip()}
            if named:
                yield kind, list(named.values()), {column: list(named)}


def _place(ax: Axes, transform: Transform, xy: Any) -> Floats | None:
    """Return points in data coordinates; None where neither of the two is one.

    A line across the axes (``axhline``) has one coordinate in shares of the axes: it becomes the limit.
    """
    xy = _fill(xy)
    in_data = transform.contains_branch_seperately(ax.transData)
    if not any(in_data) or not xy.size:
        return None
    if all(in_data) and transform == ax.transData:
        return xy
    moved = ax.transData.inverted().transform(transform.transform(xy))
    if transform == ax.get_xaxis_transform() or transform == ax.get_yaxis_transform():
        moved[:, 0 if in_data[0] else 1] = xy[:, 0 if in_data[0] else 1]  # to the last digit
    return np.asarray(moved, np.float64)


def _fill(values: Any) -> Floats:
    """Return numbers with NaN where they are masked: what a figure leaves out is no data of it."""
    return np.ma.filled(np.ma.asarray(values).astype(np.float64), np.nan)


class _Namer:
    """Names series: by label or gid, else by the one text in their colour, else by number."""

    def __init__(self, ax: Axes) -> None:
        from matplotlib.colors import to_hex

        by_colour: dict[str, set[str]] = {}
        legend = ax.get_legend()
        entries = zip(legend.legend_handles, legend.get_texts(), strict=False) if legend else ()
        labels = [(_colour_of(handle), text) for handle, text in entries if handle is not None]
        for colour, text in [*labels, *((to_hex(text.get_color()), text) for text in ax.texts)]:
            if text.get_text().strip() and _is_bright(colour):
                by_colour.setdefault(colour, set()).add(" ".join(text.get_text().split()))
        self._by_colour = {colour: texts.pop() for colour, texts in by_colour.items() if len(texts) == 1}
        self._counts: dict[str, int] = {}

    def name(self, artist: Artist, kind: str, bars: Any = None) -> str:
        """Return the name of a series; the bars of one call share one."""
        label = str(getattr(bars, "get_label", artist.get_label)() or "")
        if label and not label.startswith("_"):
            return " ".join(label.split())
        text = self._by_colour.get(_colour_of(artist), "")
        if gid := " ".join(str(artist.get_gid() or "").split()):
            return f"{text}: {gid}" if text and not gid.startswith(text) else gid
        if bars is not None:
            return text or "bars"
        self._counts[text or kind] = self._counts.get(text or kind, 0) + 1
        return f"{text or kind} ({self._counts[text or kind]})"


def _is_bright(colour: str) -> bool:
    """Tell whether a colour is more than black, white or grey, which all kinds of notes have."""
    from matplotlib.colors import to_rgb

    return bool(colour) and max(to_rgb(colour)) - min(to_rgb(colour)) > 0.1


def _colour_of(artist: Artist) -> str:
    """Return the colour of an artist as ``#rrggbb``, or an empty text where it has several or none."""
    from matplotlib.colors import to_hex

    for name in ("get_color", "get_facecolor", "get_edgecolor"):
        if hasattr(artist, name):
            colour = np.atleast_1d(np.asarray(getattr(artist, name)(), object))
            if colour.ndim == 2:
                if len(colour) != 1:
                    continue
                colour = colour[0]
            try:
                return to_hex(tuple(colour) if colour.size in (3, 4) else colour.item())
            except (ValueError, TypeError):
                continue
    return ""
