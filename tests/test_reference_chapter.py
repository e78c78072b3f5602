"""Chapter 5 with a reader's own table: its path as a parameter, or an error that names row and column."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from rlscale.errors import BookError
from rlscale.notebook import execute_notebook, read_source
from rlscale.tables import data_path

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = ROOT / "notebooks" / "05-reference-runs.py"


def _write(path: Path, rows: list[dict[str, object]]) -> str:
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def _row(**cells: object) -> dict[str, object]:
    row: dict[str, object] = {"id": "ours-a", "origin": "reader", "task": "code", "model": "Coder-3B"}
    row |= {
        "params_total_b": 3,
        "params_active_b": 3,
        "steps": 640,
        "steps_unit": "updates",
        "prompts_per_step": 64,
    }
    row |= {"group_size": 8, "max_tokens": 4096, "gpu": "H100 SXM", "gpus": 8, "hours": 20, "gpu_hours": 160}
    row |= {"gpu_hours_kind": "reported", "benchmark": "LiveCodeBench", "end_score_percent": 31.5}
    row |= {"ended_by": "plateau", "source": "our cluster", "location": "job 17", "as_of": "2026-11-30"}
    return row | {"kind": "measured"} | cells


def _text(notebook: Any) -> str:
    outputs = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
    return "\n".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs)


@pytest.mark.slow
@pytest.mark.parametrize("hours_known", [True, False])
def test_chapter_runs_on_an_own_table(tmp_path: Path, hours_known: bool) -> None:
    known: dict[str, object] = {} if hours_known else {"hours": "", "gpu_hours": "", "gpu_hours_kind": ""}
    path = _write(tmp_path / "runs.csv", [_row(**known), _row(id="ours-b", steps=900, **known)])
    parameters = {"reference_table": path, "task": "code", "params_total_b": 3.0}
    done = execute_notebook(read_source(CHAPTER), parameters, name="05-reference-runs", quiet=True)
    text = _text(done)
    assert "searched below: 2 rows of your table" in text
    assert "ours-b" in text and "327,680" in text  # 640 steps of 64 x 8 completions
    assert ("nothing to draw" in text) is not hours_known
    assert ("in line    2" in text) is hours_known


@pytest.mark.slow
def test_chapter_names_row_and_column_of_a_malformed_table(tmp_path: Path) -> None:
    path = _write(tmp_path / "runs.csv", [_row(), _row(id="ours-b", gpu_hours=20)])  # hours on the wall
    with pytest.raises(
        BookError, match=r"runs\.csv, line 3 \(row 'ours-b'\), column 'gpu_hours': found '20'"
    ):
        execute_notebook(read_source(CHAPTER), {"reference_table": path}, name="05", quiet=True)


@pytest.mark.slow
def test_chapter_names_a_misspelt_parameter() -> None:
    with pytest.raises(BookError, match="reference_table"):
        execute_notebook(read_source(CHAPTER), {"reference_tables": "x.csv"}, name="05", quiet=True)


def test_words_of_the_tables_are_ours() -> None:
    """No run of nine words of the starting page stands in a table or in the ledger page."""
    import os
    import re

    page = (
        Path(os.environ.get("RLSCALE_SHARED") or ROOT.parent / "shared")
        / "seed"
        / "convergence_and_scale_rl.txt"
    )
    if not page.is_file():
        pytest.skip(
            f"the starting page is not part of the project and not at hand: {page} (set RLSCALE_SHARED)"
        )

    def runs_of_words(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"[a-z0-9]+", text.lower())
        return {tuple(words[i : i + 9]) for i in range(len(words) - 8)}

    theirs = runs_of_words(page.read_text(encoding="utf-8"))
    files = [data_path(name.name) for name in data_path("README.md").parent.glob("*.csv")]
    files += [ROOT / "book" / "appendix-claims.md", ROOT / "tests" / "starting_page_numbers.py"]
    assert len(files) >= 12
    for file in files:
        assert runs_of_words(file.read_text(encoding="utf-8")) & theirs == set(), file.name
