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
# # What should you run, and for how much?
#
# **The question.** You have a model, two recipes in mind, some money and a pass rate that someone wants. Which recipe, how
# long a pilot, what budget, and where do you stop?
#
# **The answer.** Write down what a point is worth before the first step. Run a pilot, join its forecast with the price of a
# step, and read off three numbers: the chance that the target is reached in time, the dollars it takes, and the step
# after which the next point costs more than it is worth. Then stop within a third of that step. The optimum is flat, so
# more precision buys nothing.
#
# **Its limit.** A forecast from the rising part leaves the end open: the dollar interval then has no upper end, and the
# honest plan is a ceiling on spending. And no formula knows what a point is worth to you.

# %% [markdown]
# ## What you will be able to do
#
# - **Write** a plan of one page before a run begins.
# - **Join** a forecast with a cost estimate, and **say** what a target costs with a probability.
# - **Choose** between a recipe with a high ceiling and one that is early.
# - **Find** the step after which going on loses money, and **show** how little it matters to hit it.
# - **Budget** the project around the run.
#
# You need: [](01-sigmoid-law) and [](08-cost). No GPU, no account.
# Time: 9 minutes to read, 45 minutes for the exercises.

# %% tags=["parameters"]
log: str = ""  # path of your own training log; empty: a simulated pilot stands in
run: str = ""  # which run, when the log holds several
scenario: str = "tinker-math"  # preset or TOML file: what one rollout step is, and on what it runs
branch: str = "total_tinker"  # which bill: total_tinker or total_self_hosted
target: float = 0.58  # the pass rate that is wanted
usd_per_point: float = 100.0  # what one percentage point is worth to you, in US dollars
longest: float = 600.0  # longest run you would pay for, in the unit of the log
seed: int = 3  # of the simulated pilot and of all draws

# %% tags=["hide-input"]
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue

import rlscale as rs
from rlscale import plot
from rlscale.amounts import number, span
from rlscale.claims import claims
from rlscale.prices import find_gpu_price
from rlscale.project import Project, budget_project
from rlscale.simulate import simulate_curve
from rlscale.tables import load_table

plt.style.use("rlscale.book")
pd.set_option("display.max_colwidth", None)


def say(name, text):
    glue(name, str(text), display=False)


def percent(value):
    return f"{100 * value:.0f} %"


truth = rs.Sigmoid(R0=0.25, A=0.62, B=1.4, Cmid=60)  # illustrative; only the simulated pilot knows it
if log:
    pilot = rs.read_run(log, run=run or None).curve()
else:
    pilot = simulate_curve(truth, np.arange(0, 241, 10.0), unit="rollout_steps", seed=seed)
step = rs.load_scenario(scenario)
forecast = rs.forecast_run(pilot, budget=longest)
price = rs.price_unit(step, pilot.unit, branch=branch, seed=seed)
plan = rs.join_plan(forecast.draws(2000, seed), price, spent=float(pilot.compute[-1]), seed=seed)
trusted = forecast.state != "no forecast"


def known(text):
    """What the gate of the forecast allows to be quoted."""
    return text if trusted else "not known yet: the gate refuses a forecast"


print(f"pilot: {len(pilot)} points up to {pilot.compute[-1]:,.0f} {pilot.label}; state: {forecast.state}")

# %% [markdown] tags=["slide"]
# ## A plan is written before the first step
#
# What goes wrong in practice is rarely the arithmetic. It is that the value of a point is decided after the curve is seen,
# when the money is gone. So the first code cell asks for it. The pilot used here is simulated, with a known truth that the
# forecast does not see; put your log there and everything below is yours.
#
# The starting page puts the multiplication first: steps times tokens a step is the expected spend. That is **confirmed**
# as arithmetic. But the steps are the uncertain factor, so the product is a distribution.

# %% tags=["hide-input"]
claims("C55")

# %% [markdown] tags=["slide"]
# ## A pilot buys a distribution, not a number
#
# Each draw of the forecast is a law that the pilot allows. Each draw of the cost is a price of a rollout step that the
# length and the price list allow. Paired, they answer what the target costs:

# %%
answer = rs.cost_to_target(plan, target, longest=longest)
spent = float(np.median(price)) * plan.spent
print(
    f"paid so far: about {number(spent, '$')} ({span(rs.cost.Interval.of(price), '$')} a {pilot.label.rstrip('s')})"
)
within = f"{target:.2f} is reached within {longest:,.0f} {pilot.label} with probability {100 * answer.p_reached:.0f} %"
print(known(within))
upper = "no upper end" if np.isinf(answer.usd.hi) else number(answer.usd.hi, "$")
median = (
    "not reached, in half of the draws or more"
    if np.isinf(answer.usd.median)
    else number(answer.usd.median, "$")
)
print(f"dollars still to pay: {median} (5 %: {number(answer.usd.lo, '$')}; 95 %: {upper})")

# %% mystnb={"image": {"alt": "Three rising curves of the chance to have reached a pass rate against dollars still to pay on a log axis, one for each of three targets. The higher the target, the lower the level at which the curve ends."}, "figure": {"caption": "Chance that a pass rate has been reached for at most so many further dollars. A curve that ends below 100 % says how likely the target is not reached within the longest run. From the simulated pilot (illustrative), forecast and price drawn together.", "name": "fig-10-reach"}} tags=["hide-input", "fragment"]
fig, ax = plt.subplots()
dollars = np.geomspace(1, 2_000, 200)
targets = [round(target + d, 3) for d in (-0.03, 0.0, 0.04)]
for wanted, colour, dash in zip(targets, ("green", "blue", "vermillion"), ("-.", "-", "--"), strict=True):
    compute = np.maximum(plan.compute_for(wanted), plan.spent)
    more = np.where(compute <= longest, compute - plan.spent, 0) * plan.usd_per_unit
    cost = np.where(compute <= longest, more, np.inf)
    chance = [float(np.mean(cost <= d)) for d in dollars]
    ax.plot(dollars, chance, dash, color=plot.COLOURS[colour])
    ax.annotate(f"{wanted:.2f}", (dollars[-1], chance[-1]), xytext=(5, -3), textcoords="offset points",
                color=plot.COLOURS[colour], fontsize=10)  # fmt: skip
ax.set(xscale="log", ylim=(0, 1), xlabel="further US dollars", ylabel="chance that the target is reached")
ax.xaxis.set_major_formatter(lambda v, _: number(v, "$").replace(".00", "").replace(".0", ""))
ax.yaxis.set_major_formatter(lambda v, _: f"{100 * v:.0f} %")
plt.show()

# %% [markdown] tags=["slide"]
# Read it from the right. Where a curve ends below 100 %, no money closes the gap within the longest run that you would pay
# for. Then the question is not how long to run but what to change. Beyond that length the curve says nothing: a forecast in
# the state "end forecast only" does not know the ceiling, and in the state "no forecast" you should quote no number at all.
#
# ## The next thousand dollars tell you when to stop
#
# A target is a line that somebody drew. Without one, compare the next points with their price:

# %%
places = np.linspace(plan.spent, longest, 5)
rows = [
    (
        f"{c:,.0f}",
        *(f"{getattr(rs.points_per_1000_usd(plan, c, 100), k):.2f}" for k in ("median", "lo", "hi")),
    )
    for c in places
]
stop = rs.find_best_stop(plan, usd_per_point, longest)
print(f"best stop at {stop.compute:,.0f} {pilot.label}: {span(stop.usd, '$')} more for {stop.points.median:.1f} points "
      f"({stop.points.lo:.1f} to {stop.points.hi:.1f})")  # fmt: skip
table = pd.DataFrame(rows, columns=[f"after {pilot.label}", "points for the next $100", "low", "high"])
table.set_index(table.columns[0])

# %% [markdown]
# *Derived from the forecast and the dated prices of the scenario.* The best stop is where value minus cost is expected to
# be largest. It uses the whole posterior: a small chance of a high ceiling can justify going on when the median would not.
#
# ### Near the best stop, precision is worth nothing
#
# How much does it cost to stop too early or too late? For a law that is known, the loss can be computed:

# %% mystnb={"image": {"alt": "Net value against the stopping step for the known law: it rises steeply, has a flat top, and falls slowly. A shaded span marks the steps at which at most five percent of the net value is lost."}, "figure": {"caption": "Value of the points won minus their cost, for the law behind the simulated pilot (illustrative). Shaded: steps at which at most 5 % is lost.", "name": "fig-10-flat"}} tags=["hide-input", "fragment"]
per_step = float(np.median(price))
at = np.linspace(1, 2 * longest, 3000)
net = 100 * usd_per_point * (truth(at) - truth.R0) - per_step * at
top = int(np.argmax(net))
near = at[net >= 0.95 * net[top]]
fig, ax = plt.subplots()
ax.plot(at, net)
ax.axvspan(near[0], near[-1], color=plot.COLOURS["grey"], alpha=0.2, linewidth=0)
ax.plot([at[top]], [net[top]], "o", color=plot.COLOURS["blue"])
ax.set(xlabel="rollout steps at which you stop", ylabel="net value")
ax.yaxis.set_major_formatter(lambda v, _: number(v, "$"))
plt.show()
say("flat-best", f"{at[top]:,.0f}")
say("flat-low", f"{near[0]:,.0f}")
say("flat-high", f"{near[-1]:,.0f}")
say("flat-whole", f"{100 * (1 - net[-1] / net[top]):.0f} %")
say("flat-end", f"{at[-1]:,.0f}")
third = [float(np.interp(at[top] * f, at, net)) / net[top] for f in (2 / 3, 4 / 3)]
say("flat-third", f"{100 * (1 - min(third)):.1f} %")
assert min(third) > 0.95  # "within a third of that step"

# %% [markdown] tags=["slide"]
# The best stop is {glue:text}`flat-best` steps. Anything from {glue:text}`flat-low` to {glue:text}`flat-high` loses at most
# 5 %, and a third off on either side {glue:text}`flat-third`. Running on to {glue:text}`flat-end` leaves
# {glue:text}`flat-whole` on the table. So do not wait for a narrow forecast: a wide one that puts the best stop into the
# right third is enough.
#
# ## The cheapest recipe depends on what you want
#
# Two published 8B fits differ in batch size. One is early, the other has the higher ceiling. With their published margins,
# an assumed start (illustrative, never published), and the price of a GB200-hour:

# %% tags=["fragment"]
fits = load_table("published_fits").set_index("id")
rng = np.random.default_rng(seed)
hour = find_gpu_price("GB200")
recipes = {}
for name, key in (("batch 768", "t1_scalerl"), ("batch 2,048", "t1_bs2048")):
    fit = fits.loc[key]
    draws = pd.DataFrame({"R0": 0.25, "A": fit.A + fit.A_margin / 2 * rng.standard_normal(2000)})
    draws = draws.assign(B=fit.B, Cmid=fit.Cmid_gpu_hours)
    recipes[name] = rs.join_plan(draws, hour.value, seed=seed)
rows = []
for wanted in (0.50, 0.58, 0.62):
    for row in rs.compare_recipes(recipes, wanted).itertuples():
        never = np.isinf(row.usd_median)
        rows.append((f"{wanted:.2f}", row.recipe, percent(row.p_reached), "never" if never else number(row.usd_median, "$"),
                     percent(row.p_cheapest)))  # fmt: skip
table = pd.DataFrame(rows, columns=["target", "recipe", "ever reached", "median cost", "cheapest in"])
first = {w: t.iloc[0]["recipe"] for w, t in table.groupby("target")}
assert first["0.50"] == "batch 768" and first["0.62"] == "batch 2,048"
say("gb-price", f"USD {hour.value:.2f} ({hour.what}, {hour.as_of})")
table.set_index(["target", "recipe"])

# %% [markdown] tags=["slide"]
# *Fits: reported {cite}`khatri2025scalerl`, margin of $A$ taken as two standard deviations, $B$ and $C_\text{mid}$ without
# one since none is published. Price: {glue:text}`gb-price`.* There is no best recipe, only a best recipe *for a target*.
# A comparison at a small budget picks the early one every time.
#
# ## Eleven things to look at first, each with its number
#
# The starting page closes with a list of levers. Here is such a list with numbers, in the order in which they cost you least to try.
# Each is computed from the tables of the chapter named, which has the evidence and the verdicts.

# %% tags=["remove-cell"]
from rlscale.claims import claim
from rlscale.difficulty import compare_filters
from rlscale.hardware import find_model
from rlscale.memory import size_training
from rlscale.prices import find_token_prices
from rlscale.public import load_backtest
from rlscale.recipes import find_crossings
from rlscale.scores import usable_cuts
from rlscale.signal import zero_variance_probability

reference, levers = (load_table(name).set_index("id") for name in ("reference_runs", "levers"))
dense, moe = reference.loc["scalerl_8b_100k"], reference.loc["scalerl_scout_50k"]
sixth = claim("C20").source_value
say("moe-hours", f"{sixth:.2f}")
say("moe-steps", f"{sixth * dense.gpu_hours / (moe.gpu_hours / moe.steps) / dense.steps:.2f}")
for p in (5, 50, 90):
    say(f"dead-{p}", f"{100 * float(zero_variance_probability(p / 100, 8)):.0f} %")
token = find_token_prices("Qwen3-8B")
paid = {f.name: f.usd for f in compare_filters(0.5, sample_usd=token.sample, train_usd=token.train)}
say("filter-saves", f"{100 * (1 - paid['dropped after sampling'] / paid['none']):.0f} %")
cuts = load_backtest()
cuts = usable_cuts(cuts[cuts["class"] == "rising"])
narrow = cuts[cuts["width"] <= 0.10]
say("pilot-good", f"{100 * (narrow['error'].abs() <= 0.03).mean():.0f} %")
say("pilot-cuts", len(narrow))
say("loss-from", f"{levers.loc['loss', 'from_value']:.2f}")
say("loss-to", f"{levers.loc['loss', 'to_value']:.2f}")
say("margin", f"{fits.loc['f8a_three_runs', 'A_margin']:.2f}")
say("fp32-from", f"{levers.loc['fp32_logits', 'from_value']:.2f}")
say("fp32-to", f"{levers.loc['fp32_logits', 'to_value']:.2f}")
early = fits.loc["t1_scalerl"]
for name, key in (("long", "t1_32k"), ("batch", "t1_bs2048")):
    late = fits.loc[key]
    say(f"{name}-A", f"{late.A - early.A:+.3f}")
    say(f"{name}-Cmid", f"{late.Cmid_gpu_hours / early.Cmid_gpu_hours:.1f}")
    places = [
        float(
            find_crossings(*(rs.Sigmoid(s, f.A, f.B, f.Cmid_gpu_hours) for f in (late, early)), 100, 1e6)[-1]
        )
        for s in (0.0, 0.25, 0.45)
    ]
    say(f"{name}-from", f"{round(min(places), -3):,.0f} to {round(max(places), -3):,.0f}")
pairs = ("areal_1_5b", "areal_7b", "verl_dapo_7b_32", "verl_dapo_7b_64", "verl_dapo_7b_128", "verl_grpo_30b")
gains = [reference.loc[f"{p}_sync", "hours"] / reference.loc[f"{p}_async", "hours"] for p in pairs]
say("async-lo", f"{min(gains):.1f}")
say("async-hi", f"{max(gains):.1f}")
memory = [
    size_training(find_model("Llama-3.1-8B"), tokens_per_gpu=0, method=m).total for m in ("full", "lora")
]
say("lora-memory", f"{memory[0] / memory[1]:.0f}")

# %% [markdown] tags=["slide"]
# | look at | what it is worth | kind |
# |---|---|---|
# | **what a point is worth to you** | without it nothing below can be decided | yours |
# | **pass rates of your prompts** ([](04-difficulty)) | groups of eight are dead in {glue:text}`dead-5` of cases at 0.05, {glue:text}`dead-50` at 0.5, {glue:text}`dead-90` at 0.9 | derived |
# | **a filter for dead groups** ([](04-difficulty)) | with half of them dead, dropping saves {glue:text}`filter-saves` of the token bill | derived |
# | **the starting model** ([](03-base-model)) | the larger one: {glue:text}`moe-hours` of the hours, {glue:text}`moe-steps` of the steps, at one pass rate | reported |
# | **a pilot** ([](06-pilot)) | interval of 0.10 or less: within 0.03 in {glue:text}`pilot-good` of {glue:text}`pilot-cuts` public cuts | measured |
# | **logits in FP32, both sides** ([](09-speed)) | ceiling {glue:text}`fp32-from` to {glue:text}`fp32-to` on a bare baseline; in a full recipe within ±{glue:text}`margin` | reported |
# | **the loss** ([](02-algorithms)) | steepness {glue:text}`loss-from` to {glue:text}`loss-to`; ceilings within ±{glue:text}`margin` | reported |
# | **longer answers** ([](02-algorithms)) | ceiling {glue:text}`long-A`, $C_\text{mid}$ ×{glue:text}`long-Cmid`; ahead from {glue:text}`long-from` GB200-hours | derived |
# | **a larger batch** ([](02-algorithms)) | ceiling {glue:text}`batch-A`, $C_\text{mid}$ ×{glue:text}`batch-Cmid`; ahead from {glue:text}`batch-from` GB200-hours | derived |
# | **asynchrony** ([](09-speed)) | the clock ÷{glue:text}`async-lo` to ÷{glue:text}`async-hi`, GPUs equal | derived |
# | **adapters** ([](03-base-model)) | training memory ÷{glue:text}`lora-memory`, the same curve reported; not for new facts | derived |
#
# Do not multiply the rows. Each was found with the others at some setting, and the big ones overlap.
#
# ## Around the run lies the project
#
# The plan that gets approved is the sum, so write the sum:

# %% tags=["fragment"]
whole = float(np.median(price)) * stop.compute
project = Project(pilots=161_280 / 276_480, failed=0.3, evaluation=0.1, idle=0.0, services=0.3)
lines = budget_project(whole, project)
say("project-total", number(lines["total"], "$"))
say("project-run", number(lines["last run"], "$"))
assert np.isclose(sum(v for k, v in lines.items() if k != "total"), lines["total"])
pd.Series({k: f"${v:,.0f}" for k, v in lines.items()}, name="USD").to_frame()

# %% [markdown]
# *The run to its best stop at the median price. Pilots: the share that SmolLM3's makers report; services: 30 %, the lower
# end of one vendor's rule; failed runs and evaluation: illustrative, replace them. People: no source, left at 0.* A run of
# {glue:text}`project-run` is a project of {glue:text}`project-total`.
#
# ## Try it on your own run: one page to fill in
#
# Set the first code cell and run the page again. This is the page to keep, and to hold against the result afterwards:

# %%
page = {
    "what is wanted": f"pass rate {target:.2f}",
    "what a point is worth": number(usd_per_point, "$"),
    "one rollout step": f"{step.prompts.mid:,.0f} x {step.group_size.mid:,.0f} completions ({step.name})",
    f"price of one {pilot.label.rstrip('s')}": span(rs.cost.Interval.of(price), "$"),
    "pilot": f"{plan.spent:,.0f} {pilot.label}, about {number(spent, '$')}",
    "state of the forecast": forecast.state,
    "chance that it is reached in time": known(percent(answer.p_reached)),
    "dollars to the target": known(median),
    "best stop": known(f"{stop.compute:,.0f} {pilot.label}"),
    "dollars to the best stop": span(stop.usd, "$"),
    "points until then": known(f"{stop.points.median:.1f} ({stop.points.lo:.1f} to {stop.points.hi:.1f})"),
    "ceiling on spending (project)": number(lines["total"], "$"),
    "what would change the plan": "a fall of the held-out pass rate; longer answers; another price list",
}
pd.Series(page, name="plan").to_frame()

# %% [markdown]
# ## Exercises
#
# Each has a solution that runs when the book is built.

# %% [markdown] tags=["slide"]
# ```{exercise-start} Half the price of a step (5 minutes)
# :label: ex-10-half
# ```
# A provider halves the price. Does the best stop move later by a factor two, by more, or by less?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-10-half
# :class: dropdown
# ```
# By less. Far above $C_\text{mid}$ the slope falls like $C^{-(B+1)}$, so the stop moves by $2^{1/(B+1)}$.


# %%
def stop_at(usd):
    gain = 100 * usd_per_point * truth.slope(at)
    return float(at[np.flatnonzero(gain >= usd)[-1]])


before, after = stop_at(per_step), stop_at(per_step / 2)
print(
    f"{before:,.0f} to {after:,.0f} steps: {after / before:.2f} times; 2^(1/(B+1)) = {2 ** (1 / (truth.B + 1)):.2f}"
)
assert 1 < after / before < 2 and abs(after / before - 2 ** (1 / (truth.B + 1))) < 0.1

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown] tags=["slide"]
# ```{exercise-start} A target just above the ceiling (6 minutes)
# :label: ex-10-above
# ```
# For the pilot above, how does the chance of reaching a target in time fall between 0.56 and 0.66? At which is it even?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-10-above
# :class: dropdown
# ```
# The chance falls over several points of pass rate: that is how well the pilot knows the end.

# %%
wanted = np.round(np.arange(0.56, 0.665, 0.01), 2)
chance = np.array([rs.cost_to_target(plan, float(w), longest=longest).p_reached for w in wanted])
print(", ".join(f"{w:.2f}: {100 * c:.0f} %" for w, c in zip(wanted, chance, strict=True)))
assert (np.diff(chance) <= 0).all() and chance[0] > chance[-1]

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} What is a better forecast worth? (10 minutes)
# :label: ex-10-worth
# ```
# Suppose you knew the law of the simulated run. How many dollars of net value would you gain against stopping where the
# pilot's forecast says? Is it worth another 40 steps of pilot?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-10-worth
# :class: dropdown
# ```
# Perfect knowledge is worth the difference in net value between the two stops, and no more. Pilot steps that you would run
# anyway cost nothing extra; beyond the best stop they cost their full price.

# %%
mine = rs.find_best_stop(
    rs.join_plan(
        rs.forecast_run(
            simulate_curve(truth, np.arange(0, 241, 10.0), unit="rollout_steps", seed=seed), budget=longest
        ).draws(2000, seed),
        per_step,
        spent=240,
    ),
    usd_per_point,
    longest,
)
worth = float(net[top] - np.interp(mine.compute, at, net))
print(f"the forecast stops at {mine.compute:,.0f}, the truth at {at[top]:,.0f}: {number(worth, '$')} of {number(net[top], '$')}; "
      f"40 steps cost {number(40 * per_step, '$')}")  # fmt: skip
assert 0 <= worth < 0.1 * net[top]

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} When does the larger batch become the cheaper one? (12 minutes)
# :label: ex-10-batch
# ```
# Between 0.58 and 0.62 the cheapest recipe changes. Find the target at which both are equally likely to be the cheapest.
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-10-batch
# :class: dropdown
# ```
# It lies a little below the ceiling of the earlier recipe: there its costs run away.

# %%
grid = np.round(np.arange(0.56, 0.63, 0.005), 3)
small = []
for w in grid:
    row = rs.compare_recipes(recipes, float(w)).set_index("recipe")["p_cheapest"]
    small.append(float(row["batch 768"] - row["batch 2,048"]))
cross = float(grid[np.flatnonzero(np.array(small) < 0)[0]])
print(f"from a target of {cross:.3f} on, the larger batch is the likelier cheapest")
assert 0.57 < cross <= fits.loc["t1_scalerl"].A + 0.01

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} Your own line (12 minutes)
# :label: ex-10-own
# ```
# Choose a preset with a sandbox, price a step on own GPUs, and find how much of the price of a step is the sandbox.
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-10-own
# :class: dropdown
# ```
# The preset states the sandbox for the whole run, so divide by its steps.

# %%
agent = rs.load_scenario("swe-agent")
cost = rs.estimate_cost(agent, seed=seed)
per_step_parts = {k: v / agent.steps.mid for k, v in cost.parts.items() if not k.startswith("tinker")}
share = per_step_parts["sandbox"] / sum(per_step_parts.values())
print(f"${sum(per_step_parts.values()):,.0f} a rollout step, of which the sandbox is {100 * share:.0f} %")
assert 0.2 < share < 0.6

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown] tags=["slide"]
# ## Limits
#
# - **The forecast carries its own limits:** a run that bends twice or collapses is not in its draws ([](01-sigmoid-law)).
# - **Law and price are drawn independently.** Longer answers raise both the pass rate and the price; the pairs ignore it.
# - **A point is worth the same everywhere here.** If only the last point over a threshold counts, use the target instead.
# - **Stopping is free here.** Restarting, a queue for machines, or a contract that runs on make stopping late cheaper.
# - **The recipes compared come from one paper,** on one data set, without a margin for $B$ and $C_\text{mid}$.
#
# ## Take-aways
#
# - Decide what a point is worth before you see a curve.
# - A target has a probability first and a price second.
# - Stop within a third of the best step, and spend the time you save on the next recipe.
# - The cheapest recipe depends on the target.
# - Get the project approved, not the run.
#
# ## References
#
# {cite}`khatri2025scalerl` for the two fits; the scenario's sources are in `data/scenarios` and [](08-cost). All entries are
# on the page [](references).
