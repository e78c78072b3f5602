"""What inspect prints: each sentence once, numbers that can be read, and no timer offered as a pass rate."""

import json

import pytest

import rlscale as rs
from rlscale.cli import main
from rlscale.errors import LogError
from rlscale.logs.describe import describe_runs, format_runs
from rlscale.logs.series import is_timer, parse_name


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def verl(tmp_path):
    rows = [
        {
            "step": i,
            "data": {
                "val-core/gsm8k/reward/mean@4": 0.1 + i / 50,
                "critic/score/mean": 0.1 + i / 40,
                "timing_s/reward": 0.2 + i / 100,
                "timing_s/step": 10.0,
                "perf/total_num_tokens": 123_456_789 + i,
            },
        }
        for i in range(12)
    ]
    return write(tmp_path / "run.jsonl", rows)


def test_each_sentence_stands_once(verl):
    runs = rs.read_runs(verl)
    said = format_runs(str(verl), runs)
    note = "the key says reward, not accuracy"
    assert said.count(note) == 1
    assert said.count("reward before the KL term") == 1
    assert "would fit val-core/gsm8k/reward/mean@4 over step: held-out pass rate, preferred" in said
    # the mark on the series, on the choice, and at the note itself
    mark = said.split(f"] {note}")[0][-1]
    assert said.count(f"[{mark}]") == 3
    # nothing is lost in the JSON object
    assert note in describe_runs(runs)["runs"][0]["suggested"]["why"]


def test_the_first_line_is_the_path_alone(verl):
    lines = format_runs(str(verl), rs.read_runs(verl)).splitlines()
    assert lines[0] == str(verl)
    assert lines[1] == "verl or rllm file logger; 1 run"


def test_large_amounts_are_written_in_three_digits(verl):
    said = format_runs(str(verl), rs.read_runs(verl), every=True)
    assert "e+0" not in said
    assert "1.36B" in said  # a row of step 0 and 11 more, 123 million tokens each


def test_warnings_name_the_runs_they_are_about(tmp_path):
    for name, steps in (("a", [*range(12)]), ("b", [*range(6), *range(4, 12)])):
        write(
            tmp_path / f"{name}.jsonl",
            [{"step": s, "eval_accuracy": 0.1 + s / 50 + i / 1000} for i, s in enumerate(steps)],
        )
    runs = rs.read_runs(tmp_path)
    said = format_runs(str(tmp_path), runs)
    replaced = [line for line in said.splitlines() if "steps-replaced" in line]
    assert len(replaced) == 1 and replaced[0].endswith("(in b.jsonl)")
    assumed = [line for line in said.splitlines() if "unit-assumed" in line]
    assert len(assumed) == 1 and "(in" not in assumed[0]
    by_code = {w["code"]: w for w in describe_runs(runs)["warnings"]}
    assert by_code["steps-replaced"]["runs"] == ["b.jsonl"]
    assert "runs" not in by_code["unit-assumed"]


@pytest.mark.parametrize(
    "key",
    [
        "timing_s/reward",
        "timing/reward",
        "reward_time_ms",
        "time/reward/mean",
        "reward_latency",
        "perf/reward_seconds",
    ],
)
def test_a_timer_is_no_reward_and_is_never_suggested(key, tmp_path):
    assert is_timer(key)
    assert parse_name(key).kind == "other"
    path = write(
        tmp_path / "log.jsonl", [{"step": i, key: 0.1 + i / 50, "score": 0.2 + i / 50} for i in range(12)]
    )
    run = rs.read_run(path)
    for asked in ("reward", "rewards", key + "s"):
        with pytest.raises(LogError) as raised:
            run.curve(y=asked)
        assert repr(key) not in str(raised.value).split("no series")[1].split(":", 1)[1]
        assert "'score'" in str(raised.value)
    with pytest.raises(LogError, match="a time, no pass rate; choose another series"):
        run.curve(y=key)


def test_a_reward_is_still_suggested_before_anything_else(verl):
    run = rs.read_run(verl)
    with pytest.raises(LogError, match="did you mean 'val-core/gsm8k/reward/mean@4'"):
        run.curve(y="reward")
    with pytest.raises(LogError, match="take 'val-core/gsm8k/reward/mean@4'"):
        run.curve(y="timing_s/reward")


def test_a_series_of_unknown_name_is_taken_on_your_word_and_said(tmp_path):
    path = write(
        tmp_path / "log.jsonl", [{"step": i, "quality": 0.1 + i / 50, "loss": 1.0} for i in range(12)]
    )
    run = rs.read_run(path)
    with pytest.raises(LogError, match="did you mean 'quality'"):
        run.curve(y="qualty")
    curve = run.curve(y="quality")
    assert "name-not-known" in {w.code for w in curve.warnings}
    assert len(curve) == 12


def test_help_shows_examples(capsys):
    for command in ("inspect", "stitch"):
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0
        assert "examples:" in capsys.readouterr().out


def test_a_path_too_long_is_one_error(capsys):
    for command in (["inspect"], ["inspect", "--table"], ["stitch", "-o", "out.csv"]):
        for name in ("a" * 5000, "a\0b", "b" * 300 + "/log.csv"):
            assert main([*command, name]) == 1
            captured = capsys.readouterr()
            assert captured.err.startswith("error: ") and captured.err.count("\n") == 1
            assert len(captured.err) < 500
            assert captured.out == ""


def test_stitch_refuses_targets_before_reading(tmp_path, capsys):
    path = write(tmp_path / "a.jsonl", [{"step": i, "accuracy": i / 20} for i in range(9)])
    (tmp_path / "dir.csv").mkdir()
    for target, words in (
        (str(tmp_path / "dir.csv"), "is a directory"),
        (str(tmp_path / "no" / "x.csv"), "no such directory"),
        (str(tmp_path / ("a" * 300 + ".csv")), "cannot be written"),
        (str(tmp_path / "x\0.csv"), "cannot be written"),
        (str(tmp_path / "x.txt"), "must end in .csv or .jsonl"),
    ):
        assert main(["stitch", str(path), "-o", target]) == 1
        captured = capsys.readouterr()
        assert words in captured.err and captured.err.count("\n") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.jsonl", "dir.csv"]
    assert main(["stitch", str(path), "--run", "b", "-o", str(tmp_path / "x.csv")]) == 1
    assert "no run 'b': there are: 'a'" in capsys.readouterr().err
