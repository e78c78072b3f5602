"""The time of one rollout step: generation to the last token, training, and how the two share the machines.

Synchronous: everything waits for the longest completion, then training starts; times add up. While the
batch drains, a replica holds ever fewer sequences and its step time falls much less than its output:

    t_gen = Σ over survivors  t_decode(alive) · tokens until the next one ends

Asynchronous: generation and training each have their own GPUs and overlap. The batch stays full and the
slower pool sets the pace, so the time is the *larger* of the two, and the other pool waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from .errors import CostError
from .hardware import Gpu, Model, training_flops
from .lengths import fit_location
from .named_inputs import CostInputError
from .roofline import count_sequences, decode_seconds

Floats = NDArray[np.float64]

_LEVELS = 33  # points of the length distribution; 65 change the time of a step by less than 1 %


@dataclass(frozen=True)
class Cluster:
    """Where a run is trained, and how well it uses the machines.

    Attributes
    ----------
    model, gpu : Model, Gpu
        What runs on what.
    gpus : float
        GPUs in all.
    gpus_per_replica : float
        GPUs that share one copy of the weights in generation.
    mode : {"sync", "async"}
        Whether generation and training take turns or overlap on two pools.
    trainer_share : float or array, optional
        Share of the GPUs that train in ``async``; by default the split at which both pools are busy.
    decode_efficiency, mfu : float or array
        Share of the decode roofline, and of the peak in training, that is reached.
    step_overhead : float or array
        Time for weight transfer, rewards and data, as a share of generation plus training.
    scaling_loss : float or array
        Training efficiency falls as (nodes of 8 GPUs)^−scaling_loss.
    method, recompute, old_logprob, reference
        As for :func:`rlscale.hardware.training_flops`.
    """

    model: Model
    gpu: Gpu
    gpus: Any
    gpus_per_replica: Any
    mode: str = "sync"
    trainer_share: Any = None
    decode_efficiency: Any = 0.5
    mfu: Any = 0.25
    step_overhead: Any = 0.05
    scaling_loss: Any = 0.1
    method: str = "full"
    recompute: bool = True
    old_logprob: bool = True
    reference: bool = False

    def __post_init__(self) -> None:
        if self.mode not in ("sync", "async"):
            raise CostError(f"mode {self.mode!r} is not known; use 'sync' or 'async'")
        if np.any(np.asarray(self.gpus) < np.asarray(self.gpus_per_replica)):
            raise CostInputError(
                f"`gpus` is {self.gpus:g}, too few for one replica of {self.gpus_per_replica:g}; give more"
            )


@dataclass(frozen=True)
class StepTime:
    """Where the GPU time of one rollout step goes; arrays, one entry a draw.

    Attributes
    ----------
    seconds : array
        Wall time of the step.
    generation, training, overhead, idle : array
        GPU-seconds of each; they add up to ``seconds`` times the GPUs. Idle is what a pool waits for the
        other; waiting for the longest completion is part of generation.
    """

    seconds: Floats
    generation: Floats
    training: Floats
    overhead: Floats
    idle: Floats


def generation_seconds(
    cluster: Cluster,
    sequences: ArrayLike,
    prompt_tokens: ArrayLike,
    mean_length: ArrayLike,
    cv: ArrayLike,
    longest: ArrayLike,
    *,
    gpus: ArrayLike | None = None,
    drain: bool = True,
) -> Floats:
    """Return the seconds in which a pool generates a batch.

    Parameters
    ----------
    cluster : Cluster
        Where it runs.
    sequences : array_like
        Completions of the batch.
    prompt_tokens, mean_length, cv, longest : array_like
        Context before the first generated token, and the distribution of lengths
        (see :mod:`rlscale.lengths`).
    gpus : array_like, optional
        GPUs that generate; by default all.
    drain : bool
        Whether the batch must end before the next begins (synchronous). If not, ended completions are
        replaced at once and the batch stays full.

    Returns
    -------
    array, shape (draws,)
        Seconds.
    """
    mean, prompt, cv, count = (
        np.atleast_1d(np.asarray(v, np.float64)) for v in (mean_length, prompt_tokens, cv, sequences)
    )
    mean, prompt, cv, count = np.broadcast_arrays(mean, prompt, cv, count)
    per = np.asarray(cluster.gpus_per_replica, np.float64)
    replicas = np.asarray(cluster.gpus if gpus is None else gpus, np.float64) / per
    each = count / replicas
    # in flight one meets long completions more often than short ones: mean of L²/2L, not half the mean
    context = prompt + mean * (1 + np.minimum(cv, 2.0) ** 2) / 2
    context = np.minimum(context, prompt + np.asarray(longest, np.float64))
    fits = count_sequences(cluster.model, cluster.gpu, context, per)
    if np.any(fits < 1):
        raise CostInputError(
            f"{cluster.model.name} with a context of {float(np.max(context)):.0f} tokens does not fit on "
            f"{float(per):g} {cluster.gpu.name}; give more `gpus_per_replica`"
        )
    eff = np.broadcast_to(np.asarray(cluster.decode_efficiency, np.float64), mean.shape)

    def step(batch: Floats, tokens: Floats, e: Floats) -> Floats:
        return decode_seconds(cluster.model, cluster.gpu, batch, tokens, gpus=per, efficiency=e)

    batch = np.minimum(each, fits)
    steady = np.where(each > 0, mean / np.maximum(batch, 1e-12) * step(batch, context, eff), 0.0)
    if not drain:
        return np.asarray(each * steady)
    # the barrier waits for the longest completion of *all* replicas, so the last level is one of them all
    # (of two at least: one completion is nobody's longest, it ends where the mean says, see the last line)
    floor = 1 / np.maximum(batch * replicas, 2.0)
    alive = floor[:, None] ** np.linspace(0, 1, _LEVELS)  # from all down to the last one, (draws, levels)
    location, sigma, cut = fit_location(mean, cv, longest)
    ends = np.minimum(np.exp(location[:, None] - sigma[:, None] * ndtri(alive[:, 1:])), cut[:, None])
    lengths = np.concatenate([np.zeros((mean.size, 1)), ends], axis=1)
    middle = np.sqrt(alive[:, 1:] * alive[:, :-1])
    stretch = np.diff(lengths, axis=1)
    tokens = prompt[:, None] + (lengths[:, 1:] + lengths[:, :-1]) / 2
    seconds = step(np.maximum(batch[:, None] * middle, np.minimum(batch, 1.0)[:, None]), tokens, eff[:, None])
    last = np.where(batch * replicas > 1, (stretch * seconds).sum(axis=1), batch * steady)
    return np.asarray(np.where((each > 0) & (mean > 0), (each - batch) * steady + last, 0.0))


def training_seconds(cluster: Cluster, tokens: ArrayLike, *, gpus: ArrayLike | None = None) -> Floats:
    """Return the seconds in which a pool trains on ``tokens``, prompts included."""
    flops = training_flops(
        cluster.model,
        tokens,
        method=cluster.method,
        recompute=cluster.recompute,
        old_logprob=cluster.old_logprob,
        reference=cluster.reference,
    )
    pool = np.asarray(cluster.gpus if gpus is None else gpus, np.float64)
    nodes = np.maximum(pool / 8, 1.0)
    mfu = np.asarray(cluster.mfu) * nodes ** -np.asarray(cluster.scaling_loss, np.float64)
    return np.asarray(flops / (pool * cluster.gpu.bf16_tflops * 1e12 * mfu))


def time_step(
    cluster: Cluster,
    sequences: ArrayLike,
    prompt_tokens: ArrayLike,
    mean_length: ArrayLike,
    cv: ArrayLike,
    longest: ArrayLike,
    trained_tokens: ArrayLike,
    *,
    read_tokens: ArrayLike = 0.0,
    wait_seconds: ArrayLike = 0.0,
) -> StepTime:
    """Return the time of one rollout step and where it goes.

    Parameters
    ----------
    cluster : Cluster
        Where it runs.
    sequences, prompt_tokens, mean_length, cv, longest
        As for :func:`generation_seconds`.
    trained_tokens : array_like
        Tokens of the sequences that are trained on, prompts included.
    read_tokens : array_like
        Prompt and observation tokens that generation reads: 2N operations each, at the MFU of training.
    wait_seconds : array_like
        Seconds that a completion waits for its environment, all turns together. A synchronous step is that
        much longer, an asynchronous one goes on with other completions.

    Returns
    -------
    StepTime
        Wall seconds, and GPU-seconds by part.

    Examples
    --------
    >>> from rlscale.hardware import find_gpu, find_model
    >>> here = Cluster(find_model("Qwen2.5-7B"), find_gpu("H100 SXM"), gpus=16, gpus_per_replica=1)
    >>> step = time_step(here, 8192, 150, 800, 0.8, 8192, 8192 * 950)
    >>> bool(step.generation + step.training + step.overhead + step.idle == step.seconds * 16)
    True
    """
    args = (prompt_tokens, mean_length, cv, longest)
    total = np.asarray(cluster.gpus, np.float64)
    overhead = np.asarray(cluster.step_overhead, np.float64)
    if cluster.mode == "sync":
        generate = generation_seconds(cluster, sequences, *args) + _reading_seconds(
            cluster, read_tokens, total
        )
        generate = generate + np.where(np.asarray(sequences) > 0, np.asarray(wait_seconds, np.float64), 0.0)
        train = training_seconds(cluster, trained_tokens)
        extra = (generate + train) * overhead
        return _account(total, generate * total, train * total, extra * total)
    if cluster.trainer_share is None:
        share = _balance(cluster, sequences, args, trained_tokens, read_tokens)
    else:
        share = np.asarray(cluster.trainer_share, np.float64)
        if np.any((share <= 0) | (share >= 1)):
            raise CostInputError(f"`trainer_share` is {float(np.min(share)):g}; give a share between 0 and 1")
    trainers, generators = total * share, total * (1 - share)
    generate = generation_seconds(cluster, sequences, *args, gpus=generators, drain=False)
    generate = generate + _reading_seconds(cluster, read_tokens, generators)
    train = training_seconds(cluster, trained_tokens, gpus=trainers)
    pace = np.maximum(generate, train)
    idle = (pace - generate) * generators + (pace - train) * trainers
    return _account(total, generate * generators, train * trainers, pace * overhead * total, idle)


def _reading_seconds(cluster: Cluster, tokens: ArrayLike, gpus: Floats) -> Floats:
    flops = 2 * cluster.model.params_active * np.asarray(tokens, np.float64)
    return np.asarray(flops / (gpus * cluster.gpu.bf16_tflops * 1e12 * np.asarray(cluster.mfu)))


def _balance(
    cluster: Cluster,
    sequences: ArrayLike,
    args: tuple[Any, ...],
    trained_tokens: ArrayLike,
    read_tokens: ArrayLike,
) -> Floats:
    """Return the share of trainers at which both pools take the same time, by bisection."""
    total = np.asarray(cluster.gpus, np.float64)
    shape = np.broadcast_shapes(
        *(np.shape(a) for a in (*args, sequences, trained_tokens)), np.shape(cluster.mfu), (1,)
    )
    low, high = np.full(shape, 0.01), np.full(shape, 0.99)
    for _ in range(12):
        share = (low + high) / 2
        generate = generation_seconds(cluster, sequences, *args, gpus=total * (1 - share), drain=False)
        generate = generate + _reading_seconds(cluster, read_tokens, total * (1 - share))
        slow_training = training_seconds(cluster, trained_tokens, gpus=total * share) > generate
        low, high = np.where(slow_training, share, low), np.where(slow_training, high, share)
    return (low + high) / 2


def _account(
    total: Floats, generation: Floats, training: Floats, overhead: Floats, idle: ArrayLike = 0.0
) -> StepTime:
    parts = [np.asarray(p, np.float64) for p in (generation, training, overhead, idle)]
    used = parts[0] + parts[1] + parts[2] + parts[3]
    generation, training, overhead, idle_time = np.broadcast_arrays(*parts)
    return StepTime(np.asarray(used / total), generation, training, overhead, idle_time)
