"""What a hostile or careless user can type or pass: one clear error, or a finite result; never a traceback.

Each case here once ended in a traceback, a warning of Python, a number that is not finite, or silence.
"""

import json
import math
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import rlscale as rs
from rlscale.cli import main
from rlscale.errors import CostError, CurveError, FitError, ForecastError, RlscaleError, TableError
from rlscale.signal import SignalError
from rlscale.steps import StepError

NAN, INF = math.nan, math.inf
C = np.linspace(0, 100, 30)
Y = np.clip(rs.Sigmoid(0.2, 0.6, 1.5, 30)(C) + 0.01 * np.sin(np.arange(30.0)), 0, 1)
RUN = ["--steps", "200", "--prompts", "64", "--group-size", "16", "--mean-length", "800"]
TINKER = [*RUN, "--tinker-model", "Qwen3-8B"]
BATCH = ["--prompts", "64", "--group-size", "8"]


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "good.csv"
    path.write_text("step,accuracy\n" + "".join(f"{10 * i},{y:.4f}\n" for i, y in enumerate(Y)))
    return path


def refuse(capsys, *args):
    """Run a command that must fail, and return its one line."""
    assert main([str(a) for a in args]) == 1
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if not line.endswith("…")]
    assert out == "" and len(lines) == 1 and lines[0].startswith("error: ")
    assert len(lines[0]) <= 2100 and lines[0].isprintable()
    return lines[0]


def curve(compute=C, **fields):
    return rs.Curve(compute, Y, unit="updates", **fields)


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["1e308", *BATCH], "more than a number can hold"),
        (["10", *BATCH, "--seconds", "1e308", "--gpus", "1e308"], "GPU-hours are more"),
        (["10", *BATCH, "--seconds", "1e-323"], "less than a number can hold"),
        (["10", "--prompts", "1e308", "--group-size", "1e308"], "which no run has"),
        (["10", "--prompts", "1e-200", "--group-size", "1e-200"], "which no run has"),
        (["1e300", *BATCH, "--data", "1e-300"], "epochs are more"),
        (["10", "--prompts", "1e-320", "--from", "completions"], "rollout steps are more"),
        (["10", "--effective-batch", "24", "--group-size", "0"], "--group-size is 0"),
        (["10", "--effective-batch", "0"], "--effective-batch is 0"),
        (["10", *BATCH, "--from", "x" * 5000], "no step unit"),
        (["nan", *BATCH], "amount is nan"),
    ],
)
def test_steps_out_of_range_are_refused(capsys, args, word):
    assert word in refuse(capsys, "steps", *args)


def test_minus_zero_steps_are_zero():
    result = rs.convert_steps(-0.0, "rollout_steps", "prompts", rs.Batch(prompts=64))
    assert math.copysign(1, result.value) == 1
    assert result.lines[-1].startswith("0 rollout steps")


@pytest.mark.parametrize(
    ("args", "word"),
    [
        ([*TINKER, "--steps", "0:0:1e308"], "more digits"),
        ([*RUN, "--gpu", "H100 SXM", "--gpus", "8", "--throughput", "1e-300"], "more digits"),
        (["x" * 5000], "neither a preset nor a file"),
        (["/dev/zero"], "neither a preset nor a file"),
        (["starting-pag"], "did you mean 'starting-page'"),
    ],
)
def test_costs_out_of_range_and_strange_names_are_refused(capsys, args, word):
    assert word in refuse(capsys, "cost", *args, "--json")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("steps = 1" + "0" * 5000, "cannot be read as TOML"),
        ("steps = " + "[" * 3000 + "]" * 3000, "nested too deeply"),
        ("# " + "x" * 1_100_000, "larger than 1,000,000 bytes"),
        ("stps = 5", "did you mean 'steps'"),
    ],
)
def test_scenario_files_that_are_none_are_refused(capsys, tmp_path, text, word):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    assert word in refuse(capsys, "cost", path)


def test_list_of_presets_is_one_json_object(capsys):
    assert main(["cost", "--list", "--json"]) == 0
    names = [p["name"] for p in json.loads(capsys.readouterr().out)["presets"]]
    assert "starting-page" in names and "tinker-math" in names


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["--budget", "1e300"], "check its unit"),
        (["--budget", "1e999"], "finite"),
        (["--budget", "100"], "smaller than the 290"),
        (["--price", "1e300", "--value", "1e300"], "price is 1e+300"),
        (["--price", "1", "--value", "1e308"], "value is 1e+308"),
        (["--x", "stp"], "did you mean 'step'"),
        (["--y", "y" * 100_000], "no series"),
        (["--run", "goood"], "did you mean 'good'"),
    ],
)
def test_forecasts_out_of_range_are_refused(capsys, log, args, word):
    assert word in refuse(capsys, "forecast", log, *args, "--json")


@pytest.mark.parametrize(
    "args",
    [["inspect", ""], ["forecast", ""], ["report", "LOG", "-o", ""], ["stitch", "LOG", "", "-o", "x.csv"]],
)
def test_an_empty_path_is_not_the_folder_we_are_in(capsys, log, args):
    assert "is empty" in refuse(capsys, *(log if a == "LOG" else a for a in args))


def test_inspect_does_not_pass_over_an_axis_that_is_not_there(capsys, log):
    assert "did you mean 'step'" in refuse(capsys, "inspect", log, "--x", "stp")
    assert main(["inspect", str(log), "--x", "step", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["x"][0]["key"] == "step"


@pytest.mark.parametrize("command", ["inspect", "forecast"])
def test_a_path_that_no_file_can_have_is_one_line(capsys, command):
    assert "too long" in refuse(capsys, command, "x" * 5000)


def run_shell(line, **environment):
    line = line.replace("RLSCALE", f"{sys.executable} -m rlscale.cli")
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, env={**os.environ, **environment}, check=False, timeout=120
    )


def test_a_full_disk_and_a_closed_pipe_are_told_apart():
    done = run_shell("RLSCALE steps 10 --prompts 5 > /dev/full")
    assert done.returncode == 1 and done.stderr.startswith(b"error: standard output: No space")
    assert done.stderr.count(b"\n") == 1
    done = run_shell("set -o pipefail; RLSCALE cost --help | true")
    assert done.stderr == b""


def test_a_terminal_of_another_encoding_shows_escapes(log):
    done = run_shell("RLSCALE steps 10 --prompts 5", PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and b"\\xd7" in done.stdout and done.stderr == b""
    strange = log.with_name("nämé.csv")
    log.rename(strange)
    done = run_shell(f"RLSCALE inspect '{strange}' --json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["runs"][0]["name"] == "nämé"


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"n": 0}, "n is 0"),
        ({"n": -3}, "n is -3"),
        ({"k": 1.5}, "k is 1.5"),
        ({"n": "30"}, "n is '30'"),
        ({"planned": NAN}, "planned is nan"),
        ({"planned": 0}, "planned is 0"),
        ({"collapsed": -1}, "collapsed is -1"),
        ({"segment": ["a"] * 30}, "segment holds"),
        ({"segment": [NAN] * 30}, "segment holds"),
        ({"unit": ["updates"]}, "is not known"),
    ],
)
def test_curves_with_impossible_fields_are_refused(fields, word):
    with pytest.raises(CurveError, match=word):
        rs.Curve(C, Y, **{"unit": "updates", **fields})


def test_curves_refuse_endless_integers_and_do_not_call_a_rounding_percent():
    with pytest.raises(CurveError, match="no number"):
        rs.Curve([0, 10**400], [0.1, 0.2], unit="updates")
    with pytest.raises(CurveError, match=r"1\.000001, outside \[0, 1\]; a reward is no pass rate"):
        rs.Curve([0, 1], [0.1, 1.000001], unit="updates")
    with pytest.raises(CurveError, match="divide by 100"):
        rs.Curve([0, 1], [10, 20], unit="updates")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"budget": 1e308}, "check its unit"),
        ({"budget": 10**400}, "finite"),
        ({"budget": "200"}, "budget is '200'; give a number"),
        ({"target": "0.5"}, "target is '0.5'; give a number"),
        ({"level": None}, "level is None; give a number"),
        ({"price": [1]}, "price is"),
        ({"price": 1, "value": 1e16}, "value is"),
    ],
)
def test_forecast_arguments_are_refused_by_name(arguments, word):
    with pytest.raises(ForecastError, match=word):
        rs.forecast_run(curve(), **arguments)


@pytest.mark.parametrize("scale", [1e-300, 1e306])
def test_compute_in_a_unit_out_of_all_proportion_is_refused(scale):
    with pytest.raises(ForecastError, match="choose a unit"):
        rs.forecast_run(curve(C * scale))


@pytest.mark.parametrize("scale", [1e-30, 1e21, 1e190])
def test_huge_and_small_units_give_the_same_end(scale):
    here, there = rs.forecast_run(curve(), budget=400), rs.forecast_run(curve(C * scale), budget=400 * scale)
    assert there.end.median == pytest.approx(here.end.median, abs=1e-9)


def test_a_plan_beyond_all_measure_is_not_used():
    forecast = rs.forecast_run(curve(planned=1e300))
    assert forecast.budget.source == "assumed"
    assert "plan-too-far" in [w.code for w in forecast.warnings]


def test_questions_to_a_forecast_are_checked():
    forecast = rs.forecast_run(curve())
    assert forecast.p_reach(-1) == 1.0  # not 1.0000000000000002
    assert forecast.p_reach(2) < 1e-50
    for ask in (
        lambda: forecast.p_reach(NAN),
        lambda: forecast.expected([NAN]),
        lambda: forecast.curve_at(-1),
        lambda: forecast.band([1, INF]),
        lambda: forecast.band(["a"]),
        lambda: forecast.band([1.0], draws=0),
        lambda: forecast.draws(0),
        lambda: forecast.draws(10, seed=-1),
    ):
        with pytest.raises(ForecastError):
            ask()


@pytest.mark.parametrize(
    ("compute", "pass_rate"),
    [
        ([0, 1], [1.0, 0.0]),
        ([1e-300, 2, 3, 4, 1e190], [0.1, 0.12, 0.15, 0.2, 0.5]),
        (np.arange(50.0), np.r_[np.zeros(49), 1e-12]),
        (np.arange(50.0), np.r_[np.zeros(25), np.ones(25)]),
        (np.arange(50.0), np.tile([0.0, 1.0], 25)),
    ],
)
def test_extreme_curves_give_finite_forecasts(compute, pass_rate):
    forecast = rs.forecast_run(rs.Curve(compute, pass_rate, unit="usd"))
    assert 0 <= forecast.end.lo <= forecast.end.median <= forecast.end.hi <= 1
    json.dumps(forecast.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "options",
    [
        {"replicates": 1.5},
        {"replicates": "a"},
        {"seed": -1},
        {"seed": "x"},
        {"seed": None},  # would give other numbers every time
        {"block_length": 2.5},
        {"block_length": NAN},
        {"block": "x"},
    ],
)
def test_bootstrap_options_are_refused_by_name(options):
    with pytest.raises(FitError, match=f"{next(iter(options))} is "):
        rs.bootstrap_law(C, Y, **{"replicates": 10, **options})


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (SignalError, lambda: rs.pass_at_k(8, 2, NAN)),
        (SignalError, lambda: rs.pass_at_k(8, 2, "a")),
        (SignalError, lambda: rs.pass_at_k("a", 1, 1)),
        (SignalError, lambda: rs.pass_at_k(10**400, 1, 1)),
        (SignalError, lambda: rs.pass_at_k([8, 8], [1, 2, 3], 1)),
        (SignalError, lambda: rs.pass_at_k(8, 2, 0)),
        (TableError, lambda: rs.h100_hours("a", "GB200")),
        (TableError, lambda: rs.h100_hours(1e308, "GB200")),
        (TableError, lambda: rs.h100_hours(1, None)),
        (TableError, lambda: rs.h100_hours(1, "GB200", decode_share="a")),
        (TableError, lambda: rs.nearest_runs(None, 8)),
        (TableError, lambda: rs.nearest_runs("math", "8")),
        (TableError, lambda: rs.nearest_runs("math", 8, limit=1.5)),
        (TableError, lambda: rs.nearest_runs("math", 8, runs=rs.load_table("gpus"))),
        (TableError, lambda: rs.load_table(None)),
        (TableError, lambda: rs.data_path("/etc/passwd")),
        (TableError, lambda: rs.data_path("../README.md")),
        (TableError, lambda: rs.data_path("")),
        (StepError, lambda: rs.convert_steps("a", "updates", "prompts", rs.Batch(prompts=1))),
        (StepError, lambda: rs.convert_steps(1, None, "prompts", rs.Batch(prompts=1))),
        (StepError, lambda: rs.Batch(prompts="a")),
        (StepError, lambda: rs.Batch(prompts=None)),
        (StepError, lambda: rs.Batch(prompts=10**400)),
        (StepError, lambda: rs.trl_batch("a", 1)),
        (CostError, lambda: rs.estimate_cost(None)),
        (CostError, lambda: rs.estimate_cost(rs.load_scenario("r1-zero"), today="2026-01-01")),
        (CostError, lambda: rs.load_scenario(None)),
        (CostError, lambda: rs.load_scenario("r1-zero", stps=5)),
    ],
)
def test_library_calls_are_refused_by_an_error_of_ours(error, call):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, RlscaleError)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("kind", ["pipe", "folder", "NUL"])
def test_a_table_that_is_no_file_is_refused_at_once(tmp_path, kind):
    path = tmp_path / "t\0.csv" if kind == "NUL" else tmp_path / "table.csv"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(TableError, match="give the path of a CSV file"):
        rs.load_table("gpus", path)


def test_a_table_may_not_hold_numbers_with_underscores(tmp_path):
    text = rs.data_path("published_fits.csv").read_text(encoding="utf-8")
    path = tmp_path / "fits.csv"
    path.write_text(text.replace(",0.61,", ",0_0.61,", 1), encoding="utf-8")
    assert path.read_text() != text
    with pytest.raises(TableError, match=r"found '0_0\.61'"):
        rs.load_table("published_fits", path)
