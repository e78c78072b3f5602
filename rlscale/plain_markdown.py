"""Markdown that any notebook program shows, from the MyST Markdown of the chapters.

Sphinx understands roles such as ``{cite}`` and directives such as ``{exercise-start}``; Jupyter, Colab and a
slide do not. Here each of them becomes plain text, with the numbers that cells had glued into the prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import BookError, suggest_names

if TYPE_CHECKING:
    from nbformat import NotebookNode

#: The kind of output in which ``myst_nb.glue`` keeps a value for the prose.
GLUED = "application/papermill.record/text/plain"

_ROLE = re.compile(r"\{([a-z:]+)\}`([^`]*)`")
_OPEN = re.compile(r"^(?P<fence>`{3,}|:{3,})\{(?P<name>[a-z-]+)\}[ ]*(?P<title>.*)$")
#: Directives that frame text.
_FRAMES = {
    "exercise-start": "### Exercise: ",
    "solution-start": "### Solution",
    "admonition": "**",
    "note": "",
}
_ENDS = ("exercise-end", "solution-end")
#: Where a page of the book holds an app, and what it says of it; a notebook has none.
_APP = re.compile(r"^(?:<div [^>]*></div>|Below: the page's own run, not a log dropped above\.)\n*", re.M)


@dataclass(frozen=True)
class Context:
    """What roles refer to.

    Attributes
    ----------
    glued : mapping of str to str
        Names to the values that cells glued.
    pages : mapping of str to str
        Names of pages, such as ``"01-sigmoid-law"``, to their titles.
    sources : mapping of str to tuple of str
        Citation keys to author and year.
    labels : mapping of str to str
        Labels of figures and exercises to what they are called in running text.
    links : mapping of str to str
        Names of pages to where a link leads; the title of any other page stands without a link.
    """

    glued: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)


def read_glued(notebook: NotebookNode) -> dict[str, str]:
    """Return the values that the cells of an executed notebook glued, by name.

    Parameters
    ----------
    notebook : NotebookNode
        With outputs.

    Returns
    -------
    dict of str to str
    """
    found: dict[str, str] = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            name = output.get("metadata", {}).get("scrapbook", {}).get("name")
            if name is not None and GLUED in output.get("data", {}):
                found[name] = output["data"][GLUED].strip("'\"")
    return found


def read_sources(path: Path) -> dict[str, tuple[str, str]]:
    """Return author and year of each entry of a BibTeX file, by key.

    Parameters
    ----------
    path : Path
        ``book/references.bib``.

    Returns
    -------
    dict of str to tuple of str
        Such as ``{"khatri2025scalerl": ("Khatri et al.", "2025")}``.
    """
    from pybtex.database import parse_file

    found: dict[str, tuple[str, str]] = {}
    for key, entry in parse_file(str(path)).entries.items():
        people = entry.persons.get("author", [])
        names = [re.sub(r"[{}\\]", "", " ".join(person.last_names)) for person in people]
        many = len(names) > 2 or "others" in names
        author = f"{names[0]} et al." if many else " and ".join(names) or entry.fields.get("title", key)
        found[key] = (author, str(entry.fields.get("year", "no year")))
    return found


def read_labels(notebook: NotebookNode) -> dict[str, str]:
    """Return what the figures and exercises of a notebook are called in running text, by label.

    Parameters
    ----------
    notebook : NotebookNode
        A chapter.

    Returns
    -------
    dict of str to str
        Such as ``{"ex-01-four": 'the exercise "Four times Cmid"'}``.
    """
    found: dict[str, str] = {}
    for cell in notebook.cells:
        figure = cell.metadata.get("mystnb", {}).get("figure", {})
        if "name" in figure:
            caption = str(figure.get("caption", "")).split(".")[0].split(":")[0]
            found[figure["name"]] = f'the figure "{caption}"'
        match = re.match(r"```\{exercise-start\} (.+?)(?: \(\d+ minutes\))?\n:label: (\S+)\n", cell.source)
        if match:
            found[match[2]] = f'the exercise "{match[1]}"'
    return found


def keep_metadata(cell: NotebookNode) -> dict[str, Any]:
    """Return what a plain notebook keeps of the metadata of a cell.

    Parameters
    ----------
    cell : NotebookNode
        Of a chapter.

    Returns
    -------
    dict
        Its tags ``parameters`` and ``remove-cell``; a cell with the latter guards numbers of the text, is not
        shown on the page either, and is folded.
    """
    tags = [tag for tag in cell.metadata.get("tags", []) if tag in ("parameters", "remove-cell")]
    kept: dict[str, Any] = {"tags": tags} if tags else {}
    if "remove-cell" in tags:
        kept["jupyter"] = {"source_hidden": True}
    return kept


def _look_up(kind: str, name: str, known: Mapping[str, str]) -> str:
    if name not in known:
        raise BookError(f"{{{kind}}}`{name}` refers to nothing; {suggest_names(name, known)}")
    return known[name]


def _page(name: str, context: Context, text: str = "") -> str:
    title = text or _look_up("doc", name, context.pages)
    return f"[{title}]({context.links[name]})" if name in context.links else f"*{title}*"


def _role(match: re.Match[str], context: Context) -> str:
    kind, text = match[1], match[2]
    if kind.startswith("glue"):
        return _look_up(kind, text, context.glued)
    if kind in ("cite", "cite:p"):
        return "(" + "; ".join(", ".join(_source(key, context)) for key in text.split(",")) + ")"
    if kind == "cite:t":
        return "; ".join("{} ({})".format(*_source(key, context)) for key in text.split(","))
    if kind == "doc":
        return _page(text, context)
    if kind in ("numref", "ref"):
        return _look_up(kind, text, context.labels)
    if kind == "eq":
        return "above"
    if kind == "term":
        return text.split("<")[0].strip()
    raise BookError(f"the role {match[0]} has no plain form; teach it to rlscale.plain_markdown")


def _source(key: str, context: Context) -> tuple[str, str]:
    key = key.strip()
    if key not in context.sources:
        raise BookError(
            f"the citation {key!r} is not in the bibliography; {suggest_names(key, context.sources)}"
        )
    return context.sources[key]


def _without_directives(lines: list[str]) -> Iterator[str]:
    """Yield the lines, directives turned into a heading, a bold title or nothing."""
    closing: list[str] = []  # fences of the frames that are open
    options = False  # the lines right after the opening of a directive may be options
    for line in lines:
        match = _OPEN.match(line)
        if match:
            name, title = match["name"], match["title"].strip()
            if name in _ENDS:
                # closed by a fence of its own line; what it ended was closed before
                closing.append(match["fence"])
                options = True
            elif name in _FRAMES:
                closing.append(match["fence"])
                options = True
                if name == "exercise-start":
                    yield f"### Exercise: {title}"
                elif name == "solution-start":
                    yield "### Solution"
                elif title:
                    yield f"**{title}**"
                yield ""
            else:
                raise BookError(
                    f"the directive {line!r} has no plain form; teach it to rlscale.plain_markdown"
                )
        elif closing and line.rstrip() == closing[-1]:
            closing.pop()
            options = False
        elif options and re.match(r"^:[a-z-]+:", line):
            continue
        else:
            options = False
            yield line
    if closing:
        raise BookError(f"a directive is not closed in the cell that begins {lines[0]!r}")


def to_plain(source: str, context: Context | None = None) -> str:
    """Return Markdown without anything that only Sphinx understands.

    Parameters
    ----------
    source : str
        The source of a Markdown cell.
    context : Context, optional
        What its roles refer to.

    Returns
    -------
    str

    Raises
    ------
    BookError
        A role refers to nothing, or has no plain form.

    Examples
    --------
    >>> to_plain("It bends at {glue:text}`c`, see {doc}`a`.", Context({"c": "2,542"}, {"a": "The law"}))
    'It bends at 2,542, see *The law*.'
    """
    context = context or Context()
    source = _APP.sub("", source)
    source = re.sub(r"equation \{eq\}`[^`]*`", "the equation above", source)
    # the book hides the cell that installs the package, a notebook shows it
    source = re.sub(r"first(\s+)code(\s+)cell", r"second\1code\2cell", source)
    source = re.sub(r"run(\s+)the(\s+)page", r"run\1the\2notebook", source)
    text = "\n".join(_without_directives(source.splitlines()))
    text = re.sub(r"\$\$[ ]*\([\w-]+\)", "$$", text)  # the label of an equation
    text = re.sub(r"^\([\w-]+\)=\n", "", text, flags=re.M)
    text = _ROLE.sub(lambda match: _role(match, context), text)

    def link(match: re.Match[str]) -> str:
        return _page(match[2], context, match[1]) if match[2] in context.pages else match[0]

    text = re.sub(r"(?<!!)\[([^\]]*)\]\(([\w-]+)\)", link, text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()
