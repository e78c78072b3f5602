"""Watching a run, writing it in other formats, the command; without PyTorch on shipped rows."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rlscale import Curve, read_run
from rlscale.cli import main
from rlscale.commands.lab import read_settings
from rlscale.lab.live import describe_progress, draw_curve, follow_rows
from rlscale.lab.settings import LabError
from rlscale.lab.shipped import read_shipped_runs


@pytest.fixture(scope="module")
def replay():
    runs = read_shipped_runs()
    run = runs.run("baseline", 0)
    return list(follow_rows(run.settings, iter(run.rows), run.facts))


def test_a_replayed_run_is_forecast_as_it_goes_and_the_forecast_settles(replay):
    fresh = [p for p in replay if p.fresh and p.forecast is not None]
    assert len(fresh) >= 6
    widths = [p.forecast.end.hi - p.forecast.end.lo for p in fresh]
    assert widths[-1] < widths[0]
    curve = replay[-1].curve
    end = curve.pass_rate[curve.compute >= 0.9 * curve.compute[-1]].mean()
    stated = [p.forecast for p in fresh if p.forecast.state != "no forecast"]
    assert stated and all(f.end.lo - 0.03 <= end <= f.end.hi + 0.03 for f in stated)


def test_a_line_says_where_the_run_is(replay):
    line = describe_progress(replay[8])
    assert "completions" in line and "pass rate" in line
    assert " | " in describe_progress(next(p for p in replay if p.fresh and p.forecast is not None))


def test_the_picture_has_its_points_in_place():
    picture = draw_curve(
        Curve([0, 50, 100], [0, 0.5, 1], unit="updates"), 100, width=21, height=5
    ).splitlines()
    assert picture[0] == " 1.00 |" + " " * 20 + "*"
    assert picture[2] == " 0.50 |" + " " * 10 + "*"
    assert picture[4] == " 0.00 |*"
    assert picture[-1].endswith("100 optimizer updates")


def test_the_picture_draws_what_is_expected_beyond_what_was_seen(replay):
    late = next(p for p in replay if p.forecast is not None and p.forecast.state != "no forecast")
    picture = draw_curve(late.curve, 160_000.0, late.forecast)
    assert "-" in "".join(picture.splitlines()[:-2])
    assert all(len(line) <= 72 for line in picture.splitlines())


def test_settings_from_the_command_line():
    assert read_settings("pool-32", ["learning_rate=1e-3"], 2).changed() == {
        "pool": 32, "learning_rate": 1e-3, "seed": 2,
    }  # fmt: skip
    for texts, expected in (
        (["pool"], "no '='"),
        (["poll=3"], "did you mean 'pool'"),
        (["pool=many"], "type int"),
    ):
        with pytest.raises(LabError, match=expected):
            read_settings(None, texts, 0)


def test_errors_of_the_command_are_one_line(capsys, tmp_path):
    assert main(["lab", "--set", "algorithm=ppo"]) == 1
    assert main(["lab", "--arm", "pool-31"]) == 1
    assert main(["lab", "--format", "trll"]) == 1
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert main(["lab", "--out", str(blocked)]) == 1
    assert main(["lab", "sweep", "--work", str(blocked), "--target", str(tmp_path)]) == 1
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 5 and all(line.startswith("error: ") for line in lines)
    assert "did you mean 'trl'" in lines[2]


def test_shipped_runs_unpack_into_logs_that_the_backtest_reads(tmp_path, capsys):
    from rlscale.manifest import collect_curves, read_manifest

    assert main(["lab", "unpack"]) == 1
    assert "--out" in capsys.readouterr().err
    assert main(["lab", "unpack", "--out", str(tmp_path)]) == 0
    entries = [
        e for e in read_manifest(tmp_path / "manifest.csv") if e.id in ("baseline/seed-0", "pool-32/seed-1")
    ]
    found = collect_curves(entries, tmp_path)
    assert not found.left_out and not found.notes
    assert set(found.families.values()) == {"baseline", "pool-32"}
    shipped = read_shipped_runs().curve("pool-32", 1, "rollout_step")
    assert np.allclose(found.curves["pool-32/seed-1"].pass_rate, shipped.pass_rate, atol=1e-6)
    assert np.array_equal(found.curves["pool-32/seed-1"].compute, shipped.compute)


def test_the_arms_are_listed(capsys):
    assert main(["lab", "arms"]) == 0
    assert "pool-32" in capsys.readouterr().out


def _need_torch():
    pytest.importorskip("torch", reason="PyTorch is not installed (extra lab): nothing can be trained")


@pytest.fixture(scope="module")
def run():
    _need_torch()
    from rlscale.lab.settings import LabSettings
    from rlscale.lab.trainer import train_run

    return train_run(
        LabSettings(digits=3, start=0.2, prompts=16, mini_batches=2, budget=4_000, eval_every=512)
    )


@pytest.mark.parametrize(
    ("style", "x", "y", "unit"),
    [
        ("own", "rollout_step", "heldout_pass_rate", "rollout_steps"),
        ("trl", "step", "eval_rewards/accuracy_reward/mean", "updates"),
        ("verl", "step", None, "rollout_steps"),
        ("tinker", "step", "test/env/all/correct", "rollout_steps"),
    ],
)
def test_our_readers_find_the_curve_in_every_format(run, style, x, y, unit, tmp_path):
    from rlscale.lab.writers import write_run

    path = write_run(run, tmp_path, style)
    curve = read_run(path).curve(x=x, y=y)
    assert curve.unit == unit
    scale = run.settings.mini_batches if unit == "updates" else 1
    assert np.allclose(curve.compute, [r.rollout_step * scale for r in run.rows])
    assert np.allclose(curve.pass_rate, [r.heldout_pass_rate for r in run.rows], atol=1e-6)


def test_a_run_read_back_cannot_be_written_step_by_step(run, tmp_path):
    from rlscale.lab.logbook import read_lab_run
    from rlscale.lab.writers import write_run

    again = read_lab_run(write_run(run, tmp_path))
    with pytest.raises(LabError, match="evaluations only"):
        write_run(again, tmp_path, "verl")


def test_the_command_trains_and_reports(tmp_path, capsys):
    _need_torch()
    short = ["--set", "digits=3", "--set", "start=0.2", "--set", "budget=6000", "--set", "eval_every=512"]
    assert main(["lab", *short, "--json", "--out", str(tmp_path), "--format", "verl"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["settings"]["digits"] == 3
    assert told["last"]["completions"] >= 6000
    assert told["summary"]["end"] > told["summary"]["R0"]
    assert told["forecasts"] and told["forecasts"][0]["state"]
    assert (tmp_path / "sort.jsonl").exists()
    assert main(["lab", *short, "--plain"]) == 0
    assert "processor time" in capsys.readouterr().out.splitlines()[-2]


def test_the_sweep_trains_what_is_missing(tmp_path, monkeypatch, capsys):
    _need_torch()
    from rlscale.lab import arms

    small = arms.Arm(
        "baseline", "baseline", "small", {"digits": 3, "start": 0.2, "budget": 1_000}, "", seeds=2
    )
    monkeypatch.setattr(arms, "ARMS", {"baseline": small})
    where = ["--work", str(tmp_path / "work"), "--target", str(tmp_path / "data")]
    assert main(["lab", "sweep", "--processes", "1", *where]) == 0
    assert "2 runs trained" in capsys.readouterr().out
    assert main(["lab", "pack", *where]) == 0
    assert "2 runs packed" in capsys.readouterr().out
    assert main(["lab", "sweep", "--processes", "1", *where]) == 0
    assert "0 runs trained" in capsys.readouterr().out
