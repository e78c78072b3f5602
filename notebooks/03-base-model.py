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
# # What does the starting model decide?
#
# **The question.** Before the first rollout step you choose a model to start from: its size, dense or a mixture of experts,
# with supervised fine-tuning or without, all weights or an adapter. What of the curve follows from that choice?
#
# **The answer.** The start, most of the ceiling, and through both the compute to any target. But every comparison of two
# models holds *at one pass rate* and *in one unit*: the famous sixth of the compute is a share of GPU-hours, not of steps.
# Whether RL adds to what the model can do, you can measure: compare pass@k before and after.
#
# **Its limit.** One published pair of models carries the sixth. Nobody has published a law that gives ceilings by size. Our own
# runs show mechanisms on a toy.

# %% [markdown]
# ## What you will be able to do
#
# - **Convert** a saving in GPU-hours into one in rollout steps, and **say** at which pass rate it holds.
# - **Measure** with pass@k whether training widened a model or only sharpened it.
# - **Decide** whether a start by SFT pays for its longer answers.
# - **Estimate** from bits and parameters whether a small adapter can be enough.
# - **Name** three places where the likeness to Chinchilla ends.
#
# You need: the law of [](01-sigmoid-law).
# Time: 11 minutes to read, 45 minutes for the exercises.

# %% tags=["parameters"]
counts: str = ""  # CSV of your right answers before and after: problem, n_before, c_before, n_after, c_after
level: float = 0.9  # of the interval over problems
start_8b: float = 0.25  # assumed start of the published 8B run: never published, so illustrative
start_moe: float = 0.25  # the same of the mixture of experts
seed: int = 3  # of the simulated problems

# %% tags=["hide-input"]
import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue

import rlscale as rs
from rlscale import plot, plot_published, plot_start
from rlscale.capacity import decoder_maps, episode_bits, lora_parameters, run_bits
from rlscale.claims import claim, claims
from rlscale.lab.analysis import summarise_runs
from rlscale.lab.compare import arms_of_block, compare_arms, format_comparison
from rlscale.lab.coverage import tabulate_coverage
from rlscale.lab.shipped import read_shipped_runs
from rlscale.latent import find_crossing, lift, mean_pass_at_k, sharpen
from rlscale.latent_counts import Counts, compare_pass_at_k, read_counts
from rlscale.prices import find_token_prices
from rlscale.size_law import fit_size_law
from rlscale.starting_models import cold_start_factor, find_best_start, gap_after_doubling, share_of_compute

plt.style.use("rlscale.book")
pd.set_option("display.max_colwidth", None)
fits = plot_published.select_published(rs.load_table("published_fits"))
reference = rs.load_table("reference_runs").set_index("id")
dense, moe = reference.loc["scalerl_8b_100k"], reference.loc["scalerl_scout_50k"]
lab = read_shipped_runs()
lab_runs = summarise_runs(lab)
print(f"{len(fits)} published fits, {len(reference)} reference runs, {len(lab_runs)} laboratory runs")

# %% [markdown] tags=["slide"]
# ## A sixth of the hours is a third of the steps
#
# ScaleRL trained a dense 8B model and Scout, a mixture of experts with 17B active parameters of 109B
# {cite}`khatri2025scalerl`. Scout passed the 8B run's end with a sixth of its compute. The starting page makes two statements
# of this, and they get two verdicts:

# %% tags=["remove-input"]
claims("C20", "C20b", "C21")

# %% [markdown]
# The difference is what a step costs. Both runs state their steps and their hours:

# %% tags=["hide-input"]
hours_per_step = {name: row.gpu_hours / row.steps for name, row in (("8B", dense), ("Scout", moe))}
sixth = claim("C20").source_value * dense.gpu_hours
steps = sixth / hours_per_step["Scout"]
pd.DataFrame(
    {
        "8B, whole run": [f"{dense.gpu_hours:,.0f}", f"{dense.steps:,.0f}", f"{hours_per_step['8B']:.1f}"],
        "Scout, to the same end": [f"{sixth:,.0f}", f"{steps:,.0f}", f"{hours_per_step['Scout']:.1f}"],
        "share": [f"{sixth / dense.gpu_hours:.2f}", f"{steps / dense.steps:.2f}", ""],
    },
    index=["GPU-hours (GB200)", "rollout steps", "GPU-hours a step"],
)

# %% tags=["remove-cell"]
assert (moe.params_active_b, moe.params_total_b, dense.params_total_b) == (17, 109, 8)
assert np.isnan(fits.loc["t1_scout", "completions_per_step"])  # "not stated"
assert dense.steps_unit == moe.steps_unit == "rollout_steps" and dense.gpu == moe.gpu == "GB200"
assert round(steps / dense.steps, 2) == claim("C20b").source_value  # "a third" of the heading
prices = {
    k: find_token_prices(m)
    for k, m in (("moe", "Qwen3.6-35B-A3B"), ("9b", "Qwen3.5-9B"), ("27b", "Qwen3.6-27B"))
}
for key, price in prices.items():
    glue(f"price-{key}", f"{price.sample:.2f}", display=False)
glue("price-day", prices["moe"].as_of, display=False)
assert len({price.as_of for price in prices.values()}) == 1 and claim("C21").verdict == "unsourced"

# %% [markdown]
# *Source: {cite}`khatri2025scalerl`, Fig. 1 and Sec. 5 (reported); shares and hours a step are derived.*
#
# A step of the larger model took *fewer* GPU-hours, since a step is not a unit of work: the long 8B run used the large
# batch, and Scout's batch is not stated. Money by the GPU-hour follows the sixth. Money by the token follows neither number, as
# tokens a step are missing. That the price of a token is similar is **unsourced**: Tinker's list does not have Scout. Of what it has,
# a million tokens sampled from a mixture of 35B with 3B active cost USD {glue:text}`price-moe`, from a dense 9B
# {glue:text}`price-9b`, from a dense 27B {glue:text}`price-27b` ({glue:text}`price-day`). And {numref}`fig-share` shows that the sixth belongs to one pass rate: that at the end of the 8B run.

# %% mystnb={"image": {"alt": "Share of the GPU-hours that Scout needs against the pass rate that both models reach, as a band over assumed starts. It falls from about a third at 0.45 to about a tenth at 0.63; the stated sixth is a dashed line that the band crosses near 0.6."}, "figure": {"caption": "Compute of Scout over that of the 8B run to the same pass rate. Band: starts from 0.15 to 0.35 for each model (illustrative); the fits are reported.", "name": "fig-share"}} tags=["hide-input", "fragment"]
law_8b = rs.Sigmoid(start_8b, *fits.loc["t1_bs2048", ["A", "B", "Cmid_gpu_hours"]].astype(float))
law_moe = rs.Sigmoid(start_moe, *fits.loc["t1_scout", ["A", "B", "Cmid_gpu_hours"]].astype(float))


def with_start(law: rs.Sigmoid, start: float) -> rs.Sigmoid:
    return rs.Sigmoid(start, law.A, law.B, law.Cmid)


starts = list(itertools.product((0.15, 0.25, 0.35), repeat=2))
rates = np.linspace(0.45, float(law_8b(dense.gpu_hours)), 60)
shares = [share_of_compute(with_start(law_moe, m), with_start(law_8b, d), rates) for m, d in starts]
fig, ax = plt.subplots()
plot_start.plot_shares(ax, rates, shares, stated=claim("C20").source_value)
plt.show()

# %% tags=["hide-input"]
at_end = [
    float(
        share_of_compute(
            with_start(law_moe, m), with_start(law_8b, d), float(with_start(law_8b, d)(dense.gpu_hours))
        )
    )
    for m, d in starts
]
at_half = share_of_compute(law_moe, law_8b, (law_8b.R0 + law_8b.A) / 2)
print(f"share of the hours at the 8B run's end: {min(at_end):.2f} to {max(at_end):.2f}")
print(f"share where the 8B run has won half of its gain: {at_half:.2f}")
assert max(at_end) < claim("C20").source_value < at_half  # "less than a sixth", "more than a sixth"

# %% [markdown]
# By the published fits Scout needs even less than a sixth at the very end, and more than a sixth before. Two ceilings that
# differ have no single ratio: near the lower one it falls to 0, since one model gets there at last and the other passes by.
# Nor is the pair a test of *mixtures*: the families differ, Scout has twice the active parameters, and over ten times the total.
# More latent ability in more parameters is a guess that fits; one pair cannot tell it from the rest. What the starting page says of the
# two models, folded:

# %% tags=["hide-input", "hide-output"]
claims("C20c", "C20d", "C20e")

# %% [markdown] tags=["slide"]
# ## pass@k tells sharpening from widening
#
# A model that solves a problem once in a hundred answers *can* solve it, and RL can make that one answer the usual one. The
# starting page says that this is all RLVR does. That is **confirmed in part**: Yue et al. {cite}`yue2025limit` find that with
# enough answers a problem the base model overtakes the trained one. ProRL {cite}`liu2025prorl` finds tasks where long RL goes
# beyond the base, and BroRL {cite}`hu2025brorl` that more rollouts revive a plateau.

# %% tags=["remove-input"]
claims("C22", "C22b")

# %% [markdown]
# The test is pass@k, the share of problems with at least one right answer among $k$ {cite}`chen2021codex`. Two caricatures show what
# to look for. *Sharpening* raises all answer probabilities to a power: the most frequent answer wins, right or wrong.
# *Lifting* raises the log-odds of the right answer everywhere.

# %% mystnb={"image": {"alt": "Two panels of pass@k against k from 1 to 1024. Left, sharpening: the trained curve starts above the curve before training, is overtaken at about k = 6 and ends far below. Right, lifting: the trained curve stays above for all k."}, "figure": {"caption": "pass@k before (grey, dashed) and after (blue) for simulated problems (illustrative); dotted: the crossing.", "name": "fig-caricatures"}} tags=["hide-input", "fragment"]
problems = np.random.default_rng(seed).beta(0.35, 0.9, 2000)
ks = 2 ** np.arange(11)
before = mean_pass_at_k(problems, ks)
trained = {
    "sharpened": mean_pass_at_k(sharpen(problems, 3.0, rivals=8), ks),
    "lifted": mean_pass_at_k(lift(problems, 1.5), ks),
}
crossings = {name: find_crossing(ks, before, after) for name, after in trained.items()}
fig, axes = plt.subplots(1, 2, figsize=(7.0, 3.4), sharey=True)
for ax, (name, after) in zip(axes, trained.items(), strict=True):
    plot_start.plot_pass_at_k(ax, ks, before, after, crossings[name])
    ax.set_title(name)
axes[0].set_ylabel("pass@k")
plt.show()

# %% tags=["hide-input"]
for name, after in trained.items():
    where = f"crosses at k = {crossings[name]:.1f}" if np.isfinite(crossings[name]) else "never crosses"
    print(
        f"{name}: pass@1 {before[0]:.2f} -> {after[0]:.2f}, pass@1024 {before[-1]:.2f} -> {after[-1]:.2f}; {where}"
    )
assert 1 < crossings["sharpened"] < 32 and np.isnan(crossings["lifted"])

# %% [markdown]
# Both trained models gain the same way at $k = 1$. Your training log shows only that.
#
# ### In our own runs the pool of prompts decides which of the two you get
#
# The laboratory of [](12-lab) measures pass@k exactly, with no sampling. Same model, same start, same GRPO; only the number of
# different training prompts changes.

# %% mystnb={"image": {"alt": "pass@k at k = 1, 8 and 64 before training and at the end for four pools of prompts. Fresh prompts and 512 prompts end above the start at every k; 128 prompts end above at 1 and 8; 32 prompts end above at 1 and far below at 8 and 64."}, "figure": {"caption": "pass@k on held-out prompts before training (grey) and at the end, for four pools of training prompts (measured).", "name": "fig-coverage"}} tags=["hide-input"]
pools = {"fresh": "baseline", "512": "pool-512", "128": "pool-128", "32 prompts": "pool-32"}
coverage = tabulate_coverage(lab, pools)
fig, ax = plt.subplots()
plot_start.plot_coverage(ax, coverage, list(pools))
plt.show()

# %% tags=["hide-input"]
fresh, small = coverage.loc["fresh"], coverage.loc["32 prompts"]
assert (fresh.change > 0).all() and small.change[1] > 0 > small.change[8] > small.change[64]
shown = coverage[["n", "start", "end", "change", "verdict"]].round({"start": 3, "end": 3, "change": 3})
shown

# %% [markdown]
# With 32 prompts pass@1 rises and pass@64 falls: the curves cross. With fresh prompts all three rise: nothing is lost. The
# `verdict` is that of a 95 % interval over the seeds. So crossing is not a property of RLVR as such. Here it is what training too
# long on too little looks like. It fits both camps: ProRL's data are many and varied, and its runs long. Whether variety is what
# decides at scale, no source we know has tested.
#
# And where there is no rule to be found, RL gains little and forgets much. In this arm the task is a product modulo 23, facts to be
# learned by heart, from a start of 0.3:

# %% tags=["hide-input"]
rote = tabulate_coverage(lab, {"facts by rote": "rote"})
forgotten = rote.loc["facts by rote", "change"]
assert forgotten[1] < 0.5 * coverage.loc["fresh"].change[1] and forgotten[8] < 0 and forgotten[64] < 0
rote[["n", "start", "end", "change", "verdict"]].round({"start": 3, "end": 3, "change": 3})

# %% [markdown]
# ### To choose a start, measure pass@k there too
#
# Kang et al. {cite}`kang2025quagmires` trained hundreds of models. The score after SFT misled them about the outcome of RL;
# the loss on held-out examples and pass@k at large $k$ predicted it better. That a base specialised in mathematics converges
# faster there has no source that we could find:

# %% tags=["remove-input"]
claims("C22c")

# %% [markdown] tags=["slide"]
# ## A cold start moves the curve, and may lengthen it
#
# A short SFT before RL gives the model the form of an answer. DeepSeek-R1 does so, for readable answers and a stable start
# {cite}`deepseekai2025r1`. That RL then takes nearly twice the time, since answers get longer, is **unsourced**. Do not argue
# about it: three numbers of yours decide.

# %% tags=["remove-input"]
claims("C23", "C23b")

# %% tags=["hide-input", "fragment"]
saved, longer = [0.0, 0.25, 0.5, 0.75], [1.0, 1.5, 2.0, 3.0]
factor = cold_start_factor(np.array(saved)[:, None], np.array(longer), sft_share=0.05)
assert factor[0, 2] > 2 and factor[2, 2] > 1 > factor[2, 1]
pd.DataFrame(
    factor.round(2),
    index=[f"{100 * s:.0f} % saved" for s in saved],
    columns=[f"answers ×{f:g}" for f in longer],
)

# %% [markdown]
# *Cost of SFT plus RL over RL alone, by steps saved and length of answers, with an SFT that costs 5 % (illustrative). Below 1 the
# start pays.*
#
# Twice as long answers eat up half of the steps saved. What the start changes in the curve, the laboratory shows: a warm start to a
# higher pass rate brings the half-way point forward. Its end it moves little, and the table says what is decided:

# %% tags=["hide-input"]
warm = arms_of_block("edge of competence", finished=lab.arms)
by_start = [n for n in ("start-0.02", "start-0.05", "baseline", "start-0.3") if n in lab.arms]
halfway = lab_runs.groupby("arm")["c50"].mean()[by_start]
assert halfway.is_monotonic_decreasing  # "brings forward"
print("completions to a pass rate of one half, from lowest to highest start:")
print(", ".join(f"{c:,.0f}" for c in halfway.round(-2)))
format_comparison(compare_arms(lab_runs, warm))

# %% [markdown]
# Can a strong base skip it? Open-Reasoner-Zero reports a par result with plain PPO from the base model after a tenth of the steps
# {cite}`hu2025orz`. That is **confirmed in part**: the comparison is with the 32B version of R1-Zero, and a step of one recipe
# is not a step of the other. ScaleRL itself starts from SFT.

# %% tags=["remove-input"]
claims("C24", "C24b")

# %% [markdown] tags=["slide"]
# ## Larger models lose their error faster, by the one law there is
#
# ScaleRL fits each model by itself. Tan et al. {cite}`tan2025scaling` give a form across sizes: the error falls as a power of the
# compute, with a slope that rises with size and tends to a limit.

# %% mystnb={"image": {"alt": "Slope of the error against model size on a log axis: points at 0.5, 7, 32 and 72 billion parameters on a rising curve that bends towards a limit near 0.135; dashed beyond 72."}, "figure": {"caption": "Slope by size: points read off a figure (reported), curve fitted here (derived).", "name": "fig-sizes"}} tags=["hide-input", "fragment"]
slopes = rs.load_table("size_slopes")
size_law = fit_size_law(slopes.params_b, slopes.slope)
fig, ax = plt.subplots()
plot_start.plot_size_slopes(ax, size_law, dict(zip(slopes.params_b, slopes.slope, strict=True)))
plt.show()

# %% tags=["hide-input"]
left = {size: float(size_law.error_factor(size, 10)) for size in (7, 72)}
print(f"slope at most {size_law.Kmax:.3f}; half of that at {size_law.N0:.0f} billion parameters")
for size, rest in left.items():
    print(f"{size}B: {100 * rest:.0f} % of the error left after ten times the compute")

# %% [markdown]
# This law has no ceiling, so do not carry it far: the authors' own figure over-predicts the late gain of several sizes. The
# other forms that have been proposed answer other questions:

# %% tags=["hide-input", "sortable"]
forms = rs.load_table("scaling_forms").set_index("work")
forms[["form", "studied", "for_a_planner"]].set_axis(["form", "studied on", "helps with"], axis=1)

# %% [markdown] tags=["slide"]
# ## A rank-1 adapter is enough to steer, and too little to learn
#
# Schulman et al. {cite}`schulman2025lora` find that LoRA equals full training in RL down to rank 1, and give a reason: a reward of
# 0 or 1 teaches at most one bit an episode. Both are **confirmed in part**.

# %% tags=["remove-input"]
claims("C44", "C44b")

# %% [markdown]
# One bit is the *most*: a reward's entropy at pass rate $p$, which is small where nearly all answers fail. Add it up over a run
# and set it against what the adapter holds:

# %% tags=["fragment"]
steered = lora_parameters(decoder_maps(4096, 1024, 14336, 32), rank=1)  # the maps of Llama-3.1-8B
tiny = [(32, 96), (32, 32), (32, 128), (128, 32)] * 2 + [
    (32, 14)
]  # the laboratory's: two layers and the head
learned = lora_parameters(tiny, rank=1)
curve = lab.curve("baseline", lab.seeds("baseline")[0])
bits_8b, bits_lab = 10_000 * 32 * 1.0, run_bits(curve.compute, curve.pass_rate)
capacity = pd.DataFrame(
    {
        "rank-1 parameters": [f"{steered:,}", f"{learned:,}"],
        "bits at most": [f"{bits_8b:,.0f}", f"{bits_lab:,.0f}"],
        "bits a parameter": [f"{bits_8b / steered:.2f}", f"{bits_lab / learned:.0f}"],
    },
    index=["8B model", "our laboratory"],
)
assert bits_8b / steered < 1 < 16 < bits_lab / learned  # "less than one", "more than a parameter can hold"
capacity

# %% tags=["remove-cell"]
assert bits_8b == 10_000 * 32
llama = rs.load_table("models").set_index("model").loc["Llama-3.1-8B"]
assert (llama.hidden, llama.kv_heads * llama.head_dim, llama.layers) == (4096, 1024, 32)
in_maps = sum(i * o for i, o in decoder_maps(4096, 1024, 14336, 32)) / 1e9
assert (
    abs(in_maps + 2 * 128_256 * 4096 / 1e9 - llama.params_total_b) < 0.01
)  # maps and two embeddings are the model
adapted = lab.index[lab.index.arm == "lora-1"].trained_parameters
assert (adapted == learned).all()  # as trained
assert (
    lab.settings("baseline", 0).width,
    lab.settings("baseline", 0).mlp,
    lab.settings("baseline", 0).layers,
) == (32, 128, 2)

# %% [markdown]
# *First row: 10,000 problems with 32 answers each, at one bit {cite}`schulman2025lora` (reported), parameters from the model's shape
# (derived). Second row: the entropy of the rewards of one run (measured).*
#
# For the 8B model an adapter of rank 1 has several parameters for every bit. For our toy the rewards may carry far more bits a
# parameter than a 16-bit number has. So the argument itself predicts that rank 1 falls short here. Measured, as the difference of the
# end to full training:

# %% tags=["hide-input"]
adapters = arms_of_block("adapters", finished=lab.arms)
format_comparison(compare_arms(lab_runs, adapters)) if adapters else "no run with an adapter: undecided"

# %% [markdown]
# This goes against the starting page only where it says *always*. A large model is *steered* to what it can do already; a model of
# 27 thousand parameters has to *learn* to sort. The bound is loose at the other end too: Morris et al. {cite}`morris2026tinylora`
# report an 8B model trained on grade-school mathematics with 13 parameters, far below one bit an episode. And some
# replications see full training pull ahead late.

# %% [markdown] tags=["slide"]
# ## Chinchilla splits a budget; RL asks when to stop
#
# The starting page calls the sigmoid the RL counterpart of compute-optimal planning {cite}`hoffmann2022chinchilla`. Alike is that
# a budget and a fitted curve decide. The likeness ends in three places.
#
# **The gain runs out.** Let the compute double, and see which share of the gap to the limit is left:

# %% tags=["fragment"]
chinchilla = rs.load_table("scaling_forms").set_index("id").loc["chinchilla"]
alpha, beta = chinchilla.number, 0.28
pretraining = 2 ** -(alpha * beta / (alpha + beta))
rl = gap_after_doubling(law_8b.B, [1, 4, 8])
print(f"pre-training at the best split: {pretraining:.2f} of the gap left by each doubling")
print("RL, from 1, 4 and 8 times Cmid: " + ", ".join(f"{r:.2f}" for r in rl))
assert pretraining > 0.85 and (rl < 0.5).all()

# %% tags=["remove-cell"]
assert f"β is {beta}" in chinchilla.number_means

# %% [markdown]
# In pre-training the next doubling is worth nearly what the last one was. In RL each takes most of what remains. So the question
# is not how to split a growing budget, but when to stop ([](10-plan)).
#
# **There is no joint law.** Chinchilla's loss depends on size and data in one formula. In RL, ceiling, steepness and $C_\text{mid}$
# are fitted to each pair of model and recipe, and a plateau of one recipe is not one of the next.
#
# **The best start depends on the budget, but by steps.** Take the three published fits and the assumed starts: which has the
# highest pass rate at each budget?

# %% tags=["hide-input"]
candidates = {
    "8B, batch 768": with_start(
        rs.Sigmoid(start_8b, *fits.loc["t1_scalerl", ["A", "B", "Cmid_gpu_hours"]].astype(float)), start_8b
    ),
    "8B, batch 2048": law_8b,
    "Scout": law_moe,
}
budgets = np.geomspace(500, 100_000, 2000)
winners = pd.Series(find_best_start(candidates, budgets), index=budgets)
changes = winners[winners != winners.shift()]
print("; ".join(f"from {plot.format_compute(c, 'gpu_hours')}: {name}" for c, name in changes.items()))

# %% [markdown]
# The large batch on the small model never leads. Had it been compared with the small batch alone, it would have won the long run.

# %% tags=["remove-cell"]
assert list(changes) == ["8B, batch 768", "Scout"]

# %% [markdown]
# ## Try it on your own data
#
# Draw 16 answers or more to each problem from both models, count the right ones, and give the file in the first cell. Here
# stands a simulated pair: 120 problems, 64 answers, sharpened.

# %%
if counts:
    mine = read_counts(counts)
else:
    rng = np.random.default_rng(seed)
    some = problems[:120]
    n = np.full(some.size, 64)
    names = tuple(f"p{i}" for i in range(some.size))
    mine = Counts(names, n, rng.binomial(n, some), n, rng.binomial(n, sharpen(some, 3.0, rivals=8)))
compared = compare_pass_at_k(mine, level=level)
compared.round(3)

# %%
own = find_crossing(compared.index, compared.before, compared.after) if len(compared) > 1 else float("nan")
print(f"{len(mine.problems)} problems, k up to {mine.largest_k}")
print(
    f"the start overtakes at k = {own:.1f}" if np.isfinite(own) else "the start does not overtake up to there"
)
print(f"decided at the largest k: {compared.verdict.iloc[-1]}")

# %% [markdown]
# ## Exercises
#
# Each has a solution that runs when the book is built.

# %% [markdown] tags=["slide"]
# ```{exercise-start} A quarter of the hours (3 minutes)
# :label: ex-03-quarter
# ```
# A model needs a quarter of the GPU-hours of another to the same pass rate. Its step takes half as many GPU-hours. Which share of
# the steps does it need?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-03-quarter
# :class: dropdown
# ```
# Steps are hours over hours a step. Half: a cheap step hides the saving.

# %%
share_of_steps = 0.25 / 0.5
print(f"{100 * share_of_steps:.0f} % of the steps")
assert share_of_steps == 0.5

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown] tags=["slide"]
# ```{exercise-start} The wrong way to estimate pass@k (7 minutes)
# :label: ex-03-biased
# ```
# You drew 16 answers a problem and put the observed share $c/n$ into $1-(1-c/n)^k$. Simulate problems with pass rate 0.05. How far
# off is that at $k = 16$, and the unbiased estimate `rs.pass_at_k`? In which direction does a comparison of two models err?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-03-biased
# :class: dropdown
# ```
# The plug-in is too low, most where problems are hard. It favours the sharpened model at large k.

# %%
rng = np.random.default_rng(0)
right = rng.binomial(16, 0.05, 20_000)
true = 1 - 0.95**16
plug_in = np.mean(1 - (1 - right / 16) ** 16)
unbiased = rs.pass_at_k(16, right, 16).mean()
print(f"true {true:.3f}, plug-in {plug_in:.3f}, unbiased {unbiased:.3f}")
assert plug_in < true - 0.1 and abs(unbiased - true) < 0.01

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} When does a cold start pay? (8 minutes)
# :label: ex-03-cold
# ```
# SFT costs 10 % of RL alone, and makes answers 1.8 times as long. Which share of the rollout steps must it save? Which with a
# price of a step that is half generation and half a fixed part, such as tests in a sandbox?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-03-cold
# :class: dropdown
# ```
# Set the cost to 1: saved = 1 - (1 - SFT) / length. With a fixed half, the step's price grows by 1.4 only.

# %%
need = 1 - (1 - 0.10) / 1.8
need_fixed = 1 - (1 - 0.10) / (0.5 + 0.5 * 1.8)
print(f"{100 * need:.0f} % of the steps; {100 * need_fixed:.0f} % where half of the step is fixed")
assert np.isclose(cold_start_factor(need, 1.8, 0.10), 1) and np.isclose(
    cold_start_factor(need_fixed, 1.4, 0.10), 1
)

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} How many bits does a hard task teach? (12 minutes)
# :label: ex-03-bits
# ```
# Two runs of 300,000 answers: one stays at a pass rate of 0.03, one climbs evenly from 0.3 to 0.7. How many bits can each have
# learned at most? Which share of the first run's bits is lost if the verifier calls one wrong answer in twenty right?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-03-bits
# :class: dropdown
# ```
# The hard run teaches a fifth. What a noisy reward tells is the entropy of the reward minus that of the noise.

# %%
answers = np.linspace(0, 300_000, 301)
hard = run_bits(answers, np.full(answers.size, 0.03))
edge = run_bits(answers, np.linspace(0.3, 0.7, answers.size))
reward_rate = 0.03 + 0.97 * 0.05
told = episode_bits(reward_rate) - 0.97 * episode_bits(0.05)
lost = 1 - float(told / episode_bits(0.03))
print(f"{hard:,.0f} against {edge:,.0f} bits; {100 * lost:.0f} % lost to the noise")
assert 0.18 < hard / edge < 0.22 and 0.2 < lost < 0.6

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} How many problems until a crossing shows? (15 minutes)
# :label: ex-03-power
# ```
# Two models cross as in {numref}`fig-caricatures`, left. You draw 64 answers a problem. In how many of 30 simulated evaluations
# does `compare_pass_at_k` say *start ahead* at $k = 64$, with 30 problems (one AIME) and with 300?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-03-power
# :class: dropdown
# ```
# With 30 problems even a large loss of coverage is missed now and then, and a small one often. With 300 it is not missed.

# %%
rng = np.random.default_rng(1)
seen = {}
for size in (30, 300):
    found = 0
    for _ in range(30):
        p = rng.choice(problems, size)
        n = np.full(size, 64)
        pair = Counts(
            tuple(map(str, range(size))), n, rng.binomial(n, p), n, rng.binomial(n, sharpen(p, 3.0, rivals=8))
        )
        found += compare_pass_at_k(pair, [64], replicates=300).verdict.iloc[0] == "start ahead"
    seen[size] = found
    print(f"{size} problems: shown in {found} of 30")
assert seen[30] < seen[300] == 30

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown] tags=["slide"]
# ## Limits
#
# - **One pair.** The sixth rests on one dense model and one mixture, of different families. Their starts are not published.
# - **pass@k at large k has its own trap.** A problem with few possible answers is solved by guessing, so a large $k$ flatters the
#   model that guesses most. Check that the solution is right, not only the answer.
# - **The caricatures are not models of training.** They show what two mechanisms leave behind, not when each occurs.
# - **Bits bound learning from above.** That a run could have taught so much does not say that it did.
# - **The slopes by size** are read off a figure of one family of models.
#
# ## Take-aways
#
# - Say *at which pass rate* and *in which unit* whenever you say "a sixth".
# - Measure pass@k before and after. The training log cannot tell sharpening from widening.
# - Narrow data make RL narrow a model; in our runs varied data did not.
# - A cold start pays if the steps saved outweigh the longer answers. Both are yours to measure.
# - Rank 1 is enough where the model can do the task already and has parameters to spare.
# - There is no Chinchilla for RL yet: no law joins size, data and ceiling.
#
# Next: [](04-difficulty), since where a model stands on *your* problems decides what it can learn from them.
#
# ## References
#
# - {cite:t}`khatri2025scalerl`: both models (Fig. 1, Sec. 5, Table 1).
# - {cite:t}`yue2025limit`, {cite:t}`liu2025prorl`, {cite:t}`hu2025brorl`: what RLVR adds, and the contrary evidence.
# - {cite:t}`kang2025quagmires`: which measures of a start predict the outcome of RL.
# - {cite:t}`tan2025scaling`, {cite:t}`nimmaturi2025predictive`, {cite:t}`cheng2026isocompute`, {cite:t}`zeng2025rlve`: other laws.
# - {cite:t}`schulman2025lora`, {cite:t}`morris2026tinylora`: small adapters in RL.
