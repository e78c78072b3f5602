"""Slides of a chapter, from the cells that its author tagged: one self-contained HTML deck, no network.

A cell tagged ``slide`` begins a slide; one tagged ``fragment`` goes on it and appears with the next key. Of a
text cell a slide shows the heading, formulas, lists and the first sentences; the whole text is in the notes
(key N). Of a code cell it shows the result. The deck scrolls where there is no script, and prints one slide a
page. The usual exporter for such decks loads its script from a public server, which this book never does.
"""

from __future__ import annotations

import html
import importlib.util
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import __version__
from .errors import BookError, MissingExtraError
from .plain_markdown import Context, to_plain

if TYPE_CHECKING:
    from nbformat import NotebookNode

#: The script that typesets formulas, as it is called beside the decks.
MATHJAX = "tex-svg.js"
#: A chapter has at least and at most this many slides.
FEWEST, MOST = 6, 14
#: Words of a text cell that a slide shows; the rest is for the notes.
_WORDS = 75
#: Words of a list from which on each of its points is cut to the first sentence.
_LONG_LIST = 110
_MATH = re.compile(r"\$\$(.+?)\$\$|(?<!\\)\$([^$\n]+?(?:\n[^$\n]+?)?)(?<!\\)\$", re.S)


@dataclass(frozen=True)
class Part:
    """A piece of a slide.

    Attributes
    ----------
    body : str
        HTML.
    fragment : bool
        Whether it appears only with the next key.
    """

    body: str
    fragment: bool = False


@dataclass(frozen=True)
class Slide:
    """One slide.

    Attributes
    ----------
    title : str
        HTML of its heading.
    parts : tuple of Part
        What it shows.
    notes : str
        HTML of the speaker's notes.
    """

    title: str
    parts: tuple[Part, ...]
    notes: str


def mathjax_script() -> Path:
    """Return the file of MathJax that typesets without fonts.

    Raises
    ------
    MissingExtraError
        MathJax is not installed.
    """
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    path = Path((spec.origin if spec else "") or "").parent / "static" / "mathjax" / MATHJAX
    if not path.is_file():
        raise MissingExtraError("MathJax is not installed: pip install 'rlscale[book]'")
    return path


def _render(markdown: str) -> str:
    """Return Markdown as HTML, formulas as MathJax reads them."""
    from markdown_it import MarkdownIt

    formulas: list[str] = []

    def keep(match: re.Match[str]) -> str:
        display, inline = match[1], match[2]
        formulas.append(rf"\[{display.strip()}\]" if display else rf"\({inline}\)")
        return f"@formula{len(formulas) - 1}@"

    # a dollar that is no formula is written \$ ; the parser takes the backslash away
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(_MATH.sub(keep, markdown))
    return re.sub(r"@formula(\d+)@", lambda m: html.escape(formulas[int(m[1])], quote=False), page)


def _sentences(paragraph: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+(?=[A-Z$*\\(])", paragraph.strip())


def shorten(markdown: str, words: int = _WORDS) -> str:
    """Return what of a text a slide shows: lists, formulas, tables, and the first sentences of paragraphs.

    Parameters
    ----------
    markdown : str
        Text without its heading.
    words : int
        About how many words may be shown.

    Returns
    -------
    str

    Examples
    --------
    >>> shorten("One is first. Two is longer than it.", words=3)
    'One is first.'
    """
    blocks = [b for b in re.split(r"\n\s*\n", markdown.strip()) if b.strip()]
    kept: list[str] = []
    left = words
    for block in blocks:
        is_text = not re.match(r"\s*([-*|>]\s|\d+\.\s|\||\$\$|```|<)", block)
        if not is_text:
            if re.match(r"\s*[-*] ", block) and len(block.split()) > _LONG_LIST:
                points = re.split(r"\n(?=[-*] )", block)
                block = "\n".join(_sentences(point)[0] for point in points)
            if left > 0 or block.lstrip().startswith("$$"):
                kept.append(block)
                left -= len(block.split())
            continue
        short: list[str] = []
        for sentence in _sentences(block):
            if block.startswith("**") and not short:
                pass  # question, answer and limit: each keeps its first sentence
            elif left <= 0 or (short and len(sentence.split()) > left):
                break
            short.append(sentence)
            left -= len(sentence.split())
        if short:
            kept.append(" ".join(short))
    return "\n\n".join(kept)


def _sections(markdown: str) -> list[tuple[str, str]]:
    """Return heading and text of each section of a cell, split at headings of the first two levels.

    Text before the first of them belongs to the section above the cell and is left out; a cell that has none
    is one section, under its own smaller heading or none.
    """
    pieces = re.split(r"^##? (.+)$", markdown, flags=re.M)
    if len(pieces) == 1:
        own = re.match(r"#{3,} (.+)\n?", markdown)
        return [(own[1].strip(), markdown[own.end() :].strip()) if own else ("", markdown.strip())]
    # a smaller heading within a section reads as a bold line
    texts = [re.sub(r"^#{3,} (.+)$", r"**\1**", text, flags=re.M).strip() for text in pieces[2::2]]
    return list(zip((heading.strip() for heading in pieces[1::2]), texts, strict=True))


def _results(cell: NotebookNode) -> str:
    """Return the results of a code cell as HTML."""
    page = cell.metadata.get("mystnb", {})
    shown: list[str] = []
    for output in cell.outputs:
        data: dict[str, Any] = output.get("data", {})
        if "image/png" in data:
            alt = html.escape(page.get("image", {}).get("alt", ""))
            caption = html.escape(page.get("figure", {}).get("caption", ""))
            picture = "".join(data["image/png"].split())
            shown.append(
                f'<figure><img alt="{alt}" src="data:image/png;base64,{picture}">'
                f"<figcaption>{caption}</figcaption></figure>"
            )
        elif "text/html" in data:
            shown.append(f'<div class="table">{data["text/html"]}</div>')
        elif output.output_type == "stream":
            shown.append(f"<pre>{html.escape(output.text.rstrip())}</pre>")
        elif "text/plain" in data:
            shown.append(f"<pre>{html.escape(data['text/plain'])}</pre>")
    return "\n".join(shown)


def select_slides(notebook: NotebookNode, context: Context | None = None) -> list[Slide]:
    """Return the slides of an executed chapter.

    Parameters
    ----------
    notebook : NotebookNode
        With outputs.
    context : Context, optional
        What the roles of its text refer to.

    Returns
    -------
    list of Slide

    Raises
    ------
    BookError
        A fragment stands before the first slide, a tagged code cell has no result, or a solution is tagged.
    """
    made: list[tuple[str, list[Part], list[str]]] = []
    heading = ""
    for number, cell in enumerate(notebook.cells, 1):
        tags = set(cell.metadata.get("tags", [])) & {"slide", "fragment"}
        if cell.cell_type == "markdown":
            if tags and "{solution-start}" in cell.source:
                raise BookError(
                    f"cell {number} is a solution and tagged {sorted(tags)}: slides show no solution"
                )
            sections = _sections(to_plain(cell.source, context))
            last = next((h for h, _ in reversed(sections) if h), "")
            if tags:
                for title, text in sections:
                    if title == "References":
                        continue
                    part = Part(_render(shorten(text)), "fragment" in tags)
                    if "slide" in tags or not made:
                        if "fragment" in tags:
                            raise BookError(f"cell {number}: a fragment stands before the first slide")
                        made.append((title or heading, [part], []))
                    else:
                        made[-1][1].append(part)
                    made[-1][2].append(text)
            heading = last or heading
        elif tags:
            shown = _results(cell)
            if not shown:
                raise BookError(f"cell {number} is tagged {sorted(tags)} and has no result to show")
            if "slide" in tags:
                caption = cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "")
                made.append((re.split(r"[.:;(]", caption)[0].strip() or heading, [Part(shown)], []))
            elif made:
                made[-1][1].append(Part(shown, True))
            else:
                raise BookError(f"cell {number}: a fragment stands before the first slide")
    return [
        Slide(
            _render(title).removeprefix("<p>").removesuffix("</p>\n"),
            tuple(p for p in parts if p.body.strip()),
            _render("\n\n".join(notes)),
        )
        for title, parts, notes in made
    ]


def render_deck(slides: Sequence[Slide], name: str, mathjax: str = MATHJAX) -> str:
    """Return a deck as one HTML document.

    Parameters
    ----------
    slides : sequence of Slide
        From :func:`select_slides`.
    name : str
        Of the chapter; used in messages and in the foot of each slide.
    mathjax : str
        Where the script for formulas lies, relative to the deck.

    Returns
    -------
    str

    Raises
    ------
    BookError
        There are too few or too many slides for a lesson.
    MissingExtraError
        jinja2 is not installed.
    """
    if not FEWEST <= len(slides) <= MOST:
        raise BookError(f"{name} has {len(slides)} slides; tag {FEWEST} to {MOST} cells with 'slide'")
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise MissingExtraError(f"{error.name} is not installed: pip install 'rlscale[report]'") from error
    environment = Environment(
        loader=PackageLoader("rlscale", "_templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["fragment"] = Markup
    return environment.get_template("deck.html.j2").render(
        title=re.sub(r"<[^>]+>", "", slides[0].title),
        slides=slides,
        name=name,
        version=__version__,
        mathjax=mathjax,
    )
