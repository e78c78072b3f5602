"""The runs that come with the book: whole, readable without PyTorch, and what the book says of them."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
import pytest

from rlscale.errors import LogError, MissingExtraError, TableError
from rlscale.lab import import_torch
from rlscale.lab.analysis import summarise_curve
from rlscale.lab.arms import ARMS, list_jobs
from rlscale.lab.logbook import COLUMNS, LabRun, Row, read_lab_run
from rlscale.lab.settings import LabError, LabSettings
from rlscale.lab.shipped import RUNS_FILE, SETTINGS_FILE, find_shipped_folder, read_shipped_runs
from rlscale.lab.sweep import find_missing, pack_runs, run_path


@pytest.fixture(scope="module")
def shipped():
    return read_shipped_runs()


def test_every_shipped_run_has_todays_settings_and_a_whole_log(shipped):
    for arm in shipped.arms:
        for seed in shipped.seeds(arm):
            assert shipped.holds(ARMS[arm], seed), f"{arm} seed {seed} was trained with other settings"
            table = shipped.table(arm, seed)
            settings = shipped.settings(arm, seed)
            assert table["completions"].iloc[0] == 0
            assert table["completions"].iloc[-1] >= settings.budget
            assert (table["completions"].diff().iloc[1:] > 0).all()
            for name in (
                "heldout_pass_rate",
                "pass_at_8",
                "pass_at_64",
                "greedy",
                "dead",
                "zero_variance_expected",
            ):
                assert table[name].between(0, 1).all()
            assert table.drop(index=0).drop(columns=["clip_fraction", "largest_ratio"]).notna().all().all()


def test_shipped_data_stay_small(shipped):
    folder = find_shipped_folder()
    assert sum(p.stat().st_size for p in folder.iterdir()) < 3_000_000


def test_warm_starts_reach_the_wanted_rate_and_are_shared_by_seed(shipped):
    for arm in shipped.arms:
        for seed in shipped.seeds(arm):
            settings = shipped.settings(arm, seed)
            first = shipped.table(arm, seed)["heldout_pass_rate"].iloc[0]
            assert settings.start - 1e-6 <= first <= settings.start * 1.35 + 0.02, (arm, seed)
    baseline = {
        s: shipped.table("baseline", s)["heldout_pass_rate"].iloc[0] for s in shipped.seeds("baseline")
    }
    for arm in ("pool-32", "lr-0.001", "off-grpo"):
        for seed in shipped.seeds(arm):
            if seed in baseline:
                assert shipped.table(arm, seed)["heldout_pass_rate"].iloc[0] == baseline[seed]


def test_a_shipped_run_is_a_curve(shipped):
    curve = shipped.curve("baseline", 0)
    assert (curve.unit, curve.kind, curve.n) == ("completions", "heldout_pass_rate", 1024)
    assert shipped.curve("baseline", 0, "updates").unit == "updates"
    summary = summarise_curve(curve.compute, curve.pass_rate)
    # facts of the trial: .957 +- .005 over five seeds
    assert summary.end == pytest.approx(0.957, abs=0.03)
    assert set(shipped.curves()) == {f"{a}/seed-{s}" for a in shipped.arms for s in shipped.seeds(a)}


def test_unknown_runs_are_named(shipped):
    with pytest.raises(TableError, match="did you mean 'pool-32'"):
        shipped.seeds("pool-33")
    with pytest.raises(TableError, match="has no seed 99"):
        shipped.table("baseline", 99)
    with pytest.raises(LogError, match="no column of compute"):
        shipped.curve("baseline", 0, "step")


def _run(rate: float = 0.5, **changes) -> LabRun:
    rows = []
    for i in range(7):
        measured = (rate * i / 6, 0.6, 0.7, 0.5, 0.1, 0.2, 1.0, 0.1)
        trained = (0.3, 0.3, 0.1, 0.0, 1.0) if i else (None,) * 5
        rows.append(Row(i, i, 100 * i, 500 * i, 500 * i, 0.1 * i, *measured, *trained))
    facts = {"start_iterations": 9, "parameters": 1, "trained_parameters": 1, "heldout_prompts": 64}
    return LabRun(LabSettings.from_dict(changes), tuple(rows), facts)


def test_our_own_format_comes_back_whole(tmp_path):
    run = _run(algorithm="dapo", seed=4)
    run.write(tmp_path / "run.jsonl")
    again = read_lab_run(tmp_path / "run.jsonl")
    assert again.settings == run.settings
    assert again.facts == run.facts
    pd.testing.assert_frame_equal(again.table(), run.table(), rtol=1e-6)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", "is empty"),
        ("{", "line 1: no JSON"),
        ('{"step": 1}\n', "line 1: no header"),
        ('{"rlscale_lab": 1}\n', "line 1: no header"),
        ('{"rlscale_lab": 1, "settings": {}, "facts": {}}\n{"updates": 1}\n', "line 2: not the columns"),
    ],
)
def test_a_broken_log_is_refused_with_the_line(tmp_path, content, text):
    path = tmp_path / "lab.jsonl"
    path.write_text(content)
    with pytest.raises(LogError, match=text):
        read_lab_run(path)


def test_a_sweep_resumes_and_packs_the_same_bytes(tmp_path):
    jobs = [j for j in list_jobs() if j[0].name in ("baseline", "pool-32")]
    for arm, seed in jobs[:3]:
        path = run_path(tmp_path, arm.name, seed)
        path.parent.mkdir(parents=True, exist_ok=True)
        _run(**arm.changes, seed=seed).write(path)
    missing = find_missing(tmp_path, names=["baseline", "pool-32"])
    assert len(missing) == len(jobs) - 3
    assert pack_runs(tmp_path, tmp_path / "a") == 3
    packed = read_shipped_runs(tmp_path / "a")
    # shipped runs count as done, and are carried over by the next pack
    empty = tmp_path / "empty"
    assert len(find_missing(empty, shipped=packed, names=["baseline", "pool-32"])) == len(jobs) - 3
    assert pack_runs(empty, tmp_path / "b", shipped=packed) == 3
    for name in (RUNS_FILE, SETTINGS_FILE):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    with pytest.raises(LabError, match="no finished run"):
        pack_runs(empty, tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_a_run_with_other_settings_is_trained_again(tmp_path):
    path = run_path(tmp_path, "pool-32", 0)
    path.parent.mkdir(parents=True)
    _run(pool=64, seed=0).write(path)
    assert ("pool-32", 0) in {(a.name, s) for a, s in find_missing(tmp_path, names=["pool-32"])}


def test_broken_tables_are_named(tmp_path):
    with pytest.raises(TableError, match="cannot be read"):
        read_shipped_runs(tmp_path)
    (tmp_path / RUNS_FILE).write_bytes(b"not gzip")
    with pytest.raises(TableError, match="cannot be read"):
        read_shipped_runs(tmp_path)
    pd.DataFrame({"arm": ["a"]}).to_csv(tmp_path / RUNS_FILE, index=False)
    with pytest.raises(TableError, match="lacks the columns seed"):
        read_shipped_runs(tmp_path)


def test_arms_are_what_the_book_says():
    assert len({a.name for a in ARMS.values()}) == len(ARMS)
    for arm in ARMS.values():
        assert arm.reference == "" or arm.reference in ARMS
        settings = arm.settings(0)
        assert arm.name == "baseline" or settings != ARMS["baseline"].settings(0)
        if arm.block == "group size, equal completions":
            assert settings.completions_a_step == 256
    place = {(arm.name, seed): i for i, (arm, seed) in enumerate(list_jobs())}
    assert len(place) == sum(arm.seeds for arm in ARMS.values())
    # the figures' arms first, all other arms before the figures' last seeds, extra seeds at the end
    assert (
        place["pool-32", 0]
        < place["lora-1", 0]
        < place["pool-32", 1]
        < place["pool-32", 2]
        < place["kl-0.1", 0]
        < place["pool-32", 4]
    )
    assert place["off-gspo", 7] > max(i for (_, seed), i in place.items() if seed < 5)


def test_defaults_are_those_of_the_shipped_runs():
    # settings are shipped as differences from the defaults: new defaults would change what old runs claim
    kept = json.loads((find_shipped_folder() / "defaults.json").read_text())
    assert LabSettings().to_dict() == kept


def test_columns_of_the_log_are_documented():
    assert len(COLUMNS) == len(set(COLUMNS)) == 19
    assert all(f"{name}" in Row.__doc__ for name in COLUMNS)


def test_without_torch_training_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"rlscale\[lab\]"):
        import_torch()


def test_analysis_needs_no_torch():
    import subprocess

    code = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'torch': raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "from rlscale.lab.shipped import read_shipped_runs\n"
        "from rlscale.lab.analysis import summarise_runs\n"
        "print(len(summarise_runs(read_shipped_runs(), ['baseline'])))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) >= 1
    assert np.isfinite(int(done.stdout))
