"""What the parts of a recipe cost in training: passes over the tokens, and memory of the state.

The loss itself is free. What costs is what it needs beside the policy: log-probabilities under the sampling
policy scored anew, a reference model for a KL term, or a critic. Operations a token come from
:func:`rlscale.hardware.training_flops`, memory from :func:`rlscale.memory.size_training`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from .errors import CostError
from .hardware import Gpu, Model, training_flops
from .memory import TrainingMemory, size_training
from .roofline import USABLE_MEMORY

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Setup:
    """What is trained and scored in a rollout step.

    Attributes
    ----------
    method : {"full", "lora"}
        What is trained.
    old_logprob : bool
        The trainer scores the sampled tokens once more with the old policy.
    reference : bool
        A frozen reference model scores them, for a KL term.
    critic : bool
        A value model of the same size is trained beside the policy, as in PPO.
    """

    method: str = "full"
    old_logprob: bool = False
    reference: bool = False
    critic: bool = False


#: Setups by what they are used for; each adds one thing.
SETUPS: Mapping[str, Setup] = MappingProxyType(
    {
        "log-probabilities of the sampler kept": Setup(),
        "… scored anew by the trainer": Setup(old_logprob=True),
        "… and a reference model for KL": Setup(old_logprob=True, reference=True),
        "… and a critic (PPO)": Setup(old_logprob=True, reference=True, critic=True),
        "adapters (LoRA), scored anew": Setup(method="lora", old_logprob=True),
    }
)


def size_setup(model: Model, setup: Setup, *, tokens_per_gpu: float, gpus: int = 1) -> TrainingMemory:
    """Return the memory of a setup over all GPUs; a critic doubles the trained state, not the micro-batch.

    Examples
    --------
    >>> from rlscale.hardware import find_model
    >>> llama = find_model("Llama-3.1-8B")
    >>> plain, ppo = (size_setup(llama, Setup(critic=c), tokens_per_gpu=8192) for c in (False, True))
    >>> ppo.optimizer / plain.optimizer
    2.0
    """
    one = size_training(
        model,
        tokens_per_gpu=tokens_per_gpu,
        gpus=gpus,
        method=setup.method,
        reference=setup.reference,
    )
    if not setup.critic:
        return one
    beside = size_training(model, tokens_per_gpu=tokens_per_gpu, gpus=gpus, method=setup.method)
    return TrainingMemory(
        one.weights + beside.weights,
        one.gradients + beside.gradients,
        one.optimizer + beside.optimizer,
        # the two are trained one after the other, so only one micro-batch is held
        one.activations,
        one.logits,
    )


def tabulate_setups(
    model: Model, gpu: Gpu, *, tokens_per_gpu: float, setups: Mapping[str, Setup] = SETUPS
) -> pd.DataFrame:
    """Return work and memory of each setup on the smallest number of GPUs (a power of 2) that holds it.

    Parameters
    ----------
    model, gpu : Model, Gpu
        What is trained on what.
    tokens_per_gpu : float
        Tokens of a micro-batch on one GPU.
    setups : mapping of str to Setup
        What to compare.

    Returns
    -------
    DataFrame
        Indexed by setup: ``passes`` (operations a token over the parameters that work on it),
        ``gpus``, and ``weights``, ``gradients``, ``optimizer``, ``activations``, ``logits``, ``total`` in
        10^9 bytes over these GPUs.

    Raises
    ------
    CostError
        If a micro-batch alone does not fit on one GPU.

    Examples
    --------
    >>> from rlscale.hardware import find_gpu, find_model
    >>> table = tabulate_setups(find_model("Llama-3.1-8B"), find_gpu("H100 SXM"), tokens_per_gpu=8192)
    >>> table["passes"].tolist()
    [6.0, 8.0, 10.0, 18.0, 6.0]
    """
    import pandas as pd

    rows = {}
    for name, setup in setups.items():
        work = training_flops(
            model, 1.0, method=setup.method, old_logprob=setup.old_logprob, reference=setup.reference
        )
        if setup.critic:
            # trained like the policy, after it has scored the tokens for the advantages
            work = work + training_flops(model, 1.0, method=setup.method, old_logprob=True)
        gpus, need = _smallest(model, gpu, setup, tokens_per_gpu)
        parts = ("weights", "gradients", "optimizer", "activations", "logits", "total")
        sizes = {part: getattr(need, part) for part in parts}
        rows[name] = {"passes": float(work) / model.params_active, "gpus": gpus} | sizes
    return pd.DataFrame.from_dict(rows, orient="index")


def _smallest(model: Model, gpu: Gpu, setup: Setup, tokens_per_gpu: float) -> tuple[int, TrainingMemory]:
    for power in range(14):
        gpus = 2**power
        need = size_setup(model, setup, tokens_per_gpu=tokens_per_gpu, gpus=gpus)
        if need.total <= USABLE_MEMORY * gpu.memory_gb * gpus:
            return gpus, need
    each = (need.activations + need.logits) / gpus
    raise CostError(
        f"a micro-batch of {tokens_per_gpu:g} tokens of {model.name} takes {each:.0f} GB beside the state "
        f"and does not fit on a {gpu.name} of {gpu.memory_gb:g} GB; shorten it"
    )
