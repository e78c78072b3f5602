"""Chapters with a reader's own log or scenario, as untidy as real ones are.

The build executes each chapter with its defaults; chapters 2 to 5 have tests of their own. Here the blank
edition is executed: what a class gets runs as well, and the exercises cost no time. Of chapters whose body
does not depend on the input, only the part that does is executed after their first cells.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_notebook

import rlscale as rs
from rlscale.class_editions import make_student
from rlscale.editions import make_contexts, read_chapters
from rlscale.errors import BookError
from rlscale.notebook import execute_notebook, read_source
from rlscale.simulate import simulate_curve

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def messy_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Byte order mark, spaces, a text column, a hole, a NaN, rows out of order, a resume that goes back."""
    law = rs.Sigmoid(R0=0.2, A=0.6, B=1.5, Cmid=60)
    curve = simulate_curve(law, np.arange(0, 241, 8), unit="rollout_steps", seed=11)
    rows = [
        f"{int(step)}, {rate:.6f} ,{-rate:.3f},ok"
        for step, rate in zip(curve.compute, curve.pass_rate, strict=True)
        if not 96 <= step <= 112  # the tracker was down
    ]
    rows.insert(9, "68,nan,,ok")
    rows[14:14] = rows[11:14]  # resumed from an older checkpoint, and the same points logged again
    rows[2], rows[3] = rows[3], rows[2]
    path = tmp_path_factory.mktemp("messy") / "my run (copy).csv"
    path.write_text(
        "Rollout_Step , val/accuracy/mean@16, loss ,note\n" + "\n".join(rows) + "\n\n", encoding="utf-8-sig"
    )
    return path


@cache
def blank(name: str) -> Any:
    """The blank edition of a chapter."""
    chapters = read_chapters(ROOT)
    notebook = make_student(chapters[name], make_contexts(ROOT, {name: chapters[name]})[name], name)
    # its first code cell installs the package where it is missing; papermill wants the parameters first
    cells = [c for c in notebook.cells if "pip install" not in c.source]
    return new_notebook(cells=cells, metadata=notebook.metadata)


#: Headings between which the body does not read the reader's input.
SKIPPED = {
    "01-sigmoid-law": ("## A reward that counts", "## Try it on your own"),
    "06-pilot": ("## Nobody published", "## A worked example"),
    "07-misleading-curves": ("## Eight runs", "## Try it on your own"),
    "12-lab": ("## A longer stride", "## Try it on your own"),
}


def kept(name: str) -> Any:
    """The blank edition without the sections that do not read the input."""
    notebook = blank(name)
    if name not in SKIPPED:
        return notebook
    first, last = SKIPPED[name]
    places = [
        next(i for i, c in enumerate(notebook.cells) if mark in c.source and c.cell_type == "markdown")
        for mark in (first, last)
    ]
    rest = [c for c in notebook.cells[places[1] :] if "remove-cell" not in c.metadata.get("tags", [])]
    cells = notebook.cells[: places[0]] + rest  # hidden cells guard the text of what is left out
    return new_notebook(cells=cells, metadata=notebook.metadata)


def run(name: str, parameters: dict[str, Any]) -> str:
    done = execute_notebook(kept(name), parameters, name=name, quiet=True)
    outputs = [o for cell in done.cells if cell.cell_type == "code" for o in cell.outputs]
    return "\n".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("01-sigmoid-law", {}, ["status: ", "rollout steps", "times Cmid"]),
        ("06-pilot", {"budget": 400.0}, [": end 0."]),
        ("07-misleading-curves", {"budget": 400.0}, ["warning: "]),
        ("10-plan", {}, ["rollout steps", "state of the forecast"]),
        ("11-your-run", {"budget": 400.0, "target": 0.55}, ["rollout steps"]),
    ],
)
def test_chapter_reads_a_messy_log(
    messy_log: Path, name: str, parameters: dict[str, Any], said: list[str]
) -> None:
    text = run(name, {"log": str(messy_log), **parameters})
    assert [word for word in said if word not in text] == []
    assert "nan" not in text.lower().split()


@pytest.mark.slow
def test_chapter_8_prices_an_own_scenario_with_ranges(tmp_path: Path) -> None:
    path = tmp_path / "our plan.toml"
    path.write_text(
        '﻿# typed by hand\nname = "ours"\nsteps = [300, 500, 900]\nprompts = 32\ngroup_size = 16\n'
        "prompt_tokens = 150\nmean_length = [500, 1500, 4_000]\nmax_length = 8192\n"
        'tinker_model = "Qwen3-8B"\nmodel = "Qwen3-8B"\ngpu = "H100 SXM"\ngpus = 8\n',
        encoding="utf-8",
    )
    text = run("08-cost", {"scenario": str(path), "draws": 400})
    assert "$" in text and "undecided" in text.lower()


@pytest.mark.slow
def test_chapter_9_takes_another_machine() -> None:
    text = run("09-speed", {"model": "Qwen3-30B-A3B", "gpu": "B200 SXM", "gpus": 6, "completions": 333})
    assert "Qwen3-30B-A3B on 6 B200 SXM" in text


@pytest.mark.slow
def test_chapter_12_looks_at_another_run() -> None:
    assert "0." in run("12-lab", {"seed": 2, "pilot": 0.4})


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("01-sigmoid-law", {"logs": "x.csv"}, "has no parameter 'logs'; did you mean 'log'"),
        ("12-lab", {"sed": 1}, "has no parameter 'sed'; did you mean 'seed'"),
    ],
)
def test_misspelt_parameter_is_named(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(BookError, match=message):
        execute_notebook(read_source(ROOT / "notebooks" / f"{name}.py"), parameters, name=name)


def test_every_chapter_is_tried_with_a_second_input() -> None:
    """Here, or in a module of its own."""
    tried = "".join(
        (ROOT / "tests" / name).read_text(encoding="utf-8")
        for name in (
            "test_messy_inputs.py",
            "test_recipe_chapters.py",
            "test_base_model_chapter.py",
            "test_reference_chapter.py",
        )
    )
    assert [name for name in read_chapters(ROOT) if name not in tried] == []
    assert all(nbformat.validate(blank(name)) is None for name in ("01-sigmoid-law", "12-lab"))
