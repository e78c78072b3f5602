"""Supervised warm start: train on right answers until the pass rate reaches R0, and not much beyond."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch.nn import functional as F

from .model import TinyTransformer
from .rollout import measure_pass_rates
from .settings import LabError, LabSettings
from .tasks import PromptSource, Task

#: Settings that decide the warm start; runs that share them and the seed share it.
_KEYS = (
    "task",
    "digits",
    "turns",
    "width",
    "layers",
    "heads",
    "mlp",
    "experts",
    "start",
    "eval_prompts",
    "seed",
)
_BATCH = 256
_LIMIT = 6_000


@dataclass(frozen=True)
class WarmStart:
    """What the warm start cost.

    Attributes
    ----------
    iterations : int
        Supervised updates, of 256 answers each.
    pass_rate : float
        Exact held-out pass rate reached.
    """

    iterations: int
    pass_rate: float


def start_model(
    settings: LabSettings, task: Task, *, cache: Path | None = None
) -> tuple[TinyTransformer, WarmStart]:
    """Build the model and train it, supervised, to the starting pass rate; adapters are added afterwards.

    Parameters
    ----------
    settings : LabSettings
        ``start`` is the wanted pass rate.
    task : Task
        The task.
    cache : Path, optional
        Folder where warm starts are kept, so that arms with the same seed share theirs.

    Raises
    ------
    LabError
        If the pass rate is not reached in 6,000 updates.
    """
    torch.manual_seed(settings.seed)
    model = TinyTransformer(settings, task)
    key = json.dumps({k: getattr(settings, k) for k in _KEYS} | {"torch": torch.__version__}, sort_keys=True)
    kept = None if cache is None else cache / f"start-{hashlib.sha256(key.encode()).hexdigest()[:16]}.pt"
    if kept is not None and kept.exists():
        stored = torch.load(kept, weights_only=True)
        model.load_state_dict(stored["weights"])
        done = WarmStart(int(stored["iterations"]), float(stored["pass_rate"]))
    else:
        done = _train_supervised(model, settings, task)
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            half = kept.with_suffix(f".{os.getpid()}.part")
            torch.save(
                {"weights": model.state_dict(), "iterations": done.iterations, "pass_rate": done.pass_rate},
                half,
            )
            half.replace(kept)
    if settings.lora_rank:
        torch.manual_seed(settings.seed + 1)
        model.add_adapters(settings.lora_rank, settings.lora_alpha)
    return model, done


def _train_supervised(model: TinyTransformer, settings: LabSettings, task: Task) -> WarmStart:
    # the start is the base model: it has seen all kinds of prompts, whatever pool RL is left with
    source = PromptSource(task, replace(settings, pool=0, drop_solved=0.0))
    heldout = source.heldout()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0, fused=True)
    slow = False
    for iteration in range(_LIMIT + 1):
        # near the goal the steps are short and looked at often: an overshoot would change R0
        if iteration % (2 if slow else 10) == 0:
            rate = measure_pass_rates(model, heldout).mean
            if rate >= settings.start:
                return WarmStart(iteration, rate)
            if not slow and rate >= settings.start / 3:
                slow = True
                for group in optimizer.param_groups:
                    group["lr"] *= 0.25
        problems = task.pose(source.draw(_BATCH))
        answer = torch.from_numpy(problems.answer)
        logits = model.answer_logits(torch.from_numpy(problems.prefix), answer[:, None])[:, 0]
        written = torch.from_numpy(problems.written)
        loss = F.cross_entropy(logits[written], answer[written])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    raise LabError(
        f"the warm start reached a pass rate of {rate:.3f} and not {settings.start:g} in {_LIMIT} updates; "
        "take an easier task, a wider model or a lower start"
    )
