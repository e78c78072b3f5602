"""The roofline of decoding: how fast a model writes on a GPU, and how many sequences at once.

Decoding one token of a batch reads the weights once and the keys and values of every sequence, so

    t(B) = max( (W(B) + B·c·k) / bandwidth,  2·N_active·B / peak ) / efficiency + layers·floor

``W`` is the bytes of weights read, ``c`` the mean context, ``k`` the bytes of keys and values a token, ``N``
parameters. Both bounds are those of Williams, Waterman and Patterson (2009), "Roofline: an insightful visual
performance model"; the floor is what launching the kernels of one layer takes however small the batch is.

Every quantity may be a float or an array; arrays broadcast, one entry a draw.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import CostError
from .hardware import BYTES_BF16, Gpu, Model

Floats = NDArray[np.float64]

#: Share of GPU memory that an inference engine may fill; the rest is its workspace. vLLM's default is 0.9.
USABLE_MEMORY = 0.9
#: Share of the decode roofline that engines reach: low, central, high. Judgement from measured steps; a
#: mixture of experts loses more, to uneven experts and all-to-all transfers.
DECODE_EFFICIENCY = {"dense": (0.3, 0.5, 0.7), "mixture": (0.1, 0.25, 0.5)}
#: Seconds a layer takes at least in a decode step: kernel launches and one all-reduce. Our judgement, from
#: single-sequence speeds of 1.5B to 70B models that stay 2 to 3 times below the bandwidth bound.
LAYER_FLOOR_S = 1e-4


def read_weight_bytes(model: Model, batch: ArrayLike) -> Floats:
    """Return the bytes of weights that one decode step reads.

    A mixture of experts reads an expert once if any sequence of the batch chose it. With experts chosen
    evenly that is 1 − (1 − active/total)^batch of the weights: nearly all at a large batch, which is why a
    mixture is cheap in operations but not in bytes.

    Parameters
    ----------
    model : Model
        Shape of the model.
    batch : array_like
        Sequences decoded together, above 0.

    Returns
    -------
    array
        Bytes, in the shape of ``batch``.

    Examples
    --------
    >>> from rlscale.hardware import find_model
    >>> moe = find_model("Qwen3-30B-A3B")
    >>> [round(float(b) / 1e9, 1) for b in read_weight_bytes(moe, [1, 8, 64])]
    [6.6, 36.6, 61.0]
    """
    share = model.params_active / model.params_total
    touched = 1 - (1 - share) ** np.maximum(np.asarray(batch, np.float64), 1.0) if share < 1 else 1.0
    return np.asarray(model.params_total * BYTES_BF16 * touched * np.ones_like(np.asarray(batch, np.float64)))


def count_sequences(model: Model, gpu: Gpu, context: ArrayLike, gpus: ArrayLike = 1) -> Floats:
    """Return how many sequences a replica holds in memory beside its weights.

    Parameters
    ----------
    model, gpu : Model, Gpu
        What runs on what.
    context : array_like
        Mean tokens in flight a sequence, prompt included.
    gpus : array_like
        GPUs that share one copy of the weights.

    Returns
    -------
    array
        Sequences; 0 where the weights alone do not fit.

    Examples
    --------
    >>> from rlscale.hardware import find_gpu, find_model
    >>> llama, h100 = find_model("Llama-3.1-8B"), find_gpu("H100 SXM")
    >>> round(float(count_sequences(llama, h100, context=3358)))
    127
    """
    free = USABLE_MEMORY * gpu.memory_gb * 1e9 * np.asarray(gpus) - model.weight_gb * 1e9
    per_sequence = np.maximum(np.asarray(context, np.float64), 1.0) * model.kv_bytes
    return np.asarray(np.maximum(free, 0.0) / per_sequence)


def replica_gpus(model: Model, gpu: Gpu, context: float, sequences: float = 8) -> int:
    """Return the fewest GPUs (a power of 2) that hold the weights and a few sequences.

    Parameters
    ----------
    model, gpu : Model, Gpu
        What runs on what.
    context : float
        Longest context that must fit, in tokens.
    sequences : float
        Sequences of that length that must fit beside the weights.

    Returns
    -------
    int
        GPUs a replica.

    Examples
    --------
    >>> from rlscale.hardware import find_gpu, find_model
    >>> h100 = find_gpu("H100 SXM")
    >>> [replica_gpus(find_model(m), h100, 8192) for m in ("Llama-3.1-8B", "Llama-3.1-70B", "DeepSeek-V3")]
    [1, 4, 32]
    """
    gpus = 1
    while float(count_sequences(model, gpu, context, gpus)) < sequences:
        gpus *= 2
        if gpus > 4096:
            raise CostError(
                f"{model.name} with {sequences:g} sequences of {context:g} tokens does not fit on 4,096 "
                f"{gpu.name}; check model and context length"
            )
    return gpus


def decode_seconds(
    model: Model,
    gpu: Gpu,
    batch: ArrayLike,
    context: ArrayLike,
    *,
    gpus: ArrayLike = 1,
    efficiency: ArrayLike = 1.0,
    layer_floor_s: float = LAYER_FLOOR_S,
) -> Floats:
    """Return the time of one decode step of a replica: one token for each sequence of the batch.

    Parameters
    ----------
    model, gpu : Model, Gpu
        What runs on what.
    batch, context : array_like
        Sequences decoded together, and their mean context in tokens.
    gpus : array_like
        GPUs that share one copy of the weights; bandwidth and peak add up.
    efficiency : array_like
        Share of the roofline that is reached, above 0 and up to 1.
    layer_floor_s : float
        Least seconds a layer; 0 for the plain roofline.

    Returns
    -------
    array
        Seconds.

    Examples
    --------
    >>> from rlscale.hardware import find_gpu, find_model
    >>> llama, h100 = find_model("Llama-3.1-8B"), find_gpu("H100 SXM")
    >>> round(float(decode_seconds(llama, h100, 127, 3358, layer_floor_s=0)) * 1000, 1)
    21.5
    """
    batch = np.asarray(batch, np.float64)
    gpus = np.asarray(gpus, np.float64)
    moved = read_weight_bytes(model, batch) + batch * np.asarray(context) * model.kv_bytes
    memory = moved / (gpu.bandwidth_tb_s * 1e12 * gpus)
    arithmetic = 2 * model.params_active * batch / (gpu.bf16_tflops * 1e12 * gpus)
    return np.asarray(np.maximum(memory, arithmetic) / efficiency + model.layers * layer_floor_s)


def decode_throughput(
    model: Model,
    gpu: Gpu,
    context: ArrayLike,
    *,
    batch: ArrayLike | None = None,
    gpus: ArrayLike = 1,
    efficiency: ArrayLike = 1.0,
    layer_floor_s: float = LAYER_FLOOR_S,
) -> Floats:
    """Return generated tokens a second a GPU when the batch is kept full.

    Parameters
    ----------
    model, gpu, context, gpus, efficiency, layer_floor_s
        As for :func:`decode_seconds`.
    batch : array_like, optional
        Sequences a replica; by default as many as its memory holds.

    Returns
    -------
    array
        Tokens a second a GPU.

    Examples
    --------
    >>> from rlscale.hardware import find_gpu, find_model
    >>> llama, h100 = find_model("Llama-3.1-8B"), find_gpu("H100 SXM")
    >>> round(float(decode_throughput(llama, h100, 3358, layer_floor_s=0)), -2)
    5900.0
    """
    full = count_sequences(model, gpu, context, gpus)
    batch = full if batch is None else np.minimum(np.asarray(batch, np.float64), full)
    if not np.all(batch > 0):
        raise CostError(
            f"{model.name} ({model.weight_gb:.0f} GB of weights) does not fit on {float(np.min(gpus)):g} "
            f"{gpu.name} of {gpu.memory_gb:g} GB; give more GPUs a replica"
        )
    seconds = decode_seconds(
        model, gpu, batch, context, gpus=gpus, efficiency=efficiency, layer_floor_s=layer_floor_s
    )
    return np.asarray(batch / seconds / np.asarray(gpus, np.float64))
