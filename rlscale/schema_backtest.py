"""What the tables of public runs and of their replay promise."""

from __future__ import annotations

from dataclasses import replace

from .peers import PEERS
from .schemas import ID, Rule, Table, number, source_columns, text, whole

PUBLIC_RUNS = Table(
    "public_runs",
    "one series of one finished public run: where it lies, and what it is. The log itself is not here",
    (
        ID,
        text("repository", "owner/name on GitHub", filled=True, pattern=r"[\w.-]+/[\w.-]+"),
        text("path", "of the log in the repository", filled=True),
        text("commit", "the version that was read", filled=True, pattern=r"[0-9a-f]{40}"),
        text("licence", "of the repository, as it states it", filled=True),
        text("copy", "where the log lies in a folder of copies, one folder a repository", filled=True),
        text("run", "name of the run, where the log holds several"),
        text("x", "key of the axis of compute", filled=True),
        text("y", "key of the pass rate", filled=True),
        whole("points", "of the curve", filled=True, lo=8.0),
        text(
            "series",
            "what the series is",
            filled=True,
            allowed=("heldout_pass_rate", "train_pass_rate", "pass_at_k", "train_reward", "heldout_reward"),
        ),
        text(
            "class",
            "whether the whole run rises: best 10 % above the first 5 % by 3 standard deviations of a point "
            "and by .02",
            filled=True,
            allowed=("rising", "flat"),
        ),
        *source_columns(),
    ),
)

PUBLIC_BACKTEST = Table(
    "public_backtest",
    "one forecast of the end of one public run from the points up to a share of its compute, and what came "
    "of it. `rlscale backtest data/public_runs.csv --root CLONES --rows FILE` measures it again",
    (
        ID,
        text("run", "`id` in `public_runs.csv`", filled=True),
        number("share", "of the compute that was seen", filled=True, hi=1.0),
        whole("points", "up to the cut", filled=True, lo=0.0),
        text(
            "state",
            "of the forecast",
            filled=True,
            allowed=("ceiling identified", "end forecast only", "no forecast"),
        ),
        text("reasons", "codes of the reasons for the state", filled=True),
        text("verdict", "without prices: about one percentage point", filled=True,
             allowed=("continue", "stop", "cannot tell")),
        text("hindsight", "`continue` if the rest of the run won more than one percentage point", filled=True,
             allowed=("continue", "stop")),
        number("median", "of the end; empty where there was no curve to forecast", hi=1.0),
        number("lo", "low end of the 90 % interval of the end", hi=1.0),
        number("hi", "high end of it", hi=1.0),
        number("end", "observed: mean of the last 10 % of the points", filled=True, hi=1.0),
        number("level_now", "observed: mean of the points round the cut", filled=True, hi=1.0),
        number("seen_over_Cmid", "compute seen over Cmid, median"),
        number("break_even", "highest price of the run, in percentage points, at which the forecast goes on"),
        number("break_even_ls", "the same by the least-squares sigmoid"),
        *(
            number(f"peer_{name}", f"end that the rule `{name}` of `rlscale/peers.py` expects", hi=1.0)
            for name in PEERS
        ),
        *source_columns(),
    ),
    (
        Rule(
            "interval",
            "median",
            lambda t: t["median"].isna() | ((t["lo"] <= t["median"]) & (t["median"] <= t["hi"])),
            "between lo and hi",
        ),
    ),
)  # fmt: skip

OWN_BACKTEST = replace(
    PUBLIC_BACKTEST,
    name="own_backtest",
    row="the same for a run of this project: `lab/`, arm and seed of `lab/`, or `simulated/` and a number: "
    "a sigmoid of random parameters, every fourth of them flat",
)

ENGINE_TRIALS = Table(
    "engine_trials",
    "one change of the forecast that was tried on rising public runs. Before it was judged on a repository, "
    "what it learns was learnt from the others",
    (
        ID,
        text("change", "what was tried", filled=True),
        text("learnt_from", "finished runs that it was learnt from; empty: it learns nothing"),
        whole("cuts", "that it was judged on", filled=True, lo=1.0),
        number("coverage", "share of 90 % intervals that held the end", filled=True, hi=1.0),
        number("shown", "share of cuts that got a number", hi=1.0),
        number("error_p90", "90th percentile of the error of the shown ones", hi=1.0),
        number("score", "mean interval score; smaller is better", filled=True),
        number("score_before", "of the engine without it, on the same cuts", filled=True),
        text("verdict", "what became of it", filled=True, allowed=("kept", "lost", "undecided")),
        *source_columns(),
    ),
)
