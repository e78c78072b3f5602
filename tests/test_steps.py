"""Step conversion: the public examples with their right answers, and round trips."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlscale.cli import main
from rlscale.steps import STEP_UNITS, Batch, StepError, convert_steps, trl_batch

DAPO = Batch(prompts=512, group_size=16, mini_batch=512)


def test_tc01_dapo_rollout_steps_are_not_gradient_steps():
    assert DAPO.updates_a_rollout == 16
    assert convert_steps(320, "rollout_steps", "updates", DAPO).value == 5120
    assert convert_steps(320, "rollout_steps", "prompts", DAPO).value == 163_840
    assert convert_steps(320, "rollout_steps", "completions", DAPO).value == 2_621_440
    assert convert_steps(5120, "updates", "rollout_steps", DAPO).value == 320


def test_tc02_epochs_use_the_rollout_batch():
    batch = Batch(prompts=1024, data=8532, mini_batch=256)
    assert round(convert_steps(100, "rollout_steps", "epochs", batch).value, 1) == 12.0


@pytest.mark.parametrize(
    ("prompts", "epochs", "group", "effective", "iterations", "updates"),
    [(8000, 2, 6, 24, 1, 4000), (6000, 1, 8, 128, 2, 750)],
)
def test_tc03_trl_counts_completions(prompts, epochs, group, effective, iterations, updates):
    batch = trl_batch(effective, group, num_iterations=iterations, data=prompts)
    assert convert_steps(epochs, "epochs", "updates", batch).value == pytest.approx(updates, rel=1e-12)


def test_tc19_gpu_hours_are_no_property_of_the_algorithm():
    for gpus, hours, an_hour, gpu_hours in ((32, 96, 4, 3072), (8, 192, 2, 1536)):
        batch = Batch(prompts=1, seconds=3600 / an_hour, gpus=gpus)
        assert convert_steps(hours, "wall_hours", "rollout_steps", batch).value == 384
        assert convert_steps(384, "rollout_steps", "gpu_hours", batch).value == gpu_hours


def test_the_arithmetic_is_printed(capsys):
    assert main(["steps", "320", "--prompts", "512", "--group-size", "16", "--mini-batch", "512"]) == 0
    out = capsys.readouterr().out
    assert "512 prompts × 16 completions × 1 pass / 512 completions an update = 16" in out
    assert "5,120 optimizer updates" in out
    assert "2,621,440 completions" in out


def test_json_and_verl_mini_batch_in_prompts(capsys):
    argv = ["steps", "320", "--prompts", "512", "--group-size", "16", "--mini-batch-prompts", "32"]
    assert main([*argv, "--to", "updates", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["results"][0]["value"] == 5120


def test_trl_command(capsys):
    argv = [
        "steps",
        "1",
        "--from",
        "epochs",
        "--to",
        "updates",
        "--effective-batch",
        "128",
        "--group-size",
        "8",
    ]
    assert main([*argv, "--passes", "2", "--data", "6000"]) == 0
    assert "750 optimizer updates" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["steps", "3"], "--prompts"),
        (["steps", "3", "--prompts", "4", "--to", "updates"], "mini-batch"),
        (["steps", "3", "--prompts", "0"], "above 0"),
        (["steps", "nan", "--prompts", "4"], "at least 0"),
        (["steps", "3", "--prompts", "4", "--mini-batch", "8"], "larger than the rollout"),
        (["steps", "3", "--prompts", "4", "--to", "update"], "did you mean 'updates'"),
        (["steps", "3", "--from", "epoch", "--prompts", "4"], "did you mean 'epochs'"),
        (["steps", "3", "--prompts", "4", "--effective-batch", "8"], "leave those out"),
        (["steps", "3", "--prompts", "4", "--mini-batch", "2", "--mini-batch-prompts", "2"], "not both"),
    ],
)
def test_errors_say_what_is_missing(argv, words, capsys):
    assert main(argv) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("error: ")
    assert words in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


positive = st.floats(0.5, 1e6)


@given(
    amount=st.floats(0, 1e9),
    units=st.tuples(st.sampled_from(list(STEP_UNITS)), st.sampled_from(list(STEP_UNITS))),
    numbers=st.tuples(
        positive, positive, st.floats(0.01, 1), positive, positive, positive, positive, positive
    ),
)
def test_converting_back_gives_the_same(amount, units, numbers):
    prompts, group, share, passes, data, tokens, seconds, gpus = numbers
    batch = Batch(prompts, group, prompts * group * share, passes, data, tokens, seconds, gpus)
    there = convert_steps(amount, units[0], units[1], batch).value
    # four multiplications and divisions: a few units in the last place
    assert math.isclose(
        convert_steps(there, units[1], units[0], batch).value, amount, rel_tol=1e-12, abs_tol=1e-300
    )


def test_a_missing_number_is_named():
    with pytest.raises(StepError, match="'gpus'"):
        convert_steps(1, "rollout_steps", "gpu_hours", Batch(1, seconds=3))


def test_numbers_of_a_table_give_a_plain_number() -> None:
    # a batch read from a table holds NumPy integers; the page once printed np.float64(650.0)
    batch = Batch(prompts=np.int64(512), group_size=np.int64(16), mini_batch=np.int64(512))
    value = convert_steps(np.float64(10_400), "updates", "rollout_steps", batch).value
    assert type(value) is float and value == 650
