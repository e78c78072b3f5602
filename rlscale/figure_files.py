"""The data of a chapter's figures as CSV files, recorded while the chapter is executed.

The kernel that executes a chapter writes the numbers of each picture in the moment it is drawn
(:func:`record_figures`); afterwards the files get the names of the figures (:func:`name_figures`). Pages link
to them; the notebooks in ``book/`` do not change.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import BookError

if TYPE_CHECKING:
    from nbformat import NotebookNode

#: Where the files of all chapters are, below the checkout; a folder a chapter.
FOLDER = Path("_build", "figures")
#: In each folder: the figures of the chapter, in order, and the calls that draw them.
INDEX = "index.json"


def record_figures(folder: str | Path) -> None:
    """Make this IPython kernel write the data of each picture it draws to ``folder``: ``0.csv``, ``1.csv``.

    Parameters
    ----------
    folder : path-like
        An empty folder.
    """
    from IPython.core import pylabtools

    from .figure_data import read_figure

    draw = pylabtools.print_figure
    count = 0

    def draw_and_record(fig: Any, fmt: str = "png", *args: Any, **kwargs: Any) -> Any:
        nonlocal count
        picture = draw(fig, fmt, *args, **kwargs)
        if fmt == "png" and picture is not None:
            read_figure(fig).to_csv(Path(folder, f"{count}.csv"), index=False, lineterminator="\n")
            count += 1
        return picture

    # matplotlib's inline backend looks it up when it is switched on, which is later
    pylabtools.print_figure = draw_and_record


def startup_line(folder: str | Path) -> str:
    """Return the argument of a kernel that makes it record its figures."""
    code = f"from rlscale.figure_files import record_figures; record_figures({str(folder)!r})"
    return f"--IPKernelApp.exec_lines={code}"


def name_figures(recorded: Path, executed: NotebookNode, target: Path, name: str) -> None:
    """Give the recorded files the names of the figures and move them to their folder, all or none.

    Parameters
    ----------
    recorded : Path
        Folder that the kernel wrote.
    executed : NotebookNode
        The executed chapter; each picture belongs to a cell that names its figure (``mystnb: figure: name``).
    target : Path
        Folder of the chapter; replaced.
    name : str
        Used in messages.

    Raises
    ------
    BookError
        Pictures and records differ in number, or a cell with a picture names no figure, or has two.
    """
    figures: list[dict[str, Any]] = []
    for number, cell in enumerate(executed.cells, 1):
        outputs = cell.get("outputs", []) if cell.cell_type == "code" else []
        pictures = sum("image/png" in output.get("data", {}) for output in outputs)
        if not pictures:
            continue
        figure = cell.metadata.get("mystnb", {}).get("figure", {}).get("name")
        if pictures > 1 or not figure:
            raise BookError(
                f"{name}: cell {number} draws {pictures} picture(s) and names the figure {figure!r}; "
                "draw one a cell, and name it in the cell's metadata: mystnb: figure: name"
            )
        figures.append({"name": figure, "file": f"{figure}.csv", "calls": list_calls(cell.source)})
    names = [figure["name"] for figure in figures]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise BookError(f"{name}: two figures are called {twice[0]!r}; a name may be given once")
    found = sorted(recorded.glob("*.csv"), key=lambda p: int(p.stem))
    if len(found) != len(figures):
        raise BookError(
            f"{name}: the notebook has {len(figures)} pictures, and the data of {len(found)} were recorded; "
            "draw with matplotlib, and show a figure once"
        )
    part = target.with_name(f".{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for file, figure in zip(found, figures, strict=True):
        shutil.copyfile(file, part / figure["file"])
    (part / INDEX).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(target, ignore_errors=True)
    os.replace(part, target)


def list_calls(source: str) -> list[str]:
    """Return the functions of this package that a cell draws with, in order of the text.

    Parameters
    ----------
    source : str
        Of a code cell.

    Returns
    -------
    list of str

    Examples
    --------
    >>> list_calls("plot_arms(ax, runs); rs.plot_fit(ax, f); plot_arms(ax, more)")
    ['plot_arms', 'plot_fit']
    """
    return list(dict.fromkeys(re.findall(r"\b(plot_\w+)\s*\(", source)))


def read_index(root: Path, chapter: str) -> list[dict[str, Any]] | None:
    """Return the figures of a chapter as :func:`name_figures` listed them; None where some are missing.

    Parameters
    ----------
    root : Path
        The checkout.
    chapter : str
        Such as ``"01-sigmoid-law"``.

    Returns
    -------
    list of dict or None
        ``name``, ``file`` and ``calls`` of each.
    """
    path = root / FOLDER / chapter / INDEX
    if not path.is_file():
        return None
    figures: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return figures if all((path.parent / f["file"]).is_file() for f in figures) else None
