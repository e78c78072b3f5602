"""Axes: units, derivation, running totals that restart, amounts a step, time with pauses, GPU pools."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rlscale as rs
from rlscale.errors import LogError
from rlscale.logs.axes import Axis, elapsed_hours, gpu_hours_axis, rebase_total, sum_amounts


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def units(run):
    return {a.key: a.unit for a in run.axes}


@given(st.lists(st.lists(st.integers(1, 100), min_size=1, max_size=8), min_size=1, max_size=5))
def test_a_counter_that_restarts_is_rebased_to_the_true_total(pieces):
    logged, truth, before = [], [], 0
    for amounts in pieces:
        total = 0
        for amount in amounts:
            total += amount
            logged.append(float(total))
            truth.append(float(before + total))
        before = truth[-1]
    # a restart that is no fall (the new counter is at once above the old) cannot be seen
    seen = all(b < a for a, b in pairwise(logged) if b <= a)
    falls = sum(b < a for a, b in pairwise(logged))
    values, found = rebase_total(np.array(logged))
    assert found == falls
    if falls == len(pieces) - 1 and seen:
        assert values.tolist() == truth
    assert (np.diff(values) >= 0).all()


def test_tokens_of_verl_and_tinker_steps():
    # 1-based: a row at step t is written after t steps
    assert sum_amounts(np.array([np.nan, 5.0, 5, 7]), np.array([0.0, 1, 2, 3])).tolist() == [0, 5, 10, 17]
    # 0-based: a row at batch t is written before batch t counts
    assert sum_amounts(np.array([5.0, 5, 7]), np.array([0.0, 1, 2])).tolist() == [0, 5, 10]
    # a window of ten steps whose mean is logged
    assert sum_amounts(np.array([2.0, 3.0]), np.array([10.0, 20.0])).tolist() == [20, 50]
    # evaluation rows between hold the sum so far
    assert sum_amounts(np.array([1.0, np.nan, 1.0]), np.array([1.0, 1.5, 2.0])).tolist() == [1, 1, 2]


def test_time_of_day_leaves_pauses_out():
    clock = np.array([1e9, 1e9 + 60, 1e9 + 120, 1e9 + 90_000, 1e9 + 90_060])
    hours, pause = elapsed_hours(clock, np.array([0, 0, 0, 1, 1]))
    assert hours * 60 == pytest.approx([0, 1, 2, 3, 4])
    assert pause == pytest.approx((90_000 - 120 - 60) / 3600)


def test_gpu_hours_count_every_pool():
    hours = Axis("timing_s/step", "wall_hours", np.array([1.0, 3.0]), "sum of timing_s/step over the steps")
    clock = Axis("timestamp", "wall_hours", np.array([1.5, 4.0]), "hours since the first row")
    axis = gpu_hours_axis([hours, clock], {"trainer": 8, "rollout": 24})
    assert axis.values.tolist() == [48.0, 128.0]  # the clock, not the timers
    assert "8 trainer + 24 rollout" in axis.derived
    for bad in (0, -1, float("nan"), {}):
        with pytest.raises(LogError, match="number of GPUs"):
            gpu_hours_axis([hours], bad)
    with pytest.raises(LogError, match="holds no time"):
        gpu_hours_axis([], 8)


def test_every_axis_of_a_tinker_log(tmp_path):
    rows = [
        {
            "step": s,
            "progress/batch": s,
            "progress/done_frac": (s + 1) / 40,
            "env/all/correct": 0.1 + s / 100,
            "env/all/total_ac_tokens": 1000,
            "env/all/total_episodes": 64,
            "time/total": 36.0,
        }
        for s in range(20)
    ]
    run = rs.read_run(lines(tmp_path / "metrics.jsonl", rows))
    assert units(run) == {
        "step": "rollout_steps",
        "progress/batch": "rollout_steps",
        "env/all/total_ac_tokens": "generated_tokens",
        "env/all/total_episodes": "completions",
        "time/total": "wall_hours",
    }
    assert run.curve(x="generated_tokens").compute.tolist() == [1000.0 * s for s in range(20)]
    assert run.curve(x="wall_hours").compute[-1] == pytest.approx(0.19)
    assert run.curve().planned == 40
    planned = run.curve(x="generated_tokens")
    assert planned.planned == pytest.approx(40_000)
    assert "in proportion" in planned.planned_from


def test_trl_windows_and_evaluation_time(tmp_path):
    history = []
    for s in (10, 20, 30):
        history.append({"step": s, "reward": s / 100, "step_time": 6.0, "num_tokens": 500.0 * s})
        history.append({"step": s, "eval_reward": 0.3, "eval_runtime": 60.0})
    (tmp_path / "trainer_state.json").write_text(json.dumps({"log_history": history, "max_steps": 60}))
    run = rs.read_run(tmp_path / "trainer_state.json")
    hours = run.curve(x="wall_hours", y="reward")
    assert hours.compute * 60 == pytest.approx([2, 4, 6])  # 60 s of steps and 60 s of evaluation each
    assert run.axes[0].unit == "updates"
    assert run.curve(y="reward").planned == 60


def test_a_unit_can_be_said(tmp_path):
    run = rs.read_run(lines(tmp_path / "log.jsonl", [{"step": s, "accuracy": s / 10} for s in range(5)]))
    assert run.curve().unit == "rollout_steps"
    assert "unit-assumed" in {w.code for w in run.warnings}
    assert run.curve(x="step:updates").unit == "updates"
    with pytest.raises(LogError, match="no unit 'bananas'"):
        run.curve(x="step:bananas")


def test_open_instruct_counts_samples(tmp_path):
    rows = [
        {
            "training_step": s,
            "episode": 512 * s,
            "scores": 0.1 * s,
            "val/num_total_tokens": 1e5 * s,
            "val/ratio": 1.0,
        }
        for s in range(1, 6)
    ]
    run = rs.read_run(lines(tmp_path / "log.jsonl", rows))
    assert units(run)["episode"] == "completions"
    assert units(run)["val/num_total_tokens"] == "trained_tokens"
    assert run.axes[0].key == "training_step"


def test_slime_keeps_rollouts_and_updates_apart(tmp_path):
    rows = []
    for r in range(8):
        rows.append({"rollout/step": r, "rollout/raw_reward": 0.1 * r, "perf/step_time": 3.0})
        rows.append({"eval/step": r, "eval/aime": 0.05 * r})
    run = rs.read_run(lines(tmp_path / "log.jsonl", rows))
    assert run.framework == "slime"
    curve = run.curve()
    assert (curve.y_key, curve.unit) == ("eval/aime", "rollout_steps")
    assert curve.compute.tolist() == list(range(8))


def test_a_time_axis_of_a_wandb_export(tmp_path):
    head = (
        '"Relative Time (Process)","a - eval/accuracy","a - eval/accuracy__MIN","a - '
        'eval/accuracy__MAX","a - _step"\n'
    )
    body = "".join(
        f'"{36.0 * i + 96.6}","{v}","{v}","{v}","{5 * i}"\n' for i, v in enumerate([0.1, 0.2, 0.3, 0.35])
    )
    path = tmp_path / "export.csv"
    path.write_text(head + body)
    run = rs.read_run(path)
    curve = run.curve()
    assert curve.compute.tolist() == [0, 5, 10, 15]
    hours = run.curve(x="wall_hours")
    assert hours.compute == pytest.approx((np.arange(4) * 36 + 96.6) / 3600)


def test_a_log_with_only_time_uses_it(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text('"Relative Time (Process)","a - eval/accuracy"\n"3600","0.1"\n"7200","0.2"\n')
    curve = rs.read_run(path).curve()
    assert (curve.unit, curve.compute.tolist()) == ("wall_hours", [1.0, 2.0])
