"""Each check: what it must find, and what it must leave alone."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rlscale as rs
from rlscale.logs import checks, health
from rlscale.logs.collapse import find_collapse


def read(tmp_path, rows, name="log.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return rs.read_run(path)


def rising(n, top=0.6):
    return [0.1 + (top - 0.1) * i / (i + 6) for i in range(n)]


def test_every_check_has_a_code_a_message_and_is_listed(tmp_path):
    names = {name for module in (checks, health) for name in dir(module) if name.startswith("check_")}
    assert names - {"check_run"} == {check.__name__ for check in checks.CHECKS}


def test_sampled_needs_holes(tmp_path):
    whole = read(tmp_path, [{"step": i, "accuracy": 0.1 + i / 3000} for i in range(1000)])
    assert checks.check_sampled(whole) is None
    holes = sorted(np.random.default_rng(0).choice(9000, 1000, replace=False).tolist())
    thinned = read(tmp_path, [{"step": i, "accuracy": 0.1 + i / 30000} for i in holes])
    assert checks.check_sampled(thinned).code == "sampled-export"
    almost = read(tmp_path, [{"step": i, "accuracy": 0.1 + i / 30000} for i in holes[:-1]])
    assert checks.check_sampled(almost) is None


def test_forward_filled(tmp_path):
    rng = np.random.default_rng(0)
    carried = read(tmp_path, [{"step": i, "accuracy": rising(10)[i // 10]} for i in range(100)])
    assert checks.check_forward_filled(carried).code == "forward-filled"
    coarse = read(tmp_path, [{"step": i, "accuracy": float(rng.integers(0, 3)) / 8} for i in range(100)])
    assert checks.check_forward_filled(coarse) is None
    ceiling = read(tmp_path, [{"step": i, "accuracy": min(1.0, 0.1 + i / 10)} for i in range(100)])
    assert checks.check_forward_filled(ceiling) is None


def test_head_and_gap(tmp_path):
    late = read(tmp_path, [{"step": i, "accuracy": 0.1 + i / 3000} for i in range(101, 200)])
    assert checks.check_head(late).code == "head-missing"
    every_25 = read(tmp_path, [{"step": i, "accuracy": 0.1 + i / 3000} for i in range(25, 301, 25)])
    assert checks.check_head(every_25) is None
    steps = [*range(20), *range(200, 230)]
    assert checks.check_gaps(read(tmp_path, [{"step": i, "accuracy": i / 999} for i in steps])).code == "gap"
    assert checks.check_gaps(every_25) is None


DEAD = [
    {"frac_reward_zero_std": 0.9, "reward": 0.5},
    {"env/all/by_group/frac_all_good": 0.5, "env/all/by_group/frac_all_bad": 0.4, "progress/batch": 1},
    {
        "train/agg/all/agent/solved_none": 0.5,
        "train/agg/all/agent/solved_all": 0.4,
        "time": 1.7e9,
        "progress/tokens": 3,
    },
    {"batch/solver/fractions/too_easy": 0.5, "batch/solver/fractions/too_hard": 0.4, "episode/correct": 0.9},
    {"real_batch_size_ratio": 0.1, "training_step": 3},
    {"zvf": 0.9},
    {"degenerate_frac": 0.9},
    {"frac_zero_std": 0.9},
]


@pytest.mark.parametrize("row", DEAD, ids=lambda row: next(iter(row)))
def test_dead_groups_over_all_names(row, tmp_path):
    rows = [{**row, "step": i, "loss": 0.1 * i} for i in range(6)]
    for i, r in enumerate(rows):
        if "training_step" in r:
            r["training_step"] = i
    run = read(tmp_path, rows)
    assert np.nanmean(health.dead_group_share(run)) == pytest.approx(0.9)
    assert health.check_dead_groups(run).code == "dead-groups"


def test_dead_groups_of_sample_dumps(tmp_path):
    for step in (1, 2, 3):
        rows = [{"input": f"q{i // 2}", "output": "", "score": float(i < 2), "step": step} for i in range(8)]
        (tmp_path / f"{step}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    run = rs.read_run(tmp_path)
    assert health.dead_group_share(run).tolist() == [1.0, 1.0, 1.0]
    assert run.facts["groups"] == (4, 2)


@pytest.mark.parametrize(
    "key",
    [
        "completions/clipped_ratio",
        "response_length/clip_ratio",
        "train/rollout/truncated_rate",
        "rollout/truncated_ratio",
        "truncation_rate",
    ],
)
def test_truncation_over_all_names(key, tmp_path):
    run = read(tmp_path, [{"step": i, key: 0.5, "accuracy": i / 10} for i in range(6)])
    assert health.check_truncation(run).code == "truncated"
    run = read(tmp_path, [{"step": i, key: 0.05, "clip_ratio": 0.9, "accuracy": i / 10} for i in range(6)])
    assert health.check_truncation(run) is None


def test_zero_reward(tmp_path):
    assert (
        health.check_zero_reward(read(tmp_path, [{"step": i, "reward": 0} for i in range(9)])).code
        == "no-signal"
    )
    assert health.check_zero_reward(read(tmp_path, [{"step": i, "reward": i == 4} for i in range(9)])) is None


def test_format_reward_mistaken_for_accuracy(tmp_path):
    rows = [
        {
            "step": i,
            "reward_mean": 0.05 + 0.01 * i,
            "format_rate": 0.2 + 0.05 * i,
            "answer_rate": 0.015,
            "format_time": i,
        }
        for i in range(12)
    ]
    assert health.check_format_reward(read(tmp_path, rows)).code == "format-reward"
    for i, row in enumerate(rows):
        row["answer_rate"] = 0.015 + 0.01 * i
    assert health.check_format_reward(read(tmp_path, rows)) is None


def test_proxy_reward_against_true_score(tmp_path):
    rows = [
        {"step": i, "reward/mean": 0.2 + 0.03 * i, "reward/g": 0.2 + 0.03 * i, "reward/f": 0.002}
        for i in range(12)
    ]
    flag = health.check_proxy_reward(read(tmp_path, rows))
    assert flag.code == "proxy-reward"
    assert "reward/f" in flag.message
    for i, row in enumerate(rows):
        row["reward/f"] = 0.1 + 0.02 * i
    assert health.check_proxy_reward(read(tmp_path, rows)) is None


def test_mismatch_looks_at_the_extremes(tmp_path):
    keys = ("sampling/sampling_logp_difference/mean", "sampling/sampling_logp_difference/max")
    run = read(tmp_path, [{"step": i, keys[0]: 0.001, keys[1]: 3.0} for i in range(6)])
    assert "mean is 0.001" in health.check_mismatch(run).message
    assert (
        health.check_mismatch(read(tmp_path, [{"step": i, keys[0]: 0.001, keys[1]: 0.02} for i in range(6)]))
        is None
    )
    run = read(tmp_path, [{"step": i, "train/token_mult_prob_error": 1.2} for i in range(6)])
    assert health.check_mismatch(run).code == "logprob-mismatch"


# -- collapse
# ----------------------------------------------------------------------------------------------------
@given(seed=st.integers(0, 10_000), noise=st.floats(0.0, 0.12), n=st.integers(12, 200))
def test_a_noisy_plateau_is_no_collapse(seed, noise, n):
    rng = np.random.default_rng(seed)
    curve = np.array(rising(n)) + rng.normal(0, noise, n)
    found = find_collapse(curve)
    # by chance the last points of a very noisy short curve may look like one; with 60 points they never do
    assert found is None or n < 60


def test_pure_noise_is_no_collapse():
    rng = np.random.default_rng(5)
    wrong = sum(find_collapse(rng.binomial(8, 0.3, 50) / 8) is not None for _ in range(300))
    assert wrong <= 9  # 3 %


@given(seed=st.integers(0, 10_000), at=st.integers(20, 60))
def test_a_planted_collapse_is_found_near_its_place(seed, at):
    rng = np.random.default_rng(seed)
    curve = np.array(rising(100))
    curve[at:] = 0.05
    curve += rng.normal(0, 0.02, 100)
    best, first = find_collapse(curve)
    assert abs(first - at) <= 1
    assert best < first


def test_a_short_dip_that_recovers_is_no_collapse():
    curve = np.array(rising(60))
    curve[30:34] -= 0.3
    assert find_collapse(curve) is None


def test_a_gentle_decline_is_left_to_the_forecast():
    curve = np.array([*rising(40), *(rising(40)[-1] - 0.002 * np.arange(20))])
    assert find_collapse(curve) is None
