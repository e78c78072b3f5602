"""The command ``rlscale cost``: presets, options, files, JSON and errors."""

from __future__ import annotations

import argparse
import json
import re
import shlex
from pathlib import Path

import pytest

from rlscale.amounts import number, span
from rlscale.cli import build_parser, main
from rlscale.commands.cost import EXAMPLES
from rlscale.presets import list_presets
from rlscale.spread import Interval


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(["cost", *args])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_starting_page_prints_its_two_figures(capsys):
    code, out, err = run(capsys, "starting-page")
    assert code == 0 and err == ""
    assert "$27.8K" in out and "$80.7K" in out and "934 generated tokens/s/GPU" in out
    assert "listed 2026-03-08" in out and "RunPod spot: 2.69" in out


def test_json_is_one_object_and_nothing_else(capsys):
    code, out, err = run(capsys, "starting-page", "--json")
    assert code == 0 and err == ""
    got = json.loads(out)
    assert round(got["usd"]["tinker"]["median"] / 100) == 278
    assert round(got["usd"]["self_hosted"]["median"] / 100) == 807
    assert got["break_even"]["tokens_per_s_per_gpu"] == pytest.approx(934, rel=0.01)


@pytest.mark.parametrize("name", list_presets())
def test_every_preset_prints_parts_prices_and_assumptions(capsys, name):
    code, out, _ = run(capsys, name, "--draws", "200")
    assert code == 0
    assert all(f"\n{word}" in out for word in ("parts (mean)", "prices", "assumptions"))


def test_options_go_on_top_of_a_preset(capsys):
    _, out, _ = run(capsys, "starting-page", "--prompts", "2048", "--json")
    assert json.loads(out)["usd"]["tinker"]["median"] == pytest.approx(1.19e6, rel=0.005)
    _, out, _ = run(capsys, "tinker-math", "--mean-length", "200:300:400", "--no-prefix-cache", "--json")
    assert any("no prefix cache" in a for a in json.loads(out)["assumptions"])


def test_options_alone_and_a_file(capsys, tmp_path: Path):
    inputs = ["--steps", "200", "--prompts", "64", "--group-size", "16", "--mean-length", "800"]
    code, out, _ = run(capsys, *inputs, "--tinker-model", "Qwen3-8B", "--json")
    usd = json.loads(out)["usd"]
    assert code == 0 and usd["self_hosted"] is None and usd["sandbox"] is None and usd["tinker"]["median"] > 0
    file = tmp_path / "mine.toml"
    file.write_text(
        'steps = 200\nprompts = 64\ngroup_size = 16\nmean_length = 800\ntinker_model = "Qwen3-8B"\n'
    )
    _, again, _ = run(capsys, str(file), "--json")
    assert json.loads(again)["usd"] == usd


def test_list_names_every_preset(capsys):
    code, out, _ = run(capsys, "--list")
    assert code == 0 and [line.split()[0] for line in out.splitlines()] == list_presets()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "no scenario"),
        (["starting-pag"], "starting-page"),
        (["starting-page", "--gpu", "H1000", "--gpu-hours", "5"], "H100 SXM"),
        (["starting-page", "--tinker-model", "Lama-3.1-8B"], "Llama-3.1-8B"),
        (["starting-page", "--date", "2026-01-01"], "2026-01-05"),
        (["starting-page", "--date", "1 May"], "YYYY-MM-DD"),
        (["starting-page", "--price-sample", "0.0000004"], "0.4"),
        (["starting-page", "--steps", "many"], "steps"),
        (["starting-page", "--draws", "3"], "100 or more"),
        (["starting-page", "--draws", "900000000"], "200,000"),
        (["starting-page", "--seed", "-1"], "seed"),
        (["tinker-math", "--steps", "1e308"], "digits"),
        (["tinker-math", "--mode", "async", "--trainer-share", "0"], "--trainer-share is 0"),
        (["tinker-math", "--model", "DeepSeek-V3"], "--gpus is 8, too few for one replica of 32; give more"),
        (["tinker-math", "--gpu", "none", "--tinker-model", "none"], "nothing has a price"),
    ],
)
def test_errors_are_one_line_and_exit_1(capsys, args, message):
    code, out, err = run(capsys, *args)
    assert code == 1 and out == ""
    assert err.startswith("error:") and err.count("\n") == 1 and message in err


def test_an_option_is_not_blamed_on_the_preset(capsys):
    for args in (["starting-page", "--price-sample", "-1"], ["tinker-math", "--max-length", "1"]):
        _, _, err = run(capsys, *args)
        assert err.startswith("error:") and "toml" not in err


def test_numbers_have_three_digits():
    shown = [number(v) for v in (0, 0.1234, 12.34, 999.6, 1000, 27806.8, 1.187e6, 34.757e9, 1.5e12)]
    assert shown == ["0", "0.123", "12.3", "1.00K", "1.00K", "27.8K", "1.19M", "34.8B", "1.50T"]
    assert span(Interval(2, 1, 3), "$") == "$2 ($1 to $3)" and span(Interval(2, 2, 2)) == "2"


def test_the_help_prints_a_single_per_cent_sign(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["cost", "--help"])
    assert "%%" not in capsys.readouterr().out


SIZES = "--steps 100 --prompts 64 --group-size 8 --mean-length 1000"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        # all that is missing at once, as it is typed
        ("--steps 100", "--prompts, --group-size and --mean-length are missing; a scenario needs them, or"),
        ("--gpu-price 2", "--steps, --prompts, --group-size and --mean-length are missing"),
        (f"{SIZES} --gpu 'H100 SXM'", "--gpus and --model are missing; say how many GPUs the run has and"),
        (f"{SIZES} --gpu 'H100 SXM' --gpus 8", "--model is missing; say whose shape"),
        (f"{SIZES} --price-sample 1", "give --price-prefill and --price-train too, or a --tinker-model"),
        # a price or an amount alone
        ("--gpu-hours 100", "--gpu-hours costs nothing without a GPU; name it with --gpu"),
        ("--gpu-hours 100 --gpu-price 2", "--gpu-hours and --gpu-price cost nothing without a GPU"),
        (
            f"{SIZES} --model Qwen3-8B",
            "--model is the shape of a model on GPUs, which needs --gpu and --gpus",
        ),
        (SIZES, "nothing has a price; give a --tinker-model, a --gpu, or --sandbox-containers"),
        # near names and whole lists
        ("--gpu-hours 100 --gpu H100", "Did you mean 'H100 SXM'? Choose a --gpu, or give --gpu-price"),
        ("--gpu-hours 100 --gpu zzz", "'A100 SXM 80GB', 'MI300X'. Choose a --gpu"),
        ("--gpu-hours 100 --gpu H800", "only its data sheet; give --gpu-price"),
        (f"{SIZES} --gpu 'H100 SXM' --gpus 8 --model Qwen", "'Qwen3-8B' or"),
        ("nowhere", "'swe-agent', 'tinker-math'"),
        # limits
        (
            f"{SIZES} --max-length 10 --tinker-model Qwen3-8B",
            "--mean-length goes up to 1000, above --max-length 10",
        ),
        ("starting-page --mean-length -1", "--mean-length: -1:-1:-1 must be finite"),
        ("starting-page --steps 3:2:1", "--steps: 3:2:1 must rise"),
        ("starting-page --mfu 3", "--mfu is 3; it is a share"),
        ("starting-page --price-train 1e-7", "--price-train is 1e-07, far too little"),
        ("starting-page --draws 3", "--draws is 3"),
        ("starting-page --seed -1", "--seed is -1"),
        ("--gpu-hours 10 --gpu 'H100 SXM' --sandbox-containers 10", "--sandbox-hours is missing"),
    ],
)
def test_errors_name_options_as_they_are_typed(capsys, options, message):
    code, out, err = run(capsys, *shlex.split(options))
    assert code == 1 and out == "" and err.count("\n") == 1
    assert message in err
    assert "and 1 more" not in err and "options:" not in err
    assert not re.search(r"(?<![-\w])(mean|group|gpu|price|sandbox|tinker)_\w+", err)


def test_a_file_is_answered_with_the_names_it_uses(capsys, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("steps = 100\nprompts = 64\ngroup_size = 0\nmean_length = 100\n")
    code, _, err = run(capsys, str(path))
    assert code == 1 and f"{path}: group_size is 0; a group has" in err
    path.write_text("steps = 100\n")
    code, _, err = run(capsys, str(path))
    assert code == 1 and "prompts, group_size and mean_length are missing" in err


def test_warnings_and_assumptions_name_options(capsys):
    code, out, _ = run(
        capsys, *shlex.split(SIZES), "--tinker-model", "Qwen3-8B", "--gpus", "8", "--gpu-price", "2"
    )
    assert code == 0
    assert "--gpus, --gpu-price: not used, since no GPU is named; give --gpu to cost own GPUs too" in out
    assert "(--project-share)" in out


@pytest.mark.parametrize("example", EXAMPLES.replace("\\\n", " ").splitlines()[1:])
def test_the_examples_of_the_help_work(capsys, example):
    words = shlex.split(example.strip())
    words = words[: next((i for i, w in enumerate(words) if i > 1 and w in ("a", "the")), len(words))]
    code, out, err = run(capsys, *words[2:])
    assert code == 0 and "$" in out and err == ""


def test_a_name_can_be_given_on_top_of_a_preset(capsys):
    # both the preset and an input are called name
    code, out, err = run(capsys, "tinker-math", "--name", "my math", "--draws", "100")
    assert code == 0 and err == "" and out.startswith("my math")


def test_a_file_may_begin_with_a_mark_and_hold_a_date(capsys, tmp_path):
    path = tmp_path / "mine.toml"
    inputs = "date = 2026-11-01\nsteps = 1\nprompts = 1\ngroup_size = 1\nmean_length = 9\n"
    text = f'{inputs}tinker_model = "Qwen3-8B"\n'
    path.write_text("\ufeff" + text, encoding="utf-8")
    code, out, err = run(capsys, str(path))
    assert code == 0 and err == "" and "Tinker" in out


@pytest.mark.parametrize(
    "argv",
    [
        ["cost", "tinker-math", "--gpu=--"],
        ["steps", "5", "--prompts", "4", "--to=--"],
        ["lab", "--set=--"],
        ["lab", "arms", "--only=--"],
    ],
)
def test_an_option_of_two_dashes_is_no_value(capsys, argv):
    assert main(argv) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("error: ") and "has no value" in captured.err and captured.out == ""


def test_no_option_that_was_not_typed_reads_as_one_of_two_dashes():
    # an empty list is how argparse shows `--option=--`, so none may be a default
    parser = build_parser()
    commands = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction)).choices
    assert [(name, a.dest) for name, c in commands.items() for a in c._actions if a.default == []] == []
