"""The balance of reward and KL penalty: closed form for one token, simulated gradient ascent for several."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit, logit

from rlscale.difficulty import prompt_pull
from rlscale.losses import average_weights, compute_advantages, find_objective, kl_weights, token_weights
from rlscale.penalty import PenaltyError, kl_ceiling

PLAIN = find_objective("dr-grpo")


def test_without_a_penalty_nothing_is_held_back() -> None:
    assert kl_ceiling(0.1, 0.0, tokens=5) == 1.0


def test_one_token_and_a_large_group_balance_where_the_formula_says() -> None:
    # (1 - 1/G) = w ((1 - p0)/(1 - p) - p0/p), the pull of reward being p(1 - p)(1 - 1/G)
    p = kl_ceiling(0.1, 0.1, group_size=64, objective=PLAIN)
    assert 0.1 * (0.9 / (1 - p) - 0.1 / p) == pytest.approx(1 - 1 / 64, rel=1e-9)


def test_more_penalty_and_a_rarer_start_hold_back_more() -> None:
    by_weight = [kl_ceiling(0.1, w, tokens=5) for w in (1e-3, 1e-2, 0.1, 1.0)]
    by_start = [kl_ceiling(p, 0.1, tokens=5) for p in (0.5, 0.1, 0.02)]
    assert by_weight == sorted(by_weight, reverse=True) and by_start == sorted(by_start, reverse=True)
    assert all(0.1 <= p < 1 for p in by_weight)


@pytest.mark.parametrize("name", ["grpo", "dr-grpo"])
def test_gradient_ascent_with_the_books_own_weights_ends_there(name: str) -> None:
    """Train three token probabilities with losses.py and compare where they settle."""
    objective, weight, start, tokens, prompts, size = find_objective(name), 0.15, 0.2, 3, 256, 8
    rng = np.random.default_rng(0)
    theta = np.full(tokens, logit(start ** (1 / tokens)))
    reference = expit(theta)
    settled = []
    for step in range(1500):
        s = expit(theta)
        right = rng.random((prompts, size, tokens)) < s
        # beyond a first wrong token the policy is the reference: no gradient, and no further reward
        on_path = np.cumprod(np.concatenate([np.ones((prompts, size, 1)), right[..., :-1]], 2), 2).astype(
            bool
        )
        logp = np.where(right, np.log(s), np.log1p(-s))
        anchor = np.where(right, np.log(reference), np.log1p(-reference))
        advantage = compute_advantages(right.all(2).astype(float), objective)
        everything = np.ones_like(right)
        pull = token_weights(objective, logp, logp, advantage, everything)
        hold = kl_weights(logp, anchor) * average_weights(everything, "token")
        score = np.where(right, 1 - s, -s)
        gradient = ((pull + weight * hold) * score * on_path).sum((0, 1))
        theta = theta + 10 * gradient
        if step >= 1000:
            settled.append(float(np.prod(expit(theta))))
    expected = kl_ceiling(start, weight, tokens=tokens, group_size=size, objective=objective)
    # tokens are equal only on average, and 256 groups a step leave noise: 0.01
    assert np.mean(settled) == pytest.approx(expected, abs=0.01)
    assert 0.5 < expected < 0.95


def test_pull_at_the_balance_equals_the_hold() -> None:
    p = kl_ceiling(0.3, 0.2, tokens=1, group_size=4)
    pull = float(prompt_pull(p, 4)) / (p * (1 - p))
    assert pull == pytest.approx(0.2 * (0.7 / (1 - p) - 0.3 / p), rel=1e-9)


@pytest.mark.parametrize(
    ("start", "weight", "tokens"),
    [
        (0.0, 0.1, 1),
        (1.0, 0.1, 1),
        (math.nan, 0.1, 1),
        (0.1, -1, 1),
        (0.1, math.inf, 1),
        (0.1, 0.1, 0),
        (0.1, 0.1, 1.5),
    ],
)
def test_impossible_penalties_are_refused(start: float, weight: float, tokens: float) -> None:
    with pytest.raises(PenaltyError):
        kl_ceiling(start, weight, tokens=tokens)  # type: ignore[arg-type]
