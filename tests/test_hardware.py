"""GPUs, model shapes, roofline, lengths, step time and memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlscale.clock import check_gpu_hours, count_gpu_hours
from rlscale.errors import CostError
from rlscale.hardware import Model, find_gpu, find_model, list_gpus, list_models, training_flops, usual_mfu
from rlscale.lengths import length_quantiles
from rlscale.memory import size_training, smallest_machine
from rlscale.mismatch import measure_mismatch
from rlscale.roofline import (
    LAYER_FLOOR_S,
    count_sequences,
    decode_seconds,
    decode_throughput,
    read_weight_bytes,
    replica_gpus,
)
from rlscale.speed import Cluster, time_step

H100 = find_gpu("H100 SXM")
LLAMA = find_model("Llama-3.1-8B")
MOE = find_model("Qwen3-30B-A3B")


def cluster(**changes) -> Cluster:
    inputs = dict(model=LLAMA, gpu=H100, gpus=16, gpus_per_replica=1) | changes
    return Cluster(**inputs)


def step(where: Cluster, sequences=2048.0, length=1000.0, cv=1.0, longest=8192.0, **more):
    tokens = sequences * (length + 200)
    return time_step(where, sequences, 200.0, length, cv, longest, tokens, **more)


def test_every_listed_name_is_found():
    assert all(find_gpu(g).name == g for g in list_gpus() if g != "VR200")
    assert all(find_model(m).name == m for m in list_models())


def test_unknown_names_list_the_nearest():
    with pytest.raises(CostError, match="H100 SXM"):
        find_gpu("H100")
    with pytest.raises(CostError, match=r"Llama-3\.1-8B"):
        find_model("llama-3-8b")


def test_gpu_without_a_published_peak_is_refused():
    with pytest.raises(CostError, match="not published"):
        find_gpu("VR200")


@pytest.mark.parametrize(
    ("name", "kv_bytes"),
    [("Llama-3.1-8B", 131_072), ("DeepSeek-V3", 576 * 61 * 2), ("Qwen2.5-7B", 2 * 28 * 4 * 128 * 2)],
)
def test_bytes_of_keys_and_values(name, kv_bytes):
    assert find_model(name).kv_bytes == kv_bytes


def test_roofline_of_the_facts():
    # 16 GB of weights, 127 sequences of 3,358 tokens fill 72 GB, read once in 21.5 ms: 5,900 tokens/s
    assert count_sequences(LLAMA, H100, 3358) == pytest.approx(127, abs=0.5)
    assert decode_seconds(LLAMA, H100, 127, 3358, layer_floor_s=0) == pytest.approx(0.0215, rel=0.005)
    assert decode_throughput(LLAMA, H100, 3358, layer_floor_s=0) == pytest.approx(5900, rel=0.005)


def test_one_sequence_is_bound_by_weights_and_floor():
    seconds = decode_seconds(LLAMA, H100, 1, 0)
    assert seconds == pytest.approx(16.06e9 / 3.35e12 + 32 * LAYER_FLOOR_S, rel=1e-3)


def test_huge_batch_is_bound_by_arithmetic():
    seconds = decode_seconds(LLAMA, H100, 1e5, 1, layer_floor_s=0)
    assert seconds == pytest.approx(2 * LLAMA.params_active * 1e5 / (H100.bf16_tflops * 1e12))


def test_mixture_reads_active_weights_alone_and_nearly_all_in_a_batch():
    assert read_weight_bytes(MOE, 1) == pytest.approx(2 * MOE.params_active)
    assert read_weight_bytes(MOE, 256) == pytest.approx(2 * MOE.params_total, rel=1e-6)
    assert read_weight_bytes(LLAMA, [1, 512]) == pytest.approx(2 * LLAMA.params_total)


@given(st.floats(1, 500), st.floats(1.01, 3), st.floats(100, 30_000))
def test_larger_batches_take_longer_and_give_more(batch, factor, context):
    one, more = (float(decode_seconds(MOE, H100, b, context, gpus=2)) for b in (batch, batch * factor))
    assert more >= one
    assert batch * factor / more >= batch / one * (1 - 1e-9)


def test_model_that_does_not_fit_is_refused_and_gets_more_gpus():
    big = find_model("Llama-3.1-70B")
    assert count_sequences(big, H100, 4096) == 0
    with pytest.raises(CostError, match="does not fit"):
        decode_throughput(big, H100, 4096)
    assert replica_gpus(big, H100, 8192) == 4
    with pytest.raises(CostError, match="does not fit"):
        replica_gpus(Model("huge", 1e16, 1e16, 100, 1e4, 1e6), H100, 8192)


@pytest.mark.parametrize(
    ("settings_", "per_token"),
    [
        ({}, 6),
        ({"recompute": True}, 8),
        ({"method": "lora"}, 4),
        ({"old_logprob": True}, 8),
        ({"old_logprob": True, "reference": True, "recompute": True}, 12),
    ],
)
def test_training_flops(settings_, per_token):
    assert training_flops(LLAMA, 1e6, **settings_) == pytest.approx(per_token * LLAMA.params_active * 1e6)


def test_training_flops_count_active_parameters_only():
    assert training_flops(MOE, 1) == pytest.approx(6 * 3.3e9)


def test_unknown_training_method_is_refused():
    with pytest.raises(CostError, match="full"):
        training_flops(LLAMA, 1, method="freeze")


def test_usual_mfu_is_the_measured_one_on_h100_and_stays_below_the_ceiling():
    assert usual_mfu(LLAMA, H100) == pytest.approx((0.10, 0.25, 0.40))
    for gpu in ("A100 SXM 80GB", "H20", "B200 SXM", "GB200", "MI300X"):
        low, middle, high = usual_mfu(LLAMA, find_gpu(gpu))
        assert 0 < low < middle < high < 0.65
    assert usual_mfu(MOE, H100)[1] < usual_mfu(LLAMA, H100)[1]


@settings(deadline=None, max_examples=50)
@given(st.floats(50, 20_000), st.floats(0, 2), st.floats(1.05, 30))
def test_lengths_have_the_mean_asked_for(mean, cv, room):
    levels = (np.arange(400) + 0.5) / 400
    lengths = length_quantiles([mean], [cv], mean * room, levels)[0]
    assert np.all(np.diff(lengths) <= 1e-9) and lengths.max() <= mean * room * (1 + 1e-12)
    # 400 quantiles against the 64 of the fit: the tail of a wide lognormal differs by a few percent
    assert lengths.mean() == pytest.approx(mean, rel=0.06)


def test_equal_lengths_end_together():
    assert np.allclose(length_quantiles([500.0], [0.0], 4096, [0.99, 0.5, 0.01]), 500)


def test_parts_of_a_step_add_up():
    for mode in ("sync", "async"):
        s = step(cluster(mode=mode, trainer_share=0.3 if mode == "async" else None))
        assert s.generation + s.training + s.overhead + s.idle == pytest.approx(s.seconds * 16)


def test_synchronous_adds_and_asynchronous_takes_the_slower_pool():
    sync = step(cluster(step_overhead=0))
    assert sync.idle == 0 and sync.seconds * 16 == pytest.approx(sync.generation + sync.training)
    few = step(cluster(mode="async", trainer_share=0.1, step_overhead=0))
    assert few.seconds * 16 * 0.1 == pytest.approx(few.training) and few.idle > 0
    balanced = step(cluster(mode="async", step_overhead=0))
    assert balanced.seconds < few.seconds
    assert balanced.idle / (balanced.seconds * 16) < 0.01


def test_long_tail_costs_the_synchronous_step_more():
    # few sequences a GPU, so that both modes hold the whole batch and only the drain differs
    growth = {}
    for mode, share in (("sync", None), ("async", 0.5)):
        narrow, wide = (
            float(
                step(cluster(mode=mode, trainer_share=share, gpus=64), sequences=512.0, cv=cv).generation[0]
            )
            for cv in (0.2, 1.5)
        )
        growth[mode] = wide / narrow
    assert growth["sync"] > 1.5 * growth["async"]


def test_more_gpus_are_faster_and_less_efficient():
    # few sequences a GPU: the batch shrinks and the step waits for the longest answer
    times = [float(step(cluster(gpus=g), sequences=512.0).seconds[0]) for g in (16, 64, 256)]
    hours = [t * g for t, g in zip(times, (16, 64, 256), strict=True)]
    assert times[0] > times[1] > times[2] and hours[0] < hours[1] < hours[2]


def test_waiting_for_the_environment_stops_the_synchronous_step():
    assert step(cluster(step_overhead=0), wait_seconds=100.0).seconds - step(
        cluster(step_overhead=0)
    ).seconds == (pytest.approx(100))
    away = cluster(mode="async", trainer_share=0.5)
    assert step(away, wait_seconds=100.0).seconds == step(away).seconds


def test_one_completion_takes_the_mean_length():
    """It took no time: the quantile of "all alive" is minus infinity."""
    one, two, many = (float(step(cluster(), sequences=n).generation[0]) for n in (1.0, 2.0, 64.0))
    assert 0 < one < many and 0.5 * two < one < 1.5 * two


def test_no_sequences_take_no_time():
    assert step(cluster(), sequences=0.0).seconds == 0
    assert step(cluster(), length=0.0).generation == 0


@pytest.mark.parametrize("change", [{"mode": "both"}, {"gpus": 1, "gpus_per_replica": 2}])
def test_impossible_clusters_are_refused(change):
    with pytest.raises(CostError):
        cluster(**change)


def test_trainer_share_of_one_is_refused():
    with pytest.raises(CostError, match="between 0 and 1"):
        step(cluster(mode="async", trainer_share=1.0))


def test_gpu_hours_are_not_a_property_of_the_steps():
    # TC-19: 384 steps each, at 4 and at 2 steps an hour
    assert count_gpu_hours(32, 3600 / 4, 384) == 3072
    assert count_gpu_hours(8, 3600 / 2, 384) == 1536


def test_validation_is_part_of_the_bill():
    # TC-23: ten steps of 100 s and a validation of 300 s on 8 GPUs
    assert count_gpu_hours(8, [100.0] * 10, 10, other_seconds=300) == pytest.approx(2.89, abs=0.005)
    assert count_gpu_hours(8, 100, 10) == pytest.approx(2.22, abs=0.005)


def test_stated_gpu_hours_must_be_a_total():
    # TC-33: "200 GPU-hours" on 8 GPUs for 25 h is a total; 200 h on 8 GPUs are 1,600
    assert check_gpu_hours(200, 8, 25) == 200
    with pytest.raises(CostError, match=r"1600.*hours of one GPU"):
        check_gpu_hours(200, 8, 200)


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_impossible_times_are_refused(seconds):
    with pytest.raises(CostError):
        count_gpu_hours(8, seconds, 10)


def test_mismatch_is_not_seen_in_the_mean():
    # TC-21
    m = measure_mismatch([0.15, -0.15, 0.02, -0.02])
    assert m.mean_log_ratio == pytest.approx(0, abs=1e-12)
    assert (m.share_outside, m.tokens) == (0.5, 4)
    assert m.largest_ratio == pytest.approx(np.exp(0.15))


@pytest.mark.parametrize("values", [[], [0.0, float("nan")], [float("inf")]])
def test_mismatch_refuses_what_is_no_log_ratio(values):
    with pytest.raises(CostError):
        measure_mismatch(values)


def test_training_state_takes_sixteen_bytes_a_parameter():
    full = size_training(LLAMA, tokens_per_gpu=0)
    assert full.total == pytest.approx(16 * 8.03)
    assert full.activations == full.logits == 0


def test_lora_keeps_optimizer_for_the_adapters_only():
    full, lora = (size_training(LLAMA, tokens_per_gpu=4096, method=m) for m in ("full", "lora"))
    assert lora.weights == pytest.approx(full.weights, rel=0.02)
    assert lora.optimizer < 0.02 * full.optimizer
    # rank 32 on all matrices of Llama-3.1-8B are 84 million parameters (peft prints 83,886,080)
    assert lora.gradients * 1e9 / 2 == pytest.approx(83_886_080, rel=0.001)


def test_reference_model_doubles_the_weights_of_full_training_only():
    full, held = (size_training(LLAMA, tokens_per_gpu=0, reference=r) for r in (False, True))
    assert held.weights == pytest.approx(2 * full.weights)
    lora, held = (size_training(LLAMA, tokens_per_gpu=0, method="lora", reference=r) for r in (False, True))
    assert held.weights == lora.weights


def test_smallest_machine_is_smallest():
    gpus, need = smallest_machine(LLAMA, H100, tokens_per_gpu=8192)
    assert need.total <= 0.9 * 80 * gpus
    half = size_training(LLAMA, tokens_per_gpu=8192, gpus=gpus // 2)
    assert half.total > 0.9 * 80 * gpus / 2


def test_sequence_too_long_for_a_gpu_is_refused():
    with pytest.raises(CostError, match="micro-batch"):
        smallest_machine(LLAMA, H100, tokens_per_gpu=2_000_000)
