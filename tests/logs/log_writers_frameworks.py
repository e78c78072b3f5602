"""Writers of known curves: other frameworks."""

from __future__ import annotations

import json
from pathlib import Path

from log_writing import RATES, STEPS, Written, write_lines


def tinker_jsonl(folder: Path) -> Written:
    rows = []
    for step, rate in zip(STEPS, RATES, strict=True):
        for i in range(step, step + 10):
            row = {
                "step": i,
                "progress/batch": i,
                "progress/done_frac": (i + 1) / 240,
                "env/all/correct": 0.5,
                "env/all/reward/total": 0.45,
                "env/all/format": 0.5,
                "env/all/total_ac_tokens": 100,
                "time/total": 36.0,
                "env/all/total_episodes": 64,
                "time/compute_group_rewards:count": 16,
            }
            if i == step:
                row |= {
                    "test/env/all/correct": rate,
                    "test/env/all/reward/total": rate - 0.05,
                    "test/env/all/total_episodes": 500,
                }
            rows.append(row)
    path = write_lines(folder / "metrics.jsonl", rows)
    with path.open("a") as stream:
        stream.write('{"step": 120, "progress/ba')  # a torn last line
    return Written(
        path, [float(s) for s in STEPS], RATES, "test/env/all/correct", "rollout_steps", "heldout_pass_rate"
    )


def tinker_console(folder: Path) -> Written:
    out = ["tinker_cookbook.rl.train:1090 [\x1b[92mINFO\x1b[0m] Will train on 32 batches\n"]
    for step, rate in enumerate(RATES):
        out.append(
            f"tinker_cookbook.utils.ml_log:195 [\x1b[92mINFO\x1b[0m] \n                 Step {step}        "
            "         \n"
        )
        out.append(
            "┏━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━┓\n┃ Metric            ┃ Value     "
            "┃\n┡━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━┩\n"
        )
        out.append(
            f"│ env/all/correct   │ {rate:.6f}  │\n│ env/all/total_ac_tokens │ 32352     │\n│ "
            f"progress/batch    │ {step}         │\n"
        )
        out.append("└───────────────────┴───────────┘\n")
    path = folder / "tinker.log"
    path.write_text("".join(out))
    x = [float(i) for i in range(len(RATES))]
    return Written(path, x, RATES, "env/all/correct", "rollout_steps", "train_pass_rate")


def prime_jsonl(folder: Path) -> Written:
    rows = []
    for step, rate in zip(STEPS, RATES, strict=True):
        clock = 1.77e9 + step
        rows.append(
            {
                "step": step,
                "time": clock,
                "eval/aime/all/agent/avg@16": rate,
                "eval/aime/all/agent/pass@16": 0.9,
            }
        )
        rows.append(
            {
                "step": step + 1,
                "time": clock + 1,
                "progress/total_tokens": 100 * step,
                "progress/tokens": 100,
                "train/agg/all/agent/reward/mean": 0.5,
                "train/agg/effective/agent/reward/mean": 0.5,
                "time/step": 7.0,
            }
        )
        rows.append(
            {
                "step": step,
                "time": clock + 2,
                "mismatch_kl/all/mean": 0.001,
                "time/step": 5.0,
                "optim/lr": 1e-6,
            }
        )
    return Written(
        write_lines(folder / "metrics.jsonl", rows),
        [float(s) for s in STEPS],
        RATES,
        "eval/aime/all/agent/avg@16",
        "rollout_steps",
        "heldout_pass_rate",
    )


def nemo_json(folder: Path) -> Written:
    tags = {
        "train/reward": {str(s + 1): 0.35 for s in STEPS},
        "train/filtered_reward": {str(s + 1): 0.55 for s in STEPS},
        "validation/accuracy": {str(s): r for s, r in zip(STEPS, RATES, strict=True)},
    }
    path = folder / "metrics.json"
    path.write_text(json.dumps(tags))
    return Written(
        path, [float(s) for s in STEPS], RATES, "validation/accuracy", "rollout_steps", "heldout_pass_rate"
    )


def openrlhf_console(folder: Path) -> Written:
    out = ["(PPOTrainer pid=3) openrlhf starts\n"]
    for step, rate in zip(STEPS, RATES, strict=True):
        out.append(
            f"(PPOTrainer pid=3) ✨ Global step {step}: "
            f"{{'eval_math_pass1': {rate}, 'eval_math_pass4': 0.9}}\n"
        )
        out.append(
            f"(PPOTrainer pid=3) Global step {step + 1}: "
            f"{{'reward': 0.5, 'response_length': 300.0, 'timing/generation': 3.2}}\n"
        )
    path = folder / "ppo.log"
    path.write_text("".join(out))
    return Written(
        path, [float(s) for s in STEPS], RATES, "eval/eval_math_pass1", "rollout_steps", "heldout_pass_rate"
    )


def slime_console(folder: Path) -> Written:
    out = []
    for step, rate in zip(STEPS, RATES, strict=True):
        out.append(
            f"[2026-01-01] data.py:12 - eval {step}: {{'eval/aime': {rate}, 'eval/aime-pass@4': 0.9}}\n"
        )
        out.append(
            f"[2026-01-01] data.py:14 - rollout {step}: "
            f"{{'rollout/raw_reward': 0.5, 'rollout/response_len/mean': 300.0}}\n"
        )
        out.append(
            f"[2026-01-01] train.py:14 - step {step * 2}: {{'train/loss': -0.1, 'train/grad_norm': 0.3}}\n"
        )
        out.append(
            f"[2026-01-01] perf.py:14 - perf {step}: {{'perf/step_time': 30.0, 'perf/rollout_time': 3.0}}\n"
        )
    path = folder / "slime.log"
    path.write_text("".join(out))
    return Written(path, [float(s) for s in STEPS], RATES, "eval/aime", "rollout_steps", "heldout_pass_rate")


def forge_console(folder: Path) -> Written:
    out = []
    for step, rate in zip(STEPS, RATES, strict=True):
        out.append(f"=== [GlobalReduce] - METRICS STEP {step} ===\n")
        out.append(
            f"  reward/evaluate_response/avg_math_reward: {rate}\n  "
            "generator/generate/sum_tokens_generated: 1000\n"
        )
        out.append("  reward/evaluate_response/avg_total_reward: 0.5\n==============================\n\n")
    path = folder / "forge.log"
    path.write_text("".join(out))
    key = "reward/evaluate_response/avg_math_reward"
    return Written(path, [float(s) for s in STEPS], RATES, key, "updates", "train_reward", ask=key)


def open_instruct_csv(folder: Path) -> Written:
    rows = [
        "_step,_timestamp,_runtime,training_step,global_step,episode,scores,eval/scores,val/sequence_lengths"
    ]
    for i, (step, rate) in enumerate(zip(STEPS, RATES, strict=True)):
        rows.append(
            f"{2 * i},{1.7e9 + step},{step},{step + 1},{512 * (step + 1)},{512 * (step + 1)},0.4,,900"
        )
        rows.append(f"{2 * i + 1},{1.7e9 + step + 1},{step + 1},{step},,,,{rate},")
    path = folder / "history.csv"
    path.write_text("\n".join(rows) + "\n")
    return Written(
        path, [float(s) for s in STEPS], RATES, "eval/scores", "rollout_steps", "heldout_pass_rate"
    )
