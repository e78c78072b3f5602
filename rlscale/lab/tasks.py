"""Verifiable tasks for a tiny model. A prompt has one right answer, so its pass rate is computed exactly.

``sort``
    Sort ``digits`` digits: ``31542>12345``. The best knob of difficulty.
``chain``
    ``turns`` sorts of three digits, one after the other, all of which must be right: reward is sparse, the
    answer long.
``unique``
    Sort and drop repeats, with an end token: answers of different lengths, so that the ways to average tokens
    differ.
``times``
    a*b mod 23: mere facts, without a rule that the model could find. RL has nothing to sharpen here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import suggest_names
from .settings import LabError, LabSettings

Ints = NDArray[np.int64]

#: The alphabet of all tasks: ten digits, then separator, end, padding, times.
SYMBOLS = "0123456789>$_*"
SEPARATOR, END, PAD, TIMES = 10, 11, 12, 13
_MODULUS = 23


@dataclass(frozen=True, eq=False)
class Problems:
    """A batch of prompts with their right answers.

    Attributes
    ----------
    prefix : array, shape (problems, prefix_length)
        Tokens that all answers to a prompt share.
    forced : array, shape (problems, answer_length)
        Tokens that the task itself writes into the answer (the next turn's question); -1 where the model
        writes.
    answer : array, shape (problems, answer_length)
        The right continuation, forced tokens included, padded after its end.
    written : array of bool, shape (problems, answer_length)
        Positions of the right answer that the model has to write.
    """

    prefix: Ints
    forced: Ints
    answer: Ints
    written: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.prefix)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> Problems:
        """Return the chosen problems."""
        return Problems(self.prefix[rows], self.forced[rows], self.answer[rows], self.written[rows])


@dataclass(frozen=True)
class Task:
    """A task: how many prompts there are, and how number i is written and answered."""

    name: str
    space: int
    prefix_length: int
    answer_length: int
    ends: bool
    holds_out: bool
    pose: Callable[[Ints], Problems]

    @property
    def length(self) -> int:
        """Tokens of prompt and longest answer together."""
        return self.prefix_length + self.answer_length


def _digits_of(ids: Ints, count: int) -> Ints:
    powers = 10 ** np.arange(count - 1, -1, -1, dtype=np.int64)
    return ids[:, None] // powers % 10


def _with_separator(digits: Ints) -> Ints:
    return np.concatenate([digits, np.full((len(digits), 1), SEPARATOR)], axis=1)


def _sort_task(digits: int) -> Task:
    def pose(ids: Ints) -> Problems:
        shown = _digits_of(ids, digits)
        answer = np.sort(shown, axis=1)
        return Problems(_with_separator(shown), np.full_like(answer, -1), answer, np.ones(answer.shape, bool))

    return Task("sort", 10**digits, digits + 1, digits, False, True, pose)


def _chain_task(turns: int) -> Task:
    def pose(ids: Ints) -> Problems:
        shown = _digits_of(ids, 3 * turns).reshape(len(ids), turns, 3)
        sorted_ = np.sort(shown, axis=2)
        forced, answer = [], []
        for turn in range(turns):
            if turn:
                question = _with_separator(shown[:, turn])
                forced.append(question)
                answer.append(question)
            forced.append(np.full((len(ids), 3), -1))
            answer.append(sorted_[:, turn])
        template = np.concatenate(forced, axis=1)
        return Problems(_with_separator(shown[:, 0]), template, np.concatenate(answer, axis=1), template < 0)

    return Task("chain", 1000**turns, 4, 7 * turns - 4, False, True, pose)


def _unique_task(digits: int) -> Task:
    def pose(ids: Ints) -> Problems:
        shown = _digits_of(ids, digits)
        ordered = np.sort(shown, axis=1)
        first = np.concatenate([np.ones((len(ids), 1), bool), np.diff(ordered, axis=1) > 0], axis=1)
        answer = np.full((len(ids), digits + 1), PAD)
        place = np.cumsum(first, axis=1) - 1
        rows = np.broadcast_to(np.arange(len(ids))[:, None], ordered.shape)
        answer[rows[first], place[first]] = ordered[first]
        answer[np.arange(len(ids)), first.sum(axis=1)] = END
        return Problems(_with_separator(shown), np.full_like(answer, -1), answer, answer != PAD)

    return Task("unique", 10**digits, digits + 1, digits + 1, True, True, pose)


def _times_task() -> Task:
    def pose(ids: Ints) -> Problems:
        a, b = ids // _MODULUS, ids % _MODULUS
        sign = np.full((len(ids), 1), TIMES)
        prefix = np.concatenate([_digits_of(a, 2), sign, _with_separator(_digits_of(b, 2))], axis=1)
        answer = _digits_of(a * b % _MODULUS, 2)
        return Problems(prefix, np.full_like(answer, -1), answer, np.ones(answer.shape, bool))

    # facts that were never shown cannot be known: this task is evaluated on the very facts it trains on
    return Task("times", _MODULUS**2, 6, 2, False, False, pose)


_BUILDERS: dict[str, Callable[[LabSettings], Task]] = {
    "sort": lambda s: _sort_task(s.digits),
    "chain": lambda s: _chain_task(s.turns),
    "unique": lambda s: _unique_task(s.digits),
    "times": lambda s: _times_task(),
}

TASKS: tuple[str, ...] = tuple(_BUILDERS)


def build_task(settings: LabSettings) -> Task:
    """Return the task that the settings name.

    Raises
    ------
    LabError
        If there is no such task, or the pool is larger than the task has prompts to train on.

    Examples
    --------
    >>> import numpy as np
    >>> task = build_task(LabSettings(task="unique", digits=5))
    >>> problem = task.pose(np.array([31133]))
    >>> write_tokens(problem.prefix[0]), write_tokens(problem.answer[0])
    ('31133>', '13$___')
    """
    if settings.task not in _BUILDERS:
        raise LabError(f"no task is called {settings.task!r}; {suggest_names(settings.task, _BUILDERS)}")
    task = _BUILDERS[settings.task](settings)
    free = task.space - (heldout_size(task, settings.eval_prompts) if task.holds_out else 0)
    if max(settings.pool, settings.prompts) > free:
        asked = max(settings.pool, settings.prompts)
        raise LabError(f"task {task.name} has {free} prompts to train on, and {asked} are asked for")
    return task


def heldout_size(task: Task, wanted: int) -> int:
    """Return how many prompts are held out: ``wanted``, at most a quarter of the task; all of a rote one."""
    return min(wanted, task.space // 4) if task.holds_out else task.space


def write_tokens(tokens: Ints) -> str:
    """Return tokens as text."""
    return "".join(SYMBOLS[t] for t in tokens)


class PromptSource:
    """Draws training prompts: fresh ones, or from a fixed pool; never a held-out one.

    Held-out set and pool depend on the seed alone, so that arms with the same seed can be compared in pairs.
    """

    def __init__(self, task: Task, settings: LabSettings) -> None:
        fixed = np.random.default_rng([settings.seed, 1])
        self.task = task
        self._stream = np.random.default_rng([settings.seed, 2])
        size = heldout_size(task, settings.eval_prompts)
        self.heldout_ids = (
            np.sort(fixed.choice(task.space, size, replace=False))
            if task.space < 10**7
            else _distinct(fixed, task.space, size)
        )
        self._barred = self.heldout_ids if task.holds_out else np.empty(0, np.int64)
        self._pool = self._draw_distinct(fixed, settings.pool) if settings.pool else None
        self._queue = np.empty(0, np.int64)
        self._solved: set[int] = set()

    def heldout(self) -> Problems:
        """Return the held-out problems, the same ones each time."""
        return self.task.pose(self.heldout_ids)

    def draw(self, count: int) -> Ints:
        """Return the numbers of ``count`` training prompts."""
        if self._pool is None:
            return self._draw_fresh(self._stream, count)
        while len(self._queue) < count:
            alive = (
                self._pool[~np.isin(self._pool, np.fromiter(self._solved, np.int64))]
                if self._solved
                else self._pool
            )
            # when all are solved the whole pool comes back: an empty batch teaches nothing either
            self._queue = np.concatenate(
                [self._queue, self._stream.permutation(alive if len(alive) else self._pool)]
            )
        taken, self._queue = self._queue[:count], self._queue[count:]
        return taken

    def drop(self, ids: Ints) -> None:
        """Never draw these prompts again (they count as solved)."""
        self._solved.update(int(i) for i in ids)

    def _draw_fresh(self, rng: np.random.Generator, count: int) -> Ints:
        ids = rng.integers(self.task.space, size=count)
        barred = np.isin(ids, self._barred)
        while barred.any():
            ids[barred] = rng.integers(self.task.space, size=int(barred.sum()))
            barred = np.isin(ids, self._barred)
        return ids

    def _draw_distinct(self, rng: np.random.Generator, count: int) -> Ints:
        chosen = np.unique(self._draw_fresh(rng, count))
        while len(chosen) < count:
            chosen = np.unique(np.concatenate([chosen, self._draw_fresh(rng, count - len(chosen))]))
        return chosen


def _distinct(rng: np.random.Generator, space: int, count: int) -> Ints:
    chosen = np.unique(rng.integers(space, size=count))
    while len(chosen) < count:
        chosen = np.unique(np.concatenate([chosen, rng.integers(space, size=count - len(chosen))]))
    return chosen


def verify_answers(problems: Problems, completion: Ints) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Check answers: is each right, and what share of its tokens is.

    Parameters
    ----------
    problems : Problems
        ``n`` problems.
    completion : array, shape (n, group_size, answer_length)
        Answers to each.

    Returns
    -------
    right : array of bool, shape (n, group_size)
    share : array, shape (n, group_size)
        Right tokens over tokens of the right answer, for partial credit.
    """
    same = (completion == problems.answer[:, None]) & problems.written[:, None]
    share = same.sum(axis=2) / problems.written.sum(axis=1)[:, None]
    return share == 1.0, share
