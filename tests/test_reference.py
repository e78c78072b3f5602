"""Reference runs: hours of a GPU as a range, nearest runs, contradictions that are computed."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest

from rlscale.claims import claim
from rlscale.contradictions import OUT_OF_LINE, compare_throughput, list_contradictions
from rlscale.errors import TableError
from rlscale.reference import add_h100_hours, h100_hours, nearest_runs
from rlscale.tables import data_path, load_table

# ---- hours of a GPU --------------------------------------------------------------------------------------


def test_gb200_is_a_range_that_holds_both_factors() -> None:
    one = h100_hours(1, "GB200")
    # 0.8 * 8/3.35 + 0.2 * 2500/989.4, and the least and most of eight measured steps
    assert one.mid == pytest.approx(0.8 * 8 / 3.35 + 0.2 * 2500 / 989.4, rel=1e-12)
    assert (one.lo, one.hi) == (0.99, 2.77)
    assert one.lo < one.mid < claim("C02").value < 1.02 * one.hi
    assert any("8 whole RL steps" in reason for reason in one.reasons)


def test_the_factor_of_the_starting_page_comes_out_of_its_own_ratios() -> None:
    assert 0.8 * claim("C03").value + 0.2 * claim("C04").value == pytest.approx(claim("C02").value, abs=0.05)


@pytest.mark.parametrize("gpu", sorted(set(load_table("gpus")["gpu"])))
def test_hours_scale_and_the_range_holds_the_middle(gpu: str) -> None:
    one, many = h100_hours(1, gpu), h100_hours(250, gpu)
    assert 0 < one.lo <= one.mid <= one.hi
    assert (many.lo, many.mid, many.hi) == pytest.approx(
        (250 * one.lo, 250 * one.mid, 250 * one.hi), rel=1e-12
    )


def test_an_h100_is_an_h100_and_zero_is_zero() -> None:
    assert (h100_hours(7, "H100 SXM").lo, h100_hours(7, "H100 SXM").hi) == (7, 7)
    assert h100_hours(0, "GB200").hi == 0


def test_a_gpu_without_compute_says_what_is_left_out() -> None:
    rubin = h100_hours(1, "VR200")
    assert rubin.mid == pytest.approx(22 / 3.35)
    assert "compute is not known" in rubin.reasons[0]


def test_decode_share_moves_the_middle_from_compute_to_bandwidth() -> None:
    # H20: much bandwidth, little compute
    assert h100_hours(1, "H20", decode_share=0).mid == pytest.approx(148 / 989.4)
    assert h100_hours(1, "H20", decode_share=1).mid == pytest.approx(4.0 / 3.35)


@pytest.mark.parametrize("hours", [float("nan"), float("inf"), -1.0])
def test_hours_that_are_no_hours_are_refused(hours: float) -> None:
    with pytest.raises(TableError, match="hours is"):
        h100_hours(hours, "GB200")


def test_an_unknown_gpu_and_a_bad_share_are_named() -> None:
    with pytest.raises(TableError, match="no GPU is called 'gb-200'; did you mean 'GB200'"):
        h100_hours(1, "gb-200")
    with pytest.raises(TableError, match="decode_share is 80"):
        h100_hours(1, "GB200", decode_share=80)


def test_unknown_hours_stay_unknown() -> None:
    runs = add_h100_hours(load_table("reference_runs")).set_index("id")
    assert runs.loc["olmo_3_1_32b", "gpu_hours"] == 112896  # the GPU is not named
    assert runs.loc[["olmo_3_1_32b", "dapo_32b_verl"], "h100_hours_mid"].isna().all()


# ---- nearest runs ----------------------------------------------------------------------------------------


def test_a_run_is_nearest_to_itself() -> None:
    # as long as no other has the same task, size and length
    for run in (
        load_table("reference_runs").set_index("id").loc[["r1_zero", "swe_rl_70b", "minimax_m1"]].itertuples()
    ):
        found = nearest_runs(
            run.task,
            run.params_total_b,
            params_active_b=run.params_active_b,
            max_tokens=run.max_tokens,
            limit=1,
        )
        assert found.loc[0, "id"] == run.Index and found.loc[0, "distance"] == pytest.approx(0, abs=1e-12)


def test_active_parameters_tell_a_mixture_from_a_dense_model() -> None:
    assert nearest_runs("math", 30.5, params_active_b=3.3, limit=1).loc[0, "id"] == "verl_grpo_30b_sync"
    assert nearest_runs("math", 32.8, limit=1).loc[0, "id"] == "simplerl_32b"


def test_units_are_made_equal() -> None:
    found = nearest_runs("math", 7.6, limit=30).set_index("id")
    # 100 steps of 1,024 x 8 and 400 steps of 512 x 16 answers: a fourth of the steps, a fourth of the answers
    assert found.loc["simplerl_7b", "completions"] == 100 * 1024 * 8
    assert found.loc["verl_dapo_7b_32_sync", "completions"] == 400 * 512 * 16
    # steps that are updates give completions all the same: 10,400 updates are 650 rounds of 8,192
    zero = nearest_runs("reasoning", 671, params_active_b=37, limit=1)
    assert zero.loc[0, "completions"] == 10_400 * 32 * 16 == 650 * 8192


def test_rows_of_the_starting_page_and_rows_without_any_need_are_left_out() -> None:
    found = nearest_runs("math", 8, limit=100)
    assert not found["id"].str.startswith("page_").any()
    assert "skywork_or1_7b" not in set(found["id"])
    assert found["distance"].is_monotonic_increasing


def test_an_own_table_is_searched_instead(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    row = {
        "id": "mine", "origin": "reader", "task": "code", "model": "m", "params_total_b": 3, "steps": 50,
        "steps_unit": "updates", "ended_by": "plateau", "source": "us", "location": "log", "as_of": "2026",
        "kind": "measured",
    }  # fmt: skip
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, list(row))
        writer.writeheader()
        writer.writerow(row)
    found = nearest_runs("math", 3, runs=load_table("reference_runs", path))
    assert found["id"].tolist() == ["mine"] and found.loc[0, "distance"] == pytest.approx(1.5 + 0.125)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"task": "maths", "params_total_b": 8}, "no task is called 'maths'; did you mean 'math'"),
        ({"task": "math", "params_total_b": 0}, "params_total_b is 0; give a number above 0"),
        ({"task": "math", "params_total_b": float("nan")}, "params_total_b is nan"),
        ({"task": "math", "params_total_b": 8, "params_active_b": 17}, "params_active_b is 17, more than"),
        ({"task": "math", "params_total_b": 8, "max_tokens": -1}, "max_tokens is -1"),
        ({"task": "math", "params_total_b": 8, "limit": 0}, "limit is 0"),
    ],
)
def test_bad_questions_are_refused(arguments: dict[str, float | str], said: str) -> None:
    with pytest.raises(TableError, match=said):
        nearest_runs(**arguments)  # type: ignore[arg-type]


def test_a_table_without_any_need_is_refused() -> None:
    runs = load_table("reference_runs")
    empty = runs[runs["id"] == "skywork_or1_7b"]
    with pytest.raises(TableError, match="no run of this table states"):
        nearest_runs("math", 8, runs=empty)


# ---- contradictions --------------------------------------------------------------------------------------


def test_each_contradiction_follows_from_the_tables() -> None:
    table = list_contradictions().set_index("name")
    stated, computed = table["stated"], table["computed"]
    # the caveat says about 2K steps, the table of the same page 7,400
    assert (stated["longest run"], computed["longest run"]) == (2000, 7400)
    # 100K against 50K hours is a half, not "1/6"; a sixth of the hours at the larger model's pace is a third
    # of the steps
    assert computed["compute of the mixture of experts"] == 0.5
    assert computed["steps of the mixture of experts"] == pytest.approx(
        (100_000 / 6) / (50_000 / 7_100) / 7_400, rel=1e-5
    )
    # 280K x $2.69 against $80.7K, which pays for 30,000 hours
    assert computed["self-hosted cost"] == pytest.approx(753_200)
    assert table.loc["self-hosted cost", "ratio"] == pytest.approx(753_200 / 80_700)
    assert "30,000 hours" in table.loc["self-hosted cost", "how"]
    # 180 steps against 3,500 GPU-hours: 94.4M tokens at 7.5 tokens a second
    assert stated["speed of the small run"] == pytest.approx(180 * 64 * 16 * 512 / (3500 * 3600))
    assert table.loc["hours of the small run", "ratio"] == pytest.approx(3500 / 240)
    assert set(table["claim"]) <= {c.id for c in map(claim, table["claim"])}


def test_a_contradiction_moves_with_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Computed, not typed: other cells give another result."""
    import rlscale.contradictions as module

    changed = load_table("reference_runs")
    changed.loc[changed["id"] == "page_scalerl_8b", ["gpu_hours", "h100_hours_stated"]] = [60_000.0, 30_000.0]
    monkeypatch.setattr(module, "load_table", lambda name: changed)
    table = list_contradictions().set_index("name")
    assert table.loc["compute of the mixture of experts", "computed"] == pytest.approx(5 / 6)
    assert table.loc["self-hosted cost", "ratio"] == pytest.approx(1.0)


def test_one_run_is_out_of_line_and_it_is_the_small_one() -> None:
    table = compare_throughput().set_index("id")
    judged = table["out_of_line"].dropna()
    assert judged[judged.astype(bool)].index.tolist() == ["page_math_8b"]
    assert len(judged) >= 12
    assert (
        table.loc["page_math_8b", "batch_from"] == "tinker_math_9b"
    )  # the source whose 180 steps it repeats
    assert table.loc["page_math_8b", "tokens_per_s_per_h100"] == pytest.approx(7.49, abs=0.01)
    assert table.loc["page_math_8b", "z"] < -OUT_OF_LINE
    # in steps an hour it is nothing unusual: units must be made equal first
    assert 0.02 < table.loc["page_math_8b", "steps_per_gpu_hour"] < 0.1


def test_a_run_without_a_batch_is_not_judged() -> None:
    table = compare_throughput().set_index("id")
    assert table.loc["justrl_deepseek_1_5b", "steps_per_gpu_hour"] == pytest.approx(4380 / 11520)
    assert table.loc["justrl_deepseek_1_5b", "out_of_line"] is None


def test_an_own_run_is_judged_by_the_sources() -> None:
    runs = load_table("reference_runs")
    mine = runs[runs["id"] == "simplerl_7b"].assign(id="mine", origin="reader")
    assert compare_throughput(mine)["out_of_line"].tolist() == [False]
    slow = mine.assign(gpu_hours=240_000.0, hours=float("nan"))
    assert compare_throughput(slow)["out_of_line"].tolist() == [True]
    assert compare_throughput(mine.iloc[:0]).empty


def test_the_starting_pages_rows_are_as_it_gives_them() -> None:
    page = load_table("reference_runs")
    page = page[page["origin"] == "starting page"]
    assert page["steps"].tolist() == [180, 7400, 7100, 1500, 8000, 100]
    assert set(page["kind"]) == {"reported"}
    pairs = load_table("reference_runs").groupby("pair")["origin"].agg(set).drop("")
    assert all(origins == {"starting page", "source"} for origins in pairs)
    assert isinstance(pairs, pd.Series) and len(pairs) == 6


def test_the_table_is_found_beside_the_package() -> None:
    assert data_path("reference_runs.csv").is_file()
