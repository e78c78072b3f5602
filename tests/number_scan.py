"""Finds numbers in the prose of built pages, and what holds each of them to the data.

A number is *bare* when it has a unit, a decimal point or thousands, and is written into the text by hand. It
is *held* when changing the data would either change it or stop the build or a test:

glued      it is put into the text by a cell (such numbers are not bare);
asserted   an assertion of the same chapter has it as a literal;
shown      a result on the same page shows it, so that this test finds the text wrong as soon as it moves;
exercise   it is given in an exercise, and the code of its solution has it as a literal;
allowed    a row of allowed_numbers.csv gives the reason why no table can move it.
"""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from bs4.element import Tag

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = Path(__file__).with_name("allowed_numbers.csv")
INSTALL_ID = "install-rlscale"

UNITS = (
    r"%|per ?cent\b|points?\b|times\b|×|(?:H100-|GB200 |GB200-|GPU-|H100 |GPU )?hours?\b|GPUs?\b|"
    r"H100s?\b|h\b|"
    r"(?:rollout |optimizer |training )?steps?\b|updates?\b|epochs?\b|(?:generated |trained )?tokens?\b|"
    r"completions?\b|answers?\b|rollouts?\b|prompts?\b|problems?\b|samples?\b|seeds?\b|runs?\b|cuts?\b|draws?\b|"
    r"pilots?\b|checkpoints?\b|dollars?\b|USD\b|GB\b|TB/s|TFLOPS|[TGM]?B\b|[KMG]\b|bits?\b|bytes?\b|days?\b|"
    r"weeks?\b|months?\b|seconds?\b|ms\b|s\b|parameters?\b|billion\b|million\b|thousand\b|layers?\b|nats?\b"
)
#: A number as it is written in the book: 1,000 or 0.61 or 16.
NUMBER = r"(?<![\w.,/-])[−-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w]*[\w]\.\d)"
_BARE = re.compile(rf"(?P<usd>\$\s?)?(?P<number>{NUMBER})(?P<unit>[\s \-]?(?:{UNITS}))?")
#: What is no prose of the chapter: code, results, glued numbers, formulas, citations, verdicts.
_NOT_PROSE = (
    "pre, code, .pasted-text, .math, .bibtex-citation, .citation, .claim-note, .cell_input, .cell_output, "
    "script, style, .headerlink, .admonition-title, .page-notes, .rlscale-app, "
    "#cite-this-book, .caption-number"
)


@dataclass(frozen=True)
class Bare:
    """One number in the prose of a page.

    ``context`` are the words around it; ``exercise`` is the label of the exercise it stands in, or empty.
    """

    page: str
    text: str
    value: float
    context: str
    exercise: str


def read_value(text: str) -> float:
    """The number that a text writes: "1,000" is 1000."""
    return float(text.replace(",", "").replace("−", "-"))


def _blocks(article: Tag) -> Iterator[tuple[str, str]]:
    """Text of each paragraph, list item, caption and cell of a hand-written table, with its exercise."""
    for element in article.find_all(["p", "li", "figcaption", "td", "th", "h2", "h3", "dd"]):
        if element.find(["p", "li"]) is not None:
            continue
        box = element.find_parent(class_="exercise") or element.find_parent(class_="solution")
        yield element.get_text(" ").replace("\xa0", " "), str(box.get("id", "")) if box else ""


def find_bare(page: str, document: str) -> list[Bare]:
    """All bare numbers of a built page."""
    document = document[document.index("<article") : document.index("</article>") + len("</article>")]
    article = BeautifulSoup(document, "lxml").find("article")
    assert isinstance(article, Tag), page
    captions = [c.extract() for c in article.find_all("figcaption")]
    for element in article.select(_NOT_PROSE):
        element.replace_with(" ⟨⟩ ")
    for caption in captions:
        for element in caption.select(_NOT_PROSE):
            element.replace_with(" ⟨⟩ ")
        article.append(caption)
    found = []
    for text, exercise in _blocks(article):
        text = " ".join(text.split())
        if re.match(r"(You need:.* )?Time: \d+ minutes", text):
            continue  # counted by test_chapters.py
        for match in _BARE.finditer(text):
            number = match["number"]
            is_year = re.fullmatch(r"(19|20)\d\d", number) and not match["usd"] and not match["unit"]
            is_bare = match["usd"] or match["unit"] or "." in number or "," in number
            if is_year or not is_bare:
                continue
            context = text[max(0, match.start() - 40) : match.end() + 30]
            found.append(Bare(page, match[0].strip(), read_value(number), context, exercise))
    return found


def _literals(tree: ast.AST) -> set[float]:
    """Numbers written in code, also inside of texts."""
    found: set[float] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, int | float) and not isinstance(node.value, bool):
                found.add(abs(float(node.value)))
            elif isinstance(node.value, str):
                found |= {abs(read_value(m)) for m in re.findall(NUMBER, node.value)}
    return found


def _parse(source: str) -> ast.AST:
    return ast.parse(
        "\n".join(line for line in source.splitlines() if not line.lstrip().startswith(("%", "!")))
    )


def asserted_numbers(notebook: Any) -> set[float]:
    """Literals of all assertions of a notebook."""
    found: set[float] = set()
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.id != INSTALL_ID:
            for node in ast.walk(_parse(cell.source)):
                if isinstance(node, ast.Assert):
                    found |= _literals(node)
    return found


def solution_numbers(notebook: Any) -> dict[str, set[float]]:
    """Literals of the code of each solution, by the label of its exercise."""
    found: dict[str, set[float]] = {}
    label = ""
    for cell in notebook.cells:
        start = re.match(r"```\{solution-start\} (\S+)", cell.source)
        label = start[1] if start else label
        if label and cell.cell_type == "code":
            found.setdefault(label, set()).update(_literals(_parse(cell.source)))
        if "{solution-end}" in cell.source:
            label = ""
    return found


def shown_numbers(notebook: Any) -> set[float]:
    """Numbers of the results that the page of a notebook shows, verdicts on claims included."""
    found: set[float] = set()
    for cell in notebook.cells:
        if cell.cell_type != "code" or {"remove-cell", "remove-output"} & set(cell.metadata.get("tags", [])):
            continue
        for output in cell.outputs:
            data = output.get("data", {})
            text = output.get("text") or data.get("text/html") or data.get("text/plain", "")
            found |= {abs(read_value(m)) for m in re.findall(NUMBER, re.sub(r"<[^>]+>", " ", text))}
    return found


def read_allowed() -> list[dict[str, str]]:
    """The rows of the allow-list."""
    with ALLOWED.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def matches(number: Bare, row: dict[str, str]) -> bool:
    """Whether a row of the allow-list is about this number."""
    return (
        row["page"] in (number.page, "*") and row["number"] == number.text and row["words"] in number.context
    )


def find_loose(page: str, document: str, notebook: Any | None) -> list[Bare]:
    """The bare numbers of a page that nothing holds."""
    shown = shown_numbers(notebook) if notebook is not None else set()
    asserted = asserted_numbers(notebook) if notebook is not None else set()
    solved = solution_numbers(notebook) if notebook is not None else {}
    anywhere = set().union(*solved.values()) if solved else set()
    loose = []
    for number in find_bare(page, document):
        value = abs(number.value)
        # 16 % is asserted as 0.16 as well, $27.8K as 27800
        forms = {
            value,
            round(value / 100, 12),
            round(value * 1e3, 6),
            round(value * 1e6, 3),
            round(value * 1e9),
        }
        held = shown | asserted | (anywhere if number.exercise else set())
        if not forms & held:
            loose.append(number)
    return loose
