"""Sphinx extension of this book: under each figure, the data it shows as CSV and the call that draws it.

The files were written while the chapter was executed (``rlscale.figure_files``); here they get their link and
are copied into the site.
"""

from __future__ import annotations

import html
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from rlscale.figure_files import FOLDER, read_index

#: Below ``_static`` of the site; a folder a chapter.
SITE_FOLDER = "figures"


def link_data(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Put a line under the caption of each figure of a chapter."""
    root = Path(app.srcdir).resolve().parent
    if app.builder.format != "html" or not (root / "notebooks" / f"{page}.py").is_file():
        return
    figures = {name: node for node in doctree.findall(nodes.figure) for name in node["ids"]}
    index = read_index(root, page)
    if figures and index is None:
        raise ExtensionError(
            f"{page}: {root / FOLDER / page} lacks the data of its figures; "
            f"run: python -m rlscale.book --force {page}"
        )
    listed = {figure["name"]: figure for figure in index or []}
    if set(figures) != set(listed):
        raise ExtensionError(
            f"{page}: the page has the figures {sorted(figures)}, and there are data of {sorted(listed)}; "
            f"run: python -m rlscale.book --force {page}"
        )
    for name, node in figures.items():
        address = html.escape(f"_static/{SITE_FOLDER}/{page}/{listed[name]['file']}")
        text = f'<a href="{address}" download>Data (CSV)</a>'
        calls = ", ".join(f"<code>{c}</code>" for c in listed[name]["calls"])
        text += f" · drawn by {calls or 'the cell above'}"
        line = nodes.raw("", f'<p class="figure-data">{text}</p>', format="html")
        node.append(nodes.legend("", line))


def copy_data(app: Sphinx, exception: Exception | None) -> None:
    """Copy the files of all chapters into the site."""
    source = Path(app.srcdir).resolve().parent / FOLDER
    if exception is not None or app.builder.format != "html" or not source.is_dir():
        return
    target = Path(app.outdir, "_static", SITE_FOLDER)
    shutil.rmtree(target, ignore_errors=True)
    for file in sorted(source.glob("*/*.csv")):
        (target / file.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target / file.parent.name / file.name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("doctree-resolved", link_data)
    app.connect("build-finished", copy_data)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
