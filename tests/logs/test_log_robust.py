"""Any bytes end in a result or one clear error; large files in bounded memory; nothing is executed."""

import json
import os
import subprocess
import sys
import time

import pytest
from fuzz_logs import run_fuzz
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rlscale as rs
from rlscale.errors import RlscaleError

SUFFIXES = [".csv", ".jsonl", ".json", ".log", ".wandb", ".swanlab", ".db", ".parquet", ".tfevents.1"]
SLOWEST = 10.0


def test_mutated_logs_of_every_format_end_in_a_result_or_an_error():
    said: list[str] = []
    failures = run_fuzz(300, seed=20_260, report=said.append)
    assert not failures, failures[0]
    assert "300 files" in said[0]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=3000), suffix=st.sampled_from(SUFFIXES))
def test_any_bytes(data, suffix, tmp_path):
    path = tmp_path / f"log{suffix}"
    path.write_bytes(data)
    try:
        for run in rs.read_runs(path).values():
            run.curve()
    except RlscaleError as error:
        assert str(path) in str(error)


MAGIC = [
    b"PAR1",
    b":W&B\xe1\xbe\x00",
    b":SWL\xd6\xe1\x02",
    b"SQLite format 3\0",
    b"\x18\0\0\0\0\0\0\0abcd\x1a\x0dbrain.Event:2",
    b"[",
    b'{"log_history": [',
    b'{"step": 1, "data": {',
    b"step,accuracy\n",
    b"step:1 - critic/score/mean:0.5 - ",
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(magic=st.sampled_from(MAGIC), data=st.binary(max_size=2000))
def test_any_bytes_after_a_true_beginning(magic, data, tmp_path):
    path = tmp_path / "log.tfevents.1"
    path.write_bytes(magic + data)
    try:
        for run in rs.read_runs(path).values():
            run.curve()
    except RlscaleError as error:
        assert str(path) in str(error)


numbers = st.one_of(
    st.floats(), st.integers(-(10**30), 10**30), st.booleans(), st.none(), st.text(max_size=5)
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.dictionaries(
            st.sampled_from(["step", "accuracy", "reward", "num_tokens", "timestamp", "a"]), numbers
        ),
        max_size=30,
    )
)
def test_any_rows(rows, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    try:
        for run in rs.read_runs(path).values():
            curve = run.curve()
            assert 0 <= curve.pass_rate.min() <= curve.pass_rate.max() <= 1
    except RlscaleError as error:
        assert str(path) in str(error)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"a":' * 100_000,
        '{"log_history": [' + "[" * 100_000,
        "{'loss': " + "{" * 100_000 + "'reward'",
        "step:1 - " + "a:1 - " * 300_000,
        ("x" * 999 + ",") * 3000 + "\n1\n",
        "(" * 300_000 + " step:1 - a:2",
        " " * 2_000_000 + "1/2 | reward=0.5",
        "Step " * 200_000,
        "1/" * 400_000,
        "│" * 300_000,
        "'" * 300_000 + "{'reward': ",
        '{"loss": 1' + ", 'a': 'b'" * 100_000,
        "a=1 " * 300_000 + "\n" + "iteration 5: " * 100_000,
        "Initial validation metrics: {" + "'a': " * 100_000,
    ],
    ids=range(15),
)
def test_hostile_texts_do_not_hang(text, tmp_path):
    path = tmp_path / "log.txt"
    path.write_text(text)
    start = time.process_time()
    with pytest.raises(RlscaleError):
        for run in rs.read_runs(path).values():
            run.curve()
    assert time.process_time() - start < SLOWEST


def test_no_pickle_is_loaded(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "boom"),))

    import pickle

    import numpy as np

    for name, data in (("log.pkl", pickle.dumps(Bomb())), ("log.csv", pickle.dumps([Bomb()]))):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(RlscaleError):
            rs.read_runs(tmp_path / name)
    np.save(tmp_path / "log.npy", np.array([Bomb()], dtype=object), allow_pickle=True)
    with pytest.raises(RlscaleError):
        rs.read_runs(tmp_path / "log.npy")
    assert not (tmp_path / "boom").exists()


def test_no_path_inside_a_log_is_followed(tmp_path):
    target = tmp_path / "target.csv"
    target.write_text("step,accuracy\n1,0.1\n2,0.2\n")
    (tmp_path / "log.jsonl").write_text(json.dumps({"path": str(target), "include": str(target)}) + "\n")
    with pytest.raises(RlscaleError, match="without a single row"):
        rs.read_runs(tmp_path / "log.jsonl")
    run = tmp_path / "mlruns" / "0" / "run"
    (run / "metrics").mkdir(parents=True)
    (run / "meta.yaml").write_text(f"artifact_uri: {target}\n")
    (run / "metrics" / "accuracy").symlink_to(target)
    with pytest.raises(RlscaleError, match="without a metric"):
        rs.read_runs(tmp_path / "mlruns")


def test_a_view_that_never_ends_is_not_read(tmp_path):
    import sqlite3

    base = sqlite3.connect(tmp_path / "log.db")
    endless = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS step, 'r' AS "
        "run_name, '{}' AS metrics FROM n"
    )
    base.execute(f"CREATE VIEW metrics AS {endless}")
    base.commit()
    base.close()
    with pytest.raises(RlscaleError, match="without the table"):
        rs.read_runs(tmp_path / "log.db")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "megabytes"), [("csv", 200), ("jsonl", 200), ("json", 50), ("verl", 50)])
def test_a_large_file_is_streamed(kind, megabytes, tmp_path):
    """200 MB: memory grows by less than 1.6 times the file (CSV) and half of it (the rest)."""
    path = tmp_path / f"log.{kind}"
    answer = "so the answer is twelve and not thirteen; " * 4
    with path.open("w") as stream:
        size = step = 0
        if kind == "csv":
            size += stream.write("step,eval_accuracy,loss,completion\n")
        if kind == "json":
            size += stream.write("[")
        while size < megabytes * 1e6:
            rows = []
            for step in range(step, step + 2000):
                rate = 0.1 + step / 1e8
                if kind == "csv":
                    rows.append(f"{step},{rate:.8f},0.5,{answer}{step}\n")
                elif kind == "verl":
                    rows.append(
                        f"(TaskRunner pid=1) step:{step} - critic/score/mean:{rate:.8f} - "
                        f"a:1.0\n(TaskRunner pid=1) {answer}\n"
                    )
                else:
                    row = json.dumps({"step": step, "eval_accuracy": rate, "loss": 0.5, "completion": answer})
                    rows.append(row + (",\n" if kind == "json" else "\n"))
            step += 1
            size += stream.write("".join(rows))
        if kind == "json":
            stream.write('{"step": 999999999, "eval_accuracy": 0.9}]')
    code = (
        "import resource, sys, pandas, rlscale as rs\n"
        "rs.read_run\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "run = rs.read_run(sys.argv[1])\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, len(run))\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    ).stdout.split()
    grown, rows_read = float(out[0]), int(out[1])
    assert rows_read >= step
    assert grown < (320 if kind == "csv" else 120)


def test_what_the_fuzzing_found(tmp_path):
    """Inputs that once failed: a planned length beyond 64 bits, NUL in a header, names without end."""
    rows = [
        {"step": s, "progress/batch": s, "progress/done_frac": 1e-300, "env/all/correct": s / 20}
        for s in range(9)
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    assert len(rs.read_run(tmp_path / "a.jsonl").curve()) == 9

    text = "st\0ep,e-eval/accuracy_step,e-eval/accuracy_timestamp\n" + "".join(
        f"{s},{s / 20},1\n" for s in range(9)
    )
    (tmp_path / "b.csv").write_text(text)
    assert rs.read_run(tmp_path / "b.csv").curve().y_key == "eval/accuracy"

    name = "(" * 100_000
    (tmp_path / "c.jsonl").write_text(
        "".join(json.dumps({"step": s, name: 0.1, "accuracy": s / 20}) + "\n" for s in range(9))
    )
    start = time.process_time()
    run = rs.read_run(tmp_path / "c.jsonl")
    assert run.curve().y_key == "accuracy"
    assert name not in run.table

    wide = ",".join(f"word {i}" for i in range(9000))
    (tmp_path / "d.csv").write_text(f"step,_step,_timestamp,{wide}\n" + ",".join(["x"] * 9003) + "\n")
    with pytest.raises(RlscaleError):
        rs.read_run(tmp_path / "d.csv")
    assert time.process_time() - start < SLOWEST
