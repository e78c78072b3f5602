"""A laboratory run written as another framework would log it: our readers are tested on logs we own.

The keys, units and habits are those of the frameworks (September 2026): TRL counts optimizer updates and puts
evaluations in rows of their own; verl counts rollout steps from 1 and validates in the row of the step just
made; tinker-cookbook counts batches from 0 and evaluates before the update. Only what the laboratory measures
is written; the exact pass rate stands where theirs is sampled.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import suggest_names
from .logbook import LabRun, Row, Step, make_folder, write_whole
from .settings import LabError
from .tasks import Task, build_task


def write_trl(run: LabRun, target: Path) -> Path:
    """Write ``trainer_state.json`` into the folder ``target`` as TRL's GRPOTrainer does; return its path."""
    task, steps = _needed(run, "trl")
    rows = {r.rollout_step: r for r in run.rows}
    history: list[dict[str, Any]] = []
    completions = tokens = 0
    length = steps[-1].updates_total
    if 0 in rows:
        history.append(_trl_eval(rows[0], 0, length))
    for step in steps:
        completions += step.completions
        tokens += step.generated_tokens
        if step.updates:
            history.append(
                {
                    "clip_ratio/region_mean": step.clipped / step.updates,
                    "completions/mean_length": step.generated_tokens / step.completions,
                    "epoch": step.updates_total / length,
                    "frac_reward_zero_std": step.equal_groups / step.groups,
                    "learning_rate": run.settings.learning_rate,
                    "num_tokens": float(completions * task.prefix_length + tokens),
                    "reward": step.reward / step.completions,
                    "rewards/accuracy_reward/mean": step.reward / step.completions,
                    "step": step.updates_total,
                }
            )
        if step.rollout_step in rows:
            history.append(_trl_eval(rows[step.rollout_step], step.updates_total, length))
    state = {
        "best_metric": None,
        "best_model_checkpoint": None,
        "epoch": 1.0,
        "eval_steps": run.settings.eval_every // run.settings.completions_a_step * run.settings.mini_batches,
        "global_step": length,
        "is_local_process_zero": True,
        "is_world_process_zero": True,
        "log_history": history,
        "logging_steps": run.settings.mini_batches,
        "max_steps": length,
        "num_input_tokens_seen": 0,
        "num_train_epochs": 1,
        "total_flos": 0.0,
        "train_batch_size": run.settings.completions_a_step // run.settings.mini_batches,
    }
    path = target / "trainer_state.json"
    write_whole(path, (json.dumps(state, indent=2, sort_keys=True) + "\n").encode())
    return path


def _trl_eval(row: Row, update: int, length: int) -> dict[str, Any]:
    return {
        "epoch": update / length,
        "eval_reward": row.heldout_pass_rate,
        "eval_rewards/accuracy_reward/mean": row.heldout_pass_rate,
        "eval_runtime": 0.0,
        "step": update,
    }


def write_verl(run: LabRun, target: Path) -> Path:
    """Write ``<experiment>.jsonl`` into ``target`` as verl's file logger does; return its path."""
    task, steps = _needed(run, "verl")
    rows = {r.rollout_step: r for r in run.rows}
    lines: list[dict[str, Any]] = []
    if 0 in rows:
        lines.append({"step": 0, "data": _verl_validation(rows[0], task)})
    for step in steps:
        prompt_tokens = step.completions * task.prefix_length
        data: dict[str, Any] = {
            "training/global_step": step.rollout_step,
            "training/epoch": 0,
            "critic/score/mean": step.reward / step.completions,
            "critic/rewards/mean": step.reward / step.completions,
            "response_length/mean": step.generated_tokens / step.completions,
            "prompt_length/mean": float(task.prefix_length),
            "perf/total_num_tokens": prompt_tokens + step.generated_tokens,
            "actor/lr": run.settings.learning_rate,
        }
        if step.updates:
            data["actor/pg_clipfrac"] = step.clipped / step.updates
        if step.rollout_step in rows:
            data |= _verl_validation(rows[step.rollout_step], task)
        lines.append({"step": step.rollout_step, "data": data})
    return _write_lines(target / f"{task.name}.jsonl", lines)


def _verl_validation(row: Row, task: Task) -> dict[str, float]:
    source = f"val-core/lab_{task.name}/acc"
    # verl draws best@n with replacement, whose expectation is 1 - (1 - p)^n: the exact value
    return {f"{source}/mean@8": row.heldout_pass_rate, f"{source}/best@8/mean": row.pass_at_8}


def write_tinker(run: LabRun, target: Path) -> Path:
    """Write ``metrics.jsonl`` into ``target`` as tinker-cookbook's RL loop does; return its path."""
    task, steps = _needed(run, "tinker")
    rows = {r.rollout_step: r for r in run.rows}
    lines: list[dict[str, Any]] = []
    turns = run.settings.turns if task.name == "chain" else 1
    for step in steps:
        batch = step.rollout_step - 1
        observed = (
            task.answer_length * step.completions - step.generated_tokens if task.name == "chain" else 0
        )
        line: dict[str, Any] = {
            "step": batch,
            "progress/batch": batch,
            "progress/done_frac": step.rollout_step / len(steps),
            "optim/lr": run.settings.learning_rate,
            "env/all/ac_tokens_per_turn": step.generated_tokens / step.completions / turns,
            "env/all/turns_per_episode": float(turns),
            "env/all/total_episodes": step.completions,
            "env/all/total_turns": step.completions * turns,
            "env/all/total_ac_tokens": step.generated_tokens,
            "env/all/total_ob_tokens": step.completions * task.prefix_length + observed,
            "env/all/reward/total": step.reward / step.completions,
            "env/all/correct": step.right / step.completions,
            "env/all/by_group/frac_mixed": 1 - (step.all_good_groups + step.all_bad_groups) / step.groups,
            "env/all/by_group/frac_all_good": step.all_good_groups / step.groups,
            "env/all/by_group/frac_all_bad": step.all_bad_groups / step.groups,
        }
        if batch in rows:
            line["test/env/all/correct"] = rows[batch].heldout_pass_rate
            line["test/env/all/reward/total"] = rows[batch].heldout_pass_rate
        lines.append(line)
    last = steps[-1].rollout_step
    if last in rows:
        # the state after the last update has no batch of its own: a row with the evaluation only
        lines.append({"step": last, "test/env/all/correct": rows[last].heldout_pass_rate})
    return _write_lines(target / "metrics.jsonl", lines)


def write_own(run: LabRun, target: Path) -> Path:
    """Write ``lab.jsonl`` into ``target`` in our own format; return its path."""
    path = target / "lab.jsonl"
    run.write(path)
    return path


WRITERS: dict[str, Callable[[LabRun, Path], Path]] = {
    "own": write_own,
    "trl": write_trl,
    "verl": write_verl,
    "tinker": write_tinker,
}


def check_style(style: str) -> None:
    """Raise a LabError if no log format has this name: better before the training than after it."""
    if style not in WRITERS:
        raise LabError(f"no log format is called {style!r}; {suggest_names(style, WRITERS)}")


def write_run(run: LabRun, target: Path, style: str = "own") -> Path:
    """Write a run in the format of ``style`` into the folder ``target``; return the file's path.

    Raises
    ------
    LabError
        If the style is not known, or the run no longer holds its single steps (it was read back from our own
        format).
    """
    check_style(style)
    make_folder(target)
    return WRITERS[style](run, target)


def _needed(run: LabRun, style: str) -> tuple[Task, tuple[Step, ...]]:
    if not run.steps:
        raise LabError(
            f"the format {style} has a row a step, and this run holds evaluations only; "
            "write it when it is trained"
        )
    return build_task(run.settings), run.steps


def _write_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    write_whole(path, "".join(json.dumps(line) + "\n" for line in lines).encode())
    return path
