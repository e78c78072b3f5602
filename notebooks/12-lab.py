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
# # Can you watch the law happen on your own processor?
#
# **The question.** Everything so far came from runs that cost a fortune. Can you make such a curve yourself, change one knob,
# and see what it does to the ceiling and to the speed?
#
# **The answer.** Yes, in about ten seconds of one core. A transformer of 27 thousand parameters that learns to sort five
# digits by real policy gradients climbs along the same S. Such runs are shipped with this book, several seeds a setting, so
# you can say what a knob does and how sure you are.
#
# **Its limit.** It is a toy. It shows which effects *can* follow from the algorithm alone, with causes under control. It does
# not show that they happen at scale, nor how large they are there. Where it contradicts the literature, the last sections say so.

# %% [markdown]
# ## What you will be able to do
#
# - **Train** a model with GRPO and watch the forecast of its end settle.
# - **Tell** a knob that buys speed from one that costs ceiling.
# - **Compare** two recipes in pairs, with an interval, and **accept** "undecided" as a result.
# - **Name** what a comparison holds fixed: completions, prompts, updates or time.
#
# You need: a Python environment; PyTorch only to train yourself (`pip install 'rlscale[lab]'`).
# Time: 13 minutes to read, 55 minutes for the exercises.

# %% tags=["parameters"]
live: bool = False  # train the first run here and now; needs PyTorch and about 15 seconds
changes: str = ""  # with live: settings to change, such as "learning_rate=1e-3 group_size=16"
seed: int = 0  # which seed of the baseline to look at closely
pilot: float = 0.25  # share of that run which the forecast may see

# %% tags=["hide-input"]
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import rlscale as rs
from rlscale import plot
from rlscale.claims import claim
from rlscale.lab import figures
from rlscale.lab.analysis import summarise_arms, summarise_curve, summarise_runs
from rlscale.lab.compare import arms_of_block, compare_arms, format_arms, format_comparison
from rlscale.lab.shipped import read_shipped_runs
from rlscale.signal import generation_overhead, zero_variance_probability

plt.style.use("rlscale.book")
runs = read_shipped_runs()
table = summarise_runs(runs)
arms = summarise_arms(table)
print(f"{len(table)} runs of {len(arms)} arms, measured by this project")

# %% [markdown] tags=["slide"]
# ## Ten seconds of one core draw a sigmoid
#
# The model reads `31542>` and has to write `12345`. A program checks the answer: reward 1 or 0, nothing else. A short
# supervised start brings the pass rate to one in ten, as a base model would have it. Then GRPO takes over: 32 prompts a
# rollout step, eight answers each, one update.
#
# Every prompt has exactly one right answer, so its pass rate is the product of the probabilities of that answer's tokens.
# The curve below is therefore *exact* on 1,024 held-out prompts, without any sampling noise. What scatters is the training.

# %% tags=["hide-input"]
if live:
    from rlscale.commands.lab import read_settings
    from rlscale.lab.live import watch_run

    *_, last_progress = watch_run(read_settings(None, changes.split(), seed))
    run = last_progress.run
else:
    run = runs.run("baseline", seed)
curve = run.curve()
seen_all = summarise_curve(curve.compute, curve.pass_rate)
fit = rs.fit_law(curve.compute, curve.pass_rate)
print(f"{run.facts['parameters']:,} parameters, {int(curve.compute[-1]):,} completions")
print(f"pass rate {seen_all.R0:.3f} at the start, {seen_all.end:.3f} over the last 15 %")
print(f"sigmoid: B = {fit.law.B:.2f}, Cmid = {fit.law.Cmid:,.0f} completions, residual {fit.rmse:.3f}")

# %% mystnb={"image": {"alt": "Pass rate against completions of one laboratory run. It climbs from 0.1 along an S to about 0.96; the fitted sigmoid runs through the points. The other seeds lie close by as thin lines."}, "figure": {"caption": "One run of the baseline (dots) with its fitted law; thin: the other seeds (measured).", "name": "fig-lab-run"}} tags=["hide-input", "fragment"]
fig, ax = plt.subplots()
for other in runs.seeds("baseline"):
    beside = runs.curve("baseline", other)
    _ = ax.plot(beside.compute, beside.pass_rate, color=plot.COLOURS["grey"], alpha=0.5, linewidth=0.7)
plot.plot_points(ax, curve.compute, curve.pass_rate)
plot.plot_law(ax, fit.law, 0, curve.compute[-1], midpoint=True)
ax.set_ylim(0, 1)
plot.label_compute_axis(ax, "completions")
plot.label_pass_rate_axis(ax, "pass rate (held out)")
plt.show()

# %% [markdown] tags=["slide"]
# ## The end can be forecast long before the ceiling is known
#
# Cut the run off, forecast its end, and look what came. `rlscale lab` does this while it trains.

# %% mystnb={"image": {"alt": "The first part of the run as dots, with the believed curve and its interval up to the planned end."}, "figure": {"caption": "What the forecast believes after the share of the run set in the first cell; vertical lines: seen and budget (measured, forecast).", "name": "fig-lab-pilot"}} tags=["hide-input", "fragment"]
budget = float(curve.compute[-1])
fig, ax = plt.subplots()
plot.plot_forecast(ax, rs.forecast_run(curve.cut(pilot * budget), budget=budget))
plt.show()

# %%
observed = curve.pass_rate[curve.compute >= 0.9 * budget].mean()
rows = []
for share in (0.15, 0.25, 0.5, 0.75):
    seen = curve.cut(share * budget)
    if len(seen) < 5:  # a short live run has too few evaluations by then
        continue
    forecast = rs.forecast_run(seen, budget=budget)
    part = rs.fit_law(seen.compute, seen.pass_rate)
    rows.append(
        {
            "seen": f"{100 * share:.0f} %",
            "state": forecast.state,
            "end": f"{forecast.end.median:.2f} [{forecast.end.lo:.2f}, {forecast.end.hi:.2f}]",
            "came": f"{observed:.2f}",
            "plain fit: A": f"{part.law.A:.2f}" + (" (its bound)" if "A=1" in part.at_bounds else ""),
        }
    )
pd.DataFrame(rows).set_index("seen")

# %% [markdown]
# A plain fit likes to put $A$ on its bound, 1. That is not knowledge: the points do not determine the ceiling, and the bound
# does the work. Where the state is *no forecast*, the interval is shown here for you to see how wide it is, and not to be quoted.

# %% [markdown] tags=["slide"]
# ## A longer stride arrives sooner and ends lower
#
# The first knob is the size of an optimizer step. Read each cluster as one arm, each dot as one seed: left is fast, up is good.

# %% mystnb={"image": {"alt": "End of the run against completions to a pass rate of one half for four step sizes. From 2.5e-4 to 2e-3 the clusters move left; the highest end is at 5e-4, and 2e-3 lies lowest."}, "figure": {"caption": "Speed and end for four step sizes; one dot a seed (measured).", "name": "fig-lab-step-size"}} tags=["hide-input", "fragment"]
step_sizes = {"2.5e-4": "lr-0.00025", "5e-4": "baseline", "1e-3": "lr-0.001", "2e-3": "lr-0.002"}
fig, ax = plt.subplots()
figures.plot_speed_and_end(ax, table, step_sizes)
plt.show()

# %%
chosen = arms.loc[[*step_sizes.values(), "lr-0.004"], ["n", "end", "c50", "drawdown", "identified"]]
assert arms.loc["lr-0.002", "end"] < arms.loc["lr-0.001", "end"] < arms.loc["baseline", "end"]
assert arms.loc["lr-0.001", "c50"] < arms.loc["baseline", "c50"] < arms.loc["lr-0.00025", "c50"]
fallen = table.loc[table["arm"] == "lr-0.004", "end"] < 0.02
print(f"lr-0.004: {fallen.sum()} of {len(fallen)} seeds end below .02")
assert fallen.mean() > 0.5
format_arms(chosen)

# %% [markdown]
# `c50` is the compute to a *fixed* pass rate of one half. $C_\text{mid}$ alone would mislead you: a run that collapses early has
# a tiny one. The largest step here does collapse, to nothing, with nearly every seed. `drawdown` is the largest fall on the way:
# instability shows there before it shows in the end. `identified` counts the seeds whose fitted ceiling means anything.
#
# The smallest step is not the best end *within this budget*: it is still climbing. Speed and ceiling are told apart only by
# runs that were long enough.

# %% [markdown] tags=["slide"]
# ## The pool of prompts is the cleanest ceiling
#
# Train on 32 prompts, 128, 512 or ever new ones. Nothing else changes.

# %% mystnb={"image": {"alt": "Pass rate against completions for four pools of training prompts. All rise alike at first; with 32 prompts the curve flattens near 0.35 and sinks, with 128 near 0.75, with 512 near 0.94, with fresh prompts near 0.97."}, "figure": {"caption": "Held-out pass rate for four pools of training prompts; thin: seeds, thick: their mean (measured).", "name": "fig-lab-pool"}} tags=["hide-input", "fragment"]
fig, ax = plt.subplots()
pools = {"fresh": "baseline", "512": "pool-512", "128": "pool-128", "32 prompts": "pool-32"}
figures.plot_arms(ax, runs, pools)
plt.show()

# %%
assert list(arms.loc[list(pools.values()), "end"]) == sorted(
    arms.loc[list(pools.values()), "end"], reverse=True
)
format_comparison(compare_arms(table, arms_of_block("prompt pool")))

# %% [markdown]
# The curves part late. Up to a tenth of the run little tells 128 prompts from fresh ones ({numref}`ex-12-part`), and a forecast made there
# is too optimistic: later the training groups are solved, no gradient is left, and the held-out pass rate stands still or sinks.
# This is what a ceiling looks like from below, and why a pilot must reach beyond $C_\text{mid}$.

# %% [markdown] tags=["slide"]
# ## Old samples are harmless only while the policy moves slowly
#
# In asynchronous training the sampler's weights are some steps old. The starting page says this changes the speed and not the
# ceiling, which **differs in part**. Here is the end of the run for samplers 0, 4 and 16 rollout steps old, at three step sizes.

# %% mystnb={"image": {"alt": "End of the run against the age of the sampler, one line a step size. With a step of 1e-3 the end falls steeply with age; with 5e-4 less; with 2.5e-4 a sampler 4 steps old changes nothing."}, "figure": {"caption": "End of the run against the sampler's age; one dot a seed, lines through the means (measured).", "name": "fig-lab-stale"}} tags=["hide-input", "fragment"]
ages = {
    label: {0: arm, **{age: f"stale-{age}-lr-{float(label):g}" for age in (4, 16)}}
    for label, arm in list(step_sizes.items())[:3]
}
fig, ax = plt.subplots()
figures.plot_ends(
    ax, table, {f"step {k}": v for k, v in ages.items()}, xlabel="age of the sampler (rollout steps)"
)
plt.show()

# %%
stale_arms = arms_of_block("staleness x step size", finished=runs.arms)
format_comparison(compare_arms(table, stale_arms))

# %%
format_arms(arms.loc[[*stale_arms, *list(step_sizes.values())[:3]], ["n", "c50", "drawdown"]])

# %% [markdown]
# Four steps of age change nothing that matters at the smallest step size, and cost a tenth of pass rate at the largest. Sixteen cost
# at every step size, but not the same thing: at the smallest the run is later and still climbing, at the largest it falls again and
# again (`drawdown`). So the claim holds where the policy moves little while samples wait, and fails where it moves much.
#
# Mind the scale, too: half of the gain takes about a hundred steps here, so sixteen are a large part of the climb. In the runs of
# ScaleRL eight steps are a thousandth of the whole. Quote staleness as a share of $C_\text{mid}$, in steps.

# %% [markdown]
# ## "Groups of two are noisy" depends on what you hold fixed
#
# With 256 completions a step, a larger group means fewer prompts. With 32 prompts, a larger group means more completions. These
# are two questions.

# %% mystnb={"image": {"alt": "Two panels of pass rate against completions. Left, at equal completions a step: groups of 2 to 8 lie together, 32 lies lowest. Right, at 32 prompts a step: small groups rise first."}, "figure": {"caption": "Left: 256 completions a step. Right: 32 prompts a step (measured).", "name": "fig-lab-group"}} tags=["hide-input"]
equal_completions = {f"G = {g}": f"group-{g}" if g != 8 else "baseline" for g in (2, 8, 32)}
equal_prompts = {f"G = {g}": f"prompts-32-group-{g}" if g != 8 else "baseline" for g in (2, 8, 32)}
fig, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.6), sharey=True)
figures.plot_arms(left, runs, equal_completions)
left.set_title("256 completions a step")
figures.plot_arms(right, runs, equal_prompts)
right.set_title("32 prompts a step")
right.set_ylabel("")
plt.show()

# %%
groups = [f"group-{g}" for g in (2, 4, 16, 32)]
format_comparison(compare_arms(table, groups))

# %%
others = arms_of_block("group size, equal prompts", finished=runs.arms)
columns = ["n", "end", "c50", "drawdown"]
format_arms(arms.loc[[*groups, "baseline", *others], columns])

# %% [markdown]
# At equal completions, 32 answers to each of 8 prompts end lower than 8 answers to each of 32; groups of 2 and 4 end a shade higher
# than groups of 8, a difference that five seeds resolve and nobody would pay for. At equal prompts, small groups climb first, in
# many small steps, and their falls are deeper. Before you argue about group size, say what is equal.

# %% [markdown] tags=["slide"]
# ## DAPO wins or loses by the axis you choose
#
# DAPO throws away groups without spread and samples again until the batch is full. The same runs on three axes:

# %% mystnb={"image": {"alt": "Three panels of GRPO and DAPO: against updates DAPO is slightly ahead, against completions GRPO is far ahead, against processor time they lie between."}, "figure": {"caption": "The same GRPO and DAPO runs against updates, completions and processor time (measured).", "name": "fig-lab-axes"}} tags=["hide-input", "fragment"]
fig, axes = plt.subplots(1, 3, figsize=(8.0, 3.3), sharey=True)
for ax, x, right_end in zip(axes, ("updates", "completions", "cpu_seconds"), (450, 80_000, 5.0), strict=True):
    figures.plot_arms(ax, runs, {"GRPO": "off-grpo", "DAPO": "off-dapo"}, x=x, end=right_end)
    ax.set_ylabel("pass rate (held out)" if x == "updates" else "")
plt.show()

# %%
by_axis = {}
for x in ("updates", "completions"):
    compared = compare_arms(summarise_runs(runs, ["off-grpo", "off-dapo"], x=x), ["off-dapo"], measure="c50")
    by_axis[x] = compared.iloc[0]
    print(
        f"{x} to a pass rate of .5, DAPO over GRPO: {by_axis[x].factor:.2f} "
        f"[{by_axis[x].lo:.2f}, {by_axis[x].hi:.2f}], n = {by_axis[x].n:.0f}"
    )
assert by_axis["updates"].hi < 1 < by_axis["completions"].lo

# %% [markdown]
# None of the three is wrong. Completions are what you pay for when sampling is the larger part of the bill, which it is for long
# answers; updates are what you pay for when training is. The seconds are those of a busy two-core machine, which is why the seeds
# scatter there: look at them, do not fit them.

# %% [markdown] tags=["slide"]
# ## You learn most at the edge of competence, and the formula knows where it ends
#
# A group of $G$ answers teaches nothing when all of them are right or all are wrong. For a prompt of pass rate $p$ this happens
# with probability $p^G + (1-p)^G$, and what one answer can teach is proportional to $p(1-p)$.

# %% mystnb={"image": {"alt": "Left: gain per token against pass rate, a hump with its top near 0.4, close to a scaled p(1-p). Right: share of groups without spread against pass rate, a bowl; the dots lie above the formula for equal prompts and on the crosses of the formula averaged over prompts."}, "figure": {"caption": "Left: gain per 100,000 tokens where it is won. Right: groups without spread, measured (dots), by formula with equal prompts (lines), and averaged over prompts (crosses).", "name": "fig-lab-edge"}} tags=["hide-input", "fragment"]
fig, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.6))
figures.plot_gain(left, runs, {"from .02": "start-0.02", "from .1": "baseline", "from .3": "start-0.3"})
figures.plot_zero_variance(right, runs, {"G = 8": "baseline", "G = 2": "group-2"})
plt.show()

# %%
log = pd.concat([runs.table("baseline", s) for s in runs.seeds("baseline")]).dropna(subset=["zero_variance"])
middle = log[log["heldout_pass_rate"].between(0.45, 0.55)]
alike = zero_variance_probability(middle["heldout_pass_rate"].to_numpy(), 8).mean()
print(f"at a mean pass rate of one half, measured:   {middle['zero_variance'].mean():.3f}")
print(f"formula, averaged over prompts:              {middle['zero_variance_expected'].mean():.3f}")
print(f"formula, as if all prompts were alike:       {alike:.3f}")
assert alike < middle["zero_variance"].mean() / 3

# %% [markdown]
# The formula is right prompt by prompt, and badly wrong for the mean: prompts differ, and the easy and the hard ones are the dead
# ones. If you plan a group size from an average pass rate, you will be too optimistic.
#
# Where you start moves the speed, hardly the end:

# %%
starts = {0.02: "start-0.02", 0.05: "start-0.05", 0.1: "baseline", 0.3: "start-0.3", 0.6: "start-0.6"}
edge = arms.loc[list(starts.values()), ["n", "end", "c50"]].assign(start=list(starts)).set_index("start")
format_arms(edge)  # the last starts above one half

# %% [markdown]
# ## Two claims of the starting page point the other way here
#
# **CISPO.** The starting page prefers it to GRPO. With samples from the same weights the two are the same thing here, since every
# ratio is 1. With four updates on a batch (`off-`), and with a sampler eight steps old at a step of 1e-3 (`stale-8-`):

# %% tags=["hide-input"]
names = [n for n in ("off-cispo", "stale-8-cispo", "stale-8-gspo") if n in runs.arms]
contrary = compare_arms(table, names)
print(claim("C43"))
stale = pd.concat([runs.table("stale-8-cispo", s) for s in runs.seeds("stale-8-cispo")])
print(f"largest ratio of trained to sampling policy, stale CISPO: {stale['largest_ratio'].max():,.0f}")
assert stale["largest_ratio"].max() > 1000  # "in the thousands"
format_comparison(contrary, titles=False)

# %% tags=["hide-input"]
both = (
    table[table["arm"].isin(["stale-8-cispo", "stale-8-grpo"])]
    .pivot(index="seed", columns="arm", values="end")
    .dropna()
)
assert (both["stale-8-cispo"] < both["stale-8-grpo"] - 0.1).all()
assert list(contrary["verdict"]) == ["differs"] * 3 and contrary.loc["off-cispo", "difference"] > -0.02
assert contrary.loc["stale-8-gspo", "difference"] > 0
print(f"seeds in which stale CISPO ends more than .1 below stale GRPO: {len(both)} of {len(both)}")

# %% [markdown]
# With four updates on a batch CISPO ends a little lower, by less than the margin below which a difference matters here. With samples
# eight steps old it ends far lower, in every seed, while GSPO ends higher than GRPO.
#
# **LoRA.** The starting page says that rank 1 matches full training. Here it falls far short:

# %% tags=["hide-input"]
print(claim("C44"))
adapters = arms_of_block("adapters", finished=runs.arms)
format_comparison(compare_arms(table, adapters))

# %% [markdown]
# Both are effects of the regime, and neither refutes the large runs. Adam's steps are huge here against the length of the climb, so
# stale tokens can have ratios in the thousands; CISPO keeps all of them, with a capped weight, where GRPO's clip drops them. And
# a model of 27 thousand parameters has to *learn* to sort, where a large one has to be *steered* to what it can do
# already {cite}`schulman2025lora`. A thousand trained numbers are too few for the first and enough for the second.

# %% [markdown]
# ## What did not differ, and what nobody can tell yet
#
# "No difference" is only as good as its interval. *Equal* means that the whole interval lies within ±0.02; *undecided* that it
# does not, and neither excludes 0 after correction for the number of comparisons.

# %% tags=["hide-input"]
blocks = ("algorithm, 4 updates a step", "limits", "KL", "reward", "answers of varying length")
for block in blocks:
    names = [n for n in arms_of_block(block, finished=runs.arms) if len(runs.seeds(n)) > 1]
    if names:
        print(f"\n{block}")
        print(format_comparison(compare_arms(table, names)).to_string())

# %% [markdown]
# ## What this toy cannot show
#
# - **Long answers.** Five tokens are not 32 thousand. Nothing about generation length, truncation or overlong penalties.
# - **Precision.** The starting page gives +0.09 for logits in FP32. The arm with the sampler's logits rounded to bfloat16 ends
#   where the others do, with an alphabet of 14 and small logits. That is no evidence against it.
# - **Mixture of experts at a sixth of the compute.** The tiny mixture takes more processor time, not less.
# - **Throughput.** Pipelines, packing and hardware do not exist on one core.
# - **Sizes of effects.** Directions may carry over; numbers will not.

# %% tags=["hide-input"]
if "rote" in runs.arms:
    rote = pd.concat([runs.table("rote", s).iloc[[0, -1]].assign(seed=s) for s in runs.seeds("rote")])
    first, last = (
        rote.groupby("rollout_step").mean(numeric_only=True)[["heldout_pass_rate", "pass_at_64"]].to_numpy()
    )
    print("multiplication modulo 23, facts without a rule:")
    print(f"pass rate {first[0]:.2f} -> {last[0]:.2f}, pass@64 {first[1]:.2f} -> {last[1]:.2f}")
    assert last[1] < first[1]

# %% [markdown]
# The last lines are an exhibit of the opposite: a task of mere facts, where there is nothing to generalise. RL makes the model surer
# of what it knows and costs it what it half knew: pass@64 falls {cite}`yue2025limit`.

# %% [markdown]
# ## Try it on your own knob
#
# Set `live` to true in the first code cell and put settings into `changes`. Or train from the terminal, with the curve and its
# forecast drawn as they come:
#
# ```
# rlscale lab --set learning_rate=1e-3 --set budget=80000
# rlscale lab --arm pool-128 --out my-run --format verl
# rlscale lab arms
# ```
#
# `--format` writes the log as TRL, verl or tinker-cookbook would, so that you can try the other tools of this book on a log whose
# truth you know. `rlscale lab sweep` trains whatever is missing of the runs shipped here.

# %% [markdown]
# ## Exercises
#
# Each has a solution that runs when the book is built.

# %% [markdown] tags=["slide"]
# ```{exercise-start} Repeat an ablation (10 minutes)
# :label: ex-12-ablation
# ```
# Does a pool of 512 prompts end lower than ever new ones? Compare `pool-512` with the baseline in pairs of equal seeds, then compare
# the two as if the seeds were unrelated. What do the pairs buy you?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-12-ablation
# :class: dropdown
# ```
# Yes: lower, and the interval excludes 0. Pairs share warm start and held-out prompts, so part of the scatter can cancel. Here they buy
# little: the standard error of the difference is a little smaller in pairs. What the training itself adds is larger than what the
# seeds share, so it took five seeds, not the pairing, to decide.

# %%
paired = compare_arms(table, ["pool-512"]).iloc[0]
a, b = (table.loc[table.arm == name, "end"] for name in ("pool-512", "baseline"))
unpaired = np.sqrt(a.var() / len(a) + b.var() / len(b))
ends = table.pivot(index="seed", columns="arm", values="end")[["pool-512", "baseline"]].dropna()
in_pairs = (ends["pool-512"] - ends["baseline"]).sem()
print(
    f"paired: {paired.difference:+.3f} [{paired.lo:+.3f}, {paired.hi:+.3f}], n = {paired.n}, {paired.verdict}"
)
print(f"standard error in pairs: {in_pairs:.4f}, if the seeds were unrelated: {unpaired:.4f}")
assert paired.verdict == "differs" and paired.difference < 0 and 0.7 < in_pairs / unpaired < 1

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown] tags=["slide"]
# ```{exercise-start} What does dynamic sampling throw away? (10 minutes)
# :label: ex-12-dapo
# ```
# From the rows of an `off-dapo` run, find the share of generated tokens that were never trained on. At a pass rate near one half, how
# does it compare with what `generation_overhead` says if all prompts were alike?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-12-dapo
# :class: dropdown
# ```
# Sampling comes in whole rounds of 64 prompts, and what is left over when the batch is full is thrown away as well. So the measured
# overhead is larger than the formula's, even before prompts differ.

# %%
dapo = runs.table("off-dapo", 0)
late = dapo.iloc[-1]
print(
    f"whole run: {100 * (1 - late.trained_tokens / late.generated_tokens):.0f} % of the generated tokens were never trained on"
)
steps = dapo.diff().assign(at=dapo.heldout_pass_rate)
near = steps[steps["at"].between(0.4, 0.65)]
measured, by_formula = near.generated_tokens.sum() / near.trained_tokens.sum(), generation_overhead([0.5], 8)
print(f"near one half, generated over trained: {measured:.2f}")
print(f"by the formula with equal prompts:     {by_formula:.2f}")
assert measured > 1.5 * by_formula

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} How early do the pools part? (15 minutes)
# :label: ex-12-part
# ```
# At which number of completions does the paired difference between `pool-128` and the baseline first exclude 0? Which pass rate had the
# baseline by then, and what does that say about a pilot of 10 %?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-12-part
# :class: dropdown
# ```
# At about a twentieth of the run, when the baseline is at a pass rate of a fifth. The difference is tiny then, and only five seeds show
# it. A pilot of a tenth has seen two curves begin to part and nothing of the ceiling, whatever is fitted to it.

# %%
from rlscale.lab.compare import pair_difference

shared = sorted(set(runs.seeds("pool-128")) & set(runs.seeds("baseline")))
small, fresh = (
    np.array([runs.table(name, s)["heldout_pass_rate"] for s in shared]) for name in ("pool-128", "baseline")
)
where = runs.table("baseline", 0)["completions"].to_numpy()
assert len(shared) > 1
apart = [pair_difference(x, y).hi < 0 for x, y in zip(small.T, fresh.T, strict=True)]
# the first evaluation from which all later ones exclude 0 as well
first_apart = len(apart) - int(np.argmin(apart[::-1])) if not all(apart) else 0
print(
    f"apart from {where[first_apart]:,} completions on ({100 * where[first_apart] / where[-1]:.0f} % of the run)"
)
print(f"pass rate of the baseline by then: {fresh[:, first_apart].mean():.2f}")
assert 0.03 < where[first_apart] / where[-1] < 0.1 and 0.15 < fresh[:, first_apart].mean() < 0.25

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} Which way does a quarter of a run err? (20 minutes)
# :label: ex-12-quarter
# ```
# Cut every seed of `pool-128` and of `lr-0.002` at a quarter. Let a plain fit say where the run will end, and compare it with the
# mean of its last tenth. Do both arms err to the same side? How often does the interval of `forecast_run` hold what came?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-12-quarter
# :class: dropdown
# ```
# No. With the small pool the fit promises too much in every seed: the prompts are not used up yet. With the long stride it
# promises too little in most: the curve flattens early and then climbs on, past the ceiling that was fitted. No constant repairs both. All the
# intervals hold the end, but they are wide, and each is marked *no forecast*: right to refuse, too wide to decide on.

# %%
errors = []
for name in ("pool-128", "lr-0.002"):
    for s in runs.seeds(name):
        whole = runs.curve(name, s)
        last = float(whole.compute[-1])
        quarter = whole.cut(0.25 * last)
        came = whole.pass_rate[whole.compute >= 0.9 * last].mean()
        said = float(rs.fit_law(quarter.compute, quarter.pass_rate).law(last))
        end = rs.forecast_run(quarter, budget=last)
        errors.append(
            {
                "arm": name,
                "seed": s,
                "came": came,
                "error": said - came,
                "lo": end.end.lo,
                "hi": end.end.hi,
                "state": end.state,
                "held": end.end.lo <= came <= end.end.hi,
            }
        )
errors = pd.DataFrame(errors).set_index(["arm", "seed"])
print(errors.round(2).to_string())
print(f"{errors['held'].sum()} of {len(errors)} intervals hold the end")
assert (errors.loc["pool-128", "error"] > 0.04).all() and (
    errors.loc["lr-0.002", "error"] < -0.04
).mean() > 0.5
assert errors["held"].all() and (errors["state"] == "no forecast").all()

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ## Limits
#
# The numbers are those of one task family, one tiny network and one optimizer. No algorithm's step size, clip or cap was tuned: all
# share one. Seeds are few, so small effects are not excluded; the tables say how small. Arms of one seed are compared in pairs, and p
# values are corrected within a block, not over the whole chapter.

# %% [markdown] tags=["slide"]
# ## Take-aways
#
# - A sigmoid needs no large model. Ten seconds of one core and a verifier are enough to see it, and to be wrong about its ceiling.
# - A larger step, an older sampler and a smaller pool all cost *ceiling*. The level you start from and DAPO's sampling mostly move
#   *speed*.
# - "Better" has an axis. Say whether completions, updates, prompts or seconds are equal.
# - A fitted ceiling at its bound is not a result. "Undecided" is one.
#
# The same runs serve other chapters: losses in [](02-algorithms), pass@k and adapters in [](03-base-model), difficulty and KL in
# [](04-difficulty), the forecast's own test in [](06-pilot), staleness as a share of the run in [](09-speed).
#
# ## References
#
# - {cite:t}`khatri2025scalerl`: the sigmoid, and staleness and losses at scale.
# - {cite:t}`yu2025dapo`: dynamic sampling. {cite:t}`minimax2025m1`: CISPO.
# - {cite:t}`schulman2025lora`: low rank where the model can do the task already.
# - {cite:t}`yue2025limit`: pass@k falls while the pass rate climbs.
