"""No number of the text stands on its own: each is held to a table, a result or an assertion."""

from __future__ import annotations

import csv
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from number_scan import Bare, find_bare, find_loose, matches, read_allowed

from rlscale.objectives import find_objective
from rlscale.pages import list_pages
from rlscale.tables import data_path, load_table

ROOT = Path(__file__).resolve().parent.parent
#: Pages that are written from the tables; another test compares them with what the tables give.
GENERATED = {
    "appendix-claims": "test_claims.py",
    "appendix-data": "test_tables.py",
    "appendix-errata": "test_errata.py",
}
PAGES = [page for page in list_pages(ROOT) if page not in GENERATED]


def reference_run(name: str) -> Any:
    return load_table("reference_runs").set_index("id").loc[name]


def lab_settings() -> dict[str, str]:
    with data_path("lab/settings.csv").open(encoding="utf-8", newline="") as handle:
        return next(row for row in csv.DictReader(handle) if row["arm"] == "baseline")


def code_of(chapter: str) -> str:
    return (ROOT / "notebooks" / f"{chapter}.py").read_text(encoding="utf-8")


#: Numbers that no cell of their page shows: page, number, a word beside it, and what they must agree with.
HELD: list[tuple[str, str, str, Callable[[], bool]]] = [
    ("02-algorithms", "1.2", "band ends at", lambda: find_objective("grpo").high == 0.2),
    ("02-algorithms", "1.28", "goes to", lambda: find_objective("dapo").high == 0.28),
    (
        "03-base-model",
        "27 thousand",
        "model of",
        lambda: round(int(lab_settings()["parameters"]), -3) == 27_000,
    ),
    ("12-lab", "27 thousand", "", lambda: round(int(lab_settings()["parameters"]), -3) == 27_000),
    ("12-lab", "1,024", "held-out prompts", lambda: lab_settings()["heldout_prompts"] == "1024"),
    (
        "12-lab",
        "256 completions",
        "",
        lambda: '"prompts": 32' in defaults() and '"group_size": 8' in defaults(),
    ),
    ("05-reference-runs", "1.7", "By 1.7 to", lambda: "1.7" in code_of("05-reference-runs")),
    ("05-reference-runs", "7.6B", "model", lambda: reference_run("dr_grpo_7b").params_total_b == 7.6),
    ("08-cost", "276,480 GPU-hours", "Smol", lambda: "276_480" in code_of("10-plan")),
    ("08-cost", "161,280", "Playbook", lambda: "161_280" in code_of("10-plan")),
    ("appendix-glossary", "10,400 steps", "R1-Zero", lambda: reference_run("r1_zero").steps == 10_400),
    ("appendix-glossary", "650 rollout steps", "updates", lambda: rounds_of_r1_zero() == 650),
    ("appendix-teachers", "10,400 updates", "", lambda: reference_run("r1_zero").steps == 10_400),
    ("appendix-teachers", "650 rollout steps", "updates", lambda: rounds_of_r1_zero() == 650),
]


def defaults() -> str:
    return data_path("lab/defaults.json").read_text(encoding="utf-8")


def rounds_of_r1_zero() -> float:
    """Updates divided by the mini-batches of a round: 16 (Nature 2025)."""
    assert reference_run("r1_zero").steps_unit == "updates"
    return reference_run("r1_zero").steps / 16


def held(number: Bare) -> bool:
    return any(
        (page, text) == (number.page, number.text) and word in number.context for page, text, word, _ in HELD
    )


def read_notebook(page: str) -> Any | None:
    path = ROOT / "book" / f"{page}.ipynb"
    return nbformat.read(path, as_version=4) if path.is_file() else None


@cache
def loose_numbers(site: Path, page: str) -> list[Bare]:
    return find_loose(page, (site / f"{page}.html").read_text(encoding="utf-8"), read_notebook(page))


@cache
def bare_numbers(site: Path, page: str) -> list[Bare]:
    return find_bare(page, (site / f"{page}.html").read_text(encoding="utf-8"))


@pytest.mark.xdist_group("numbers")
@pytest.mark.parametrize("page", PAGES)
def test_no_number_of_the_text_is_loose(site: Path, page: str) -> None:
    allowed = read_allowed()
    loose = [
        f"{number.text!r} in …{number.context}…"
        for number in loose_numbers(site, page)
        if not held(number) and not any(matches(number, row) for row in allowed)
    ]
    assert loose == [], "glue it, assert it in a cell, or give the reason in tests/allowed_numbers.csv"


@pytest.mark.parametrize(("page", "text", "word", "check"), HELD, ids=[f"{p}: {t}" for p, t, _, _ in HELD])
def test_number_agrees_with_what_it_comes_from(
    page: str, text: str, word: str, check: Callable[[], bool]
) -> None:
    assert check(), f"{page} says {text!r}"


@pytest.mark.xdist_group("numbers")
def test_every_row_of_the_allow_list_is_needed_and_says_why(site: Path) -> None:
    rows = read_allowed()
    assert len(rows) <= 60, "numbers should be glued or asserted, not allowed"
    loose = [number for page in PAGES for number in loose_numbers(site, page)]
    for row in rows:
        assert len(row["reason"].split()) >= 3, row
        assert any(matches(number, row) for number in loose), f"not needed any more: {row}"
    bare = [number for page in {page for page, *_ in HELD} for number in bare_numbers(site, page)]
    for page, text, word, _ in HELD:
        assert any((n.page, n.text) == (page, text) and word in n.context for n in bare), (page, text)


def test_generated_pages_are_compared_elsewhere() -> None:
    for page, test in GENERATED.items():
        assert page in list_pages(ROOT)
        assert (ROOT / "tests" / test).is_file()


# The scan itself

PAGE = """<article class="bd-article"><h1>Page</h1>
<p>It ran for {hours} GPU-hours <span class="pasted-text">77 GPU-hours</span> and won <code>99 tokens</code>
0.35 of pass rate at <span class="math">\\(12\\) %</span> in 2025, for $27.8K, on 3 things.</p>
<div class="cell"><div class="cell_output">
<figure><figcaption><p>Drawn for 640 prompts.</p></figcaption></figure>
<pre>1,234 GPU-hours</pre></div></div></article>"""


def planted(shown: str = "0.35 of 640", asserted: str = "assert 27_800 == price") -> Any:
    output = new_output("stream", name="stdout", text=f"1,234 GPU-hours, {shown}")
    return new_notebook(
        cells=[
            new_markdown_cell("# Page"),
            new_code_cell("x = 1", outputs=[output]),
            new_code_cell(asserted, metadata={"tags": ["remove-cell"]}),
        ]
    )


def test_scan_finds_numbers_with_units_in_prose_and_captions_only() -> None:
    found = [number.text for number in find_bare("page", PAGE.format(hours="1,234"))]
    assert found == ["1,234 GPU-hours", "0.35", "$27.8K", "640 prompts"]


@pytest.mark.parametrize(
    ("change", "loose"),
    [
        ({}, []),
        ({"hours": "1,357"}, ["1,357 GPU-hours"]),
        ({"shown": "0.39 of 640"}, ["0.35"]),
        ({"shown": "0.35 of 704"}, ["640 prompts"]),
        ({"asserted": "assert 30_580 == price"}, ["$27.8K"]),
    ],
    ids=["all held", "text changed", "result moved", "caption left behind", "assertion changed"],
)
def test_scan_sees_a_number_that_lost_its_hold(change: dict[str, str], loose: list[str]) -> None:
    hours = change.pop("hours", "1,234")
    found = find_loose("page", PAGE.format(hours=hours), planted(**change))
    assert [number.text for number in found] == loose


def test_numbers_of_an_exercise_are_held_by_its_solution() -> None:
    page = (
        '<article><div class="exercise admonition" id="ex-1"><p>Run 4,000 updates.</p></div>'
        "<p>Run 4,000 updates.</p></article>"
    )
    notebook = new_notebook(
        cells=[
            new_markdown_cell("```{solution-start} ex-1\n:class: dropdown\n```"),
            new_code_cell("steps = 4_000"),
            new_markdown_cell("```{solution-end}\n```"),
        ]
    )
    (left,) = find_loose("page", page, notebook)
    assert left.exercise == "", "the same number outside of the exercise is not held by it"
    other = deepcopy(notebook)
    other.cells[1].source = "steps = 4_400"
    assert len(find_loose("page", page, other)) == 2
