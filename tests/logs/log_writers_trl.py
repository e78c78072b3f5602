"""Writers of known curves: TRL."""

from __future__ import annotations

import json
from pathlib import Path

from log_writing import RATES, STEPS, Written


def trl_state(folder: Path) -> Written:
    history = []
    for i, (step, rate) in enumerate(zip(STEPS, RATES, strict=True)):
        step += 10  # a row is the mean of the updates before it; there is none at 0
        history.append(
            {
                "step": step,
                "epoch": step / 100,
                "loss": 0.01,
                "reward": rate + 0.5,
                "reward_std": float("nan"),
                "rewards/accuracy_reward/mean": rate,
                "rewards/format_reward/mean": 0.5,
                "num_tokens": 1000.0 * (i + 1),
                "completions/clipped_ratio": 0.0,
                "frac_reward_zero_std": 0.25,
                "step_time": 3.0,
            }
        )
        history.append(
            {
                "step": step,
                "eval_reward": rate,
                "eval_rewards/accuracy_reward/mean": rate,
                "eval_runtime": 9.0,
            }
        )
    history.append({"step": history[-1]["step"], "train_runtime": 99.0, "train_loss": 0.1, "total_flos": 0.0})
    path = folder / "out" / "checkpoint-120"
    path.mkdir(parents=True)
    state = {
        "global_step": 120,
        "max_steps": 200,
        "logging_steps": 10,
        "log_history": history,
        "best_metric": None,
    }
    (path / "trainer_state.json").write_text(json.dumps(state, sort_keys=True, indent=2))
    x = [s + 10.0 for s in STEPS]
    return Written(
        path / "trainer_state.json",
        x,
        RATES,
        "eval_rewards/accuracy_reward/mean",
        "updates",
        "heldout_pass_rate",
    )


def trl_console(folder: Path) -> Written:
    out = [
        "INFO 05-06 config.py\n",
        "\rLoading weights:   0%|          | 0/427 [00:00<?, ?it/s]\r100%|█| 427/427 [00:00<00:00]\n",
    ]
    for step, rate in zip(STEPS, RATES, strict=True):
        for i in range(step + 1, step + 11):
            out.append(f"\r {i // 2}%|▎   | {i}/200 [05:13<8:37:04, 313.38s/it]")
        out.append(
            f"\r      \r{{'loss': '1.169e-05', 'kl': nan, 'rewards/correctness': '{rate}', "
            f"'reward': '{rate + 1}', 'epoch': '0.01'}}\n"
        )
    out.append("\n{'train_runtime': '6404', 'train_loss': '-0.01', 'epoch': '1'}\n")
    path = folder / "train.log"
    path.write_text("".join(out))
    return Written(
        path, [s + 10.0 for s in STEPS], RATES, "rewards/correctness", "updates", "train_pass_rate"
    )


def trl_completions(folder: Path) -> Written:
    import pandas as pd

    where = folder / "completions"
    where.mkdir()
    for step, rate in zip(STEPS, RATES, strict=True):
        right = [1.0] * round(8 * rate) + [0.0] * (8 - round(8 * rate))
        frame = pd.DataFrame(
            {
                "step": [step] * 8,
                "prompt": ["p" * 500] * 8,
                "completion": ["c" * 900] * 8,
                "accuracy_reward": right,
                "advantage": [0.1] * 8,
            }
        )
        frame.to_parquet(where / f"completions_{step:05d}.parquet")
    return Written(
        where,
        [float(s) for s in STEPS],
        RATES,
        "accuracy_reward=1",
        "updates",
        "train_pass_rate",
        extra="pyarrow",
    )
