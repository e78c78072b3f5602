"""Bits of a reward and parameters of an adapter."""

from __future__ import annotations

import numpy as np
import pytest

from rlscale.capacity import decoder_maps, episode_bits, lora_parameters, run_bits
from rlscale.errors import CurveError
from rlscale.lab.shipped import read_shipped_runs
from rlscale.tables import load_table


def test_entropy_of_a_reward():
    assert episode_bits([0, 0.5, 1]).tolist() == [0, 1, 0]
    assert float(episode_bits(0.25)) == pytest.approx(2 - 0.75 * np.log2(3))
    assert episode_bits(0.1) == pytest.approx(episode_bits(0.9))


def test_bits_of_a_run_are_an_integral():
    count = np.linspace(0, 1000, 2001)
    # integral of the entropy over p from 0 to 1 is 1 / (2 ln 2) bits
    assert run_bits(count, count / 1000) == pytest.approx(1000 / (2 * np.log(2)), rel=1e-3)
    assert run_bits(count, np.full(count.size, 0.5)) == pytest.approx(1000)


@pytest.mark.parametrize("count", [[0, 0], [1, 0], [0], [[0, 1]]])
def test_completions_must_rise(count):
    with pytest.raises(CurveError, match="must rise"):
        run_bits(count, np.full(np.shape(count), 0.5))


@pytest.mark.parametrize("p", [1.1, -0.1, np.nan, 50])
def test_impossible_rates_are_refused(p):
    with pytest.raises(CurveError, match="percent"):
        episode_bits(p)


@pytest.mark.parametrize("rank", [0, -1, 1.5])
def test_impossible_ranks_are_refused(rank):
    with pytest.raises(CurveError, match="rank"):
        lora_parameters([(2, 2)], rank)


def test_the_maps_of_a_published_model_add_up_to_its_parameters():
    llama = load_table("models").set_index("model").loc["Llama-3.1-8B"]
    maps = decoder_maps(int(llama.hidden), int(llama.kv_heads * llama.head_dim), 14336, int(llama.layers))
    inside = sum(i * o for i, o in maps)
    embeddings = 2 * 128_256 * int(llama.hidden)
    assert (inside + embeddings) / 1e9 == pytest.approx(llama.params_total_b, rel=0.001)
    assert lora_parameters(maps, 16) == 16 * lora_parameters(maps, 1)


def test_the_adapter_of_the_laboratory_is_counted_as_it_is_trained():
    """It adapts the head too, and its attention has one map for query, key and value."""
    lab = read_shipped_runs()
    if "lora-1" not in lab.arms:
        pytest.skip("no run with an adapter is shipped in data/lab")
    trained = lab.index[lab.index.arm == "lora-1"].trained_parameters.iloc[0]
    maps = [(32, 96), (32, 32), (32, 128), (128, 32)] * 2 + [(32, 14)]
    assert trained == lora_parameters(maps, 1)
