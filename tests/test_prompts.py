"""Sets of prompts: planted spread comes back, bad files are named by line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rlscale.errors import TableError
from rlscale.prompts import PromptCounts, read_prompts, simulate_prompts, tabulate_groups
from rlscale.signal import SignalError


@pytest.mark.parametrize(("mean", "spread", "samples"), [(0.5, 0.35, 8), (0.2, 0.1, 8), (0.7, 0.3, 2)])
def test_planted_mean_and_spread_come_back(mean: float, spread: float, samples: int) -> None:
    counts = simulate_prompts(mean, spread, prompts=20_000, samples=samples, seed=3)
    # 20,000 prompts: standard errors below 0.004 for both; 4 of them
    assert counts.mean == pytest.approx(mean, abs=0.015)
    assert counts.spread == pytest.approx(spread, abs=0.015)


def test_chance_alone_is_no_spread() -> None:
    c = np.random.default_rng(0).binomial(8, 0.5, size=5000)
    counts = PromptCounts(np.full(5000, 8), c)
    assert counts.spread < 0.03  # c/n scatters by 0.18
    assert PromptCounts(np.array([8]), np.array([3])).spread == 0.0


def test_table_agrees_with_more_samples_of_the_same_prompts() -> None:
    few, many = (simulate_prompts(0.5, 0.3, prompts=20_000, samples=k, seed=5) for k in (8, 64))
    a, b = (tabulate_groups(c, (2, 8), completions=256) for c in (few, many))
    assert a["dead"].tolist() == pytest.approx(b["dead"].tolist(), abs=0.015)
    assert a.loc[8, "useful_groups"] == pytest.approx(32 * (1 - a.loc[8, "dead"]))
    assert a.loc[8, "overhead"] == pytest.approx(1 / (1 - a.loc[8, "dead"]))


def test_groups_larger_than_the_samples_are_left_out_or_refused() -> None:
    counts = PromptCounts(np.array([8, 16]), np.array([1, 2]))
    assert tabulate_groups(counts, (2, 4, 8, 16), completions=64).index.tolist() == [2, 4, 8]
    with pytest.raises(SignalError, match="8 samples at least"):
        tabulate_groups(counts, (16, 32), completions=64)


def test_a_set_without_any_signal_has_endless_overhead() -> None:
    table = tabulate_groups(PromptCounts(np.array([8, 8]), np.array([0, 8])), (8,), completions=64)
    assert table.loc[8, "dead"] == 1 and np.isinf(table.loc[8, "overhead"])


def test_a_file_comes_back_whatever_else_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    path.write_text("prompt, n ,c\nwhat is 1 + 1?,8,8\nprove it, 16 ,0\n", encoding="utf-8")
    counts = read_prompts(path)
    assert counts.n.tolist() == [8, 16] and counts.c.tolist() == [8, 0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n,c\n8,9\n", "line 2: n is 8 and c is 9"),
        ("n,c\n8,4\n1,0\n", "line 3: n is 1"),
        ("n,c\n8,0.5\n", "line 2: c is '0.5'"),
        ("n,c\n8,-1\n", "line 2: c is '-1'"),
        ("n,c\n8,\n", "line 2: c is ''"),
        ("n,c\nnan,1\n", "line 2: n is 'nan'"),
        ("n,c\n99999999999999999999,1\n", "line 2: n is '9"),
        ("n,c\n", "no prompt"),
        ("pass_rate\n0.5\n", "no column n and no column c"),
        ("", "cannot be read"),
    ],
)
def test_a_bad_file_is_one_clear_error(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=said) as caught:
        read_prompts(path)
    assert "bad.csv" in str(caught.value)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="cannot be read"):
        read_prompts(tmp_path / "none.csv")


@pytest.mark.parametrize(("n", "c"), [([], []), ([8], [9]), ([8], [-1]), ([1], [0]), ([8, 8], [1])], ids=str)
def test_impossible_counts_are_refused(n: list[int], c: list[int]) -> None:
    with pytest.raises(SignalError):
        PromptCounts(np.array(n), np.array(c))


def test_an_impossible_set_is_refused() -> None:
    with pytest.raises(SignalError):
        simulate_prompts(0.5, 0.6, prompts=10, samples=8, seed=0)
