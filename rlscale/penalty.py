"""How far a KL penalty holds a pass rate back, for one prompt with one right answer of T tokens.

The usual penalty puts the weight ``reference/policy − 1`` on every sampled token
(:func:`rlscale.losses.kl_weights`). Averaged over samples this is minus the gradient of
KL(reference || policy) token by token: it pulls back whatever the reference did and the policy no longer
does, and its pull on the last wrong answers grows without bound. Reward and penalty balance below 1.

Each of the T tokens of the right answer is taken to have the same probability, s = p^(1/T) now and
q = p0^(1/T) in the reference. Setting the pull of the reward against that of the penalty::

    T · s^(T−1) · pull(p) / (p (1 − p)) = weight · ((1 − q)/(1 − s) − q/s) · (1 + s + … + s^(T−1))
"""

from __future__ import annotations

import math

from scipy.optimize import brentq

from .difficulty import prompt_pull
from .errors import RlscaleError
from .losses import Objective


class PenaltyError(RlscaleError):
    """A penalty, a start or a length is impossible."""


def kl_ceiling(
    start: float, weight: float, *, tokens: int = 1, group_size: int = 8, objective: Objective | None = None
) -> float:
    """Return the pass rate at which reward and KL penalty balance.

    Parameters
    ----------
    start : float
        Pass rate of the reference, between 0 and 1.
    weight : float
        Weight of the penalty, 0 or more.
    tokens : int
        Length of the right answer, T.
    group_size : int
        Answers a prompt, 2 or more.
    objective : Objective, optional
        How advantages are scaled; default GRPO's.

    Returns
    -------
    float
        In [start, 1]; 1 without a penalty.

    Raises
    ------
    PenaltyError
        If a number is impossible.

    Examples
    --------
    >>> [round(kl_ceiling(0.1, w, tokens=5), 3) for w in (0.0, 0.001, 0.04, 0.1)]
    [1.0, 0.999, 0.971, 0.925]
    """
    if not 0 < start < 1:
        raise PenaltyError(f"start is {start}; give a pass rate between 0 and 1")
    if not (math.isfinite(weight) and weight >= 0):
        raise PenaltyError(f"weight of the penalty is {weight}; give a finite number of 0 or more")
    if tokens < 1 or tokens != int(tokens):
        raise PenaltyError(f"tokens is {tokens}; give a whole number of 1 or more")
    if weight == 0:
        return 1.0
    q = start ** (1 / tokens)

    def balance(s: float) -> float:
        p = s**tokens
        pull = float(prompt_pull(p, group_size, objective)) / (p * (1 - p))
        prefix = sum(s**t for t in range(int(tokens)))
        return tokens * s ** (tokens - 1) * pull - weight * ((1 - q) / (1 - s) - q / s) * prefix

    # at s = q the penalty has no pull, near 1 it wins: there is a root between
    return float(brentq(balance, q, 1 - 1e-12, xtol=1e-12) ** tokens)
