"""What a task's difficulty does to the learning signal: groups, trajectories, spread of prompts, filters.

Built on :mod:`rlscale.signal` (one prompt of known pass rate) and :mod:`rlscale.losses` (how rewards become
advantages). The expectation over the G + 1 possible groups of 0/1 rewards is taken exactly, never sampled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, xlog1py, xlogy

from .losses import Objective, ObjectiveError, compute_advantages, find_objective
from .signal import SignalError, pass_at_k, zero_variance_probability

Floats = NDArray[np.float64]


def _enumerate_groups(p: Floats, group_size: int, objective: Objective) -> tuple[Floats, Floats, Floats]:
    """Chance of each count of right answers, and the advantages of a right and of a wrong answer there."""
    if objective.baseline != "group" or objective.scale == "batch":
        raise ObjectiveError(
            f"the advantage of {objective.title} depends on the other prompts of the batch; "
            "give an objective with a group baseline, and scale 'group' or 'none'"
        )
    counts = np.arange(group_size + 1)
    rewards = (np.arange(group_size)[None, :] < counts[:, None]).astype(float)  # the right ones first
    advantage = compute_advantages(rewards, objective)
    # in logs: scipy.stats.binom.pmf overflows at the smallest pass rates a float can hold
    wrong = group_size - counts
    choices = -betaln(1 + wrong, 1 + counts) - np.log1p(group_size)
    chance = np.exp(choices + xlogy(counts, p[..., None]) + xlog1py(wrong, -p[..., None]))
    return chance, advantage[:, 0], advantage[:, -1]


def _check(p: ArrayLike, group_size: int) -> Floats:
    zero_variance_probability(p, group_size)  # raises on what is no pass rate or no group
    if group_size < 2:
        raise SignalError(f"group size is {group_size}; a group of one has no baseline, give 2 or more")
    return np.asarray(p, np.float64)


def prompt_pull(p: ArrayLike, group_size: int, objective: Objective | None = None) -> Floats:
    """Return how hard a group pulls on its prompt's pass rate: E[mean of A·(r − p)].

    It is the factor of the policy gradient that difficulty decides: (1 − 1/G)·p(1 − p) where the advantage is
    not divided, and the expected standard deviation of the group where it is.

    Parameters
    ----------
    p : array
        Pass rates of prompts, in [0, 1].
    group_size : int
        Answers a prompt, 2 or more.
    objective : Objective, optional
        Its ``scale`` is used, ``group`` or ``none``; default GRPO's.

    Returns
    -------
    array, shape of ``p``

    Raises
    ------
    SignalError, ObjectiveError
        If a number is impossible, or the advantage depends on other prompts.

    Examples
    --------
    Dividing by the group's deviation lifts hard and easy prompts against middling ones:

    >>> for name in ("dr-grpo", "grpo"):
    ...     print((prompt_pull([0.05, 0.5], 8, find_objective(name))).round(3))
    [0.042 0.219]
    [0.117 0.464]
    """
    rates = _check(p, group_size)
    chance, right, wrong = _enumerate_groups(rates, group_size, objective or find_objective("grpo"))
    share = np.arange(group_size + 1) / group_size
    each = share * right * (1 - rates[..., None]) + (1 - share) * wrong * (0 - rates[..., None])
    return np.asarray((chance * each).sum(-1))


def signal_to_noise(p: ArrayLike, group_size: int, objective: Objective | None = None) -> Floats:
    """Return the squared ratio of signal to noise that one *completion* adds: pull² / E[A²].

    Noise is taken to be that of directions which the reward does not touch, where each completion adds its
    squared advantage. With an undivided advantage this is (1 − 1/G)·p(1 − p): at equal completions a larger
    group gains only what its own mean stops taking away.

    Examples
    --------
    >>> from rlscale.losses import find_objective
    >>> signal_to_noise(0.5, 8, find_objective("dr-grpo")).round(6)
    np.float64(0.21875)
    """
    rates = _check(p, group_size)
    chance, right, wrong = _enumerate_groups(rates, group_size, objective or find_objective("grpo"))
    share = np.arange(group_size + 1) / group_size
    noise = (chance * (share * right**2 + (1 - share) * wrong**2)).sum(-1)
    pull = prompt_pull(rates, group_size, objective)
    return np.divide(pull**2, noise, out=np.zeros_like(pull), where=noise > 0)[()]


def trajectory_pass_rate(step_rate: ArrayLike, steps: ArrayLike) -> Floats:
    """Return the pass rate of a trajectory in which every one of ``steps`` steps must succeed: q^K.

    Examples
    --------
    >>> trajectory_pass_rate(0.9, [1, 10, 50]).round(3)
    array([0.9  , 0.349, 0.005])
    """
    rates, count = np.asarray(step_rate, np.float64), np.asarray(steps, np.float64)
    if not (np.all((rates >= 0) & (rates <= 1)) and np.all(count >= 1)):
        raise SignalError("a step's pass rate must lie in [0, 1] and a trajectory have 1 step or more")
    return np.asarray(rates**count)


def spread_zero_variance(mean: float, spread: float, group_size: int) -> float:
    """Return the share of groups without spread when prompts differ: pass rates from a beta distribution.

    Parameters
    ----------
    mean, spread : float
        Mean and standard deviation of the prompts' pass rates; 0 < mean < 1, spread² < mean·(1 − mean).
    group_size : int
        Answers a prompt.

    Returns
    -------
    float
        E[p^G] + E[(1 − p)^G], in closed form.

    Examples
    --------
    Half of the answers right on average, and more than a third of the groups dead instead of one in 128:

    >>> [round(spread_zero_variance(0.5, s, 8), 3) for s in (0.0, 0.2, 0.35)]
    [0.008, 0.081, 0.382]
    """
    if not 0 < mean < 1 or not 0 <= spread**2 < mean * (1 - mean):
        raise SignalError(
            f"pass rates cannot have mean {mean} and standard deviation {spread}; "
            "give a mean between 0 and 1 and a deviation below sqrt(mean·(1 − mean))"
        )
    if spread == 0:
        return float(zero_variance_probability(mean, group_size))
    zero_variance_probability(mean, group_size)  # refuses an impossible group
    total = mean * (1 - mean) / spread**2 - 1
    a, b = mean * total, (1 - mean) * total
    base = betaln(a, b)
    return float(np.exp(betaln(a + group_size, b) - base) + np.exp(betaln(a, b + group_size) - base))


def count_zero_variance(n: ArrayLike, c: ArrayLike, group_size: int) -> Floats:
    """Return each prompt's chance of a group without spread, unbiased, from c right among n samples.

    A group drawn from the n samples without replacement is all right with chance C(c, G)/C(n, G), all wrong
    with C(n − c, G)/C(n, G). Putting c/n into p^G + (1 − p)^G instead overstates it.

    Parameters
    ----------
    n, c : array of int
        Samples and right samples of each prompt.
    group_size : int
        At most the smallest n.

    Raises
    ------
    SignalError
        If a count is impossible, or a prompt has fewer samples than a group.

    Examples
    --------
    >>> count_zero_variance([4, 4], [2, 4], 2).round(3)
    array([0.333, 1.   ])
    """
    samples, right = np.broadcast_arrays(np.asarray(n), np.asarray(c))
    all_wrong = 1 - pass_at_k(samples, right, group_size)
    all_right = 1 - pass_at_k(samples, samples - right, group_size)
    return np.asarray(all_wrong + all_right)


@dataclass(frozen=True)
class FilterCost:
    """What a filter makes of a batch, all counts in groups for each *useful* group (one that has spread).

    Attributes
    ----------
    name : str
        Which filter.
    sampled, trained : float
        Groups sampled and groups trained on.
    usd : float
        Dollars a useful group.
    """

    name: str
    sampled: float
    trained: float
    usd: float


def compare_filters(zero_variance: float, *, sample_usd: float, train_usd: float) -> list[FilterCost]:
    """Return what one useful group costs without a filter and with three kinds of filter.

    Parameters
    ----------
    zero_variance : float
        Share of groups without spread, in [0, 1).
    sample_usd, train_usd : float
        Dollars to sample, and to train on, one group.

    Returns
    -------
    list of FilterCost
        Without filter; dropped after sampling; replaced (dynamic sampling); skipped before sampling with
        perfect foresight, which bounds what any predictor can save.

    Examples
    --------
    >>> for f in compare_filters(0.5, sample_usd=1.0, train_usd=3.0):
    ...     print(f.name, f.usd)
    none 8.0
    dropped after sampling 5.0
    replaced (dynamic sampling) 5.0
    skipped before sampling (bound) 4.0
    """
    if not 0 <= zero_variance < 1:
        raise SignalError(f"share of groups without spread is {zero_variance}; give 0 or more and below 1")
    if not (0 <= sample_usd < np.inf and 0 <= train_usd < np.inf):
        raise SignalError(f"prices are {sample_usd} and {train_usd}; give finite numbers of 0 or more")
    more = 1 / (1 - zero_variance)
    rows = (
        ("none", more, more),
        ("dropped after sampling", more, 1.0),
        ("replaced (dynamic sampling)", more, 1.0),
        ("skipped before sampling (bound)", 1.0, 1.0),
    )
    return [FilterCost(n, s, t, s * sample_usd + t * train_usd) for n, s, t in rows]


def undivided(objective: Objective) -> Objective:
    """Return the objective without its division by a deviation, for what depends on one prompt alone.

    Examples
    --------
    >>> undivided(find_objective("grpo")).scale
    'none'
    """
    return replace(objective, scale="none")
