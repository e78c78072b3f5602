"""The widening factor: measured on what it must repair, and honest about where it comes from."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import rlscale as rs
from rlscale.calibration import (
    SHIPPED,
    UNCALIBRATED,
    Calibration,
    calibrate_library,
    load_calibration,
    measure_calibration,
    measure_shipped,
    read_library,
)
from rlscale.cli import main
from rlscale.errors import BacktestError
from rlscale.intervals import Interval
from rlscale.simulate import simulate_curve


def replay(runs, spread, claimed, seed=0):
    """Forecasts whose errors have the standard deviation ``spread`` and whose intervals claim ``claimed``."""
    rng = np.random.default_rng(seed)
    median = rng.uniform(0.3, 0.7, runs)
    end = median + rng.normal(0, spread, runs)
    half = 1.645 * claimed
    lo, hi = median - half, median + half
    return pd.DataFrame(
        {"run": [f"r{i}" for i in range(runs)], "family": [f"f{i % 4}" for i in range(runs)], "points": 20,
         "median": median, "lo": lo, "hi": hi, "end": end, "inside": (lo <= end) & (end <= hi)}
    )  # fmt: skip


def test_intervals_that_are_too_narrow_by_half_are_doubled():
    # 4,000 draws: the standard error of the quantile is about .03
    found = measure_calibration(replay(4000, 0.02, 0.01), "made up")
    assert found.q == pytest.approx(2.0, abs=0.1) and found.status == "calibrated"
    assert found.coverage == pytest.approx(0.59, abs=0.03)  # P(|z| < 1.645 / 2)
    assert (found.runs, found.families, found.label) == (4000, 4, "made up")


def test_widened_intervals_hold_what_they_promise_on_other_runs():
    q = measure_calibration(replay(400, 0.02, 0.01), "half")
    other = replay(4000, 0.02, 0.01, seed=1)
    inside = [
        w.lo <= e <= w.hi
        for m, lo, hi, e in other[["median", "lo", "hi", "end"]].to_numpy()
        for w in [q.widen(Interval(m, lo, hi))]
    ]
    assert np.mean(inside) == pytest.approx(0.90, abs=0.03)


def test_intervals_are_never_narrowed():
    found = measure_calibration(replay(500, 0.01, 0.03), "wide")
    assert found.q == 1.0 and found.q_measured < 0.5
    assert found.widen(Interval(0.5, 0.4, 0.6)) == Interval(0.5, 0.4, 0.6)


def test_both_sides_are_measured_on_their_own():
    frame = replay(500, 0.02, 0.02)
    frame["hi"] = frame["median"] + 10 * (frame["hi"] - frame["median"])  # far too wide above
    above = frame["end"] > frame["median"]
    # 250 draws each: the standard error of the quantile is about .07
    assert measure_calibration(frame[~above], "x").q_measured == pytest.approx(1.0, abs=0.2)
    assert measure_calibration(frame[above], "x").q_measured == pytest.approx(0.1, abs=0.02)


def test_a_widened_interval_stays_a_pass_rate():
    wide = Calibration(3.0, 3.0, 0.7, 0.9, 30, 60, 3, "x").widen(Interval(0.9, 0.8, 0.98))
    assert wide == Interval(0.9, pytest.approx(0.6), 1.0)


def test_nineteen_runs_are_no_library():
    found = measure_calibration(replay(19, 0.02, 0.01), "mine")
    assert found.status == "uncalibrated" and found.q == 1.0 and "19 finished runs, 20" in found.note
    told = found.to_dict()
    assert told["q_measured"] is None and told["coverage"] is None and told["library"] == "mine"
    assert measure_calibration(replay(20, 0.02, 0.01), "mine").status == "calibrated"


def test_intervals_without_width_are_an_error():
    frame = replay(100, 0.02, 0.01)
    frame["lo"] = frame["hi"] = frame["median"]
    with pytest.raises(BacktestError, match="no width"):
        measure_calibration(frame, "x")


def test_the_shipped_calibration_is_that_of_the_public_runs():
    found = load_calibration()
    measured = measure_shipped()
    assert found.to_dict() == pytest.approx(measured.to_dict(), abs=1e-4)
    assert found.label == SHIPPED and found.status == "calibrated"
    runs = rs.load_table("public_runs")
    assert found.runs == (runs["class"] == "rising").sum() >= 20
    assert "public runs" in found.note and f"{found.runs} runs" in found.note


@pytest.fixture
def library(tmp_path):
    for i in range(3):
        curve = simulate_curve(rs.Sigmoid(0.2, 0.6, 1.6, 40), np.linspace(0, 400, 41), unit="updates", seed=i)
        folder = tmp_path / f"run{i}"
        folder.mkdir()
        pd.DataFrame({"step": curve.compute, "eval_accuracy": curve.pass_rate}).to_csv(
            folder / "log.csv", index=False
        )
    (tmp_path / "notes.txt").write_text("no log")
    (tmp_path / ".hidden").write_text("no log")
    pd.DataFrame({"step": [0, 1], "eval_accuracy": [0.1, 0.2]}).to_csv(tmp_path / "short.csv", index=False)
    return tmp_path


def test_a_library_is_a_folder_of_logs(library):
    curves = read_library(library)
    assert len(curves) == 3 and all(len(c) == 41 for c in curves.values())
    assert all(name.startswith("run") for name in curves)
    found = calibrate_library(library, n_jobs=1)
    assert found.runs == 3 and found.status == "uncalibrated" and found.label == str(library)


def test_a_library_without_a_run_is_an_error(tmp_path):
    with pytest.raises(BacktestError, match="is no folder"):
        read_library(tmp_path / "gone")
    with pytest.raises(BacktestError, match="no finished run"):
        read_library(tmp_path)


# In a forecast


def test_a_forecast_is_widened_by_your_own_library():
    law = rs.Sigmoid(0.2, 0.6, 1.6, 40)
    pilot = simulate_curve(law, np.linspace(0, 240, 41), unit="updates", seed=0)
    plain = rs.forecast_run(pilot, budget=400, calibration=UNCALIBRATED)
    assert plain.state != "no forecast"
    mine = Calibration(1.5, 1.5, 0.75, 0.9, 40, 200, 5, "my runs")
    wide = rs.forecast_run(pilot, budget=400, calibration=mine)
    assert wide.end.median == plain.end.median
    ceiling_floor = 0.02 if plain.state == "ceiling identified" else 0.0
    assert wide.end.hi - wide.end.median >= 1.5 * (plain.end.hi - plain.end.median) - ceiling_floor * 1.5
    assert wide.end.lo < plain.end.lo and wide.end.hi > plain.end.hi
    assert "my runs" in wide.summary() and wide.to_dict()["calibration"]["q"] == 1.5
    # an interval that is too wide after widening is not shown
    lost = Calibration(20.0, 20.0, 0.1, 0.9, 40, 200, 5, "my runs")
    refused = rs.forecast_run(pilot, budget=400, calibration=lost)
    assert refused.state == "no forecast" and "interval too wide" in [r.code for r in refused.reasons]


def test_without_one_a_forecast_says_so():
    pilot = simulate_curve(rs.Sigmoid(0.2, 0.6, 1.6, 40), np.linspace(0, 240, 41), unit="updates", seed=0)
    told = rs.forecast_run(pilot, budget=400, calibration=UNCALIBRATED)
    assert "uncalibrated" in told.summary() and told.to_dict()["calibration"]["status"] == "uncalibrated"


def test_the_command_forecast_takes_a_library(library, capsys):
    log = next(library.glob("run0/*.csv"))
    assert main(["forecast", str(log), "--budget", "800", "--library", str(library), "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["calibration"]["status"] == "uncalibrated" and out["calibration"]["runs"] == 3
    assert main(["forecast", str(log), "--library", str(library / "gone")]) == 1
    assert "is no folder" in capsys.readouterr().err
