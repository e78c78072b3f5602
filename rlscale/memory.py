"""The memory of a training setup, and the smallest machine that holds it.

Per trained parameter in mixed precision: 2 bytes of weights, 2 of gradients, and 12 of optimizer state (a
32-bit copy of the weights and two moments of Adam); Rajbhandari and others 2020 (ZeRO), arXiv 1910.02054,
section 3.1. Sharded over all GPUs (ZeRO stage 3, FSDP) each holds its part. Low-rank adapters keep gradients
and optimizer for the adapters only. Activations with recomputation keep one vector a layer and token.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import CostError
from .hardware import BYTES_BF16, Gpu, Model
from .roofline import USABLE_MEMORY

_OPTIMIZER_BYTES = 12
#: Without recomputation a layer keeps about this many vectors a token (Korthikanti and others 2022, arXiv
#: 2205.05198, equation 2, with fused attention: 34 bytes a token and unit of width).
_STORED_VECTORS = 17


@dataclass(frozen=True)
class TrainingMemory:
    """Memory of training by what holds it, in 10^9 bytes over all GPUs.

    Attributes
    ----------
    weights, gradients, optimizer : float
        State of the trained model; a reference model counts with the weights.
    activations : float
        Of the tokens in flight on all GPUs.
    logits : float
        Of one micro-batch on every GPU, at 4 bytes a number.
    """

    weights: float
    gradients: float
    optimizer: float
    activations: float
    logits: float

    @property
    def total(self) -> float:
        """Sum of all parts, 10^9 bytes."""
        return self.weights + self.gradients + self.optimizer + self.activations + self.logits


def size_training(
    model: Model,
    *,
    tokens_per_gpu: float,
    gpus: int = 1,
    method: str = "full",
    lora_rank: int = 32,
    recompute: bool = True,
    reference: bool = False,
    vocabulary: int = 128_000,
) -> TrainingMemory:
    """Return the memory that training needs over all GPUs.

    Parameters
    ----------
    model : Model
        Shape of the model.
    tokens_per_gpu : float
        Tokens of a micro-batch on one GPU: the longest sequence, at least.
    gpus : int
        GPUs that share the state (ZeRO-3).
    method : {"full", "lora"}
        What is trained.
    lora_rank : int
        Rank of the adapters.
    recompute, reference : bool
        Whether activations are recomputed, and a reference model is held.
    vocabulary : int
        Entries of the vocabulary, for the logits.

    Returns
    -------
    TrainingMemory
        10^9 bytes.

    Examples
    --------
    >>> from rlscale.hardware import find_model
    >>> full = size_training(find_model("Llama-3.1-8B"), tokens_per_gpu=8192, gpus=8)
    >>> round(full.weights + full.gradients + full.optimizer)  # 16 bytes a parameter
    128
    """
    if method not in ("full", "lora"):
        raise CostError(f"training method {method!r} is not known; use 'full' or 'lora'")
    if not (tokens_per_gpu >= 0 and gpus >= 1 and lora_rank >= 1):
        raise CostError("tokens_per_gpu must be 0 or more, gpus and lora_rank 1 or more")
    giga = 1e-9
    # adapters on the seven matrices of a layer have rank times (in + out) parameters; in a layer as
    # in Llama (keys and values of a quarter, feed-forward of 3.5 widths) in + out is 20 widths:
    # 2 + 2·1.25 + 2 + 3·4.5
    adapters = model.layers * lora_rank * 20 * model.hidden
    trained = model.params_total if method == "full" else adapters
    copies = 2 if reference and method == "full" else 1  # without its adapters the model *is* the reference
    vectors = 1 if recompute else _STORED_VECTORS
    tokens = tokens_per_gpu * gpus
    working = (
        0 if not recompute else _STORED_VECTORS * tokens * model.hidden * BYTES_BF16
    )  # one layer at a time
    stored = vectors * model.layers * tokens * model.hidden * BYTES_BF16
    return TrainingMemory(
        weights=(model.params_total * copies + (adapters if method == "lora" else 0)) * BYTES_BF16 * giga,
        gradients=trained * BYTES_BF16 * giga,
        optimizer=trained * _OPTIMIZER_BYTES * giga,
        activations=(stored + working) * giga,
        logits=tokens * vocabulary * 4 * giga,
    )


def smallest_machine(
    model: Model, gpu: Gpu, *, tokens_per_gpu: float, method: str = "full", **settings: object
) -> tuple[int, TrainingMemory]:
    """Return the fewest GPUs (a power of 2) that hold a training setup, and its memory.

    Parameters
    ----------
    model, gpu : Model, Gpu
        What is trained on what.
    tokens_per_gpu, method, **settings
        As for :func:`size_training`.

    Returns
    -------
    int
        GPUs.
    TrainingMemory
        10^9 bytes over all of them.

    Raises
    ------
    CostError
        If one micro-batch alone does not fit on a GPU, however many there are.

    Examples
    --------
    >>> from rlscale.hardware import find_gpu, find_model
    >>> llama, h100 = find_model("Llama-3.1-8B"), find_gpu("H100 SXM")
    >>> [smallest_machine(llama, h100, tokens_per_gpu=8192, method=m)[0] for m in ("full", "lora")]
    [2, 1]
    """
    for power in range(14):
        gpus = 2**power
        need = size_training(
            model,
            tokens_per_gpu=tokens_per_gpu,
            gpus=gpus,
            method=method,
            **settings,  # type: ignore[arg-type]
        )
        if need.total <= USABLE_MEMORY * gpu.memory_gb * gpus:
            return gpus, need
    each = (need.activations + need.logits) / gpus
    raise CostError(
        f"a micro-batch of {tokens_per_gpu:g} tokens of {model.name} takes {each:.0f} GB beside the state "
        f"and does not fit on a {gpu.name} of {gpu.memory_gb:g} GB; shorten it, or split it over GPUs"
    )
