"""Numbers behind options: what people type, and the one line that they get."""

from __future__ import annotations

import argparse
import re

import pytest

from rlscale.cli import build_parser, main
from rlscale.number_option import read_number, read_whole


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("93%", "give a share, 0.93"),
        ("93 %", "give a share, 0.93"),
        ("$2", "leave the currency out, 2"),
        ("2.5 €", "leave the currency out, 2.5"),
        ("400steps", "leave the unit out, 400"),
        ("8 GPU-hours", "leave the unit out, 8"),
        ("1,000", "leave out what parts the thousands, 1000"),
        ("1'000'000", "leave out what parts the thousands, 1000000"),
        ("1,5", "write a decimal point, 1.5"),
        ("3k", "write it out, 3e3"),
        ("1.5B", "write it out, 1.5e9"),
        ("1_000", "write digits"),
        ("", "write digits"),
        ("abc", "write digits"),
    ],
)
def test_what_is_no_number_gets_what_to_type(text, advice):
    with pytest.raises(argparse.ArgumentTypeError, match=re.escape(advice)):
        read_number(text)


@pytest.mark.parametrize(
    ("text", "value"), [("0.93", 0.93), ("1e3", 1000), ("+5", 5), (".5", 0.5), (" 7 ", 7)]
)
def test_numbers_are_read(text, value):
    assert read_number(text) == value


@pytest.mark.parametrize("text", ["1.5", "inf", "nan"])
def test_whole_numbers(text):
    with pytest.raises(argparse.ArgumentTypeError, match="not a whole number"):
        read_whole(text)


def test_every_number_of_every_command_is_read_here():
    """Plain ``type=float`` would answer "invalid float value"."""

    def parsers(parser):
        yield parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for child in action.choices.values():
                    yield from parsers(child)

    plain = [
        f"{p.prog} {a.option_strings or a.dest}"
        for p in parsers(build_parser())
        for a in p._actions
        if a.type in (float, int)
    ]
    assert plain == []


def test_the_command_says_it(capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        main(["forecast", str(tmp_path / "log.csv"), "--target", "93%"])
    assert stop.value.code == 2
    assert (
        capsys.readouterr()
        .err.splitlines()[-1]
        .endswith("--target: '93%' is not a number: give a share, 0.93")
    )


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--x", "Step:gpu_hour"], "no unit 'gpu_hour' (in 'Step:gpu_hour'): did you mean 'gpu_hours'?"),
        (
            ["--x", "step:furlongs"],
            "no unit 'furlongs' (in 'step:furlongs'): there are: 'gpu_hours', 'h100_hours'",
        ),
        (["--y", "accuracy:pct"], "no scale 'pct' (in 'accuracy:pct'): did you mean 'percent'?"),
    ],
)
def test_a_misspelt_unit_or_scale_is_named(capsys, tmp_path, option, said):
    log = tmp_path / "log.csv"
    log.write_text("step,accuracy\n" + "".join(f"{i},{0.1 + 0.05 * i}\n" for i in range(12)))
    assert main(["forecast", str(log), *option]) == 1
    assert said in capsys.readouterr().err
