"""Bad input: one clear error each, on one line, that says what was found and what to do."""

import json

import numpy as np
import pytest

import rlscale as rs
from rlscale.cli import main
from rlscale.errors import LogError, RlscaleError


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


STEPS = range(12)
GOOD = [0.1 + 0.04 * i for i in STEPS]


def csv(values, header="step,accuracy", steps=STEPS):
    return header + "\n" + "".join(f"{s},{v}\n" for s, v in zip(steps, values, strict=True))


CASES = {
    "empty file": (b"", "is empty"),
    "blank file": (b" \n\n\0\n", "is empty"),
    "header only": ("step,accuracy\n", "a header and no rows"),
    "binary": (bytes(range(256)) * 40, "binary file"),
    "pickle": (b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x01a\x94K\x01s.", "never loaded"),
    "gzip": (b"\x1f\x8b\x08\x00abc", "unpack it first"),
    "prose": ("Dear reader,\nthis is a letter.\nYours\n", "no training log of a known format"),
    "one point": ("step,accuracy\n5,0.25\n", "1 point"),
    "constant": (csv([0.25] * 12), "all 12 values are 0.25"),
    "percent": (csv([100 * v for v in GOOD]), "accuracy:percent"),
    "outside": (csv([3 * v for v in GOOD[:6]] + [-1.5] * 6), "choose another series"),
    "negative": (csv([-v for v in GOOD]), "no pass rate"),
    "no step": ("accuracy,loss\n" + "0.1,0.2\n0.2,0.3\n", "no column counts steps"),
    "one row a problem": ("idx,p_x,n_correct\n0,0.1,3\n1,0.2,6\n", "one row a problem"),
    "one row a run": ("run_name,final_accuracy,best_accuracy\na,0.1,0.2\nb,0.3,0.4\n", "one row a run"),
    "only a reward": (csv(GOOD, "step,reward"), "name it with --y"),
    "only a score": (csv(GOOD, "step,score"), "name it with --y"),
    "text in numbers": (
        csv([*GOOD[:5], "oops", *GOOD[6:]]),
        "line 7, column 'accuracy': found 'oops', expected a number; mend that cell",
    ),
    "decimal commas": (
        "step;accuracy\n" + "".join(f"{s};0,{10 + s}\n" for s in STEPS),
        "line 2, column 'accuracy': found '0,10' (and 11 more texts), expected a number; write 0.10",
    ),
    "damaged json": ('{"log_history": [{"step": 1,', "damaged"),
    "json without rows": ('{"a": {"b": 1}}', "no column counts steps"),
    "json list of numbers": ("[1, 2, 3]", "no training log"),
    "more torn lines than whole": ('{"step": 1, "accuracy": 0.2}\n{"step": \n{"ste\n{"s\n', "no JSON object"),
    "all missing": (csv(["nan"] * 12), "no"),
}


@pytest.mark.parametrize("name", CASES)
def test_each_bad_file_gives_one_error_that_says_what_to_do(name, tmp_path, capsys):
    text, words = CASES[name]
    path = write(tmp_path / "log.csv", text)
    with pytest.raises(RlscaleError) as raised:
        rs.read_run(path).curve()
    assert words in str(raised.value)
    assert str(path) in str(raised.value)
    capsys.readouterr()
    status = main(["inspect", str(path)])
    captured = capsys.readouterr()
    if status:
        assert captured.err.startswith("error: ")
        assert captured.err.count("\n") == 1
        assert captured.out == ""
    else:  # readable, but nothing to fit: inspect says so and forecast refuses
        assert "nothing would be fitted" in captured.out or "cannot-be-fitted" in captured.out


def test_no_file_no_log_in_directory(tmp_path):
    with pytest.raises(LogError, match="no such file"):
        rs.read_run(tmp_path / "none.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(LogError, match="no training log in this directory"):
        rs.read_run(tmp_path / "empty")
    write(tmp_path / "empty" / "note.txt", "hello\n")
    with pytest.raises(LogError, match=r"the nearest: .*note.txt"):
        rs.read_run(tmp_path / "empty")
    with pytest.raises(LogError, match="no regular file"):
        rs.read_run("/dev/null")


def test_unknown_run_and_column_show_the_nearest(tmp_path):
    path = write(
        tmp_path / "wide.csv", "Step,0.6b,14b\n" + "".join(f"{i},{0.1 + i / 50},{0.3}\n" for i in range(9))
    )
    with pytest.raises(LogError, match=r"holds 2 runs; name one with --run: '0.6b', '14b'"):
        rs.read_run(path)
    with pytest.raises(LogError, match=r"did you mean '0.6b'"):
        rs.read_run(path, "0.6B")
    path = write(tmp_path / "log.csv", csv(GOOD, "step,eval_accuracy"))
    run = rs.read_run(path)
    with pytest.raises(LogError, match="did you mean 'eval_accuracy'"):
        run.curve(y="eval_acuracy")
    with pytest.raises(LogError, match="did you mean 'step'"):
        run.curve(x="stpe")
    with pytest.raises(LogError, match="did you mean 'eval_accuracy'"):
        run.column("eval_accurac")


def test_unsorted_rows_are_sorted_and_said(tmp_path):
    order = np.random.default_rng(0).permutation(12)
    path = write(tmp_path / "log.csv", csv([GOOD[i] for i in order], steps=order.tolist()))
    curve = rs.read_run(path).curve()
    assert curve.pass_rate.tolist() == pytest.approx(GOOD)
    assert "rows-sorted" in {w.code for w in curve.warnings}


def test_repeated_rows_keep_the_last_and_say_so(tmp_path):
    rows = [*zip(STEPS, GOOD, strict=True)]
    rows.insert(5, (4, 0.99))
    rows.insert(6, (4, 0.22))
    path = write(tmp_path / "log.csv", "step,accuracy\n" + "".join(f"{s},{v}\n" for s, v in rows))
    curve = rs.read_run(path).curve()
    assert curve.pass_rate[4] == 0.22
    assert "rows-repeated" in {w.code for w in curve.warnings}


def test_missing_and_infinite_values_are_left_out_and_counted(tmp_path):
    values = [*GOOD[:3], "nan", "", "inf", *GOOD[6:]]
    curve = rs.read_run(write(tmp_path / "log.csv", csv(values))).curve()
    assert len(curve) == 9
    assert "not-finite" in {w.code for w in curve.warnings}


def test_percent_and_signed_only_when_said(tmp_path):
    path = write(tmp_path / "log.csv", csv([100 * v for v in GOOD]))
    curve = rs.read_run(path).curve(y="accuracy:percent")
    assert curve.pass_rate == pytest.approx(np.array(GOOD))
    assert "scaled" in {w.code for w in curve.warnings}
    path = write(tmp_path / "signed.csv", csv([2 * v - 1 for v in GOOD], "step,reward"))
    with pytest.raises(LogError, match="reward:signed"):
        rs.read_run(path).curve(y="reward")
    curve = rs.read_run(path).curve(y="reward:signed")
    assert curve.pass_rate == pytest.approx(np.array(GOOD))


def test_percent_in_the_name_is_exact(tmp_path):
    path = write(tmp_path / "log.csv", csv([100 * v for v in GOOD], "step,eval_win_rate_percent"))
    curve = rs.read_run(path).curve()
    assert curve.pass_rate == pytest.approx(np.array(GOOD))
    assert curve.kind == "heldout_pass_rate"
    assert "scaled" in {w.code for w in curve.warnings}


def test_a_fraction_called_percentage_stays_as_it_is(tmp_path):
    path = write(tmp_path / "log.csv", csv(GOOD, "step,percentage correct"))
    assert rs.read_run(path).curve().pass_rate == pytest.approx(np.array(GOOD))


def test_equally_good_series_are_asked_about(tmp_path):
    rows = "".join(f"{i},{0.1 + i / 50},{0.2 + i / 40}\n" for i in range(12))
    path = write(tmp_path / "log.csv", "step,val-core/a/acc/mean@4,val-core/b/acc/mean@4\n" + rows)
    with pytest.raises(LogError, match=r"2 series are equally good.*choose one with --y"):
        rs.read_run(path).curve()
    assert len(rs.read_run(path).curve(y="val-core/a/acc/mean@4")) == 12


def test_a_named_step_column(tmp_path):
    path = write(tmp_path / "log.csv", csv(GOOD, "my_counter,accuracy"))
    with pytest.raises(LogError, match="name it with --x"):
        rs.read_run(path)
    curve = rs.read_run(path, x="my_counter:updates").curve()
    assert (curve.unit, len(curve)) == ("updates", 12)
    with pytest.raises(LogError, match="did you mean 'my_counter'"):
        rs.read_run(path, x="my_countre")


def test_grouped_wandb_export_is_refused(tmp_path):
    head = '"Step","a - eval/accuracy","a - eval/accuracy__MIN","a - eval/accuracy__MAX"\n'
    rows = "".join(f'"{i}","{v}","{v - 0.05}","{v + 0.05}"\n' for i, v in zip(STEPS, GOOD, strict=True))
    run = rs.read_run(write(tmp_path / "export.csv", head + rows))
    assert "grouped-export" in {w.code for w in run.warnings}
    with pytest.raises(LogError):
        run.curve()
    with pytest.raises(LogError, match="means of several runs"):
        run.curve(y="eval/accuracy")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_encodings_and_line_ends(encoding, ending, tmp_path):
    rows = ["step,eval_accuracy,café"] + [f"{s},{v},1" for s, v in zip(STEPS, GOOD, strict=True)]
    path = tmp_path / "log.csv"
    path.write_bytes((ending.join(rows) + ending).encode(encoding))
    assert rs.read_run(path).curve().pass_rate == pytest.approx(np.array(GOOD))
    lines = [json.dumps({"step": s, "eval_accuracy": v}) for s, v in zip(STEPS, GOOD, strict=True)]
    path = tmp_path / "log.jsonl"
    path.write_bytes((ending.join(lines) + ending).encode(encoding))
    assert rs.read_run(path).curve().pass_rate == pytest.approx(np.array(GOOD))


def test_missing_extra_is_named(tmp_path, monkeypatch):
    import builtins

    true_import = builtins.__import__

    def without(name, *args, **kwargs):
        if name.split(".")[0] in ("pyarrow", "tensorboard", "wandb"):
            raise ImportError(f"No module named {name!r}")
        return true_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    for head, extra in ((b"PAR1" + b"\0" * 40, "parquet"), (b":W&B\xe1\xbe\x00" + b"\0" * 40, "wandb")):
        with pytest.raises(
            rs.errors.MissingExtraError if hasattr(rs, "errors") else RlscaleError,
            match=rf"rlscale\[{extra}\]",
        ):
            rs.read_run(write(tmp_path / f"log.{extra}", head))
    record = (
        b"\x18\0\0\0\0\0\0\0"
        + b"abcd"
        + b"\x09\0\0\x80\x38\x1e\x16\xd8\x41"
        + b"\x1a\x0dbrain.Event:2"
        + b"abcd"
    )
    with pytest.raises(RlscaleError, match=r"rlscale\[tensorboard\]"):
        rs.read_run(write(tmp_path / "events.out.tfevents.1.host", record))


def test_links_are_not_followed(tmp_path):
    outside = write(tmp_path / "secret.csv", csv(GOOD))
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "log.csv").symlink_to(outside)
    with pytest.raises(LogError, match="no training log in this directory"):
        rs.read_runs(folder)


def test_nothing_from_a_log_reaches_the_terminal_raw(tmp_path, capsys):
    name = "acc\x1b[31m<script>"
    path = write(
        tmp_path / "log.jsonl",
        "".join(json.dumps({"step": s, name: v}) + "\n" for s, v in zip(STEPS, GOOD, strict=True)),
    )
    assert main(["inspect", str(path)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_error_is_one_line_even_when_the_log_holds_line_ends(tmp_path, capsys):
    path = write(
        tmp_path / "log.jsonl",
        json.dumps({"a\nb": 1, "c": 2}) + "\n" + json.dumps({"a\nb": 1, "c": 2}) + "\n",
    )
    assert main(["inspect", str(path)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_long_table_of_models_and_seeds_is_split_by_both(tmp_path):
    rows = ["model,seed,step,accuracy"]
    rows += [
        f"{m},{seed},{s},{0.1 * seed + s / 100}" for m in ("a", "b") for seed in (1, 2) for s in range(9)
    ]
    runs = rs.read_runs(write(tmp_path / "log.csv", "\n".join(rows)))
    assert list(runs) == ["a, 1", "a, 2", "b, 1", "b, 2"]
    assert runs["b, 2"].curve().pass_rate[0] == 0.2
    assert all(len(run) == 9 for run in runs.values())


def test_rows_of_several_runs_in_one_jsonl_are_split(tmp_path):
    rows = [json.dumps({"run": name, "step": s, "accuracy": s / 20}) for s in range(9) for name in ("x", "y")]
    runs = rs.read_runs(write(tmp_path / "log.jsonl", "\n".join(rows)))
    assert list(runs) == ["x", "y"]
    assert len(runs["y"].curve()) == 9


def test_percent_signs_and_averages_in_names(tmp_path):
    path = write(tmp_path / "log.csv", csv([100 * v for v in GOOD], "step,acc (%)"))
    assert rs.read_run(path).curve().pass_rate == pytest.approx(np.array(GOOD))
    rows = "".join(f"{i},{0.1 + i / 50},{0.2 + i / 50},{0.15 + i / 50}\n" for i in range(12))
    head = "step,eval/math/accuracy,eval/code/accuracy,eval/average/accuracy\n"
    assert rs.read_run(write(tmp_path / "two.csv", head + rows)).curve().y_key == "eval/average/accuracy"


def test_half_a_surrogate_pair_in_a_name_or_a_text(tmp_path, capsys):
    rows = [
        f'{{"step": {s}, "accuracy": {v}, "\\ud800": 1, "who": "\\udfff{s % 2}"}}'
        for s, v in zip(STEPS, GOOD, strict=True)
    ]
    path = write(tmp_path / "log.jsonl", "\n".join(rows) + "\n")
    assert rs.read_run(path).curve().pass_rate == pytest.approx(np.array(GOOD))
    for argv in (
        ["inspect", str(path), "--all"],
        ["inspect", str(path), "--json"],
        ["inspect", str(tmp_path)],
    ):
        assert main(argv) == 0
        capsys.readouterr().out.encode("utf-8")
    assert main(["stitch", str(path), "-o", str(tmp_path / "out.csv")]) == 0


def test_thousands_of_columns_are_not_a_run_each(tmp_path):
    head = "step," + ",".join(f"c{i}" for i in range(1500))
    path = write(tmp_path / "wide.csv", head + "\n" + "".join(f"{s}{',0.5' * 1500}\n" for s in range(3)))
    runs = rs.read_runs(path)
    assert list(runs) == ["wide"]
    assert len(runs["wide"].series) == 1500
