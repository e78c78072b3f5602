"""Sums of a replay, computed by hand on small tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rlscale.errors import BacktestError
from rlscale.peers import PEERS
from rlscale.scores import (
    compare_peers,
    interval_score,
    list_misses,
    score_forecasts,
    score_verdicts,
    spread_errors,
)


def table():
    """Four runs of two families at one share, and a cut of too few points."""
    rows = [
        # run, family, points, state, median, lo, hi, end, verdict, hindsight, T/Cmid
        ("a", "f", 10, "ceiling identified", 0.50, 0.45, 0.55, 0.52, "continue", "continue", 5.0),
        ("b", "f", 10, "end forecast only", 0.50, 0.40, 0.60, 0.66, "stop", "continue", 3.0),
        ("c", "g", 10, "no forecast", 0.50, 0.20, 0.80, 0.90, "cannot tell", "stop", 0.5),
        ("d", "g", 10, "end forecast only", 0.50, 0.40, 0.60, 0.49, "cannot tell", "stop", 2.0),
        ("e", "g", 3, "no forecast", 0.50, 0.00, 1.00, 0.50, "cannot tell", "stop", 0.1),
    ]
    names = [
        "run",
        "family",
        "points",
        "state",
        "median",
        "lo",
        "hi",
        "end",
        "verdict",
        "hindsight",
        "seen_over_Cmid",
    ]
    frame = pd.DataFrame(rows, columns=names)
    frame["share"] = 0.25
    frame["error"] = frame["median"] - frame["end"]
    frame["width"] = frame["hi"] - frame["lo"]
    frame["outside"] = np.maximum(np.maximum(frame["lo"] - frame["end"], frame["end"] - frame["hi"]), 0)
    frame["inside"] = frame["outside"] == 0
    return frame


def test_forecasts_by_share():
    row = score_forecasts(table()).loc[0.25]
    assert row["cuts"] == 4  # the cut of three points is not counted
    assert row["coverage"] == 0.5 and row["width"] == pytest.approx(0.2)
    assert row["shown"] == 0.75 and row["coverage_shown"] == pytest.approx(2 / 3)
    assert row["error_median"] == pytest.approx(0.02) and row["within_003"] == pytest.approx(2 / 3)
    assert row["error_p90"] == pytest.approx(0.02 + 0.8 * 0.14)
    assert row["far"] == 1  # b misses by .06; c misses by .10 but is not shown


def test_forecasts_by_state_and_by_what_was_seen():
    states = score_forecasts(table(), "state")
    assert states.loc["end forecast only", "cuts"] == 2 and np.isnan(states.loc["no forecast", "error_p90"])
    seen = score_forecasts(table(), "seen_over_Cmid")
    assert {str(i): int(n) for i, n in seen["cuts"].items()} == {
        "[0.0, 1.0)": 1,
        "[2.0, 4.0)": 2,
        "[4.0, 6.0)": 1,
    }
    with pytest.raises(BacktestError, match="by is 'colour'"):
        score_forecasts(table(), "colour")


def test_no_usable_cut_is_an_error():
    with pytest.raises(BacktestError, match="no cut has 4 points"):
        score_forecasts(table().query("points < 4"))


def test_verdicts_against_hindsight():
    row = score_verdicts(table()).loc[0.25]
    assert (row["right"], row["wrong"], row["cannot_tell"]) == (0.25, 0.25, 0.5)


def test_misses_are_listed_worst_first():
    assert list_misses(table())["run"].tolist() == ["b"]
    assert list_misses(table(), by=0.07).empty


def test_interval_score_punishes_width_and_misses():
    assert interval_score(0.4, 0.6, 0.5, 0.9) == pytest.approx(0.2)
    assert interval_score(0.4, 0.6, 0.65, 0.9) == pytest.approx(0.2 + 20 * 0.05)
    assert interval_score(0.4, 0.6, 0.35, 0.5) == pytest.approx(0.2 + 4 * 0.05)
    # the score is proper: the true quantiles of a normal beat others, on average
    truth = np.random.default_rng(0).standard_normal(20_000)
    means = [interval_score(-z, z, truth, 0.9).mean() for z in (1.0, 1.645, 2.5)]
    assert means[1] < means[0] and means[1] < means[2]


def test_the_interval_of_a_peer_knows_nothing_of_its_own_family():
    rng = np.random.default_rng(0)
    cuts = pd.DataFrame(
        {
            "share": 0.5,
            "family": np.repeat(["f", "g", "h"], 20),
            "end": rng.uniform(0.4, 0.6, 60),
            "guess": 0.5,
        }
    )
    lo, hi = spread_errors(cuts, "guess", 0.9)
    changed = cuts.copy()
    changed.loc[cuts["family"] == "f", "end"] = 0.9
    lo2, hi2 = spread_errors(changed, "guess", 0.9)
    own = (cuts["family"] == "f").to_numpy()
    assert np.array_equal(lo[own], lo2[own]) and np.array_equal(hi[own], hi2[own])
    assert (hi2[~own] > hi[~own]).all()
    expected = np.quantile(cuts["end"][~own] - 0.5, [0.05, 0.95])
    assert np.allclose([lo[0] - 0.5, hi[0] - 0.5], expected)


def test_peers_are_compared_on_the_same_cuts():
    frame = table().drop(index=4)
    for name in PEERS:
        frame[f"peer_{name}"] = 0.5
    frame.loc[0, "peer_power"] = np.nan  # one fit of one peer failed: the cut is left out for all
    got = compare_peers(frame)
    assert got.index.tolist() == ["forecast", *PEERS] and got["cuts"].nunique() == 1
    assert got.loc["forecast", "cuts"] == 3
    assert got.loc["forecast", "error_median"] == got.loc["last", "error_median"]  # the same numbers
    shown = compare_peers(frame, shown=True)
    assert shown.loc["forecast", "cuts"] == 2
    assert shown.loc["forecast", "score"] == pytest.approx((0.2 + 20 * 0.06 + 0.2) / 2)


def test_peers_need_columns_and_families():
    with pytest.raises(BacktestError, match="holds no peers"):
        compare_peers(table())
    frame = table().assign(family="f", **{f"peer_{p}": 0.5 for p in PEERS})
    with pytest.raises(BacktestError, match="one family"):
        compare_peers(frame)
