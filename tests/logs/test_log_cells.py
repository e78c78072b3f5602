"""A text in place of a number: file, line, column, value, what was expected and what to do."""

import json

import pytest

import rlscale as rs
from rlscale.cli import main
from rlscale.errors import LogError
from rlscale.logs.cells import advise_number, find_line

ADVICE = {
    "1,000": "write 1000, without",
    "-12'500.5": "write -12500.5, without",
    "0,25": "write 0.25, with a point",
    "12,5e-3": "write 12.5e-3, with a point",
    "20%": "write 0.2, or take the % signs out and pass --y 'acc:percent'",
    "12.5 %": "write 0.125, or",
    "3/8": "write 0.375, the fraction worked out",
    "3/0": "mend that cell",
    "step 12": "write the number alone: 12",
    "4.5s": "write the number alone: 4.5",
    "oops": "mend that cell",
    "": "mend that cell",
}


@pytest.mark.parametrize("text", ADVICE)
def test_the_advice_gives_the_right_number(text):
    assert advise_number(text, "acc").startswith(ADVICE[text])


def rows(step="{}", value="{}", wrong=None, header="step,accuracy"):
    """Return a CSV of 14 rows, steps 0, 100 …; ``wrong`` replaces single cells by row and column."""
    lines = [header]
    for i in range(14):
        cells = [step.format(100 * i), value.format(round(0.1 + i / 50, 3))]
        for (row, column), text in (wrong or {}).items():
            if row == i:
                cells[column] = text
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def thousands(i):
    return f'"{100 * i:,}"'


CASES = {
    # name: (text of the file, line, column, value, words on what to do)
    "one text": (rows(wrong={(5, 1): "oops"}), 7, "accuracy", "oops", "mend that cell"),
    "one percent": (rows(wrong={(3, 1): "20%"}), 5, "accuracy", "20%", "write 0.2"),
    "all percent": (rows(value="{}%"), 2, "accuracy", "0.1%", "accuracy:percent"),
    "one step in words": (rows(wrong={(3, 0): "x"}), 5, "step", "x", "mend that cell"),
    "all steps in words": (rows(step="step {}"), 2, "step", "step 0", "write the number alone: 0"),
    "thousands": (
        "step,accuracy\n" + "".join(f"{thousands(i)},{0.1 + i / 50:.2f}\n" for i in range(14)),
        12,
        "step",
        "1,000",
        "write 1000",
    ),
    "after blank lines": (
        "step,accuracy\n\n\n0,0.1\n\n100,oops\n200,0.3\n300,0.4\n", 6, "accuracy", "oops", "mend",
    ),
    "after a cell of two lines": (
        'step,note,accuracy\n0,"a\nb",0.1\n100,c,0.2\n200,d,oops\n300,e,0.4\n', 5, "accuracy", "oops", "mend",
    ),
    "jsonl": (
        "".join(json.dumps({"step": i, "accuracy": "a lot" if i == 4 else i / 20}) + "\n" for i in range(9)),
        5,
        "accuracy",
        "a lot",
        "mend that cell",
    ),
    "semicolons": (
        "step;accuracy\n" + "".join(f"{i};0,{10 + i}\n" for i in range(14)),
        2,
        "accuracy",
        "0,10",
        "write 0.10",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_text_is_named_with_its_line(name, tmp_path, capsys):
    text, line, column, value, words = CASES[name]
    path = tmp_path / "log.csv"
    path.write_text(text)
    asked = {"y": "accuracy"} if column == "accuracy" else {}
    with pytest.raises(LogError) as raised:
        rs.read_run(path).curve(**asked)
    said = str(raised.value)
    assert str(path) in said
    assert f"line {line}, column {column!r}: found {value!r}" in said
    assert "expected a number" in said
    assert words in said
    assert main(["forecast", str(path)]) == 1
    captured = capsys.readouterr()
    assert f"line {line}, column {column!r}: found {value!r}" in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_an_export_with_the_run_before_the_key_is_searched_too(tmp_path):
    path = tmp_path / "export.csv"
    head = '"Step","a - eval/accuracy","a - eval/accuracy__MIN","a - eval/accuracy__MAX"\n'
    cells = [f"0.{10 + i}" for i in range(12)]
    cells[4] = "0,14"
    path.write_text(head + "".join(f'"{i}","{v}","{v}","{v}"\n' for i, v in enumerate(cells)))
    with pytest.raises(LogError, match=r"line 6, column 'eval/accuracy': found '0,14'.*write 0\.14"):
        rs.read_run(path).curve(y="eval/accuracy")


def test_no_line_is_made_up(tmp_path):
    assert find_line("", "accuracy", "x") is None
    assert find_line(str(tmp_path / "none.csv"), "accuracy", "x") is None
    assert find_line(str(tmp_path), "accuracy", "x") is None
    path = tmp_path / "log.csv"
    path.write_text("step,accuracy\n1,0.2\n")
    assert find_line(str(path), "accuracy", "x") is None
    assert find_line(str(path), "loss", "0.2") is None


@pytest.mark.parametrize(("row", "column", "value"), [(3, 0, "x"), (3, 1, "20%")])
def test_stitch_refuses_texts_in_steps_and_pass_rates(row, column, value, tmp_path, capsys):
    path, out = tmp_path / "a.csv", tmp_path / "out.csv"
    path.write_text(rows(wrong={(row, column): value}))
    assert main(["stitch", str(path), "-o", str(out)]) == 1
    assert (
        f"line {row + 2}, column {('step', 'accuracy')[column]!r}: found {value!r}" in capsys.readouterr().err
    )
    assert not out.exists()


def test_stitch_says_which_other_texts_it_drops(tmp_path, capsys):
    path, out = tmp_path / "a.csv", tmp_path / "out.csv"
    path.write_text("step,accuracy,lr\n0,0.1,1e-6\n1,0.2,warm\n2,0.3,1e-6\n3,0.4,1e-6\n,0.5,1e-6\n")
    assert main(["stitch", str(path), "-o", str(out)]) == 0
    said = capsys.readouterr().out
    assert "texts-dropped" in said and "'lr' (1)" in said
    assert "rows-without-step" in said and "1 rows have no 'step'" in said
    assert rs.read_run(out).curve().pass_rate.tolist() == [0.1, 0.2, 0.3, 0.4]
