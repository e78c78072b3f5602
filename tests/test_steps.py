"""Step conversion: the public examples with their right answers, and round trips."""

import json
import math
import shlex

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlscale.cli import main
from rlscale.commands.steps import EXAMPLES
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
        # a unit is looked at before anything that it might need
        (["steps", "3", "--to", "foo"], "no step unit 'foo': there are: 'rollout_steps'"),
        # options are named as they are typed
        (["steps", "3", "--from", "epochs", "--prompts", "4"], "epochs need --dataset-size (prompts in the"),
        (["steps", "3", "--prompts", "4", "--group-size", "0"], "--group-size is 0"),
        (["steps", "3", "--effective-batch", "8", "--passes", "-1"], "--passes is -1"),
        (
            ["steps", "3", "--effective-batch", "8", "--steps-per-generation", "0"],
            "--steps-per-generation is 0",
        ),
        (["steps", "3", "--seconds", "60", "--to", "prompts"], "prompts need --prompts"),
        (["steps", "3", "--gpus", "8"], "need --prompts"),
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
    with pytest.raises(StepError, match="GPU-hours need gpus"):
        convert_steps(1, "rollout_steps", "gpu_hours", Batch(1, seconds=3))


def test_numbers_of_a_table_give_a_plain_number() -> None:
    # a batch read from a table holds NumPy integers; the page once printed np.float64(650.0)
    batch = Batch(prompts=np.int64(512), group_size=np.int64(16), mini_batch=np.int64(512))
    value = convert_steps(np.float64(10_400), "updates", "rollout_steps", batch).value
    assert type(value) is float and value == 650


def test_hours_need_no_prompts(capsys):
    assert main(["steps", "384", "--to", "gpu_hours", "--seconds", "900", "--gpus", "32"]) == 0
    assert "384 rollout steps × 8 = 3,072 GPU-hours" in capsys.readouterr().out
    assert main(["steps", "96", "--from", "wall_hours", "--to", "rollout_steps", "--seconds", "900"]) == 0
    assert "= 384 rollout steps" in capsys.readouterr().out
    # between hours and GPU-hours not even the length of a step matters
    assert main(["steps", "96", "--from", "wall_hours", "--to", "gpu_hours", "--gpus", "32"]) == 0
    assert capsys.readouterr().out == "96 hours × 32 GPUs = 3,072 GPU-hours\n"
    assert main(["steps", "3072", "--from", "gpu_hours", "--to", "wall_hours", "--gpus", "32", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["value"] == 96


def test_without_a_target_it_says_what_the_rest_would_need(capsys):
    assert main(["steps", "100", "--seconds", "60"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "100 rollout steps × 0.0166667 = 1.66667 hours" in said
    assert said[-1] == (
        "left out: optimizer updates, prompts, completions, epochs, generated tokens need --prompts; "
        "GPU-hours need --gpus"
    )


def test_parts_of_an_update_are_warned_about(capsys):
    # 30 completions in mini-batches of 7: no trainer makes 4.29 updates
    argv = ["steps", "10", "--prompts", "10", "--group-size", "3", "--mini-batch", "7", "--to", "updates"]
    assert main(argv) == 0
    captured = capsys.readouterr()
    assert "10 rollout steps × 4.28571 = 42.8571 optimizer updates" in captured.out
    assert captured.err == (
        "warning: 4.28571 updates a rollout step is no whole number: a trainer drops, pads or refuses the "
        "rest, so expect 4 or 5\n"
    )
    assert main([*argv, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "expect 4 or 5" in json.loads(captured.out)["warnings"][0]
    assert DAPO.warnings == ()
    # what 0.1 + 0.2 makes of a whole number is a whole number
    assert Batch(prompts=6, mini_batch=3 * (0.1 + 0.2) / 0.3).warnings == ()
    # TRL: 24 completions are no whole number of groups of 7
    assert "3.42857 prompts" in trl_batch(24, 7).warnings[0]


def test_data_and_dataset_size_are_one_option(capsys):
    answers = []
    for option in ("--data", "--dataset-size"):
        assert main(["steps", "100", "--prompts", "1024", option, "8532", "--to", "epochs"]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]
    assert "= 12.0019 epochs" in answers[0] or "= 12.0018 epochs" in answers[0]


def test_the_help_names_units_and_shows_examples(capsys):
    with pytest.raises(SystemExit):
        main(["steps", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("rollout_steps, updates, prompts, completions") == 1
    assert "examples:" in said
    assert "--dataset-size" in said


@pytest.mark.parametrize("example", [x for x in EXAMPLES.splitlines() if x.strip().startswith("rlscale ")])
def test_the_examples_of_the_help_work(example, capsys):
    assert main(shlex.split(example.strip().removeprefix("rlscale "))) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "=" in captured.out


def test_a_batch_of_nothing_is_refused():
    with pytest.raises(StepError, match=r"prompts .* is missing"):
        Batch()
    with pytest.raises(StepError, match="completions need prompts"):
        _ = Batch(seconds=3).completions


@given(amount=st.floats(0, 1e9), gpus=positive, seconds=positive)
def test_hours_do_not_depend_on_the_way_they_are_reached(amount, gpus, seconds):
    batch = Batch(seconds=seconds, gpus=gpus)
    steps = convert_steps(amount, "wall_hours", "rollout_steps", batch).value
    there = convert_steps(steps, "rollout_steps", "gpu_hours", batch).value
    direct = convert_steps(amount, "wall_hours", "gpu_hours", batch).value
    assert math.isclose(there, direct, rel_tol=1e-12, abs_tol=1e-300)
