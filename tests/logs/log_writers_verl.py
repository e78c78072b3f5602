"""Writers of known curves: verl and rllm."""

from __future__ import annotations

from pathlib import Path

from log_writing import RATES, STEPS, Written, write_lines


def verl_console(folder: Path) -> Written:
    head = "\x1b[36m(TaskRunner pid=14640)\x1b[0m "
    out = ["2026-01-01 INFO worker.py -- Started\n", head + "{'actor_rollout_ref': {'step': 3}}\n"]
    for step, rate in zip(STEPS, RATES, strict=True):
        val = (
            f"val-core/openai/gsm8k/acc/mean@4:np.float64({rate}) - "
            f"val-core/openai/gsm8k/acc/best@4/mean:0.900"
        )
        if step == 0:
            out.append(f"{head}step:0 - {val}\n")
            continue
        for i in range(step - 9, step + 1):
            pairs = (
                f"actor/pg_loss:-0.125 - critic/score/mean:0.5 - actor/ppo_kl:nan - "
                f"perf/total_num_tokens:1000 - training/global_step:{i}.000"
            )
            out.append(f"{head}step:{i} - {pairs}{' - ' + val if i == step else ''}\n")
            out.append(head + "[answer] the step: 12 - is easy - 0.5\n")
    path = folder / "verl.log"
    path.write_text("".join(out))
    return Written(
        path,
        [float(s) for s in STEPS],
        RATES,
        "val-core/openai/gsm8k/acc/mean@4",
        "rollout_steps",
        "heldout_pass_rate",
    )


def verl_console_old(folder: Path) -> Written:
    head = "\x1b[2m\x1b[36m(main_task pid=54569)\x1b[0m "
    out = [f"{head}\"Initial validation metrics: {{'test_score/openai/gsm8k': {RATES[0]}}}\"\n"]
    for step, rate in zip(STEPS[1:-1], RATES[1:-1], strict=True):
        for i in range(step - 10, step):
            val = f" - val/test_score/openai/gsm8k:{rate:.3f}" if i == step - 1 else ""
            out.append(
                f"{head}step:{i} - timing/gen:18.8 - critic/kl:-0.000 - critic/lr(1e-4):0.1 - "
                f"critic/score/mean:0.1{val}\n"
            )
            out.append("\0 model answer\n" if i == 3 else f"{head}answer\n")
    for i in range(STEPS[-2], STEPS[-1]):
        out.append(f"{head}step:{i} - critic/kl:0.000 - critic/score/mean:0.1\n")
    out.append(
        f"{head}(\"Final validation metrics: {{'test_score/openai/gsm8k': \"\n{head} '{RATES[-1]}}}')\n"
    )
    path = folder / "old.log"
    path.write_text("".join(out))
    return Written(
        path,
        [float(s) for s in STEPS],
        RATES,
        "val/test_score/openai/gsm8k",
        "rollout_steps",
        "heldout_pass_rate",
    )


def _file_logger(folder: Path, key: str, train: str) -> Path:
    rows = []
    for step, rate in zip(STEPS, RATES, strict=True):
        if step:
            rows += [
                {"step": i, "data": {train: 0.5, "training/global_step": i}} for i in range(step - 9, step)
            ]
        rows.append({"step": step, "data": {key: rate, **({train: 0.5} if step else {})}})
    return write_lines(folder / "run.jsonl", rows)


def verl_file(folder: Path) -> Written:
    key = "val-core/math/acc/mean@8"
    return Written(
        _file_logger(folder, key, "critic/score/mean"),
        [float(s) for s in STEPS],
        RATES,
        key,
        "rollout_steps",
        "heldout_pass_rate",
    )


def rllm_file(folder: Path) -> Written:
    key = "val/aime/pass@1"
    return Written(
        _file_logger(folder, key, "reward/solver/mean"),
        [float(s) for s in STEPS],
        RATES,
        key,
        "rollout_steps",
        "heldout_pass_rate",
    )


def verl_dumps(folder: Path) -> Written:
    where = folder / "rollouts"
    where.mkdir()
    for step, rate in zip(STEPS, RATES, strict=True):
        rows = [
            {
                "input": f"q{i // 4}",
                "output": "x" * 300,
                "gts": "3",
                "score": 1.0 if i < 8 * rate else -1.0,
                "step": step,
            }
            for i in range(8)
        ]
        write_lines(where / f"{step}.jsonl", rows)
    return Written(where, [float(s) for s in STEPS], RATES, "score=1", "rollout_steps", "train_pass_rate")
