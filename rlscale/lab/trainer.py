"""The training loop: sample, verify, weigh, update, and now and then measure exactly."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..losses import compute_advantages
from .logbook import LabRun, Row, Step, summarise_steps
from .model import TinyTransformer
from .objectives import kl_penalty, policy_loss
from .rollout import PassRates, Rollout, answer_log_probs, measure_pass_rates, sample_answers
from .settings import LabSettings
from .tasks import Problems, PromptSource, build_task, verify_answers
from .warmstart import start_model


def train_run(settings: LabSettings, *, cache: Path | None = None) -> LabRun:
    """Train one run to the end of its budget.

    Parameters
    ----------
    settings : LabSettings
        All knobs.
    cache : Path, optional
        Folder of warm starts that runs share.
    """
    trainer = Trainer(settings, cache=cache)
    rows = tuple(trainer.rows())
    return LabRun(settings, rows, trainer.facts(), tuple(trainer.steps))


@dataclass(frozen=True, eq=False)
class _Batch:
    """One rollout step's groups, verified."""

    problems: Problems
    rollout: Rollout
    reward: NDArray[np.float64]
    right: NDArray[np.bool_]

    @property
    def varied(self) -> NDArray[np.bool_]:
        """Groups whose rewards are not all equal."""
        return np.ptp(self.reward, axis=1) > 0

    def take(self, keep: NDArray[np.bool_]) -> _Batch:
        index = torch.from_numpy(np.flatnonzero(keep))
        cut = Rollout(self.rollout.tokens[index], self.rollout.logp[index], self.rollout.mask[index])
        return _Batch(self.problems.take(keep), cut, self.reward[keep], self.right[keep])

    def join(self, other: _Batch) -> _Batch:
        first, second = self.problems, other.problems
        problems = Problems(
            *(
                np.concatenate([getattr(first, n), getattr(second, n)])
                for n in ("prefix", "forced", "answer", "written")
            )
        )
        parts = (
            torch.cat([getattr(self.rollout, n), getattr(other.rollout, n)])
            for n in ("tokens", "logp", "mask")
        )
        return _Batch(
            problems,
            Rollout(*parts),
            np.concatenate([self.reward, other.reward]),
            np.concatenate([self.right, other.right]),
        )


class _Tally:
    """What one rollout step sampled and updated, before it becomes a :class:`Step`."""

    def __init__(self, completions: int, generated: int) -> None:
        self._before = (completions, generated)
        self._right = self._reward = self._clipped = self._largest = 0.0
        self._groups = self._equal = self._good = self._bad = self._updates = 0

    def add_groups(self, batch: _Batch) -> None:
        self._right += float(batch.right.sum())
        self._reward += float(batch.reward.sum())
        self._groups += len(batch.reward)
        self._equal += int((~batch.varied).sum())
        self._good += int(batch.right.all(axis=1).sum())
        self._bad += int((~batch.right.any(axis=1)).sum())

    def add_update(self, clipped: float, largest: float) -> None:
        self._updates += 1
        self._clipped += clipped
        self._largest = max(self._largest, largest)

    def close(self, counts: dict[str, int]) -> Step:
        answers = counts["completions"] - self._before[0]
        return Step(
            rollout_step=counts["rollout_step"],
            updates_total=counts["updates"],
            updates=self._updates,
            completions=answers,
            generated_tokens=counts["generated_tokens"] - self._before[1],
            groups=self._groups,
            right=self._right,
            reward=self._reward,
            equal_groups=self._equal,
            all_good_groups=self._good,
            all_bad_groups=self._bad,
            clipped=self._clipped,
            largest_ratio=self._largest,
        )


class Trainer:
    """One run in progress. :meth:`rows` trains and yields a row of the log at each evaluation.

    Torch is set to one thread: with two, sums come out in another order and the same seed gives another log.
    """

    def __init__(self, settings: LabSettings, *, cache: Path | None = None) -> None:
        torch.set_num_threads(1)
        self.settings = settings
        self.task = build_task(settings)
        self.source = PromptSource(self.task, settings)
        self.heldout = self.source.heldout()
        self.model, self.start = start_model(settings, self.task, cache=cache)
        trained = [p for p in self.model.parameters() if p.requires_grad]
        self._trained = trained
        self._optimizer = torch.optim.AdamW(
            trained, lr=settings.learning_rate, betas=(0.9, 0.95), weight_decay=0.0, fused=True
        )
        self._rng = torch.Generator().manual_seed(settings.seed * 1_000_003 + 17)
        self._noise = np.random.default_rng([settings.seed, 3])
        self._sampler = self.model if not settings.staleness else deepcopy(self.model)
        self._history: deque[list[Tensor]] = deque(maxlen=settings.staleness + 1)
        self._reference = deepcopy(self.model) if settings.kl else None
        self._start_logp = answer_log_probs(self.model, self.heldout)
        self._counts = {
            "rollout_step": 0,
            "updates": 0,
            "completions": 0,
            "generated_tokens": 0,
            "trained_tokens": 0,
        }
        self._seconds = 0.0
        self.steps: list[Step] = []
        self._logged = 0

    def facts(self) -> dict[str, Any]:
        """Return what is worth keeping beside the rows."""
        return {
            "start_iterations": self.start.iterations,
            "parameters": self.model.count_parameters(),
            "trained_parameters": self.model.count_parameters(trained=True),
            "heldout_prompts": len(self.heldout),
            "evaluated_on": "held-out prompts" if self.task.holds_out else "the training prompts",
            "torch": torch.__version__,
        }

    def rows(self) -> Iterator[Row]:
        """Train until the budget is spent; yield the state at the start, at each evaluation, at the end."""
        clock = time.process_time()
        due = 0
        while True:
            spent = self._counts["completions"]
            if spent >= due or spent >= self.settings.budget:
                due = spent - spent % self.settings.eval_every + self.settings.eval_every
                row = self._measure(clock)
                pause = time.process_time()
                yield row
                clock += time.process_time() - pause  # what the caller does with the row is not training
            if spent >= self.settings.budget:
                return
            self._step()

    def _measure(self, clock: float) -> Row:
        rates: PassRates = measure_pass_rates(self.model, self.heldout, reference=self._start_logp)
        row = Row(
            **self._counts,
            cpu_seconds=time.process_time() - clock,
            heldout_pass_rate=rates.mean,
            pass_at_8=rates.at(8),
            pass_at_64=rates.at(64),
            greedy=float(rates.greedy.mean()),
            dead=rates.dead,
            zero_variance_expected=rates.zero_variance(self.settings.group_size),
            entropy=rates.entropy,
            kl=rates.kl,
            **summarise_steps(self.steps[self._logged :]),
        )
        self._logged = len(self.steps)
        return row

    def _step(self) -> None:
        s = self.settings
        if s.staleness:
            self._history.append([p.detach().clone() for p in self._trained])
            with torch.no_grad():
                stale = [p for p in self._sampler.parameters() if p.requires_grad]
                for target, old in zip(stale, self._history[0], strict=True):
                    target.copy_(old)
        tally = _Tally(self._counts["completions"], self._counts["generated_tokens"])
        batch = self._sample_batch(tally)
        keep = (
            batch.varied
            if s.tries > 1 or s.objective.zero_variance_filter
            else np.ones(len(batch.reward), bool)
        )
        if keep.any():
            self._update(batch.take(keep) if not keep.all() else batch, tally)
        self._counts["rollout_step"] += 1
        self.steps.append(tally.close(self._counts))

    def _sample_batch(self, tally: _Tally) -> _Batch:
        s = self.settings
        kept: _Batch | None = None
        for _ in range(s.tries):
            batch = self._sample_groups(tally)
            if s.tries == 1:
                return batch
            good = batch.take(batch.varied)
            kept = good if kept is None else kept.join(good)
            if len(kept.reward) >= s.prompts:
                break
        assert kept is not None
        return kept.take(np.arange(len(kept.reward)) < s.prompts)

    def _sample_groups(self, tally: _Tally) -> _Batch:
        s = self.settings
        ids = self.source.draw(s.prompts)
        problems = self.task.pose(ids)
        rollout = sample_answers(
            self._sampler,
            problems,
            s.group_size,
            self._rng,
            temperature=s.temperature,
            ends=self.task.ends,
            bits=s.sampler_bits,
        )
        right, share = verify_answers(problems, rollout.tokens.numpy())
        reward = share if s.partial_credit else right.astype(np.float64)
        if s.verifier_noise:
            reward = np.where(self._noise.random(reward.shape) < s.verifier_noise, 1.0 - reward, reward)
        if s.drop_solved:
            self.source.drop(ids[right.mean(axis=1) >= s.drop_solved])
        batch = _Batch(problems, rollout, reward, right)
        self._counts["completions"] += right.size
        self._counts["generated_tokens"] += rollout.generated
        tally.add_groups(batch)
        return batch

    def _update(self, batch: _Batch, tally: _Tally) -> None:
        s = self.settings
        advantage = torch.from_numpy(compute_advantages(batch.reward, s.objective))
        prefix = torch.from_numpy(batch.problems.prefix)
        for chunk in np.array_split(np.arange(len(batch.reward)), s.mini_batches):
            if not len(chunk):
                continue
            part = slice(int(chunk[0]), int(chunk[-1]) + 1)
            tokens, mask = batch.rollout.tokens[part], batch.rollout.mask[part]
            logp = self._log_probs(self.model, prefix[part], tokens)
            loss, clipped, largest = policy_loss(
                s.objective,
                logp,
                batch.rollout.logp[part],
                advantage[part],
                mask,
                longest=self.task.answer_length,
            )
            if self._reference is not None:
                with torch.no_grad():
                    anchor = self._log_probs(self._reference, prefix[part], tokens)
                loss = loss + s.kl * kl_penalty(logp, anchor, mask)
            self._optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self._trained, 1.0)
            self._optimizer.step()
            self._counts["updates"] += 1
            self._counts["trained_tokens"] += int(mask.sum())
            tally.add_update(float(clipped), float(largest))

    def _log_probs(self, model: TinyTransformer, prefix: Tensor, tokens: Tensor) -> Tensor:
        logits = model.answer_logits(prefix, tokens)
        if self.settings.temperature != 1.0:
            logits = logits / self.settings.temperature
        return torch.log_softmax(logits, dim=-1).gather(-1, tokens[..., None]).squeeze(-1)
