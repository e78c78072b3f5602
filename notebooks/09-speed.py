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
# # What makes the same steps faster?
#
# **The question.** You keep the recipe, so the curve in rollout steps should stay. Which framework, schedule or GPU brings
# the end nearer on the clock, and what can go wrong on the way?
#
# **The answer.** Overlapping generation and training made published runs {glue:text}`async-lo` to {glue:text}`async-hi` times
# faster. A GB200 did {glue:text}`gb-lo` to {glue:text}`gb-hi` times the work of an H100 in whole steps. More GPUs shorten
# the clock, and beyond a point they only raise the bill.
#
# **Its limit.** Each factor belongs to a batch, a length and a number of GPUs. None is a constant that you may multiply
# with another. And the premise is not free: a faster engine that computes other probabilities than the trainer changes
# the curve as well, and the usual log line does not show it.

# %% [markdown]
# ## What you will be able to do
#
# - **Find** what a rollout step waits for: memory bandwidth, arithmetic, or its longest answer.
# - **Predict** what more GPUs or an asynchronous schedule would gain in your setting.
# - **Read** step timers and throughputs without being misled.
# - **Measure** the mismatch of two engines so that it cannot cancel itself.
# - **Choose** the smallest machine that holds a training setup.
#
# You need: the step and token counts of [](08-cost). No GPU, no account.
# Time: 10 minutes to read, 33 minutes for the exercises.

# %% tags=["parameters"]
model: str = "Qwen2.5-7B"  # shape of your model, a row of data/models.csv
gpu: str = "H100 SXM"  # your GPU, a row of data/gpus.csv
gpus: int = 16  # how many
completions: int = 1024  # completions of a rollout step
mean_length: float = 2000.0  # their mean length, in tokens
max_length: int = 8192  # longest allowed, in tokens

# %% tags=["hide-input"]
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue

from rlscale import plot_cost
from rlscale.claims import claim, claims
from rlscale.clock import check_gpu_hours, count_gpu_hours
from rlscale.cost_checks import list_inputs
from rlscale.errors import CostError
from rlscale.hardware import find_gpu, find_model, usual_mfu
from rlscale.lab.analysis import summarise_runs
from rlscale.lab.shipped import read_shipped_runs
from rlscale.lengths import length_quantiles
from rlscale.losses import find_objective
from rlscale.memory import size_training, smallest_machine
from rlscale.mismatch import measure_mismatch
from rlscale.plot_marks import COLOURS
from rlscale.roofline import DECODE_EFFICIENCY, count_sequences, decode_throughput
from rlscale.rounding import compare_rounding, draw_logits
from rlscale.speed import Cluster, time_step
from rlscale.tables import load_table

plt.style.use("rlscale.book")
pd.set_option("display.max_colwidth", None)


def say(name, text):
    glue(name, str(text), display=False)


def place(model_name, gpu_name, gpus, mode="sync", **settings):
    """A cluster with the usual efficiencies of its model and GPU."""
    model, gpu = find_model(model_name), find_gpu(gpu_name)
    usual = {"decode_efficiency": DECODE_EFFICIENCY[model.family][1], "mfu": usual_mfu(model, gpu)[1]}
    return Cluster(model, gpu, gpus=gpus, mode=mode, **(usual | {"gpus_per_replica": 1} | settings))


def walk(cluster, count, length, longest, cv=1.0, prompt=150):
    return time_step(cluster, count, prompt, length, cv, longest, count * (length + prompt))


runs = load_table("reference_runs").set_index("id")
pairs = {
    "AReaL, 1.5B": ("areal_1_5b_sync", "areal_1_5b_async"),
    "AReaL, 7B": ("areal_7b_sync", "areal_7b_async"),
    "verl, 7B, 32 GPUs": ("verl_dapo_7b_32_sync", "verl_dapo_7b_32_async"),
    "verl, 7B, 64 GPUs": ("verl_dapo_7b_64_sync", "verl_dapo_7b_64_async"),
    "verl, 7B, 128 GPUs": ("verl_dapo_7b_128_sync", "verl_dapo_7b_128_async"),
    "verl, 30B-A3B, 128 GPUs": ("verl_grpo_30b_sync", "verl_grpo_30b_async"),
}
gain = {name: runs.loc[a, "hours"] / runs.loc[b, "hours"] for name, (a, b) in pairs.items()}
nemo = {"NeMo RL, 8B": ("nemo_llama_3_1_8b_sync", "nemo_llama_3_1_8b_async")}
measured = list_inputs().set_index("id")["actual"]
gain |= {name: measured[a] / measured[b] for name, (a, b) in nemo.items()}
faster = load_table("gpu_speedups")["speedup"]
say("async-lo", f"{min(gain.values()):.1f}")
say("async-hi", f"{max(gain.values()):.1f}")
say("gb-lo", f"{faster.min():.1f}")
say("gb-hi", f"{faster.max():.1f}")
# what the text states of claims and runs
said = {"C02": "unsourced", "C03": "confirmed", "C04": "differs", "C16": "differs", "C18": "confirmed"}
said |= {"C19": "unsourced", "C25": "differs", "C25b": "confirmed", "C26": "confirmed", "C27": "confirmed"}
said |= {"C18b": "confirmed"}
assert {i: claim(i).verdict for i in said} == said
assert [claim(i).value for i in ("C02", "C03", "C04", "C16", "C18", "C18b", "C26", "C27")] == [
    2.8,
    2.4,
    4.5,
    4,
    2.4,
    6.6,
    8,
    2.5,
]
assert tuple(runs.loc[["vcpo_sync", "vcpo_async"], "hours"]) == (105, 42)
print(
    f"asynchronous: {min(gain.values()):.2f} to {max(gain.values()):.2f} times faster in {len(gain)} pairs of runs"
)

# %% [markdown] tags=["slide"]
# ## Writing is bound by memory, until the batch is large
#
# To write one token, a GPU reads all weights. For one answer at a time it then does next to no arithmetic. Every further
# answer shares that reading, so throughput rises with the batch until memory is full or arithmetic is the limit. A mixture
# of experts reads few experts for one answer and nearly all of them for sixty-four:

# %% mystnb={"image": {"alt": "Tokens per second and GPU against sequences per GPU on log axes for an 8B dense model on H100 and B200 and a 30B mixture on H100. All rise almost in proportion to the batch and end where memory is full."}, "figure": {"caption": "The roofline of decoding, without any loss: tokens per second and GPU for answers with 4,000 tokens in flight. A curve ends where memory is full. Derived from specifications.", "name": "fig-09-roof"}} tags=["hide-input", "fragment"]
fig, ax = plt.subplots()
context = 4000.0
styles = [  # model, GPU, colour, line, where its label goes
    ("Llama-3.1-8B", "H100 SXM", COLOURS["blue"], "-", (8, -4), "left"),
    ("Llama-3.1-8B", "B200 SXM", COLOURS["blue"], "--", (-6, 8), "right"),
    ("Qwen3-30B-A3B", "H100 SXM", COLOURS["orange"], "-", (8, -4), "left"),
]
for name, device, colour, dash, offset, side in styles:
    shape, card = find_model(name), find_gpu(device)
    copies = 1 if shape.weight_gb < 0.8 * card.memory_gb else 2
    full = float(count_sequences(shape, card, context, copies))
    batch = np.geomspace(1, full, 80)
    speed = decode_throughput(shape, card, context, batch=batch, gpus=copies, layer_floor_s=0)
    ax.plot(batch / copies, speed, dash, color=colour)
    ax.plot([full / copies], [speed[-1]], "o", color=colour)
    label = f"{name}, {device.split()[0]}" + (f" (pairs of {copies})" if copies > 1 else "")
    ax.annotate(
        label,
        (full / copies, speed[-1]),
        xytext=offset,
        textcoords="offset points",
        ha=side,
        fontsize=9,
        color="#333333",
    )
ax.set(xscale="log", yscale="log", xlabel="sequences per GPU", ylabel="tokens per second and GPU")
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.yaxis.set_major_formatter("{x:,.0f}")
plt.show()

# %% [markdown] tags=["slide"]
# Hence two rules. *A batch too small for its GPUs wastes them*: on 512 GPUs, 512 answers are one each. And *a GPU with more
# memory gains more than its bandwidth says*, because it holds a larger batch.
#
# ## A synchronous step waits for its longest answer
#
# A rollout step of the synchronous kind ends when its last answer ends. While the others finish, the batch drains and the
# machine idles, and the longer the limit the longer the tail. Here is where the step of a real run goes, by the model of
# [](08-cost) (answers of 1,200 tokens in the mean are an assumption; see `data/cost_checks.csv`):

# %% tags=["hide-input"]
rows, parts = [], {"generation": [], "training": [], "overhead": [], "waiting": []}
real, labels = [], []
for count in (32, 64, 128):
    for mode in ("sync", "async"):
        run = runs.loc[f"verl_dapo_7b_{count}_{mode}"]
        settings = {"trainer_share": 0.5, "old_logprob": False} if mode == "async" else {}
        t = walk(place("Qwen2.5-7B", "H20", count, mode, **settings), 512 * 16, 1200.0, 28_672)
        labels.append(f"{count} H20, {mode}")
        for part, seconds in zip(parts, (t.generation, t.training, t.overhead, t.idle), strict=True):
            parts[part].append(float(seconds[0]) / count)
        real.append(run["hours"] * 3600 / run["steps"])
        rows.append(
            (labels[-1], run["hours"], run["gpu_hours"], sum(p[-1] for p in parts.values()) / real[-1])
        )
table = pd.DataFrame(
    rows, columns=["setting", "hours (measured)", "GPU-hours (measured)", "predicted/measured"]
)
sync = table[table["setting"].str.endswith("sync") & ~table["setting"].str.endswith("async")].set_index(
    "setting"
)
assert sync["GPU-hours (measured)"].iloc[2] > 1.8 * sync["GPU-hours (measured)"].iloc[0]
say("scale-fast", f"{sync['hours (measured)'].iloc[0] / sync['hours (measured)'].iloc[2]:.1f}")
say("scale-dear", f"{sync['GPU-hours (measured)'].iloc[2] / sync['GPU-hours (measured)'].iloc[0]:.1f}")
assert table["predicted/measured"].between(0.5, 2.2).all()
table.round(2).astype({"GPU-hours (measured)": int}).set_index("setting")

# %% mystnb={"image": {"alt": "Stacked bars of predicted seconds of a rollout step for six settings, by generation, training, overhead and waiting, with a diamond at the measured time. In the synchronous settings generation hardly shrinks with more GPUs."}, "figure": {"caption": "Predicted seconds of a rollout step by part (bars, per GPU so that they add up to the step) and the measured mean (diamonds): verl, Qwen2.5-Math-7B, 8,192 answers of up to 28K tokens. In the asynchronous settings generation and training run at the same time on half of the GPUs each.", "name": "fig-09-parts"}} tags=["hide-input", "fragment"]
fig, ax = plt.subplots(figsize=(6.6, 3.9))
plot_cost.plot_step_parts(ax, labels, parts, real)
ax.legend(loc="lower right")
plt.show()

# %% [markdown] tags=["slide"]
# With four times the GPUs the synchronous run is {glue:text}`scale-fast` times faster and {glue:text}`scale-dear` times as
# dear (**reported**). The model shows why: training is divided among more GPUs, but the tail of the longest answer is
# not. So "hours = GPU-hours ÷ GPUs" is wrong at the top end. The table of reference runs refuses
# a row in which the three do not agree.
#
# ## Overlap takes the slower pool, not the sum
#
# Asynchronous RL gives generation and training their own GPUs. Ended answers are replaced at once, so there is no drain,
# and a step takes as long as the slower of the two pools. What that gained in pairs of otherwise equal runs:

# %% tags=["hide-input"]
speedups = pd.Series(
    {k: f"{v:.2f}" for k, v in gain.items()}, name="synchronous ÷ asynchronous hours"
).to_frame()
assert max(gain.values()) < 3
speedups

# %% [markdown]
# *Derived from reported hours (`data/reference_runs.csv`) and, in the last row, from measured step times.* The starting
# page says that PipelineRL has 4 times the throughput. This **differs**: its own paper reports about twice
# {cite}`piche2025pipelinerl`, and no pair above reaches three.

# %% tags=["hide-input"]
claims("C16", "C27f")

# %% [markdown]
# The gain depends on how the GPUs are split. With too few trainers the generators wait for them, and the other way round:

# %% mystnb={"image": {"alt": "Seconds of a rollout step against the share of GPUs that train, a V-shaped curve with its minimum where both pools take the same time, and a dashed line for the synchronous step."}, "figure": {"caption": "Predicted seconds (derived) of a step for the setting of the first code cell, by the share of GPUs that train. Dashed: the synchronous step. Dot: both pools busy all the time.", "name": "fig-09-split"}} tags=["hide-input", "fragment"]
shares = np.linspace(0.05, 0.95, 37)
here = {"gpus_per_replica": 1, "old_logprob": False}
split = [float(walk(place(model, gpu, gpus, "async", trainer_share=s, **here), completions, mean_length, max_length).seconds[0])
         for s in shares]  # fmt: skip
both = walk(place(model, gpu, gpus, "async", **here), completions, mean_length, max_length)
one = walk(place(model, gpu, gpus, "sync"), completions, mean_length, max_length)
best = float(shares[int(np.argmin(split))])
fig, ax = plt.subplots()
ax.plot(shares, split)
ax.axhline(float(one.seconds[0]), linestyle="--", color=COLOURS["vermillion"])
ax.annotate("synchronous", (0.5, float(one.seconds[0])), xytext=(0, 4), textcoords="offset points", ha="right",
            fontsize=9, color=COLOURS["vermillion"])  # fmt: skip
ax.plot([best], [min(split)], "o", color=COLOURS["blue"])
ax.set(xlabel="share of the GPUs that train", ylabel="seconds of a rollout step", ylim=(0, None))
plt.show()
say("split-best", f"{100 * best:.0f} %")
say("split-gain", f"{float(one.seconds[0] / both.seconds[0]):.1f}")
say("split-off", f"{split[int(np.argmin(np.abs(shares - 0.25)))] / min(split):.1f}")
assert min(split) >= float(both.seconds[0]) * 0.999

# %% [markdown]
# Here {glue:text}`split-best` of the GPUs should train. At a quarter the step takes {glue:text}`split-off` times as long.
# With the best split, the overlap gains {glue:text}`split-gain` times.
#
# **What overlap costs.** Answers begin under one policy and are trained on under a later one. ScaleRL found 8 steps of delay
# to be fine, and 4 just as fine {cite}`khatri2025scalerl`; beyond what your algorithm corrects, stale answers lower the
# result {cite}`fu2025areal`. VCPO's 42 h against 105 h **confirms** the factor 2.5 of the starting page, but its step count
# fell too, and the later abstract says 1.96 {cite}`huang2026vcpo`.
#
# Count the delay as a share of the way to $C_\text{mid}$, not in steps. Eight steps are {glue:text}`stale-big` of it in ScaleRL's long
# run and {glue:text}`stale-toy` in our laboratory, where the end falls with the sampler's age unless the step size is small ([](12-lab)
# has the curves). So "speed, not ceiling" **differs in part**: it holds where the policy moves little while an answer waits.

# %% tags=["hide-input"]
big = load_table("published_fits").set_index("id").loc["t1_bs2048", "Cmid_gpu_hours"]
steps_to_mid = big / (runs.loc["scalerl_8b_100k", "gpu_hours"] / runs.loc["scalerl_8b_100k", "steps"])
lab = summarise_runs(read_shipped_runs(), ["baseline"])
say("stale-big", f"{100 * 8 / steps_to_mid:.1f} %")
say("stale-toy", f"{100 * 8 / (lab['c50'].mean() / 256):.0f} %")  # 256 completions a rollout step
assert claim("C27e").verdict_text == "differs in part"
claims("C26", "C27", "C27e")

# %% [markdown] tags=["slide"]
#
# ## A GPU is not one factor
#
# The starting page turns GB200-hours into H100-hours by 2.8. [](05-reference-runs) takes that factor apart: the bandwidth is
# **confirmed**, the arithmetic **differs**, the factor is **unsourced**. Whole steps, measured on both GPUs, say this:

# %% tags=["hide-input", "fragment"]
table = load_table("gpu_speedups")[["model", "setting", "speedup"]]
assert (faster.min() < 1.0 < 2.7 < faster.max()) and len(table) == 8
table.set_index("model")

# %% [markdown]
# *GB200 against H100, per GPU, NVIDIA NeMo RL v0.6, BF16 (reported).* The largest gains go with half the number of GPUs:
# part of them is the larger batch on each. So the factor is a range, and {glue:text}`gb-lo` is in it. Ask for it at *your*
# batch before you pay for bandwidth. That a B200 has 2.4 times an H100's bandwidth and a Vera Rubin 6.6 times is **confirmed**;
# that decoding is the bottleneck **differs in part**, and a bandwidth is not a step.

# %% tags=["hide-input"]
claims("C02", "C03", "C04", "C18", "C18c")

# %% [markdown] tags=["slide"]
# ## Packing gains what padding wasted, and in training only
#
# Padded to its longest answer, a micro-batch works on that length for every answer in it, where the mean would do. So the gain
# of packing is the ratio of the longest answer to the mean, and follows from the spread of lengths:


# %% tags=["hide-input", "fragment"]
def padding_factor(spread, size, longest=8.0):
    """Expected longest of `size` answers over their mean, for a lognormal cut at `longest` means."""
    levels = (np.arange(4000) + 0.5) / 4000
    lengths = np.sort(length_quantiles([1.0], [spread], longest, levels)[0])
    chance = np.diff((np.arange(lengths.size + 1) / lengths.size) ** size)  # of being the longest
    return float(chance @ lengths / lengths.mean())


sizes, spreads = (4, 16, 64), (0.3, 0.6, 1.0, 1.5)
grid = pd.DataFrame(
    {f"{n} answers": [padding_factor(s, n) for s in spreads] for n in sizes},
    index=[f"spread {s:g} of the mean" for s in spreads],
)
say("pack-lo", f"{grid.min().min():.1f}")
say("pack-hi", f"{grid.max().max():.1f}")
assert np.isclose(padding_factor(0.0001, 64), 1, atol=0.01) and grid.max().max() < 8
grid.round(1)

# %% [markdown]
# *Derived.* From {glue:text}`pack-lo` to {glue:text}`pack-hi`: the starting page's "3 to 10 times" is at the far end, and
# **unsourced**. Most trainers sort or pack already; then there is nothing left to gain.

# %% tags=["hide-input"]
claims("C19")

# %% [markdown] tags=["slide"]
# ## The mean of the log-ratios hides the mismatch
#
# Generator and trainer compute the probability of the same token with different kernels, precision and sampling settings.
# The importance ratio should be 1 on fresh data, and is not. Many logs show its mean:

# %%
m = measure_mismatch([0.15, -0.15, 0.02, -0.02])
print(
    f"mean {m.mean_log_ratio:.3f}; {100 * m.share_outside:.0f} % outside 0.9 to 1.1; largest ratio {m.largest_ratio:.2f}"
)
assert abs(m.mean_log_ratio) < 1e-12 and m.share_outside == 0.5

# %% [markdown]
# Four tokens, a perfect mean, and half of them outside the band. Log the *share* and the *largest* ratio, and watch their
# trend. Known causes: logits in BF16 on one side only, top-p or top-k renormalised by the engine and not by the trainer,
# and routers of a mixture that choose other experts.
#
# ### Rounding the logits blurs an answer, not a token
#
# The first cause can be computed. BF16 keeps eight significant bits, so a logit between 16 and 32 is stored in steps of an
# eighth. Here both engines hold the *same* weights; only the format of the logits differs, and in the last rows a relative
# difference of a ten-thousandth between their kernels (next-token distributions: illustrative, `rlscale.rounding`):

# %% tags=["hide-input"]
logits = draw_logits(300)
engines = {
    "BF16 and FP32": ("bf16", "fp32", 0.0),
    "both BF16": ("bf16", "bf16", 1e-4),
    "both FP16": ("fp16", "fp16", 1e-4),
    "both FP32": ("fp32", "fp32", 1e-4),
}
rounded = {n: compare_rounding(logits, g, t, kernels=k) for n, (g, t, k) in engines.items()}
gspo = find_objective("gspo")
table = pd.DataFrame(
    {
        "mean log-ratio": {n: f"{r.mean_log_ratio:.6f}" for n, r in rounded.items()},
        "spread": {n: f"{r.spread:.4f}" for n, r in rounded.items()},
        "outside ±0.2": {n: f"{100 * r.outside:.1f} %" for n, r in rounded.items()},
        "long answer": {n: f"×{np.exp(r.answer_spread(10_000)):.2f}" for n, r in rounded.items()},
        "outside GSPO": {
            n: f"{100 * r.outside_mean(1000, gspo.low, gspo.high):.0f} %" for n, r in rounded.items()
        },
    }
)
mixed, fine = rounded["BF16 and FP32"], rounded["both FP32"]
say("round-mean", f"{mixed.mean_log_ratio:.4f}")
say("round-answer", f"{np.exp(mixed.answer_spread(10_000)):.0f}")
say("round-gspo", f"{100 * mixed.outside_mean(1000, gspo.low, gspo.high):.0f} %")
say("round-moved", f"{100 * mixed.moved:.1f} %")
say("round-factor", f"{mixed.spread / fine.spread:.0f}")
assert mixed.outside == 0 and mixed.outside_mean(1000, gspo.low, gspo.high) > 0.3
assert mixed.spread > rounded["both BF16"].spread > rounded["both FP16"].spread > fine.spread
table

# %% mystnb={"image": {"alt": "Two panels against tokens of an answer on log axes, one line for each pair of number formats. Left: the factor by which an answer's probability is off grows with length, to about six at ten thousand tokens where only one side is BF16, and stays near one where both are FP32. Right: the share of answers outside GSPO's band falls with length, from nearly all to about a fifth where one side is BF16."}, "figure": {"caption": "Same weights, logits in different formats. Left: one standard deviation of an answer's probability ratio, as a factor. Right: answers outside GSPO's published band before anything was learned. Derived from illustrative distributions.", "name": "fig-09-rounding"}} tags=["hide-input", "fragment"]
answer = np.geomspace(10, 10_000, 60)
fig, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.5), layout="constrained")
looks = [("vermillion", "-"), ("orange", "--"), ("green", "-."), ("blue", ":")]
for (name, r), (colour, dash) in zip(rounded.items(), looks, strict=True):
    left.plot(answer, np.exp(r.answer_spread(answer)), dash, color=COLOURS[colour], label=name)
    right.plot(answer, r.outside_mean(answer, gspo.low, gspo.high), dash, color=COLOURS[colour])
left.set(xscale="log", xlabel="tokens of an answer", ylabel="probability off by a factor of")
right.set(xscale="log", xlabel="tokens of an answer", ylabel="answers outside GSPO's band", ylim=(0, 1))
left.legend(loc="upper left", title="logits")
for ax in (left, right):
    ax.xaxis.set_major_formatter("{x:,.0f}")
plt.show()

# %% [markdown]
# *Spread: standard deviation of a token's log-ratio. Long answer: the factor by which that puts off 10,000 tokens. Outside GSPO: answers of
# 1,000 tokens outside its published band.* With BF16 on one side the mean log-ratio is {glue:text}`round-mean`, and no token leaves a band of ±0.2: both curves of a usual log
# look perfect. But an answer of 10,000 tokens is off by a factor of {glue:text}`round-answer` (one standard deviation), and
# {glue:text}`round-gspo` of the answers of 1,000 tokens lie outside GSPO's band before the policy has moved at all. Nor is it only noise:
# {glue:text}`round-moved` of the probability sits on other tokens, so gradients at the trainer's probabilities are biased by that share.
# FP32 on *both* sides is {glue:text}`round-factor` times finer; BF16 on both is not enough, since kernels differ and a small
# difference flips a whole step. Qi et al. {cite}`qi2025fp16` report that FP16 throughout removes the mismatch and trains more stably; what
# FP32 logits brought to ScaleRL's ceiling is in [](02-algorithms). That all this is invisible in the log **differs in part**: most
# frameworks log the disagreement, if you look at more than its mean.

# %% tags=["hide-input"]
assert claim("C25c").verdict_text == "differs in part"
claims("C25c")

# %% [markdown] tags=["slide"]
# ## The same settings are not the same curve everywhere
#
# So "the same hyperparameters give the same curve in any framework" **differs** from what was found: silent faults of two
# frameworks moved results by 3.8 and 22.2 points {cite}`limozin2026sft`. If the curve in steps does stay, then twice the throughput halves the bill: that is **confirmed** as arithmetic,
# for a faster framework and not for more GPUs. And even the step is not the same everywhere:

# %% tags=["hide-input"]
assert "3.8 and 22.2" in claim("C25").source_says
claims("C25", "C25b")

# %% tags=["hide-input", "fragment"]
table = load_table("frameworks")[["name", "step_is", "trap"]]
assert set(table["step_is"]) == {"rollout_steps", "updates"}
table.set_index("name")

# %% [markdown] tags=["slide"]
# ## The smallest machine is decided by what you train
#
# Full training holds 16 bytes a parameter, adapters little more than the weights. With a micro-batch of 8,192 tokens on
# each GPU, recomputed activations and the state sharded over all:

# %% tags=["hide-input", "fragment"]
card, rows = find_gpu("H100 SXM"), []
for name in ("Qwen3-4B", "Llama-3.1-8B", "Qwen2.5-32B", "Llama-3.1-70B"):
    shape = find_model(name)
    need = {m: smallest_machine(shape, card, tokens_per_gpu=8192, method=m) for m in ("full", "lora")}
    rows.append(
        (
            name,
            need["full"][0],
            need["lora"][0],
            f"{need['full'][1].total:,.0f}",
            f"{need['lora'][1].total:,.0f}",
        )
    )
    assert need["lora"][0] <= need["full"][0]
columns = ["model", "H100, full", "H100, LoRA", "GB, full", "GB, LoRA"]
pd.DataFrame(rows, columns=columns).set_index("model")

# %% [markdown]
# *Derived. Training only: an engine that generates on the same GPUs needs its own weights and room for keys and values.*
#
# ## Try it on your own run
#
# Set model, GPU, number, completions and lengths in the first code cell and run the page again: {numref}`fig-09-split`
# and the lines below follow. If you know your step time, compare it; a factor two off is as good as this model gets.

# %%
print(f"{model} on {gpus} {gpu}: synchronous {float(one.seconds[0]):.0f} s a step "
      f"({float(one.generation[0] / gpus):.0f} s generation, {float(one.training[0] / gpus):.0f} s training)")  # fmt: skip
print(f"asynchronous, best split: {float(both.seconds[0]):.0f} s")
print(
    f"training alone fits on {smallest_machine(find_model(model), find_gpu(gpu), tokens_per_gpu=max_length)[0]} GPUs"
)

# %% [markdown]
# ## Exercises
#
# Each has a solution that runs when the book is built.

# %% [markdown] tags=["slide"]
# ```{exercise-start} 200 GPU-hours of what? (3 minutes)
# :label: ex-09-total
# ```
# Two papers state "200 GPU-hours": one used 8 GPUs for 25 h, the other says "200 h on 8 GPUs". Which may enter a table?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-09-total
# :class: dropdown
# ```
# The first. In the second the number is the clock, and the total is eight times as much.

# %%
assert check_gpu_hours(200, gpus=8, hours=25) == 200
try:
    check_gpu_hours(200, gpus=8, hours=200)
    answer = ""
except CostError as error:
    answer = str(error)
print(answer)
assert "1600" in answer

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown] tags=["slide"]
# ```{exercise-start} What the step timer leaves out (4 minutes)
# :label: ex-09-timer
# ```
# A log shows ten steps of 100 s on 8 GPUs. Between two of them there is a validation of 300 s that the timer does not count.
# How many GPU-hours does the sum of the timers give, and how many were paid?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-09-timer
# :class: dropdown
# ```
# Prefer the difference of two time stamps to a sum of timers.

# %%
timers, paid = count_gpu_hours(8, 100, 10), count_gpu_hours(8, 100, 10, other_seconds=300)
print(f"timers {timers:.2f}, paid {paid:.2f} GPU-hours")
assert (round(timers, 2), round(paid, 2)) == (2.22, 2.89)

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} A throughput divided by the wrong GPUs (6 minutes)
# :label: ex-09-pool
# ```
# An asynchronous run has 96 GPUs that generate and 32 that train. Its log divides tokens by the trainers and shows 4,000
# tokens per second and GPU. A synchronous run on 128 GPUs shows 1,200. Which is faster, and by how much?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-09-pool
# :class: dropdown
# ```
# Divide by all GPUs that are paid for. The synchronous run is faster. (verl did this until 2026-07.)

# %%
asynchronous = 4000 * 32 / (96 + 32)
print(f"{asynchronous:,.0f} against 1,200 tokens per second and GPU: {1200 / asynchronous:.1f} times")
assert asynchronous == 1000

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} Does LoRA save as much time as memory? (8 minutes)
# :label: ex-09-lora
# ```
# For `Llama-3.1-8B`, compare the training memory and the operations a token of full training and of adapters.
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-09-lora
# :class: dropdown
# ```
# Memory falls to a fraction, operations by a quarter only (with recomputation, 8N to 6N): activations still have to flow
# back through every layer.

# %%
from rlscale.hardware import training_flops

shape = find_model("Llama-3.1-8B")
memory = [size_training(shape, tokens_per_gpu=0, method=m).total for m in ("full", "lora")]
work = [
    float(training_flops(shape, 1.0, method=m, recompute=True)) / shape.params_active
    for m in ("full", "lora")
]
print(f"memory {memory[0]:.0f} and {memory[1]:.0f} GB; operations {work[0]:.0f}N and {work[1]:.0f}N a token")
assert memory[0] / memory[1] > 5 and work == [8.0, 6.0]

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} How many GPUs until the bill doubles? (12 minutes)
# :label: ex-09-scale
# ```
# For the setting of the first code cell, predict the hours of 400 synchronous steps on 8, 16, … 256 GPUs. At which number
# has the bill doubled against 8 GPUs, and how much faster is the run by then?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-09-scale
# :class: dropdown
# ```
# The clock never gets slower here, so nothing warns you but the bill.

# %%
numbers = 8 * 2 ** np.arange(6)
seconds = np.array(
    [float(walk(place(model, gpu, int(n)), completions, mean_length, max_length).seconds[0]) for n in numbers]
)
bill = seconds * numbers / 3600 * 400
over = numbers[bill >= 2 * bill[0]]
print(
    pd.DataFrame({"GPUs": numbers, "hours": seconds * 400 / 3600, "GPU-hours": bill})
    .round(1)
    .to_string(index=False)
)
if over.size:
    print(f"doubled at {over[0]} GPUs, {seconds[0] / seconds[numbers == over[0]][0]:.1f} times faster")
assert (np.diff(seconds) < 0).all() and (np.diff(bill) > 0).all()

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ## Limits
#
# - **The step model is a sketch:** one lognormal of lengths, one efficiency, no pipeline bubbles, no network. Against real
#   runs it is within a factor two in four of five ([](08-cost)).
# - **The pairs of runs are few,** and three teams made them, each with its own system and each publishing its success.
# - **A speed-up per step is not a speed-up to a pass rate.** Staleness and mismatch can cost steps; only a curve shows it.
# - **Hardware factors are NVIDIA's own measurements,** in one framework and precision.
# - **The rounding is a caricature:** logits only, one size of logits, Zipf's law. Layers before the logits add to it.
#
# The remaining claims of the starting page on speed, folded:

# %% tags=["hide-input", "hide-output"]
claims("C16b", "C18b", "C27b", "C27c", "C27d", "C27g")

# %% [markdown] tags=["slide"]
# ## Take-aways
#
# - Ask what a step waits for. Bandwidth, arithmetic and the longest answer have different cures.
# - Overlap gave a factor of {glue:text}`async-lo` to {glue:text}`async-hi`. Split the GPUs so that neither pool waits.
# - More GPUs always look faster on the clock. Look at GPU-hours.
# - Compare GPUs by whole steps at your batch, never by one line of a specification.
# - Log the share of importance ratios outside a band, not their mean. Keep logits in FP32, or FP16, on both sides.
#
# Next: [](10-plan) joins price, speed and forecast.
#
# ## References
#
# {cite}`piche2025pipelinerl`, {cite}`fu2025areal` and {cite}`huang2026vcpo` for asynchronous systems;
# {cite}`khatri2025scalerl` for off-policy delay; {cite}`limozin2026sft` for silent faults of frameworks and {cite}`qi2025fp16` for
# number formats. Step times of verl and
# NeMo RL: `data/reference_runs.csv`, `data/cost_checks.csv`. All entries are on the page [](references).
