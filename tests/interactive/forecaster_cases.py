# ruff: noqa: E501  (scripts and tables read better in one line)
"""Logs of different kinds, and what is asked of each: the page and the command line must answer alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from rlscale import Power, Sigmoid, Weibull
from rlscale.law_base import Law
from rlscale.simulate import simulate_curve

Rows = list[dict[str, object]]


@dataclass(frozen=True)
class LogCase:
    """A log, and what is asked.

    Attributes
    ----------
    name : str
        Of the file.
    data : bytes
        Its content.
    ask : dict
        Options of ``rlscale forecast``, by name.
    refused : bool
        Whether nothing can be forecast at all.
    """

    name: str
    data: bytes
    ask: dict[str, object] = field(default_factory=dict)
    refused: bool = False

    def __str__(self) -> str:
        return self.name


def rates(law: Law, last: int, every: int, seed: int, start: int = 0) -> tuple[list[int], list[float]]:
    """Return steps and pass rates of a simulated run."""
    at = np.arange(start, last + 1, every)
    return at.tolist(), [float(p) for p in simulate_curve(law, at, unit="rollout_steps", seed=seed).pass_rate]


def to_csv(rows: Rows, separator: str = ",") -> bytes:
    """Return rows of equal keys as CSV; None is an empty cell."""
    lines = [separator.join(rows[0])]
    lines += [separator.join("" if v is None else str(v) for v in row.values()) for row in rows]
    return ("\n".join(lines) + "\n").encode()


def to_lines(rows: Rows) -> bytes:
    """Return rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


_SIGMOID, _WEIBULL, _POWER = Sigmoid(0.2, 0.62, 1.6, 50), Weibull(0.1, 0.5, 1.1, 30), Power(0.3, 0.8, 1.5, 60)


def _pairs(law: Law, last: int, every: int, seed: int, key: str, step: str = "step", start: int = 0) -> Rows:
    return [{step: s, key: p} for s, p in zip(*rates(law, last, every, seed, start), strict=True)]


def _plain() -> LogCase:
    """Everything is asked: the target decides, money stands beside it."""
    rows = _pairs(_SIGMOID, 200, 8, 1, "eval_accuracy")
    ask: dict[str, object] = {"budget": 400, "target": 0.6, "price": 3.5, "value": 400}
    return LogCase("plain.csv", to_csv(rows), ask)


def _money() -> LogCase:
    rows = _pairs(_WEIBULL, 160, 8, 2, "val/accuracy", "rollout_step")
    ask: dict[str, object] = {"budget": 320, "price": 12, "value": 20}
    return LogCase("semicolon.csv", to_csv(rows, ";"), ask)


def _price_only() -> LogCase:
    rows = _pairs(_POWER, 120, 6, 3, "pass_rate", "global_step")
    return LogCase("tabs.tsv", to_csv(rows, "\t"), {"x": "global_step:updates", "budget": 200, "price": 2})


def _value_only() -> LogCase:
    rows = _pairs(_SIGMOID, 300, 12, 4, "test/acc")
    return LogCase("value.jsonl", to_lines(rows), {"budget": 600, "value": 50})


def _saturated() -> LogCase:
    """Long enough to be binned, quiet enough for a ceiling."""
    at = np.arange(0, 801, 5)
    law = Sigmoid(0.2, 0.6, 2.2, 40)
    curve = simulate_curve(law, at, unit="rollout_steps", seed=5, n=5000, drift=0.001)
    rows: Rows = [
        {"step": int(s), "eval/accuracy": float(p), "eval/n_samples": 5000}
        for s, p in zip(at, curve.pass_rate, strict=True)
    ]
    return LogCase("saturated.csv", to_csv(rows), {"budget": 1000, "target": 0.4})


def _wandb() -> LogCase:
    steps, values = rates(_SIGMOID, 240, 12, 6)
    key = "my - run - val/accuracy"
    header = ",".join(f'"{n}"' for n in ("Step", key, f"{key}__MIN", f"{key}__MAX"))
    lines = [f'"{s}","{p}","{p}","{p}"' for s, p in zip(steps, values, strict=True)]
    return LogCase("wandb_export.csv", "\n".join([header, *lines]).encode(), {"budget": 300})


def _history() -> LogCase:
    """wandb history: its own counter, empty cells, a trainer's step, text among the columns."""
    rows: Rows = []
    for i, (s, p) in enumerate(zip(*rates(_WEIBULL, 200, 10, 7), strict=True)):
        rows.append({"_step": 2 * i, "_runtime": 60.0 * s, "note": "a", "step": s, "val/acc": p, "loss": 0.1})
        rows.append({"_step": 2 * i + 1, "_runtime": 60.0 * s + 9, "note": None, "step": s, "val/acc": None,
                     "loss": 0.1})  # fmt: skip
    return LogCase("history.csv", to_csv(rows), {"budget": 500})


def _trl_state() -> LogCase:
    history: Rows = []
    for i, (s, p) in enumerate(zip(*rates(_SIGMOID, 200, 10, 8, 10), strict=True)):
        history.append({"step": s, "loss": 0.1, "reward": p + 0.5, "rewards/accuracy_reward/mean": p,
                        "num_tokens": 900.0 * (i + 1), "frac_reward_zero_std": 0.2, "reward_std": None})  # fmt: skip
        history.append({"step": s, "eval_rewards/accuracy_reward/mean": p, "eval_reward": p + 0.4})
    history.append({"step": 200, "train_runtime": 9.0, "train_loss": 0.1})
    text = json.dumps({"max_steps": 300, "log_history": history}).replace("null", "NaN")
    return LogCase("trainer_state.json", text.encode(), {})


def _verl() -> LogCase:
    rows: Rows = [
        {"step": s, "data": {"val-core/gsm8k/acc/mean@4": p, "critic/score/mean": p, "actor/pg_loss": 0.1,
                             "perf/total_num_tokens": 1000}}
        for s, p in zip(*rates(_POWER, 150, 10, 9), strict=True)
    ]  # fmt: skip
    return LogCase(
        "verl.jsonl", to_lines(rows), {"budget": 400, "x": "perf/total_num_tokens"} | {"budget": 4e5}
    )


def _tinker() -> LogCase:
    rows: Rows = [
        {"step": s, "progress/batch": s, "progress/done_frac": (s + 1) / 200, "time/total": 30.0,
         "test/env/all/correct": p, "test/env/all/total_episodes": 500, "env/all/correct": p / 2}
        for s, p in zip(*rates(_SIGMOID, 120, 6, 10), strict=True)
    ]  # fmt: skip
    torn = to_lines(rows) + b'{"step": 126, "progr'
    return LogCase("metrics.jsonl", torn, {"target": 0.5})


def _resumed() -> LogCase:
    """The step falls back to 80: the later segment wins."""
    before = _pairs(_SIGMOID, 120, 8, 11, "accuracy")
    after = _pairs(_SIGMOID, 200, 8, 12, "accuracy", start=80)
    return LogCase("resumed.csv", to_csv(before + after), {"budget": 400})


def _shuffled() -> LogCase:
    rows = _pairs(_WEIBULL, 200, 10, 13, "accuracy")
    return LogCase("shuffled.csv", to_csv(rows[::-1]), {"budget": 400})


def _percent_name() -> LogCase:
    rows: Rows = [
        {"step": s, "accuracy_percent": 100 * p} for s, p in zip(*rates(_SIGMOID, 200, 10, 14), strict=True)
    ]
    return LogCase("percent_name.csv", to_csv(rows), {"budget": 200, "target": 0.9})


def _percent_said() -> LogCase:
    rows: Rows = [
        {"step": s, "accuracy": 100 * p} for s, p in zip(*rates(_SIGMOID, 200, 10, 14), strict=True)
    ]
    return LogCase("percent_said.csv", to_csv(rows), {"y": "accuracy:percent", "budget": 300})


def _long_table() -> LogCase:
    rows: Rows = []
    for seed in (15, 16):
        rows += [{"run": f"seed{seed}", "step": s, "success_rate": p}
                 for s, p in zip(*rates(_SIGMOID, 200, 10, seed), strict=True)]  # fmt: skip
    return LogCase("long.csv", to_csv(rows), {"run": "seed16", "budget": 300})


def _collapsed() -> LogCase:
    steps, values = rates(_SIGMOID, 240, 8, 17)
    values[-5:] = [0.2, 0.15, 0.1, 0.08, 0.05]
    rows: Rows = [{"step": s, "accuracy": p} for s, p in zip(steps, values, strict=True)]
    return LogCase("collapsed.csv", to_csv(rows), {"budget": 400, "price": 1, "value": 100})


def _falling() -> LogCase:
    """It gives back a twentieth, which is no collapse and no saturation either."""
    steps, values = rates(_SIGMOID, 200, 8, 24)
    values = [p - 0.06 * max(0.0, (s - 140) / 60) for s, p in zip(steps, values, strict=True)]
    rows: Rows = [{"step": s, "accuracy": p} for s, p in zip(steps, values, strict=True)]
    return LogCase("falling.csv", to_csv(rows), {"budget": 300, "price": 2})


def _flat() -> LogCase:
    """No rise yet, and money decides without a number."""
    rows = _pairs(Sigmoid(0.3, 0.31, 1.5, 50), 200, 10, 18, "accuracy")
    return LogCase("flat.jsonl", to_lines(rows), {"budget": 400, "price": 5, "value": 10})


def _few() -> LogCase:
    rows = _pairs(_SIGMOID, 40, 10, 19, "accuracy")
    return LogCase("few.csv", to_csv(rows), {"target": 0.5})


def _early() -> LogCase:
    """A rise too young to tell where it ends, and nothing is asked."""
    return LogCase("early.csv", to_csv(_pairs(_SIGMOID, 40, 5, 22, "accuracy")))


def _tokens() -> LogCase:
    """Compute in millions, counted anew after a restart, in per cent of a name; dollars in billions."""
    rows: Rows = [
        {"step": s, "total_tokens": 5e5 * (s if s < 100 else s - 99), "solve_rate": p}
        for s, p in zip(*rates(_WEIBULL, 200, 10, 23), strict=True)
    ]
    ask: dict[str, object] = {"x": "total_tokens", "budget": 5e8, "price": 4e-6, "value": 3e9}
    return LogCase("tokens.csv", to_csv(rows), ask)


def _steep_then_slow() -> LogCase:
    """A rise that no shape draws: steep, and then slow for ever."""
    at = np.arange(0, 401, 16)
    values = 0.1 + 0.4 * (1 - np.exp(-at / 12)) + 0.15 * at / 400
    rows: Rows = [{"step": int(s), "accuracy": float(p)} for s, p in zip(at, values, strict=True)]
    return LogCase("misfit.csv", to_csv(rows), {"budget": 800})


def _hoped() -> LogCase:
    """The same, with a target that the points have not reached."""
    return replace(_steep_then_slow(), name="hoped.csv", ask={"budget": 800, "target": 0.7, "price": 2})


def _met() -> LogCase:
    """The same, with a target that the points have reached and the fitted curve has not."""
    return replace(_steep_then_slow(), name="met.csv", ask={"budget": 800, "target": 0.58})


def _straight() -> LogCase:
    """A straight line: no bend yet."""
    rows: Rows = [{"step": s, "accuracy": 0.2 + 0.001 * s} for s in range(0, 250, 10)]
    return LogCase("straight.csv", to_csv(rows), {"budget": 400, "target": 0.55})


def _from_zero() -> LogCase:
    """A finished run of 200 steps that are numbered from 0."""
    rows = _pairs(_SIGMOID, 199, 1, 23, "accuracy")
    return LogCase("from_zero.csv", to_csv(rows), {"budget": 200, "target": 0.7})


def _averaged() -> LogCase:
    """Several rows a step, and missing values of all sorts."""
    rng = np.random.default_rng(20)
    rows: Rows = []
    for s, p in zip(*rates(_SIGMOID, 160, 8, 20), strict=True):
        rows += [{"step": s, "success": f"np.float64({p + e})"} for e in rng.normal(0, 0.01, 3)]
    rows += [{"step": 164, "success": "nan"}, {"step": 165, "success": ""}, {"step": 166, "success": "null"}]
    return LogCase("averaged.jsonl", to_lines(rows), {"budget": 250, "y": "success"})


def _refused() -> list[LogCase]:
    good = _pairs(_SIGMOID, 100, 10, 21, "accuracy")
    two: Rows = [
        {**row, "eval/a/accuracy": 0.1 * i / 11, "eval/b/accuracy": 0.2 * i / 11}
        for i, row in enumerate(good)
    ]
    cases = {
        "percent.csv": to_csv(
            [{"step": r["step"], "accuracy": 100 * float(str(r["accuracy"]))} for r in good]
        ),
        "signed.csv": to_csv(
            [{"step": r["step"], "accuracy": 2 * float(str(r["accuracy"])) - 1} for r in good]
        ),
        "shaped.csv": to_csv([{"step": r["step"], "reward": 3 * float(str(r["accuracy"]))} for r in good]),
        "ambiguous.csv": to_csv(two),
        "text.csv": to_csv([*good[:5], {"step": 45, "accuracy": "oops"}, *good[5:]]),
        "constant.csv": to_csv([{"step": r["step"], "accuracy": 0.5} for r in good]),
        "one_point.csv": to_csv(good[:1]),
        "no_step.csv": to_csv([{"alpha": r["step"], "accuracy": r["accuracy"]} for r in good]),
        "same_step.csv": to_csv([{"step": 3, "accuracy": r["accuracy"]} for r in good]),
        "filtered.csv": to_csv([{"step": r["step"], "train/filtered_accuracy": r["accuracy"]} for r in good]),
        "two_runs.csv": to_csv([{"run": n, **r} for n in "ab" for r in good]),
        "empty.csv": b"",
        "blank.csv": b"\n\n  \n",
        "header_only.csv": b"step,accuracy\n",
        "no_table.csv": b"this is a letter\nand no table\n",
        "binary.csv": bytes(range(256)) * 20,
        "archive.csv": b"\x1f\x8b\x08" + bytes(50),
        "broken.json": b'{"log_history": [{"step": 1, ',
        "no_rows.json": b'{"a": 1, "b": {"c": 2}}',
        "letters.jsonl": b'{"step": 1}\nx\ny\nz\n',
        "infinite.csv": b"step,accuracy\n1,inf\n2,-inf\n3,1e300\n",
    }
    return [LogCase(name, data, refused=True) for name, data in cases.items()]


_WRITERS: tuple[Callable[[], LogCase], ...] = (
    _plain, _money, _price_only, _value_only, _saturated, _wandb, _history, _trl_state, _verl, _tinker, _resumed,
    _shuffled, _percent_name, _percent_said, _long_table, _collapsed, _falling, _flat, _few, _early, _tokens, _from_zero, _steep_then_slow, _hoped,
    _met, _straight, _averaged,
)  # fmt: skip

#: Logs that get an answer, and logs of which nothing can be forecast.
LOGS: list[LogCase] = [write() for write in _WRITERS] + _refused()
