"""Chapters have one shape: question, answer and limit first; goals, body, own data, exercises, take-aways."""

from __future__ import annotations

import ast
import math
import os
import re
from pathlib import Path

import jupytext
import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = sorted(p.stem for p in (ROOT / "notebooks").glob("[0-9][0-9]-*.py"))
PAGES = ["intro", *CHAPTERS]
#: Words that are read in a minute: plain text, and text with figures and tables to look at.
QUICKLY, SLOWLY = 200, 130
MOST_WORDS = 2500
ORDER = [
    "What you will be able to do",
    "Try it on your own",
    "Exercises",
    "Limits",
    "Take-aways",
    "References",
]


def cells(page: str):
    return jupytext.read(ROOT / "notebooks" / f"{page}.py", fmt="py:percent").cells


def read_executed(page: str):
    path = ROOT / "book" / f"{page}.ipynb"
    assert path.is_file(), f"{path.name} was never executed: make chapter NAME={page}"
    return nbformat.read(path, as_version=4)


def prose(page: str) -> str:
    """All that is read as text: no directives, code, formulas or markup; a glued number counts as a word."""
    text = "\n\n".join(cell.source for cell in cells(page) if cell.cell_type == "markdown")
    text = re.sub(r"\$\$.*?\$\$", " ", text, flags=re.S)
    text = re.sub(r"```bash.*?```", " ", text, flags=re.S)
    text = re.sub(r"^(```|:::).*$|^:[a-z-]+:.*$", " ", text, flags=re.M)
    text = re.sub(r"\$[^$]*\$", "x", text)
    text = re.sub(r"\{[a-z:]+\}`[^`]*`", "x", text)
    return re.sub(r"[#*|`\[\]()>-]", " ", text)


def count_words(text: str) -> int:
    return len(re.findall(r"[^\W_][\w'’.,%=+−-]*", text))


def exercises(page: str) -> list[tuple[str, int, str]]:
    """Title, minutes and label of each exercise, in order."""
    found = []
    for cell in cells(page):
        match = re.match(
            r"```\{exercise-start\} (.+) \((\d+) minutes\)\n:label: (ex-[\w-]+)\n```", cell.source
        )
        if match:
            found.append((match[1], int(match[2]), match[3]))
    return found


def solution_code(page: str, label: str) -> list[str]:
    inside, code = False, []
    for cell in cells(page):
        if cell.source.startswith("```{solution-start} " + label + "\n"):
            assert ":class: dropdown" in cell.source, f"{page}: the solution of {label} is not folded"
            inside = True
        elif inside and "{solution-end}" in cell.source:
            return code
        elif inside and cell.cell_type == "code":
            code.append(cell.source)
    raise AssertionError(f"{page}: {label} has no solution")


def test_there_are_chapters():
    assert len(CHAPTERS) >= 2


@pytest.mark.parametrize("page", PAGES)
def test_question_answer_and_limit_stand_in_the_first_150_words(page):
    first = cells(page)[0].source
    assert re.match(r"# .+\n", first)
    places = [first.find(mark) for mark in ("**The question.**", "**The answer.**", "**Its limit.**")]
    assert places == sorted(places) and places[0] > 0
    assert count_words(prose(page).split("What you will be able to do")[0]) > 0
    text = re.sub(r"\$\$.*?\$\$(\s*\(.*?\))?|```bash.*?```", " ", first, flags=re.S)
    up_to_limit = text[: text.find("**Its limit.**")]
    assert count_words(up_to_limit) < 150, "the limit must begin within the first 150 words"


@pytest.mark.parametrize("page", CHAPTERS)
def test_sections_come_in_the_common_order(page):
    headings = [
        h
        for cell in cells(page)
        if cell.cell_type == "markdown"
        for h in re.findall(r"^## (.+)$", cell.source, re.M)
    ]
    headings = ["Try it on your own" if h.startswith("Try it on your own ") else h for h in headings]
    assert [h for h in headings if h in ORDER] == ORDER
    assert headings[0] == ORDER[0]


@pytest.mark.parametrize("page", CHAPTERS)
def test_goals_are_verbs(page):
    goals = next(c.source for c in cells(page) if "## What you will be able to do" in c.source)
    bullets = re.findall(r"^- (.+)$", goals, re.M)
    assert len(bullets) >= 3
    assert all(re.match(r"\*\*[A-Z][a-z]+\*\* ", bullet) for bullet in bullets), bullets
    assert "You need:" in goals


@pytest.mark.parametrize("page", PAGES)
def test_prose_can_be_finished(page):
    assert count_words(prose(page)) <= MOST_WORDS


@pytest.mark.parametrize("page", CHAPTERS)
def test_minutes_are_counted_not_guessed(page):
    """Reading without the exercises at 130 to 200 words a minute, and the exercises as their titles say."""
    read, solve = map(
        int, re.search(r"Time: (\d+) minutes to read, (\d+) minutes for the exercises", prose(page)).groups()
    )
    body = prose(page)
    words = count_words(body) - count_words(body[body.index(" Exercises\n") : body.index(" Limits\n")])
    assert math.ceil(words / QUICKLY) <= read <= math.ceil(words / SLOWLY), f"{words} words"
    assert solve == sum(minutes for _, minutes, _ in exercises(page))


@pytest.mark.parametrize("page", CHAPTERS)
def test_at_least_four_exercises_from_easy_to_hard(page):
    minutes = [m for _, m, _ in exercises(page)]
    assert len(minutes) >= 4
    assert minutes == sorted(minutes)
    labels = [label for _, _, label in exercises(page)]
    assert len(set(labels)) == len(labels)
    assert all(label.startswith(f"ex-{page[:2]}-") for label in labels)


@pytest.mark.parametrize("page", CHAPTERS)
def test_each_solution_runs_and_ends_in_an_assertion(page):
    executed = read_executed(page)
    ran = {c.source for c in executed.cells if c.cell_type == "code" and c.execution_count}
    for _, _, label in exercises(page):
        code = solution_code(page, label)
        assert code, f"{label} has no code"
        assert isinstance(ast.parse(code[-1]).body[-1], ast.Assert), (
            f"the code of {label} does not end in an assertion"
        )
        assert set(code) <= ran, f"the solution of {label} was not executed"


@pytest.mark.parametrize("page", PAGES)
def test_every_figure_has_words(page):
    executed = read_executed(page)
    for cell in executed.cells:
        outputs = cell.get("outputs", []) if cell.cell_type == "code" else []
        if any("image/png" in output.get("data", {}) for output in outputs):
            page_metadata = cell.metadata.get("mystnb", {})
            assert len(page_metadata.get("image", {}).get("alt", "")) > 40, cell.source[:80]
            assert page_metadata.get("figure", {}).get("caption"), cell.source[:80]


@pytest.mark.parametrize("page", PAGES)
def test_no_number_is_derived_in_the_parameters_cell(page):
    first = next(c for c in cells(page) if c.cell_type == "code")
    assert first.metadata.get("tags") == ["parameters"]
    assert all(isinstance(s, ast.AnnAssign) for s in ast.parse(first.source).body)


def test_the_report_shows_no_markup_of_the_book():
    """Cells that are not for the book alone are rendered without Sphinx."""
    for cell in cells("11-your-run"):
        if cell.cell_type == "markdown" and "book" not in cell.metadata.get("tags", []):
            assert not re.search(r"```\{|\{[a-z:]+\}`|\$|\]\(", cell.source), cell.source


def words_in_a_row(text: str, length: int) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}


@pytest.mark.shared
@pytest.mark.parametrize("page", PAGES)
def test_no_sentence_of_the_starting_page_is_copied(page):
    shared = Path(os.environ.get("RLSCALE_SHARED", ROOT.parent / "shared"))
    pages = list((shared / "seed").glob("*.txt"))
    if not pages:
        pytest.skip(f"the starting page is not in {shared}")
    length = 9  # fewer words in a row can be a title or a plain phrase
    title = words_in_a_row("How many steps do you actually need, and how do you know when to stop?", length)
    ours = words_in_a_row("\n".join(c.source for c in cells(page)), length)
    assert ours & (words_in_a_row(pages[0].read_text(), length) - title) == set()
