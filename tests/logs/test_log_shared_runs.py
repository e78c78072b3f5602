"""Real public logs, which are not part of the project: what is found agrees with their index.

The index names for each file its format, axis, pass rates, points and runs. Where it names no pass rate (a
shaped reward, a proxy, a filtered batch) nothing may be suggested; what it marks NEGATIVE must be refused.
"""

import csv

import pytest

import rlscale as rs
from rlscale.errors import RlscaleError
from rlscale.logs.survey import format_survey, survey_logs

# file (its end) -> suggested series, points; None where the user must be asked or the file is refused
EXPECTED = {
    "axiomforge/logs__grpo__grpo_20260426_032827__metrics.csv": ("gt_match_rate", 30),
    "bihan-verl/verl_demo.log": ("val-core/openai/gsm8k/reward/mean@1", 34),
    "cas-nlp/": None,  # rewards -2.07 … 2.5
    "cognitive-behaviors/llama_results.csv": ("accuracy", 26),
    "qwen15b_baseline_metrics.jsonl": ("eval_answer_rate", 12),
    "qwen15b_tuned_partial_metrics.jsonl": ("answer_rate", 26),
    "damek-cs336/": ("eval/Percentage of correct examples", 4),  # 10, of which 4 before the collapse
    "deep-grpo/grpo_scale_rollout.csv": ("val-core/GSM8K/reward/mean@1", 592),
    "deep-grpo/loss_weight.csv": ("val-core/GSM8K/reward/mean@1", 591),
    "training_dynamics__response_length.csv": None,
    "training_dynamics__test_reward.csv": ("val-core/GSM8K/reward/mean@1", 592),
    "dreternity/": None,  # reward_mean: a training reward, to be named with --y
    "fair_rlvr__logs__batch_logs.json": ("accuracy", 1000),
    "8uv68b8e.wandb": None,
    "grpo-clean-2/": None,  # reward 0.7 … 11
    "log_adq_seed42.txt": None,  # dead run, only a reward
    "aser_step_stats.json": None,  # mean_reward
    "gate1_adq_seed42.log": None,
    "gate2_rho0.70_seed42.log": None,
    "hotpotqa-agent/": None,  # combined_reward
    "josancamon19/export.csv": ("0.6b", 14),
    "entropy_bin_3__metrics.jsonl": None,  # proxy rewards f and g
    "llama-3.2-1b__Hard__metrics.jsonl": ("reward/correctness_f", 45),
    "Easy-g-llmjudge-long__metrics.jsonl": None,
    "Hard-g-llmjudge__metrics.jsonl": None,
    "100f_g__Easy__metrics.jsonl": None,
    "__g__Easy__metrics.jsonl": None,
    "batch32_metrics.csv": None,
    "qwen35-4b-metrics.jsonl": ("env/all/correct", 5),
    "math-rl-v5p16-r11-metrics.jsonl": ("env/all/correct", 75),
    "tinker_shorter.log": None,  # reward in [-2, 1]
    "arithmetic_metrics.jsonl": ("env/all/correct", 100),
    "distillation_on_metrics.jsonl": None,
    "master_results.csv": None,
    "p1b_gsm8k_llama8b_base_G32.csv": None,
    "p1b_gsm8k_llama8b_inst_G32.csv": None,
    "grpo_100_math.log": None,  # partial credit
    "grpo_100_xlam.log": None,
    "grpo_exp_d.log": None,
    "gsm8k_8B_100step.log": ("acc", 100),
    "gsm8k_8B_rank8.log": ("acc", 50),
    "gsm8k_8B_s137.log": ("acc", 50),
    "arch_gsm8k_gpt-oss-20b.json": None,  # reward
    "cross_tool_qwen3-32b.json": None,
    "scale_gsm8k_qwen3-8b.json": None,
    "prompt1024-resp512-0.567.log": ("val/test_score/openai/gsm8k", 45),  # 43, and the initial and final ones
    "prompt512-resp256-0.538.log": ("val/test_score/openai/gsm8k", 45),
    "rl_wordle_metrics_20250819-074356.jsonl": ("eval/solved", 10),
    "rl_wordle_metrics_20250820-150425.jsonl": ("eval/solved", 16),
    "tfevents.1755716665.host": ("Performance/eval_win_rate_percent", 16),
    "training_metrics.jsonl": ("eval/solved", 10),
    "a2_vi_42__checkpoint-50__trainer_state.json": ("rewards/r1_correctness", 10),
    "reproduce_openrs_rs2_42__checkpoint-50__trainer_state.json": ("rewards/r1_correctness", 10),
    "training__training.log": ("rewards/r1_correctness", 10),
}

# words of the index's format column -> words of the format that must be found
FORMATS = {
    "wandb UI export": "wandb UI export CSV",
    "verl console": "verl console log",
    "trainer_state": "TRL trainer_state.json",
    "tinker-cookbook metrics.jsonl": "tinker-cookbook metrics.jsonl",
    "tinker-cookbook console": "tinker-cookbook console log",
    "TRL console": "TRL console log",
    "TensorBoard binary": "TensorBoard event file",
    "custom text log": "text log of a training loop",
    "custom JSONL": "JSON",
    "custom JSON list": "JSON",
    "JSON (reward_trace": "JSON",
    "long CSV": "CSV",
    "wide CSV": "CSV",
    "custom CSV": "CSV",
    "CSV from a TRL callback": "CSV",
}


@pytest.fixture(scope="module")
def index(shared_runs):
    with (shared_runs / "INDEX.csv").open(newline="", encoding="utf-8") as stream:
        return {row["file"]: row for row in csv.DictReader(stream)}


@pytest.fixture(scope="module")
def table(shared_runs):
    pytest.importorskip("tensorboard")
    pytest.importorskip("wandb")
    return {row.file: row for row in survey_logs(shared_runs)}


def expected(file):
    found = [value for end, value in EXPECTED.items() if end in file]
    assert len(found) == 1, file
    return found[0]


def test_every_file_is_as_its_index_says(index, table):
    wrong = []
    for file, row in index.items():
        got, want = table[file], expected(file)
        if want != ((got.y, got.points) if got.y else None):
            wrong.append(f"{file}: expected {want}, found {got}")
        if want is None and not got.refusal:
            wrong.append(f"{file}: not refused")
        # a suggestion is one of the columns that the index calls a pass rate
        key = got.y.split("/")[-1].replace("Percentage", '"Percentage')
        named = row["y_columns"].replace("mean of solved", "solved") + row["remark"] + row["x_column"]
        if want and not any(part in named for part in (got.y, key, key.strip('"'), got.y.split("/")[0])):
            wrong.append(f"{file}: {got.y} is not among {row['y_columns']}")
    assert not wrong, "\n".join(wrong)


def test_every_format_is_as_its_index_says(index, table):
    for file, row in index.items():
        want = next((f for words, f in FORMATS.items() if words in row["format"]), None)
        if want is not None:
            assert table[file].format == want, file


def test_the_number_of_runs_agrees(index, table):
    for file, row in index.items():
        if "cognitive-behaviors" in file:
            # twelve curves, and a group of a single row, which stays readable and refuses a curve
            assert table[file].runs == int(row["n_runs"]) + 1
        elif "wandb__run" in file:
            assert table[file].refusal
        else:
            assert table[file].runs == int(row["n_runs"]), file


def test_negative_files_are_refused_with_a_reason(index, table):
    negative = [file for file, row in index.items() if "NEGATIVE" in row["remark"]]
    assert len(negative) >= 6
    for file in negative:
        assert not table[file].y
        assert len(table[file].refusal) > 20


def test_the_table_is_one_command(shared_runs, table, capsys):
    from rlscale.cli import main

    assert main(["inspect", "--table", str(shared_runs)]) == 0
    out = capsys.readouterr().out
    assert out.strip() == format_survey(list(table.values())).strip()
    assert out.count("\n") > 100


def test_the_real_curves_of_the_main_job(shared_runs):
    found = {}
    for name in ("deep-grpo/grpo_scale_rollout.csv", "josancamon19/export.csv"):
        for key, run in rs.read_runs(shared_runs / name).items():
            found[key] = run.curve()
    assert len(found) == 10
    assert found["0.6b"].pass_rate[0] == pytest.approx(0.0371, abs=1e-4)
    r11 = rs.read_run(shared_runs / "skyrltpu/benchmark_artifacts__qwen35-9b-math-rl-v5p16-r11-metrics.jsonl")
    curve = r11.curve(y="test/env/all/correct")
    assert (curve.n, curve.k, curve.planned, curve.planned_from) == (500, 1, 180.0, "progress/done_frac")
    assert curve.compute.tolist() == [0, 20, 40, 60]
    # 66.2 million action tokens and 47,367 s in 75 steps; the sums run up to before the last batch
    assert r11.curve(x="generated_tokens").compute[-1] == pytest.approx(66.2e6, rel=0.03)
    assert r11.curve(x="wall_hours").compute[-1] * 3600 == pytest.approx(47_367, rel=0.03)
    xling = rs.read_run(
        shared_runs / "xling-grpo/training__grpo__a2_vi_42__checkpoint-50__trainer_state.json"
    ).curve()
    assert (xling.planned, xling.planned_from, xling.unit) == (100.0, "max_steps", "updates")


def test_rewards_can_be_named(shared_runs):
    run = rs.read_run(shared_runs / "dreternity/grpo__dapo_g16__train_log_dapo.csv")
    curve = run.curve(y="reward_mean")
    assert len(curve) == 575
    assert curve.kind == "train_reward"
    run = next(iter(rs.read_runs(shared_runs / "grpo-clean-2").values()))
    with pytest.raises(RlscaleError, match=r"outside \[0, 1\]"):
        run.curve(y="reward")


def test_restarts_are_found(shared_runs):
    run = rs.read_run(
        shared_runs / "rh-entropy/outputs__rl-leetcode__llama-3.2-3b__Hard-g-llmjudge__metrics.jsonl"
    )
    assert {"restarted", "steps-replaced"} <= {w.code for w in run.warnings}


def test_old_verl_logs_begin_at_zero(shared_runs):
    run = rs.read_run(shared_runs / "verl-data/gsm8k__Qwen2.5-0.5B-bsz256_2-prompt1024-resp512-0.567.log")
    curve = run.curve()
    assert curve.compute[[0, 1, -1]].tolist() == [0, 10, 435]
    assert curve.pass_rate[0] == pytest.approx(0.000762, abs=1e-6)
    assert curve.pass_rate[-1] == pytest.approx(0.5686, abs=1e-4)
