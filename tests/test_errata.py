"""Errata with teeth: a published number changes only together with a dated entry."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rlscale import errata
from rlscale.errors import TableError
from rlscale.schema_list import TABLES
from rlscale.tables import load_table

ROOT = Path(__file__).resolve().parent.parent
FROZEN = ROOT / errata.FROZEN_FILE
CELL = ("published_fits", "t1_scalerl", "Cmid_gpu_hours")


def tables(**changed: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {name: load_table(name) for name in errata.FROZEN_TABLES} | changed


def entry(**cells: str) -> pd.DataFrame:
    base = {"id": "E99", "date": "2027-01-31", "whose": "book", "old": "2542", "new": "2600"}
    return pd.DataFrame([base | dict(zip(("table", "row", "column"), CELL, strict=True)) | cells])


def test_no_published_value_changed_without_an_entry():
    expected = errata.apply_errata(errata.read_frozen(FROZEN), load_table("errata"))
    assert errata.find_unexplained(expected, errata.collect_values()) == []


def test_every_value_of_today_is_held():
    """A new row is free once; from then on it is held. Mend with: python -m rlscale.errata."""
    held = errata.apply_errata(errata.read_frozen(FROZEN), load_table("errata"))
    new = [cell for cell in errata.collect_values() if cell not in held]
    assert new == [], "run: python -m rlscale.errata"
    assert len(held) > 1000


def test_the_page_is_what_the_table_says():
    page = (ROOT / errata.PAGE).read_text(encoding="utf-8")
    assert page == errata.write_page(load_table("errata")), "run: python -m rlscale.errata"


@pytest.mark.parametrize("factor", [1.1, 0.9, np.nan])
def test_a_changed_value_bites_and_an_entry_calms_it(factor):
    fits = load_table("published_fits").copy()
    row = fits.index[fits.id == CELL[1]][0]
    fits.loc[row, CELL[2]] *= factor
    frozen, today = errata.read_frozen(FROZEN), errata.collect_values(tables(published_fits=fits))
    (said,) = errata.find_unexplained(frozen, today)
    assert " / ".join(CELL) in said and "published as 2542" in said and "data/errata.csv" in said
    explained = errata.apply_errata(frozen, entry(new=today.get(CELL, "")))
    assert errata.find_unexplained(explained, today) == []


def test_a_changed_verdict_bites():
    claims = load_table("claims").copy()
    claims.loc[claims.id == "C01", "verdict"] = "differs"
    said = errata.find_unexplained(errata.read_frozen(FROZEN), errata.collect_values(tables(claims=claims)))
    assert len(said) == 1 and "C01 / verdict" in said[0]


def test_a_removed_row_bites():
    runs = load_table("reference_runs")
    gone = runs[runs.id != "r1_zero"]
    said = errata.find_unexplained(
        errata.read_frozen(FROZEN), errata.collect_values(tables(reference_runs=gone))
    )
    assert len(said) > 5 and all("r1_zero" in s and "is gone" in s for s in said)


def test_entries_apply_one_after_the_other():
    two = pd.concat([entry(), entry(id="E100", date="2027-02-01", old="2600", new="2542")])
    assert errata.apply_errata({CELL: "2542"}, two) == {CELL: "2542"}


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (entry(old="2543"), "was '2543'; published was '2542'"),
        (entry(row="nothing"), "published was 'nothing'"),
        (pd.concat([entry(), entry(id="E100", date="2026-01-01", old="2600", new="1")]), "dated before"),
    ],
)
def test_an_entry_that_does_not_fit_is_refused(entries, said):
    with pytest.raises(TableError, match=said):
        errata.apply_errata({CELL: "2542"}, entries)


def test_what_is_frozen_stays(tmp_path):
    path = tmp_path / "frozen.csv"
    none = load_table("errata")
    assert errata.extend_frozen(path, {CELL: "2542"}, none) == 1
    other = ("models", "new", "layers")
    assert errata.extend_frozen(path, {CELL: "9", other: "3"}, none) == 1
    assert errata.read_frozen(path) == {CELL: "2542", other: "3"}
    # what an entry took out is not frozen a second time when it comes back
    assert errata.extend_frozen(path, {CELL: "1"}, entry(new="")) == 0


def test_the_command_refuses_and_leaves_the_page(tmp_path, capsys):
    (tmp_path / "tests").mkdir()
    (tmp_path / "book").mkdir()
    assert errata.main(["--root", str(tmp_path)]) == 0
    frozen = tmp_path / errata.FROZEN_FILE
    text = frozen.read_text()
    frozen.write_text(text.replace("Cmid_gpu_hours,2542", "Cmid_gpu_hours,2541", 1))
    (tmp_path / errata.PAGE).write_text("before")
    assert errata.main(["--root", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("error: ") and (tmp_path / errata.PAGE).read_text() == "before"


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        ({"whose": "book"}, "column"),
        ({"old": "3"}, "old"),
        (
            {"whose": "book", "table": "claims", "row": "C01", "column": "value", "old": "1", "new": "1"},
            "new",
        ),
        ({"date": "2026-11"}, "date"),
    ],
)
def test_an_incomplete_entry_is_refused(tmp_path, cells, column):
    table = pd.read_csv(ROOT / "data" / "errata.csv", dtype=str, keep_default_na=False)
    for name, value in cells.items():
        table.loc[0, name] = value
    table.to_csv(tmp_path / "errata.csv", index=False)
    with pytest.raises(TableError, match=f"column '{column}'"):
        load_table("errata", tmp_path / "errata.csv")


def test_frozen_tables_have_rows_that_can_be_named():
    for name in errata.FROZEN_TABLES:
        assert TABLES[name].columns[0].unique or load_table(name).iloc[:, 0].is_unique
    with FROZEN.open(encoding="utf-8", newline="") as handle:
        keys = [(r["table"], r["row"], r["column"]) for r in csv.DictReader(handle)]
    assert len(keys) == len(set(keys))


def on_grid(values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Whether each value is a grid point, cut to a whole number as the paper's table seems to do."""
    return np.isin(values, np.floor(grid))


def test_the_first_entry_is_true():
    """E01: Cmid of ScaleRL's Table 1 against the grid that its appendix describes."""
    fits = load_table("published_fits").set_index("id")
    cmid = fits.Cmid_gpu_hours.dropna().to_numpy()
    described = on_grid(cmid, np.linspace(100, 40_000, 100))
    fine, coarse = on_grid(cmid, np.linspace(100, 4_000, 100)), on_grid(cmid, np.linspace(4_000, 40_000, 100))
    assert len(cmid) == 10 and described.sum() == 0
    grid = np.linspace(100, 40_000, 100)
    assert round(np.abs(cmid[:, None] - grid).min(axis=1).max()) == 133
    assert (
        fine.sum() == 7 and coarse.sum() == 2 and not (fine | coarse)[list(fits.index[:10]).index("t1_scout")]
    )


def test_the_ninth_entry_is_true():
    """E09: 10,400 updates of R1-Zero are 650 rollout steps."""
    row = load_table("reference_runs").set_index("id").loc["r1_zero"]
    assert row.steps_unit == "updates" and row.steps / (8192 / (row.prompts_per_step * row.group_size)) == 650
