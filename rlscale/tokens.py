"""The tokens of one rollout step: what is generated, what is read, and what is trained on.

A rollout step samples ``group_size`` completions for each of ``prompts`` prompts. In ``turns`` turns the
context grows by what the model wrote and by what the environment answered, and an API reads it again each
turn. Groups in which every completion got the same reward (share ``zero_variance``) carry no signal:

- ``none``: they are trained on all the same;
- ``after``: they are dropped after the rollout, which saves training and not a token of generation;
- ``dynamic``: prompts are sampled until the batch is full of useful groups (DAPO), 1/(1 − z) times the work;
- ``before``: a predictor skips a share ``skip_recall`` of them before the rollout (as GRESO), which is where
  generation is saved.

Every count may be a float or an array of draws; arrays broadcast.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import CostError, suggest_names
from .named_inputs import CostInputError

Floats = NDArray[np.float64]

FILTERS = ("none", "after", "dynamic", "before")


@dataclass(frozen=True)
class Rollout:
    """What one rollout step samples.

    Attributes
    ----------
    prompts, group_size : float or array
        Prompts of a batch, and completions for each.
    prompt_tokens, mean_length : float or array
        Mean tokens of a prompt, and mean tokens that the model writes in a completion (all turns together).
    turns : float or array
        Turns of a completion; 1 for a single answer.
    observation_tokens : float or array
        Tokens that the environment answers between two turns.
    zero_variance : float or array
        Share of groups whose completions all got the same reward, in [0, 1].
    filtering : str
        One of :data:`FILTERS`.
    skip_recall : float or array
        Share of zero-variance prompts that ``before`` recognises without a rollout.
    eval_problems, eval_samples, eval_every : float
        Held-out problems, completions for each, and rollout steps between two evaluations (0: never).
    """

    prompts: Any
    group_size: Any
    prompt_tokens: Any
    mean_length: Any
    turns: Any = 1.0
    observation_tokens: Any = 0.0
    zero_variance: Any = 0.0
    filtering: str = "none"
    skip_recall: Any = 0.5
    eval_problems: Any = 0.0
    eval_samples: Any = 1.0
    eval_every: Any = 0.0

    def __post_init__(self) -> None:
        if self.filtering not in FILTERS:
            raise CostError(
                f"filtering {self.filtering!r} is not known; {suggest_names(self.filtering, FILTERS)}"
            )
        for field in fields(self):
            if field.name == "filtering":
                continue
            values = np.asarray(getattr(self, field.name), np.float64)
            if not np.all(np.isfinite(values)) or np.any(values < 0):
                raise CostInputError(f"`{field.name}` is {_worst(values)}; give a finite number of 0 or more")
            if field.name in ("zero_variance", "skip_recall") and np.any(values > 1):
                raise CostInputError(f"`{field.name}` is {values.max():g}; it is a share, from 0 to 1")
        if np.any(np.asarray(self.turns) < 1):
            raise CostInputError(f"`turns` is {np.min(self.turns):g}; a completion has 1 turn or more")
        if self.filtering in ("dynamic", "before") and np.any(np.asarray(self.zero_variance) >= 1):
            raise CostInputError(
                f"`filtering` {self.filtering!r} with `zero_variance` = 1 never fills a batch: no group has "
                "a signal; choose easier or harder prompts, or another filtering"
            )


@dataclass(frozen=True)
class StepTokens:
    """Tokens of one rollout step, or of a whole run.

    Attributes
    ----------
    generated : array
        Tokens sampled from the model for training (dropped groups included).
    prefill : array
        Tokens read for the first time.
    cached : array
        Tokens read again that a prefix cache holds.
    trained : array
        Generated tokens that carry a gradient.
    context : array
        The other tokens of the trained sequences: prompts and observations.
    eval_generated, eval_prefill : array
        The same for evaluation, spread over the steps between two evaluations.
    completions : array
        Completions sampled for training.
    """

    generated: Floats
    prefill: Floats
    cached: Floats
    trained: Floats
    context: Floats
    eval_generated: Floats
    eval_prefill: Floats
    completions: Floats

    def times(self, steps: ArrayLike) -> StepTokens:
        """Return the tokens of ``steps`` such rollout steps."""
        return replace(self, **{f.name: getattr(self, f.name) * np.asarray(steps) for f in fields(self)})


def count_tokens(rollout: Rollout, *, prefix_cache: bool = True) -> StepTokens:
    """Return the tokens of one rollout step.

    Parameters
    ----------
    rollout : Rollout
        What is sampled.
    prefix_cache : bool
        Whether a prompt is read once a group, and an earlier turn once a completion; what is read again is
        then counted as ``cached``. Without it everything is ``prefill``.

    Returns
    -------
    StepTokens
        The counts.

    Examples
    --------
    >>> step = count_tokens(Rollout(prompts=64, group_size=16, prompt_tokens=100, mean_length=500))
    >>> float(step.generated), float(step.prefill), float(step.cached), float(step.trained)
    (512000.0, 6400.0, 96000.0, 512000.0)
    >>> agent = Rollout(8, 1, prompt_tokens=1000, mean_length=300, turns=3, observation_tokens=200)
    >>> step = count_tokens(agent, prefix_cache=False)
    >>> float(step.prefill) / 8  # 1000, 1000 + 100 + 200, 1000 + 2·(100 + 200)
    3900.0
    """
    r = rollout
    z = np.asarray(r.zero_variance, np.float64)
    sampled, kept = 1.0 + 0 * z, 1.0 + 0 * z
    if r.filtering == "after":
        kept = 1 - z
    elif r.filtering == "dynamic":
        sampled = 1 / (1 - z)
    elif r.filtering == "before":
        # of the zero-variance prompts only those that slipped past the predictor are rolled out
        sampled = 1 + z / (1 - z) * (1 - np.asarray(r.skip_recall))
    groups = np.asarray(r.prompts, np.float64) * sampled
    completions = groups * r.group_size
    fresh, repeated = _read_once(r)
    if prefix_cache:
        prompt_once = groups * r.prompt_tokens
        prefill = prompt_once + completions * (fresh - r.prompt_tokens)
        cached = completions * repeated + (completions - groups) * r.prompt_tokens
        # a group of less than one completion does not exist; with 0 completions nothing is read
        prefill = np.where(completions > 0, prefill, 0.0)
        cached = np.where(completions > 0, np.maximum(cached, 0.0), 0.0)
    else:
        prefill, cached = completions * (fresh + repeated), 0.0 * completions
    trained_completions = np.asarray(r.prompts, np.float64) * r.group_size * kept
    per_step = np.where(
        np.asarray(r.eval_every) > 0, 1 / np.maximum(np.asarray(r.eval_every, np.float64), 1e-9), 0
    )
    evaluated = np.asarray(r.eval_problems, np.float64) * r.eval_samples * per_step
    return StepTokens(
        generated=np.asarray(completions * r.mean_length),
        prefill=np.asarray(prefill),
        cached=np.asarray(cached),
        trained=np.asarray(trained_completions * r.mean_length),
        context=np.asarray(
            trained_completions * (r.prompt_tokens + (np.asarray(r.turns) - 1) * r.observation_tokens)
        ),
        eval_generated=np.asarray(evaluated * r.mean_length),
        eval_prefill=np.asarray(evaluated * fresh),
        completions=np.asarray(completions),
    )


def final_context(rollout: Rollout) -> Floats:
    """Return the mean length of a finished sequence: prompt, everything written, every observation."""
    r = rollout
    return np.asarray(
        np.asarray(r.prompt_tokens, np.float64)
        + r.mean_length
        + (np.asarray(r.turns) - 1) * r.observation_tokens
    )


def _read_once(r: Rollout) -> tuple[Floats, Floats]:
    """Return the tokens of one completion that are read for the first time, and those read again."""
    turns = np.asarray(r.turns, np.float64)
    fresh = r.prompt_tokens + (turns - 1) * r.observation_tokens
    growth = np.asarray(r.mean_length) / turns + r.observation_tokens  # what a turn adds to the context
    sent = turns * r.prompt_tokens + growth * turns * (turns - 1) / 2
    return np.asarray(fresh, np.float64), np.asarray(sent - fresh, np.float64)


def _worst(values: Floats) -> float:
    bad = values[~np.isfinite(values)] if not np.all(np.isfinite(values)) else values
    return float(np.asarray(bad).flat[int(np.argmin(bad))])
