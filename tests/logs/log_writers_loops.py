"""Writers of known curves: hand-written."""

from __future__ import annotations

import json
from pathlib import Path

from log_writing import RATES, STEPS, Written, write_lines


def long_csv(folder: Path) -> Written:
    rows = ["condition,step,accuracy,response_length"]
    for name, factor in (("base", 1.0), ("primed", 0.5)):
        rows += [f"{name},{s},{r * factor},300" for s, r in zip(STEPS, RATES, strict=True)]
    path = folder / "long.csv"
    path.write_text("\n".join(rows))
    return Written(
        path, [float(s) for s in STEPS], RATES, "accuracy", "rollout_steps", "train_pass_rate", run="base"
    )


def wide_csv(folder: Path) -> Written:
    rows = ["Step,0.6b,14b"]
    for s, r in zip(STEPS, RATES, strict=True):
        rows += [f"{s},{r},0.5", f"{s + 5},,0.625"]
    path = folder / "export.csv"
    path.write_text("\n".join(rows))
    return Written(
        path, [float(s) for s in STEPS], RATES, "0.6b", "rollout_steps", "train_pass_rate", run="0.6b"
    )


def plain_jsonl(folder: Path) -> Written:
    rows = []
    for s, r in zip(STEPS, RATES, strict=True):
        rows.append({"iteration": s + 5, "reward_mean": "0.5", "loss": None})
        rows.append({"iteration": s, "eval": {"answer_rate": f"{r}"}})
    rows.sort(key=lambda row: row["iteration"])
    return Written(
        write_lines(folder / "log.jsonl", rows),
        [float(s) for s in STEPS],
        RATES,
        "eval/answer_rate",
        "rollout_steps",
        "heldout_pass_rate",
    )


def json_list(folder: Path) -> Written:
    path = folder / "log.json"
    path.write_text(
        json.dumps(
            [{"step": s, "accuracy": r, "note": "x" * 400} for s, r in zip(STEPS, RATES, strict=True)],
            indent=1,
        )
    )
    return Written(path, [float(s) for s in STEPS], RATES, "accuracy", "rollout_steps", "train_pass_rate")


def episodes_jsonl(folder: Path) -> Written:
    rows = []
    for s, r in zip(STEPS, RATES, strict=True):
        rows += [{"log_type": "train", "step": s, "solved": True, "final_reward": -3.0}]
        rows += [{"log_type": "eval", "step": s, "solved": i < 8 * r, "final_reward": 9.0} for i in range(8)]
    return Written(
        write_lines(folder / "games.jsonl", rows),
        [float(s) for s in STEPS],
        RATES,
        "eval/solved",
        "rollout_steps",
        "heldout_pass_rate",
    )


def counted_lines(folder: Path) -> Written:
    out = [
        "[run] Loading GSM8K...\n\rGenerating train split: 100%|███| 60000/60000 [00:01<00:00, 563.59 "
        "examples/s]\n"
    ]
    out += [
        f"[run]  {i + 1:3d}/40 | loss=-4.6 | reward={r:.3f} | acc={100 * r:.1f}%\n"
        for i, r in enumerate(RATES)
    ]
    path = folder / "loop.log"
    path.write_text("".join(out))
    return Written(path, [i + 1.0 for i in range(12)], RATES, "acc", "rollout_steps", "train_pass_rate")


def titled_lines(folder: Path) -> Written:
    out = []
    for s, r in zip(STEPS, RATES, strict=True):
        out.append(
            f"GRPO Iteration {s}, Epoch 0, Evaluating... Total samples processed: 1024\nProcessed prompts: "
            "10%\n"
        )
        out.append(
            f"Percentage of correct examples:  {r}\nStep 5: the Percentage of correct answers: 0.9 is it\n"
        )
        out.append(
            f"GRPO Iteration:  {s + 1} Epoch:  0 Microbatch:  0 / 256\nPercentage of correct examples:  0.5\n"
        )
    path = folder / "loop.txt"
    path.write_text("".join(out))
    key = "eval/Percentage of correct examples"
    return Written(path, [float(s) for s in STEPS], RATES, key, "rollout_steps", "heldout_pass_rate")
