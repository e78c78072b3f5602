"""The collected cases: public bug reports, rebuilt with made-up numbers, and their right answers."""

import json
import math

import numpy as np
import pytest

import rlscale as rs
from rlscale.errors import CurveError, LogError
from rlscale.logs.axes import require_same_axis
from rlscale.logs.health import compare_start, mismatch_share
from rlscale.logs.series import parse_metric, parse_name


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def codes(run):
    return [w.code for w in run.warnings]


def test_tc04_step_zero_and_missing_validation_keys(tmp_path):
    key = "val-core/gsm8k/acc/mean@4"
    rows = [{"step": 0, "data": {key: 0.30}}]
    for step in (1, 2, 3):
        data = {"critic/score/mean": 0.2 + 0.1 * step}
        if step == 2:
            data[key] = 0.45
        rows.append({"step": step, "data": data})
    run = rs.read_run(lines(tmp_path / "run.jsonl", rows))
    curve = run.curve(y=key)
    assert curve.compute.tolist() == [0, 2]
    assert curve.pass_rate.tolist() == [0.30, 0.45]
    assert curve.k == 4
    train = run.curve(y="critic/score/mean")
    assert train.compute.tolist() == [1, 2, 3]
    assert train.kind == "train_reward"


def test_tc06_eval_rows_use_their_own_global_step(tmp_path):
    rows = [
        "_step,_timestamp,train/global_step,train/reward,train/group_reward_std,eval/global_step,eval/eval_math_pass1"
    ]
    rows += ["0,1.7e9,1,0.1,0.2,,", "1,1.7e9,2,0.2,0.2,,", "2,1.7e9,,,,2,0.5", "3,1.7e9,3,0.3,0.2,,"]
    path = tmp_path / "frame.csv"
    path.write_text("\n".join(rows))
    run = rs.read_run(path)
    values = run.column("eval/eval_math_pass1")
    assert run.axes[0].values[np.isfinite(values)].tolist() == [2]
    series = parse_name("eval/eval_math_pass1", "OpenRLHF")
    assert (series.dataset, series.metric, series.kind) == ("math", "mean", "heldout_pass_rate")


def test_tc07_open_instruct_val_is_training_and_global_step_counts_samples(tmp_path):
    rows = [
        {
            "global_step": 512 * s,
            "episode": 512 * s,
            "training_step": s,
            "val/sequence_lengths": 900.0,
            "scores": 0.4,
            "eval/scores": 0.4 + 0.0125 * s,
            "val/num_step_tokens": 1000,
        }
        for s in (7, 8)
    ]
    run = rs.read_run(lines(tmp_path / "log.jsonl", rows))
    assert run.framework == "open-instruct"
    assert run.axes[0].key == "training_step"
    curve = run.curve()
    assert (curve.y_key, curve.compute[-1], curve.pass_rate[-1]) == ("eval/scores", 8, 0.5)
    kinds = {s.key: s for s in run.series}
    assert kinds["val/sequence_lengths"].kind == "length"
    assert kinds["val/sequence_lengths"].heldout is False
    samples = run.curve(x="completions")
    assert samples.compute[-1] == 4096


def test_tc08_resume_keeps_the_last_segment(tmp_path):
    rows = [
        {"step": s, "accuracy": v} for s, v in zip([1, 2, 3, 4, 5], [0.2, 0.25, 0.3, 0.35, 0.40], strict=True)
    ]
    rows += [{"step": s, "accuracy": v} for s, v in zip([4, 5, 6], [0.50, 0.55, 0.60], strict=True)]
    run = rs.read_run(lines(tmp_path / "metrics.jsonl", rows))
    curve = run.curve()
    assert curve.compute.tolist() == [1, 2, 3, 4, 5, 6]
    assert curve.pass_rate.tolist() == [0.2, 0.25, 0.3, 0.50, 0.55, 0.60]
    assert curve.segment.tolist() == [0, 0, 0, 1, 1, 1]
    flags = [w for w in run.warnings if w.code == "steps-replaced"]
    assert len(flags) == 1
    assert "2 rows replaced" in flags[0].message


def test_tc10_metric_classes():
    mean = {"mean@k": "mean@32", "pass1": "pass1", "avg@k": "avg@32", "pass@1": "pass@1"}
    assert {parse_metric(name)[0] for name in mean.values()} == {"mean"}
    assert {parse_metric(name) for name in ("best@32", "pass32", "pass_at_32")} == {("any", 32)}
    assert parse_metric("maj@32") == ("majority", 32)


def test_tc10_they_are_never_pooled(tmp_path):
    rows = [
        {
            "step": s,
            "val-core/aime/acc/mean@32": 0.1 + s / 100,
            "val-core/aime/acc/best@32/mean": 0.6,
            "val-core/aime/acc/maj@32/mean": 0.3,
        }
        for s in range(10)
    ]
    run = rs.read_run(lines(tmp_path / "m.jsonl", rows))
    assert run.curve().y_key == "val-core/aime/acc/mean@32"
    kinds = {s.key: s.kind for s in run.series}
    assert kinds["val-core/aime/acc/best@32/mean"] == kinds["val-core/aime/acc/maj@32/mean"] == "pass_at_k"


def test_tc11_reward_total_is_not_accuracy(tmp_path):
    rows = [
        {
            "step": s,
            "progress/batch": s,
            "env/all/correct": 0.60 - 0.01 * (s == 0),
            "env/all/format": 0.90,
            "env/all/reward/total": 0.60 + 0.1 * (0.90 - 1),
        }
        for s in range(3)
    ]
    run = rs.read_run(lines(tmp_path / "metrics.jsonl", rows))
    assert run.curve().y_key == "env/all/correct"
    assert run.curve().pass_rate[-1] == 0.60
    total = next(s for s in run.series if s.key == "env/all/reward/total")
    assert total.biased
    assert "−0.1…1" in total.note


def test_tc12_filtered_reward_is_refused(tmp_path):
    groups = [[0.0] * 6 + [0.5] * 4, [0.0] * 3 + [0.5] * 4 + [1.0] * 3, [0.5] * 4 + [1.0] * 6]
    rows = []
    for step, rates in enumerate(groups):
        mixed = [r for r in rates if 0 < r < 1]
        rows.append(
            {
                "step": step,
                "time": 1.7e9 + step,
                "progress/total_tokens": 10 * step,
                "train/agg/effective/agent/reward/mean": float(np.mean(mixed)),
                "train/agg/all/agent/reward/mean": float(np.mean(rates)),
            }
        )
    run = rs.read_run(lines(tmp_path / "metrics.jsonl", rows))
    kept = next(s for s in run.series if "effective" in s.key)
    assert kept.low == kept.high == 0.5
    assert kept.biased
    with pytest.raises(LogError, match="nothing to fit"):
        run.curve()
    with pytest.raises(LogError, match=r"all 3 values are 0\.5"):
        run.curve(y=kept.key)
    true = run.curve(y="train/agg/all/agent/reward/mean")
    assert true.pass_rate[0] == pytest.approx(0.2)
    assert true.pass_rate[-1] == pytest.approx(0.8)


def test_tc13_no_signal_all_truncated(tmp_path):
    history = [
        {
            "step": s,
            "reward": 0.0,
            "rewards/accuracy_reward/mean": 0.0,
            "reward_std": 0.0,
            "frac_reward_zero_std": 1.0,
            "completions/clipped_ratio": 1.0,
            "completions/mean_length": 256.0,
        }
        for s in (10, 20, 30)
    ]
    path = tmp_path / "trainer_state.json"
    path.write_text(json.dumps({"log_history": history, "max_steps": 100}))
    run = rs.read_run(path)
    assert {"no-signal", "dead-groups", "truncated"} <= set(codes(run))
    with pytest.raises(LogError, match="no signal, all completions are truncated"):
        run.curve(y="rewards/accuracy_reward/mean")
    with pytest.raises(LogError):
        run.curve()


def test_tc15_asynchronous_eval_rows_are_merged(tmp_path):
    rows = [
        {"step": s, "progress/batch": s, "env/all/correct": 0.4 + s / 100, "time/total": 3.0}
        for s in range(18, 23)
    ]
    rows.insert(4, {"step": 20, "test/env/all/correct": 0.5})
    rows.append({"step": 22, "test/env/all/correct": 0.6})
    run = rs.read_run(lines(tmp_path / "metrics.jsonl", rows))
    assert run.segments == 1
    assert "steps-replaced" not in codes(run)
    assert "rows-repeated" not in codes(run)
    assert len(run) == 5
    row = run.table[run.axes[0].values == 20]
    assert row["test/env/all/correct"].item() == 0.5
    assert row["env/all/correct"].item() == pytest.approx(0.6)


def test_tc16_a_collapse_is_never_fitted_through(tmp_path):
    values = [0.2, 0.3, 0.4, 0.5, 0.55, 0.56, 0.55, 0.30, 0.10]
    run = rs.read_run(lines(tmp_path / "m.jsonl", [{"step": i, "accuracy": v} for i, v in enumerate(values)]))
    curve = run.curve()
    assert curve.pass_rate.tolist() == values[:7]
    flag = next(w for w in curve.warnings if w.code == "collapse")
    assert "best, at 5" in flag.message
    assert "from 7 on" in flag.message


def test_tc21_mean_zero_hides_the_mismatch():
    assert mismatch_share([0.15, -0.15, 0.02, -0.02]) == (0.5, 0.15)


def test_tc23_validation_time_counts(tmp_path):
    rows = []
    for step in range(1, 11):
        data = {"critic/score/mean": step / 20, "perf/time_per_step": 100.0, "timing_s/step": 100.0}
        if step == 10:
            data["timing_s/testing"] = 300.0
        rows.append({"step": step, "data": data})
    run = rs.read_run(lines(tmp_path / "run.jsonl", rows)).with_gpus(8)
    curve = run.curve(x="gpu_hours", y="critic/score/mean")
    assert round(float(curve.compute[-1]), 2) == 2.89
    assert "timing_s/testing" in run.axes[-1].derived


def test_tc24_sampled_history(tmp_path):
    steps = sorted(np.random.default_rng(1).choice(5000, 500, replace=False).tolist())
    steps[-1] = 4999
    rows = ["_step,_timestamp,_runtime,train/loss,val/accuracy"]
    rows += [f"{s},{1.7e9 + s},{s},0.1,{0.3 + s / 1e5 if i % 25 == 0 else ''}" for i, s in enumerate(steps)]
    path = tmp_path / "history.csv"
    path.write_text("\n".join(rows))
    run = rs.read_run(path)
    assert "sampled-export" in codes(run)
    curve = run.curve()
    assert len(curve) == 20
    assert np.isfinite(curve.pass_rate).all()


def test_tc26_tensorboard_download(tmp_path):
    steps = np.unique(np.sort(np.random.default_rng(2).choice(13_987, 1000, replace=False)))
    steps[-1] = 13_987
    rows = ["Wall time,Step,Value"] + [f"{1.7e9 + s},{s},{s / 20_000}" for s in steps]
    path = tmp_path / "run-a-tag-eval_accuracy.csv"
    path.write_text("\n".join(rows))
    run = rs.read_run(path)
    flag = next(w for w in run.warnings if w.code == "sampled-export")
    assert "apart" in flag.message
    assert run.curve().y_key == "eval_accuracy"


def test_tc29_trainer_state(tmp_path):
    history = [
        {"step": 10, "reward": 0.2, "loss": 0.1, "num_tokens": 4e5, "kl": math.nan},
        {"step": 20, "reward": 0.3, "loss": 0.1, "num_tokens": 5e5},
        {"step": 20, "eval_reward": 0.35, "eval_runtime": 3.0},
        {"step": 30, "reward": 0.4, "loss": 0.1, "num_tokens": 1e5},
        {"step": 30, "train_runtime": 99.0, "train_loss": 0.1},
    ]
    path = tmp_path / "trainer_state.json"
    path.write_text(json.dumps({"log_history": history, "max_steps": 30}))
    assert "NaN" in path.read_text()
    run = rs.read_run(path)
    assert len(run) == 3
    assert "train_runtime" not in run.table
    assert run.curve(y="reward").pass_rate.tolist() == [0.2, 0.3, 0.4]
    values = run.column("eval_reward")
    assert values[np.isfinite(values)].tolist() == [0.35]
    tokens = run.curve(x="num_tokens", y="reward")
    assert tokens.compute.tolist() == [4e5, 5e5, 6e5]
    assert "counter-rebased" in codes(run)
    assert np.isnan(run.column("kl")).all()


def test_tc35_the_start_is_the_runs_own():
    warning = compare_start(0.24, 0.288, own_max_tokens=8192, published_max_tokens=32_768)
    assert warning.code == "start-differs"
    assert "R0 is the run's own" in warning.message
    assert compare_start(0.288, 0.288) is None


def test_tc38_filtered_reward_is_not_the_best_looking_choice(tmp_path):
    tags = {
        "train/reward": {str(i): 0.30 + 0.005 * i for i in range(1, 11)},
        "train/filtered_reward": {str(i): 0.55 + 0.001 * i for i in range(1, 11)},
        "validation/accuracy": {str(i): 0.30 + 0.01 * i for i in range(0, 11)},
    }
    path = tmp_path / "metrics.json"
    path.write_text(json.dumps(tags))
    run = rs.read_run(path)
    assert run.curve().y_key == "validation/accuracy"
    ranks = {s.key: s for s in run.series}
    assert not ranks["train/reward"].biased
    assert ranks["train/filtered_reward"].biased
    del tags["validation/accuracy"]
    path.write_text(json.dumps(tags))
    with pytest.raises(LogError, match="train/reward") as refused:
        rs.read_run(path).curve()
    assert "train/filtered" not in str(refused.value)


def test_tc39_axes_carry_their_unit_and_are_not_compared(tmp_path):
    law = rs.Sigmoid(R0=0.1, A=0.7, B=1.6, Cmid=60.0)
    rng = np.random.default_rng(3)
    rows = []
    for step in range(1, 301):
        rate = float(np.clip(law(float(step)) + rng.normal(0, 0.004), 0, 1))
        rows.append(
            {
                "step": step,
                "val-core/m/acc/mean@8": rate,
                "perf/total_num_tokens": 1000 if step <= 150 else 2000,
            }
        )
    run = rs.read_run(lines(tmp_path / "m.jsonl", rows))
    steps, tokens = run.curve(), run.curve(x="trained_tokens")
    assert (steps.unit, tokens.unit) == ("rollout_steps", "trained_tokens")
    assert tokens.compute[-1] == 150 * 1000 + 150 * 2000
    fits = [rs.fit_law(c.compute, c.pass_rate) for c in (steps, tokens)]
    # the token axis bends where the length doubles, so the law is slightly off there: .03 in A; B and Cmid
    # are
    # other numbers altogether
    assert abs(fits[0].law.A - fits[1].law.A) < 0.05
    with pytest.raises(CurveError, match="different axes"):
        require_same_axis([steps, tokens])
