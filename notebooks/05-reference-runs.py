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
# # What did others need?
#
# **The question.** You plan a run. How many steps, GPU-hours and dollars did runs like yours take?
#
# **The answer.** For the same kind of task and size, amounts lie more than a thousandfold apart: from tens of H100-hours
# to more than a hundred thousand. Steps cannot be compared until their units are equal, nor can hours of different GPUs.
# Once they are, the runs agree better than the tables of them suggest, and a row that joins two sources stands out at
# once. Look for the rows nearest to your task, model and length of answers, and plan with their range.
#
# **Its limit.** These are runs that somebody chose to publish, and only the last run of each project. Most rows lack a
# cell, and few say why the run ended.

# %% [markdown]
# ## What you will be able to do
#
# - **Find** the published runs nearest to yours, and **read** what they needed.
# - **Convert** updates to rollout steps, and hours of a GPU to a range of H100-hours.
# - **Spot** a row of a table that cannot be true.
# - **Say** why one factor between two GPUs is not enough.
# - **Use** a table of your own in place of this one.
#
# You need: what a rollout and an update are ([](01-sigmoid-law) for the curve behind them). No GPU, no account.
# Time: 8 minutes to read, 53 minutes for the exercises.

# %% tags=["parameters"]
reference_table: str = ""  # path of your own table of runs; empty: ours
task: str = "math"  # what your run learns
params_total_b: float = 8.0  # billions of parameters of your model
params_active_b: float = 0.0  # billions used for a token; 0: all
max_tokens: int = 8192  # longest answer that you allow
decode_share: float = 0.8  # share of a step that generates

# %% tags=["hide-input"]
import csv
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from myst_nb import glue

import rlscale as rs
from rlscale import plot_reference
from rlscale.claims import claim, claims, format_number
from rlscale.contradictions import compare_throughput, list_contradictions
from rlscale.errors import TableError
from rlscale.steps import Batch
from rlscale.tables import load_table

plt.style.use("rlscale.book")
pd.set_option("display.max_colwidth", None)
ours = load_table("reference_runs")
runs = load_table("reference_runs", reference_table or None)
told = ours[ours.origin == "starting page"].set_index("id")
sources = ours[ours.origin == "source"].set_index("id")
print(f"{len(sources)} runs as their sources tell them, {len(told)} as the starting page tells them")
print(f"searched below: {len(runs)} rows of {'your table' if reference_table else 'our table'}")

# %% [markdown] tags=["slide"]
# ## Of the starting page's six rows, each has at least one cell that its source does not have
#
# The starting page gives six rows of steps and compute. Of their numbers, {glue:text}`n-confirmed` are confirmed by the
# sources that it names, {glue:text}`n-differs` differ, and for {glue:text}`n-unsourced` no source was found. These are the
# ones that do not stand; [the ledger of all claims](appendix-claims) has each with the place in its source.

# %% tags=["hide-input", "fragment"]
six_rows = claims(chapter="05-reference-runs")
for verdict, count in six_rows.count_verdicts().items():
    glue(f"n-{verdict}", count, display=False)
doubtful = [c for c in six_rows if c.verdict != "confirmed"]
pd.DataFrame(
    {
        "the page says": [c.claim for c in doubtful],
        "verdict": [c.verdict_text for c in doubtful],
        "sources say": [c.source_says for c in doubtful],
    },
    index=[c.id for c in doubtful],
)

# %% [markdown]
# All that the starting page says in that table, row by row with its verdict, is folded here:

# %% tags=["hide-input", "hide-output"]
six_rows

# %% [markdown]
# They have three causes. Some rows **join two runs**: the steps of one project beside the scores or the hours of another.
# Some numbers are **older than their source**: an estimate that the authors later replaced. And some were **converted**
# with a factor that nobody measured.

# %% [markdown] tags=["slide"]
# ## Nine contradictions can be computed
#
# The numbers of one page can be held against each other and against the sources that it names. Each row below is computed
# from the tables, by the arithmetic at its end. A ratio of 1 would mean that the two agree.

# %% tags=["hide-input", "fragment"]
contradictions = list_contradictions()
pd.DataFrame(
    {
        "what": contradictions.name + ", " + contradictions.unit,
        "stated": contradictions.stated.map(format_number),
        "computed": contradictions.computed.map(format_number),
        "ratio": contradictions.ratio.map("{:.1f}".format),
        "arithmetic": contradictions.how,
    }
).set_index(contradictions.claim.rename(None))

# %% tags=["hide-input"]
ratio = contradictions.set_index("name").ratio
glue("ratio-cost", f"{ratio['self-hosted cost']:.1f}", display=False)
glue("ratio-run", f"{ratio['longest run']:.1f}", display=False)
glue("ratio-small", f"{ratio['hours of the small run']:.0f}", display=False)
steps_of_moe = contradictions.set_index("name").computed["steps of the mixture of experts"]
glue("moe-share", f"{steps_of_moe:.2f}", display=False)
assert contradictions.ratio.min() > 1.1  # each is off by more than rounding

# numbers that the text states
recipe = sources.loc["tinker_math_9b"]
tokens = recipe.steps * recipe.prompts_per_step * recipe.group_size * recipe.max_tokens
assert (claim("C45").value, claim("C32").value) == (2000, recipe.steps) and round(tokens / 1e6) == 94
assert (told.gpu_hours["page_scalerl_moe"], told.gpu_hours["page_scalerl_8b"]) == (50_000, 100_000)
assert told.gpu_hours["page_math_8b"] == 3500 and round(tokens / 3500 / 3600) == 7
assert (claim("C02").value, claim("C03").value, claim("C04").value) == (2.8, 2.4, 4.5)
assert abs(0.8 * 2.4 + 0.2 * 4.5 - 2.8) < 0.05  # how the factor comes out
assert (sources.steps["r1_zero"], sources.prompts_per_step["r1_zero"] * sources.group_size["r1_zero"]) == (
    10_400,
    512,
)
typical = rs.nearest_runs("math", 8, max_tokens=8192, limit=10)
assert typical.h100_hours_lo.min() < 100 and typical.h100_hours_hi.max() > 100_000
needed = ["steps", "prompts_per_step", "group_size", "max_tokens", "gpu_hours"]
assert sources[needed].isna().any(axis=1).mean() > 0.7  # most rows lack one of these cells
assert 0.4 < sources[needed].isna().to_numpy().mean() < 0.6

# %% [markdown]
# - **The longest run.** A caveat says that runs stop near 2,000 steps; the table of the same page has
#   {glue:text}`ratio-run` times as many. 2,000 is ProRL's number {cite}`liu2025prorl`.
# - **A sixth.** 50,000 hours are half of 100,000, not a sixth. The sixth is what the larger model needed to reach the end
#   of the smaller one {cite}`khatri2025scalerl`. In steps it is {glue:text}`moe-share` of the smaller model's, since its
#   steps are cheaper: saying "a sixth of the steps" makes a claim that no source makes.
# - **The bill.** The stated H100-hours at the stated price cost {glue:text}`ratio-cost` times the stated sum.
# - **180 steps in 3,500 hours.** The Tinker recipe behind the steps samples at most 94 million tokens. Spread over 3,500
#   hours, a GPU would make 7 tokens a second. The other source named gives {glue:text}`ratio-small` times fewer hours.

# %% [markdown] tags=["slide"]
# ## A step is not a unit
#
# DeepSeek's R1-Zero ran 10,400 steps {cite}`deepseekai2025r1`. Its steps are *updates*: one round of generation gives
# 8,192 answers, which are cut into 16 batches of 512. In rollout steps the same run is short:

# %%
zero = sources.loc["r1_zero"]
update = zero.prompts_per_step * zero.group_size
rounds = rs.convert_steps(
    zero.steps, "updates", "rollout_steps", Batch(prompts=512, group_size=16, mini_batch=update)
)
print(*rounds.lines, sep="\n")
assert rounds.value == 650

# %% [markdown]
# So the longest run of the table in one unit is among the shorter ones in another. What does not depend on the
# bookkeeping is the number of completions: steps times prompts a step times answers a prompt, whatever a step is.
#
# The figure shows why that matters. On the left is what a table of steps and hours invites you to compare: steps for each
# GPU-hour. Runs lie far apart and none looks wrong. On the right the same runs with batch, length, model and GPU taken
# into account: the most tokens that the steps can have had, a second and H100, times the parameters that each token uses.

# %% mystnb={"image": {"alt": "Two panels with one dot a run on log axes. Left, steps per GPU-hour: dots scatter over more than two decades. Right, tokens times parameters per second: dots lie within two decades, except one square for the starting page's MATH row, which is more than ten times lower than all others."}, "figure": {"caption": "Left: steps for each GPU-hour (reported). Right: tokens a second and H100 at most, times billion active parameters (derived). Hollow: as the starting page tells it. Square: out of line.", "name": "fig-throughput"}} tags=["hide-input", "fragment"]
throughput = compare_throughput()
judged = throughput[throughput.out_of_line.notna()].sort_values("work")
fig, axes = plt.subplots(1, 2, figsize=(6.8, 4.6), sharey=True)
plot_reference.plot_throughput(axes[0], judged, "steps_per_gpu_hour", "steps per GPU-hour")
plot_reference.plot_throughput(axes[1], judged, "work", "tokens/s × parameters")
plt.show()

# %% tags=["hide-input"]
odd = judged[judged.out_of_line.astype(bool)]
spread = judged[~judged.out_of_line.astype(bool)]
glue("odd", ", ".join(f"`{i}`" for i in odd.id), display=False)
glue("odd-z", f"{abs(odd.z.iloc[0]):.1f}", display=False)
glue("raw-spread", f"{judged.steps_per_gpu_hour.max() / judged.steps_per_gpu_hour.min():,.0f}", display=False)
glue("judged", len(judged), display=False)
print(f"out of line: {', '.join(odd.id)}, {odd.z.iloc[0]:+.1f} robust standard deviations from the median")
print(
    f"steps per GPU-hour: a factor {judged.steps_per_gpu_hour.max() / judged.steps_per_gpu_hour.min():,.0f} apart"
)
assert list(odd.id) == ["page_math_8b"]

# %% [markdown]
# Of {glue:text}`judged` rows whose batch is known, one is out of line: the starting page's small run on MATH or GSM8K, by
# {glue:text}`odd-z` robust standard deviations. It is the row that joins two sources. In steps for each hour it stands
# beside a run that is in line, among runs that spread over a factor of {glue:text}`raw-spread`, and the page's AIME row
# looks like the odd one, which it is not: its answers are short. The check has a limit too: it sees wrong hours only where
# they are wrong tenfold.

# %% [markdown] tags=["slide"]
# ## Nor is a GPU-hour
#
# The starting page counts one GB200-hour as 2.8 H100-hours. The paper converts nothing, so this is **unsourced**. The
# number comes out if 80 % of a step runs at the ratio of memory bandwidth, 2.4, and the rest at a ratio of compute of 4.5.
# But 4.5 **differs** from the specification: it divides a faster number format of one GPU by BF16 of the other. With BF16
# for both the same sum gives {glue:text}`middle`.
#
# Whole RL steps measured on both GPUs lie further apart than either number:

# %% mystnb={"image": {"alt": "Eight measured speed-ups of a GB200 over an H100 as dots, from about 1.0 to 2.8, in a shaded range. A dashed line at 2.42 marks the middle from specifications, a dotted line at 2.8 what the starting page states, at the upper edge."}, "figure": {"caption": "Measured speed of a whole RL step, one GB200 against one H100 (reported by NVIDIA NeMo RL), with the middle from specifications (derived) and the stated factor.", "name": "fig-factor"}} tags=["hide-input", "fragment"]
one = rs.h100_hours(1, "GB200", decode_share=decode_share)
speedups = load_table("gpu_speedups")
fig, ax = plt.subplots(figsize=(6.8, 3.4))
plot_reference.plot_factor(ax, one, speedups[speedups.gpu == "GB200"], claim("C02").value)
plt.show()

# %% tags=["hide-input"]
glue("middle", f"{one.mid:.1f}", display=False)
glue("factor-lo", f"{one.lo:.1f}", display=False)
glue("factor-hi", f"{one.hi:.1f}", display=False)
long_run = rs.h100_hours(sources.loc["scalerl_8b_100k", "gpu_hours"], "GB200", decode_share=decode_share)
print(long_run)
for reason in long_run.reasons:
    print("-", reason)
stated_verdicts = {i: claim(i).verdict for i in ("C02", "C03", "C04", "C36")}
assert stated_verdicts == {"C02": "unsourced", "C03": "confirmed", "C04": "differs", "C36": "unsourced"}

# %% [markdown]
# Use the range, {glue:text}`factor-lo` to {glue:text}`factor-hi`. Where it changes your decision, measure one step on each
# GPU. Short answers and small batches leave the faster GPU waiting; long decoding uses its bandwidth. For GPUs without
# such measurements the range goes from one ratio to the other, and can be wide:

# %%
gpus = ["A100 SXM 80GB", "H20", "H200 SXM", "B200 SXM", "GB200", "MI300X"]
hours = [rs.h100_hours(1, gpu, decode_share=decode_share) for gpu in gpus]
pd.DataFrame({end: [f"{getattr(h, end):.2f}" for h in hours] for end in ("lo", "mid", "hi")}, index=gpus)

# %% [markdown] tags=["slide"]
# ## What runs like yours needed
#
# `nearest_runs` sorts by task, then by size (total and active parameters) and by the longest answers. The distance is a
# judgement, not a measurement: read the rows, not only the first. With the parameters of this page (numbers reported,
# completions derived):

# %%
nearest = rs.nearest_runs(
    task,
    params_total_b,
    params_active_b=params_active_b or None,
    max_tokens=max_tokens,
    runs=runs,
    limit=10,
)


# %% tags=["hide-input"]
def write_cell(value: float, unit: str = "", digits: int = 0) -> str:
    return "" if pd.isna(value) else f"{value:,.{digits}f} {unit}".strip()


def write_runs(table: pd.DataFrame) -> pd.DataFrame:
    units = table.steps_unit.map({"rollout_steps": "rollouts", "updates": "updates", "": ""})
    return pd.DataFrame(
        {
            "model": table.model,
            "steps": [write_cell(n, u) for n, u in zip(table.steps, units, strict=True)],
            "completions": table.completions.map(write_cell),
            "GPU-hours": [
                write_cell(h, g.split(" ")[0]) for h, g in zip(table.gpu_hours, table.gpu, strict=True)
            ],
            "end, %": [
                write_cell(e, b, 1) for e, b in zip(table.end_score_percent, table.benchmark, strict=True)
            ],
        }
    ).set_index(table.id.rename(None))


write_runs(nearest)

# %% mystnb={"image": {"alt": "Published runs nearest to an 8B model on mathematics, each a dot in a range of H100-equivalent GPU-hours on a log axis. They go from some tens of hours to more than a hundred thousand."}, "figure": {"caption": "What the nearest runs needed, in H100-equivalent hours (derived from reported hours). The bar is the range of the GPU; the dot its middle.", "name": "fig-needs"}} tags=["hide-input", "fragment"]
known = nearest[nearest.h100_hours_mid.notna()]
if known.empty:
    print("None of these rows states the hours of a known GPU, so there is nothing to draw.")
else:
    fig, ax = plt.subplots(figsize=(6.8, 3.6))
    plot_reference.plot_needs(ax, nearest)
    plt.show()

# %% tags=["hide-input"]
least, most = known.h100_hours_lo.min(), known.h100_hours_hi.max()
glue("least-hours", "unknown" if known.empty else f"{least:,.0f}", display=False)
glue("most-hours", "unknown" if known.empty else f"{most:,.0f}", display=False)
print(f"{len(known)} of these {len(nearest)} rows state hours of a known GPU")

# %% [markdown]
# From {glue:text}`least-hours` to {glue:text}`most-hours` H100-hours: that is no estimate yet. The spread is not noise. At
# the lower end stand runs that stop after a first rise on easy problems; at the upper end stands one that was run to see
# the ceiling. **Your target decides which of them you resemble.** Ask for the score you need, see which rows reached it on
# which benchmark, and let a pilot of your own do the rest, as in [](06-pilot).

# %% [markdown]
# The whole table follows, folded. Press a header to sort it; each row has its source in `data/reference_runs.csv`.

# %% tags=["hide-input", "hide-output", "sortable"]
every = runs[runs.origin != "starting page"]
every = every.assign(completions=every.steps * every.prompts_per_step * every.group_size)
write_runs(every).assign(ended=every.set_index("id").ended_by)

# %% [markdown] tags=["slide"]
# ## Few tables say why a run ended
#
# A run that ended because its budget was spent says nothing about how long it could have gone on. Nor does one whose row
# is the best checkpoint on the test set: that one reports the luckiest point as well.

# %% tags=["fragment"]
why = sources.ended_by.value_counts()
print(why.to_string())
print(f"a plateau is the stated reason of {why.get('plateau', 0)} of {len(sources)} runs")

# %% [markdown]
# The steps of such rows are a lower bound to what the recipe can use, not "the steps to convergence". And where the score
# is one pass over 30 problems, its standard error is about nine points ({numref}`ex-05-thirty`): the sizes of gains are less certain
# than the hours.

# %% [markdown]
# ## Try it on your own data
#
# Put the path of a table in the form of `data/reference_runs.csv` into `reference_table` and run the page again: the
# nearest rows, their units and the check below use it. Columns that may be empty may be left out. Each row needs `id`,
# `origin` (`reader`), `task`, `model`, `ended_by`, `source`, `location`, `as_of` and `kind`; a row that contradicts itself
# is refused with its line and column. From a shell:
#
# ```bash
# papermill book/05-reference-runs.ipynb mine.ipynb -p reference_table /path/to/runs.csv -p task code
# ```

# %%
mine = compare_throughput(runs)
mine = mine[mine.origin != "starting page"]
verdicts = mine.out_of_line.map({True: "out of line", False: "in line"}).fillna("not judged: a cell is empty")
print(verdicts.value_counts().to_string())

# %% [markdown]
# ## Exercises
#
# Each has a solution that runs when the book is built.

# %% [markdown] tags=["slide"]
# ```{exercise-start} Two hundred GPU-hours (3 minutes)
# :label: ex-05-hours
# ```
# Two rows both say 200 GPU-hours on 8 A100. One lists 25 hours, the other 200. Which one does the table refuse, and what
# should its GPU-hours be?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-05-hours
# :class: dropdown
# ```
# GPU-hours are hours times GPUs: the second should say 1,600. It confuses hours on the wall with hours of a GPU.

# %%
row = {"id": "mine", "origin": "reader", "task": "math", "model": "7B", "gpu": "A100 SXM 80GB", "gpus": 8}
row |= {
    "gpu_hours": 200,
    "gpu_hours_kind": "reported",
    "ended_by": "budget",
    "source": "us",
    "location": "log",
}
row |= {"as_of": "2026-11-30", "kind": "reported"}
refused = {}
with tempfile.TemporaryDirectory() as folder:
    for wall_hours in (25, 200):
        path = Path(folder, "runs.csv")
        with path.open("w", newline="") as handle:
            writer = csv.DictWriter(handle, [*row, "hours"])
            writer.writeheader()
            writer.writerow(row | {"hours": wall_hours})
        try:
            load_table("reference_runs", path)
        except TableError as error:
            refused[wall_hours] = str(error).split("runs.csv, ")[1]
print(refused)
assert list(refused) == [200] and "column 'gpu_hours': found '200', expected hours times gpus" in refused[200]

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown] tags=["slide"]
# ```{exercise-start} R1-Zero in rounds of generation (5 minutes)
# :label: ex-05-zero
# ```
# R1-Zero made 10,400 updates on 512 answers each, and each round of generation gave 8,192 answers. How many rounds, how
# many completions? The starting page has about 8,000 steps. Which number of the paper is near it?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-05-zero
# :class: dropdown
# ```
# The paper raises the cap on length at step 8,200, and the score jumps there. It is not the end of the run.

# %%
completions = zero.steps * zero.prompts_per_step * zero.group_size
print(f"{completions / 8192:,.0f} rounds, {completions / 1e6:.2f} million completions")
assert completions / 8192 == 650 and claim("C39").source_value == zero.steps

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} What the dollars say about the hours (8 minutes)
# :label: ex-05-dollars
# ```
# Several rows state both dollars and GPU-hours. Which price of an hour do they imply? Are these prices that you can get,
# by the table of GPU prices?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-05-dollars
# :class: dropdown
# ```
# Between one and three dollars. They are round assumptions (2 dollars) or prices of committed or shared machines; on demand
# a large provider asks for two to four times as much. Stated dollars are a convention, not a bill.

# %%
priced = sources[sources.usd_stated.notna() & sources.gpu_hours.notna()]
implied = priced.usd_stated / priced.gpu_hours
print(implied.map("{:.2f}".format).to_string())
prices = load_table("gpus")
on_demand = prices[(prices.gpu == "H100 SXM") & (prices.offer == "on-demand")].price_usd_per_gpu_hour
print(f"H100 on demand: {on_demand.min():.2f} to {on_demand.max():.2f} dollars an hour")
assert implied.min() > 1 and implied.max() <= 3 < on_demand.min()

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} How much asynchrony buys (10 minutes)
# :label: ex-05-async
# ```
# The table has six pairs of runs that differ only in whether generation waits for training. By which factor does the
# asynchronous one shorten the hours? Is the gain larger on more GPUs?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-05-async
# :class: dropdown
# ```
# By 1.7 to 2.8. None reaches the four times of the starting page (claim C16, **differs**). On 64 GPUs it is less than on
# 32, so the gain does not simply grow; and going from 64 to 128 GPUs costs more GPU-hours in both ways.

# %%
pairs = ["areal_1_5b", "areal_7b", "verl_dapo_7b_32", "verl_dapo_7b_64", "verl_dapo_7b_128", "verl_grpo_30b"]
gain = pd.Series({p: sources.loc[f"{p}_sync", "hours"] / sources.loc[f"{p}_async", "hours"] for p in pairs})
print(gain.map("{:.2f}".format).to_string())
more = sources.loc[["verl_dapo_7b_64_sync", "verl_dapo_7b_128_sync"], "gpu_hours"]
assert gain.min() > 1.6 and gain.max() < 2.8 < claim("C16").value and more.iloc[1] > 1.9 * more.iloc[0]

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} A score on thirty problems (12 minutes)
# :label: ex-05-thirty
# ```
# Dr. GRPO reports 43.3 % on AIME 2024 after one pass over its 30 problems. How many did it solve? How large is the standard
# error? How many problems would it take to bring that down to two points?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-05-thirty
# :class: dropdown
# ```
# Thirteen, give or take nearly three. The standard error of a share $p$ of $n$ problems is $\sqrt{p(1-p)/n}$. More samples
# of the same 30 problems remove the luck of sampling, not the luck of which problems were chosen.

# %%
p, n = claim("C37c").value / 100, 30
error = (p * (1 - p) / n) ** 0.5
needed = p * (1 - p) / 0.02**2
print(
    f"{p * n:.0f} of {n} solved, standard error {100 * error:.1f} points, {needed:.0f} problems for 2 points"
)
assert round(p * n) == 13 and 0.085 < error < 0.095 and 600 < needed < 630

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} Would your row be believed? (15 minutes)
# :label: ex-05-row
# ```
# A colleague reports 300 rollout steps of 64 prompts × 8 answers of at most 4,096 tokens, a 7.6B model, 20,000 H100-hours.
# Hold the row against the table. What is the likely mistake, and does the row pass once it is corrected?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-05-row
# :class: dropdown
# ```
# As told, a GPU would make fewer than nine tokens a second, far below all other runs. 20,000 may be hours times GPUs times
# GPUs once more, or minutes: as 20,000 GPU-minutes it is 333 GPU-hours, and in line.

# %%
row = (
    sources.reset_index()
    .query("id == 'simplerl_7b'")
    .assign(
        id="colleague", origin="reader", steps=300.0, prompts_per_step=64.0, group_size=8.0, max_tokens=4096.0
    )
)
checked = compare_throughput(
    pd.concat([row.assign(gpu_hours=h, hours=float("nan")) for h in (20_000, 20_000 / 60)])
)
print(checked[["gpu_hours", "tokens_per_s_per_h100", "z", "out_of_line"]].round(1).to_string(index=False))
assert checked.out_of_line.tolist() == [True, False] and checked.tokens_per_s_per_h100.iloc[0] < 9

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown] tags=["slide"]
# ## Limits
#
# - **Published runs only.** Failed runs, pilots and searches for settings are not in any row; they can cost more than the
#   run that is told.
# - **Empty cells.** About half of the cells for steps, batch, lengths and hours are empty, and they stay so.
# - **Caps are not lengths.** The check uses the longest answers allowed. Real answers are shorter, so a run can be wrong by
#   less than tenfold and pass.
# - **A judgement of nearness.** Whether a run on code says anything about mathematics is not measured.
# - **Numbers as of a day.** Each row has its date. Prices and recipes move on.
#
# ## Take-aways
#
# - A step is an update, a batch of generation or neither. Count completions.
# - Hours of a GPU become a range of H100-hours, {glue:text}`factor-lo` to {glue:text}`factor-hi` for a GB200.
# - Make units equal before you compare: then a row that joins two sources shows.
# - Nearest rows give a range of orders of magnitude. Only a pilot of your own narrows it.
# - A budget that was spent is not a plateau.
#
# Next: [](06-pilot), the pilot that narrows it; [](09-speed) on why the same steps take other hours; [](08-cost) turns them into money.
#
# ## References
#
# - {cite:t}`khatri2025scalerl`: the two long runs, and the sixth.
# - {cite:t}`deepseekai2025r1`: updates, hours and dollars of R1-Zero and R1.
# - {cite:t}`zeng2025simplerl`, {cite:t}`liu2025drgrpo`, {cite:t}`fu2025areal`: runs with hours and hardware.
# - {cite:t}`tinkercookbook`: the recipe behind the 180 steps.
# - The table itself, with a source in each row: `data/reference_runs.csv`; its columns: `data/README.md`.
