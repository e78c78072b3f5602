"""Passes and memory of what a recipe needs beside its loss."""

from __future__ import annotations

import pytest

from rlscale.errors import CostError
from rlscale.hardware import find_gpu, find_model
from rlscale.memory import size_training, smallest_machine
from rlscale.roofline import USABLE_MEMORY
from rlscale.setups import SETUPS, Setup, size_setup, tabulate_setups

LLAMA, H100 = find_model("Llama-3.1-8B"), find_gpu("H100 SXM")


def test_passes_are_counted_by_hand() -> None:
    # 6 train; +2 old policy; +2 reference; critic: +6 train and +2 to score; LoRA 4 + 2
    table = tabulate_setups(LLAMA, H100, tokens_per_gpu=4096)
    assert table["passes"].tolist() == [6, 8, 10, 18, 6]
    assert list(table.index) == list(SETUPS)


def test_a_mixture_counts_active_parameters_for_work_and_all_for_memory() -> None:
    mixture = find_model("Qwen3-30B-A3B")
    table = tabulate_setups(mixture, H100, tokens_per_gpu=4096)
    assert table["passes"].iloc[0] == 6
    assert table["optimizer"].iloc[0] == pytest.approx(12 * mixture.params_total / 1e9)


def test_a_critic_adds_a_trained_copy_and_a_reference_a_frozen_one() -> None:
    plain, frozen, critic = (
        size_setup(LLAMA, s, tokens_per_gpu=4096, gpus=8)
        for s in (Setup(), Setup(reference=True), Setup(critic=True))
    )
    assert critic.optimizer == 2 * plain.optimizer and critic.gradients == 2 * plain.gradients
    assert frozen.optimizer == plain.optimizer
    assert frozen.weights == critic.weights == 2 * plain.weights
    assert critic.activations == plain.activations


def test_without_a_critic_it_agrees_with_the_memory_model() -> None:
    gpus, need = smallest_machine(LLAMA, H100, tokens_per_gpu=8192)
    row = tabulate_setups(LLAMA, H100, tokens_per_gpu=8192).iloc[0]
    assert (row["gpus"], row["total"]) == (gpus, need.total)
    assert size_setup(LLAMA, Setup(), tokens_per_gpu=8192) == size_training(LLAMA, tokens_per_gpu=8192)


def test_each_setup_fits_and_half_of_the_gpus_would_not_do() -> None:
    table = tabulate_setups(LLAMA, H100, tokens_per_gpu=16384)
    for name, row in table.iterrows():
        gpus = int(row["gpus"])
        assert row["total"] <= USABLE_MEMORY * H100.memory_gb * gpus
        if gpus > 1:
            less = size_setup(LLAMA, SETUPS[str(name)], tokens_per_gpu=16384, gpus=gpus // 2)
            assert less.total > USABLE_MEMORY * H100.memory_gb * (gpus // 2)


def test_a_micro_batch_that_never_fits_is_an_error() -> None:
    with pytest.raises(CostError, match="does not fit"):
        tabulate_setups(LLAMA, H100, tokens_per_gpu=10_000_000)
