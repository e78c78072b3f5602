"""Sphinx extension of this book: local MathJax, and no script that a page would fetch from elsewhere.

jupyter-book 1.0 writes the settings of Thebe (live code cells, which this book does not use) on each page,
twice: the second declaration of a constant is an error in the browser's console, and the settings name a
script on a public server. MathJax comes from the package ``sphinx-mathjax-offline``; of its 15 MB only what
a page can ask for is copied.
"""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

#: What a page loads: the bundle (SVG glyphs, so no fonts), TeX packages loaded on use, parts of its menu.
MATHJAX_PARTS = ("tex-svg.js", "input/tex/extensions", "a11y", "ui", "sre")


def mathjax_folder() -> Path:
    """Return the folder of the installed MathJax files."""
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    folder = Path(spec.origin or "").parent / "static" / "mathjax" if spec else None
    if folder is None or not (folder / "tex-svg.js").is_file():
        raise ExtensionError("MathJax is not installed: pip install sphinx-mathjax-offline")
    return folder


def set_mathjax_path(app: Sphinx, config: Any) -> None:
    """Make pages load the local MathJax."""
    config.mathjax_path = "mathjax/tex-svg.js"


def copy_mathjax(app: Sphinx, exception: Exception | None) -> None:
    """Copy MathJax into the built site."""
    if exception is not None or app.builder.format != "html":
        return
    source, target = mathjax_folder(), Path(app.outdir, "_static", "mathjax")
    for part in MATHJAX_PARTS:
        if (source / part).is_dir():
            shutil.copytree(source / part, target / part, dirs_exist_ok=True)
        else:
            (target / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / part, target / part)


def drop_thebe(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Take the scripts of Thebe out of a page."""
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if not (
            "THEBE_JS_URL" in (getattr(script, "attributes", {}).get("body") or "")
            or "sphinx-thebe" in str(getattr(script, "filename", script))
        )
    ]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("config-inited", set_mathjax_path, priority=900)
    app.connect("html-page-context", drop_thebe, priority=900)
    app.connect("build-finished", copy_mathjax)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
