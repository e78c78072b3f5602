"""Manifests: what is found where, what is left out and why, and the shipped one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rlscale as rs
from rlscale.errors import BacktestError
from rlscale.manifest import Entry, classify_run, collect_curves, read_manifest


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def log(path, points=20):
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame({"step": np.arange(points), "eval_accuracy": np.linspace(0.2, 0.5, points)})
    frame.to_csv(path, index=False)
    return path


def test_only_the_path_is_needed(tmp_path):
    entries = read_manifest(write(tmp_path / "m.csv", "path,colour\na/log.csv,red\n\nb.csv,\n"))
    assert [e.path for e in entries] == ["a/log.csv", "b.csv"]
    assert [e.id for e in entries] == ["a/log.csv", "b.csv"] and entries[0].family == "a"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("paths\na\n", "no column 'path'.*did you mean 'paths'"),
        ("path\n", "holds no run"),
        ("path,id\n,a\n", "line 2, column 'path': is empty"),
        ("path,id\na,x\nb,x\n", "line 3: the run 'x' stands twice"),
        ("path,points\na,many\n", "line 2, column 'points': found 'many'"),
        ("", "no column 'path'"),
    ],
)
def test_a_bad_manifest_names_its_line(tmp_path, text, message):
    with pytest.raises(BacktestError, match=message):
        read_manifest(write(tmp_path / "m.csv", text))


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "m.csv"
    path.write_bytes(b"path\n\xff\xfe")
    with pytest.raises(BacktestError, match="no CSV in UTF-8"):
        read_manifest(path)


@pytest.mark.parametrize("place", ["copies/x.csv", "me/repo/sub/log.csv", "repo/sub/log.csv", "sub/log.csv"])
def test_a_log_is_found_in_clones_and_in_copies(tmp_path, place):
    path = log(tmp_path / place)
    assert Entry("a", "sub/log.csv", repository="me/repo", copy="copies/x.csv").find(tmp_path) == path


def test_rows_without_a_curve_are_left_out_with_the_reason(tmp_path):
    log(tmp_path / "good.csv")
    log(tmp_path / "short.csv", 5)
    write(tmp_path / "bad.csv", "nothing\n")
    rows = [Entry(n, f"{n}.csv", points=20) for n in ("good", "short", "bad", "gone")]
    rows.append(Entry("other version", "good.csv", points=19))
    found = collect_curves(rows, tmp_path)
    assert list(found.curves) == ["good", "other version"]
    assert found.left_out["short"] == "5 points; a replay needs 8 or more"
    assert "no file gone.csv" in found.left_out["gone"] and "bad" in found.left_out
    assert (
        list(found.notes) == ["other version"]
        and "20 points, 19 in the manifest" in found.notes["other version"]
    )


def test_no_curve_at_all_is_an_error(tmp_path):
    with pytest.raises(BacktestError, match=r"no run of the manifest can be replayed.*'gone'"):
        collect_curves([Entry("gone", "gone.csv")], tmp_path)


def test_one_of_several_runs_must_be_named(tmp_path):
    steps = np.arange(20)
    frame = pd.DataFrame(
        {
            "condition": np.repeat(["p", "q"], 20),
            "step": np.tile(steps, 2),
            "accuracy": np.tile(steps / 40, 2),
        }
    )
    frame.to_csv(tmp_path / "two.csv", index=False)
    found = collect_curves(
        [Entry("p", "two.csv", run="p"), Entry("any", "two.csv"), Entry("no", "two.csv", run="r")], tmp_path
    )
    assert list(found.curves) == ["p"]
    assert "holds 2 runs" in found.left_out["any"] and "no run 'r'" in found.left_out["no"]


def test_a_collapse_is_kept(tmp_path):
    rate = np.array([0.2, 0.3, 0.4, 0.5, 0.55, 0.56, 0.55, 0.30, 0.10, 0.1, 0.1])
    pd.DataFrame({"step": range(11), "eval_accuracy": rate}).to_csv(tmp_path / "c.csv", index=False)
    whole = collect_curves([Entry("c", "c.csv")], tmp_path).curves["c"]
    assert whole.pass_rate.tolist() == rate.tolist()
    assert len(rs.read_run(tmp_path / "c.csv").curve()) == 7  # a forecast leaves the fall out


@pytest.mark.parametrize(
    ("rate", "what"),
    [
        (np.linspace(0.2, 0.6, 50), "rising"),
        (np.full(50, 0.3), "flat"),
        (0.3 + np.random.default_rng(0).normal(0, 0.05, 200), "flat"),
        (np.linspace(0.6, 0.2, 50), "flat"),  # falls
        (np.concatenate([np.full(30, 0.2), np.linspace(0.2, 0.7, 20)]), "rising"),  # late take-off
        (np.concatenate([np.linspace(0.2, 0.7, 30), np.full(20, 0.1)]), "rising"),  # rose, then collapsed
        (np.linspace(0.300, 0.315, 50), "flat"),  # below .02
    ],
)
def test_classes(rate, what):
    assert classify_run(rate) == what


# The shipped manifest


def test_the_shipped_manifest_can_be_read_as_one():
    table = rs.load_table("public_runs")
    entries = read_manifest(rs.data_path("public_runs.csv"))
    assert [e.id for e in entries] == table["id"].tolist()
    assert all(e.repository and e.x and e.y and e.points for e in entries)
    # no column can hold a log: the manifest is facts only
    assert table["points"].sum() > 100 * len(table)


@pytest.mark.shared
def test_the_shipped_manifest_agrees_with_the_logs(shared_runs):
    table = rs.load_table("public_runs").set_index("id")
    found = collect_curves(read_manifest(rs.data_path("public_runs.csv")), shared_runs)
    assert found.left_out == {} and found.notes == {}
    classes = {name: classify_run(curve.pass_rate) for name, curve in found.curves.items()}
    assert classes == table["class"].to_dict()
    assert {n: c.kind for n, c in found.curves.items()} == table["series"].to_dict()
    rounded = [tuple(c.pass_rate.round(6)) for c in found.curves.values()]
    assert len(set(rounded)) == len(rounded), "a run is there twice"
