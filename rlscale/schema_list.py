"""The list of tables: every column of every file of ``data/``, with its meaning, unit and limits."""

from __future__ import annotations

from .schemas import ID, Rule, Table, number, source_columns, text, whole

_PUBLISHED_FITS = Table(
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

#: Table name -> what it promises.
TABLES: dict[str, Table] = {t.name: t for t in (_PUBLISHED_FITS,)}
