"""A run on a spectrum of difficulties, as a mean-field model: why gaps make plateaus.

One ability s stands for the policy, one difficulty d for each prompt, and the pass rate is
1 / (1 + exp(d − s)) (the Rasch model of test theory). The policy gradient of the mean pass rate then is the
mean of p(1 − p): prompts at the edge carry the run, and hand it on to the next harder ones (the "relay" of
Huang and others 2026, arXiv 2602.14872). Where the next ones are far away, nothing carries it.

The model is ours and illustrative: it shows that a gap is enough for a plateau, not how long one lasts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from .curve import Curve
from .difficulty import prompt_pull, undivided
from .errors import CurveError
from .losses import find_objective

Floats = NDArray[np.float64]


def climb_ability(
    difficulty: ArrayLike, *, steps: int, rate: float = 0.1, start: float = 0.0, group_size: int = 8
) -> Floats:
    """Return the ability after each rollout step.

    Parameters
    ----------
    difficulty : array, shape (prompts,)
        In the unit of ability (log-odds).
    steps : int
        Rollout steps, 1 or more.
    rate : float
        Ability gained per step and unit of pull.
    start : float
        Ability at step 0.
    group_size : int
        Answers a prompt; its pull is (1 − 1/G)·p(1 − p).

    Returns
    -------
    array, shape (steps + 1,)

    Raises
    ------
    CurveError
        If a number is impossible.

    Examples
    --------
    >>> bool(climb_ability([0.0], steps=10)[-1] > 0.2)
    True
    """
    levels = np.asarray(difficulty, np.float64).ravel()
    if levels.size == 0 or not np.all(np.isfinite(levels)):
        raise CurveError("difficulty must hold one finite number or more")
    if steps < 1 or steps != int(steps):
        raise CurveError(f"steps is {steps}; give a whole number of 1 or more")
    if not (np.isfinite(rate) and rate > 0 and np.isfinite(start)):
        raise CurveError(f"rate is {rate} and start {start}; give a rate above 0 and a finite start")
    share = float(prompt_pull(0.5, group_size, undivided(find_objective("grpo")))) * 4  # 1 − 1/G
    ability = np.empty(int(steps) + 1)
    ability[0] = start
    for i in range(int(steps)):
        p = expit(ability[i] - levels)
        ability[i + 1] = ability[i] + rate * share * float(np.mean(p * (1 - p)))
    return ability


def simulate_relay(
    difficulty: ArrayLike,
    *,
    steps: int,
    rate: float = 0.1,
    start: float = 0.0,
    group_size: int = 8,
    every: int = 10,
) -> Curve:
    """Return the mean pass rate over all prompts along such a run, without noise.

    Parameters
    ----------
    difficulty, steps, rate, start, group_size
        As for :func:`climb_ability`.
    every : int
        Rollout steps between two points.

    Examples
    --------
    >>> curve = simulate_relay([0.0, 1.0], steps=100)
    >>> curve.unit, len(curve), round(float(curve.pass_rate[0]), 3)
    ('rollout_steps', 11, 0.384)
    """
    if every < 1:
        raise CurveError(f"every is {every}; give 1 step or more between two points")
    ability = climb_ability(difficulty, steps=steps, rate=rate, start=start, group_size=group_size)
    levels = np.asarray(difficulty, np.float64).ravel()
    places = np.arange(0, int(steps) + 1, every)
    rates = expit(ability[places, None] - levels[None, :]).mean(1)
    return Curve(
        places.astype(np.float64),
        rates,
        unit="rollout_steps",
        kind="heldout_pass_rate",
        run="relay",
        format="simulated",
        x_key="rollout_steps",
        y_key="mean pass rate",
        why="mean-field model of one ability",
    )
