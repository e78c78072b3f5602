r"""The policy-gradient objectives of RLVR, each as the weight it puts on every token.

Whatever its name, an objective ends in a gradient :math:`\sum_t w_t \nabla \log \pi(y_t)`. The recipes differ
in three choices that make up :math:`w_t`: how rewards become **advantages**, what is done with the **ratio**
:math:`r_t = \pi(y_t) / \mu(y_t)` of trained to sampling policy, and how tokens are **averaged**. Seen this
way they fit in one table (:data:`OBJECTIVES`) and can be compared token by token.

Sources: GRPO arXiv:2402.03300 (Eq. 3); Dr. GRPO arXiv:2503.20783 (Sec. 3.2); DAPO arXiv:2503.14476 (Eq. 8);
GSPO arXiv:2507.18071 (Eq. 5-7); CISPO arXiv:2506.13585 (Eq. 4-5); ScaleRL arXiv:2510.13786 (Sec. 4).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import suggest_names
from .objectives import AVERAGES, OBJECTIVES, Objective, ObjectiveError, find_objective

__all__ = [
    "AVERAGES",
    "OBJECTIVES",
    "Objective",
    "ObjectiveError",
    "average_weights",
    "compute_advantages",
    "find_objective",
    "kl_weights",
    "ratio_weights",
    "token_weights",
]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def compute_advantages(reward: ArrayLike, objective: Objective, *, keep: ArrayLike | None = None) -> Floats:
    """Turn rewards into advantages: reward minus baseline, over scale.

    Parameters
    ----------
    reward : array, shape (prompts, group_size)
        One reward an answer.
    objective : Objective
        Its ``baseline`` and ``scale`` are used.
    keep : array of bool, shape (prompts,), optional
        Prompts that stay in the batch; others get advantage 0 and do not count in the batch mean or
        deviation.

    Returns
    -------
    array, shape (prompts, group_size)
        Groups without spread get 0 (never a division by zero).

    Examples
    --------
    >>> compute_advantages([[1, 0, 0, 0]], find_objective("dr-grpo"))
    array([[ 0.75, -0.25, -0.25, -0.25]])
    >>> compute_advantages([[1, 1, 1, 1]], find_objective("grpo"))
    array([[0., 0., 0., 0.]])
    """
    rewards = np.asarray(reward, np.float64)
    if rewards.ndim != 2 or rewards.size == 0:
        raise ObjectiveError(f"reward has shape {rewards.shape}; give (prompts, group_size)")
    if not np.isfinite(rewards).all():
        raise ObjectiveError("a reward is not finite; drop that answer or mend the verifier")
    kept = np.ones(len(rewards), bool) if keep is None else np.asarray(keep, bool)
    if kept.shape != (len(rewards),):
        raise ObjectiveError(
            f"keep has shape {kept.shape} for {len(rewards)} prompts; give one flag a prompt"
        )
    if not kept.any():
        return np.zeros_like(rewards)
    base = rewards.mean(axis=1, keepdims=True) if objective.baseline == "group" else rewards[kept].mean()
    advantage = rewards - base
    if objective.scale == "group":
        spread = rewards.std(axis=1, keepdims=True)
    elif objective.scale == "batch":
        # the deviation of the centred advantages, as in ScaleRL, not of the raw rewards
        spread = np.full((len(rewards), 1), advantage[kept].std())
    else:
        spread = np.ones((len(rewards), 1))
    safe = np.where(spread > 1e-8, spread, 1.0)
    return np.where((spread > 1e-8) & kept[:, None], advantage / safe, 0.0)


def average_weights(
    mask: ArrayLike, average: str, *, longest: int | None = None, keep: ArrayLike | None = None
) -> Floats:
    """Return the weight of each token in the objective's average: what the arguments about length are about.

    Parameters
    ----------
    mask : array of bool, shape (prompts, group_size, tokens)
        True where the policy wrote the token.
    average : str
        A key of :data:`AVERAGES`.
    longest : int, optional
        Longest allowed answer, for ``constant``; default: the size of the token axis.
    keep : array of bool, shape (prompts,), optional
        Prompts that count.

    Returns
    -------
    array, shape of ``mask``
        Sums to 1, except for ``constant``.

    Examples
    --------
    A short and a long answer: the sequence mean favours each token of the short one, the token mean does not.

    >>> mask = [[[True, False, False, False], [True, True, True, True]]]
    >>> average_weights(mask, "sequence")[0, :, 0]
    array([0.5  , 0.125])
    >>> average_weights(mask, "token")[0, :, 0]
    array([0.2, 0.2])
    """
    if average not in AVERAGES:
        raise ObjectiveError(f"average {average!r} is not known; {suggest_names(average, AVERAGES)}")
    written = np.asarray(mask, np.float64)
    if written.ndim != 3:
        raise ObjectiveError(f"mask has shape {written.shape}; give (prompts, group_size, tokens)")
    if keep is not None:
        written = written * np.asarray(keep, np.float64)[:, None, None]
    tokens_answer = written.sum(axis=2, keepdims=True)
    answers = np.count_nonzero(tokens_answer)
    tokens_prompt = written.sum(axis=(1, 2), keepdims=True)
    prompts = np.count_nonzero(tokens_prompt)
    if answers == 0:
        return np.zeros_like(written)
    if average == "sequence":
        return written / np.maximum(tokens_answer, 1) / answers
    if average == "token":
        return written / written.sum()
    if average == "prompt":
        return written / np.maximum(tokens_prompt, 1) / prompts
    return written / (answers * (written.shape[2] if longest is None else longest))


def ratio_weights(
    log_ratio: ArrayLike, advantage: ArrayLike, mask: ArrayLike, objective: Objective
) -> Floats:
    """Return what the ratio makes of each token's weight, before advantage and average: 0 where clipped.

    Parameters
    ----------
    log_ratio : array, shape (prompts, group_size, tokens)
        log pi - log mu of the token written.
    advantage : array, shape (prompts, group_size)
        Its sign decides which side of the band clips.
    mask : array of bool, shape (prompts, group_size, tokens)
        True where the policy wrote the token.

    Returns
    -------
    array, shape (prompts, group_size, tokens)
    """
    written = np.asarray(mask, bool)
    gap = np.where(written, np.asarray(log_ratio, np.float64), 0.0)
    if objective.ratio == "none":
        return np.ones_like(gap)
    if objective.ratio == "sequence":
        gap = np.broadcast_to(
            gap.sum(2, keepdims=True) / np.maximum(written.sum(2, keepdims=True), 1), gap.shape
        )
    ratio = np.exp(gap)
    if objective.limit == "truncate":
        return np.minimum(ratio, objective.high)
    if objective.limit == "none":
        return ratio
    positive = np.asarray(advantage, np.float64)[..., None] > 0
    clipped = np.where(positive, ratio > 1 + objective.high, ratio < 1 - objective.low)
    return np.where(clipped, 0.0, ratio)


def token_weights(
    objective: Objective,
    logp: ArrayLike,
    logp_sampler: ArrayLike,
    advantage: ArrayLike,
    mask: ArrayLike,
    *,
    longest: int | None = None,
    keep: ArrayLike | None = None,
) -> Floats:
    """Return w such that the gradient to be climbed is the sum of w * grad log pi over all tokens.

    Parameters
    ----------
    objective : Objective
        The recipe.
    logp, logp_sampler : array, shape (prompts, group_size, tokens)
        Log-probability of each written token under the trained policy and under the policy that sampled it.
    advantage : array, shape (prompts, group_size)
        From :func:`compute_advantages`.
    mask : array of bool, shape (prompts, group_size, tokens)
        True where the policy wrote the token.
    longest, keep
        As in :func:`average_weights`.

    Returns
    -------
    array, shape (prompts, group_size, tokens)
        0 where nothing was written.

    Raises
    ------
    ObjectiveError
        If the shapes do not fit.

    Examples
    --------
    A token that the policy already made 1.5 times likelier gets nothing from GRPO and 1.5 times its weight
    from CISPO:

    >>> import numpy as np
    >>> one = np.ones((1, 2, 1), bool)
    >>> new, old = np.log([[[0.6], [0.4]]]), np.log([[[0.4], [0.4]]])
    >>> advantage = np.array([[1.0, -1.0]])
    >>> token_weights(find_objective("grpo"), new, old, advantage, one)[0, :, 0]
    array([ 0. , -0.5])
    >>> token_weights(find_objective("cispo"), new, old, advantage, one)[0, :, 0]
    array([ 0.75, -0.5 ])
    """
    new, old, written = (
        np.asarray(logp, np.float64),
        np.asarray(logp_sampler, np.float64),
        np.asarray(mask, bool),
    )
    signal = np.asarray(advantage, np.float64)
    if new.ndim != 3 or not new.shape == old.shape == written.shape or signal.shape != new.shape[:2]:
        raise ObjectiveError(
            f"shapes do not fit: logp {new.shape}, logp_sampler {old.shape}, mask {written.shape}, "
            f"advantage {signal.shape}; "
            "give (prompts, group_size, tokens) three times and (prompts, group_size)"
        )
    ratio = ratio_weights(new - old, signal, written, objective)
    return ratio * signal[..., None] * average_weights(written, objective.average, longest=longest, keep=keep)


def kl_weights(logp: ArrayLike, logp_reference: ArrayLike) -> Floats:
    """Return the weight that a KL penalty of 1 adds to each token (k3 estimate, arXiv:2402.03300 Eq. 4).

    k3 = r - log r - 1 with r = reference / policy; its gradient is (1 - r) * grad log pi, and a penalty
    descends it.

    Examples
    --------
    >>> kl_weights([0.0], [0.0])
    array([0.])
    """
    return np.exp(np.asarray(logp_reference, np.float64) - np.asarray(logp, np.float64)) - 1.0
