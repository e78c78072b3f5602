"""From ``notebooks/*.py`` to ``book/*.ipynb``: one way, the same bytes, and loud about every fault."""

from __future__ import annotations

import base64
import io
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image

from rlscale.book import INSTALL, INSTALL_ID, build_chapter, build_notebooks, keep_pictures, main
from rlscale.errors import BookError
from rlscale.figure_files import read_index
from rlscale.notebook import execute_notebook, read_parameters, read_source
from rlscale.pages import list_pages

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "notebooks").glob("*.py"))
CHAPTERS = [path.stem for path in SOURCES]

#: The book must hold at least this many cells with a text result that nbval compares, and each chapter some.
REFERENCES_IN_ALL, REFERENCES_PER_CHAPTER = 12, 2

HEADER = """\
# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A chapter

# %% tags=["parameters"]
log_path: str = "reference"
share: float = 0.25

"""
FIGURE = """\
# %% mystnb={"figure": {"name": "fig-try", "caption": "Three points (illustrative)."}}
import matplotlib.pyplot as plt
_, ax = plt.subplots(figsize=(2, 1), dpi=60)
_ = ax.plot([0, 1, 3])
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small project with one chapter."""
    for folder in ("notebooks", "book", "rlscale", "data"):
        (tmp_path / folder).mkdir()
    write_chapter(tmp_path, FIGURE + '\n# %%\nprint(f"{share:.3f} of {log_path}")\n')
    return tmp_path


def write_chapter(checkout: Path, body: str, name: str = "01-try") -> Path:
    path = checkout / "notebooks" / f"{name}.py"
    path.write_text(HEADER + body, encoding="utf-8")
    return path


def read_built(checkout: Path, name: str = "01-try") -> Any:
    return nbformat.read(checkout / "book" / f"{name}.ipynb", as_version=4)


# The committed book


def test_there_are_chapters() -> None:
    assert {"01-sigmoid-law", "11-your-run"} <= set(CHAPTERS)


@pytest.mark.parametrize("name", CHAPTERS)
def test_committed_notebook_has_the_cells_of_its_source(name: str) -> None:
    source, built = read_source(ROOT / "notebooks" / f"{name}.py"), read_built(ROOT, name)
    own = [cell for cell in built.cells if cell.id != INSTALL_ID]
    wanted = [(cell.id, cell.cell_type, cell.source, dict(cell.metadata)) for cell in source.cells]
    assert [(cell.id, cell.cell_type, cell.source, dict(cell.metadata)) for cell in own] == wanted, (
        f"book/{name}.ipynb is not what notebooks/{name}.py gives: make chapter NAME={name}"
    )
    assert built.metadata == source.metadata


@pytest.mark.parametrize("name", CHAPTERS)
def test_first_code_cell_installs_the_package_where_it_is_missing(name: str) -> None:
    """Colab has no rlscale; the launch buttons open these notebooks there."""
    first = next(cell for cell in read_built(ROOT, name).cells if cell.cell_type == "code")
    assert (first.id, first.source) == (INSTALL_ID, INSTALL.rstrip())
    assert first.execution_count is None and not first.outputs
    assert first.metadata.tags == ["remove-cell"], "no page shows it"


@pytest.mark.parametrize("there", [True, False])
def test_install_cell_asks_for_the_package_only_where_it_is_missing(
    there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from IPython.core.interactiveshell import InteractiveShell

    shell, asked = InteractiveShell(), []
    shell.register_magic_function(asked.append, magic_name="pip")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if there else None)
    shell.run_cell(INSTALL).raise_error()
    assert bool(asked) is not there
    address = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]["url"]
    assert all(f"rlscale[notebooks] @ git+{address}" in line for line in asked)


def test_install_cell_brings_what_the_notebooks_import_and_replaces_no_kernel() -> None:
    """Colab pins its ipykernel, and its numpy is 2.0: asking for newer ones breaks the session there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra, base = project["optional-dependencies"]["notebooks"], project["dependencies"]
    assert [re.split(r"[<>=]", wish)[0] for wish in extra] == ["myst-nb"]
    (numpy,) = [wish for wish in base if wish.startswith("numpy")]
    assert numpy == "numpy>=2.0"
    brought = {re.split(r"[<>=]", wish)[0].replace("-", "_") for wish in [*base, *extra]} | {
        "rlscale",
        "IPython",
    }
    for name in CHAPTERS:
        text = (ROOT / "notebooks" / f"{name}.py").read_text(encoding="utf-8")
        imported = set(re.findall(r"^[ ]*(?:from|import) (\w+)[\w.]*(?: import| as|,|$)", text, re.M))
        assert imported - set(sys.stdlib_module_names) <= brought, name


def test_every_notebook_has_a_source_and_a_line_in_the_contents() -> None:
    built = sorted(path.stem for path in (ROOT / "book").glob("*.ipynb"))
    assert built == CHAPTERS
    prose = [path.stem for path in (ROOT / "book").glob("*.md")]
    assert sorted(list_pages(ROOT)) == sorted(built + prose)


@pytest.mark.parametrize("name", CHAPTERS)
def test_parameters_cell(name: str) -> None:
    assert read_parameters(read_source(ROOT / "notebooks" / f"{name}.py"), name)


@pytest.mark.parametrize("name", CHAPTERS)
def test_outputs_are_complete_and_clean(name: str) -> None:
    code = [c for c in read_built(ROOT, name).cells if c.cell_type == "code" and c.id != INSTALL_ID]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell.outputs]
    assert {output.output_type for output in outputs} <= {"stream", "display_data", "execute_result"}
    assert {output.name for output in outputs if output.output_type == "stream"} <= {"stdout"}
    text = "".join(_text_results(outputs))
    assert not re.search(r"\bobject at 0x", text), "an address changes at each run"
    assert not re.search(r"np\.(float|int)\d+\(", text), "print a rounded number instead of a NumPy scalar"
    assert not re.search(r"\d\.\d{12,}", text), "print a rounded number"


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_cell_ends_in_a_semicolon(name: str) -> None:
    """Jupyter hides the result of such a cell, nbval does not (nbval #194), and the two would differ."""
    for cell in read_built(ROOT, name).cells:
        assert not (cell.cell_type == "code" and cell.source.rstrip().endswith(";")), cell.source


def _text_results(outputs: list[Any]) -> list[str]:
    texts = [output.text for output in outputs if output.output_type == "stream"]
    plain = [output.data.get("text/plain", "") for output in outputs if output.output_type != "stream"]
    return texts + [text for text in plain if not text.startswith("<Figure")]


def test_nbval_has_something_to_compare() -> None:
    """Without reference outputs nbval passes and checks nothing."""
    counts = {
        name: sum(bool(_text_results(cell.get("outputs", []))) for cell in read_built(ROOT, name).cells)
        for name in CHAPTERS
    }
    assert all(count >= REFERENCES_PER_CHAPTER for count in counts.values()), counts
    assert sum(counts.values()) >= REFERENCES_IN_ALL, counts


# The pipeline


def test_two_executions_give_the_same_bytes(checkout: Path) -> None:
    target = checkout / "book" / "01-try.ipynb"
    figures = checkout / "figures"
    build_chapter(checkout / "notebooks" / "01-try.py", target, figures)
    first = target.read_bytes()
    target.unlink()  # so that no picture can be kept
    build_chapter(checkout / "notebooks" / "01-try.py", target, figures)
    assert target.read_bytes() == first
    built = read_built(checkout)
    assert built.cells[-1].outputs[0].text == "0.250 of reference\n"
    assert "image/png" in built.cells[-2].outputs[0].data
    assert b"papermill" not in first and b"start_time" not in first
    assert not list((checkout / "book").glob(".*"))
    data = pd.read_csv(figures / "fig-try.csv")
    assert data[["kind", "x", "y"]].values.tolist() == [["line", 0, 0], ["line", 1, 1], ["line", 2, 3]]
    assert sorted(p.name for p in figures.iterdir()) == ["fig-try.csv", "index.json"]


def test_a_chapter_without_its_figure_data_is_executed_again(checkout: Path) -> None:
    write_chapter(checkout, FIGURE)
    assert build_notebooks(checkout) == ["01-try"]
    assert build_notebooks(checkout) == []
    (checkout / "_build" / "figures" / "01-try" / "fig-try.csv").unlink()
    assert build_notebooks(checkout) == ["01-try"]
    assert [figure["name"] for figure in read_index(checkout, "01-try")] == ["fig-try"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (FIGURE.replace('"name": "fig-try", ', ""), r"draws 1 picture\(s\) and names the figure None"),
        (FIGURE + "plt.show()\n_ = plt.subplots()[1].plot([1])\n", r"draws 2 picture\(s\).*draw one a cell"),
        (FIGURE + FIGURE, "two figures are called 'fig-try'"),
        (
            FIGURE + "plt.close()\nfrom IPython.display import Image, display\n"
            "import io\nb = io.BytesIO()\n_.figure.savefig(b)\ndisplay(Image(b.getvalue()))\n",
            "has 1 pictures, and the data of 0 were recorded",
        ),
    ],
)  # fmt: skip
def test_a_picture_without_data_is_an_error(checkout: Path, body: str, why: str) -> None:
    source = write_chapter(checkout, body.replace("_ = ax.plot([0, 1, 3])", "_, = ax.plot([0, 1, 3])"))
    target = checkout / "book" / "01-try.ipynb"
    with pytest.raises(BookError, match=why):
        build_chapter(source, target, checkout / "figures")
    assert not target.exists() and not (checkout / "figures").exists()


def test_only_what_changed_is_executed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_chapter(checkout, "# %%\nprint(1)\n", "02-other")
    assert build_notebooks(checkout) == ["01-try", "02-other"]
    assert build_notebooks(checkout) == []
    write_chapter(checkout, "# %%\nprint(2)\n", "02-other")
    assert build_notebooks(checkout) == ["02-other"]
    assert build_notebooks(checkout, ["01-try"], force=True) == ["01-try"]
    built = checkout / "book" / "01-try.ipynb"
    good = built.read_text()
    built.write_text(good.replace("0.250", "0.999"))  # a hand that edits outputs
    assert build_notebooks(checkout) == ["01-try"]
    assert built.read_text() == good
    for path in ("rlscale/law.py", "data/table.csv", "requirements.lock"):
        (checkout / path).write_text("changed")
        assert build_notebooks(checkout) == ["01-try", "02-other"], path
    assert "01-try: executed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "# %%\nx = 1\nraise ValueError('no such run')\n",
            r"01-try.py: code cell 2 failed: ValueError: no such run",
        ),
        (
            "# %%\nimport warnings\nwarnings.warn('deprecated')\n",
            r"code cell 2 writes to standard error.*deprecated",
        ),
        ("# %%\nopen('../data/table.csv')\n", r"code cell 2 failed: FileNotFoundError"),
    ],
    ids=["failing cell", "warning", "path relative to the working folder"],
)
def test_faulty_cell_fails_and_leaves_the_old_notebook(checkout: Path, body: str, message: str) -> None:
    build_notebooks(checkout)
    built = checkout / "book" / "01-try.ipynb"
    before = built.read_bytes()
    write_chapter(checkout, body)
    with pytest.raises(BookError, match=message):
        build_notebooks(checkout)
    assert built.read_bytes() == before
    assert sorted(path.name for path in built.parent.iterdir()) == ["01-try.ipynb"]


def test_slow_cell_is_named() -> None:
    slow = new_notebook(
        cells=[
            new_code_cell("share: float = 0.25", metadata={"tags": ["parameters"]}),
            new_code_cell("import time; time.sleep(30)"),
        ]
    )
    with pytest.raises(BookError, match=r"notebook: .*timed out"):
        execute_notebook(slow, timeout=1)


def test_all_faulty_chapters_are_named_in_one_run(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_chapter(checkout, "# %%\n1 / 0\n", "02-zero")
    write_chapter(checkout, "# %%\nnone_such\n", "03-name")
    assert main(["--root", str(checkout)]) == 1
    printed = capsys.readouterr()
    assert "01-try: executed" in printed.out
    assert re.search(r"error: 02-zero.py: code cell 2 failed: ZeroDivisionError", printed.err)
    assert re.search(r"error: 03-name.py: code cell 2 failed: NameError", printed.err)
    assert build_notebooks(checkout, ["01-try"]) == []  # what was executed stays known


def test_notebook_without_source_is_refused(checkout: Path) -> None:
    (checkout / "book" / "09-old.ipynb").write_text("{}")
    with pytest.raises(BookError, match=r"book/09-old.ipynb has no source notebooks/09-old.py"):
        build_notebooks(checkout)


def test_unknown_chapter_is_named(checkout: Path) -> None:
    with pytest.raises(BookError, match=r"no chapter '01-tri'; did you mean '01-try'\?"):
        build_notebooks(checkout, ["01-tri"])
    with pytest.raises(BookError, match=r"there is no such chapter; did you mean '01-try'\?"):
        read_source(checkout / "notebooks" / "01-tri.py")


# Parameters


def test_parameters_reach_the_notebook(checkout: Path) -> None:
    source = read_source(checkout / "notebooks" / "01-try.py")
    assert read_parameters(source) == {"log_path": "reference", "share": 0.25}
    executed = execute_notebook(source, {"log_path": "my run.csv", "share": 0.5})
    assert executed.cells[-1].outputs[0].text == "0.500 of my run.csv\n"
    assert executed.cells[2].id == "injected-parameters"
    assert executed == execute_notebook(source, {"log_path": "my run.csv", "share": 0.5})
    assert "outputs" not in source.cells[2] or not source.cells[2].outputs


def test_misspelt_parameter_is_an_error(checkout: Path) -> None:
    """TC-30: papermill alone runs such a notebook with the default, and says nothing that anyone sees."""
    source = read_source(checkout / "notebooks" / "01-try.py")
    with pytest.raises(BookError, match=r"has no parameter 'log_pth'; did you mean 'log_path'\?"):
        execute_notebook(source, {"log_pth": "mine.csv"})


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("share = 0.25", "not of the form"),
        ("share: float = 1 / 4", "not a literal"),
        ("import os", "not of the form"),
        ("half: float = share / 2", "not a literal"),
    ],
)
def test_parameters_are_annotated_literals(cell: str, message: str) -> None:
    notebook = new_notebook(cells=[new_code_cell(cell, metadata={"tags": ["parameters"]})])
    with pytest.raises(BookError, match=message):
        read_parameters(notebook)


@pytest.mark.parametrize("tags", [[], ["hide-input"]])
def test_untagged_parameters_are_refused(tags: list[str]) -> None:
    notebook = new_notebook(cells=[new_code_cell("share: float = 0.25", metadata={"tags": tags})])
    with pytest.raises(BookError, match="first code cell, and no other, must be tagged 'parameters'"):
        read_parameters(notebook)


def test_negative_and_container_literals_are_parameters() -> None:
    text = "low: float = -1.5\nshares: list[float] = [0.1, 0.5]\nname: str | None = None"
    notebook = new_notebook(cells=[new_code_cell(text, metadata={"tags": ["parameters"]})])
    assert read_parameters(notebook) == {"low": -1.5, "shares": [0.1, 0.5], "name": None}


def test_kernel_other_than_python3_is_refused(checkout: Path) -> None:
    path = checkout / "notebooks" / "01-try.py"
    path.write_text(path.read_text().replace("name: python3", "name: my-env"))
    with pytest.raises(BookError, match=r"header names the kernel 'my-env', expected 'python3'"):
        read_source(path)


def test_standard_error_can_be_dropped(checkout: Path) -> None:
    """TC-31: a progress bar on standard error is no result."""
    path = write_chapter(checkout, "# %%\nimport sys\nprint('bar 50%', file=sys.stderr)\nprint('0.300')\n")
    executed = execute_notebook(read_source(path), quiet=True)
    assert [output.text for output in executed.cells[-1].outputs] == ["0.300\n"]


def test_pieces_of_a_stream_are_joined(checkout: Path) -> None:
    """A busy machine cuts what a cell prints in other places, so two executions would differ."""
    body = (
        "# %%\nimport sys, time\nfor i in range(3):\n    print(i, flush=True)\n    time.sleep(0.4)\n"
        "display(3)\nprint(4)\n"
    )
    outputs = execute_notebook(read_source(write_chapter(checkout, body))).cells[-1].outputs
    assert [output.output_type for output in outputs] == ["stream", "display_data", "stream"]
    assert outputs[0].text == "0\n1\n2\n"


def test_ids_stay_when_a_cell_is_put_in_front(checkout: Path) -> None:
    before = read_source(write_chapter(checkout, "# %%\nprint(1)\n\n# %%\nprint(1)\n"))
    after = read_source(write_chapter(checkout, "# %%\nprint(0)\n\n# %%\nprint(1)\n\n# %%\nprint(1)\n"))
    ids = [cell.id for cell in after.cells]
    assert len(set(ids)) == len(ids)
    assert [cell.id for cell in before.cells] == ids[:2] + ids[3:]


# Pictures


def _picture(pixels: np.ndarray) -> str:
    file = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def _with_picture(picture: str) -> Any:
    output = new_output("display_data", data={"image/png": picture})
    return new_notebook(cells=[new_code_cell("plot()", id="a", outputs=[output])])


@pytest.mark.parametrize(("level", "kept"), [(2, True), (3, False), (200, False)])
def test_picture_is_kept_only_when_nobody_could_tell(level: int, kept: bool) -> None:
    old = np.full((20, 30, 3), 40)
    new = old.copy()
    new[3, 4, 1] += level
    executed, before = _with_picture(_picture(new)), _with_picture(_picture(old))
    keep_pictures(executed, before)
    expected = _picture(old) if kept else _picture(new)
    assert executed.cells[0].outputs[0].data["image/png"] == expected


def test_picture_of_another_size_is_replaced() -> None:
    executed, before = (
        _with_picture(_picture(np.zeros((5, 5, 3)))),
        _with_picture(_picture(np.zeros((5, 6, 3)))),
    )
    keep_pictures(executed, before)
    assert executed.cells[0].outputs[0].data["image/png"] == _picture(np.zeros((5, 5, 3)))


def test_a_kernel_that_never_started_is_started_once_more(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Met in CI: two kernels that start at once may pick the same port."""
    import papermill

    real, tries = papermill.execute_notebook, []

    def fail(*args: Any, **kwargs: Any) -> Any:
        tries.append(1)
        if len(tries) <= failures:
            raise RuntimeError("Kernel died before replying to kernel_info")
        return real(*args, **kwargs)

    monkeypatch.setattr(papermill, "execute_notebook", fail)
    source = read_source(checkout / "notebooks" / "01-try.py")
    failures = 1
    assert execute_notebook(source).cells[-1].outputs[0].text == "0.250 of reference\n" and len(tries) == 2
    tries.clear()
    failures = 9
    with pytest.raises(BookError, match="Kernel died before replying"):
        execute_notebook(source)
    assert len(tries) == 2
