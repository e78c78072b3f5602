# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["slide"]
# # How much of the run must I see?
#
# **The question.** You have paid for part of a run. Is that enough to say where it will end, and whether the rest is worth its
# price?
#
# **The answer.** There is no share of a run that is enough. A quarter is plenty for a run that bent early and hopeless for one that
# has not bent yet. Ask for the interval of the end and look at its *width*: at 0.10 or less the median is within
# 0.03 of the end about nine times in ten, above 0.20 there is no number worth quoting. Having reached $C_\text{mid}$ is not
# enough; ten times as much is comfortable.
#
# **Its limit.** All of it was measured on runs that people published, 36 of them rising, more than half of these from two repositories. A
# late take-off and a collapse cannot be foreseen from any pilot.

# %% [markdown]
# ## What you will be able to do
#
# - **Judge** a pilot by the width of its interval, not by its share of the run.
# - **Explain** why a pilot that has just reached $C_\text{mid}$ does not pin down the ceiling.
# - **Compare** a forecast with simpler rules on the same cuts.
# - **Decide** in money, and know what a wrong decision costs.
# - **Measure** by how much your own intervals have to be widened.
#
# You need: [](01-sigmoid-law). No GPU.
# Time: 9 minutes to read, 40 minutes for the exercises.

# %% tags=["parameters"]
log: str = ""  # path of your own training log; empty: a simulated run stands in
run: str = ""  # which run, when the log holds several
budget: float = 0.0  # planned compute of your run; 0: as the log plans it
price: float = 25.0  # USD for one unit of compute (illustrative)
value: float = 500.0  # USD that one percentage point of pass rate is worth to you (illustrative)
seed: int = 4  # of the noise of simulated runs
draws: int = 60  # simulated pilots a point of a figure

# %% tags=["hide-input"]
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import display
from myst_nb import glue

import rlscale as rs
from rlscale import plot, plot_published
from rlscale.calibration import load_calibration, measure_calibration
from rlscale.claims import claims
from rlscale.public import load_backtest, load_own_backtest
from rlscale.regret import RIVALS, contrast_rules, tabulate_regret
from rlscale.scores import compare_peers, format_scores, list_misses, score_forecasts, usable_cuts
from rlscale.simulate import simulate_curve
from rlscale.tables import load_table

plt.style.use("rlscale.book")
HEADS = {
    "coverage_shown": "coverage, shown",
    "error_median": "median error",
    "error_p90": "90 % of errors below",
    "far": "far off",
}
table = load_backtest()
rising, flat = (usable_cuts(table[table["class"] == c]) for c in ("rising", "flat"))
runs = load_table("public_runs")
counts = runs.groupby("class")["id"].count()
print(f"{counts['rising']} rising and {counts['flat']} flat public series, {len(table)} cuts")

# %% [markdown]
# ## Nobody published a forecast from a quarter of a run
#
# The starting page advises fitting the first quarter and read off the end. That rule **differs** from its source. The paper fitted a
# third to a half of its runs, and by then nine tenths of the gain were won.

# %% tags=["remove-input"]
claims("C41", "C41b", "C42")

# %% [markdown] tags=["slide"]
# ## On simulated runs, the same quarter is enough for one run and not for another
#
# Take three published fits as the truth, add the noise of an evaluation of 1,000 problems with 16 samples and drift, cut, and fit by least
# squares. How often is the ceiling within 0.02, the margin that the paper gives itself?

# %% tags=["hide-input", "fragment"]
fits = plot_published.select_published(load_table("published_fits"))
chosen = {"100,000 GPU-hours": "t1_bs2048", "50,000 GPU-hours": "t1_scout", "16,000 GPU-hours": "t1_scalerl"}
shares = (0.15, 0.25, 0.36, 0.50)


def draw_ceilings(law, compute, first):
    """Ceilings of the best fits of simulated pilots (a published fit has no start: .25 is illustrative)."""
    found = []
    for s in range(draws):
        pilot = simulate_curve(law, compute, unit="gpu_hours", seed=1000 * seed + s, drift_length=first)
        found.append(rs.fit_law(pilot.compute, pilot.pass_rate).law.A)
    return np.array(found)


hits, near = {}, []
for name, key in chosen.items():
    fit = plot_published.find_published(fits, key)
    law = rs.Sigmoid(0.25, fit.A, fit.B, fit.Cmid_gpu_hours)
    end = float(name.split()[0].replace(",", ""))
    hits[name] = []
    for share in shares:
        compute = np.linspace(0, share * end, max(8, round(75 * share) + 1))
        off = np.abs(draw_ceilings(law, compute, 0.03 * end) - law.A)
        hits[name].append((off <= 0.02).mean())
        near.append((share * end / law.Cmid, (off <= 0.02).mean(), np.quantile(off, 0.9)))
quarter = pd.DataFrame(hits, index=[f"{100 * s:.0f} % seen" for s in shares]).T
quarter["T/Cmid at 25 %"] = [
    0.25 * float(n.split()[0].replace(",", "")) / plot_published.find_published(fits, k).Cmid_gpu_hours
    for n, k in chosen.items()
]
quarter.round(2)

# %% tags=["remove-cell"]
long_run, short_run = quarter["25 % seen"]["50,000 GPU-hours"], quarter["25 % seen"]["16,000 GPU-hours"]
glue("long-25", f"{100 * long_run:.0f} %", display=False)
glue("short-25", f"{100 * short_run:.0f} %", display=False)
reach = quarter["T/Cmid at 25 %"]
glue("long-reach", f"{reach['50,000 GPU-hours']:.2f}", display=False)
glue("short-reach", f"{reach['16,000 GPU-hours']:.2f}", display=False)
assert long_run > short_run + 0.1 and (quarter["25 % seen"] < 0.8).all()

# %% [markdown]
# ($T$ is the compute seen so far; $T/C_\text{mid}$ says how many times the half-way compute that is.)
#
# The same share, and different answers: {glue:text}`long-25` of the pilots are right for the run that has come to {glue:text}`long-reach` times its
# $C_\text{mid}$, {glue:text}`short-25` for the one at {glue:text}`short-reach`. And this is a kind case: the law is exact.

# %% [markdown] tags=["slide"]
# ## Reaching Cmid is not enough
#
# Half of the gain has been won at $C_\text{mid}$, and the shape of the rest is still open. Simulated pilots that end at a multiple of
# $C_\text{mid}$, and public runs sorted by the multiple the forecast believed in, tell the same story:

# %% tags=["hide-input", "fragment"]
big = plot_published.find_published(fits, "t1_bs2048")
law = rs.Sigmoid(0.25, big.A, big.B, big.Cmid_gpu_hours)
multiples = (0.5, 1, 2, 4, 8)
simulated = {}
for m in multiples:
    off = np.abs(draw_ceilings(law, np.linspace(0, m * law.Cmid, 25), 0.1 * law.Cmid) - law.A)
    simulated[m] = (off <= 0.02).mean(), np.quantile(off, 0.9)
pd.DataFrame(simulated, index=["ceiling within 0.02", "90 % of errors below"]).T.rename_axis("T/Cmid").round(
    2
)

# %% tags=["hide-input"]
error = rising["error"].abs()
edges = [0, 1, 2, 4, 10, np.inf]
by_seen = pd.DataFrame(
    {"seen": pd.cut(rising["seen_over_Cmid"], edges, right=False), "error": error, "inside": rising["inside"]}
)
reached = by_seen.groupby("seen", observed=True).agg(
    cuts=("error", "size"),
    median_error=("error", "median"),
    within_003=("error", lambda e: (e <= 0.03).mean()),
    coverage=("inside", "mean"),
)
reached.index = ["below 1", "1 to 2", "2 to 4", "4 to 10", "10 and more"]
words = {"median_error": "median error", "within_003": "within 0.03"}
reached.rename_axis("T/Cmid of public runs").rename(columns=words).round(2)

# %% tags=["remove-cell"]
glue("sim-at-mid", f"{100 * simulated[1][0]:.0f} %", display=False)
glue("pub-at-mid", f"{100 * reached['within_003']['1 to 2']:.0f} %", display=False)
glue("pub-at-ten", f"{100 * reached['within_003']['10 and more']:.0f} %", display=False)
glue("pub-at-four", f"{100 * reached['within_003']['4 to 10']:.0f} %", display=False)
assert simulated[1][0] < 0.35 and simulated[8][0] > 0.9
assert reached["within_003"]["1 to 2"] < 0.7 < 0.85 < reached["within_003"]["10 and more"]
assert 0.7 < reached["within_003"]["4 to 10"] < 0.8  # "one end in four" in the take-aways

# %% [markdown]
# At $C_\text{mid}$ itself, {glue:text}`sim-at-mid` of the simulated ceilings are right. Of the public cuts between one and two times
# $C_\text{mid}$, the end is forecast within 0.03 in {glue:text}`pub-at-mid`; between four and ten in {glue:text}`pub-at-four`; above ten in
# {glue:text}`pub-at-ten`. The *coverage* hardly moves: where little is known the interval is wide, and says so.

# %% [markdown] tags=["slide"]
# ## The width of the interval is the better meter
#
# You need no multiple and no share, only the interval itself. The figure sorts all rising cuts, refused ones included, by the width
# of their interval of the end.

# %% mystnb={"image": {"alt": "Two panels. Left: absolute error of the end against the width of the 90 percent interval for each cut of public runs, on log axes; errors grow with width. Right: share of cuts with an error of at most 0.03, falling from 1 for narrow intervals to less than a fifth for the widest."}, "figure": {"caption": "Left: each dot is a cut of a rising public run (measured). Dashed: 0.10 and 0.20. Right: share of cuts within 0.03 of the end.", "name": "fig-width"}} tags=["hide-input", "fragment"]
fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4))
shown = rising["state"] != "no forecast"
for keep, colour, mark, label in ((shown, "blue", "o", "shown"), (~shown, "grey", "x", "refused")):
    _ = left.plot(
        rising["width"][keep],
        error[keep].clip(lower=5e-4),
        mark,
        color=plot.COLOURS[colour],
        markersize=4,
        label=label,
        alpha=0.7,
    )
left.set(xscale="log", yscale="log", xlabel="width of the 90 % interval", ylabel="|error of the end|")
for axis in (left.xaxis, left.yaxis):
    axis.set_major_formatter("{x:g}")
for at in (0.10, 0.20):
    left.axvline(at, color=plot.COLOURS["black"], linestyle="--", linewidth=0.8)
left.legend(loc="upper left")
bins = [0, 0.05, 0.10, 0.15, 0.20, 0.40, 1.01]
by_width = error.groupby(pd.cut(rising["width"], bins, right=False), observed=True)
good = by_width.apply(lambda e: (e <= 0.03).mean())
_ = right.bar(range(len(good)), good.to_numpy(), color=plot.COLOURS["blue"])
right.set_xticks(
    range(len(good)), [f"{a:g}–{min(b, 1):g}" for a, b in pairwise(bins)], fontsize=8, rotation=30
)
right.set(xlabel="width", ylabel="share within 0.03", ylim=(0, 1))
plt.show()

# %% tags=["hide-input"]
widths = (
    pd.DataFrame(
        {
            f"{w:.2f} or less": {
                "cuts": (rising["width"] <= w).sum(),
                "within 0.03": (error[rising["width"] <= w] <= 0.03).mean(),
                "90 % of errors below": error[rising["width"] <= w].quantile(0.9),
                "coverage": rising["inside"][rising["width"] <= w].mean(),
            }
            for w in (0.05, 0.10, 0.15, 0.20, 1.0)
        }
    )
    .T.round(3)
    .astype({"cuts": int})
)
widths.rename_axis("width of the interval")

# %% tags=["remove-cell"]
assert widths["within 0.03"]["0.10 or less"] > 0.85
assert (
    widths["within 0.03"]["0.10 or less"]
    > widths["within 0.03"]["0.20 or less"]
    > widths["within 0.03"]["1.00 or less"]
)

# %% [markdown]
# So the rule to use in place of "a quarter" and "reach $C_\text{mid}$" is one line long, and `rlscale forecast` applies it:
#
# | width of the 90 % interval of the end | what you may do |
# |---|---|
# | 0.10 or less | quote the median; expect to be off by 0.03 or less, nine times in ten |
# | 0.10 to 0.20 | quote the interval, not the median |
# | above 0.20, or flat, falling, fewer than 6 points | no number. Go on to the next checkpoint and ask again |

# %% [markdown] tags=["slide"]
# ## What the replay of public runs shows
#
# Every run is cut, its end forecast from the part before the cut alone, and compared. Changing the future of a run does not
# change its forecast (a test proves it). Rising runs:

# %% tags=["fragment"]
by_share = score_forecasts(rising)
columns = ["cuts", "coverage", "shown", "coverage_shown", "error_median", "error_p90", "far"]
format_scores(by_share[columns]).rename(columns=HEADS)

# %% tags=["remove-cell"]
q25, q50, q75 = (by_share.loc[s] for s in (0.25, 0.50, 0.75))
# the targets that the project set itself, before it measured
for row, cover, median, p90, refused in (
    (q25, 0.85, 0.02, 0.05, 0.50),
    (q50, 0.88, 0.015, 0.04, 0.35),
    (q75, 0.88, 0.012, 0.035, 0.20),
):
    assert row["coverage"] >= cover and row["error_p90"] <= p90 and 1 - row["shown"] <= refused
    assert round(row["error_median"], 3) <= median
assert (by_share["far"] == 0).all()
flat_shown = (flat["state"] != "no forecast").mean()
assert flat_shown <= 0.02
worst = list_misses(table)
glue("shown-25", f"{100 * q25['shown']:.0f} %", display=False)
glue("shown-75", f"{100 * q75['shown']:.0f} %", display=False)
glue("n-misses", f"{len(worst)}", display=False)
glue("worst-miss", f"{worst['outside'].max():.3f}", display=False)
glue("flat-refused", f"{100 * (1 - flat_shown):.1f} %", display=False)
glue("flat-cuts", f"{len(flat)}", display=False)
glue("calibration", load_calibration().note, display=False)

# %% [markdown]
# - At a quarter seen, {glue:text}`shown-25` of the cuts get a number; at three quarters {glue:text}`shown-75`.
# - {glue:text}`n-misses` shown intervals miss the end, the worst by {glue:text}`worst-miss` (*far off* counts those beyond 0.05).
# - Of {glue:text}`flat-cuts` cuts of flat runs, {glue:text}`flat-refused` are refused.
# - The intervals are {glue:text}`calibration`.
#
# And the simpler rules, on the same cuts. A rule without an interval gets one from its own errors on all *other* repositories.

# %%
peers = compare_peers(rising)
peers[["error_median", "error_p90", "coverage", "width", "score"]].round(3).rename(columns=HEADS)

# %% tags=["remove-cell"]
rest = peers.drop("forecast")
assert (
    peers["error_p90"]["forecast"] < rest["error_p90"].min()
    and peers["score"]["forecast"] < rest["score"].min()
)
glue("score-forecast", f"{peers['score']['forecast']:.2f}", display=False)
glue("score-best-peer", f"{rest['score'].min():.2f}", display=False)
glue("best-peer", rest["score"].idxmin(), display=False)

# %% [markdown]
# `score` is the interval score: width plus a penalty for every miss, smaller is better. The forecast has {glue:text}`score-forecast`, the best of the
# others ({glue:text}`best-peer`) {glue:text}`score-best-peer`. In the *median* error all methods are close: once a run has bent, anything extends it.
# What a method is worth shows in the tail and in knowing when to be silent.

# %% [markdown]
# ## What else was tried
#
# A posterior takes its three shapes for true. Two additions to it were *kept*: an allowance for the shape, which grows with the distance to
# the budget and with the gain still expected, more so while $C_\text{mid}$ may lie ahead, and the misfit: where the last fifth of the points lies off the fitted curve, half of
# the belief keeps that distance, and no ceiling is called identified. On public runs they cost a little in the score and buy coverage; on
# laboratory runs and on runs with two rises they buy a lot. The rest was judged with one repository left out at a time:

# %% tags=["hide-input"]
trials = load_table("engine_trials").set_index("id")
shown = trials[["change", "learnt_from", "cuts", "coverage", "score_before", "score", "verdict"]].rename(
    columns={"learnt_from": "learned from", "score_before": "score before", "score": "score after"}
)
with pd.option_context("display.max_colwidth", None):
    display(shown.astype({"cuts": int}).set_index("change").rename_axis(None).round(3))

# %% tags=["remove-cell"]
kept = trials[trials["verdict"] == "kept"]
assert (kept["coverage"] > 0.85).all()
lost = trials[trials["verdict"] == "lost"]
assert (lost["score"] >= lost["score_before"] - 0.005).all()

# %% [markdown]
# Priors learned from other people's runs bring next to nothing: runs differ too much, and once a curve has bent the data speak
# for themselves. A learning-rate schedule could not be tried: no rising public log both writes its rate down and changes it.

# %% [markdown]
# ## On our own runs only the shape is in doubt
#
# The laboratory's runs ([](12-lab)) are trained to the end under one protocol, with an exact pass rate: no sampling noise, so what is left
# is the shape. Simulated runs have the shape that the forecast knows.

# %% tags=["hide-input"]
own = load_own_backtest()
kinds = own["family"]
ours = pd.concat(
    {name: score_forecasts(own[kinds == name]) for name in ("lab", "simulated")}, names=["runs", "share"]
)
format_scores(ours[["cuts", "coverage", "shown", "error_median", "error_p90", "far"]]).rename(columns=HEADS)

# %% tags=["remove-cell"]
lab_early = own[(kinds == "lab") & (own["share"] == 0.25)]
arm = lab_early["run"].str.split("/").str[1]
held_early = {
    name: lab_early["inside"][arm.str.startswith(name)].mean() for name in ("pool", "stale", "prompts-32-g")
}
glue("lab-bias", f"{lab_early['error'].median():+.3f}", display=False)
glue("lab-runs", f"{lab_early['run'].nunique()}", display=False)
glue("lab-arms", f"{arm.nunique()}", display=False)
glue("lab-held", f"{lab_early['inside'].mean():.2f}", display=False)
glue("lab-pool", f"{held_early['pool']:.2f}", display=False)
glue("lab-stale", f"{held_early['stale']:.2f}", display=False)
glue("lab-prompts", f"{held_early['prompts-32-g']:.2f}", display=False)
glue("sim-runs", f"{own[kinds == 'simulated']['run'].nunique()}", display=False)
missed_early = lab_early[~lab_early["inside"]]
assert lab_early["inside"].mean() >= 0.85 and min(held_early["pool"], held_early["stale"]) >= 0.85
assert (missed_early["state"] == "no forecast").all() and (missed_early["seen_over_Cmid"] < 2).all()

# %% [markdown]
# {glue:text}`lab-runs` laboratory runs of {glue:text}`lab-arms` arms at three cuts, and {glue:text}`sim-runs` simulated runs, a quarter of
# them flat. At a quarter seen the laboratory's intervals hold the end in {glue:text}`lab-held` ({glue:text}`lab-pool` of runs with a small pool of
# prompts, {glue:text}`lab-stale` of stale ones, and {glue:text}`lab-prompts` of the arms of 32 prompts a step). Forecast minus
# end, over all of these cuts, has the median {glue:text}`lab-bias` (minus: too low). Every miss is a pilot that had come to less than twice its $C_\text{mid}$, and every one was refused a number.

# %% [markdown] tags=["slide"]
# ## The decision costs money, and so does asking too early
#
# Let a whole run cost as much as 4, 8 or 16 percentage points are worth to you. A rule is asked at each checkpoint and stops when it
# says stop. Its regret is what hindsight would have done better, in points. On all public series, rising and flat:

# %% tags=["fragment"]
tabulate_regret(table).round(2)

# %% tags=["remove-cell"]
costs, of_rising = tabulate_regret(table), tabulate_regret(rising)
# of all the runs that somebody may have, no rival costs less at any of these prices
assert (costs["forecast"] < costs[list(RIVALS)].min(axis=1)).all()
# the refused wait at each checkpoint: that is what the rule paid before it decided by expectation
dear = costs.index.get_level_values("stake") >= 8
assert (costs["shown only"] > costs["forecast"])[dear].all()
against = contrast_rules(rising)
glue("waiting", f"{costs.loc[(0.25, 16.0), 'shown only']:.1f}", display=False)
glue("deciding", f"{costs.loc[(0.25, 16.0), 'forecast']:.1f}", display=False)
glue("rising-quarter", f"{of_rising.loc[(0.25, 8.0), 'forecast']:.1f}", display=False)
glue("rising-quarter-ls", f"{of_rising.loc[(0.25, 8.0), 'least squares']:.1f}", display=False)
glue("half-lo", f"{against.loc[0.5, 'lo'].min():+.1f}", display=False)
glue("half-hi", f"{against.loc[0.5, 'hi'].max():+.1f}", display=False)
assert of_rising.loc[(0.25, 8.0), "least squares"] > 2 * of_rising.loc[(0.25, 8.0), "forecast"]
assert (of_rising.loc[0.25, "forecast"] < of_rising.loc[0.25, "least squares"]).all()

# %% [markdown]
# *Forecast* is the verdict with a price and a value: go on while the *expected* gain pays for itself, also where no number may be
# shown. A refusal says that an interval is too wide to quote, not that nothing is believed. *Shown only* waits for the next checkpoint
# whenever a number is refused. A flat run is refused again and again, so with a dear run that costs {glue:text}`waiting` points in place of
# {glue:text}`deciding`.
#
# On rising runs alone, at a quarter seen and a stake of 8, least squares costs {glue:text}`rising-quarter-ls` points and the forecast
# {glue:text}`rising-quarter`: the best fit stops runs that were about to rise. At half seen the curve has bent for everybody, and the two are
# even: what the forecast saves there lies between {glue:text}`half-lo` and {glue:text}`half-hi` points, by redrawing repositories.
#
# A run that *falls* gets no price at all: keep the best checkpoint, and find out why.

# %% [markdown] tags=["slide"]
# ## A worked example that you can change
#
# Change `price` and `value` in the first code cell and run again.

# %%
truth = rs.Sigmoid(R0=0.20, A=0.62, B=1.6, Cmid=60)
whole = simulate_curve(truth, np.arange(0, 401, 8), unit="gpu_hours", seed=seed)
pilot = rs.read_run(log, run or None).curve() if log else whole.cut(160)
forecast = rs.forecast_run(pilot, budget=budget or (None if log else 400.0), price=price, value=value)
print(f"{forecast.state}: end {forecast.end.lo:.2f} to {forecast.end.hi:.2f}")
print(f"{forecast.verdict}. {forecast.decision.why}")

# %% mystnb={"image": {"alt": "Measured pass rates as dots against compute with the forecast as a dashed line and a band up to the budget; a black bar marks the interval of the end."}, "figure": {"caption": "The pilot of the worked example (illustrative) and its forecast.", "name": "fig-worked"}} tags=["hide-input", "fragment"]
fig, ax = plt.subplots()
plot.plot_forecast(ax, forecast)
plt.show()

# %% [markdown] tags=["slide"]
# ## When a new pilot is due
#
# A forecast is about one run under one recipe. Start a new pilot, and do not carry over the old curve, when
#
# - the data, the reward, the token limit, the batch or the learning rate change (a schedule that ends with the budget is part of
#   the recipe: a longer budget is another recipe);
# - two new points in a row lie outside the band of measured points;
# - the run was restarted from an earlier checkpoint after a collapse.

# %% [markdown]
# ## Try it on your own runs
#
# Put a log into the first code cell for one forecast. For your own finished runs, list them in a CSV file with a column `path` and
# replay them; `--library` widens the intervals by what your runs ask for (20 runs or more, else they are labelled *uncalibrated*):
#
# ```bash
# rlscale backtest my_runs.csv --root logs --library logs
# ```
#
# The public runs of this chapter are listed in `data/public_runs.csv` by repository, path and commit. Clone them into one folder, and the same
# command measures this chapter again.

# %% [markdown]
# ## Exercises
#
# Each has a solution that runs when the book is built.

# %% [markdown] tags=["slide"]
# ```{exercise-start} Read a verdict off a width (3 minutes)
# :label: ex-06-width
# ```
# Of the rising cuts at a quarter seen, how many have an interval of 0.10 or less? How many of those are within 0.03?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-06-width
# :class: dropdown
# ```
# A minority has it so early; most of that minority is right.

# %%
early = rising[rising["share"] == 0.25]
narrow = early[early["width"] <= 0.10]
right_ones = (narrow["error"].abs() <= 0.03).mean()
print(f"{len(narrow)} of {len(early)} cuts; {100 * right_ones:.0f} % of them within 0.03")
assert len(narrow) < len(early) / 2 and right_ones > 0.7

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown] tags=["slide"]
# ```{exercise-start} The price at which you stop (7 minutes)
# :label: ex-06-price
# ```
# For the worked example, compute the price of the whole run, in percentage points, above which going on is not worth it. Check it with
# `forecast_run`: just below that price the verdict is *continue*, just above it is *stop*.
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-06-price
# :class: dropdown
# ```
# One number settles the verdict for every price.

# %%
from rlscale.regret import find_break_even

seen, end = 160.0, 400.0
own = rs.forecast_run(whole.cut(seen), budget=end)
points = find_break_even(own.expected, seen, end)
usd = points * value / end  # price of one GPU-hour at which the run costs that much
both = [
    rs.forecast_run(whole.cut(seen), budget=end, price=f * usd, value=value).verdict for f in (0.99, 1.01)
]
print(f"{points:.1f} percentage points a run, USD {usd:.2f} a GPU-hour: {both}")
assert both == ["continue", "stop"]

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} Leave one repository out (12 minutes)
# :label: ex-06-leave
# ```
# Measure the widening factor on all rising runs but those of one repository, and look at the coverage on that one. Repeat for each. Is any
# repository far worse than the others promise?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-06-leave
# :class: dropdown
# ```
# No widening is asked for by the others. Coverage differs by repository; with a handful of runs each, that is mostly chance, but a
# coverage is a promise about a family of runs and not about yours.

# %%
left_out = {}
for name, mine in rising.groupby("family"):
    others = measure_calibration(rising[rising["family"] != name], "others")
    left_out[name.split("/")[1]] = (mine["run"].nunique(), others.q_measured, mine["inside"].mean())
left_out = pd.DataFrame(left_out, index=["runs", "q of the others", "coverage"]).T.round(2)
print(left_out.to_string())
assert (left_out["q of the others"] < 1.1).all() and left_out["coverage"].median() > 0.85

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} A pilot that sees the base model (18 minutes)
# :label: ex-06-start
# ```
# Simulate 60 pilots of the law of the worked example that end at twice $C_\text{mid}$, once with an evaluation at compute 0 and once without
# any point in the first tenth of the pilot. Fit by least squares. How much does the early point help the ceiling?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-06-start
# :class: dropdown
# ```
# The start is a parameter too. Not knowing it costs precision at the other end of the curve.

# %%
full = np.linspace(0, 2 * truth.Cmid, 21)
spread = {}
for name, compute in (("with the start", full), ("without", full[full >= 0.1 * full[-1]])):
    found = [
        rs.fit_law(c.compute, c.pass_rate).law.A
        for s in range(60)
        for c in [simulate_curve(truth, compute, unit="gpu_hours", seed=s, drift_length=12.0)]
    ]
    spread[name] = np.quantile(found, 0.95) - np.quantile(found, 0.05)
    print(f"{name}: ceilings spread over {spread[name]:.2f}")
assert spread["with the start"] < spread["without"]

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ## Limits
#
# - **Published runs are survivors.** Collapses and failures are rarer here than in practice.
# - **Cuts of one run are not independent.** The precision is that of nine repositories with rising runs, not of the cuts.
# - **"Rising" is judged on the whole run,** which you do not have. Flat pilots are refused whichever kind they are.
# - **Priors and thresholds were set with a part of these runs in view** (and of others that are kept back). What was chosen is in
#   the docstrings of `rlscale/priors.py` and `rlscale/gate.py`.
# - **A schedule tied to the budget is not modelled.** Steps are steps.

# %% [markdown] tags=["slide"]
# ## Take-aways
#
# - Do not ask for a share. Ask for an interval, and read its width.
# - $C_\text{mid}$ reached is not enough, and four times still leaves one end in four off by more than 0.03. Ten times is comfortable.
# - Early on, every method is wrong. A good one says so.
# - When you must decide under refusal, decide by expected worth, and buy the next checkpoint when it is cheap.
#
# Next: [](07-misleading-curves) plants the runs that mislead, [](10-plan) turns the interval into dollars, [](11-your-run) does it on
# your log. What other runs needed is in [](05-reference-runs).

# %% [markdown]
# ## References
#
# - {cite:t}`khatri2025scalerl`: the law and the extrapolations that were published.
#
# The list of all is on the page of [](references).
