"""A changed cell of a table never leaves the book as it was: a test fails, it stops, or the text moves."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mutation import Cell, list_cells, mutate, try_cell, try_chapter
from test_numbers import PAGE, planted, read_notebook

from rlscale import errata
from rlscale.schema_list import TABLES
from rlscale.tables import load_table

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("name", errata.FROZEN_TABLES)
def test_every_cell_of_a_reference_table_is_held_by_the_errata(name: str) -> None:
    """Each number by itself, 10 % up: without a dated entry the test of the errata fails."""
    expected = errata.apply_errata(errata.read_frozen(ROOT / errata.FROZEN_FILE), load_table("errata"))
    original, key = load_table(name), TABLES[name].columns[0].name
    numbers = [c.name for c in TABLES[name].columns if c.type != "text" and c.name != key]
    tables = {other: load_table(other) for other in errata.FROZEN_TABLES}
    held = errata.collect_values(tables)
    tried = 0
    for column in numbers:
        if not np.issubdtype(original[column].dtype, np.number):
            continue
        changed = original.copy()
        changed[column] = changed[column] * 1.1
        today = {
            cell: value
            for cell, value in errata.collect_values(tables | {name: changed}).items()
            if cell[0] == name and cell[2] == column
        }
        for cell, value in today.items():
            if value != held[cell]:  # zero stays zero
                tried += 1
                (said,) = errata.find_unexplained(expected, held | {cell: value})
                assert " / ".join(cell) in said
    assert tried > 0


def test_mutation_changes_one_cell_and_nothing_else() -> None:
    text = "id,steps,price,note\na,400,0.40,\nb,7,,x\n"
    assert mutate(text, Cell("t", 2, "steps")) == "id,steps,price,note\na,440,0.40,\nb,7,,x\n"
    assert mutate(text, Cell("t", 2, "price")) == "id,steps,price,note\na,400,0.44,\nb,7,,x\n"
    assert mutate(text, Cell("t", 3, "steps")) == "id,steps,price,note\na,400,0.40,\nb,7.7,,x\n"


def test_all_tables_with_numbers_can_be_tried() -> None:
    cells = list_cells()
    assert {"tinker_prices", "gpus", "models", "published_fits", "reference_runs"} <= {c.table for c in cells}
    assert len(cells) > 5000


def test_outcomes_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that keeps an old number although its result moved is the fault that must be seen."""
    committed, document = planted(), PAGE.format(hours="1,234")
    monkeypatch.setattr("mutation.read_notebook", lambda chapter: committed)

    def outcome(executed: Any) -> tuple[str, str]:
        told = try_chapter("page", document, executed, "a cell fails")
        return told.kind, told.why

    assert outcome(committed) == ("same", "")
    assert outcome(None) == ("stopped", "a cell fails")
    moved = deepcopy(committed)
    moved.cells[1].outputs[0].text += ", and 9 more"
    assert outcome(moved) == ("moved", "")
    stale = deepcopy(committed)
    stale.cells[1].outputs[0].text = stale.cells[1].outputs[0].text.replace("1,234", "1,357")
    kind, why = outcome(stale)
    assert kind == "stale" and "'1,234 GPU-hours'" in why


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "row", "column", "chapter"),
    [("tinker_prices", {"model": "Qwen3-8B", "as_of": "2026-07-17"}, "sample_usd_per_mtok", "08-cost")],
)
def test_chapter_notices_a_changed_cell(
    site: Path, table: str, row: dict[str, str], column: str, chapter: str
) -> None:
    """One cell that no errata hold; `python tests/mutation.py` tries as many as you like."""
    frame = load_table(table)
    (place,) = np.flatnonzero(np.logical_and.reduce([frame[k] == v for k, v in row.items()]))[:1]
    (told,) = try_cell(Cell(table, int(place) + 2, column), [chapter], site)
    assert told.kind in ("stopped", "moved"), told
    assert read_notebook(chapter) is not None
