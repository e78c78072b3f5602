"""Directories: what is found in them, and what is passed over."""

import json
import shutil

import pytest
from log_writers import WRITERS
from log_writers_containers import write_events
from log_writers_verl import verl_console

import rlscale as rs
from rlscale.cli import main
from rlscale.errors import LogError


def state(folder, steps, rate=0.1):
    folder.mkdir(parents=True)
    rows = [{"step": s, "rewards/accuracy_reward/mean": rate + s / 1000} for s in range(10, steps + 1, 10)]
    (folder / "trainer_state.json").write_text(json.dumps({"log_history": rows, "max_steps": 300}))


def test_the_last_checkpoint_holds_all_before(tmp_path):
    for number in (20, 100, 60):
        state(tmp_path / "out" / f"checkpoint-{number}", number)
    assert len(rs.read_run(tmp_path).curve()) == 10


def test_two_trainers_are_two_runs(tmp_path):
    state(tmp_path / "a" / "checkpoint-50", 50)
    state(tmp_path / "b" / "checkpoint-80", 80)
    runs = rs.read_runs(tmp_path)
    assert list(runs) == ["a/checkpoint-50/trainer_state.json", "b/checkpoint-80/trainer_state.json"]
    with pytest.raises(LogError, match="holds 2 runs"):
        rs.read_run(tmp_path)


def test_metrics_come_before_the_console_that_repeats_them(tmp_path):
    WRITERS["tinker_jsonl"](tmp_path)
    WRITERS["tinker_console"](tmp_path)
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "checkpoints.jsonl").write_text('{"step": 1}\n')
    run = rs.read_run(tmp_path)
    assert run.format == "tinker-cookbook metrics.jsonl"


def test_hidden_and_foreign_files_are_passed_over(tmp_path):
    verl_console(tmp_path)
    for name in (".git", "__pycache__", "node_modules"):
        (tmp_path / name).mkdir()
        shutil.copy(tmp_path / "verl.log", tmp_path / name / "verl.log")
    (tmp_path / "notes.txt").write_text("nothing here\n")
    assert len(rs.read_runs(tmp_path)) == 1


def test_event_files_after_a_restart_are_joined_and_the_last_wins(tmp_path):
    pytest.importorskip("tensorboard")
    write_events(tmp_path / "events.out.tfevents.100.host", [(s, {"eval/accuracy": 0.1}) for s in range(8)])
    again = [(s, {"eval/accuracy": 0.2 + s / 100}) for s in range(5, 12)]
    write_events(tmp_path / "events.out.tfevents.200.host", again, clock=1.7e9 + 1000)
    run = rs.read_run(tmp_path)
    curve = run.curve()
    assert curve.compute.tolist() == list(range(12))
    assert curve.pass_rate[5] == pytest.approx(0.25)
    assert {"files-joined", "steps-replaced"} <= {w.code for w in run.warnings}


def test_a_torn_event_file_keeps_what_stands_before(tmp_path):
    pytest.importorskip("tensorboard")
    path = tmp_path / "events.out.tfevents.100.host"
    write_events(path, [(s, {"eval/accuracy": 0.1 + s / 100}) for s in range(30)])
    path.write_bytes(path.read_bytes()[:-20])
    assert len(rs.read_run(path).curve()) >= 28


def test_inspect_of_a_directory_lists_every_run(tmp_path, capsys):
    state(tmp_path / "a" / "checkpoint-50", 50)
    state(tmp_path / "b" / "checkpoint-80", 80)
    assert main(["inspect", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["format"] == "TRL trainer_state.json"
    assert [r["points"] for r in found["runs"]] == [5, 8]
    assert found["runs"][0]["suggested"]["y"] == "rewards/accuracy_reward/mean"
    assert found["runs"][0]["x"][0] == {"key": "step", "unit": "updates"}
    kinds = {s["key"]: s["kind"] for s in found["runs"][0]["series"]}
    assert kinds == {"rewards/accuracy_reward/mean": "train_pass_rate"}
    assert main(["inspect", str(tmp_path), "--run", "b/checkpoint-80/trainer_state.json"]) == 0
    assert "8 rows" in capsys.readouterr().out
    assert main(["inspect", str(tmp_path), "--run", "c"]) == 1
    assert "no run 'c'" in capsys.readouterr().err


def test_inspect_says_what_it_would_not_fit(tmp_path, capsys):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps({"step": s, "reward": s / 10}) + "\n" for s in range(5)))
    assert main(["inspect", str(path)]) == 0
    assert "nothing would be fitted" in capsys.readouterr().out
    assert main(["inspect", str(path), "--json"]) == 0
    run = json.loads(capsys.readouterr().out)["runs"][0]
    assert run["suggested"] is None
    assert "--y" in run["refusal"]


def test_the_table_needs_a_directory(tmp_path, capsys):
    (tmp_path / "a.csv").write_text("step,accuracy\n1,0.1\n2,0.2\n")
    assert main(["inspect", "--table", str(tmp_path / "a.csv")]) == 1
    assert "a directory is needed" in capsys.readouterr().err
    assert main(["inspect", "--table", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["y"] == "accuracy"
