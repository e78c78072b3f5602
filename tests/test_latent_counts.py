"""Counts of right answers: read with all their flaws named, and compared with an interval that covers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rlscale.errors import LogError
from rlscale.latent import mean_pass_at_k, sharpen
from rlscale.latent_counts import Counts, compare_pass_at_k, read_counts
from rlscale.signal import SignalError

HEAD = "problem,n_before,c_before,n_after,c_after\n"


def write(tmp_path: Path, text: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "counts.csv"
    path.write_text(text, encoding=encoding)
    return path


def simulate(size: int, seed: int, n: int = 64) -> tuple[Counts, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    before = rng.beta(0.35, 0.9, size)
    after = sharpen(before, 3.0, rivals=8)
    drawn = np.full(size, n)
    names = tuple(map(str, range(size)))
    return Counts(names, drawn, rng.binomial(n, before), drawn, rng.binomial(n, after)), before, after


def test_a_messy_file_is_read(tmp_path):
    """A byte order mark, capitals, spaces, another column, a whole number written as 16.0."""
    text = "Problem , N_before,c_before,n_after,c_after,comment\n a, 16.0 ,3,8,8,fine\nb,16,0,8,1,\n"
    counts = read_counts(write(tmp_path, text, "utf-8-sig"))
    assert counts.problems == ("a", "b") and counts.largest_k == 8
    assert counts.n_before.tolist() == [16, 16] and counts.c_after.tolist() == [8, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("problem,n_before,c_before,n_after\na,1,1,1\n", "no column 'c_after'"),
        (HEAD, "holds no problem"),
        (HEAD + "a,4,5,4,1\n", "line 2: c_before is larger"),
        (HEAD + "a,4,1,4,1\nb,0,0,4,1\n", "line 3: n_before is below 1"),
        (HEAD + "a,4,1,4,one\n", "line 2, column 'c_after': found 'one'"),
        (HEAD + "a,4,1,4,0.5\n", "expected a whole number"),
        (HEAD + "a,4,1,4,-1\n", "expected a whole number"),
        (HEAD + "a,4,1,inf,1\n", "expected a whole number"),
        (HEAD + "a,4,,4,1\n", "found ''"),
        (HEAD + "a,4,1,4,1\na,4,1,4,1\n", "line 3: problem 'a' stands twice"),
        ("", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_its_line(tmp_path, text, said):
    with pytest.raises(LogError, match=said) as caught:
        read_counts(write(tmp_path, text))
    assert "counts.csv" in str(caught.value)


def test_an_absent_file_is_named(tmp_path):
    with pytest.raises(LogError, match=r"nothing\.csv cannot be read"):
        read_counts(tmp_path / "nothing.csv")


def test_the_comparison_finds_what_was_planted():
    counts, before, after = simulate(400, seed=0)
    table = compare_pass_at_k(counts)
    assert list(table.index) == [1, 2, 4, 8, 16, 32, 64]
    # 400 problems, 64 answers each: standard error of the mean of binomial noise is below 0.01
    assert table.before[1] == pytest.approx(float(mean_pass_at_k(before, 1)[0]), abs=0.01)
    assert table.after[16] == pytest.approx(float(mean_pass_at_k(after, 16)[0]), abs=0.02)
    assert table.verdict[1] == "trained ahead" and table.verdict[64] == "start ahead"
    assert ((table.lo <= table.difference) & (table.difference <= table.hi)).all()


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    truth = np.random.default_rng(99).beta(0.35, 0.9, 200_000)
    gap = float(mean_pass_at_k(sharpen(truth, 3.0, 8), 4)[0] - mean_pass_at_k(truth, 4)[0])
    inside = 0
    for seed in range(120):
        row = compare_pass_at_k(simulate(80, seed)[0], [4], replicates=300).iloc[0]
        inside += row.lo <= gap <= row.hi
    # nominal 90 %; 120 draws scatter by 2.7 %, and a bootstrap of 80 problems falls a little short
    assert 0.80 <= inside / 120 <= 0.98


def test_equal_models_are_not_told_apart_and_one_problem_says_nothing():
    n = np.full(60, 16)
    c = np.random.default_rng(0).integers(0, 17, 60)
    same = compare_pass_at_k(Counts(tuple(map(str, range(60))), n, c, n, c), [1, 8])
    assert set(same.verdict) == {"cannot tell"}
    one = Counts(("a",), n[:1], np.array([1]), n[:1], np.array([15]))
    assert compare_pass_at_k(one, [1]).verdict.iloc[0] == "cannot tell"


def test_more_answers_than_drawn_are_refused():
    with pytest.raises(SignalError, match="only 64 samples"):
        compare_pass_at_k(simulate(5, 0)[0], [128])
