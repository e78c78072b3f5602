"""The notebooks behind the launch buttons: those of the book, readable anywhere."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from rlscale.book import INSTALL_ID
from rlscale.launch import FOLDER, render_launch, write_launch
from rlscale.plain_markdown import read_glued

ROOT = Path(__file__).resolve().parent.parent
NAMES = [path.stem for path in sorted((ROOT / "notebooks").glob("*.py"))]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return render_launch(ROOT)


def test_they_are_those_of_the_book(texts) -> None:
    kept = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / FOLDER).glob("*.ipynb")}
    assert sorted(kept) == sorted(texts) == NAMES
    stale = [name for name in NAMES if kept[name] != texts[name]]
    assert stale == [], "make book writes them"


@pytest.mark.parametrize("name", NAMES)
def test_no_markup_of_sphinx_is_left(name) -> None:
    notebook = nbformat.read(ROOT / FOLDER / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"\$[^$]+\$", "", cell.source)  # formulas have braces of their own
            assert not re.search(
                r"\{[a-z]+(:[a-z]+)*\}`|^:{3,}|^`{3,}\{|^\(.*\)=$|\{(cite|glue)|rlscale-app", text, re.M
            ), text


@pytest.mark.parametrize("name", NAMES)
def test_code_is_that_of_the_book_and_numbers_are_in_the_text(name) -> None:
    book = nbformat.read(ROOT / "book" / f"{name}.ipynb", as_version=4)
    launch = nbformat.read(ROOT / FOLDER / f"{name}.ipynb", as_version=4)
    code = [[c.source for c in nb.cells if c.cell_type == "code"] for nb in (book, launch)]
    assert code[0] == code[1]
    assert not any(c.get("outputs") for c in launch.cells)
    assert next(c for c in launch.cells if c.cell_type == "code").id == INSTALL_ID
    said = "\n".join(c.source for c in launch.cells if c.cell_type == "markdown")
    used = {
        m
        for c in book.cells
        if c.cell_type == "markdown"
        for m in re.findall(r"\{glue:text\}`([^`]+)`", c.source)
    }
    glued = read_glued(book)
    assert not [key for key in used if glued[key] not in said]
    # solutions are there, each after its exercise
    exercises = sum("{exercise-start}" in c.source for c in book.cells if c.cell_type == "markdown")
    assert said.count("### Exercise: ") == said.count("### Solution") == exercises


def test_only_what_changed_is_written(tmp_path) -> None:
    for part in ("book", "_config.yml"):
        (tmp_path / part).symlink_to(ROOT / part)
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "99-gone.ipynb").write_text("{}")
    assert [path.stem for path in write_launch(tmp_path)] == NAMES
    assert write_launch(tmp_path) == []
    (tmp_path / FOLDER / f"{NAMES[0]}.ipynb").write_text("{}")
    assert [path.stem for path in write_launch(tmp_path)] == NAMES[:1]
    assert sorted(path.stem for path in (tmp_path / FOLDER).iterdir()) == NAMES
