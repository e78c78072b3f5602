"""Segments, resumes, restarts, repeats, late rows; and the command that joins pieces."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rlscale as rs
from rlscale.cli import main
from rlscale.errors import LogError
from rlscale.logs.stitch import find_segments, stitch_rows


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def codes(run):
    return [w.code for w in run.warnings]


def test_abandoned_rows_of_a_longer_first_try_are_left_out(tmp_path):
    """Wandb drops rows 110…161 after a resume at 110; a file keeps those of the abandoned branch."""
    rows = [{"step": s, "accuracy": 0.1 + s / 1000} for s in range(1, 162)]
    rows += [{"step": s, "accuracy": 0.5 + s / 1000} for s in range(110, 121)]
    run = rs.read_run(lines(tmp_path / "m.jsonl", rows))
    assert run.axes[0].values.tolist() == list(range(1, 121))
    message = next(w.message for w in run.warnings if w.code == "steps-replaced")
    assert "11 rows replaced" in message
    assert "41 rows of the abandoned part" in message


def test_a_new_start_in_one_file_leaves_only_the_last(tmp_path):
    rows = [{"step": s, "accuracy": 0.1 + s / 100} for s in range(6)] * 2
    rows = [dict(r) for r in rows]
    for r in rows[6:]:
        r["accuracy"] += 0.05
    run = rs.read_run(lines(tmp_path / "m.jsonl", rows))
    assert "restarted" in codes(run)
    assert run.curve().pass_rate[0] == pytest.approx(0.15)


def test_a_block_written_twice_is_no_restart(tmp_path):
    rows = [{"step": s, "accuracy": 0.1 + s / 100} for s in range(24)] * 2
    run = rs.read_run(lines(tmp_path / "m.jsonl", rows))
    assert codes(run).count("block-repeated") == 1
    assert "restarted" not in codes(run)
    assert len(run) == 24


def test_micro_batches_are_averaged(tmp_path):
    rows = [{"step": s, "mean_reward": v} for s in range(10) for v in (0.0, 0.0, 0.25, 0.75)]
    run = rs.read_run(lines(tmp_path / "m.jsonl", rows))
    assert run.column("mean_reward").tolist() == [0.25] * 10
    assert "rows-averaged" in codes(run)


def test_a_last_row_that_is_empty_changes_nothing(tmp_path):
    text = (
        "step,epoch,reward_mean\n" + "".join(f"{s},0.1,{0.5 + s / 100}\n" for s in range(1, 9)) + "8,0.2,\n"
    )
    path = tmp_path / "log.csv"
    path.write_text(text)
    run = rs.read_run(path)
    assert run.column("reward_mean")[-1] == 0.58
    assert len(run) == 8


def test_off_by_one_resume_is_reported_and_not_mended(tmp_path):
    rows = [{"step": s, "accuracy": s / 1000} for s in range(10, 101, 10)]
    rows += [{"step": s, "accuracy": s / 1000} for s in range(79, 140, 10)]
    run = rs.read_run(lines(tmp_path / "m.jsonl", rows))
    assert run.segments == 2
    assert run.axes[0].values.tolist() == [*range(10, 71, 10), *range(79, 140, 10)]


def test_a_logger_offset_after_a_resume_is_seen(tmp_path):
    rows = [{"step": s, "training/global_step": s, "val-core/m/acc/mean@1": s / 100} for s in range(1, 51)]
    rows += [
        {"step": s + 5, "training/global_step": s, "val-core/m/acc/mean@1": s / 100} for s in range(51, 81)
    ]
    run = rs.read_run(lines(tmp_path / "m.jsonl", rows))
    flag = next(w for w in run.warnings if w.code == "step-offset")
    assert "+5" in flag.message
    assert run.curve(x="training/global_step").compute[-1] == 80


def test_prime_rl_writers_side_by_side_are_one_segment(tmp_path):
    rows = []
    for s in range(12):
        rows.append(
            {
                "step": s + 1,
                "time": 1.7e9 + s,
                "progress/tokens": 10,
                "progress/total_tokens": 10 * s,
                "time/step": 3.0,
            }
        )
        rows.append({"step": s, "time": 1.7e9 + s + 0.5, "mismatch_kl/all/mean": 0.01, "time/step": 9.0})
    run = rs.read_run(lines(tmp_path / "metrics.jsonl", rows))
    assert run.segments == 1
    assert not {"steps-replaced", "rows-repeated"} & set(codes(run))
    assert np.nanmax(run.column("time/step (trainer)")) == 9.0
    assert np.nanmax(run.column("time/step (orchestrator)")) == 3.0
    tokens = next(a for a in run.axes if a.unit == "trained_tokens")
    assert np.nanmax(tokens.values) == 120  # the last step's own tokens are in it
    assert "off-by-one" in codes(run)


def test_repeated_eval_after_a_resume_keeps_the_last(tmp_path):
    rows = [{"step": s, "loss": 0.1, "eval_accuracy": s / 100} for s in (10, 20)]
    rows += [{"step": 20, "eval_accuracy": 0.25}, {"step": 30, "loss": 0.1, "eval_accuracy": 0.3}]
    run = rs.read_run(lines(tmp_path / "m.jsonl", rows))
    assert run.curve().pass_rate.tolist() == [0.1, 0.25, 0.3]
    assert "rows-repeated" in codes(run)


@given(
    cuts=st.lists(st.integers(1, 30), min_size=1, max_size=5),
    rerun=st.lists(st.integers(1, 6), min_size=5, max_size=5),
)
def test_any_chain_of_resumes_gives_the_last_value_of_each_step(cuts, rerun):
    """A run is cut and resumed some steps back, again and again: the last value of a step holds."""
    steps: list[float] = []
    truth: dict[int, float] = {}
    at = 1
    for piece, length in enumerate(cuts):
        start = max(1, at - rerun[piece]) if piece else 1
        truth = {s: v for s, v in truth.items() if s < start}
        for s in range(start, at + length):
            steps.append(s)
            truth[s] = piece + s / 1000
        at += length
    values = []
    piece = 0
    for i, s in enumerate(steps):
        if i and s <= steps[i - 1]:
            piece += 1
        values.append(piece + s / 1000)
    joined = stitch_rows(np.array(steps, float), np.array(values)[:, None], ["accuracy"])
    if not any(w.code == "rows-repeated" for w in joined.warnings):
        assert joined.step.tolist() == sorted(truth)
    assert (np.diff(joined.step) > 0).all()


@given(st.lists(st.integers(0, 20), min_size=1, max_size=60))
def test_segments_never_fall_and_start_at_zero(steps):
    segment = find_segments(np.array(steps, float), np.ones((len(steps), 1), bool))
    assert segment[0] == 0
    assert set(np.diff(segment).tolist()) <= {0, 1}


# -- the command
# -------------------------------------------------------------------------------------------------
def piece(path, steps, shift=0.0):
    return lines(
        path,
        [
            {"step": s, "eval_accuracy": round(0.1 + s / 200 + shift, 6), "num_tokens": 1000 * (i + 1)}
            for i, s in enumerate(steps)
        ],
    )


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_stitch_writes_a_log_that_reads_back_the_same(suffix, tmp_path, capsys):
    a = piece(tmp_path / "a.jsonl", range(0, 41, 5))
    b = piece(tmp_path / "b.jsonl", range(30, 71, 5), shift=0.05)
    out = tmp_path / f"joined{suffix}"
    assert main(["stitch", str(a), str(b), "-o", str(out)]) == 0
    assert "3 rows replaced" in capsys.readouterr().out
    run = rs.read_run(out)
    curve = run.curve()
    assert curve.compute.tolist() == list(range(0, 71, 5))
    assert curve.pass_rate[6] == pytest.approx(0.1 + 30 / 200 + 0.05)
    assert curve.segment.tolist() == [0] * 6 + [1] * 9
    tokens = run.curve(x="num_tokens").compute
    # the counter of the second piece restarts at 1,000 and goes on from the 6,000 of the rows that stay
    assert tokens.tolist() == [1000.0 * i for i in range(1, 16)]


def test_stitch_counts_on_when_asked(tmp_path, capsys):
    a = piece(tmp_path / "a.jsonl", range(0, 41, 5))
    b = piece(tmp_path / "b.jsonl", range(0, 41, 5), shift=0.3)
    out = tmp_path / "joined.csv"
    assert main(["stitch", str(a), str(b), "--continue", "-o", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["rows"] == 18
    assert rs.read_run(out).curve().compute.tolist() == list(range(0, 86, 5))
    assert "pieces-differ" not in [w["code"] for w in said["warnings"]]


def test_two_runs_are_not_joined(tmp_path, capsys):
    """A reader gave two runs; the first was gone, with a warning that advised to stitch."""
    a = piece(tmp_path / "a.jsonl", range(0, 41, 5))
    b = piece(tmp_path / "b.jsonl", range(0, 101, 5), shift=0.3)
    out = tmp_path / "joined.csv"
    assert main(["stitch", str(a), str(b), "-o", str(out)]) == 1
    said = capsys.readouterr().err
    assert f"{b}: starts at step 0, and {a} at 0: nothing would be left" in said and "--continue" in said
    assert not out.exists()
    # the same file twice is no second run
    assert main(["stitch", str(a), str(a), "-o", str(out), "--json"]) == 0
    assert [w["code"] for w in json.loads(capsys.readouterr().out)["warnings"]] == ["block-repeated"]


def test_names_of_runs_over_one_count_of_steps_are_told(tmp_path):
    """A reader's table of two runs with steps 0 to 14 and 15 to 29 became one curve without a word."""
    path = tmp_path / "t.csv"
    rows = [f"{i},{'A' if i < 15 else 'B'},{0.1 + i / 100}" for i in range(30)]
    path.write_text("step,experiment,accuracy\n" + "\n".join(rows) + "\n")
    run = rs.read_run(path)
    (flag,) = [w for w in run.warnings if w.code == "runs-joined"]
    assert "'A' from 0, 'B' from 15" in flag.message and len(run) == 30
    # a text that changes to and fro names no runs, and neither does another column
    for text in ("\n".join(f"{i},{'AB'[i % 2]},{0.1 + i / 100}" for i in range(30)), None):
        path.write_text(
            f"step,experiment,accuracy\n{text}\n" if text else path.read_text().replace("experiment", "host")
        )
        assert "runs-joined" not in codes(rs.read_run(path))


def test_pieces_that_disagree_where_both_were_measured_are_named(tmp_path, capsys):
    a = piece(tmp_path / "a.jsonl", range(0, 41, 5))
    for shift, wanted in ((0.05, False), (0.3, True)):
        b = piece(tmp_path / "b.jsonl", range(30, 81, 5), shift=shift)
        out = tmp_path / f"{shift}.csv"
        assert main(["stitch", str(a), str(b), "-o", str(out)]) == 0
        said = capsys.readouterr().out
        assert ("lies 0.30 above" in said) == wanted
        assert "rlscale stitch" not in said, "that is what was just done"


def test_stitch_refuses(tmp_path, capsys):
    a = piece(tmp_path / "a.jsonl", range(5))
    for argv, words in (
        (["stitch", str(a), "-o", str(a)], "is one of the pieces"),
        (["stitch", str(a), "-o", str(tmp_path / "x.txt")], "must end in .csv or .jsonl"),
        (["stitch", str(a), "-o", str(tmp_path / "no" / "x.csv")], "no such directory to write into"),
        (["stitch", str(a), str(tmp_path / "none.csv"), "-o", str(tmp_path / "x.csv")], "no such file"),
    ):
        assert main(argv) == 1
        assert words in capsys.readouterr().err
    (tmp_path / "there.csv").write_text("mine")
    assert main(["stitch", str(a), "-o", str(tmp_path / "there.csv")]) == 1
    assert (tmp_path / "there.csv").read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.jsonl", "there.csv"]  # nothing half-written


def test_different_units_are_not_joined(tmp_path):
    from rlscale.logs.join import stitch_logs

    a = piece(tmp_path / "a.jsonl", range(5))
    (tmp_path / "trainer_state.json").write_text(
        json.dumps({"log_history": [{"step": s, "reward": 0.1} for s in range(9)]})
    )
    with pytest.raises(LogError, match="join logs of one kind"):
        stitch_logs([a, tmp_path / "trainer_state.json"])
