"""How much a reward can teach, in bits, and how much an adapter can hold.

A reward of 0 or 1 carries at most the entropy of its outcome, H(p) = -p log2 p - (1-p) log2 (1-p), one bit
at p = 1/2. Summed over the episodes of a run it bounds from above what the reward can have taught (Schulman
et al. 2025, "LoRA Without Regret", use one bit an episode). A LoRA adapter of rank r on a map of n inputs and
m outputs holds r (n + m) parameters.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import CurveError

Floats = NDArray[np.float64]


def episode_bits(pass_rate: ArrayLike) -> Floats:
    """Return the most that one rewarded answer can teach at a pass rate, in bits.

    Examples
    --------
    >>> episode_bits([0.5, 0.05, 0.0]).round(2)
    array([1.  , 0.29, 0.  ])
    """
    from scipy.special import entr

    p = np.asarray(pass_rate, np.float64)
    if not np.all((p >= 0) & (p <= 1)):  # also catches NaN
        raise CurveError("a pass rate is outside [0, 1] or not a number; percent must be divided by 100")
    return np.asarray((entr(p) + entr(1 - p)) / np.log(2))


def run_bits(completions: ArrayLike, pass_rate: ArrayLike) -> float:
    """Return the most that the rewards of a run can have taught, in bits.

    The entropy of a reward, integrated over the completions. It is a bound from above: the prompts differ in
    difficulty, so the entropy at the mean pass rate exceeds the mean entropy.

    Parameters
    ----------
    completions, pass_rate : array, shape (points,)
        Rising completions, and the pass rate at each.

    Examples
    --------
    >>> run_bits([0, 1000, 2000], [0.5, 0.5, 0.5])
    2000.0
    """
    count, bits = np.asarray(completions, np.float64), episode_bits(pass_rate)
    if count.ndim != 1 or count.shape != bits.shape or count.size < 2 or not np.all(np.diff(count) > 0):
        raise CurveError("completions must rise from point to point, with one pass rate each")
    return float(np.sum(np.diff(count) * (bits[1:] + bits[:-1]) / 2))


def lora_parameters(maps: Iterable[tuple[int, int]], rank: int) -> int:
    """Return the parameters of adapters of one rank on linear maps, given as (inputs, outputs).

    Examples
    --------
    >>> lora_parameters([(32, 96), (32, 32)], rank=1)
    192
    """
    if rank != int(rank) or rank < 1:
        raise CurveError(f"rank is {rank}; give a whole number of at least 1")
    return int(rank) * sum(inputs + outputs for inputs, outputs in maps)


def decoder_maps(
    width: int, kv_width: int, mlp: int, layers: int, *, gated: bool = True
) -> tuple[tuple[int, int], ...]:
    """Return the linear maps of a decoder as (inputs, outputs): attention and MLP of every layer.

    Parameters
    ----------
    width, kv_width, mlp, layers : int
        Width of the model, of keys (heads of keys x their size) and of the MLP; number of layers.
    gated : bool
        Whether the MLP has a gate, a third map.

    Examples
    --------
    >>> len(decoder_maps(4096, 1024, 14336, 32)) / 32
    7.0
    """
    attention = ((width, width), (width, kv_width), (width, kv_width), (width, width))
    enter = ((width, mlp),) * (2 if gated else 1)
    return (*attention, *enter, (mlp, width)) * layers
