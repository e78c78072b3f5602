"""Writers of known curves: containers."""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from pathlib import Path

from log_writing import RATES, STEPS, Written


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
