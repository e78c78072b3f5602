"""What the tables of curves and of runs promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .schemas import ID, Rule, Table, number, source_columns, text, whole

if TYPE_CHECKING:
    import pandas as pd

#: GPU-hours may differ from hours times GPUs by this share: sources round to two or three digits
#: (101K for 198 h on 512 GPUs is 0.4 % off). A factor of 8, the usual mix-up, is far outside.
ROUNDING = 0.02

#: What a run can be about.
TASKS = ("math", "code", "math and code", "reasoning", "software engineering", "tool use", "puzzle")


def _gpu_hours_add_up(table: pd.DataFrame) -> pd.Series:
    product = table["hours"] * table["gpus"]
    return ~((table["gpu_hours"] / product - 1).abs() > ROUNDING)


def _given_together(first: str, second: str) -> Rule:
    return Rule(
        f"{first}_with_{second}",
        second,
        lambda t: t[first].isna() | (t[second] != ""),
        f"a value, since {first} has one",
    )


PUBLISHED_FITS = Table(
    "published_fits",
    "one fitted curve, with the parameters that its source gives in text or table. A value that stands only "
    "in a figure is an empty cell",
    (
        ID,
        text("recipe", "what was trained: algorithm and the setting that differs", filled=True),
        text("model", "starting model as the source names it", filled=True),
        number("params_total_b", "parameters, in billions"),
        number("params_active_b", "parameters used for a token, in billions"),
        text("law", "shape that was fitted", filled=True, allowed=("sigmoid", "power")),
        text("measured_on", "what the pass rate was measured on", filled=True),
        number("A", "ceiling of the pass rate", hi=1.0),
        number("A_margin", "error of A that the source states, both ways", hi=1.0),
        number("B", "steepness"),
        number("Cmid_gpu_hours", "compute at half of the gain, in hours of `gpu`"),
        number("R0", "pass rate at no compute", hi=1.0),
        text("gpu", "the GPU whose hours count as compute", filled=True),
        number("fit_from_gpu_hours", "points before this were left out of the fit"),
        number("fit_to_gpu_hours", "points after this were left out of the fit"),
        number("run_end_gpu_hours", "compute at the end of the run"),
        whole("run_end_rollout_steps", "rollout steps at the end of the run"),
        whole("completions_per_step", "completions in one rollout step"),
        whole("group_size", "completions for one prompt"),
        *source_columns(),
    ),
    (
        Rule(
            "fit_window",
            "fit_to_gpu_hours",
            lambda t: ~(t["fit_from_gpu_hours"] >= t["fit_to_gpu_hours"]),
            "more than fit_from_gpu_hours: the window of the fit must hold points",
        ),
        Rule(
            "fit_inside_run",
            "fit_to_gpu_hours",
            lambda t: ~(t["fit_to_gpu_hours"] > t["run_end_gpu_hours"]),
            "no more than run_end_gpu_hours: a fit cannot use points after the end of the run",
        ),
        Rule(
            "gain",
            "A",
            lambda t: ~(t["A"] <= t["R0"]),
            "more than R0: a ceiling at or below the start is no gain",
        ),
    ),
)

REFERENCE_RUNS = Table(
    "reference_runs",
    "one training run as one source tells it. A run of the starting page stands twice: as that page tells it "
    "(`origin` is `starting page`) and as its sources do; `pair` joins the two",
    (
        ID,
        text("origin", "who tells it", filled=True, allowed=("starting page", "source", "reader")),
        text("pair", "the same word joins a row of the starting page with the rows of its sources"),
        text("task", "what was learned", filled=True, allowed=TASKS),
        text("model", "starting model", filled=True),
        number("params_total_b", "parameters, in billions"),
        number("params_active_b", "parameters used for a token, in billions"),
        text("algorithm", "as the source names it"),
        whole("steps", "how many steps; the lower end where a range is told"),
        whole("steps_hi", "the upper end of a range"),
        text("steps_unit", "what one step is", allowed=("rollout_steps", "updates")),
        whole("prompts_per_step", "prompts in one of these steps"),
        whole("group_size", "completions for one prompt"),
        whole("max_tokens", "longest answer, or longest sequence, allowed"),
        text("gpu", "as in `gpus.csv`; empty where unknown or where a service was used"),
        whole("gpus", "how many at once"),
        text("service", "the service, where no GPU was rented"),
        number("hours", "wall-clock hours"),
        number("gpu_hours", "hours of `gpu` in total"),
        text("gpu_hours_kind", "whether the source states GPU-hours", allowed=("reported", "derived")),
        number("h100_hours_stated", "H100-equivalent hours that the source states"),
        number("usd_stated", "US dollars that the source states"),
        text("benchmark", "what the scores are on"),
        text("score_protocol", "how the score was measured: samples a problem, last or best of the run"),
        number("start_score_percent", "score before, in percent", hi=100.0),
        number("end_score_percent", "score after, in percent", hi=100.0),
        text(
            "ended_by",
            "why the run ended",
            filled=True,
            allowed=("budget", "plateau", "best on test", "collapse", "unknown"),
        ),
        *source_columns(),
    ),
    (
        Rule(
            "gpu_hours_add_up",
            "gpu_hours",
            _gpu_hours_add_up,
            "hours times gpus (a wall-clock hour on 8 GPUs is 8 GPU-hours): correct gpu_hours, hours or gpus",
        ),
        _given_together("steps", "steps_unit"),
        _given_together("gpu_hours", "gpu_hours_kind"),
        _given_together("end_score_percent", "benchmark"),
        Rule(
            "range", "steps_hi", lambda t: ~(t["steps_hi"] <= t["steps"]), "more than steps, or an empty cell"
        ),
        Rule(
            "active_part",
            "params_active_b",
            lambda t: ~(t["params_active_b"] > t["params_total_b"]),
            "no more than params_total_b",
        ),
    ),
)
