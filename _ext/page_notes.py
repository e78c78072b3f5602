"""Sphinx extension of this book: what stands at the foot of each page.

Version and dates, a link to report an error in this very page, the slides of a chapter, the day of its
prices; on the start page also what can be downloaded and how to cite the book (from ``CITATION.cff``).
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import yaml
from sphinx.application import Sphinx

from rlscale import __version__
from rlscale.launch import FOLDER
from rlscale.price_age import newest_days
from rlscale.prices import STALE_DAYS

_LAUNCHERS = ("https://mybinder.org/", "https://colab.research.google.com/")
#: Pages that have no source of their own.
_MADE = ("genindex", "search", "index")


def build_day() -> str:
    """Return the day of this build; SOURCE_DATE_EPOCH sets it, as it does for other builders."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    return now.date().isoformat()


def changed_day(root: Path, page: str) -> str:
    """Return the day on which the source of a page was last committed, or an empty text without git."""
    sources = [f"notebooks/{page}.py", f"book/{page}.md"]
    command = ["git", "log", "-1", "--format=%cs", "--", *(s for s in sources if (root / s).is_file())]
    try:
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def cite_book(citation: dict[str, Any]) -> tuple[str, str]:
    """Return how to cite the book, as a line of text and as BibTeX, from CITATION.cff."""
    names = [a.get("name") or f"{a['family-names']}, {a['given-names']}" for a in citation["authors"]]
    year, title = str(citation["date-released"])[:4], citation["title"]
    address, version = citation["repository-code"], citation["version"]
    line = f"{'; '.join(names)} ({year}). {title} Version {version}. {address}"
    title_of_two = re.sub(r"^(\w+)", r"{\1}", title)
    bibtex = (
        f"@software{{rlscale{year},\n  author  = {{{' and '.join(f'{{{n}}}' for n in names)}}},\n"
        f"  title   = {{{title_of_two}}},\n  version = {{{version}}},\n  year    = {{{year}}},\n"
        f"  url     = {{{address}}}\n}}"
    )
    return line, bibtex


def _start_page(root: Path) -> str:
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    line, bibtex = cite_book(citation)
    return f"""
<section id="take-it-with-you">
<h2>Take it with you</h2>
<ul>
<li><a href="downloads/rlscale.pdf">The book as one PDF</a>, all answers open (<code>make pdf</code>)</li>
<li><a href="downloads/rlscale-teachers.zip">The teaching pack</a>: slides, notebooks without solutions,
a key with them, lesson plans (<code>make teachers</code>)</li>
<li>Each page: the arrow at the top downloads its notebook, the rocket opens it on Binder or Colab</li>
</ul>
</section>
<section id="cite-this-book">
<h2>Cite this book</h2>
<p>{html.escape(line)}</p>
<div class="highlight"><pre>{html.escape(bibtex)}</pre></div>
</section>
"""


def _foot(app: Sphinx, page: str, body: str) -> str:
    root = Path(app.srcdir).resolve().parent
    address = str(app.config.html_theme_options["repository_url"])
    report = f"{address}/issues/new?" + urlencode(
        {"template": "erratum.yml", "title": f"Erratum: {page}", "page": page, "version": __version__}
    )
    changed = changed_day(root, page)
    is_chapter = (root / "notebooks" / f"{page}.py").is_file()
    dates = [f"last changed on {changed}"] if changed else []
    dates.append(f"{'computed and checked' if is_chapter else 'built'} on {build_day()}")
    parts = [
        f"<p>rlscale {__version__}. This page: {', '.join(dates)}. "
        f'<a href="{html.escape(report)}">Report an error in it</a>.</p>'
    ]
    if re.match(r"\d\d-", page):
        parts.append(f'<p><a href="slides/{page}.html">Slides of this chapter</a></p>')
    text = re.sub(r"<script.*?</script>|<[^>]+>", " ", body, flags=re.S)
    if is_chapter and re.search(r"\$\s?\d", text):
        day = min(newest_days().values())
        parts.append(
            f'<p data-price-day="{day}" data-price-limit="{STALE_DAYS}">Prices in US dollars; each list was '
            f"last read on {day} or later.</p>"
        )
    return f'\n<footer class="page-notes">{"".join(parts)}</footer>\n'


def add_notes(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Append the notes to a page."""
    if page in _MADE or not context.get("body"):
        return
    root = Path(app.srcdir).resolve().parent
    body = str(context["body"])
    start = _start_page(root) if page == app.config.root_doc else ""
    context["body"] = body + start + _foot(app, page, body)


def open_plain_notebook(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Make the launch buttons open the notebook of ``launch/``: that of ``book/`` is written for Sphinx."""
    for group in context.get("header_buttons", []):
        for button in group.get("buttons", []):
            address = str(button.get("url", ""))
            if address.startswith(_LAUNCHERS):
                button["url"] = address.replace(f"/book/{page}.ipynb", f"/{FOLDER}/{page}.ipynb")


def copy_plain_notebooks(app: Sphinx, exception: Exception | None) -> None:
    """Put the same notebooks behind the download button of each page."""
    if exception is not None or app.builder.format != "html":
        return
    for notebook in sorted((Path(app.srcdir).resolve().parent / FOLDER).glob("*.ipynb")):
        target = Path(app.outdir, "_sources", notebook.name)
        if target.is_file():
            shutil.copyfile(notebook, target)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("html-page-context", add_notes, priority=600)
    app.connect("html-page-context", open_plain_notebook, priority=900)
    app.connect("build-finished", copy_plain_notebooks)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
