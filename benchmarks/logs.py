"""Speed of the log readers, side by side with their peers in one process.

    python benchmarks/logs.py [--rows 1000000] [--scalars 100000]

Reads a CSV and a JSONL of a million rows against pandas, which reads the same columns and does nothing else
(no order of steps, no units, no checks); a verl console log in MB/s; and a TensorBoard file against
TensorBoard's own EventAccumulator without its limit. Times are CPU seconds, the best of three; the ratio is
what counts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import rlscale as rs


def best_of(run: Callable[[], object], times: int = 3) -> float:
    found = []
    for _ in range(times):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def make_table(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    step = np.arange(rows)
    rate = np.clip(0.2 + 0.5 * step / (step + rows / 5) + rng.normal(0, 0.02, rows), 0, 1)
    return pd.DataFrame(
        {
            "step": step,
            "eval_accuracy": rate,
            "loss": rng.normal(0, 1, rows),
            "response_length": rng.integers(100, 900, rows),
            "num_tokens": np.cumsum(rng.integers(1000, 2000, rows)),
        }
    )


def compare_csv(folder: Path, table: pd.DataFrame) -> tuple[float, float]:
    path = folder / "log.csv"
    table.to_csv(path, index=False)
    ours = best_of(lambda: rs.read_run(path))
    theirs = best_of(lambda: pd.read_csv(path, usecols=list(table.columns)))
    return ours, theirs


def compare_jsonl(folder: Path, table: pd.DataFrame) -> tuple[float, float]:
    path = folder / "log.jsonl"
    table.to_json(path, orient="records", lines=True)
    ours = best_of(lambda: rs.read_run(path), 2)
    theirs = best_of(lambda: pd.read_json(path, lines=True), 2)
    return ours, theirs


def time_verl(folder: Path, megabytes: float) -> tuple[float, float]:
    rng = np.random.default_rng(1)
    keys = [f"timing_s/part_{i}" for i in range(40)] + [f"actor/metric_{i}" for i in range(40)]
    path = folder / "verl.log"
    size, step = 0, 0
    with path.open("w") as stream:
        while size < megabytes * 1e6:
            step += 1
            pairs = " - ".join(f"{k}:{v:.3f}" for k, v in zip(keys, rng.normal(0, 3, len(keys)), strict=True))
            text = (
                f"\x1b[36m(TaskRunner pid=14640)\x1b[0m step:{step} - {pairs} - "
                f"critic/score/mean:{step % 100 / 100}\n"
            )
            text += (
                "\x1b[36m(TaskRunner pid=14640)\x1b[0m [answer] so the number of apples is 12 - 3 = 9 in "
                "all\n" * 20
            )
            size += stream.write(text)
    seconds = best_of(lambda: rs.read_run(path))
    return path.stat().st_size / 1e6 / seconds, path.stat().st_size / 1e6


def compare_tensorboard(folder: Path, scalars: int) -> tuple[float, float]:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.compat.proto import event_pb2, summary_pb2
    from tensorboard.summary.writer.record_writer import RecordWriter

    path = folder / "events.out.tfevents.1700000000.host"
    with path.open("wb") as stream:
        writer = RecordWriter(stream)
        for step in range(scalars // 10):
            for tag in range(10):
                event = event_pb2.Event(wall_time=1.7e9 + step, step=step)
                event.summary.value.append(
                    summary_pb2.Summary.Value(tag=f"eval/metric_{tag}", simple_value=step / scalars)
                )
                writer.write(event.SerializeToString())

    def theirs() -> None:
        accumulator = EventAccumulator(str(path), size_guidance={"scalars": 0, "tensors": 0})
        accumulator.Reload()
        for tag in accumulator.Tags()["scalars"]:
            accumulator.Scalars(tag)

    return best_of(lambda: rs.read_run(path)), best_of(theirs)


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of the log readers.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--scalars", type=int, default=100_000)
    parser.add_argument("--megabytes", type=float, default=60)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = make_table(options.rows)
        for label, compare in (("csv", compare_csv), ("jsonl", compare_jsonl)):
            ours, theirs = compare(folder, table)
            found[label] = {"seconds": ours, "pandas_seconds": theirs, "ratio": ours / theirs}
        speed, size = time_verl(folder, options.megabytes)
        found["verl_console"] = {"mb_per_second": speed, "mb": size}
        ours, theirs = compare_tensorboard(folder, options.scalars)
        found["tensorboard"] = {"seconds": ours, "accumulator_seconds": theirs, "ratio": ours / theirs}
    if options.json:
        print(json.dumps(found))
        return
    for label, values in found.items():
        print(f"{label:14s}", "  ".join(f"{k} {v:.3g}" for k, v in values.items()))


if __name__ == "__main__":
    main()
