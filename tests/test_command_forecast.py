"""``rlscale forecast``: one JSON object or words, errors of one line, refusals that are answers."""

import json

import numpy as np
import pytest

from rlscale import Sigmoid
from rlscale.cli import main


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "run.csv"
    steps = np.arange(0, 61)
    rate = np.asarray(Sigmoid(0.2, 0.6, 1.6, 8)(steps)) + np.random.default_rng(0).normal(0, 0.004, 61)
    rows = [f"{s},{r:.4f}" for s, r in zip(steps, rate, strict=True)]
    path.write_text("\n".join(["rollout_step,val/accuracy", *rows]) + "\n")
    return path


def test_json_is_one_object_and_nothing_else(log, capsys):
    assert main(["forecast", str(log), "--budget", "120", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["end"]["at"] == 120
    assert out["log"]["points"] == 61
    assert out["end"]["lo"] < 0.59 < out["end"]["hi"]


def test_words_begin_with_state_and_verdict(log, capsys):
    assert main(["forecast", str(log), "--budget", "120", "--price", "3", "--value", "10"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "run.csv: val/accuracy over rollout_step"
    assert lines[1].startswith("State: ")
    assert lines[2].startswith("Verdict: ")
    assert lines[-1].startswith("Why this series: ")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--budget", "10"], "smaller"),
        (["--target", "61"], "percent"),
        (["--y", "val/acuracy"], "val/accuracy"),
        (["--run", "nosuch"], "run"),
    ],
)
def test_unusable_requests_are_one_line_and_exit_1(log, capsys, options, word):
    assert main(["forecast", str(log), *options]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error:")
    assert captured.err.count("\n") == 1
    assert word in captured.err


def test_a_refusal_to_forecast_is_exit_0(tmp_path, capsys):
    path = tmp_path / "short.csv"
    path.write_text("rollout_step,val/accuracy\n0,0.2\n1,0.25\n2,0.3\n")
    assert main(["forecast", str(path), "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert (out["state"], out["verdict"], out["A"]) == ("no forecast", "cannot tell", None)
    assert out["reasons"][0]["code"] == "too few points"
