"""Chapters 2 and 4 with a reader's own choice: other recipes, an own set of prompts, a messy one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlscale.errors import BookError
from rlscale.notebook import execute_notebook, read_source

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


def _run(name: str, parameters: dict[str, Any]) -> str:
    done = execute_notebook(read_source(NOTEBOOKS / f"{name}.py"), parameters, name=name, quiet=True)
    outputs = [o for cell in done.cells if cell.cell_type == "code" for o in cell.outputs]
    return "\n".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs)


@pytest.mark.slow
def test_chapter_2_compares_any_two_recipes_on_another_machine() -> None:
    parameters = {
        "first": "gspo",
        "second": "Dr. GRPO",
        "target": 0.55,
        "gpu": "B200 SXM",
        "model": "Qwen3-30B-A3B",
    }
    text = _run("02-algorithms", parameters)
    assert "compared: GSPO and Dr. GRPO" in text
    assert "never" in text  # the ceiling of one of them lies below the target


@pytest.mark.slow
def test_chapter_2_refuses_a_recipe_that_is_not_in_the_table() -> None:
    with pytest.raises(BookError, match="no recipe is called 'PP0'"):
        _run("02-algorithms", {"first": "PP0"})


@pytest.mark.slow
def test_chapter_4_reads_an_own_set_of_prompts(tmp_path: Path) -> None:
    path = tmp_path / "prompts.csv"
    # spaces, an extra column, unequal numbers of samples
    path.write_text("id, n ,c\na,8,0\nb, 16 ,3\nc,8,8\nd,12,6\n", encoding="utf-8")
    text = _run("04-difficulty", {"prompts": str(path), "completions": 64})
    assert "4 prompts, mean pass rate 0.42" in text and "(simulated)" not in text
    assert "never solved: 25 %; always solved: 25 %" in text


@pytest.mark.slow
def test_chapter_4_names_the_line_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "prompts.csv"
    path.write_text("n,c\n8,3\n8,12\n", encoding="utf-8")
    with pytest.raises(BookError, match="line 3: n is 8 and c is 12"):
        _run("04-difficulty", {"prompts": str(path)})
