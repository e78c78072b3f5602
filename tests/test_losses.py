"""Objectives as per-token weights: worked values, and identities that hold for any input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlscale.losses import (
    AVERAGES,
    OBJECTIVES,
    ObjectiveError,
    average_weights,
    compute_advantages,
    find_objective,
    kl_weights,
    ratio_weights,
    token_weights,
)


def _batch(seed: int, prompts: int = 3, group: int = 4, tokens: int = 5):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, tokens + 1, (prompts, group))
    mask = np.arange(tokens) < lengths[..., None]
    old = -rng.exponential(1.0, mask.shape)
    new = old + rng.normal(0, 0.5, mask.shape)
    reward = rng.integers(0, 2, (prompts, group)).astype(float)
    return new, old, reward, mask


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_batch_without_spread_teaches_nothing(name):
    new, old, _, mask = _batch(1)
    objective = find_objective(name)
    advantage = compute_advantages(np.ones((3, 4)), objective)
    assert np.array_equal(token_weights(objective, new, old, advantage, mask), np.zeros(mask.shape))


@pytest.mark.parametrize("name", OBJECTIVES)
def test_right_answers_are_pushed_up_and_wrong_ones_down_and_padding_is_left_alone(name):
    new, old, reward, mask = _batch(2)
    objective = find_objective(name)
    advantage = compute_advantages(reward, objective)
    weight = token_weights(objective, new, old, advantage, mask)
    assert np.all(weight[reward > 0] >= 0)
    assert np.all(weight[reward == 0] <= 0)
    assert np.all(weight[~mask] == 0)
    assert np.abs(weight).sum() > 0


@pytest.mark.parametrize("name", sorted(set(OBJECTIVES) - {"reinforce"}))
def test_on_policy_the_ratio_does_not_matter(name):
    # with ratio 1 a token's weight is advantage x average: GRPO, CISPO and GSPO differ in the averages only
    new, _, reward, mask = _batch(3)
    objective = find_objective(name)
    advantage = compute_advantages(reward, objective)
    expected = advantage[..., None] * average_weights(mask, objective.average)
    assert np.allclose(token_weights(objective, new, new, advantage, mask), expected, rtol=0, atol=1e-15)


def test_group_advantages_have_mean_zero_and_deviation_one():
    reward = np.array([[1, 0, 0, 1, 0, 0, 0, 0.0]])
    advantage = compute_advantages(reward, find_objective("grpo"))
    assert advantage.mean() == pytest.approx(0, abs=1e-15)
    assert advantage.std() == pytest.approx(1, abs=1e-12)
    # one failure in eight, the worst case for a nearly solved prompt
    lonely = compute_advantages([[0, 1, 1, 1, 1, 1, 1, 1]], find_objective("grpo"))
    assert lonely[0, 0] == pytest.approx(-np.sqrt(7), abs=1e-12)


def test_dr_grpo_keeps_the_size_of_the_advantage():
    assert np.array_equal(
        compute_advantages([[1, 0, 0, 0]], find_objective("dr-grpo")), [[0.75, -0.25, -0.25, -0.25]]
    )


def test_scalerl_divides_by_the_spread_of_the_whole_batch():
    reward = np.array([[1, 0, 0, 0], [1, 1, 0, 0.0]])
    centred = reward - reward.mean(axis=1, keepdims=True)
    assert np.allclose(
        compute_advantages(reward, find_objective("scalerl")), centred / centred.std(), atol=1e-15
    )


def test_reinforce_compares_with_the_batch_not_the_group():
    advantage = compute_advantages([[1, 1], [0, 0]], find_objective("reinforce"))
    assert np.array_equal(advantage, [[0.5, 0.5], [-0.5, -0.5]])


def test_prompts_left_out_do_not_count():
    reward = np.array([[1, 0.0], [1, 1.0], [0, 1.0]])
    keep = np.array([True, False, True])
    objective = find_objective("scalerl")
    assert np.array_equal(compute_advantages(reward, objective, keep=keep)[1], [0, 0])
    assert np.allclose(
        compute_advantages(reward, objective, keep=keep)[keep], compute_advantages(reward[keep], objective)
    )
    assert np.array_equal(compute_advantages(reward, objective, keep=[False] * 3), np.zeros((3, 2)))


def test_clip_stops_only_the_move_that_goes_on_in_the_same_direction():
    objective = find_objective("grpo")
    log_ratio = np.log(np.array([[[1.3], [0.7], [1.3], [0.7]]]))
    advantage = np.array([[1.0, 1.0, -1.0, -1.0]])
    kept = ratio_weights(log_ratio, advantage, np.ones((1, 4, 1), bool), objective)[0, :, 0]
    assert kept == pytest.approx([0.0, 0.7, 1.3, 0.0])


def test_dapo_lets_a_good_token_grow_further_than_grpo():
    log_ratio, advantage, mask = np.log([[[1.25]]]), np.array([[1.0]]), np.ones((1, 1, 1), bool)
    assert ratio_weights(log_ratio, advantage, mask, find_objective("grpo"))[0, 0, 0] == 0
    assert ratio_weights(log_ratio, advantage, mask, find_objective("dapo"))[0, 0, 0] == pytest.approx(1.25)


def test_cispo_caps_the_weight_and_never_drops_a_token():
    log_ratio = np.log(np.array([[[0.01, 1.0, 4.0, 50.0]]]))
    weight = ratio_weights(log_ratio, np.array([[-1.0]]), np.ones((1, 1, 4), bool), find_objective("cispo"))
    assert weight[0, 0] == pytest.approx([0.01, 1.0, 4.0, 5.0])


def test_gspo_clips_whole_answers():
    # one token far out, three unchanged: the geometric mean of the answer is what counts
    log_ratio = np.array([[[np.log(1.5), 0, 0, 0], [0, 0, 0, 0]]])
    mask = np.ones((1, 2, 4), bool)
    weight = ratio_weights(log_ratio, np.array([[1.0, 1.0]]), mask, find_objective("gspo"))
    assert np.array_equal(weight[0, 0], np.zeros(4))
    assert np.array_equal(weight[0, 1], np.ones(4))


def test_averages_by_hand():
    mask = np.array([[[1, 0, 0, 0], [1, 1, 1, 1]], [[1, 1, 0, 0], [1, 1, 0, 0]]], bool)
    first = {name: average_weights(mask, name)[0, :, 0] for name in AVERAGES}
    assert first["sequence"] == pytest.approx([1 / 4, 1 / 16])
    assert first["token"] == pytest.approx([1 / 9, 1 / 9])
    assert first["prompt"] == pytest.approx([1 / 10, 1 / 10])
    assert first["constant"] == pytest.approx([1 / 16, 1 / 16])
    assert average_weights(mask, "constant", longest=8)[0, 0, 0] == pytest.approx(1 / 32)


@given(seed=st.integers(0, 10_000), average=st.sampled_from(["sequence", "token", "prompt"]))
@settings(max_examples=50, deadline=None)
def test_means_sum_to_one(seed, average):
    _, _, _, mask = _batch(seed)
    assert average_weights(mask, average).sum() == pytest.approx(1.0, abs=1e-12)


def test_with_answers_of_one_length_all_averages_are_the_same():
    # the laboratory's sort task: why it cannot test the arguments about length
    mask = np.ones((4, 3, 5), bool)
    for name in AVERAGES:
        assert np.allclose(average_weights(mask, name), 1 / 60, atol=1e-16)


def test_an_answer_without_tokens_does_not_count():
    mask = np.zeros((1, 2, 3), bool)
    mask[0, 0] = True
    assert average_weights(mask, "sequence").sum() == pytest.approx(1.0)
    assert np.array_equal(average_weights(np.zeros((1, 2, 3), bool), "token"), np.zeros((1, 2, 3)))


def test_kl_weight_pulls_back_to_the_reference():
    assert kl_weights([np.log(0.2)], [np.log(0.4)])[0] == pytest.approx(1.0)  # too unlikely: pushed up
    assert kl_weights([np.log(0.4)], [np.log(0.2)])[0] == pytest.approx(-0.5)


def test_bad_input_is_named():
    grpo = find_objective("grpo")
    with pytest.raises(ObjectiveError, match="did you mean 'cispo'"):
        find_objective("cisp0")
    with pytest.raises(ObjectiveError, match=r"shape \(3,\)"):
        compute_advantages([1, 0, 1], grpo)
    with pytest.raises(ObjectiveError, match="not finite"):
        compute_advantages([[1, np.nan]], grpo)
    with pytest.raises(ObjectiveError, match="one flag a prompt"):
        compute_advantages([[1, 0]], grpo, keep=[True, False])
    with pytest.raises(ObjectiveError, match="shapes do not fit"):
        token_weights(grpo, np.zeros((1, 2, 3)), np.zeros((1, 2, 3)), np.zeros((1, 3)), np.ones((1, 2, 3)))
    with pytest.raises(ObjectiveError, match="average 'mean' is not known"):
        average_weights(np.ones((1, 1, 1)), "mean")
