"""Appendix pages keep their promises: one meaning a symbol, plans of 50 minutes, exercises that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rlscale.curve import UNITS

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = sorted(p.stem for p in (ROOT / "notebooks").glob("[0-9][0-9]-*.py"))


def page(name: str) -> str:
    return (ROOT / "book" / f"appendix-{name}.md").read_text(encoding="utf-8")


def rows(section: str) -> list[list[str]]:
    """Cells of the tables of a section, heads left out."""
    lines = [line for line in section.splitlines() if line.startswith("|")]
    body = [
        line
        for i, line in enumerate(lines)
        if not line.startswith("|--") and not lines[min(i + 1, len(lines) - 1)].startswith("|--")
    ]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body]


def section(text: str, heading: str) -> str:
    return re.split(r"^#{1,3} ", text.split(f"{heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]


def test_every_symbol_has_one_meaning():
    symbols = [row[0] for row in rows(section(page("glossary"), "## Notation"))]
    assert len(symbols) == len(set(symbols)) >= 12
    for needed in ("$R_0$", "$A$", "$B$", r"$C_\text{mid}$", "$k$", "$G$", "$n$"):
        assert needed in symbols


def test_every_unit_is_explained_in_the_words_of_the_package():
    listed = {row[0].strip("`"): row[1] for row in rows(section(page("glossary"), "## Units of compute"))}
    assert listed == UNITS


def glossary_terms() -> list[str]:
    block = re.search(r"```\{glossary\}\n(.*?)```", page("glossary"), re.S)
    assert block
    return [line for line in block[1].splitlines() if line and not line.startswith(" ")]


def test_words_stand_once_and_in_order():
    terms = glossary_terms()
    assert len(terms) == len(set(terms)) > 40
    assert terms == sorted(terms, key=lambda t: re.sub(r"[^a-z ]", "", t.lower()))


@pytest.mark.parametrize(
    "word",
    [
        "completion",
        "rollout",
        "rollout step",
        "update",
        "epoch",
        "pass@k",
        "mean@k",
        "best@k",
        "maj@k",
        "pilot",
    ],
)
def test_the_words_that_are_mixed_up_most_are_there(word):
    assert word in glossary_terms()


def plans() -> dict[str, str]:
    text = page("teachers")
    parts = re.split(r"^### (\d\d): .+$", text.split("## Marking")[0], flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_chapter_has_a_plan():
    assert {c[:2] for c in CHAPTERS} <= set(plans())


@pytest.mark.parametrize("number", sorted(plans()))
def test_a_plan_takes_fifty_minutes_and_names_mistakes(number):
    plan = plans()[number]
    assert sum(int(row[0]) for row in rows(plan)) == 50
    assert "Common mistakes:" in plan


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_plan_names_the_chapter_and_its_exercises_as_they_are(chapter):
    source = (ROOT / "notebooks" / f"{chapter}.py").read_text(encoding="utf-8")
    title = re.search(r"^# # (.+)$", source, re.M)
    assert title and f"### {chapter[:2]}: {title[1]}\n" in page("teachers")
    exercises = dict(re.findall(r"\{exercise-start\} (.+) \((\d+) minutes\)", source))
    named = re.findall(
        r"\*([^*]+)\*", " ".join(row[1] for row in rows(plans()[chapter[:2]]) if "Exercises:" in row[1])
    )
    assert len(named) >= 2
    for exercise in named:
        assert exercise in exercises, f"{chapter} has no exercise {exercise!r}"
