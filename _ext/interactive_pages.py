"""Sphinx extension of this book: gives pages that hold an app its scripts, its style and its numbers.

Other pages get nothing. What an app is made of stands in ``rlscale.interactive.page``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from rlscale.errors import RlscaleError
from rlscale.interactive.page import FOLDER, STYLE, list_apps, read_data, render_data, render_inline
from rlscale.interactive.shipped import ship_scripts, shorten_script


def drop_folder(app: Sphinx, config: Any) -> None:
    """Keep the folder's files off the other pages: jupyter-book adds all of ``_static`` to every page."""
    for name in ("html_js_files", "html_css_files"):
        kept = [f for f in getattr(config, name) if not _file_name(f).startswith(f"{FOLDER}/")]
        setattr(config, name, kept)


def _file_name(entry: Any) -> str:
    return str(entry[0] if isinstance(entry, tuple | list) else entry)


def add_apps(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add what the apps of a page need."""
    body = context.get("body") or ""
    try:
        found = list_apps(body)
        parts = [render_data(one.name, read_data(one.name)) for one in found]
        folder = Path(app.srcdir, "_static", FOLDER)
        for one in found:
            texts = {n: (folder / n).read_text(encoding="utf-8") for n in one.inline}
            parts += [render_inline(n, shorten_script(n, text)) for n, text in texts.items()]
    except (RlscaleError, OSError) as error:
        raise ExtensionError(f"{page}: {error}") from error
    if not found:
        return
    context["body"] = body + "\n" + "\n".join(parts)
    app.add_css_file(STYLE)
    linked = ["controls.js", *(name for one in found for name in one.scripts if name not in one.inline)]
    for name in dict.fromkeys(linked):
        if not (folder / name).is_file():
            raise ExtensionError(f"{page}: the app needs {folder / name}, which is not there")
        app.add_js_file(f"{FOLDER}/{name}", loading_method="defer", priority=800)


def shorten_linked(app: Sphinx, error: Exception | None) -> None:
    """Put the short scripts in place of the readable copies that Sphinx has made."""
    if error is not None or app.builder.format != "html":
        return
    try:
        ship_scripts(Path(app.outdir, "_static", FOLDER), Path(app.srcdir, "_static", FOLDER))
    except (RlscaleError, OSError) as fault:
        raise ExtensionError(str(fault)) from fault


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("config-inited", drop_folder)
    app.connect("html-page-context", add_apps)
    app.connect("build-finished", shorten_linked)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
