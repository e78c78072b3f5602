"""Writers of known curves, one a format, with the format's own keys and oddities.

Rates are multiples of 1/8, so that three printed decimals and 32-bit floats hold them exactly.
"""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

RATES = [0.125, 0.125, 0.25, 0.375, 0.25, 0.5, 0.5, 0.625, 0.625, 0.75, 0.625, 0.75]
STEPS = [10 * i for i in range(len(RATES))]


@dataclass
class Written:
    """A log on disk and what reading it must give."""

    path: Path
    x: list[float]
    y: list[float]
    y_key: str
    unit: str
    kind: str
    run: str | None = None
    ask: str | None = None  # --y that is needed
    extra: str | None = None


def _lines(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


# -- TRL
# ---------------------------------------------------------------------------------------------------------
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


# -- verl and rllm
# -----------------------------------------------------------------------------------------------
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
    return _lines(folder / "run.jsonl", rows)


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
        _lines(where / f"{step}.jsonl", rows)
    return Written(where, [float(s) for s in STEPS], RATES, "score=1", "rollout_steps", "train_pass_rate")


# -- other frameworks
# --------------------------------------------------------------------------------------------
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
    path = _lines(folder / "metrics.jsonl", rows)
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
        _lines(folder / "metrics.jsonl", rows),
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


# -- containers
# --------------------------------------------------------------------------------------------------
def wandb_ui(folder: Path) -> Written:
    names = ["first - lr 1e-6", "second"]
    key = "val-core/gsm8k/reward/mean@1"
    head = ['"Step"'] + [f'"{n} - {key}{e}"' for n in names for e in ("", "__MIN", "__MAX")]
    rows = [",".join(head)]
    for step, rate in zip(STEPS, RATES, strict=True):
        cells = [f'"{step}"'] + [f'"{rate}"'] * 3 + ([f'"{rate / 2}"'] * 3 if step < 50 else [""] * 3)
        rows.append(",".join(cells))
    path = folder / "wandb_export.csv"
    path.write_text("\ufeff" + "\r\n".join(rows) + "\r\n", encoding="utf-8")
    return Written(
        path,
        [float(s) for s in STEPS],
        RATES,
        key,
        "rollout_steps",
        "heldout_pass_rate",
        run="first - lr 1e-6",
    )


def wandb_history_csv(folder: Path) -> Written:
    rows = ["_step,_runtime,_timestamp,train/loss,eval/accuracy"]
    for i in range(STEPS[-1] + 1):
        rows.append(f"{i},{i}.5,{1.7e9 + i},0.3," + (str(RATES[i // 10]) if i % 10 == 0 else ""))
    path = folder / "frame.csv"
    path.write_text("\n".join(rows))
    return Written(
        path, [float(s) for s in STEPS], RATES, "eval/accuracy", "rollout_steps", "heldout_pass_rate"
    )


def wandb_parquet(folder: Path) -> Written:
    import pandas as pd

    frame = pd.DataFrame(
        {"_step": STEPS, "_timestamp": [1.7e9 + s for s in STEPS], "eval/accuracy": RATES, "text": ["x"] * 12}
    )
    frame.to_parquet(folder / "0000.parquet")
    return Written(
        folder / "0000.parquet",
        [float(s) for s in STEPS],
        RATES,
        "eval/accuracy",
        "rollout_steps",
        "heldout_pass_rate",
        extra="pyarrow",
    )


def frame_records(records: list[bytes], header: bytes) -> bytes:
    """Frame records as wandb and SwanLab do."""
    out = bytearray(header)
    for data in records:
        used, first = 0, True
        while first or used < len(data):
            left = 32768 - len(out) % 32768
            if left < 7:
                out += b"\0" * left
                left = 32768
            piece = data[used : used + left - 7]
            last = used + len(piece) == len(data)
            kind = (1 if last else 2) if first else (4 if last else 3)
            crc = zlib.crc32(piece, zlib.crc32(bytes([kind])))
            out += struct.pack("<IHB", crc, len(piece), kind) + piece
            used += len(piece)
            first = False
    return bytes(out)


def wandb_offline(folder: Path) -> Written:
    from wandb.proto import wandb_internal_pb2 as pb

    records = []
    run = pb.Record()
    run.run.run_id, run.run.display_name = "abc", "lively-sun-1"
    records.append(run.SerializeToString())
    console = pb.Record()
    console.output_raw.line = "x" * 70_000  # a record that spans blocks
    records.append(console.SerializeToString())
    for i, (step, rate) in enumerate(zip(STEPS, RATES, strict=True)):
        record = pb.Record()
        for key, value in {"_step": i, "_timestamp": 1.7e9 + i, "training_step": step}.items():
            item = record.history.item.add()
            item.nested_key.append(key)
            item.value_json = json.dumps(value)
        item = record.history.item.add()
        item.key, item.value_json = "eval/accuracy", json.dumps(rate)
        records.append(record.SerializeToString())
    path = folder / "run-abc.wandb"
    path.write_bytes(frame_records(records, b":W&B" + struct.pack("<HB", 0xBEE1, 0)))
    return Written(
        path,
        [float(s) for s in STEPS],
        RATES,
        "eval/accuracy",
        "rollout_steps",
        "heldout_pass_rate",
        extra="wandb",
    )


def write_events(
    path: Path, rows: list[tuple[int, dict[str, float]]], clock: float = 1.7e9, tensors: bool = False
) -> None:
    """Write TensorBoard events with TensorBoard's own writer."""
    from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2
    from tensorboard.summary.writer.record_writer import RecordWriter

    with path.open("wb") as stream:
        writer = RecordWriter(stream)
        writer.write(event_pb2.Event(wall_time=clock, file_version="brain.Event:2").SerializeToString())
        for step, values in rows:
            event = event_pb2.Event(wall_time=clock + step, step=step)
            for tag, value in values.items():
                if tensors:
                    tensor = tensor_pb2.TensorProto(dtype=1, float_val=[value])
                    event.summary.value.append(summary_pb2.Summary.Value(tag=tag, tensor=tensor))
                else:
                    event.summary.value.append(summary_pb2.Summary.Value(tag=tag, simple_value=value))
            text = tensor_pb2.TensorProto(dtype=7, string_val=[b"an answer"])
            event.summary.value.append(summary_pb2.Summary.Value(tag="text", tensor=text))
            writer.write(event.SerializeToString())


def tensorboard_nemo(folder: Path) -> Written:
    where = folder / "tensorboard"
    where.mkdir()
    rows = []
    for step, rate in zip(STEPS, RATES, strict=True):
        rows.append((step, {"validation/accuracy": rate}))
        rows.append(
            (
                step + 1,
                {"train/reward": 0.5, "train/filtered_reward": 0.6, "timing/train/total_step_time": 30.0},
            )
        )
    write_events(where / "events.out.tfevents.1700000001.host.1.0", rows[:13], tensors=True)
    write_events(where / "events.out.tfevents.1700000002.host.2.0", rows[11:], clock=1.7e9 + 500)
    return Written(
        where,
        [float(s) for s in STEPS],
        RATES,
        "validation/accuracy",
        "rollout_steps",
        "heldout_pass_rate",
        extra="tensorboard",
    )


def _tensorboard(folder: Path, key: str, train: dict[str, float], step_unit: str) -> Written:
    rows = [(s, {key: r, **train}) for s, r in zip(STEPS, RATES, strict=True)]
    write_events(folder / "events.out.tfevents.1700000001.host", rows)
    return Written(
        folder, [float(s) for s in STEPS], RATES, key, step_unit, "heldout_pass_rate", extra="tensorboard"
    )


def tensorboard_openrlhf(folder: Path) -> Written:
    return _tensorboard(
        folder, "eval/eval_math_pass1", {"train/reward": 0.5, "train/group_reward_std": 0.1}, "rollout_steps"
    )


def tensorboard_skyrl(folder: Path) -> Written:
    return _tensorboard(folder, "eval/all/avg_score", {"reward/avg_raw_reward": 0.5}, "rollout_steps")


def tensorboard_slime(folder: Path) -> Written:
    return _tensorboard(folder, "eval/aime", {"rollout/raw_reward": 0.5}, "rollout_steps")


def tensorboard_csv(folder: Path) -> Written:
    rows = ["Wall time,Step,Value"] + [f"{1.7e9 + s},{s},{r}" for s, r in zip(STEPS, RATES, strict=True)]
    path = folder / "run-exp1-tag-eval_accuracy.csv"
    path.write_text("\n".join(rows) + "\n")
    return Written(
        path, [float(s) for s in STEPS], RATES, "eval_accuracy", "rollout_steps", "heldout_pass_rate"
    )


def tensorboard_json(folder: Path) -> Written:
    path = folder / "run-exp1-tag-eval_accuracy.json"
    path.write_text(json.dumps([[1.7e9 + s, s, r] for s, r in zip(STEPS, RATES, strict=True)]))
    return Written(
        path, [float(s) for s in STEPS], RATES, "eval_accuracy", "rollout_steps", "heldout_pass_rate"
    )


def mlflow_files(folder: Path) -> Written:
    run = folder / "mlruns" / "0" / "abcdef"
    (run / "metrics" / "val-core" / "gsm8k" / "acc").mkdir(parents=True)
    (run / "tags").mkdir()
    (run / "tags" / "mlflow.runName").write_text("clever-fox-3")
    (run / "meta.yaml").write_text("artifact_uri: /somewhere\nrun_id: abcdef\n")
    lines = [f"{1700000000000 + 1000 * s} {r} {s}\n" for s, r in zip(STEPS, RATES, strict=True)]
    (run / "metrics" / "val-core" / "gsm8k" / "acc" / "mean_at_4").write_text("".join(lines))
    (run / "metrics" / "loss").write_text("".join(f"{1700000000000 + 1000 * s} 0.5 {s}\n" for s in STEPS))
    return Written(
        folder,
        [float(s) for s in STEPS],
        RATES,
        "val-core/gsm8k/acc/mean@4",
        "rollout_steps",
        "heldout_pass_rate",
    )


def mlflow_sqlite(folder: Path) -> Written:
    path = folder / "mlruns.db"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE runs (run_uuid TEXT, name TEXT)")
    base.execute(
        "CREATE TABLE metrics (key TEXT, value REAL, timestamp INTEGER, run_uuid TEXT, step INTEGER, "
        "is_nan INTEGER)"
    )
    base.execute("INSERT INTO runs VALUES ('u1', 'brave-cat')")
    for s, r in zip(STEPS, RATES, strict=True):
        base.execute(
            "INSERT INTO metrics VALUES ('eval/accuracy', ?, ?, 'u1', ?, 0)", (r, 1700000000000 + s, s)
        )
    base.commit()
    base.close()
    return Written(
        path, [float(s) for s in STEPS], RATES, "eval/accuracy", "rollout_steps", "heldout_pass_rate"
    )


def trackio_sqlite(folder: Path) -> Written:
    path = folder / "project.db"
    base = sqlite3.connect(path)
    base.execute(
        "CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_id TEXT, timestamp TEXT, run_name TEXT, step "
        "INTEGER, metrics TEXT)"
    )
    for run, factor in (("alpha", 1.0), ("beta", 0.5)):
        for s, r in zip(STEPS, RATES, strict=True):
            row = json.dumps({"eval/accuracy": r * factor, "loss": 0.5})
            stamp = f"2026-01-01T00:{s % 60:02d}:00+00:00"
            base.execute(
                "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES (?, ?, ?, ?, ?)",
                (run, stamp, run, s, row),
            )
    base.commit()
    base.close()
    return Written(
        path,
        [float(s) for s in STEPS],
        RATES,
        "eval/accuracy",
        "rollout_steps",
        "heldout_pass_rate",
        run="alpha",
    )


def trackio_parquet(folder: Path) -> Written:
    import pandas as pd

    frame = pd.DataFrame(
        {"run_name": ["alpha"] * 12 + ["beta"] * 12, "step": STEPS * 2, "eval/accuracy": RATES + [0.0] * 12}
    )
    frame.to_parquet(folder / "project.parquet")
    return Written(
        folder / "project.parquet",
        [float(s) for s in STEPS],
        RATES,
        "eval/accuracy",
        "rollout_steps",
        "heldout_pass_rate",
        run="alpha",
        extra="pyarrow",
    )


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def swanlab_store(folder: Path) -> Written:
    records = [_varint(1 << 3) + _varint(1) + _field(10, _field(1, b"a run"))]
    for s, r in zip(STEPS, RATES, strict=True):
        for key, value in (("loss", 0.0), ("eval/accuracy", r)):
            number = b"" if value == 0 else _varint(1 << 3 | 1) + struct.pack("<d", value)
            scalar = _field(1, key.encode())
            if s:
                scalar += _varint(2 << 3) + _varint(s)
            scalar += (
                _varint(3 << 3)
                + _varint(1)
                + _field(4, _varint(1 << 3) + _varint(1_700_000_000 + s))
                + _field(5, number)
            )
            records.append(_varint(1 << 3) + _varint(7) + _field(21, scalar))
    path = folder / "run-xyz.swanlab"
    path.write_bytes(frame_records(records, b":SWL" + struct.pack("<HB", 0xE1D6, 2)))
    return Written(
        path, [float(s) for s in STEPS], RATES, "eval/accuracy", "rollout_steps", "heldout_pass_rate"
    )


def swanlab_csv(folder: Path) -> Written:
    rows = ["step,my-exp-eval/accuracy_step,my-exp-eval/accuracy_timestamp"]
    rows += [f"{s},{r},{1700000000000 + s}" for s, r in zip(STEPS, RATES, strict=True)]
    path = folder / "swan.csv"
    path.write_text("\n".join(rows))
    return Written(
        path, [float(s) for s in STEPS], RATES, "eval/accuracy", "rollout_steps", "heldout_pass_rate"
    )


# -- hand-written
# ------------------------------------------------------------------------------------------------
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
        _lines(folder / "log.jsonl", rows),
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
        _lines(folder / "games.jsonl", rows),
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


WRITERS: dict[str, Callable[[Path], Written]] = {
    f.__name__: f
    for f in (
        trl_state,
        trl_console,
        trl_completions,
        verl_console,
        verl_console_old,
        verl_file,
        rllm_file,
        verl_dumps,
        tinker_jsonl,
        tinker_console,
        prime_jsonl,
        nemo_json,
        openrlhf_console,
        slime_console,
        forge_console,
        open_instruct_csv,
        wandb_ui,
        wandb_history_csv,
        wandb_parquet,
        wandb_offline,
        tensorboard_nemo,
        tensorboard_openrlhf,
        tensorboard_skyrl,
        tensorboard_slime,
        tensorboard_csv,
        tensorboard_json,
        mlflow_files,
        mlflow_sqlite,
        trackio_sqlite,
        trackio_parquet,
        swanlab_store,
        swanlab_csv,
        long_csv,
        wide_csv,
        plain_jsonl,
        json_list,
        episodes_jsonl,
        counted_lines,
        titled_lines,
    )
}
