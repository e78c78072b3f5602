"""Editions for a class: no trace of a solution in the blank one, all of it in the key, the same each time."""

from __future__ import annotations

import base64
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from rlscale.class_editions import make_key, make_student, split_solutions
from rlscale.editions import make_contexts, read_chapters, read_lessons, write_students, write_teachers
from rlscale.errors import BookError
from rlscale.plain_markdown import Context, to_plain

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = read_chapters(ROOT)
CONTEXTS = make_contexts(ROOT, CHAPTERS)
#: Shorter lines of code or text stand in many places and tell nothing: `plt.show()`, `else:`.
TELLING = 20


def pieces(cells: list[Any]) -> set[str]:
    """What of these cells could leak: lines of text, code, results, pictures, attachments, metadata."""
    found: set[str] = set()
    for cell in cells:
        texts = [cell.source, json.dumps(cell.metadata)]
        texts += [str(v) for a in cell.get("attachments", {}).values() for v in a.values()]
        for output in cell.get("outputs", []):
            texts += [output.get("text", "")] + [str(v) for v in output.get("data", {}).values()]
        found |= {line.strip() for text in texts for line in text.splitlines()}
    return {
        piece for piece in found if len(piece) >= TELLING and not piece.startswith(("```", ":::", ":class:"))
    }


def everything(notebook: Any) -> str:
    """All texts of a notebook, whatever key they stand under."""

    def walk(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [t for k, v in value.items() for t in [str(k), *walk(v)]]
        if isinstance(value, list):
            return [t for v in value for t in walk(v)]
        return [str(value)]

    return "\n".join(walk(notebook))


def leaks(notebook: Any, blank: Any) -> set[str]:
    """Pieces of solutions that stand in the blank notebook, and nowhere else in the chapter."""
    labelled = split_solutions(notebook)
    secret = pieces([cell for cell, label in labelled if label is not None])
    public = "\n".join(pieces([cell for cell, label in labelled if label is None]))
    text = everything(blank)
    return {piece for piece in secret if piece in text and piece not in public}


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_solution_leaks_into_the_blank_notebook(name: str) -> None:
    notebook = CHAPTERS[name]
    blank = make_student(notebook, CONTEXTS[name], name)
    solved = [label for _, label in split_solutions(notebook) if label is not None]
    assert len(set(solved)) >= 4 and len(pieces([c for c, label in split_solutions(notebook) if label])) > 20
    assert leaks(notebook, blank) == set()
    text = everything(blank)
    assert not re.search(r"solution-(start|end)|#+ Solution|\{solution|Solution to", text)
    for cell in blank.cells:
        assert not cell.get("attachments") and not cell.get("outputs") and not cell.get("execution_count")
        assert set(cell.metadata) <= {"tags", "jupyter"}
    exercises = [c for c in notebook.cells if "{exercise-start}" in c.source]
    assert sum(c.source.startswith("# your answer") for c in blank.cells) == len(exercises)


def test_blank_notebooks_are_what_make_students_writes(tmp_path: Path) -> None:
    written = write_students(ROOT, tmp_path)
    assert [path.stem for path in written] == list(CHAPTERS)
    for path in written:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        assert leaks(CHAPTERS[path.stem], notebook) == set()
        code = [c.source for c in notebook.cells if c.cell_type == "code"]
        assert "pip install" in code[0], "a student on Colab needs the package first"
        assert any(c.metadata.get("tags") == ["parameters"] for c in notebook.cells)


def planted() -> Any:
    """A chapter with a solution in each place where one can hide."""
    picture = base64.b64encode(b"the picture of the secret answer").decode()
    solution = new_code_cell(
        "secret_answer = solve_everything(42)\nassert secret_answer == 43",
        metadata={"tags": ["slide"], "hint": "the secret is in the metadata"},
        outputs=[
            new_output("stream", name="stdout", text="the secret answer is 43\n"),
            new_output("display_data", data={"image/png": picture, "text/html": "<b>the secret is bold</b>"}),
        ],
    )
    text = new_markdown_cell(
        "```{solution-start} ex-1\n:class: dropdown\n```\nThink of the secret answer first."
    )
    text["attachments"] = {"a.png": {"image/png": "c2VjcmV0IGFuc3dlciBpbiBhIGZpbGU="}}
    exercise = "```{exercise-start} One (3 minutes)\n:label: ex-1\n```\nWhat is it?\n```{exercise-end}\n```"
    return new_notebook(
        cells=[
            new_markdown_cell("# A chapter"),
            new_code_cell("share: float = 0.25", metadata={"tags": ["parameters"]}),
            new_markdown_cell(exercise),
            text,
            solution,
            new_markdown_cell("```{solution-end}\n```"),
            new_markdown_cell("## Limits"),
        ]
    )


def test_planted_solution_is_gone_from_every_place() -> None:
    notebook = planted()
    assert len(pieces(notebook.cells[3:5])) == 8
    blank = make_student(notebook, Context())
    assert "secret" not in everything(blank) and "c2VjcmV0" not in everything(blank)
    assert [c.source for c in blank.cells] == [
        "# A chapter",
        "share: float = 0.25",
        "### Exercise: One (3 minutes)\n\nWhat is it?",
        "# your answer\n",
        "## Limits",
    ]


@pytest.mark.parametrize("where", range(4))
def test_leak_test_sees_a_leak(where: int) -> None:
    """Each kind of leak is put into a blank notebook, and must be found."""
    notebook = planted()
    blank = make_student(notebook, Context())
    assert leaks(notebook, blank) == set()
    if where == 0:
        blank.cells[-1].source += "\nThink of the secret answer first."
    elif where == 1:
        blank.cells[3].outputs = notebook.cells[4].outputs[:1]
    elif where == 2:
        blank.cells[-1]["attachments"] = notebook.cells[3].attachments
    else:
        blank.metadata["old"] = {"cells": [notebook.cells[4].source]}
    assert leaks(notebook, blank) != set()


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["```{solution-start} ex-1\n```", "text"], "the solution of 'ex-1' is not closed"),
        (
            ["```{solution-start} ex-1\n```", "```{solution-start} ex-2\n```"],
            "cell 2: the solution of 'ex-1'",
        ),
        (["text", "```{solution-end}\n```"], r"cell 2: \{solution-end\} without a beginning"),
        (["Text first\n\n```{solution-start} ex-1\n```"], "cell 1: a solution must begin a cell of its own"),
        (["```{solution} ex-1\nIt is 43.\n```"], "cell 1: a solution must begin a cell of its own"),
        ([":::{solution} ex-1\nIt is 43.\n:::"], "cell 1: a solution must begin a cell of its own"),
        (["```{solution-start} ex-1\n```", "```{solution-end}\n```\nMore"], "cell 2: text after"),
    ],
)
def test_solution_without_clear_edges_is_refused(cells: list[str], message: str) -> None:
    with pytest.raises(BookError, match=message):
        make_student(new_notebook(cells=[new_markdown_cell(c) for c in cells]), Context())


@pytest.mark.parametrize("name", CHAPTERS)
def test_key_opens_every_solution_and_has_the_plan(name: str) -> None:
    notebook = CHAPTERS[name]
    key = make_key(notebook, CONTEXTS[name], name, read_lessons(ROOT)[name[:2]])
    text = everything(key)
    assert (
        key.cells[0].source.startswith("# Lesson plan, 50 minutes: ") and "| minutes |" in key.cells[0].source
    )
    for cell, label in split_solutions(notebook):
        if label is not None and cell.cell_type == "code":
            assert cell.source in text
            assert all(o in [x for c in key.cells for x in c.get("outputs", [])] for o in cell.outputs)


@pytest.mark.parametrize("name", CHAPTERS)
def test_text_of_the_editions_holds_nothing_that_only_sphinx_reads(name: str) -> None:
    for cell in make_key(CHAPTERS[name], CONTEXTS[name], name).cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"\$\$.*?\$\$|\$[^$]*\$|`[^`\n]*`", "", cell.source, flags=re.S)
            markup = re.search(r"\{[a-z:-]+\}|^:{3}|^\([\w-]+\)=|\]\(\)|\[\]\(", text, re.M)
            assert markup is None, f"{markup[0]!r} in {cell.source}"
            for link in re.findall(r"\]\(([^)]+\.ipynb)\)", cell.source):
                assert link.removesuffix(".ipynb") in CHAPTERS, f"{link} is not in the folder"


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("{glue:text}`n` hours {cite}`k2025`", "2,542 hours (Khatri et al., 2025)"),
        ("{cite:t}`k2025` says so in {doc}`a`", "Khatri et al. (2025) says so in [The law](a.ipynb)"),
        ("See [](a) and [the ledger](b).", "See [The law](a.ipynb) and *the ledger*."),
        ("{numref}`fig-a` {term}`pilots <pilot>`", 'the figure "One" pilots'),
        ("$$\nx\n$$ (eq-x)", "$$\nx\n$$"),
        ("```{admonition} Mind\n:class: dropdown\n- one\n```", "**Mind**\n\n- one"),
        ("[out](https://example.org/x) stays", "[out](https://example.org/x) stays"),
    ],
)
def test_roles_become_text(source: str, plain: str) -> None:
    context = Context(
        {"n": "2,542"}, {"a": "The law", "b": "B"}, {"k2025": ("Khatri et al.", "2025")},
        {"fig-a": 'the figure "One"'}, {"a": "a.ipynb"},
    )  # fmt: skip
    assert to_plain(source, context) == plain


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{glue:text}`x`", "refers to nothing"),
        ("{cite}`x`", "'x' is not in the bibliography"),
        ("{download}`x`", "has no plain form"),
        ("```{video} x\n```", "has no plain form"),
        ("```{note}\ntext", "is not closed"),
    ],
)
def test_what_has_no_plain_form_is_an_error(source: str, message: str) -> None:
    with pytest.raises(BookError, match=message):
        to_plain(source)


def test_teaching_pack_is_complete_and_the_same_each_time(tmp_path: Path) -> None:
    first = write_teachers(ROOT, tmp_path / "a.zip")
    again = write_teachers(ROOT, tmp_path / "b.zip")
    assert first.read_bytes() == again.read_bytes()
    with zipfile.ZipFile(first) as pack:
        names = {name.removeprefix("rlscale-teachers/") for name in pack.namelist()}
        wanted = {f"{kind}/{name}{end}" for name in CHAPTERS for kind, end in
                  (("slides", ".html"), ("blank", ".ipynb"), ("key", ".ipynb"))}  # fmt: skip
        assert names == wanted | {"README.md", "LICENSE-text", "lesson-plans.md", "slides/tex-svg.js"}
        for name in CHAPTERS:
            blank = nbformat.reads(pack.read(f"rlscale-teachers/blank/{name}.ipynb").decode(), as_version=4)
            assert leaks(CHAPTERS[name], blank) == set()
            deck = pack.read(f"rlscale-teachers/slides/{name}.html").decode()
            secret = pieces([c for c, label in split_solutions(CHAPTERS[name]) if label is not None])
            public = "\n".join(pieces([c for c, label in split_solutions(CHAPTERS[name]) if label is None]))
            assert {p for p in secret if p in deck and p not in public} == set()
    assert first.stat().st_size < 20e6
