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
# # Where does RLVR learn at all?
#
# **The question.** You have a model and a set of problems. Which of them will teach it something, and what do groups, filters and
# penalties change about that?
#
# **The answer.** A problem teaches in proportion to $p(1-p)$, with $p$ the chance that the model solves it, and not at all when all $G$
# answers to it agree, which happens with probability $p^G + (1-p)^G$. Most is learned in the middle. The average pass rate of a set hides
# this: with a mean of one half and a wide spread, {glue:text}`dead-wide` of the groups of eight are dead, not {glue:text}`dead-alike`.
# So measure pass rates problem by problem before you pay for a run.
#
# **Its limit.** These are statements about the *signal* in the answers. What a model makes of it, and whether easy problems open the way
# to hard ones, takes a run to find out.

# %% [markdown]
# ## What you will be able to do
#
# - **Compute** the share of dead groups from pass rates, and from counts without bias.
# - **Judge** each row of a table on task difficulty by a calculation instead of a rule of thumb.
# - **Recognise** a plateau that a fitted curve takes for a ceiling.
# - **Price** a filter, and **say** what it does to the number in your log.
#
# You need: probabilities of independent events. No GPU, no account.
# Time: 11 minutes to read, 45 minutes for the exercises.

# %% tags=["parameters"]
prompts: str = ""  # path of a CSV with columns n and c, one line a prompt; empty: a simulated set
completions: int = 256  # completions of a rollout step of yours
token_model: str = "Qwen3-8B"  # model whose token prices filters are priced at, as named on Tinker
answer_tokens: float = 2000.0  # mean length of an answer, in tokens
mean: float = 0.5  # mean pass rate of the simulated set
spread: float = 0.35  # standard deviation of its pass rates
seed: int = 1  # of all draws

# %% tags=["hide-input"]
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue

import rlscale as rs
from rlscale import plot, plot_difficulty
from rlscale.claims import claim, claims
from rlscale.difficulty import compare_filters, signal_to_noise, spread_zero_variance, trajectory_pass_rate
from rlscale.lab.analysis import summarise_arms, summarise_runs
from rlscale.lab.arms import ARMS
from rlscale.lab.compare import compare_arms, format_comparison
from rlscale.lab.shipped import read_shipped_runs
from rlscale.losses import find_objective
from rlscale.penalty import kl_ceiling
from rlscale.prices import find_token_prices
from rlscale.prompts import read_prompts, simulate_prompts, tabulate_groups
from rlscale.relay import simulate_relay
from rlscale.signal import filtered_pass_rate, generation_overhead, gradient_signal, zero_variance_probability

plt.style.use("rlscale.book")
pd.set_option("display.max_colwidth", None)


def say(name, text):
    glue(name, str(text), display=False)


runs = read_shipped_runs()
summary = summarise_runs(runs)
arms = summarise_arms(summary)
say("dead-wide", f"{100 * spread_zero_variance(0.5, 0.35, 8):.0f} %")
say("dead-alike", f"{100 * float(zero_variance_probability(0.5, 8)):.1f} %")
print(f"{len(summary)} laboratory runs of {len(arms)} arms, measured by this project")


def compare(names, **settings):
    """Arms against their references, seed by seed; a line that says so where none is trained."""
    finished = [n for n in names if n in runs.arms]
    if not finished:
        return pd.DataFrame({"verdict": ["not trained yet"]}, index=[", ".join(names)])
    shown = format_comparison(compare_arms(summary, finished, **settings))
    return shown.drop(columns="against").rename_axis(index=None)


def of_block(block):
    return [arm.name for arm in ARMS.values() if arm.block == block and arm.reference]


# %% [markdown] tags=["slide"]
# ## A problem teaches in proportion to p(1 − p), unless its group is dead
#
# The reward of one answer is 1 with probability $p$. What the policy gradient can use is how rewards *differ*: the variance of one
# reward is $p(1-p)$. And if all answers of a group agree, each advantage is reward minus mean, which is 0.

# %% mystnb={"image": {"alt": "Share of groups without spread against the pass rate of the prompt for groups of 2, 4, 8, 16 and 64. All are U-shaped; larger groups have a wider flat bottom. A grey hump shows four p times one minus p."}, "figure": {"caption": "Chance that a group is dead (without spread), by group size (lines), and the signal of one answer, scaled to 1 (grey). Derived, exact.", "name": "fig-04-dead"}} tags=["hide-input", "fragment"]
fig, ax = plt.subplots()
plot_difficulty.plot_zero_variance(ax, (2, 4, 8, 16, 64))
ax.legend(loc="upper center", ncols=2)
plt.show()

# %%
rates, sizes = [0.01, 0.05, 0.2, 0.5, 0.9, 0.95], [2, 4, 8, 16, 64]
dead = pd.DataFrame({f"G = {g}": zero_variance_probability(rates, g) for g in sizes}, index=rates)
dead.insert(0, "p (1 − p)", gradient_signal(rates))
assert dead.loc[0.05, "G = 8"] > 0.6 and dead.loc[0.95, "G = 16"] > 0.4
dead.map("{:.2f}".format).rename_axis(columns="p")

# %% [markdown] tags=["slide"]
# A larger group keeps rare successes alive: at $p$ = 0.05 a group of eight is dead in two cases of three, one of 64 hardly ever. It
# costs eight times the answers to find that out. That dead groups give no gradient is **confirmed**, as arithmetic.
#
# ## The average pass rate hides the dead groups
#
# Problems differ. A set with a mean of one half can hold many that are always solved and many that never are:

# %% mystnb={"image": {"alt": "Share of groups without spread against the standard deviation of pass rates at a mean of one half, for four group sizes. All lines rise towards one; at no spread they start at the value for equal prompts."}, "figure": {"caption": "Dead groups (without spread) at a mean pass rate of one half when pass rates spread (beta distribution; derived, exact).", "name": "fig-04-spread"}} tags=["hide-input", "fragment"]
fig, ax = plt.subplots()
plot_difficulty.plot_spread(ax, 0.5, (2, 4, 8, 16))
ax.legend(loc="upper left")
plt.show()

# %% tags=["hide-input"]
log = pd.concat([runs.table("baseline", s) for s in runs.seeds("baseline")]).dropna(subset=["zero_variance"])
middle = log[log["heldout_pass_rate"].between(0.4, 0.6)]
alike = float(zero_variance_probability(middle["heldout_pass_rate"].to_numpy(), 8).mean())
print(f"laboratory, mean pass rate {middle['heldout_pass_rate'].mean():.2f}, groups of 8, dead:")
print(f"measured {middle['zero_variance'].mean():.3f}; by formula prompt by prompt "
      f"{middle['zero_variance_expected'].mean():.3f}; as if all were alike {alike:.3f}")  # fmt: skip
assert alike < middle["zero_variance"].mean() / 3
assert abs(middle["zero_variance"].mean() - middle["zero_variance_expected"].mean()) < 0.05

# %% [markdown]
# The formula holds prompt by prompt. Fed with the mean it is too optimistic by a factor of three or more, in a task as even as sorting
# five digits. And the spread grows during a run: what is learned moves to one end, what is not stays at the other.

# %% [markdown] tags=["slide"]
# ## Our runs win most per token from a start in the middle
#
# The same task, the same recipe, five warm starts. How much did the first hundred thousand tokens win?

# %% mystnb={"image": {"alt": "Gain of the first hundred thousand tokens against the pass rate at the start, one dot a run. The gain rises from 0.02 to about 0.3 and falls again at 0.6, near a scaled p times one minus p."}, "figure": {"caption": "What the first 100,000 generated tokens won, by the pass rate at the start; one dot a laboratory run (measured).", "name": "fig-04-edge"}} tags=["hide-input", "fragment"]
starts = {0.02: "start-0.02", 0.05: "start-0.05", 0.1: "baseline", 0.3: "start-0.3", 0.6: "start-0.6"}
starts = {p: arm for p, arm in starts.items() if arm in runs.arms}
early = plot_difficulty.tabulate_early_gain(runs, starts.values(), 100_000)
fig, ax = plt.subplots()
plot_difficulty.plot_early_gain(ax, early)
ax.set_ylabel("pass rate won")
plt.show()

# %% tags=["hide-input"]
by_arm = early.groupby("arm")["gain"].mean()
edge = arms.loc[list(starts.values()), ["n", "c50", "end"]].assign(start=list(starts), gain=by_arm)
assert edge["gain"].idxmax() in ("baseline", "start-0.3") and edge["gain"].iloc[0] == edge["gain"].min()
assert edge["end"].max() - edge["end"].min() < 0.1
shown = pd.DataFrame(
    {
        "n": edge["n"],
        "gain": edge["gain"].map("{:.3f}".format),
        "c50": edge["c50"].map(lambda c: f"{c:,.0f}" if np.isfinite(c) else "starts above"),
        "end": edge["end"].map("{:.3f}".format),
    }
)
shown.set_axis(edge["start"]).rename_axis(index=None, columns="start")

# %% [markdown]
# *Measured; c50: completions to a pass rate of one half.* A start at 0.02 learns too, once luck has found the first right answers; it
# pays for the wait; and since it does not stay at 0.02, it wins more than $p(1-p)$ at its start says. Where you start moves the *time*, and hardly the end. That RLVR works at the edge of competence is **confirmed** by
# theory and synthetic runs {cite}`huang2026edge`, and by ours.

# %% tags=["hide-input"]
assert claim("C28").verdict == "confirmed" and claim("C14b").verdict == "confirmed"
claims("C14b", "C28")

# %% [markdown] tags=["slide"]
# ## The table of task difficulty, row by row
#
# The starting page lists five factors. Each can be computed.
#
# ### Task type and reward density: both are sparse, one is longer
#
# Mathematics is said to have a dense reward and agents a sparse one. This **differs**: both get one number at the end. What differs is the
# way there. If each of $K$ steps succeeds with probability $q$, the whole does with $q^K$:

# %% tags=["hide-input"]
turns = [1, 5, 20, 50]
table = pd.DataFrame(index=turns)
for q in (0.99, 0.95, 0.9):
    p = trajectory_pass_rate(q, turns)
    table[f"p ({q})"], table[f"dead ({q})"] = p, zero_variance_probability(p, 8)
long = table.loc[50, "dead (0.9)"]
say("long-dead", f"{100 * long:.0f} %")
assert long > 0.9 and table.loc[50, "dead (0.99)"] < 0.1
table.map("{:.2f}".format).rename_axis(columns="K")

# %% [markdown]
# *Pass rate and share of dead groups of eight; in brackets, $q$.* With 0.9 a step, a trajectory of fifty leaves {glue:text}`long-dead` of the groups dead. At 0.99 a step the same length sits at the edge. So a
# long task is not hopeless: the model has to be *reliable* first. In the laboratory, chains of sorts are compared with a single one at the same starting pass
# rate (completions to one half), and a reward for each right token with the exact one (the end):

# %% tags=["hide-input"]
# chains: factor in completions to a pass rate of one half, against a single sort
compare(["chain-2", "chain-4"], measure="c50", margin=0.1)

# %% tags=["hide-input"]
# partial credit in place of an exact reward: difference of the end
compare(["partial", "hard-partial"])

# %% [markdown]
# *Measured.* At an equal pass rate a longer chain costs more tokens by construction; the factor says whether it costs more answers too. If partial credit
# helps anywhere, then where exact successes are rare, as in the hard task. And it is another objective: its curve is not a pass rate.
#
# ### A gap in difficulty makes a plateau that looks like a ceiling
#
# Problems just beyond the edge become the edge when the present ones are learned: a relay. Where the next ones are far away, nobody takes the
# baton. The simplest model that does this has one ability $s$, a difficulty $d$ for each problem, and pass rates $1/(1+e^{d-s})$. The policy
# gradient then moves $s$ by the mean of $p(1-p)$:

# %% mystnb={"image": {"alt": "Mean pass rate against rollout steps for three sets of problems. Without a gap it climbs along an S. With a gap it slows near one half and climbs again. With a wider gap it stands near one half for about a thousand steps, then climbs."}, "figure": {"caption": "Mean pass rate over 40 problems: evenly spread difficulties, and the harder half moved away by 3 and by 5 units of log-odds. Illustrative model, no noise.", "name": "fig-04-relay"}} tags=["hide-input", "fragment"]
easy, hard = np.linspace(-2, 1, 20), np.linspace(1, 4, 20)
relays = {
    name: simulate_relay(np.r_[easy, hard + gap], steps=4000, rate=0.1, start=-1.0)
    for name, gap in (("no gap", 0.0), ("gap of 3", 3.0), ("gap of 5", 5.0))
}
fig, ax = plt.subplots()
ax.set_ylim(0, 1)
plot_difficulty.plot_lines(ax, {name: (c.compute, c.pass_rate) for name, c in relays.items()})
plot.label_compute_axis(ax, "rollout_steps")
plot.label_pass_rate_axis(ax, "mean pass rate")
plt.show()

# %% tags=["hide-input"]
gapped = relays["gap of 5"]
slow = np.gradient(gapped.pass_rate, gapped.compute)
inside = (gapped.pass_rate > 0.4) & (gapped.pass_rate < 0.7)
pause = float(gapped.compute[inside][np.argmin(slow[inside])])  # where it all but stands still
pilot = gapped.cut(pause)
fit = rs.fit_law(pilot.compute, pilot.pass_rate)
forecast = rs.forecast_run(pilot, budget=float(gapped.compute[-1]))
ends = gapped.pass_rate[-1]
print(f"pilot up to {pause:,.0f} rollout steps, {pause / fit.law.Cmid:.1f} times its fitted Cmid")
print(f"least squares: ceiling {fit.law.A:.2f}, residual {fit.rmse:.3f}, status: {fit.status}")
low, high = forecast.end.lo, forecast.end.hi
print(f"forecast: {forecast.state}, end {forecast.end.median:.2f} [{low:.2f}, {high:.2f}]")
print(f"the run ends at {ends:.2f}")
say("relay-A", f"{fit.law.A:.2f}")
say("relay-end", f"{ends:.2f}")
assert pause > 3 * fit.law.Cmid and fit.status == "ok" and forecast.end.hi < 0.7 < 0.9 < ends

# %% [markdown]
# Nothing in the pilot warns you. It reaches far beyond its $C_\text{mid}$, the fit is good, the ceiling reads {glue:text}`relay-A`, the interval of this
# book is narrow, and the run ends at {glue:text}`relay-end`. So a plateau is evidence about the *reachable* problems only. Look at pass rates by problem: two heaps, at 0 and at 1,
# mean a gap. Filling it with problems of middling difficulty is then worth more than compute. This is the case that one sigmoid cannot describe;
# [](01-sigmoid-law) names it among its limits.
#
# ### Group size: first say what is equal
#
# Larger groups have a better baseline. At equal *completions* they also mean fewer problems. The signal-to-noise ratio that one completion adds:

# %% tags=["hide-input"]
plain = find_objective("dr-grpo")
sizes = [2, 4, 8, 16, 32]
noise = pd.DataFrame(
    {f"p = {p}": [float(signal_to_noise(p, g, plain)) for g in sizes] for p in (0.5, 0.1)},
    index=sizes,
)
relative = noise / gradient_signal([0.5, 0.1])
assert np.allclose(relative["p = 0.5"], 1 - 1 / np.array(sizes))
step = relative["p = 0.5"]
say("group-2", f"{100 * step[2]:.0f} %")
say("group-8-16", f"{100 * (step[16] / step[8] - 1):.0f} %")
relative.map(lambda share: f"{100 * share:.0f} %").rename_axis(columns="G")

# %% [markdown]
# *Squared, as a share of the most that an answer can add (derived; an undivided advantage).* It is $1 - 1/G$: a pair has
# {glue:text}`group-2` of the best, and going from 8 to 16 brings {glue:text}`group-8-16`, while it halves the problems of a step. Published runs agree:
# two answers a prompt kept {glue:text}`two-grpo` % of the performance of sixteen {cite}`wu2025twogrpo`. That eight are needed for stable advantages
# **differs**. That two to four are noisy **differs in part**: it holds at equal *prompts*, where a small group is simply a smaller batch.

# %% tags=["remove-cell"]
say("two-grpo", f"{claim('C29').source_value:g}")
assert (
    claim("C29").verdict == "differs"
    and claim("C29b").verdict == "differs"
    and claim("C31").verdict == "differs"
)
assert "98.1" in claim("C29").source_says

# %% tags=["hide-input"]
# the end against groups of 8: at 256 completions a step
compare(of_block("group size, equal completions"))

# %% tags=["hide-input"]
# and at 32 prompts a step
compare(of_block("group size, equal prompts"))

# %% tags=["hide-input"]
claims("C29", "C29b", "C31")

# %% [markdown]
# ### KL: 0.04 is a setting, not a limit
#
# A penalty that holds the policy near its start must cost something. How much? For one right answer of $L$ tokens, reward and the usual penalty
# balance at a pass rate that can be computed (`rlscale.penalty`):

# %% tags=["hide-input"]
weights = [0.001, 0.01, 0.04, 0.1, 0.3]
ceilings = pd.DataFrame(
    {f"from {p}": [kl_ceiling(p, w, tokens=5) for w in weights] for p in (0.02, 0.1, 0.3)},
    index=weights,
)
say("kl-004", f"{ceilings.loc[0.04, 'from 0.1']:.2f}")
say("kl-01", f"{ceilings.loc[0.1, 'from 0.1']:.2f}")
say("kl-0001", f"{ceilings.loc[0.001, 'from 0.1']:.3f}")
assert ceilings.loc[0.001].min() > 0.99 and (np.diff(ceilings.to_numpy(), axis=0) < 0).all()
ceilings.map("{:.3f}".format).rename_axis(columns="weight")

# %% tags=["hide-input"]
measured = compare(of_block("KL"))
for weight in (0.01, 0.04, 0.1):
    if f"kl-{weight:g}" in runs.arms:
        end, bound = arms.loc[f"kl-{weight:g}", "end"], kl_ceiling(0.1, weight, tokens=5)
        side = "below" if end < bound else "above"
        print(f"weight {weight}: end {end:.3f}, {side} the balance of {bound:.3f}")
measured

# %% [markdown]
# *Derived for a single problem; measured where the arms are trained. Problems share their weights and a run is finite, so expect it to end below the balance.* From 0.1, a weight of 0.04 allows {glue:text}`kl-004` and one of 0.1 {glue:text}`kl-01`. There is no threshold, only a slope, and
# it is steeper the rarer the right answer was. That quality falls above 0.04 is **unsourced**: it is the value that DeepSeekMath used
# {cite}`shao2024deepseekmath`. R1-Zero used 0.001, which allows {glue:text}`kl-0001`; DAPO and ScaleRL use none.

# %% tags=["hide-input"]
assert claim("C30").verdict == "unsourced" and "0.001" in claim("C30").source_says
claims("C30")

# %% [markdown] tags=["slide"]
# ## Filters save training, not sampling
#
# To know that a group is dead, you have to sample it. So a filter behind the sampler saves the training of that group and nothing else.
# Replacing it (dynamic sampling) keeps the batch full and pays for more samples. Only a prediction *before* sampling saves both. Here is
# the price of a thousand groups that do have spread:

# %% tags=["hide-input"]
price = find_token_prices(token_model)
group = 8 * answer_tokens / 1e6
rows = {}
for share in (0.2, 0.5, 0.8):
    for f in compare_filters(share, sample_usd=group * price.sample, train_usd=group * price.train):
        rows.setdefault(f.name, {})[f"{100 * share:.0f} % dead"] = 1000 * f.usd
costs = pd.DataFrame.from_dict(rows, orient="index")
saved = 1 - costs.loc["dropped after sampling"] / costs.loc["none"]
say(
    "filter-price",
    f"USD {price.sample:g} to sample and USD {price.train:g} to train a million tokens of {price.model} ({price.as_of})",
)
say("filter-saved", f"{100 * saved['50 % dead']:.0f} %")
say("overhead", f"{generation_overhead([0.05], 8):.1f}")
say("greso-rollout", "2.4")  # reported: abstract of arXiv 2506.02177
say("greso-all", "2.0")
assert np.allclose(costs.loc["dropped after sampling"], costs.loc["replaced (dynamic sampling)"])
costs.map("${:,.0f}".format)

# %% [markdown]
# *Groups of 8 answers of the mean length of the first code cell; {glue:text}`filter-price`.* With half of the groups dead, dropping them saves
# {glue:text}`filter-saved` of the bill. Per *useful* group, dropping and replacing cost the same; they differ in what a step holds. At a pass rate of
# 0.05 and groups of eight, replacing samples {glue:text}`overhead` answers for each one it trains on. A published way to skip
# before sampling was up to {glue:text}`greso-rollout` times faster at generation and {glue:text}`greso-all` times in all {cite}`zheng2025greso` (reported).
#
# Do the filters raise the *ceiling*, as the starting page says? Both are **confirmed on weak evidence**: each helped in one ablation of ScaleRL, and out of
# the full recipe the first moves the ceiling by no more than the margin {cite}`khatri2025scalerl`. In the laboratory:

# %% tags=["hide-input"]
compare(["filter"])

# %% tags=["hide-input"]
assert {claim(i).verdict for i in ("C14", "C15")} == {"confirmed"}
claims("C14", "C15")

# %% [markdown]
# ### Behind a filter the log shows another curve
#
# A reward that is logged after dead groups are gone is pulled towards one half. Never fit it:

# %% mystnb={"image": {"alt": "Pass rate shown by a log behind a zero-variance filter against the true pass rate, for groups of 4, 8 and 16. The lines are flatter than the diagonal: low pass rates are shown too high, high ones too low."}, "figure": {"caption": "What a log shows behind a filter of dead groups, against the truth (derived, exact, equal prompts); dotted: no filter.", "name": "fig-04-log"}} tags=["hide-input", "fragment"]
truth = np.linspace(0.005, 0.995, 200)
fig, ax = plt.subplots()
ax.set_ylim(0, 1)
sizes = (4, 8, 16)
behind = {f"G = {g}": (truth, filtered_pass_rate(truth, g)) for g in sizes}
plot_difficulty.plot_lines(ax, behind, marks=[plot_difficulty.GROUPS[g] for g in sizes])
_ = ax.plot([0, 1], [0, 1], ":", color=plot.COLOURS["grey"])
ax.set(xlabel="pass rate", ylabel="pass rate behind the filter")
plt.show()

# %% [markdown]
# ## Try it on your own prompts
#
# Sample each prompt of your set eight or sixteen times with the model you start from, and write one line a prompt: `n` samples, `c` right. Put the path into
# the first code cell. The shares below are unbiased: a prompt solved 0 of 8 times is not taken for hopeless.

# %%
mine = (
    read_prompts(prompts) if prompts else simulate_prompts(mean, spread, prompts=1000, samples=32, seed=seed)
)
print(
    f"{mine.n.size:,} prompts{'' if prompts else ' (simulated)'}, mean pass rate {mine.mean:.2f}, standard deviation {mine.spread:.2f}"
)
print(f"never solved: {100 * np.mean(mine.c == 0):.0f} %; always solved: {100 * np.mean(mine.c == mine.n):.0f} %; "
      f"solved in 90 % or more: {100 * np.mean(mine.c >= 0.9 * mine.n):.0f} %")  # fmt: skip
worth = tabulate_groups(mine, (2, 4, 8, 16, 32), completions=completions)
worth = worth.round({"dead": 3, "if_alike": 3, "useful_groups": 1, "overhead": 2})
worth.rename_axis(index=None, columns="G")

# %% [markdown]
# *dead: share of groups without spread; if_alike: the same if all prompts had the mean pass rate; useful_groups: those of a step with spread; overhead: answers
# sampled for each one trained on, if dead groups are replaced.*

# %% [markdown]
# ## Exercises
#
# Each has a solution that runs when the book is built.

# %% [markdown] tags=["slide"]
# ```{exercise-start} A group that stays alive (3 minutes)
# :label: ex-04-alive
# ```
# A problem is solved in one of twenty tries. How large must a group be so that it has spread in nine cases of ten?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-04-alive
# :class: dropdown
# ```
# All wrong has probability $0.95^G$; all right is negligible. $0.95^G = 0.1$ at $G \approx 45$.

# %%
needed = next(g for g in range(2, 500) if zero_variance_probability(0.05, g) <= 0.1)
print(f"G = {needed}")
assert needed == int(np.ceil(np.log(0.1) / np.log(0.95)))

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown] tags=["slide"]
# ```{exercise-start} Undo the filter (7 minutes)
# :label: ex-04-undo
# ```
# A log behind dynamic sampling with groups of eight shows a mean reward of 0.30 and says that a share of the sampled groups was thrown away. If all problems were
# alike, what is the pass rate, and what share was it?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-04-undo
# :class: dropdown
# ```
# Invert `filtered_pass_rate`. The truth is lower than the log, since all-wrong groups are missing.

# %%
from scipy.optimize import brentq

p = brentq(lambda q: float(filtered_pass_rate(q, 8)) - 0.30, 0.01, 0.5)
print(f"pass rate {p:.3f}, thrown away {100 * float(zero_variance_probability(p, 8)):.0f} %")
assert p < 0.30 and np.isclose(filtered_pass_rate(p, 8), 0.30)

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} Counts that deceive (8 minutes)
# :label: ex-04-counts
# ```
# Every problem of a set has a pass rate of 0.1. You sample each eight times. Estimate the dead share for groups of eight by putting $c/n$ into the formula, then with
# `count_zero_variance`. Which is right, and why?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-04-counts
# :class: dropdown
# ```
# $c/n$ scatters, and the formula is convex: its mean over scattered values is too high. Drawing the group from the samples has no such bias.

# %%
from rlscale.difficulty import count_zero_variance

c = np.random.default_rng(seed).binomial(8, 0.1, size=20_000)
naive = float(zero_variance_probability(c / 8, 8).mean())
unbiased = float(count_zero_variance(8, c, 8).mean())
exact = float(zero_variance_probability(0.1, 8))
print(f"exact {exact:.3f}, from c/n {naive:.3f}, unbiased {unbiased:.3f}")
assert abs(unbiased - exact) < 0.015 < abs(naive - exact)

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} Reliability before length (12 minutes)
# :label: ex-04-reliable
# ```
# An agent needs thirty steps, each of which succeeds with 0.9. What happens to the signal $p(1-p)$ of a trajectory if training on *short* tasks lifts a step to 0.95, and if
# the task is cut to fifteen steps instead? Which step reliability puts thirty steps at the very edge, $p$ = 0.5?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-04-reliable
# :class: dropdown
# ```
# Halving the failures of a step and halving the steps do nearly the same: what counts is failures a trajectory, $K(1-q)$.

# %%
now, surer, shorter = (
    float(gradient_signal(trajectory_pass_rate(q, k))) for q, k in ((0.9, 30), (0.95, 30), (0.9, 15))
)
at_edge = 0.5 ** (1 / 30)
print(f"signal: now {now:.3f}, surer steps {surer:.3f}, fewer steps {shorter:.3f}; edge at q = {at_edge:.3f}")
assert surer > 3 * now and abs(surer - shorter) < 0.02 and np.isclose(trajectory_pass_rate(at_edge, 30), 0.5)

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} How long does a gap hold a run up? (15 minutes)
# :label: ex-04-gap
# ```
# In the relay model, measure the rollout steps from a mean pass rate of 0.45 to 0.75 for gaps of 3, 4, 5 and 6. How does the wait grow with the gap? Then give the gap
# of 6 a bridge: move the six hardest problems into it.
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-04-gap
# :class: dropdown
# ```
# In the middle of the gap the signal falls like $e^{-\text{gap}/2}$, so each unit multiplies the wait. A bridge of six problems halves it.


# %%
def wait(difficulty):
    run = simulate_relay(difficulty, steps=30_000, rate=0.1, start=-1.0)
    return float(np.interp(0.75, run.pass_rate, run.compute) - np.interp(0.45, run.pass_rate, run.compute))


waits = {gap: wait(np.r_[easy, hard + gap]) for gap in (3, 4, 5, 6)}
bridged = wait(np.r_[easy, np.linspace(2, 6, 6), (hard + 6)[:14]])
growth = [waits[g + 1] / waits[g] for g in (3, 4, 5)]
print(
    "wait: "
    + ", ".join(f"gap {g}: {w:,.0f}" for g, w in waits.items())
    + f"; gap 6 with a bridge: {bridged:,.0f}"
)
assert all(1.2 < f < 1.9 for f in growth) and 0.4 < bridged / waits[6] < 0.6

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ## Limits
#
# - **Signal is not learning.** $p(1-p)$ says how much the answers differ, not what the model makes of the difference.
# - **A pass rate belongs to a model, a prompt format and a temperature.** Measure it with the settings of the run, and again on the way.
# - **Problems with no right answer in 64 tries are not all alike.** Some are wrong in the data, some are out of reach, some are a gap away.
# - **The relay model is ours,** with one ability for all problems. Real plateaus may end sooner, through luck, or never.
# - **The laboratory is a toy** of one task family ([](12-lab)); intervals of few seeds are wide, and "undecided" means just that.

# %% [markdown] tags=["slide"]
# ## Take-aways
#
# - Measure pass rates problem by problem. The mean says little about how many groups are dead.
# - The edge moves. What it moves to must be there: gaps make plateaus, and a plateau looks like a ceiling.
# - Long tasks need reliable steps before they give any signal.
# - Say what is equal before you argue about group size.
# - Filters behind the sampler save training only, and they bend the log.
#
# Next: how the advantage weighs easy and hard problems is in [](02-algorithms), what a filtered log looks like in
# [](07-misleading-curves), and what a dead group costs in [](08-cost).
#
# ## References
#
# - {cite:t}`huang2026edge`: edge of competence, relay, plateaus. {cite:t}`wu2025twogrpo`: groups of two.
# - {cite:t}`khatri2025scalerl`: ablations of filters and group size. {cite:t}`yu2025dapo`: dynamic sampling.
# - {cite:t}`shao2024deepseekmath`: the KL setting. {cite:t}`deepseekai2025r1`: a smaller one.
