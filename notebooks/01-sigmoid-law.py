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
# # Why does RL saturate, and along which curve?
#
# **The question.** You watch a pass rate climb. Will it go on climbing, and which curve should you hold against it?
#
# **The answer.** A pass rate is a share of problems solved. It cannot pass 1, and in practice it levels off sooner.
# On a log axis of compute the way up looks like an S, and four numbers describe it: the start $R_0$, the ceiling
# $A$, the steepness $B$, and $C_\text{mid}$, the compute at which half of the gain is won:
#
# $$
# R(C) = R_0 + \frac{A - R_0}{1 + (C_\text{mid} / C)^{B}}
# $$ (eq-law)
#
# **Its limit.** The four numbers are known only once the curve has bent. Before that, ceilings far apart fit the same
# points equally well. Some runs bend twice, take off late or collapse, and this curve has no room for that. What was
# published covers mathematics and code.

# %% [markdown]
# ## What you will be able to do
#
# - **Read** the four numbers off a curve, and **say** what each of them is not.
# - **Compute** what a target pass rate costs, and what the next GPU-hour buys.
# - **Judge** a published fit: its window, its margin, and what it leaves out.
# - **Show** what a power law would have promised for the same run.
# - **Fit** the law to points in any unit.
#
# You need: what a pass rate is, and logarithms. No GPU, no account.
# Time: 11 minutes to read, 50 minutes for the exercises.

# %% tags=["parameters"]
log: str = ""  # path of your own training log; empty: a simulated run stands in
run: str = ""  # which run, when the log holds several
x: str = ""  # which column is compute; empty: chosen, and the choice explained
y: str = ""  # which column is the pass rate; empty: chosen, and the choice explained
assumed_R0: float = 0.25  # start of the published run: never published, so illustrative
seed: int = 4  # of the noise of the simulated runs

# %% tags=["hide-input"]
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue
from scipy.optimize import OptimizeWarning, curve_fit

import rlscale as rs
from rlscale import plot, plot_published, plot_recipes
from rlscale.claims import claim, claims
from rlscale.recipes import find_crossings
from rlscale.scalerl_grid import CEILINGS, CMIDS, fit_scalerl_grid
from rlscale.simulate import simulate_curve
from rlscale.tables import load_table

plt.style.use("rlscale.book")
fits = plot_published.select_published(load_table("published_fits"))
big = plot_published.find_published(fits, "t1_bs2048")  # the longest run
print(f"{len(fits)} published fits with A, B and Cmid; the longest run: A = {big.A}, B = {big.B:.2f}")

# %% [markdown] tags=["slide"]
# ## A reward that counts solved problems has to bend
#
# A pre-training loss falls along a power law for orders of magnitude (and even there the fitted laws carry a floor that
# no compute removes {cite}`besiroglu2024chinchilla`). A pass rate has no such room. It starts somewhere above 0, it ends
# somewhere below 1, and the problems that are left at the end are those the model almost never solves. A problem that is
# never solved gives no reward, so nothing pulls the policy towards it ([](04-difficulty)).
#
# The largest published study, ScaleRL {cite}`khatri2025scalerl`, spent more than 400,000 GB200 GPU-hours and describes its
# runs by equation {eq}`eq-law`. Both statements of the starting page are **confirmed**: the amount, and the shape.

# %% tags=["remove-input"]
claims("C01", "C08b", "C08c")

# %% [markdown] tags=["slide"]
# ## Four numbers, and what each of them is not

# %% mystnb={"image": {"alt": "Four panels of pass rate against compute on a log axis. Each panel changes one parameter of the law: R0 moves the left end, A the right end, Cmid shifts the curve sideways, B changes how steep it is. Dots mark Cmid."}, "figure": {"caption": "One parameter changed at a time; the dot is at Cmid. Illustrative values.", "name": "fig-parameters"}} tags=["hide-input", "fragment"]
law = rs.Sigmoid(R0=0.2, A=0.6, B=1.5, Cmid=3000)
fig, axes = plt.subplots(2, 2, figsize=(6.6, 5.2), sharex=True, sharey=True)
changes = {"R0": [0.1, 0.2, 0.3], "A": [0.5, 0.6, 0.7], "Cmid": [1000, 3000, 9000], "B": [0.8, 1.5, 3.0]}
meanings = {
    "R0": "where you start",
    "A": "where you can get to",
    "Cmid": "half of the gain",
    "B": "how abruptly",
}
for ax, (parameter, values) in zip(axes.flat, changes.items(), strict=True):
    plot.plot_family(ax, law, parameter, values, start=100, end=100_000)
    ax.set_title(f"{parameter}: {meanings[parameter]}")
    ax.legend(title=parameter, loc="upper left")
    ax.set_ylim(0, 0.8)
for ax in axes[1]:
    plot.label_compute_axis(ax, "gpu_hours", log=True)
for ax in axes[:, 0]:
    plot.label_pass_rate_axis(ax)
plt.show()

# %% [markdown]
# **$R_0$ is the pass rate before any RL compute is spent.** The starting page says that the base model sets it. For ScaleRL
# this **differs**: its runs start from a model after supervised fine-tuning, and the value was never published.
# If you have an evaluation at compute 0, keep it. It is the cheapest point of the run and it pins $R_0$.
#
# **$A$ is the ceiling of this recipe, on these problems, with this model.** The starting page says that the loss and the
# numerical precision set it. This **differs in part**: batch size, generation length, model and clipping move it too (see
# the table below), and once the rest of the recipe is in place the loss and the precision barely do: when one ingredient
# of ScaleRL is left out at a time, all ceilings stay within ±0.02 of each other. Nor does a flat curve mean that the task
# is exhausted. More rollouts a problem have revived runs that had levelled off {cite}`hu2025brorl`. [](02-algorithms) goes through
# what moves the ceiling and what the speed, [](03-base-model) through the model.
#
# **$C_\text{mid}$ is the compute at half of the gain, and not the middle of the run.** The next section shows how far apart
# the two are.
#
# **$B$ is steepness on a log axis.** At $C_\text{mid}$ the pass rate rises by $(A - R_0)\,B/4$ for each factor $e$ of
# compute. A steep curve is not a cheap one: $B$ says how the gain is spread round $C_\text{mid}$, not where $C_\text{mid}$
# is. The starting page gives infrastructure as its cause. That **differs in part** as well: the loss alone moves it from
# {glue:text}`B-dapo` to {glue:text}`B-cispo` (DAPO's loss and CISPO's, refitted with a common ceiling).

# %% tags=["remove-cell"]
loo = load_table("published_fits").set_index("id")["B"]
glue("B-dapo", f"{loo['loo_dapo']:.2f}", display=False)
glue("B-cispo", f"{loo['loo_scalerl']:.2f}", display=False)
# the slope that the text states, at Cmid, per factor e of compute
assert np.isclose(law.slope(law.Cmid) * law.Cmid, (law.A - law.R0) * law.B / 4)

# %% tags=["remove-input"]
claims("C05", "C07")

# %% [markdown] tags=["slide"]
# ## Half of the gain is not half of the run
#
# What matters for a plan is how the gain goes on after $C_\text{mid}$. It does not depend on $R_0$, $A$ or the unit, only
# on $B$ and on the multiple of $C_\text{mid}$ you have reached:

# %% tags=["fragment"]
multiples = [0.5, 1, 2, 4, 10]
steepness = [fits.B.min(), big.B, fits.B.max()]
share = rs.Sigmoid.fraction(np.array(multiples)[:, None], np.array(steepness), 1.0)
shares = pd.DataFrame(
    share, index=[f"{m:g} Cmid" for m in multiples], columns=[f"B = {b:.2f}" for b in steepness]
)
shares.map(lambda share: f"{100 * share:.0f} %")

# %% tags=["remove-cell"]
reach = {p: float(np.exp(rs.Sigmoid.log_ratio_for(p, big.B))) for p in (0.9, 0.95)}
glue("reach-90", f"{reach[0.9]:.1f}", display=False)
glue("reach-95", f"{reach[0.95]:.1f}", display=False)
glue("big-B", f"{big.B:.2f}", display=False)
glue("big-mid-share", f"{100 * big.Cmid_gpu_hours / big.run_end_gpu_hours:.0f} %", display=False)
glue("big-end", plot.format_compute(big.run_end_gpu_hours, "gpu_hours"), display=False)
assert big.Cmid_gpu_hours < 0.15 * big.run_end_gpu_hours  # "early in the run"

# %% [markdown]
# The columns are the lowest steepness that was published, that of the longest run, and the highest. With $B$ =
# {glue:text}`big-B` you need {glue:text}`reach-90` times $C_\text{mid}$ for 90 % of the gain and {glue:text}`reach-95` times
# for 95 %. The longest run had its $C_\text{mid}$ after {glue:text}`big-mid-share` of its {glue:text}`big-end`.
#
# The starting page calls $C_\text{mid}$ the compute at half of the total gain, which is **confirmed**, and the half-way point
# of the run, which **differs**. Its advice that a pilot which reaches $C_\text{mid}$ pins down the curve **differs** too:
# {numref}`ex-01-pilot` lets you see why, and {doc}`06-pilot` puts it to the test on real runs.

# %% tags=["remove-input"]
claims("C06", "C06b", "C42")

# %% [markdown] tags=["slide"]
# ## Ten published fits, redrawn without what was not published
#
# ScaleRL states $A$, $B$ and $C_\text{mid}$ of ten fits, and $R_0$ of none. So nobody outside can draw its pass rates
# against compute. What can be drawn is the *share of the gain*, which needs no $R_0$, and the ceilings.

# %% mystnb={"image": {"alt": "Share of the gain against GB200 GPU-hours on a log axis for ten published fits. Most 8B fits reach one half near 3,000 hours; Scout near 4,000; batch 2048 and 32k tokens near 11,000; code starts earliest and rises most slowly."}, "figure": {"caption": "Share of the gain won by each fit of ScaleRL's Table 1 (reported); dots at Cmid.", "name": "fig-shares"}} tags=["hide-input", "fragment"]
fig, ax = plt.subplots()
plot_published.plot_gain_shares(ax, fits)
ax.legend(loc="upper left")
plt.show()

# %% mystnb={"image": {"alt": "Two panels with one row a fit. Left: ceilings from 0.585 to 0.71 with margins of 0.02. Right: a line from Cmid to the compute at 90 percent of the gain on a log axis."}, "figure": {"caption": "Left: ceilings with the margin of the paper (reported). Right: from Cmid (filled, reported) to 90 % of the gain (open, derived).", "name": "fig-ceilings"}} tags=["hide-input"]
fig, (left, right) = plt.subplots(1, 2, sharey=True, figsize=(7.0, 3.9))
plot_published.plot_ceilings(left, fits)
plot_published.plot_spans(right, fits)
plt.show()

# %%
plot_published.tabulate_published(fits)

# %% [markdown]
# *Source: {cite}`khatri2025scalerl`, App. A.13, Table 1 (v1, 15 October 2025); compute in GB200 GPU-hours; pass rate is mean@16
# on 1,000 held-out problems. The last two columns, the compute at 90 and 95 % of the gain, are derived here.*
#
# Longer answers raise the ceiling and push it away: 32k tokens against 14k (**confirmed**) brings {glue:text}`long-gain` of
# pass rate at {glue:text}`long-mid` times the $C_\text{mid}$. A larger batch does the same. So "raises the ceiling" and
# "slows the run down" are often one change, and which one wins depends on where you stop.
#
# Before you lean on these numbers, know how they were made:
#
# - **The margin of $A$ is ±0.02 and that of $B$ is not known.** Three runs of one recipe gave ceilings within ±0.015.
#   Compare two values of $B$ only when both ceilings agree and were refitted to a common value, as the paper does.
# - **The first 1,500 GPU-hours are dropped,** as a rule of thumb: the first pass over the data rises almost in a straight
#   line. Fitting the longest run from 0 to its end instead gives $A$ = {glue:text}`whole-A` and $B$ = {glue:text}`whole-B`.
# - **The ceiling was looked for between 0.45 and 0.80 only,** $C_\text{mid}$ on a linear grid up to 40,000 GPU-hours. A run
#   outside is pushed to the edge ({numref}`ex-01-grid`).
# - **The hours are those of GB200 GPUs.** The starting page turns them into H100-hours by a factor of 2.8. That is
#   **unsourced**: the paper has no such factor. Of its two reasons, 2.4 times the bandwidth is **confirmed**, 4.5 times
#   the arithmetic **differs** (about 2.5 times at the same precision). Here the hours stay what they were measured in.

# %% tags=["remove-cell"]
short, long = (plot_published.find_published(fits, i) for i in ("t1_scalerl", "t1_32k"))
glue("long-gain", f"{long.A - short.A:+.3f}", display=False)
glue("long-mid", f"{long.Cmid_gpu_hours / short.Cmid_gpu_hours:.1f}", display=False)
whole = load_table("published_fits").set_index("id").loc["a7_0_100k"]
glue("whole-A", f"{whole.A:.3f}", display=False)
glue("whole-B", f"{whole.B:.2f}", display=False)

# %% tags=["remove-input"]
claims("C02", "C03", "C04", "C12")

# %% [markdown]
# ### Which of two wins depends on where you stop
#
# Give both answer lengths the same assumed start (illustrative) and draw them as pass rates. The short answers arrive early,
# the long ones end higher, and there is one compute at which they change places. Where the page can compute, every number of the
# picture can be moved, and the cursor reads both curves.

# %% mystnb={"image": {"alt": "Pass rate against GB200 GPU-hours on a log axis. The fit with 14k tokens (batch 768) rises first and levels off at 0.61; the one with 32k tokens rises four times later, crosses it late and ends at 0.645. A dotted line marks the target of 0.6."}, "figure": {"caption": "Two published fits from an assumed start (A, B and Cmid reported, R0 illustrative); dots at Cmid, a cross where they change places.", "name": "fig-01-pair"}} tags=["hide-input"]
pair = {f.name: rs.Sigmoid(assumed_R0, f.A, f.B, f.Cmid_gpu_hours) for f in (short, long)}
fig, ax = plt.subplots()
ax.set_ylim(0.2, 0.7)
turns = find_crossings(*pair.values(), 100, 100_000)
plot_recipes.plot_pair(ax, pair, 100, 100_000, target=0.6, crossings=turns)
plot.label_compute_axis(ax, "gpu_hours", log=True, hardware="GB200")
plot.label_pass_rate_axis(ax)
plt.show()
assert len(turns) == 1 and turns[0] > big.Cmid_gpu_hours

# %% [markdown]
# <div class="rlscale-app" data-rlscale="explorer" data-static="fig-01-pair" data-case="lengths"></div>

# %% [markdown] tags=["slide"]
# ## The published forecasts began when nine tenths were won
#
# A forecast is only as impressive as the part of the curve it had to guess. For the three runs whose fit window is stated,
# the share of the gain that had been won at the end of the window follows from $B$ and $C_\text{mid}$ alone:

# %% tags=["hide-input", "fragment"]
windows = fits.dropna(subset=["fit_to_gpu_hours", "run_end_gpu_hours"])
shares_of = {
    "seen": windows.fit_to_gpu_hours / windows.run_end_gpu_hours,
    "won by then": rs.Sigmoid.fraction(windows.fit_to_gpu_hours, windows.B, windows.Cmid_gpu_hours),
    "won at the end": rs.Sigmoid.fraction(windows.run_end_gpu_hours, windows.B, windows.Cmid_gpu_hours),
    "won at 25 % seen": rs.Sigmoid.fraction(windows.run_end_gpu_hours / 4, windows.B, windows.Cmid_gpu_hours),
}
seen = pd.DataFrame(shares_of).set_axis(windows.name.rename(None))
assert (seen["won by then"] >= 0.895).all()  # "nine tenths"
seen.map(lambda share: f"{100 * share:.0f} %")

# %% [markdown]
# All three windows reach to about nine tenths of the gain. So the paper shows that the *last tenth* can be forecast from the
# first nine, on one recipe, one data set and two models. It does not show a forecast from the rising part. The rule that the
# starting page takes from it, fit a quarter of the run and read off the end, is **not in the paper**: a third to a half was
# fitted. {doc}`06-pilot` measures what a quarter is good for.

# %% tags=["remove-input"]
claims("C41")

# %% [markdown] tags=["slide"]
# ## On the same run, a power law promises what never comes
#
# Take the longest run, give it an assumed start (illustrative, since it was never published), add the noise of an evaluation
# with 1,000 problems and 16 samples, and fit a power law $A - D/C^{b}$ to the first half, as one would fit a loss:

# %%
truth = rs.Sigmoid(R0=assumed_R0, A=big.A, B=big.B, Cmid=big.Cmid_gpu_hours)
curve = simulate_curve(truth, np.linspace(0, big.run_end_gpu_hours, 75), unit="gpu_hours", seed=seed, drift=0)


def power_law(compute, A, D, b):
    return A - D / (compute / 1000) ** b


def fit_power(low, high):
    inside = (curve.compute >= low) & (curve.compute <= high)
    bounds = ([0, 0, 0.01], [1, np.inf, 10])
    return curve_fit(
        power_law, curve.compute[inside], curve.pass_rate[inside], p0=[0.7, 1, 0.5], bounds=bounds
    )[0]


# %% mystnb={"image": {"alt": "Pass rate against GPU-hours for a simulated run of 100,000 GPU-hours. A sigmoid fitted to the first half stays on the later points; the power law fitted to the same half climbs away above them."}, "figure": {"caption": "The same first half, two laws. Dots: simulated run (illustrative), faint where the fits did not look. Dashed: forecast.", "name": "fig-power"}} tags=["hide-input", "fragment"]
half = big.fit_to_gpu_hours
first = big.fit_from_gpu_hours
used = (curve.compute >= first) & (curve.compute <= half)
sigmoid = rs.fit_law(curve.compute[used], curve.pass_rate[used]).law
power = fit_power(first, half)
end = 2 * big.run_end_gpu_hours

fig, ax = plt.subplots()
plot.plot_points(ax, curve.compute[used], curve.pass_rate[used], mark=plot.Mark(plot.COLOURS["black"]))
plot.plot_points(
    ax, curve.compute[~used], curve.pass_rate[~used], mark=plot.Mark(plot.COLOURS["grey"]), alpha=0.4
)
plot.plot_law(ax, sigmoid, first, end, seen=half, midpoint=True)
grid = np.linspace(first, end, 400)
for part, dash in ((grid <= half, "-"), (grid >= half, "--")):
    _ = ax.plot(grid[part], power_law(grid[part], *power), dash, color=plot.RIVAL.colour)
ax.axvline(half, color=plot.COLOURS["grey"], linewidth=0.8)
ax.annotate(
    "last point used", (half, 0.27), xytext=(4, 0), textcoords="offset points", fontsize=9, color="#555555"
)
plot.label_compute_axis(ax, "gpu_hours", hardware="GB200")
plot.label_pass_rate_axis(ax)
ax.set_ylim(0.2, 0.8)
plot.label_ends(
    ax,
    [(sigmoid(end), "sigmoid", plot.PLAIN.colour), (power_law(end, *power), "power law", plot.RIVAL.colour)],
)
plt.show()

# %% tags=["hide-input"]
published_power = load_table("published_fits").query("law == 'power'").set_index("fit_from_gpu_hours").A
rows = []
for low, high in ((1500, 50_000), (5000, 50_000), (30_000, 60_000)):
    inside = (curve.compute >= low) & (curve.compute <= high)
    bent = rs.fit_law(curve.compute[inside], curve.pass_rate[inside])
    in_paper = f"{published_power[low]:.2f}" if low in published_power else "near the truth"
    rows.append((f"{low:,} to {high:,}", fit_power(low, high)[0], in_paper, bent.law.A, bent.status))
columns = ["window (GPU-hours)", "power law: A", "in the paper", "sigmoid: A", "status"]
ceilings = pd.DataFrame(rows, columns=columns)
assert (
    ceilings["power law: A"][0] > 0.95
    and ceilings["power law: A"][1] > 0.7
    and abs(ceilings["power law: A"][2] - big.A) < 0.02
)
assert (abs(ceilings["sigmoid: A"][:2] - big.A) < 0.02).all() and ceilings.status[2] == "at bounds"
ceilings.round(2).set_index("window (GPU-hours)").rename_axis(None)

# %% [markdown]
# The power law has no bend, so it books the slowing down as slow growth that goes on for ever. From the paper's own window it
# sees a ceiling at its upper bound, and from 5,000 GPU-hours on one that is still far too high. Only a window that leaves out
# the rise brings it near. The simulation agrees with what the paper reports for the real run, though it knows nothing but three
# published numbers and an assumed start.
#
# The last row cuts both ways. Far above $C_\text{mid}$ the two laws are the same curve, so a good fit *there* does not tell
# which of them is right. It does not pin down a sigmoid either: the fit stops at a bound, and says so.

# %% [markdown] tags=["slide"]
# ## The fit works in any unit, if the compute is scaled first
#
# GPU-hours, rollout steps or tokens: the same run, another number on the axis. A general optimizer that starts at 1 for every
# parameter looks for $C_\text{mid}$ near one GPU-hour or near one token. Watch what SciPy's `curve_fit` makes of the four
# units with its default start, and what `fit_law` makes of them. (`fit_law` divides the compute by the last one seen,
# works with its logarithm, and solves for $R_0$ and $A$ exactly for each $B$ and $C_\text{mid}$.)

# %% tags=["hide-input", "fragment"]
steps_per_hour = big.run_end_rollout_steps / big.run_end_gpu_hours  # reported: steps and hours of the run
tokens_per_hour = 10_000_000.0  # illustrative
units = {
    "thousands of GPU-hours": 1e-3,
    "GPU-hours": 1.0,
    "rollout steps": steps_per_hour,
    "generated tokens": tokens_per_hour,
}


def sigmoid_law(compute, R0, A, B, Cmid):
    return R0 + (A - R0) / (1 + (Cmid / compute) ** B)


rows, fitted = [], {}
for unit, per_hour in units.items():
    compute, pass_rate = curve.compute[used] * per_hour, curve.pass_rate[used]
    fitted[unit] = rs.fit_law(compute, pass_rate)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", OptimizeWarning)
        try:
            found = curve_fit(sigmoid_law, compute, pass_rate)[0]
            sse = np.sum((sigmoid_law(compute, *found) - pass_rate) ** 2)
            outcome = "finds the best fit" if sse < 1.001 * fitted[unit].sse else f"wrong, A = {found[1]:.2f}"
        except RuntimeError:
            outcome = "gives up"
    best = fitted[unit].law
    rows.append((unit, outcome, f"{best.A:.3f}", f"{best.B:.2f}", plot.format_compute(best.Cmid)))
pd.DataFrame(rows, columns=["", "curve_fit", "fit_law: A", "B", "Cmid"]).set_index("").rename_axis(None)

# %%
reference = fitted["GPU-hours"].law
for unit, per_hour in units.items():
    same = fitted[unit].law
    assert np.allclose([same.R0, same.A, same.B], [reference.R0, reference.A, reference.B], rtol=1e-6)
    assert np.isclose(same.Cmid, reference.Cmid * per_hour, rtol=1e-6)
print("R0, A, B: equal in all four units; Cmid moves with the unit")

# %% [markdown]
# The worst outcome is not the one that gives up. It is the one that returns a number.

# %% [markdown]
# ## Try it on your own data
#
# Put the path of your log into the first code cell and run the page again. It draws the law through your points. It does not
# say how sure it is: for an interval and a verdict use [](11-your-run) or `rlscale report`.

# %% mystnb={"image": {"alt": "Measured pass rates as dots against compute, with the fitted law as a line and a dot at Cmid."}, "figure": {"caption": "Least squares through the points of the log (by default the first half of the simulated run above, illustrative).", "name": "fig-own"}}
mine = rs.read_run(log, run or None, x or None).curve(x or None, y or None) if log else curve.cut(half)
fit = rs.fit_law(mine.compute, mine.pass_rate)

fig, ax = plt.subplots()
plot.plot_points(ax, mine.compute, mine.pass_rate)
plot.plot_law(ax, fit.law, mine.compute[0], mine.compute[-1], midpoint=fit.law.Cmid < mine.compute[-1])
plot.label_compute_axis(ax, mine.unit)
plot.label_pass_rate_axis(ax, f"pass rate ({mine.kind.replace('_', ' ')})")
plt.show()

# %%
print(
    f"R0 = {fit.law.R0:.3f}, A = {fit.law.A:.3f}, B = {fit.law.B:.2f}, Cmid = {plot.format_compute(fit.law.Cmid, mine.unit)}"
)
print(f"status: {fit.status}; at a bound: {', '.join(fit.at_bounds) or 'none'}")
print(f"seen so far: {mine.compute[-1] / fit.law.Cmid:.1f} times Cmid")

# %% [markdown]
# ## Exercises
#
# Each has a solution that runs when the book is built.

# %% [markdown] tags=["slide"]
# ```{exercise-start} Four times Cmid (2 minutes)
# :label: ex-01-four
# ```
# A run has reached four times its $C_\text{mid}$. With $B = 1$, which share of its gain has it won? With $B = 2$?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-01-four
# :class: dropdown
# ```
# The share is $1/(1 + 4^{-B})$.

# %%
slow, fast = rs.Sigmoid.fraction(4.0, [1.0, 2.0], 1.0)
print(f"B = 1: {100 * slow:.0f} %   B = 2: {100 * fast:.0f} %")
assert np.isclose(slow, 4 / 5) and np.isclose(fast, 16 / 17)

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown] tags=["slide"]
# ```{exercise-start} What the last 5 % of the gain cost (5 minutes)
# :label: ex-01-last
# ```
# Take the fit of the longest run. How many GPU-hours does it take to go from 90 % to 95 % of the gain, and how many did the
# first 90 % take? Does the answer depend on $R_0$?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-01-last
# :class: dropdown
# ```
# No: shares of the gain do not know $R_0$. Five points more cost over half of what the first ninety did.

# %%
first_90 = truth.compute_for(truth.R0 + 0.90 * (truth.A - truth.R0))
next_5 = truth.compute_for(truth.R0 + 0.95 * (truth.A - truth.R0)) - first_90
print(f"first 90 %: {first_90:,.0f} GPU-hours; the next 5 %: {next_5:,.0f}")
assert 0.5 < next_5 / first_90 < 0.6
assert np.isclose(first_90, big.gpu_hours_90)  # the table above, which has no R0

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} Higher ceiling or earlier gain? (8 minutes)
# :label: ex-01-cross
# ```
# Two 8B runs of the table differ in batch size: 768 and 2048 completions. Let both start at `assumed_R0`. Up to which compute
# is the smaller batch ahead? By how much is it ahead at 4,000 GPU-hours, and behind at 100,000?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-01-cross
# :class: dropdown
# ```
# A short comparison would have picked the wrong recipe for a long run, and the right one for a short run.

# %%
small = rs.Sigmoid(assumed_R0, short.A, short.B, short.Cmid_gpu_hours)
grid = np.geomspace(100, 100_000, 20_000)
ahead = small(grid) > truth(grid)
crossing = grid[np.flatnonzero(ahead)[-1]]
early, late = small(4000) - truth(4000), small(100_000) - truth(100_000)
print(
    f"the smaller batch is ahead up to {crossing:,.0f} GPU-hours; {early:+.3f} at 4,000 and {late:+.3f} at 100,000"
)
assert (
    ahead[: np.flatnonzero(ahead)[-1]].all() and 30_000 < crossing < 60_000 and early > 0.1 and late < -0.02
)

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} What the next thousand GPU-hours buy (8 minutes)
# :label: ex-01-next
# ```
# With the same law and `assumed_R0`, how many points of pass rate does the next thousand GPU-hours buy at $C_\text{mid}$,
# and at four times $C_\text{mid}$? At which compute does it buy less than 0.1 points?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-01-next
# :class: dropdown
# ```
# The slope falls below any price you put on a point long before the curve looks flat to the eye.

# %%
at_mid, at_four = (100 * 1000 * truth.slope(m * truth.Cmid) for m in (1, 4))
grid = np.linspace(truth.Cmid, 200_000, 20_000)
cheap_until = grid[np.flatnonzero(100 * 1000 * truth.slope(grid) > 0.1)[-1]]
print(
    f"{at_mid:.2f} points at Cmid, {at_four:.2f} at four times Cmid, below 0.1 from {cheap_until:,.0f} GPU-hours"
)
assert at_mid > 8 * at_four and 40_000 < cheap_until < 60_000

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} A ceiling outside the grid (12 minutes)
# :label: ex-01-grid
# ```
# Simulate a hard task: start 0.05, ceiling 0.35, $B$ = 1.5, $C_\text{mid}$ = 4,000 GPU-hours, run to 40,000. Fit it as the
# paper did, with `rlscale.scalerl_grid.fit_scalerl_grid`, and with `fit_law`. What does each say about the ceiling?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-01-grid
# :class: dropdown
# ```
# The grid cannot say 0.35. It says the lowest ceiling it has, and reports the bound.

# %%
hard = rs.Sigmoid(R0=0.05, A=0.35, B=1.5, Cmid=4000)
task = simulate_curve(hard, np.linspace(0, 40_000, 41), unit="gpu_hours", seed=seed)
grid_fit = fit_scalerl_grid(task.compute, task.pass_rate, R0=task.pass_rate[0])
free_fit = rs.fit_law(task.compute, task.pass_rate)
print(f"paper's grid: A = {grid_fit.law.A:.3f}, at a bound: {', '.join(grid_fit.at_bounds) or 'none'}")
print(f"fit_law:      A = {free_fit.law.A:.3f}, at a bound: {', '.join(free_fit.at_bounds) or 'none'}")
assert np.isclose(grid_fit.law.A, 0.45) and "A" in " ".join(grid_fit.at_bounds)
assert abs(free_fit.law.A - hard.A) < 0.02

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ```{exercise-start} Has a pilot that reaches Cmid seen the ceiling? (15 minutes)
# :label: ex-01-pilot
# ```
# Simulate pilots of the law `truth` that end at one, two and four times its $C_\text{mid}$, with the noise of real runs
# (`simulate_curve` without `drift`), and fit each by least squares. Take 40 seeds. How far apart are the ceilings?
# ```{exercise-end}
# ```

# %% [markdown]
# ```{solution-start} ex-01-pilot
# :class: dropdown
# ```
# At $C_\text{mid}$ the ceiling is anyone's guess. At twice $C_\text{mid}$ it is usable for some decisions, at four times it
# is good. The simulation is kind: the law is exact here, and real runs are not.

# %%
spread = {}
for multiple in (1, 2, 4):
    compute = np.linspace(0, multiple * truth.Cmid, 20 * multiple + 1)
    found = []
    for s in range(40):
        piece = simulate_curve(
            truth, compute, unit="gpu_hours", seed=s, drift_length=0.03 * big.run_end_gpu_hours
        )
        found.append(rs.fit_law(piece.compute, piece.pass_rate).law.A)
    spread[multiple] = np.quantile(found, [0.05, 0.95])
    print(
        f"seen {multiple} Cmid: ceilings from {spread[multiple][0]:.2f} to {spread[multiple][1]:.2f} (true {truth.A})"
    )
width = {m: high - low for m, (low, high) in spread.items()}
assert width[1] > 0.3 and 0.08 < width[2] < 0.2 and 0 < width[4] < 0.06

# %% [markdown]
# ```{solution-end}
# ```

# %% [markdown]
# ## Limits
#
# - **Other saturating curves fit as well.** On public runs a stretched exponential and a shifted power law come out ahead of
#   the sigmoid about as often as the other way round. That is why the forecasts of this book pool three shapes instead of
#   trusting one.
# - **One bend only.** Plateaus followed by a second rise, late take-offs and collapses are outside of the law.
# - **Held-out pass rate only.** A training reward that mixes in format or length, or that leaves out solved problems, follows
#   another curve.
# - **Two domains.** Mathematics and code; the starting page says so too (**confirmed**). Code rose more slowly
#   ($B$ = {glue:text}`code-B`), from one fit.
# - **Not only short runs, though.** The starting page has ScaleRL stop near 2,000 steps. That **differs**: its two long
#   runs took {glue:text}`steps-8b` and {glue:text}`steps-scout`. Some 2,000 steps is what ProRL ran {cite}`liu2025prorl`.
#
# ```{admonition} Where the paper disagrees with itself
# :class: dropdown
# - The fits are said to lie on a linear grid of 100 values of $C_\text{mid}$ up to 40,000. Most values in Table 1 do not.
# - "2048 prompts" for the large batch reads as 2,048 completions in the paper's own words (about 2.5 times 768), and as prompts by
#   its GPU-hours: {doc}`08-cost` puts both readings to the test.
# - Numbers of generations a prompt are called essentially unchanged, yet the ceilings span 0.585 to 0.610.
# - 32k tokens are said to lower $B$; the table has 1.89 against 1.92.
# - The curriculum counts among choices that change only the efficiency in one place, and raises the ceiling in another.
# ```

# %% tags=["remove-cell"]
glue("code-B", f"{plot_published.find_published(fits, 't1_mathcode_code').B:.2f}", display=False)
scout = plot_published.find_published(fits, "t1_scout")
glue("steps-8b", f"{big.run_end_rollout_steps:,.0f}", display=False)
glue("steps-scout", f"{scout.run_end_rollout_steps:,.0f}", display=False)
# what the text states in words or digits, held against the tables: a changed table stops the build here
confirmed, differs = ("C01", "C03", "C06", "C12", "C46"), ("C04", "C05", "C06b", "C07", "C41", "C42", "C45")
assert {claim(i).verdict for i in confirmed} == {"confirmed"} and claim("C02").verdict == "unsourced"
assert {claim(i).verdict for i in differs} == {"differs"}
assert [claim(i).value for i in ("C01", "C02", "C03", "C04", "C45")] == [400_000, 2.8, 2.4, 4.5, 2000]
gpus = load_table("gpus").drop_duplicates("gpu").set_index("gpu")
assert round(gpus.bf16_dense_tflops["GB200"] / gpus.bf16_dense_tflops["H100 SXM"], 1) == 2.5
assert round(gpus.bandwidth_tb_s["GB200"] / gpus.bandwidth_tb_s["H100 SXM"], 1) == 2.4
same_total = fits.loc[["t1_8gen", "t1_24gen", "t1_32gen", "t1_scalerl"]].A
assert (same_total.min(), same_total.max()) == (0.585, 0.610) and (long.B, short.B) == (1.89, 1.92)
assert (fits.A_margin == 0.02).all() and first == 1500
assert (short.completions_per_step, big.completions_per_step, len(fits)) == (768, 2048, 10)
assert (CEILINGS[0], CEILINGS[-1], CMIDS[-1], len(CMIDS)) == (0.45, 0.80, 40_000, 100)

# %% tags=["remove-input"]
claims("C45", "C45b", "C46")

# %% [markdown] tags=["slide"]
# ## Take-aways
#
# - A pass rate saturates. Start, ceiling, steepness and half-way compute describe how.
# - $C_\text{mid}$ comes early. Plan for several times as much.
# - A ceiling belongs to a recipe, a data set and a model, and it is not known before the bend.
# - The published forecasts guessed the last tenth of the gain, not the last three quarters of the run.
# - Scale the compute before you fit. Distrust a fit that stops at a bound.
#
# Next: [](06-pilot) asks how early the end can be told, [](07-misleading-curves) plants curves that lie, [](10-plan) puts a price on the
# next step, and [](12-lab) lets you watch such a curve grow. What other runs needed is in [](05-reference-runs).
#
# ## References
#
# - {cite:t}`khatri2025scalerl`: the law, the ten fits (App. A.13), the power law (App. A.4), the windows (App. A.7).
# - {cite:t}`besiroglu2024chinchilla`: how easily a published fit of a scaling law goes wrong, and the floor of the loss.
# - {cite:t}`liu2025prorl` and {cite:t}`hu2025brorl`: a run that had levelled off, and what revived it.
