"""Names of series: what they say, and what they must not be taken for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlscale.curve import KINDS
from rlscale.logs.series import describe_values, parse_metric, parse_name

HELDOUT = [
    "eval/accuracy",
    "eval_accuracy",
    "val_acc",
    "validation/accuracy",
    "test/pass_rate",
    "eval_answer_rate",
    "eval/win_rate",
    "val/exact_match",
    "eval_correct_rt",
    "aime24/acc",
    "test_solve_rate",
    "eval/solved",
    "heldout/success_rate",
]
TRAIN = [
    "accuracy",
    "acc",
    "answer_rate",
    "solve_rate",
    "train/accuracy",
    "gt_match_rate",
    "rewards/accuracy_reward/mean",
    "rewards/correctness_reward_func",
    "rewards/r1_correctness",
    "pass_rate",
    "env/all/correct",
    "batch_accuracy",
    "win_rate",
]
REWARDS = [
    "reward",
    "score",
    "mean_reward",
    "reward_mean",
    "critic/rewards/mean",
    "rewards/combined_reward",
    "rewards/reward_fn",
    "avg_r_total",
    "return",
    "reward/mean",
]
OTHER = [
    "loss",
    "lr",
    "kl",
    "grad_norm",
    "entropy",
    "reward_std",
    "rewards/accuracy_reward/std",
    "accuracy_std",
    "time/eval",
    "eval/loss",
    "format_rate",
    "rewards/format_reward/mean",
    "clip_ratio",
    "step_accuracy",
    "grounded_acc",
    "chain_prm_corr",
    "format_failure_rate",
    "eval_runtime",
    "num_correct",
    "acc__MAX",
    "accuracy/max",
    "timing_s/reward",
    "critic/returns/mean",
]
LENGTHS = [
    "response_length/mean",
    "completions/mean_length",
    "completion_length",
    "completion_len",
    "val/avg_length",
    "rollout/response_len/mean",
    "val/sequence_lengths",
]


@pytest.mark.parametrize("name", HELDOUT)
def test_heldout(name):
    assert parse_name(name).kind == "heldout_pass_rate"


@pytest.mark.parametrize("name", TRAIN)
def test_train(name):
    assert parse_name(name).kind == "train_pass_rate"


@pytest.mark.parametrize("name", REWARDS)
def test_a_reward_is_never_a_pass_rate(name):
    series = describe_values(parse_name(name), np.array([0.1, 0.5]))
    assert series.kind in ("train_reward", "heldout_reward")
    assert not series.fittable


@pytest.mark.parametrize("name", OTHER)
def test_other(name):
    assert parse_name(name).kind in ("other", "train_reward", "heldout_reward")
    assert not describe_values(parse_name(name), np.array([0.1, 0.5])).fittable


@pytest.mark.parametrize("name", LENGTHS)
def test_lengths(name):
    assert parse_name(name).kind == "length"


@pytest.mark.parametrize(
    ("name", "framework", "kind", "dataset", "k"),
    [
        ("val-core/openai/gsm8k/acc/mean@4", "verl", "heldout_pass_rate", "openai/gsm8k", 4),
        ("val-aux/math/reward/mean@1", "verl", "heldout_pass_rate", "math", 1),
        ("val-core/aime/acc/best@32/mean", "verl", "pass_at_k", "aime", 32),
        ("val-core/aime/acc/maj@32/mean", "verl", "pass_at_k", "aime", 32),
        ("val/test_score/openai/gsm8k", "verl", "heldout_pass_rate", "openai/gsm8k", 1),
        ("eval/eval_math500_pass1", "OpenRLHF", "heldout_pass_rate", "math500", None),
        ("eval/eval_math500_pass8", "OpenRLHF", "pass_at_k", "math500", 8),
        ("eval/gsm8k/avg_score", "SkyRL", "heldout_pass_rate", "gsm8k", None),
        ("eval/all/pass_at_8", "SkyRL", "pass_at_k", "all", 8),
        ("reward/avg_pass_at_8", "SkyRL", "pass_at_k", "", 8),
        ("eval/aime", "slime", "heldout_pass_rate", "aime", None),
        ("eval/aime-pass@16", "slime", "pass_at_k", "aime", 16),
        ("eval/aime/all/agent/avg@16", "prime-rl", "heldout_pass_rate", "aime/all/agent", 16),
        ("val/math/pass@1", "rllm", "heldout_pass_rate", "math", 1),
        ("validation/pass_k", "NeMo-RL", "pass_at_k", "", None),
        ("test/env/all/correct", "tinker-cookbook", "heldout_pass_rate", "all", None),
        ("env/all/by_group/frac_mixed", "tinker-cookbook", "other", "", None),
        ("val/solve_rate_hist", "open-instruct", "other", "", None),
        ("scores", "open-instruct", "train_reward", "", None),
    ],
)
def test_frameworks(name, framework, kind, dataset, k):
    series = parse_name(name, framework)
    assert (series.kind, series.dataset, series.k) == (kind, dataset, k)


def test_filtered_and_shaped_rewards_are_known():
    for name, framework in (
        ("train/filtered_reward", "NeMo-RL"),
        ("critic/rewards/mean", "verl"),
        ("env/all/reward/total", "tinker-cookbook"),
        ("train/agg/effective/agent/reward/mean", "prime-rl"),
        ("loss/avg_final_rewards", "SkyRL"),
        ("reward/evaluate_response/avg_total_reward", "torchforge"),
    ):
        assert parse_name(name, framework).biased, name


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([0, 1], "unit"),
        ([0.2, 62.5], "percent"),
        ([-1, 1], "signed"),
        ([-2, 0.4], "other"),
        ([3, 200], "other"),
    ],
)
def test_scales(values, scale):
    assert describe_values(parse_name("accuracy"), np.array(values, float)).scale == scale


def test_percent_by_name_only_when_the_values_are():
    assert describe_values(parse_name("eval_win_rate_percent"), np.array([4.0, 28.0])).factor == 0.01
    assert describe_values(parse_name("percentage correct"), np.array([0.1, 0.6])).factor == 1.0


@given(
    st.text(max_size=80),
    st.sampled_from(["", "verl", "TRL", "tinker-cookbook", "slime", "prime-rl", "OpenRLHF"]),
)
def test_any_name_has_a_kind(name, framework):
    series = parse_name(name, framework)
    assert series.kind in KINDS
    parse_metric(name)


@pytest.mark.parametrize(
    "key", ["train/filtered_accuracy", "filtered_reward", "filtered_acc", "train/filtered_pass_rate"]
)
@pytest.mark.parametrize("framework", ["", "TRL", "prime-rl"])
def test_a_series_behind_a_filter_is_no_pass_rate_in_any_framework(key, framework):
    """TC-12 with values that vary: a plain CSV with train/filtered_accuracy was forecast without a word."""
    one = describe_values(parse_name(key, framework), np.linspace(0.3, 0.6, 20))
    assert one.biased and not one.fittable and "filter kept" in one.note


@pytest.mark.parametrize(
    "key", ["val/math_filtered/acc", "train/unfiltered_accuracy", "eval/filtered_accuracy"]
)
def test_what_the_data_are_called_is_no_filter(key):
    assert not parse_name(key).biased
