"""A directory is read as far as it can be: what is left out is said, and nothing stops the others."""

import json

import pytest

import rlscale as rs
from rlscale.cli import main
from rlscale.errors import LogError

GOOD = "step,accuracy\n" + "".join(f"{i},{0.1 + i / 50}\n" for i in range(12))
NO_STEP = "accuracy,loss\n0.1,0.2\n0.2,0.3\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.csv").write_text(GOOD)
    (tmp_path / "b.csv").write_text(NO_STEP)
    (tmp_path / "c.csv").write_text("")
    (tmp_path / "d.csv").write_text(GOOD)
    return tmp_path


def test_one_file_without_steps_does_not_stop_the_others(folder, capsys):
    runs = rs.read_runs(folder)
    assert list(runs) == ["a.csv", "d.csv"]
    assert set(runs.refused) == {"b.csv", "c.csv"}
    assert "no column counts steps" in runs.refused["b.csv"]
    assert "is empty" in runs.refused["c.csv"]
    assert main(["inspect", str(folder)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == [str(folder), "CSV; 2 runs; 2 left out, see the warnings"]
    assert sum("left-out" in line and "b.csv" in line for line in said) == 1
    assert main(["inspect", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [run["name"] for run in found["runs"]] == ["a.csv", "d.csv"]
    assert [w["code"] for w in found["warnings"]].count("left-out") == 2


def test_a_file_that_is_left_out_can_be_asked_for(folder, capsys):
    with pytest.raises(LogError, match="no column counts steps"):
        rs.read_run(folder, "b.csv")
    with pytest.raises(LogError, match="is empty"):
        rs.read_run(folder, "c.csv")
    with pytest.raises(LogError, match=r"did you mean 'a\.csv'"):
        rs.read_run(folder, "a.cvs")
    assert main(["inspect", str(folder), "--run", "b.csv"]) == 1
    assert "no column counts steps" in capsys.readouterr().err
    assert main(["inspect", str(folder), "--run", "a.csv"]) == 0
    assert "left-out" not in capsys.readouterr().out


def test_the_only_run_that_can_be_read_says_what_was_left_out(folder):
    (folder / "d.csv").unlink()
    run = rs.read_run(folder)
    assert run.name == "a.csv"
    left_out = [w.message for w in run.curve().warnings if w.code == "left-out"]
    assert len(left_out) == 2
    # the path stands once in the sentence
    assert all(text.count("b.csv") <= 1 and text.count("c.csv") <= 1 for text in left_out)


def test_nothing_readable_is_an_error(folder, capsys):
    for name in ("a.csv", "d.csv"):
        (folder / name).write_text(NO_STEP)
    with pytest.raises(
        LogError, match=r"none of its 3 runs can be read; the first: .*no column counts steps"
    ):
        rs.read_runs(folder)
    assert main(["inspect", str(folder)]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("error: ") and captured.err.count("\n") == 1


def test_other_kinds_of_files_are_named(folder):
    (folder / "metrics.jsonl").write_text(
        "".join(json.dumps({"step": i, "accuracy": i / 20}) + "\n" for i in range(9))
    )
    runs = rs.read_runs(folder)
    assert list(runs) == ["metrics.jsonl"]
    assert [w.code for w in runs.warnings] == ["not-read"]
    assert "4 other files were not looked at" in runs.warnings[0].message
    assert "a.csv" in runs.warnings[0].message


def test_a_long_table_with_one_short_run_keeps_the_others(tmp_path, capsys):
    lines = ["run,step,accuracy", *(f"a,{i},{0.1 + i / 50}" for i in range(10)), "b,3,0.2"]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(lines) + "\n")
    assert {name: len(run) for name, run in rs.read_runs(path).items()} == {"a": 10, "b": 1}
    assert main(["inspect", str(path)]) == 0
    assert "nothing would be fitted: 1 point only" in capsys.readouterr().out


def test_the_table_of_a_directory_lists_all(folder, capsys):
    assert main(["inspect", "--table", str(folder)]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[-1] == "4 files: 2 with a curve, 2 refused"


def test_a_missing_axis_of_some_runs_is_no_error(folder, capsys):
    (folder / "d.csv").write_text(GOOD.replace("step", "batch"))
    assert main(["inspect", str(folder), "--x", "batch:updates"]) == 0
    assert "optimizer updates" in capsys.readouterr().out
