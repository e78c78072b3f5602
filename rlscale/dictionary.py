"""What is written from the tables: the data dictionary and the ledger page.

``python -m rlscale.tables`` (``make data``) checks each table and writes ``data/README.md`` and
``book/appendix-claims.md``. A test compares both with what this module would write.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from .claims import Claim, claims
from .schema_knowledge import CHAPTERS
from .schema_list import TABLES
from .schemas import NUMBER_KINDS, VERDICTS, Table
from .tables import load_table

_KIND_MEANS = {
    "measured": "this project measured it",
    "reported": "a source states it",
    "derived": "our arithmetic on stated numbers",
    "illustrative": "chosen to show a shape",
}


#: Not a table of ``data/``: the form of the files under the figures of the book.
_FIGURE_DATA = """
## Data under the figures

The link *Data (CSV)* under each figure of the book gives what the figure shows, read back from the drawing
while the chapter was executed: one row a place, with all its digits, in the units of the axes.

| column | meaning |
|---|---|
| `panel` | what is drawn over what; with a number where a figure has several |
| `kind` | what is drawn at the place, see below |
| `series` | its label in the figure, else what it is and the text in its colour, else a number |
| `x`, `y`, `x2`, `y2` | coordinates; empty where the kind has none |
| `value` | what a colour stands for |

Kinds: `line` and `points` at (x, y); `band` from y to y2 at x; `segment` and `box` from (x, y) to (x2, y2);
`outline`, the corners of an area; `cell`, a `value` at (x, y); `label`, a text at (x, y); `x tick` and
`y tick`, a name on an axis. In Python: `rlscale.figure_data.read_figure(fig)`.
"""


def write_dictionary() -> str:
    """Return ``data/README.md``: what each table and each column means.

    Returns
    -------
    str
        Markdown, one section a table.

    Examples
    --------
    >>> "## `claims.csv`" in write_dictionary()
    True
    """
    kinds = "\n".join(f"- `{kind}`: {_KIND_MEANS[kind]}" for kind in NUMBER_KINDS)
    head = f"""# Data dictionary

Each table is a tidy CSV file in UTF-8: one row a fact, units in the column names, an empty cell where nothing
is known. An empty cell is better than a guess: numbers that stand only in a figure, or only at second hand,
are left out or marked.

Each row says where it comes from: `source`, `location` in it, `as_of` and `kind`.

{kinds}

`rlscale.tables.load_table("gpus")` reads a table and checks every promise below; a row that breaks one is
refused with its line and column. Pass a path to read a table of your own in the same form: a column that may
be empty may also be left out. `make data` checks all tables and writes this file from
`rlscale/schema_list.py`.

The folder `scenarios/` holds cost scenarios and the folder `lab/` our own training runs; each has its own
description.
"""
    return head + "".join(_describe(table) for table in TABLES.values()) + _FIGURE_DATA


def _describe(table: Table) -> str:
    rows = len(load_table(table.name))
    lines = [f"\n## `{table.name}.csv`\n", f"One row: {table.row}. {rows} rows.\n"]
    lines += ["| column | meaning | cells hold |", "|---|---|---|"]
    lines += [f"| `{c.name}` | {c.meaning} | {c.expected} |".replace("[|", "[\\|") for c in table.columns]
    if table.rules:
        lines.append("\nRows are refused unless:\n")
        lines += [f"- `{rule.column}` is {rule.expected}" for rule in table.rules]
    return "\n".join(lines) + "\n"


def write_ledger() -> str:
    """Return ``book/appendix-claims.md``: each claim of the starting page with its verdict.

    Returns
    -------
    str
        Markdown with one box of HTML a claim, which ``_static/claims.js`` can filter by chapter, verdict and
        words. Without scripts all claims are there to read.

    Examples
    --------
    >>> write_ledger().startswith("# What the sources say")
    True
    """
    ledger = claims()
    counts = ledger.count_verdicts()
    chapters = [c for c in CHAPTERS if any(item.chapter == c for item in ledger)]
    rows = "\n".join(
        f"| {_link_chapter(chapter)} | {len(mine)} | "
        + " | ".join(str(mine.count_verdicts()[verdict]) for verdict in VERDICTS)
        + " |"
        for chapter, mine in ((chapter, claims(chapter=chapter)) for chapter in chapters)
    )
    keys = sorted({item.bib_key for item in ledger if item.bib_key})
    boxes = "\n".join(_write_box(item) for item in ledger)
    return f"""# What the sources say

Of the {len(ledger)} claims that the starting page makes, {counts["confirmed"]} are confirmed by their
sources, {counts["differs"]} differ from them, and {counts["unsourced"]} have no source that could be found.
This page lists each claim in our own words, the verdict, what the source says and where. A claim with several
numbers has several boxes, such as C10, C10b and C10c.

A verdict holds for the source as it was read on the day given, no more: a paper can be revised, a price can
change, and a number that stands only in a figure counts as not stated. *In part* and *on weak evidence* say
how far a verdict reaches. The table behind this page is `data/claims.csv`.

| chapter | claims | {" | ".join(VERDICTS)} |
|---|---|{"---|" * len(VERDICTS)}
{rows}

## All claims

<div id="claims-filter" class="claims-filter" hidden></div>

<div id="claims">
{boxes}
</div>

## Sources with an entry in the references

{{cite}}`{",".join(keys)}`
"""


def _write_box(item: Claim) -> str:
    source = f"{_link_sources(item.source)}, {_escape(item.location)} ({item.as_of}; {item.kind})"
    parts = [("Page says", f"{_escape(item.claim)}.")]
    if item.stated:
        parts.append(("Its number", _escape(item.stated)))
    parts += [("Sources say", f"{_escape(item.source_says)}."), ("Source", source)]
    if item.note:
        parts.append(("Note", f"{_escape(item.note)}."))
    cells = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in parts)
    return (
        f'<div class="claim-note claim-{item.verdict}-note" id="{item.id}" data-verdict="{item.verdict}" '
        f'data-chapter="{item.chapter}"><a class="claim-badge claim-{item.verdict}" href="#{item.id}">'
        f"{item.id}: {_escape(item.verdict_text)}</a> "
        f"<small>{_link_chapter(item.chapter, '#claim-' + item.id)}</small>"
        f"<dl>{cells}</dl></div>"
    )


def _escape(text: str) -> str:
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text, quote=False)).replace("$", "&#36;")


def _link_chapter(chapter: str, place: str = "") -> str:
    # a link of HTML: the ledger is written before all chapters are there, and boxes are no Markdown
    return f'<a href="{chapter}.html{place}">{chapter}</a>'


def _link_sources(text: str) -> str:
    paper = r'<a href="https://arxiv.org/abs/\1\2">arXiv \1\2</a>'
    linked = re.sub(r"arXiv (\d{4}\.\d{5})(v\d)?", paper, _escape(text))
    return re.sub(r"GitHub ([\w.-]+/[\w.-]+)", r'<a href="https://github.com/\1">GitHub \1</a>', linked)


def write_all(root: Path) -> list[Path]:
    """Write what is derived from the tables, where it changed.

    Parameters
    ----------
    root : Path
        The checkout.

    Returns
    -------
    list of Path
        The files that changed.
    """
    changed = []
    for path, text in (
        (root / "data" / "README.md", write_dictionary()),
        (root / "book" / "appendix-claims.md", write_ledger()),
    ):
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(path)
    return changed
