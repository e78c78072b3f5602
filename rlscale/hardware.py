"""GPUs, the shape of language models, and the floating-point work of training.

Training a token takes 2N floating-point operations forward and 4N backward (Kaplan and others 2020, arXiv
2001.08361, section 2.1), with N the parameters that work on a token; recomputing activations adds 2N, as does
each pass that only scores tokens. Attention itself is left out: it adds a tenth at 6,000 tokens and half at
30,000.

Every quantity may be a float or an array; arrays broadcast, one entry a draw.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import CostError, suggest_sentence
from .given import show_value
from .named_inputs import CostInputError

Floats = NDArray[np.float64]

BYTES_BF16 = 2
#: Model FLOPs utilisation in RL training on an H100: prime-rl's benchmarks of 2026-02 give 14 to 35 % for
#: dense and 3 to 28 % for mixtures; 38 to 43 % in Llama 3's pre-training is the ceiling.
MFU_H100 = {"dense": (0.10, 0.25, 0.40), "mixture": (0.03, 0.12, 0.28)}
#: Share of the peak that the arithmetic itself reaches when nothing else takes time; see :func:`usual_mfu`.
_ARITHMETIC_SHARE = 0.65


@dataclass(frozen=True)
class Gpu:
    """One accelerator, as its maker specifies it.

    Attributes
    ----------
    name : str
        As in ``data/gpus.csv``.
    memory_gb : float
        High-bandwidth memory, 10^9 bytes.
    bandwidth_tb_s : float
        Bandwidth of that memory, 10^12 bytes a second.
    bf16_tflops : float
        Peak of dense BF16 arithmetic, 10^12 operations a second.
    source : str
        Who says so.
    """

    name: str
    memory_gb: float
    bandwidth_tb_s: float
    bf16_tflops: float
    source: str = ""


@dataclass(frozen=True)
class Model:
    """The shape of a language model, as far as its cost depends on it.

    Attributes
    ----------
    name : str
        As in ``data/models.csv``.
    params_total, params_active : float
        Parameters in all, and those that work on a token (the same for a dense model).
    layers, hidden : float
        Layers, and width of the residual stream.
    kv_bytes : float
        Bytes of keys and values that a token leaves in the cache, at 2 bytes a number.
    source : str
        Who says so.
    """

    name: str
    params_total: float
    params_active: float
    layers: float
    hidden: float
    kv_bytes: float
    source: str = ""

    @property
    def family(self) -> str:
        """``"dense"``, or ``"mixture"`` when only some of the parameters work on a token."""
        return "mixture" if self.params_active < self.params_total else "dense"

    @property
    def weight_gb(self) -> float:
        """Size of the weights in BF16, 10^9 bytes."""
        return self.params_total * BYTES_BF16 / 1e9


@functools.cache
def _table(name: str) -> Any:
    from .tables import load_table

    return load_table(name)


def list_gpus() -> list[str]:
    """Return the names of the GPUs whose specification is known."""
    return list(dict.fromkeys(_table("gpus")["gpu"]))


def list_models() -> list[str]:
    """Return the names of the models whose shape is known."""
    return list(_table("models")["model"])


def find_gpu(name: str) -> Gpu:
    """Return the specification of a GPU.

    Parameters
    ----------
    name : str
        As in ``data/gpus.csv``; upper or lower case.

    Returns
    -------
    Gpu
        Its memory, bandwidth and peak.

    Raises
    ------
    CostError
        If there is none of that name; the message lists the nearest.

    Examples
    --------
    >>> find_gpu("h100 sxm").bandwidth_tb_s
    3.35
    """
    row = _find_row("gpus", "gpu", name)
    memory, bandwidth, peak = (float(row[c]) for c in ("hbm_gb", "bandwidth_tb_s", "bf16_dense_tflops"))
    gpu = Gpu(row["gpu"], memory, bandwidth, peak, row["spec_source"])
    if not (gpu.bandwidth_tb_s > 0 and gpu.bf16_tflops > 0):
        raise CostInputError(
            f"bandwidth or BF16 peak of {gpu.name} is not published in data/gpus.csv; choose another `gpu`, "
            "or give the `throughput`"
        )
    return gpu


def find_model(name: str) -> Model:
    """Return the shape of a model.

    Parameters
    ----------
    name : str
        As in ``data/models.csv``; upper or lower case.

    Returns
    -------
    Model
        Its parameters, layers and bytes of keys and values a token.

    Raises
    ------
    CostError
        If there is none of that name; the message lists the nearest.

    Examples
    --------
    >>> find_model("Llama-3.1-8B").kv_bytes
    131072.0
    """
    row = _find_row("models", "model", name)
    if row["kv_latent_dim"] > 0:  # multi-head latent attention keeps one compressed vector a layer
        numbers = row["kv_layers"] * row["kv_latent_dim"]
    else:
        numbers = 2 * row["kv_layers"] * row["kv_heads"] * row["head_dim"]
    return Model(
        row["model"],
        float(row["params_total_b"]) * 1e9,
        float(row["params_active_b"]) * 1e9,
        float(row["layers"]),
        float(row["hidden"]),
        float(numbers) * BYTES_BF16,
        row["source"],
    )


def _find_row(table: str, column: str, name: str) -> Any:
    frame = _table(table)
    hit = frame[frame[column].str.lower() == name.strip().lower()]
    if hit.empty:
        what = {"gpu": "GPU", "model": "model shape"}[column]
        near = suggest_sentence(name, dict.fromkeys(frame[column]), limit=20)
        raise CostInputError(
            f"no {what} called {show_value(name)} in data/{table}.csv. {near} "
            f"Choose a `{column}`, or give the `throughput`"
        )
    return hit.iloc[0]


def training_flops(
    model: Model,
    trained_tokens: ArrayLike,
    scored_tokens: ArrayLike | None = None,
    *,
    method: str = "full",
    recompute: bool = False,
    old_logprob: bool = False,
    reference: bool = False,
) -> Floats:
    """Return the floating-point operations of the training phase of a rollout step.

    Parameters
    ----------
    model : Model
        Shape of the model.
    trained_tokens : array_like
        Tokens that pass forward and backward (a whole sequence passes, prompt included).
    scored_tokens : array_like, optional
        Tokens that the scoring passes read; by default the same.
    method : {"full", "lora"}
        Low-rank adapters need no gradient of the frozen weights, which is half of the backward pass.
    recompute : bool
        Whether activations are computed again in the backward pass (+2N).
    old_logprob, reference : bool
        Whether the trainer scores the batch with the old policy, and with a reference model (+2N each).

    Returns
    -------
    array
        Operations.

    Examples
    --------
    >>> llama = find_model("Llama-3.1-8B")
    >>> [float(training_flops(llama, 1, **k)) / llama.params_active
    ...  for k in ({}, {"recompute": True}, {"method": "lora"}, {"old_logprob": True, "reference": True})]
    [6.0, 8.0, 4.0, 10.0]
    """
    if method not in ("full", "lora"):
        raise CostError(f"training method {method!r} is not known; use 'full' or 'lora'")
    trained = np.asarray(trained_tokens, np.float64)
    scored = trained if scored_tokens is None else np.asarray(scored_tokens, np.float64)
    passes = (6 if method == "full" else 4) + 2 * recompute
    return np.asarray(model.params_active * (passes * trained + 2 * (old_logprob + reference) * scored))


def usual_mfu(model: Model, gpu: Gpu) -> tuple[float, float, float]:
    """Return the utilisation to expect in training: low, central and high.

    What is known was measured on H100. To carry it to another GPU the time of a FLOP is split into arithmetic
    at 65 % of the peak and a rest that scales with memory bandwidth. A GPU with little arithmetic for its
    bandwidth (H20) is then busier with it, one with much (B200) less. This split is our judgement.

    Parameters
    ----------
    model, gpu : Model, Gpu
        What runs on what.

    Returns
    -------
    tuple of float
        Shares of the BF16 peak.

    Examples
    --------
    >>> dense = find_model("Llama-3.1-8B")
    >>> [round(usual_mfu(dense, find_gpu(g))[1], 2) for g in ("H100 SXM", "A100 SXM 80GB", "H20")]
    [0.25, 0.36, 0.54]
    """
    h100 = find_gpu("H100 SXM")

    def carry(share: float) -> float:
        rest = (1 / share - 1 / _ARITHMETIC_SHARE) / h100.bf16_tflops * h100.bandwidth_tb_s
        return 1 / (1 / _ARITHMETIC_SHARE + rest / gpu.bandwidth_tb_s * gpu.bf16_tflops)

    low, middle, high = (carry(share) for share in MFU_H100[model.family])
    return low, middle, high
