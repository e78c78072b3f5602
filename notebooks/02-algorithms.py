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
# # Which recipe, and does it raise the ceiling or the speed?
#
# **The question.** GRPO, DAPO, CISPO, GSPO: which of them should you run, and does a change raise the ceiling $A$ or only
# bring it nearer?
#
# **The answer.** It depends on what is there already. On a plain baseline one change moved the published ceiling from
# {glue:text}`fp32-from` to {glue:text}`fp32-to`. Leaving one part out of a full recipe moved the ceiling by no more than
# {glue:text}`loo-margin`, and the loss moved the steepness. Longer answers and larger batches raise the ceiling and push it far away. So the
# better recipe is the better one *for a target and a budget*, and two curves tell you where they change places.
#
# **Its limit.** No paper states all four numbers of two recipes. What is compared below as GRPO and CISPO is marked number by
# number, and mostly illustrative. What was measured is one model at one lab, and our own toy.

# %% [markdown]
# ## What you will be able to do
#
# - **Compare** two recipes by cost to a target, and **find** the budget at which they change places.
# - **Read** a loss as the weight it puts on each token: which answers it favours, which tokens it drops.
# - **Tell** a lever of the ceiling from a lever of the speed, and **say** which ones add up.
# - **Count** the passes and the memory that a recipe needs beside its loss.
#
# You need: the four numbers of [](01-sigmoid-law). No GPU, no account.
# Time: 11 minutes to read, 45 minutes for the exercises.

# %% tags=["parameters"]
first: str = "GRPO"  # a recipe of data/recipes.csv
second: str = "CISPO"  # another one
target: float = 0.45  # pass rate that is wanted
budget: float = 8000.0  # GB200 GPU-hours that could be spent
hours_per_step: float = 1.5  # GB200 GPU-hours of a step of 768 answers (App. A.6, derived)
model: str = "Llama-3.1-8B"  # whose memory is counted, a row of data/models.csv
gpu: str = "H100 SXM"  # on which GPU, a row of data/gpus.csv
micro_batch: int = 16384  # tokens of a micro-batch on one GPU

# %% tags=["hide-input"]
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue

import rlscale as rs
from rlscale import plot, plot_recipes
from rlscale.amounts import number
from rlscale.claims import claim, claims
from rlscale.difficulty import prompt_pull
from rlscale.hardware import find_gpu, find_model
from rlscale.lab import figures
from rlscale.lab.analysis import summarise_arms, summarise_runs
from rlscale.lab.compare import arms_of_block, compare_arms, format_comparison
from rlscale.lab.shipped import read_shipped_runs
from rlscale.losses import AVERAGES, average_weights, find_objective
from rlscale.plot_published import find_published, select_published
from rlscale.prices import find_gpu_price
from rlscale.recipes import compare_laws, find_crossings, find_recipe, list_recipes
from rlscale.setups import tabulate_setups
from rlscale.tables import load_table

plt.style.use("rlscale.book")
pd.set_option("display.max_colwidth", None)


def say(name, text):
    glue(name, str(text), display=False)


published = load_table("published_fits").set_index("id")
levers = load_table("levers").set_index("id")
fits = select_published(load_table("published_fits"))
say("fp32-from", f"{levers.loc['fp32_logits', 'from_value']:.2f}")
say("fp32-to", f"{levers.loc['fp32_logits', 'to_value']:.2f}")
say("loo-margin", f"{published.loc['f8a_three_runs', 'A_margin']:.2f}")
one, two = find_recipe(first), find_recipe(second)
print(f"{len(list_recipes())} recipes; compared: {one.name} and {two.name}")

# %% [markdown] tags=["slide"]
# ## Two recipes: ask for the cost to a target, not for the winner
#
# Each curve is a law with a dot at its $C_\text{mid}$. The table says what each recipe costs up to your target and where it
# stands at your budget. Change `first` and `second` in the first code cell to compare any other two, or, where the page can
# compute, below the picture itself.

# %% mystnb={"image": {"alt": "Pass rate against GB200 GPU-hours on a log axis for two recipes, each with a dot at Cmid. By default CISPO is above GRPO all the way and ends higher. A dotted line marks the target."}, "figure": {"caption": "Two recipes, dots at Cmid (illustrative: see the kinds of each number below). A cross, if any, marks where they change places.", "name": "fig-02-pair"}} tags=["hide-input", "fragment"]
laws = {one.name: one.law, two.name: two.law}
changes = find_crossings(one.law, two.law, 100, 100_000)
fig, ax = plt.subplots()
ax.set_ylim(0.2, 0.7)
plot_recipes.plot_pair(ax, laws, 100, 100_000, target=target, crossings=changes)
plot.label_compute_axis(ax, "gpu_hours", log=True, hardware="GB200")
plot.label_pass_rate_axis(ax)
plt.show()

# %% [markdown]
# <div class="rlscale-app" data-rlscale="explorer" data-static="fig-02-pair"></div>

# %% tags=["hide-input"]
hour = find_gpu_price("GB200")
step = rs.load_scenario("starting-page-corrected", prompts=48, group_size=16)
per_step = float(np.median(rs.price_unit(step, "rollout_steps", branch="total_tinker", seed=0)))
compared = compare_laws(laws, target=target, budget=budget, usd_per_unit=hour.value)
tinker = compared["compute_to_target"] / hours_per_step * per_step


def reached(value, sign=""):
    return "never" if np.isinf(value) else number(value, sign)


shown = pd.DataFrame(
    {
        "Cmid": compared["Cmid"].map("{:,.0f}".format),
        f"hours to {target:.2f}": compared["compute_to_target"].map(reached),
        "rented": compared["usd_to_target"].map(lambda v: reached(v, "$")),
        "Tinker": tinker.map(lambda v: reached(v, "$")),
        f"pass rate at {budget:,.0f} h": compared["pass_rate_at_budget"].map("{:.3f}".format),
    }
)
places = ", ".join(f"{c:,.0f}" for c in changes)
print(f"they change places at: {places or 'no compute between 100 and 100,000'} GPU-hours")
say("hour-price", f"USD {hour.value:.2f} ({hour.what}, {hour.as_of})")
say("tinker-step", f"USD {per_step:.2f}")
shown

# %% [markdown]
# *Laws: illustrative. Rented: {glue:text}`hour-price` for a GB200-hour. Tinker: {glue:text}`tinker-step` for a rollout step of
# 768 answers at the prices and lengths of the preset `starting-page-corrected`, and `hours_per_step` to turn hours into steps
# (derived). [](08-cost) shows how both come about, and reproduces the totals of the starting page.*
#
# The ratio of the two costs is what you may keep of this table. It does not depend on the price, since both are priced alike.
# It does depend on the target: near the lower ceiling it goes to infinity. A statement like "twice as fast" has to say at
# which pass rate.
#
# ### What the comparison rests on

# %% tags=["hide-input"]
short = {"reported": "r", "illustrative": "i", "derived": "d"}
rows = {
    r.name: {p: f"{getattr(r.law, p):g} ({short[r.kinds[p]]})" for p in ("R0", "A", "B", "Cmid")}
    for r in list_recipes().values()
}
kinds = pd.DataFrame.from_dict(rows, orient="index")
all_reported = [r.name for r in list_recipes().values() if r.illustrative == ("R0",)]
assert all_reported == ["ScaleRL"] and all("R0" in r.illustrative for r in list_recipes().values())
kinds

# %% [markdown]
# *r: reported, i: illustrative; hours are GB200 GPU-hours {cite}`khatri2025scalerl`.* Only ScaleRL has three reported numbers,
# and no recipe has a published start. The starting page gives CISPO a ceiling of {glue:text}`page-cispo` and GRPO one of
# {glue:text}`page-grpo`. The first **differs**: it is the ceiling of the whole ScaleRL recipe, of which CISPO is one part. The
# second is **unsourced**, and so is the 22 % between them. That GRPO clips at 0.2 on both sides and averages by sample is
# **confirmed**.

# %% tags=["remove-cell"]
say("page-cispo", f"{claim('C10').value:.2f}")
say("page-grpo", f"{claim('C10b').value:.2f}")
said = {"C08": "confirmed", "C10": "differs", "C10b": "unsourced", "C10c": "unsourced"}
assert {i: claim(i).verdict for i in said} == said
assert find_objective("grpo").low == find_objective("grpo").high == 0.2
assert find_objective("grpo").average == "sequence"

# %% tags=["hide-input"]
claims("C08", "C10", "C10b", "C10c")

# %% [markdown] tags=["slide"]
# ## A loss is three choices, and each shows in the weight of a token
#
# Whatever its name, a policy-gradient loss ends in $\sum_i w_i\,\nabla \log \pi(y_i)$, with $w_i$ the weight of token $y_i$ and $\pi$ the policy. The recipes differ in how they average
# over tokens, in what they do with the ratio of trained to sampling policy, and in how rewards become advantages. The weights
# below come from `rlscale.losses`, which the laboratory trains with.

# %% tags=["hide-input"]
parts = load_table("recipes")[["name", "ratio", "clip", "loss_average", "advantage", "prompt_filter"]]
names = {"loss_average": "average", "prompt_filter": "prompts"}
parts.set_index("name").fillna("none").rename(columns=names).rename_axis(index=None)

# %% [markdown]
# ### Averaging decides what a long answer counts
#
# Take two prompts with four answers each: one easy, with short answers, one hard, with long ones. How much does one token of each
# answer weigh?

# %% mystnb={"image": {"alt": "Weight of one token against the length of its answer on log axes. The mean by sequence falls with length; the token mean is flat at one; the mean by prompt has two levels, high for the easy prompt and low for the hard one; the constant is flat and lower."}, "figure": {"caption": "Weight of one token by the length of its answer, relative to the token mean. Eight answers of two prompts (illustrative lengths); computed from the losses.", "name": "fig-02-average"}} tags=["hide-input", "fragment"]
lengths = [[400, 600, 800, 1000], [2000, 6000, 10000, 14000]]
fig, ax = plt.subplots()
plot_recipes.plot_averages(ax, lengths, longest=14000)
ax.set_xlabel("tokens of the answer (log scale)")
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.legend(title="average")
plt.show()

# %% tags=["hide-input"]
counts = np.array(lengths)
mask = np.arange(14000)[None, None, :] < counts[..., None]
share = {a: average_weights(mask, a, longest=14000).sum(2) for a in AVERAGES}
longest_share = {a: float(w[1, 3] / w.sum()) for a, w in share.items()}
who = {"sequence": "GRPO, GSPO", "token": "DAPO", "prompt": "CISPO, ScaleRL", "constant": "Dr. GRPO"}
for average, names in who.items():
    print(
        f"{average:<9} ({names}): the longest answer has {100 * longest_share[average]:.0f} % of the weight"
    )
assert np.isclose(longest_share["sequence"], 1 / 8)
assert np.isclose(longest_share["token"], longest_share["constant"])
assert longest_share["sequence"] < longest_share["prompt"] < longest_share["token"]
assert all(find_objective(n).average == a for n, a in (("grpo", "sequence"), ("gspo", "sequence"), ("dapo", "token"),
           ("cispo", "prompt"), ("scalerl", "prompt"), ("dr-grpo", "constant")))  # fmt: skip

# %% [markdown]
# By sequence, each answer counts the same, so a token of a long wrong answer is hardly punished: this is the length bias that
# Dr. GRPO names {cite}`liu2025drgrpo`. By token, the longest answers own the gradient {cite}`yu2025dapo`. By prompt, tokens are equal
# *within* a prompt, and no prompt outweighs another. The starting page files the average by prompt under speed, which **differs**:
# of the three that ScaleRL tried, it has the highest ceiling {cite}`khatri2025scalerl`.
#
# ### Clipping decides which tokens drop out

# %% mystnb={"image": {"alt": "Two panels of token weight against the ratio of trained to sampling policy on a log axis. For right answers GRPO drops to zero above 1.2 and DAPO above 1.28; CISPO goes on to its cap at 5. For wrong answers GRPO and DAPO are zero below 0.8 and grow without bound above; CISPO keeps all tokens and stays at its cap."}, "figure": {"caption": "What the ratio makes of a token's weight, before advantage and average; derived from the losses.", "name": "fig-02-clip"}} tags=["hide-input"]
fig, axes = plt.subplots(1, 2, figsize=(7.2, 3.5), sharey=True)
plot_recipes.plot_ratio_weights(tuple(axes), [find_objective(n) for n in ("grpo", "dapo", "cispo")])
axes[0].legend(loc="upper left")
plt.show()

# %% tags=["hide-input"]
gspo = find_objective("gspo")
for tokens in (5, 1000, 10_000):
    low, high = (1 - gspo.low) ** tokens, (1 + gspo.high) ** tokens
    print(f"GSPO, {tokens:>6,} tokens: the answer may become {low:.3f} to {high:.3f} times as likely")

# %% [markdown]
# GRPO and DAPO give a clipped token *no gradient at all*. A rare word that starts a correction ("wait") is rare under the old
# policy, so its ratio leaves the band first. DAPO widens the upper edge for it; CISPO keeps every token and caps its weight
# {cite}`minimax2025m1`. GSPO clips whole answers by the geometric mean of their ratios, so its narrow band is wide for a long
# answer {cite}`zheng2025gspo`. On fresh samples every ratio is 1 and none of this does anything.
#
# CISPO's "twice as fast as DAPO" is **confirmed** in its own paper: half of the steps, one model, one test. In ScaleRL it is a
# steepness of {glue:text}`B-cispo` against {glue:text}`B-dapo`. "Half of GRPO's tokens" **differs**: the study compared *steps*, with
# *DAPO*. And that a switch of the loss is free is **unsourced**; at least a clip has to be tuned anew.
#
# ### Dividing by the deviation favours what is nearly solved or nearly hopeless

# %% mystnb={"image": {"alt": "Pull of a group against the pass rate of its prompt, scaled to one at one half. The advantage divided by the group's deviation gives a flatter, wider hump than the undivided one, which follows p times one minus p."}, "figure": {"caption": "How hard a group of eight pulls on a prompt, with and without division by the group's standard deviation, each scaled to 1 at one half. Derived: exact expectation over groups.", "name": "fig-02-pull"}} tags=["hide-input"]
divided, plain = find_objective("grpo"), find_objective("dr-grpo")
fig, ax = plt.subplots()
plot_recipes.plot_pull(ax, {"divided (GRPO, DAPO)": divided, "not divided (Dr. GRPO)": plain}, 8)
ax.legend(loc="lower center")
plt.show()

# %% tags=["remove-cell"]
at_95 = [float(prompt_pull(0.95, 8, o) / prompt_pull(0.5, 8, o)) for o in (divided, plain)]
say("pull-divided", f"{100 * at_95[0]:.0f} %")
say("pull-plain", f"{100 * at_95[1]:.0f} %")
say("B-cispo", f"{published.loc['loo_scalerl', 'B']:.2f}")
say("B-dapo", f"{published.loc['loo_dapo', 'B']:.2f}")
said = {"C09": "confirmed", "C17": "differs", "C43": "differs", "C43b": "unsourced"}
assert {i: claim(i).verdict for i in said} == said and claim("C43").source_value == 0.5

# %% [markdown]
# At a pass rate of 0.95 the divided advantage keeps {glue:text}`pull-divided` of its pull at one half, the undivided one
# {glue:text}`pull-plain`. ScaleRL divides by the deviation of the *batch*, which is one number for all prompts, so it pulls like the
# undivided one.

# %% tags=["hide-input"]
claims("C09", "C17", "C43", "C43b")

# %% [markdown] tags=["slide"]
# ## The levers: few are pure, and the big ones do not add up
#
# Each row is a lever of the starting page, or one that it leaves out. The symbol says what the evidence says; the frame, where the
# starting page files it.

# %% mystnb={"image": {"alt": "A grid with one row a lever and two columns, ceiling and speed. Symbols show up, down, none, mixed or unknown; frames show where the starting page files each lever. Longer answers and larger batches are up for the ceiling and down for speed."}, "figure": {"caption": "What each lever does to ceiling and speed, by its evidence (data/levers.csv; reported, one measured here); frames: what the starting page says.", "name": "fig-02-levers"}} tags=["hide-input", "fragment"]
fig, ax = plt.subplots(figsize=(6.4, 6.2))
plot_recipes.plot_levers(ax, load_table("levers"))
plt.show()

# %% tags=["hide-input"]
table = levers[levers["chapter"] == "02-algorithms"]
words = {i: claim(c).verdict for i, c in table["claim"].items()}
shown = table.assign(verdict=pd.Series(words))[["effect", "verdict", "adds_up"]]
shown = shown.rename(index=lambda i: i.replace("_", " "), columns={"adds_up": "adds up"})
shown.rename_axis(index=None)

# %% [markdown]
# *Reported {cite}`khatri2025scalerl`, one 8B model.* The rows of the other levers stand where they belong: filters in
# [](04-difficulty), asynchrony, hardware and packing in [](09-speed).
#
# **The big numbers overlap.** FP32 logits lift the baseline to {glue:text}`fp32-to`; the whole recipe, CISPO included, ends at
# {glue:text}`full-A`. So nothing is left for the rest to add. Taken out of the full recipe, neither FP32 nor CISPO moves the 8B model's
# ceiling by more than the margin. The starting page's plus 0.09 for FP32 therefore **differs in part**: it holds on a baseline with
# DAPO's loss. That it is free is **unsourced**.
#
# **Stability is a ceiling in disguise.** The plain baseline came apart after about 3,500 GPU-hours and the GRPO recipe after 6,000
# (reported, App. A.6 and A.16). A run that falls over has no ceiling, and a law fitted to its first half does not know.

# %% tags=["remove-cell"]
say("full-A", f"{published.loc['t1_scalerl', 'A']:.2f}")
assert claim("C11").source_value is None or claim("C11").verdict == "differs"
assert claim("C11b").verdict == "unsourced" and "3.5k" in published.loc["f5b_bf16", "note"]
assert "6k" in published.loc["f2_grpo", "note"]
assert (
    published.loc["f5b_fp32", "A"]
    == published.loc["t1_scalerl", "A"]
    == levers.loc["fp32_logits", "to_value"]
)

# %% tags=["hide-input"]
claims("C11", "C11b", "C13", "C47", "C47b")

# %% [markdown] tags=["slide"]
# ## Longer answers and larger batches: late, and higher
#
# Here all but the start is published, so the crossing can be computed. The unknown start moves it by a factor of about two:

# %% tags=["hide-input", "fragment"]
pairs = {
    "32k tokens over 14k": ("t1_32k", "t1_scalerl"),
    "batch 2,048 over 768": ("t1_bs2048", "t1_scalerl"),
}
rows, crossing = [], {}
for label, (later, earlier) in pairs.items():
    late, early = find_published(fits, later), find_published(fits, earlier)
    crossing[label] = []
    for start in (0.0, 0.25, 0.45):
        a = rs.Sigmoid(start, late.A, late.B, late.Cmid_gpu_hours)
        b = rs.Sigmoid(start, early.A, early.B, early.Cmid_gpu_hours)
        crossing[label] += [float(find_crossings(a, b, 100, 1e6)[-1])]
    gap = late.A - early.A
    low, high = (round(v(crossing[label]), -2) for v in (min, max))
    rows.append((label, f"{gap:+.3f}", f"{late.Cmid_gpu_hours / early.Cmid_gpu_hours:.1f}", f"{low:,.0f} to {high:,.0f}",
                 number(high * hour.value, "$")))  # fmt: skip
columns = ["", "ceiling", "times Cmid", "ahead from (hours)", "at most"]
assert all(1.7 < max(c) / min(c) < 2.5 for c in crossing.values())
say("cross-long", f"{round(min(crossing['32k tokens over 14k']), -2):,.0f}")
pd.DataFrame(rows, columns=columns).set_index("").rename_axis(index=None)

# %% [markdown]
# *Derived from Table 1 for starts of 0, 0.25 and 0.45, in GB200-hours; at most: the price of the upper end.* Below {glue:text}`cross-long` GB200-hours or more, the longer context has
# only cost you. A rollout step costs {glue:text}`step-small` GB200-hours at a batch of 768 and {glue:text}`step-large` in the long run with the
# large one, {glue:text}`step-times` times as much (derived); for 32k tokens no step is published, its cost is in $C_\text{mid}$. That longer
# answers and larger batches end higher is **confirmed**. A short ablation would have thrown out both.

# %% tags=["remove-cell"]
long_run = load_table("reference_runs").set_index("id").loc["scalerl_8b_100k"]
large_step = long_run.gpu_hours / long_run.steps
say("step-small", f"{hours_per_step:g}")
say("step-large", f"{large_step:.1f}")
say("step-times", f"{large_step / hours_per_step:.0f}")
said = {"C12": "confirmed", "C12c": "confirmed", "C13": "confirmed"}
assert {i: claim(i).verdict for i in said} == said

# %% tags=["hide-input"]
claims("C12", "C12b", "C12c")

# %% [markdown] tags=["slide"]
# ## Our own runs: the same task, one loss after the other
#
# The laboratory of [](12-lab) trains a tiny transformer with each loss, four updates on each batch, so that ratios leave 1.
# Same seed, same start, same step size for all. Each row is compared with GRPO in pairs of seeds:

# %% mystnb={"image": {"alt": "Pass rate against completions of laboratory runs with five losses. Thin lines are seeds, thick lines their mean."}, "figure": {"caption": "Laboratory runs with five losses against completions; thin: seeds, thick: their mean (measured).", "name": "fig-02-lab"}} tags=["hide-input", "fragment"]
runs = read_shipped_runs()
block = arms_of_block("algorithm, 4 updates a step", finished=runs.arms)
stale = arms_of_block("staleness x algorithm", finished=runs.arms)
table = summarise_runs(
    runs, ["off-grpo", *block, *sorted({"stale-8-grpo", "lr-0.001", *stale} & set(runs.arms))]
)
named = {
    "GRPO": "off-grpo",
    "Dr. GRPO": "off-dr-grpo",
    "DAPO": "off-dapo",
    "CISPO": "off-cispo",
    "GSPO": "off-gspo",
}
named = {k: v for k, v in named.items() if v in runs.arms}
fig, ax = plt.subplots()
figures.plot_arms(ax, runs, named, marks=[plot.RECIPES[n] for n in named])
plt.show()

# %% tags=["hide-input"]
ends = compare_arms(table, block)
print(
    f"end of the run against GRPO: {', '.join(f'{v} {n}' for v, n in ends['verdict'].value_counts().items())}"
)
format_comparison(ends).drop(columns="against").rename_axis(index=None)

# %% tags=["hide-input"]
speed = compare_arms(table, block, measure="c50", margin=0.1)
print("completions to a pass rate of one half, as a factor of GRPO's")
format_comparison(speed).drop(columns="against").rename_axis(index=None)

# %% [markdown]
# *Measured. Equal: the whole interval within ±0.02 of pass rate (or within 10 % of the compute); undecided: neither that nor
# different.* DAPO's factor in completions is the price of the groups it throws away; on an axis of updates it is ahead, as
# [](12-lab) shows. "Which is faster?" has no answer without an axis.
#
# Does age tell them apart? With a sampler eight steps old and a step size twice as large:

# %% tags=["hide-input"]
if stale:
    order = summarise_arms(table).loc[stale, "end"].sort_values(ascending=False)
    print(
        "end, highest first: " + ", ".join(f"{a.removeprefix('stale-8-')} {e:.2f}" for a, e in order.items())
    )
    worst = max(runs.table("stale-8-cispo", s)["largest_ratio"].max() for s in runs.seeds("stale-8-cispo"))
    print(f"largest ratio of trained to sampling policy in CISPO's runs: {worst:,.0f}")
    others = [a for a in stale if a != "stale-8-grpo"]
    shown = format_comparison(compare_arms(table, others), titles=False).rename_axis(index=None)
else:
    shown = pd.DataFrame({"result": ["these arms are not trained yet"]}, index=["staleness x algorithm"])
shown

# %% [markdown]
# Hold this against the claim that CISPO is ahead of GRPO before you carry either to your setting. In the toy, Adam's steps are huge against
# the length of the climb, and some ratios lie far outside any band; CISPO keeps such tokens, GRPO drops them. Eight steps are
# {glue:text}`stale-toy` of the way to $C_\text{mid}$ there and {glue:text}`stale-big` in ScaleRL's run (derived). The regime decides, not the name.

# %% tags=["remove-cell"]
half = float(summarise_arms(table).loc["off-grpo", "c50"]) / (
    64 * 8
)  # 64 prompts of 8 answers a rollout step
say("stale-toy", f"{100 * 8 / half:.0f} %")
say("stale-big", f"{100 * 8 / (find_published(fits, 't1_scalerl').Cmid_gpu_hours / hours_per_step):.1f} %")

# %% [markdown] tags=["slide"]
# ## The loss is free; what it needs beside the policy is not
#
# All of these losses cost the same arithmetic. The bill comes from scoring tokens anew, from a reference model for a KL term, and from
# a critic. Here is the model of the first code cell, on the smallest number of GPUs that holds each setup:

# %% mystnb={"image": {"alt": "Stacked bars of memory for five setups from adapters to PPO with a critic, split into weights, gradients, optimizer, activations and logits, with the number of GPUs at each bar's end. The optimizer is the largest part wherever all weights are trained."}, "figure": {"caption": "Memory by part over all GPUs, on the smallest power of two that holds it; dotted lines: whole GPUs. Derived from the shape of the model.", "name": "fig-02-memory"}} tags=["hide-input", "fragment"]
card = find_gpu(gpu)
setups = tabulate_setups(find_model(model), card, tokens_per_gpu=micro_batch)
fig, ax = plt.subplots(figsize=(7.2, 3.8))
plot_recipes.plot_memory(ax, setups, card.memory_gb)
plt.show()

# %% tags=["hide-input"]
columns = {"passes": "N a token", "gpus": "GPUs", "total": "GB"}
most, least = setups["passes"].max(), setups["passes"].iloc[0]
say("passes-ratio", f"{most / least:.0f}")
setups[list(columns)].rename(columns=columns).round(0).astype(int)

# %% [markdown]
# *N a token: operations a token; GB: over all GPUs.* $N$ is the number of parameters that work on a token; a forward pass takes $2N$ operations, forward and backward $6N$. A critic with
# a reference model does {glue:text}`passes-ratio` times the training arithmetic of a loss that keeps the sampler's log-probabilities.
# Group baselines were invented to save it {cite}`shao2024deepseekmath`. The *training* memory is not the whole story: the sampler's
# weights and cache come on top, or in turn ([](09-speed)).

# %% [markdown]
# ## Try it on your own recipe
#
# Two finished or half-finished runs of yours are two laws. `rlscale forecast` gives each of them with an interval, and [](10-plan)
# compares recipes with it. The laws below are those of the first code cell; put yours in their place.

# %%
for name, law in laws.items():
    at_target = law.compute_for(target)
    slope = 1000 * 100 * law.slope(budget)
    print(f"{name}: {reached(at_target)} GPU-hours to {target:.2f}")
    print(f"  after {budget:,.0f} the next 1,000 buy {slope:.2f} points")

# %% [markdown]
# ## Exercises
#
# Each has a solution that runs when the book is built.

# %% [markdown] tags=["slide"]
# ```{exercise-start} Who drops the token? (3 minutes)
# :label: ex-02-drop
# ```
# A token of a right answer has become 1.25 times as likely as under the sampler. What weight do GRPO, DAPO and CISPO give it, before
# advantage and average? And if the answer was wrong?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-02-drop
# :class: dropdown
# ```
# GRPO drops it only if the answer was right: its band ends at 1.2 there. DAPO's goes to 1.28. For a wrong answer the lower edge counts,
# and 1.25 is above it.

# %%
from rlscale.losses import ratio_weights

weights = {}
for name in ("grpo", "dapo", "cispo"):
    gap, written = np.full((1, 2, 1), np.log(1.25)), np.ones((1, 2, 1), bool)
    weights[name] = ratio_weights(gap, [[1.0, -1.0]], written, find_objective(name))[0, :, 0]
    print(f"{name}: right {weights[name][0]:.2f}, wrong {weights[name][1]:.2f}")
assert weights["grpo"][0] == 0 and np.allclose(
    [weights["grpo"][1], *weights["dapo"], *weights["cispo"]], 1.25
)

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown] tags=["slide"]
# ```{exercise-start} Twice as fast at which pass rate? (7 minutes)
# :label: ex-02-twice
# ```
# Take the laws of GRPO and CISPO from the table. How many times the compute does GRPO need to a pass rate of 0.30, 0.40, 0.45 and 0.49?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-02-twice
# :class: dropdown
# ```
# The factor grows without bound as the target nears GRPO's ceiling. One number for "faster" exists only between laws of one ceiling and
# one steepness.

# %%
grpo, cispo = find_recipe("GRPO").law, find_recipe("CISPO").law
factors = [grpo.compute_for(p) / cispo.compute_for(p) for p in (0.30, 0.40, 0.45, 0.49)]
print(", ".join(f"{f:.1f}" for f in factors))
assert factors == sorted(factors) and factors[-1] > 3 * factors[0] and np.isinf(grpo.compute_for(0.5))

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} Add up the levers (8 minutes)
# :label: ex-02-sum
# ```
# The baseline of ScaleRL's ablations has a ceiling of 0.52. Add what the starting page promises for FP32, and the gap between its CISPO and its
# GRPO. What does the full recipe reach, which has both? Which of the rows of `data/levers.csv` say that they do not add up?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-02-sum
# :class: dropdown
# ```
# The sum promises a tenth more than the whole recipe reached. Ablations on a bare baseline measure what *one* cure brings to a patient who
# needed only one.

# %%
base = published.loc["f5b_bf16", "A"]
promised = base + claim("C11").value + (claim("C10").value - claim("C10b").value)
whole = published.loc["t1_scalerl", "A"]
print(f"promised {promised:.2f}, reached {whole:.2f}")
print("do not add up:", ", ".join(levers.index[levers["adds_up"] == "no"]))
assert promised - whole > 0.09 and {"loss", "fp32_logits"} <= set(levers.index[levers["adds_up"] == "no"])

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} Length bias in one batch (12 minutes)
# :label: ex-02-bias
# ```
# A prompt has a right answer of 1,000 tokens and a wrong one of 4,000. With which average does the wrong one lose as much weight in all as the
# right one gains? What happens to each *token* of the wrong one, and what does that teach about length?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-02-bias
# :class: dropdown
# ```
# By sequence the totals balance, but each token of the long wrong answer is pushed down a quarter as hard: being wrong at length is cheap.
# With the other averages each token counts alike, and the long answer is pushed down four times as hard in all.

# %%
pair = np.arange(4000)[None, None, :] < np.array([[1000, 4000]])[..., None]
advantage = np.array([1.0, -1.0])
for average in ("sequence", "token", "constant"):
    token = average_weights(pair, average)[0, :, 0] * advantage
    total = average_weights(pair, average)[0].sum(1) * advantage
    print(
        f"{average:<9} per token {token[1] / token[0]:+.2f}, in all {total[1] / total[0]:+.2f} (wrong over right)"
    )
by_sequence = average_weights(pair, "sequence")[0, :, 0]
assert np.isclose(by_sequence[1] / by_sequence[0], 1 / 4)

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} Could an ablation of 4,000 hours have told? (15 minutes)
# :label: ex-02-ablation
# ```
# Simulate the fits at batch 768 and 2,048 with a start of 0.25 up to 4,000 and up to 50,000 GB200-hours, fit each with `fit_law`, and name the
# winner by the fitted ceiling. How often is it the right one over 40 seeds?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-02-ablation
# :class: dropdown
# ```
# At 4,000 hours the larger batch has not reached its $C_\text{mid}$: its ceiling is a guess, and so is the verdict.

# %%
from rlscale.simulate import simulate_curve

right = {}
truths = [
    rs.Sigmoid(0.25, f.A, f.B, f.Cmid_gpu_hours)
    for f in (find_published(fits, i) for i in ("t1_scalerl", "t1_bs2048"))
]
for end in (4_000, 50_000):
    places, wins, widths = np.linspace(0, end, 40), 0, []
    for s in range(40):
        found = [rs.fit_law(c.compute, c.pass_rate).law.A for c in (
            simulate_curve(t, places, unit="gpu_hours", seed=2 * s + i, drift=0) for i, t in enumerate(truths))]  # fmt: skip
        wins += found[1] > found[0]
        widths.append(found[1])
    right[end] = (wins / 40, float(np.ptp(np.quantile(widths, [0.05, 0.95]))))
    print(
        f"up to {end:,} hours: right in {100 * right[end][0]:.0f} %; ceiling of the larger batch spreads over {right[end][1]:.2f}"
    )
assert right[50_000][0] > 0.95 and right[4_000][1] > 5 * right[50_000][1]

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ## Limits
#
# - **One lab, one model.** Every published effect on a ceiling here is from ScaleRL's 8B model on one mathematics set. Ceilings scatter by
#   ±0.015 between repeats; steepness and $C_\text{mid}$ have no margin at all.
# - **Numbers in figures stay in figures.** Second-hand readings of ScaleRL's legends contradict each other, so those cells are empty.
# - **"All algorithms end alike" is not settled.** The starting page says so; ScaleRL's first finding is the opposite (**differs**). The lecture
#   and the page of 2026 that it names could not be read (**unsourced**).
# - **The toy tuned nothing.** One step size, one clip, five tokens an answer. It cannot speak about length or precision.
# - **Memory is a floor.** Fragmentation, communication buffers and the sampler come on top.

# %% [markdown] tags=["slide"]
# ## Take-aways
#
# - Ask what a recipe costs to *your* target. "Better" changes with the budget.
# - A loss is an average, a treatment of the ratio and a baseline. Look at the weight of a token, not at the name.
# - Ceiling levers found on a bare baseline do not add up.
# - Length and batch buy a higher ceiling with a later one; a short ablation cannot see it.
# - On fresh samples clips do nothing. How old the samples are decides how much the choice of a loss matters.
#
# Next: [](03-base-model) changes the model in place of the recipe, [](09-speed) has what changes the clock only.
#
# ## References
#
# - {cite:t}`khatri2025scalerl`: ablations, leave-one-out runs, fits. {cite:t}`shao2024deepseekmath`: GRPO.
# - {cite:t}`liu2025drgrpo`, {cite:t}`yu2025dapo`, {cite:t}`zheng2025gspo`, {cite:t}`minimax2025m1`, {cite:t}`mistral2025magistral`: the recipes.

# %% tags=["remove-cell"]
assert claim("C47").verdict == "differs" and claim("C47b").verdict == "unsourced"
