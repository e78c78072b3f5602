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
# # When does the curve lie?
#
# **The question.** The points are right, the fit converges, and the number is wrong. How do you notice before you pay?
#
# **The answer.** Eight ways to be misled are planted here, each as a log whose truth is known. For each you see what a curve
# fit makes of it, what the reader and the forecast of this book make of it, and which check gives the trap away. In most of
# them the right answer is *cannot tell*: a refusal costs one more checkpoint, a wrong number costs a run.
#
# **Its limit.** A refusal is no diagnosis. A flat pilot and a pilot before its take-off look the same, and no method that
# sees only the pass rate can tell them apart. A collapse is noticed after it has begun, never before. The planted runs are
# illustrative; how often each trap occurs in practice is not known.

# %% [markdown]
# ## What you will be able to do
#
# - **Name** the trap that a curve may hide, from eight that were planted.
# - **Choose** the series that may be fitted, and say why the best-looking one may not.
# - **Compute** the noise of a small test set, and how lucky its best checkpoint is.
# - **Decide** what to do when the forecast refuses.
#
# You need: [](01-sigmoid-law). No GPU.
# Time: 8 minutes to read, 40 minutes for the exercises.

# %% tags=["parameters"]
log: str = ""  # path of your own training log; empty: the planted runs only
run: str = ""  # which run, when the log holds several
budget: float = 0.0  # planned compute of your run; 0: as the log plans it
seed: int = 2  # of the noise of the planted runs

# %% tags=["hide-input"]
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue

import rlscale as rs
from rlscale import plot
from rlscale.misleading import plant_runs
from rlscale.public import load_backtest
from rlscale.signal import filtered_pass_rate
from rlscale.simulate import simulate_curve

plt.style.use("rlscale.book")
planted = plant_runs(seed)
logs = {name: p.read() for name, p in planted.items()}  # written as a logger writes, and read back
curves = {name: read.curve() for name, read in logs.items()}
forecasts = {name: rs.forecast_run(curves[name], budget=planted[name].budget) for name in planted}
fits = {name: rs.fit_law(c.compute, c.pass_rate).law(planted[name].budget) for name, c in curves.items()}
ends = {name: p.end for name, p in planted.items()}
print(f"{len(planted)} planted runs: {', '.join(planted)}")

# %% [markdown] tags=["slide"]
# ## Eight runs, and the number that a curve fit makes of each

# %% tags=["hide-input"]
verdicts = pd.DataFrame(
    {
        "best fit says": {n: f"{v:.2f}" for n, v in fits.items()},
        "true end": {n: f"{v:.2f}" for n, v in ends.items()},
        "state": {n: f.state for n, f in forecasts.items()},
        "reasons": {n: ", ".join(r.code for r in f.reasons) for n, f in forecasts.items()},
        "verdict": {n: f.verdict for n, f in forecasts.items()},
        "reader warns": {n: ", ".join(w.code for w in r.warnings) for n, r in logs.items()},
    }
)
verdicts

# %% tags=["remove-cell"]
# the verdicts that each planted run has to get: a change of the engine that loses one stops the build here
for name, p in planted.items():
    f, codes = forecasts[name], [r.code for r in forecasts[name].reasons]
    assert not p.warning or p.warning in [w.code for w in logs[name].warnings], name
    if p.code:
        assert f.state == "no forecast" and p.code in codes and f.verdict == "cannot tell", (name, codes)
    else:
        assert f.end.lo <= ends[name] <= f.end.hi, name
    assert curves[name].y_key != p.trap
refused = [n for n, p in planted.items() if p.code]
glue("n-refused", f"{len(refused)} of {len(planted)}", display=False)
worst = max(refused, key=lambda n: abs(fits[n] - ends[n]))
glue("worst-fit", f"{fits[worst]:.2f}", display=False)
glue("worst-end", f"{ends[worst]:.2f}", display=False)
glue("worst-name", worst, display=False)

# %% [markdown]
# {glue:text}`n-refused` are refused, and the least-squares fit gives a number for every one of them. The worst, *{glue:text}`worst-name`*, is
# sent to {glue:text}`worst-fit` where the run ends at {glue:text}`worst-end`. The next figure shows what was known (dots), what came (faint)
# and what the forecast believes (band; grey and hatched where it refuses).

# %% mystnb={"image": {"alt": "Eight panels of pass rate against rollout steps. Dots show the pilot, faint dots the rest of the run, a band the forecast. Most bands are grey and hatched, which means refused: before Cmid, flat, late take-off, collapse, shaped reward, length hacking and 30 problems."}, "figure": {"caption": "Eight planted runs (illustrative). Dots: what the forecast saw. Faint: the whole run. Hatched grey band: refused.", "name": "fig-misleading"}} tags=["hide-input", "fragment"]
fig, axes = plt.subplots(4, 2, figsize=(7.2, 10.5), dpi=110, sharey=True, layout="constrained")
for ax, (name, p) in zip(axes.flat, planted.items(), strict=True):
    plot.plot_forecast(ax, forecasts[name])
    _ = ax.plot(
        p.later.compute,
        p.later.pass_rate,
        ".",
        color=plot.COLOURS["orange"],
        markersize=3,
        alpha=0.5,
        zorder=1,
    )
    ax.set_title(name, fontsize=10, pad=16)
    ax.set_ylim(0, 1)
    if ax.get_legend() is not None:
        ax.get_legend().remove()
plt.show()

# %% [markdown] tags=["slide"]
# ## Before Cmid, every ceiling fits
#
# The pilot ends at two thirds of $C_\text{mid}$. The curve has not bent, so a low ceiling that comes soon and a high one that
# comes late leave the same points. Least squares picks one and hides the others. The interval of the end is
# {glue:text}`before-width` wide; nothing above 0.20 is shown as a number. **What to do:** go on to the next checkpoint. What the
# pilot must have seen is the question of [](06-pilot).

# %% tags=["remove-cell"]
f = forecasts["before Cmid"]
glue("before-width", f"{f.end.hi - f.end.lo:.2f}", display=False)
assert 500 < f.curve.compute[-1] <= 600 and planted["before Cmid"].later.compute[-1] == 3600

# %% [markdown]
# ## A flat pilot says nothing about what comes next
#
# Two of the planted runs share their first 100 steps to within noise. One stays where it is, the other takes off at 250. The
# forecast must say the same of both, and does: *no rise yet*.

# %%
flat, late = curves["flat"], curves["late take-off"]
apart = np.abs(flat.pass_rate - late.pass_rate).max()
print(
    f"largest difference of the two pilots: {apart:.3f}; of their ends: {ends['late take-off'] - ends['flat']:.2f}"
)
for name in ("flat", "late take-off"):
    print(f"{name}: {forecasts[name].verdict} ({forecasts[name].reasons[0].code})")

# %% tags=["remove-cell"]
assert apart < 0.01 and ends["late take-off"] - ends["flat"] > 0.3
public = load_backtest()
quarter = public[
    (public["share"] == 0.25) & public["reasons"].str.contains("no rise yet") & (public["points"] >= 6)
]
rose = quarter["end"] - quarter["level_now"] > 0.10
glue("flat-cuts", f"{len(quarter)}", display=False)
glue("flat-rose", f"{100 * rose.mean():.0f} %", display=False)

# %% [markdown]
# How often does a flat pilot rise after all? Of {glue:text}`flat-cuts` public runs that were flat at a quarter of their length,
# {glue:text}`flat-rose` ended more than 0.10 above their level there (measured, `data/public_backtest.csv`). Published runs are
# those that people kept, so the share in practice may be lower. **What to do:** look at the groups, not at the mean. If
# nearly all groups have zero variance, more steps teach nothing: make the task easier first. If some have variance,
# go on to the next checkpoint.

# %% [markdown] tags=["slide"]
# ## After a collapse there is no forecast to be had
#
# The curve rises to 0.57 and breaks. Fitted through the fall, a sigmoid gives a ceiling far below what was reached; fitted
# up to the fall, it gives a future that this run no longer has. The reader finds the fall and leaves the points after it out of the curve,
# and the forecast refuses:

# %% tags=["fragment"]
broken = forecasts["collapse"]
print(broken.state, "|", broken.verdict)
print(broken.decision.why)

# %% [markdown]
# **What to do:** go back to the best checkpoint and find the cause (learning rate, mismatch between sampler and trainer, entropy gone). The
# restarted run is a new run with a pilot of its own. And no pilot foretells a collapse: of the public runs that lost
# much later, none was forecast to.

# %% [markdown] tags=["slide"]
# ## A filtered reward is the pass rate of the problems that were left
#
# Dynamic sampling drops the groups whose answers are all right or all wrong. What the log then shows is the mean over groups
# of middling difficulty: pulled towards one half, whatever the model can do.

# %% tags=["fragment"]
true_rate = np.array([0.02, 0.12, 0.30, 0.50, 0.90])
pd.DataFrame(
    {"pass rate": true_rate, "logged behind the filter, groups of 8": filtered_pass_rate(true_rate, 8)}
).round(2)

# %%
both = logs["filtered reward"]
print("chosen:", both.curve().y_key)
forced = both.curve(y="train/filtered_reward")
print("forced:", *[w.code for w in forced.warnings])

# %% [markdown]
# The reader takes the validation series and marks the other. Where a log holds *only* the filtered series, it refuses and asks.
# **What to do:** log the mean over all groups too; it costs nothing.

# %% [markdown]
# ## A shaped reward saturates at its shape
#
# In the next log the reward is half accuracy, half format. The format is learned in forty steps. The reward draws a perfect
# sigmoid, and the accuracy never moves.

# %%
shaped = logs["shaped reward"]
bait = rs.forecast_run(shaped.curve(y="reward"), budget=400.0)
print(f"fitted to the reward: {bait.state}, end {bait.end.lo:.2f} to {bait.end.hi:.2f}")
print(
    f"fitted to the accuracy: {forecasts['shaped reward'].state} ({forecasts['shaped reward'].reasons[0].code})"
)
print(next(w.message for w in shaped.warnings if w.code == "format-reward"))

# %% tags=["remove-cell"]
assert bait.state != "no forecast" and bait.end.lo > 0.5  # a narrow interval, of the wrong thing

# %% [markdown]
# This is the only trap of the eight in which the forecast itself is narrow, calm and about the wrong quantity. No interval
# protects you from it. Only the choice of the series does.

# %% [markdown]
# ## Longer answers can buy reward without solving more
#
# A reward that grows with length, or a limit that cuts long answers off, bends the curve for reasons that have nothing to do
# with ability. The planted run is paid for tokens; its pass rate stays. The log gives it away by two other columns: the mean
# length, and the share of answers that hit the limit.

# %%
long = logs["length hacking"]
for key in ("reward", "val/accuracy", "response_length/mean", "response_length/clip_ratio"):
    first, last = long.column(key)[0], long.column(key)[-1]
    print(f"{key:28s} {first:8.2f} -> {last:8.2f}")
print(*[w.code for w in long.warnings])

# %% [markdown]
# **What to do:** fit the held-out pass rate, at a token limit that does not bind. If the limit binds, the ceiling you forecast is
# that of the limit.

# %% [markdown] tags=["slide"]
# ## With 30 problems, five points are noise
#
# A test of 30 problems with one answer each moves by whole thirtieths. At a pass rate of 0.40 the standard error of one
# evaluation is {glue:text}`se-one`, so "five points better" is about half of one. Thirty-two answers a problem bring the part that comes
# from sampling answers to {glue:text}`se-many` at most. It does not shrink the part that comes from having chosen these 30 problems and
# no others.

# %% tags=["fragment"]
problems, rate = 30, 0.40
one = np.sqrt(rate * (1 - rate) / problems)
many = np.sqrt(rate * (1 - rate) / (problems * 32))
print(f"one answer a problem: ±{one:.3f}; 32 answers, the problems taken as fixed: ±{many:.3f} at most")

# %% tags=["remove-cell"]
glue("se-one", f"{one:.3f}", display=False)
glue("se-many", f"{many:.3f}", display=False)
assert (round(one, 3), round(many, 3)) == (0.089, 0.016)

# %% [markdown]
# The best of many checkpoints is worse: it picks the luck. Twenty evaluations of a model that never changes have a best one well
# above the truth.

# %%
rng = np.random.default_rng(seed)
best = (rng.binomial(problems, rate, size=(10_000, 20)) / problems).max(axis=1)
print(f"true pass rate {rate:.2f}; best of 20 checkpoints, on average {best.mean():.2f}")

# %% tags=["remove-cell"]
assert best.mean() > rate + 0.15

# %% [markdown]
# **What to do:** report the mean over the last checkpoints, never the best. Log `n` and `k`, so that the forecast knows the noise;
# without them it estimates the noise from how neighbouring points differ. For a forecast, use a few hundred problems or more.

# %% [markdown] tags=["slide"]
# ## Refused, stalled or falling: the table says what to do
#
# | you see | the log also shows | do |
# |---|---|---|
# | no rise yet | most groups without variance | easier problems, larger groups or a warm start; then a new pilot |
# | no rise yet | variance in the groups | go on to the next checkpoint, ask again |
# | interval too wide | rising | go on to the next checkpoint, ask again |
# | narrow, and below what you need | groups without variance | stop; problems that it does not know yet ([](04-difficulty)), then a new pilot |
# | narrow, and below what you need | variance in the groups | stop; longer answers, a larger batch ([](02-algorithms)) or another model ([](03-base-model)), then a new pilot |
# | falling, collapsed | entropy gone, ratios far from 1 | back to the best checkpoint, repair, new pilot |
# | reward rises, held-out does not | format, length, truncation | stop; mend the reward |
# | test jumps | few problems | more problems, more answers; then ask again |

# %% [markdown]
# ## Try it on your own log
#
# Put the path of your log into the first code cell. The table lists what the reader warns of and why the forecast refuses, if
# it does.

# %%
if log:
    mine = rs.read_run(log, run or None)
    told = rs.forecast_run(mine.curve(), budget=budget or None)
    rows = [("warning", w.code, w.message) for w in mine.warnings] + [
        ("reason", r.code, r.message) for r in told.reasons
    ]
else:
    rows = [("reason", r.code, r.message) for r in forecasts["collapse"].reasons]
for kind, code, message in rows:
    print(f"{kind}: {code}. {message}")

# %% [markdown]
# ## Exercises
#
# Each has a solution that runs when the book is built.

# %% [markdown] tags=["slide"]
# ```{exercise-start} Is five points better real? (3 minutes)
# :label: ex-07-five
# ```
# Two checkpoints score 12 and 14 of the same 30 problems, one answer each. Take the two evaluations as independent. How many
# standard errors lie between them?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-07-five
# :class: dropdown
# ```
# About half of one. (Paired on the same problems it can be more, if they differ on few; then count the problems that changed.)

# %%
low, high = 12 / 30, 14 / 30
error = np.sqrt(low * (1 - low) / 30 + high * (1 - high) / 30)
print(f"difference {high - low:.3f}, standard error {error:.3f}, ratio {(high - low) / error:.2f}")
assert 0.4 < (high - low) / error < 0.6

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown] tags=["slide"]
# ```{exercise-start} The pass rate behind a filter (7 minutes)
# :label: ex-07-filter
# ```
# A log with dynamic sampling and groups of 16 shows 0.30. Which pass rate is behind it, if all problems are equally hard? Which
# one with groups of 4?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-07-filter
# :class: dropdown
# ```
# With groups of 4 the same log can come from a far weaker model: small groups are dropped more often.

# %%
grid = np.linspace(0.001, 0.5, 5000)
behind = {g: float(np.interp(0.30, filtered_pass_rate(grid, g), grid)) for g in (16, 4)}
print({g: round(p, 3) for g, p in behind.items()})
assert 0.29 < behind[16] < 0.30 and behind[4] < 0.13

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} How late can a take-off be seen? (12 minutes)
# :label: ex-07-late
# ```
# Let the late take-off run on. At which share of its 400 steps does the forecast first give a number? Does its interval hold
# the end?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-07-late
# :class: dropdown
# ```
# Only after the bend, well past $C_\text{mid}$ = 250. Until then it says that it cannot tell.

# %%
whole = planted["late take-off"].later
states = {}
for share in (0.25, 0.5, 0.65, 0.8):
    seen = rs.forecast_run(whole.cut(share * 400), budget=400.0)
    states[share] = (seen.state, seen.end.lo <= ends["late take-off"] <= seen.end.hi)
    print(f"{100 * share:.0f} % seen: {seen.state}")
assert states[0.25][0] == states[0.5][0] == "no forecast" and states[0.8][0] != "no forecast"
assert all(inside for state, inside in states.values() if state != "no forecast")

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} Plant a trap of your own (18 minutes)
# :label: ex-07-plant
# ```
# Plant a run that learns twice: to 0.35 within 40 steps, flat until 200, then to 0.60. Forecast it at 150 of 400 steps. Is the
# verdict one you would want? What would have warned you?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-07-plant
# :class: dropdown
# ```
# This one is not caught. The pilot is a textbook saturation, its interval is narrow, and the second rise lies outside of it. One
# bend is all that the shapes know. What can warn you is outside the curve: a planned change of data or answer length, or problems
# that are solved now and then at pass@k but not yet on average.

# %%
steps = np.arange(0.0, 401, 5)
first = simulate_curve(
    rs.Sigmoid(0.1, 0.35, 3.0, 15), steps, unit="rollout_steps", seed=seed, drift_length=15.0
)
second = 0.25 * rs.Sigmoid.fraction(np.maximum(steps - 200, 0), 3.0, 60.0)
twice = rs.Curve(steps, first.pass_rate + second, unit="rollout_steps")
seen = rs.forecast_run(twice.cut(150), budget=400.0)
end = twice.pass_rate[-8:].mean()
print(f"{seen.state}: {seen.end.lo:.2f} to {seen.end.hi:.2f}; the run ends at {end:.2f}")
assert seen.state != "no forecast" and end > seen.end.hi + 0.1

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ## Limits
#
# - **Planted, not counted.** The eight runs are illustrative. They show that a trap is possible, not that it is common.
# - **A second rise is not caught** ({numref}`ex-07-plant`). The law has one bend.
# - **A slow rise after a steep one** is no shape of ours. When the last points leave the fitted curve the reason is *misfit*: no ceiling
#   is named, and half of the belief keeps the distance.
# - **A narrow forecast of the wrong series** is still narrow. The reader knows the names that common trainers use; a column of
#   your own naming is yours to judge.
# - **A collapse is found, not foreseen.**

# %% [markdown] tags=["slide"]
# ## Take-aways
#
# - Fit the held-out pass rate over all problems. Everything else needs a reason.
# - A fit always returns a number. A forecast may refuse, and most of these runs deserve it.
# - *No rise yet* is not *will not rise*, and *saturated* is not *will stay*.
# - One evaluation of 30 problems carries about nine points of noise. The best of twenty carries luck.
#
# Next: [](06-pilot) asks how much of a run must be seen, [](04-difficulty) why a run stays flat, [](11-your-run) looks at your log.

# %% [markdown]
# ## References
#
# The runs are simulated. Dynamic sampling is described with DAPO {cite}`yu2025dapo`; the full list is on the page of [](references).
