"""Replays: nothing of the future is seen, planted laws are forecast, any joblib backend gives the same."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config

import rlscale as rs
from rlscale.backtest import SHARES, backtest_runs, hide_future, observe_end, observe_level, replay_run
from rlscale.cli import main
from rlscale.errors import BacktestError
from rlscale.regret import RULES
from rlscale.simulate import simulate_curve

LAW = rs.Sigmoid(R0=0.2, A=0.6, B=1.6, Cmid=40)
#: What a row says of the forecast; the other columns are hindsight.
FORECAST = ["points", "seen", "state", "reasons", "verdict", "median", "lo", "hi", "seen_over_Cmid"]
FORECAST += ["break_even", "break_even_ls"]


def simulate(seed=0, points=41, end=400.0, **kwargs):
    return simulate_curve(LAW, np.linspace(0, end, points), unit="updates", seed=seed, **kwargs)


@pytest.mark.parametrize("what", ["collapse", "spike", "noise", "constant"])
def test_the_future_of_a_run_does_not_change_its_forecast(what):
    whole = simulate()
    after = whole.compute > 100
    future = {
        "collapse": np.zeros(after.sum()),
        "spike": np.where(np.arange(after.sum()) % 2, 1.0, 0.0),
        "noise": np.random.default_rng(1).random(after.sum()),
        "constant": np.full(after.sum(), 0.9),
    }[what]
    changed = whole.pass_rate.copy()
    changed[after] = future
    # what a log may say with hindsight must not be seen either
    told = (rs.LogWarning("collapse", "falls after 300"),)
    other = replace(whole, pass_rate=changed, planned=1e6, warnings=told, why="best after 300")
    before, then = (pd.DataFrame(replay_run(c, (0.15, 0.25))) for c in (whole, other))
    columns = FORECAST + [c for c in before if c.startswith("peer_")]
    pd.testing.assert_frame_equal(before[columns], then[columns], check_exact=True)
    assert not np.isclose(before["end"], then["end"]).any()


def test_a_changed_log_file_gives_the_same_forecast(tmp_path):
    steps = np.arange(0, 410, 10)
    for name, late in (("a", 0.6), ("b", 0.05)):
        rate = np.where(steps <= 200, simulate(points=steps.size).pass_rate, late)
        frame = pd.DataFrame({"step": steps, "eval_accuracy": rate, "n_samples": 500})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    curves = {n: rs.read_run(tmp_path / f"{n}.csv").curve(whole=True) for n in "ab"}
    assert curves["b"].pass_rate[-1] == 0.05  # the collapse is part of the run
    table = backtest_runs(curves, (0.25, 0.5), n_jobs=1).set_index(["run", "share"])
    pd.testing.assert_frame_equal(table.loc["a", FORECAST], table.loc["b", FORECAST], check_exact=True)
    assert table.loc["a", "end"].iloc[0] == pytest.approx(0.6)
    assert table.loc["b", "end"].iloc[0] == pytest.approx(0.05)


def test_what_is_hidden():
    whole = replace(simulate(), planned=900.0, planned_from="max_steps", warnings=(rs.LogWarning("x", "y"),))
    pilot = hide_future(whole, 100.0)
    assert pilot.compute[-1] == 100.0 and len(pilot) == 11
    assert (pilot.planned, pilot.planned_from, pilot.warnings, pilot.why) == (None, "", (), "")
    assert (pilot.n, pilot.k, pilot.kind) == (whole.n, whole.k, whole.kind)


def test_planted_laws_are_forecast():
    curves = {f"s{i}": simulate(seed=i) for i in range(5)}
    table = backtest_runs(curves, (0.5, 0.75), n_jobs=1, peers=False)
    assert len(table) == 10 and table["run"].tolist()[:3] == ["s0", "s0", "s1"]
    # nominal 9 of 10; fewer than 7 would happen with probability .013
    assert table["inside"].sum() >= 7
    shown = table[table["state"] != "no forecast"]
    assert len(shown) >= 8 and shown["error"].abs().median() < 0.02  # drift alone has an sd of .006
    assert (table["error"] == table["median"] - table["end"]).all()
    assert np.allclose(table["outside"] == 0, table["inside"])
    # at 25 % the law wins another five points, at 85 % less than one
    late = pd.DataFrame(replay_run(curves["s0"], (0.25, 0.85), peers=False))
    assert late["hindsight"].tolist() == ["continue", "stop"]


def test_the_end_and_the_level_are_means_of_points():
    curve = rs.Curve(np.arange(1, 21), np.linspace(0.05, 1.0, 20), unit="updates")
    assert observe_end(curve) == pytest.approx((0.95 + 1.0) / 2)
    assert observe_level(curve, 10.0) == pytest.approx(0.5)  # 9, 10 and 11
    assert observe_level(curve, 0.0) == pytest.approx(0.10)  # the three nearest
    sparse = rs.Curve([1.0, 50.0, 100.0], [0.1, 0.2, 0.6], unit="updates")
    assert observe_level(sparse, 1.0) == pytest.approx(0.3)


def test_a_cut_without_a_curve_has_no_forecast_and_no_number():
    flat_start = np.concatenate([np.zeros(20), np.linspace(0, 0.5, 21)])
    curve = rs.Curve(np.linspace(0, 400, 41), flat_start, unit="updates")
    early, flat = replay_run(curve, (0.02, 0.25))
    assert (early["points"], early["reasons"]) == (1, "too few points")
    assert flat["reasons"] == "never moves"
    for row in (early, flat):
        assert row["state"] == "no forecast" and row["verdict"] == "cannot tell"
        assert np.isnan([row["median"], row["lo"], row["error"], row["break_even"]]).all()
        assert not row["inside"]


@pytest.mark.parametrize(
    ("curves", "shares", "level", "message"),
    [
        ({}, SHARES, 0.9, "no run to replay"),
        ({"a": rs.Curve(range(7), np.linspace(0, 0.6, 7), unit="updates")}, SHARES, 0.9, "'a' has 7 points"),
        ([simulate(), simulate()], SHARES, 0.9, "two runs are called 'simulated'"),
        ({"a": simulate()}, (), 0.9, "no share"),
        ({"a": simulate()}, (0.5, 0.25), 0.9, "increasing"),
        ({"a": simulate()}, (0.0,), 0.9, "inside"),
        ({"a": simulate()}, (1.0,), 0.9, "inside"),
        ({"a": simulate()}, (float("nan"),), 0.9, "inside"),
        ({"a": simulate()}, SHARES, 1.0, "level is 1.0"),
    ],
)
def test_bad_input_is_named(curves, shares, level, message):
    with pytest.raises(BacktestError, match=message):
        backtest_runs(curves, shares, level=level, n_jobs=1)


def test_curves_without_names_take_theirs_from_the_log():
    table = backtest_runs([replace(simulate(), run="mine")], [0.5], n_jobs=1, peers=False)
    assert table["run"].tolist() == ["mine"] and table["family"].tolist() == [""]


@pytest.mark.slow
def test_a_cluster_of_dask_gives_the_same_table():
    from distributed import Client, LocalCluster

    curves = {f"s{i}": simulate(seed=i) for i in range(3)}
    alone = backtest_runs(curves, (0.25, 0.5), n_jobs=1)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster),
        parallel_config(backend="dask"),
    ):
        spread = backtest_runs(curves, (0.25, 0.5))
    pd.testing.assert_frame_equal(alone, spread)


def test_the_bar_is_shown_when_asked_for(capsys):
    backtest_runs({"a": simulate()}, [0.5], n_jobs=1, peers=False, progress=True)
    assert "runs replayed: 100%" in capsys.readouterr().err
    backtest_runs({"a": simulate()}, [0.5], n_jobs=1, peers=False)
    assert capsys.readouterr().err == ""  # no terminal


# The command


@pytest.fixture
def manifest(tmp_path):
    """Two repositories with two rising runs and a flat one; one log is missing."""
    rows = []
    for i, repository in enumerate(("me/one", "me/two", "me/two")):
        folder = tmp_path / "root" / repository.split("/")[1]
        folder.mkdir(parents=True, exist_ok=True)
        curve = simulate(seed=i) if i < 2 else None
        rate = (
            curve.pass_rate if curve else 0.3 + np.random.default_rng(0).normal(0, 0.01, 41).clip(-0.3, 0.3)
        )
        frame = pd.DataFrame({"step": np.linspace(0, 400, 41), "eval_accuracy": rate})
        frame.to_csv(folder / f"log{i}.csv", index=False)
        rows.append({"repository": repository, "path": f"log{i}.csv"})
    rows.append({"repository": "me/one", "path": "gone.csv"})
    path = tmp_path / "manifest.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path, tmp_path / "root"


def test_the_command_prints_one_object(manifest, tmp_path, capsys):
    path, root = manifest
    rows = tmp_path / "rows.csv"
    args = ["backtest", str(path), "--root", str(root), "--shares", "0.25", "0.5", "--jobs", "1"]
    assert main([*args, "--run-usd", "1000", "--rows", str(rows), "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["runs"] == 3 and out["families"] == 2
    assert [o["id"] for o in out["left_out"]] == ["gone.csv"] and "no file" in out["left_out"][0]["why"]
    assert out["rising"]["runs"] == 2 and out["flat"]["runs"] == 1
    assert [r["share"] for r in out["rising"]["by_share"]] == [0.25, 0.5]
    assert {r["method"] for r in out["rising"]["peers"]} >= {"forecast", "last", "grid"}
    assert {r["rule"] for r in out["rising"]["regret"]} == set(RULES)
    assert all(r["regret_usd"] >= 0 for r in out["rising"]["regret"])
    assert out["flat"]["by_share"][0]["shown"] == 0 and out["flat"]["by_share"][0]["error_p90"] is None
    assert out["calibration"]["status"] == "calibrated"
    written = pd.read_csv(rows)
    assert len(written) == 6 and written["source"].unique().tolist() == ["rlscale backtest"]
    assert not list(tmp_path.glob("*.part"))


def test_the_command_prints_words_and_uses_a_library(manifest, capsys):
    path, root = manifest
    args = ["backtest", str(path), "--root", str(root), "--shares", "0.5", "--jobs", "1", "--no-peers"]
    assert main([*args, "--library", str(root)]) == 0
    out = capsys.readouterr().out
    assert "uncalibrated" in out and "holds 3 finished runs, 20 are needed" in out
    assert "left out: gone.csv" in out and "by share seen" in out and "RISING: 2 runs" in out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p, r: (p.parent / "no.csv", r), "no.csv: cannot be read"),
        (lambda p, r: (p, r / "nowhere"), "is no folder"),
        (lambda p, r: (p, p.parent), "no run of the manifest can be replayed"),
    ],
)
def test_the_command_says_what_is_wrong(manifest, capsys, change, message):
    path, root = change(*manifest)
    assert main(["backtest", str(path), "--root", str(root), "--jobs", "1"]) == 1
    got = capsys.readouterr()
    assert got.out == "" and got.err.startswith("error: ") and message in got.err
    assert got.err.count("\n") == 1
