"""Sampling answers with their exact log-probabilities, and the exact pass rate without sampling.

A prompt has one right answer, so the probability of passing is the product of the probabilities of its
tokens: one forward pass, no sampling noise. This is what makes a quarter-minute curve fit to be fitted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .model import TinyTransformer
from .tasks import END, PAD, Problems

#: Below this pass rate a prompt counts as dead: 1,000 answers would not find it.
DEAD = 1e-3


@dataclass(frozen=True, eq=False)
class Rollout:
    """Answers of the policy to a batch of prompts.

    Attributes
    ----------
    tokens : Tensor of int, shape (prompts, group_size, answer_length)
        The answers, padded after their end.
    logp : Tensor, shape (prompts, group_size, answer_length)
        Log-probability with which the sampler drew each token.
    mask : Tensor of bool, shape (prompts, group_size, answer_length)
        True where the policy wrote the token.
    """

    tokens: Tensor
    logp: Tensor
    mask: Tensor

    @property
    def generated(self) -> int:
        """Tokens that were sampled."""
        return int(self.mask.sum())


def round_mantissa(values: Tensor, bits: int) -> Tensor:
    """Round to ``bits`` bits of mantissa, the leading one included (8: bfloat16)."""
    mantissa, exponent = torch.frexp(values)
    return torch.ldexp(torch.round(mantissa * 2**bits) / 2**bits, exponent)


@torch.no_grad()
def sample_answers(
    model: TinyTransformer,
    problems: Problems,
    group_size: int,
    rng: torch.Generator,
    *,
    temperature: float = 1.0,
    ends: bool = False,
    bits: int = 0,
) -> Rollout:
    """Sample ``group_size`` answers to each problem.

    Parameters
    ----------
    model : TinyTransformer
        The sampler.
    problems : Problems
        Prompts; tokens that the task forces are put in as they stand.
    rng : torch.Generator
        Source of randomness.
    temperature : float
        Logits are divided by it; the log-probabilities are those of the tempered distribution.
    ends : bool
        Answers stop at the end token.
    bits : int
        Round the logits to that many bits of mantissa first; 0: do not.
    """
    prompts, length = problems.answer.shape
    rows = prompts * group_size
    logits, cache = model.start_cache(torch.from_numpy(problems.prefix), group_size)
    # Gumbel noise for all tokens at once: argmax(logits + noise) is a draw from softmax(logits)
    noise = -torch.empty(length, rows, logits.shape[-1]).exponential_(generator=rng).log_()
    forced = torch.from_numpy(problems.forced).repeat_interleave(group_size, dim=0)
    columns_forced = np.asarray((problems.forced >= 0).all(axis=0))
    tokens = torch.empty(rows, length, dtype=torch.int64)
    all_logits = torch.empty(rows, length, logits.shape[-1])
    for step in range(length):
        if step:
            logits = model.next_logits(tokens[:, step - 1], model.prefix_length + step - 1, cache)
        if bits:
            logits = round_mantissa(logits, bits)
        all_logits[:, step] = logits
        tokens[:, step] = (
            forced[:, step] if columns_forced[step] else (logits / temperature + noise[step]).argmax(dim=-1)
        )
    mask = forced < 0
    if ends:
        over = (tokens == END).cumsum(dim=1)
        mask &= (over - (tokens == END).long()) == 0
        tokens = torch.where(mask, tokens, PAD)
    logp = torch.log_softmax(all_logits / temperature, dim=-1).gather(-1, tokens[..., None]).squeeze(-1)
    shape = (prompts, group_size, length)
    return Rollout(tokens.view(shape), logp.view(shape), mask.view(shape))


@dataclass(frozen=True, eq=False)
class PassRates:
    """Exact results on a set of prompts.

    Attributes
    ----------
    rate : array, shape (prompts,)
        Probability that one answer is right.
    greedy : array of bool, shape (prompts,)
        Whether the likeliest answer, token by token, is right.
    kl : float
        Mean KL to the starting policy a written token, over the whole alphabet; 0 without a reference.
    entropy : float
        Mean entropy a written token, in nats, along the right answers.
    """

    rate: NDArray[np.float64]
    greedy: NDArray[np.bool_]
    kl: float
    entropy: float

    @property
    def mean(self) -> float:
        """Mean pass rate."""
        return float(self.rate.mean())

    def at(self, k: int) -> float:
        """Exact pass@k: mean of 1 - (1 - p)^k."""
        return float((1 - (1 - self.rate) ** k).mean())

    @property
    def dead(self) -> float:
        """Share of prompts below :data:`DEAD`."""
        return float((self.rate < DEAD).mean())

    def zero_variance(self, group_size: int) -> float:
        """Return the expected share of groups whose answers agree: mean of p^G + (1 - p)^G."""
        return float((self.rate**group_size + (1 - self.rate) ** group_size).mean())


@torch.no_grad()
def measure_pass_rates(
    model: TinyTransformer, problems: Problems, *, reference: Tensor | None = None
) -> PassRates:
    """Compute the pass rate of each problem by reading the right answer (teacher forcing).

    Parameters
    ----------
    model : TinyTransformer
        Policy, at temperature 1.
    problems : Problems
        What to measure on.
    reference : Tensor, optional
        Log-probabilities of the starting policy, from :func:`answer_log_probs`, for the KL.
    """
    logp = answer_log_probs(model, problems)
    answer, written = torch.from_numpy(problems.answer), torch.from_numpy(problems.written)
    chosen = logp.gather(-1, answer[..., None]).squeeze(-1)
    # sum in double: the product of probabilities must not depend on the length's rounding
    rate = torch.where(written, chosen, 0.0).double().sum(dim=1).exp().clamp(max=1.0)
    greedy = ((logp.argmax(dim=-1) == answer) | ~written).all(dim=1)
    probability = logp.exp()
    entropy = -(probability * logp).sum(-1)[written].double().mean()
    kl = 0.0
    if reference is not None:
        kl = float((probability * (logp - reference)).sum(-1)[written].double().mean())
    return PassRates(rate.numpy(), greedy.numpy(), max(kl, 0.0), float(entropy))


@torch.no_grad()
def answer_log_probs(model: TinyTransformer, problems: Problems) -> Tensor:
    """Return log-probabilities along the right answers, shape (problems, answer_length, symbols)."""
    logits = model.answer_logits(
        torch.from_numpy(problems.prefix), torch.from_numpy(problems.answer)[:, None]
    )
    return torch.log_softmax(logits[:, 0], dim=-1)
