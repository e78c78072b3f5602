"""Tables: found in a checkout and in a wheel; valid as shipped; refused with row and column named."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from rlscale import tables
from rlscale.errors import TableError
from rlscale.schema_list import TABLES
from rlscale.tables import data_path, load_table


def _cells(name: str) -> list[list[str]]:
    with data_path(f"{name}.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.reader(handle))


def _write(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows(rows)
    return path


def _broken(tmp_path: Path, name: str, column: str, cell: str, row: int = 1) -> Path:
    """Return the shipped table with one cell changed."""
    rows = _cells(name)
    rows[row][rows[0].index(column)] = cell
    return _write(tmp_path / f"{name}.csv", rows)


@pytest.mark.parametrize("name", sorted(TABLES))
def test_shipped_table_is_valid_and_complete(name: str) -> None:
    table = load_table(name)
    assert len(table) >= 4
    assert _cells(name)[0] == [c.name for c in TABLES[name].columns]  # as shipped: every column, in order


@pytest.mark.parametrize("column", ["source", "location", "as_of", "kind"])
@pytest.mark.parametrize("name", sorted(TABLES))
def test_a_row_without_provenance_is_refused(name: str, column: str, tmp_path: Path) -> None:
    path = _broken(tmp_path, name, column, "", row=3)
    line = 4
    with pytest.raises(TableError, match=rf"line {line}\b.*column '{column}': found an empty cell"):
        load_table(name, path)


@pytest.mark.parametrize("column", ["source", "as_of"])
@pytest.mark.parametrize("name", sorted(TABLES))
def test_a_table_without_a_provenance_column_is_refused(name: str, column: str, tmp_path: Path) -> None:
    rows = _cells(name)
    i = rows[0].index(column)
    path = _write(tmp_path / "mine.csv", [row[:i] + row[i + 1 :] for row in rows])
    with pytest.raises(TableError, match=rf"mine\.csv, line 1: column '{column}' is missing"):
        load_table(name, path)


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("A", "61%", r"line 2, column 'A': found '61%', expected a number from 0 to 1"),
        ("A", "61", r"line 2 \(row 't1_scalerl'\), column 'A': found '61', expected a number from 0 to 1"),
        ("A", "nan", r"column 'A': found 'nan'; leave an unknown cell empty"),
        ("Cmid_gpu_hours", "inf", r"column 'Cmid_gpu_hours': found 'inf'"),
        ("Cmid_gpu_hours", "-3", r"column 'Cmid_gpu_hours': found '-3', expected a number of 0 or more"),
        ("Cmid_gpu_hours", "2,542", r"column 'Cmid_gpu_hours': found '2,542'"),
        ("law", "sigmoidal", r"column 'law': found 'sigmoidal', expected one of: sigmoid, power"),
        ("as_of", "15 Oct 2025", r"column 'as_of': found '15 Oct 2025', expected a date as YYYY"),
        ("as_of", "2025-13", r"column 'as_of': found '2025-13'"),
        ("group_size", "15.5", r"column 'group_size': found '15\.5', expected a whole number"),
        (
            "fit_from_gpu_hours",
            "9000",
            r"column 'fit_to_gpu_hours': found '8000', expected more than fit_from",
        ),
        (
            "run_end_gpu_hours",
            "7000",
            r"column 'fit_to_gpu_hours': found '8000', expected no more than run_end",
        ),
        ("R0", "0.7", r"column 'A': found '0\.61', expected more than R0"),
        ("id", "t1_32k", r"column 'id': found 't1_32k', expected .*only once"),
    ],
)
def test_a_bad_cell_is_named(column: str, cell: str, said: str, tmp_path: Path) -> None:
    path = _broken(tmp_path, "published_fits", column, cell)
    with pytest.raises(TableError, match=said):
        load_table("published_fits", path)


def test_unknown_and_repeated_columns_are_named(tmp_path: Path) -> None:
    rows = _cells("published_fits")
    rows[0][rows[0].index("note")] = "notes"
    with pytest.raises(TableError, match=r"column 'notes' is not part of table .*did you mean 'note'"):
        load_table("published_fits", _write(tmp_path / "a.csv", rows))
    rows[0][rows[0].index("notes")] = "A"
    with pytest.raises(TableError, match=r"column 'A' stands 2 times"):
        load_table("published_fits", _write(tmp_path / "b.csv", rows))


def test_an_optional_column_may_be_left_out(tmp_path: Path) -> None:
    rows = _cells("published_fits")
    i = rows[0].index("R0")
    table = load_table(
        "published_fits", _write(tmp_path / "mine.csv", [row[:i] + row[i + 1 :] for row in rows])
    )
    assert table["R0"].isna().all()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\xff\xfe\x00\x01", "is no CSV in UTF-8"),
        (b'id,recipe\n"open', "is no CSV in UTF-8"),
        (b"id,recipe\na,b,c\n", r"line 2: found 3 cells, expected 2"),
    ],
)
def test_a_file_that_is_no_table_is_refused(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match=said):
        load_table("published_fits", path)


def test_an_absent_file_and_an_unknown_table_are_named(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"absent\.csv: cannot be read"):
        load_table("published_fits", tmp_path / "absent.csv")
    with pytest.raises(TableError, match="did you mean 'published_fits'"):
        load_table("published_fit")
    with pytest.raises(TableError, match=r"published_fits\.csv"):
        data_path("published_fit.csv")


def test_a_byte_order_mark_of_a_spreadsheet_is_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(b"\xef\xbb\xbf" + data_path("published_fits.csv").read_bytes())
    assert load_table("published_fits", path).equals(load_table("published_fits"))


def test_a_cell_of_two_lines_keeps_the_line_count(tmp_path: Path) -> None:
    rows = _cells("published_fits")
    rows[1][-1] = "two\nlines"
    rows[2][rows[0].index("A")] = "x"
    with pytest.raises(TableError, match=r"line 4, column 'A': found 'x'"):
        load_table("published_fits", _write(tmp_path / "mine.csv", rows))


def _reference_row(tmp_path: Path, **cells: str) -> Path:
    """Return a reader's table of one run."""
    row = {
        "id": "mine",
        "origin": "reader",
        "task": "math",
        "model": "my 7B",
        "ended_by": "budget",
        "source": "our cluster",
        "location": "job 17",
        "as_of": "2026-11-30",
        "kind": "measured",
    } | cells
    return _write(tmp_path / "runs.csv", [list(row), list(row.values())])


def test_gpu_hours_are_hours_times_gpus(tmp_path: Path) -> None:
    # TC-33: 25 h on 8 GPUs are 200 GPU-hours; 200 h on 8 GPUs are 1,600
    good = {"gpus": "8", "hours": "25", "gpu_hours": "200", "gpu_hours_kind": "reported"}
    assert load_table("reference_runs", _reference_row(tmp_path, **good))["gpu_hours"].item() == 200
    with pytest.raises(
        TableError, match=r"line 2 \(row 'mine'\), column 'gpu_hours': found '200', expected h"
    ):
        load_table("reference_runs", _reference_row(tmp_path, **(good | {"hours": "200"})))


@pytest.mark.parametrize(("gpu_hours", "accepted"), [("101000", True), ("99500", True), ("103500", False)])
def test_rounded_gpu_hours_are_accepted_within_two_percent(
    gpu_hours: str, accepted: bool, tmp_path: Path
) -> None:
    path = _reference_row(tmp_path, gpus="512", hours="198", gpu_hours=gpu_hours, gpu_hours_kind="reported")
    if accepted:
        load_table("reference_runs", path)
    else:
        with pytest.raises(TableError, match="column 'gpu_hours'"):
            load_table("reference_runs", path)


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        ({"steps": "100"}, "steps_unit"),  # a step without a unit does not exist
        ({"gpu_hours": "100"}, "gpu_hours_kind"),
        ({"end_score_percent": "40"}, "benchmark"),
        ({"steps": "200", "steps_hi": "100", "steps_unit": "updates"}, "steps_hi"),
        ({"params_total_b": "8", "params_active_b": "17"}, "params_active_b"),
        ({"task": "maths"}, "task"),
        ({"end_score_percent": "140", "benchmark": "x"}, "end_score_percent"),
        ({"ended_by": ""}, "ended_by"),
    ],
)
def test_a_run_that_contradicts_itself_is_refused(cells: dict[str, str], column: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=rf"runs\.csv, line 2 \(row 'mine'\), column '{column}'"):
        load_table("reference_runs", _reference_row(tmp_path, **cells))


@pytest.mark.parametrize("name", ["gpus", "tinker_prices"])
def test_a_price_needs_its_day(name: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match="column 'as_of': found '2026-08', expected a day as YYYY-MM-DD"):
        load_table(name, _broken(tmp_path, name, "as_of", "2026-08"))


def test_a_gpu_has_one_specification(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="column 'gpu': found 'H100 SXM', expected the same memory"):
        load_table("gpus", _broken(tmp_path, "gpus", "bandwidth_tb_s", "3.9"))


def test_a_price_has_a_provider(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="column 'provider'"):
        load_table("gpus", _broken(tmp_path, "gpus", "provider", ""))


def test_a_speedup_and_an_example_are_recomputed(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"column 'speedup': found '2\.8'"):
        load_table("gpu_speedups", _broken(tmp_path, "gpu_speedups", "speedup", "2.8"))
    with pytest.raises(TableError, match="column 'example_usd_per_hour'"):
        load_table("sandbox_prices", _broken(tmp_path, "sandbox_prices", "example_usd_per_hour", "0.2"))


def test_a_price_stands_once(tmp_path: Path) -> None:
    rows = _cells("tinker_prices")
    with pytest.raises(TableError, match=r"column 'as_of'.*one row a model"):
        load_table("tinker_prices", _write(tmp_path / "t.csv", [*rows, rows[-1]]))


def test_each_gpu_of_a_run_has_a_specification() -> None:
    gpus = set(load_table("gpus")["gpu"])
    used = set(load_table("reference_runs")["gpu"]) | set(load_table("gpu_speedups")["gpu"])
    assert used - {""} <= gpus


def test_tables_are_found_in_an_installed_package(tmp_path: Path) -> None:
    """In a wheel there is no checkout: the folder data/ lies inside the package, as _data."""
    package = Path(tables.__file__).parent
    target = tmp_path / "site" / "rlscale"
    shutil.copytree(package, target, ignore=shutil.ignore_patterns("__pycache__", "lab"))
    shutil.copytree(data_path("README.md").parent, target / "_data")
    code = (
        "from rlscale.tables import data_path, load_table; import rlscale;"
        "print(data_path('gpus.csv')); print(len(load_table('claims')))"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == [str(target / "_data" / "gpus.csv"), str(len(load_table("claims")))]


def test_the_wheel_is_told_to_carry_the_tables() -> None:
    project = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]["data"] == "rlscale/_data"
