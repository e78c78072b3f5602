"""The objectives of :mod:`rlscale.losses` as Torch losses, as their papers write them.

Torch differentiates them; a test holds the result against the NumPy weights token by token.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..losses import Objective, average_weights


def policy_loss(
    objective: Objective,
    logp: Tensor,
    logp_sampler: Tensor,
    advantage: Tensor,
    mask: Tensor,
    *,
    longest: int | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the loss to be descended, the share of clipped tokens and the largest ratio.

    Parameters
    ----------
    objective : Objective
        The recipe.
    logp : Tensor, shape (prompts, group_size, tokens)
        Of the trained policy; carries the gradient.
    logp_sampler, advantage, mask
        As in :func:`rlscale.losses.token_weights`.
    longest : int, optional
        Longest allowed answer, for the average ``constant``.
    """
    weight = torch.from_numpy(average_weights(mask.numpy(), objective.average, longest=longest)).to(
        logp.dtype
    )
    signal = advantage.to(logp.dtype)[..., None]
    gap = torch.where(mask, logp - logp_sampler, 0.0)
    ratio = gap.exp()
    largest = ratio.detach().max()
    if objective.ratio == "none":
        return -(weight * signal * logp).sum(), torch.zeros(()), largest
    if objective.ratio == "sequence":
        ratio = (gap.sum(-1, keepdim=True) / mask.sum(-1, keepdim=True).clamp(min=1)).exp().expand_as(gap)
    if objective.limit == "truncate":
        held = ratio.detach().clamp(max=objective.high)
        capped = ((ratio.detach() > objective.high) & mask).sum() / mask.sum().clamp(min=1)
        return -(weight * held * signal * torch.where(mask, logp, 0.0)).sum(), capped, largest
    if objective.limit == "none":
        return -(weight * ratio * signal).sum(), torch.zeros(()), largest
    inside = ratio.clamp(1 - objective.low, 1 + objective.high)
    plain, bounded = ratio * signal, inside * signal
    clipped = ((bounded < plain) & mask).sum() / mask.sum().clamp(min=1)
    return -(weight * torch.minimum(plain, bounded)).sum(), clipped.detach(), largest


def kl_penalty(logp: Tensor, logp_reference: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over written tokens of the k3 estimate of KL(policy || reference)."""
    gap = torch.where(mask, logp_reference - logp, 0.0)
    return (gap.exp() - gap - 1).sum() / mask.sum().clamp(min=1)
