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

# %% [markdown] tags=["book", "slide"]
# # Do it on my log
#
# **The question.** You have a log of an unfinished run. Where will it end, and should you go on?
#
# **The answer.** One command reads the log, forecasts the end of the budget as an interval, gives a verdict, and writes one
# page to send, `out/report.html`:
#
# ```bash
# rlscale report metrics.jsonl --budget 400 -o out
# ```
#
# The page you are reading is the notebook behind that command. Without a log it shows a simulated run, so that you can see
# what you will get.
#
# **Its limit.** The forecast says *no forecast* when the run has not bent yet, is flat or falls, and early looks are often
# refused. It cannot foresee a collapse or a late take-off. And it is about the series that
# was measured: a training reward that climbs says nothing about problems the model has not trained on.

# %% [markdown] tags=["book"]
# ## What you will be able to do
#
# - **Run** the forecast on your log, by command or in this notebook.
# - **Check** that the right series was read, in the right unit, before you believe a number.
# - **Tell** apart the three states and the three verdicts.
# - **Put** a price on the rest of the run.
# - **Recognise** the logs that must be refused.
#
# You need: a log, or nothing.
# Time: 5 minutes to read, 41 minutes for the exercises.

# %% tags=["parameters"]
log: str = ""  # path of a training log; empty: a simulated run (illustrative)
run: str = ""  # which run, when the log holds several
x: str = ""  # which column is compute; empty: chosen, and the choice explained
y: str = ""  # which column is the pass rate; empty: chosen, and the choice explained
budget: float = None  # planned compute of the whole run, in the unit of x
target: float = None  # pass rate that you need
price: float = None  # USD for one unit of compute: a GPU-hour; or a step, its GPUs x its hours x that price
value: float = None  # USD that one percentage point of pass rate is worth to you
level: float = 0.9  # share of the truth that an interval should hold

# %% tags=["hide-input"]
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import rlscale as rs
from rlscale import plot, report_parts
from rlscale.simulate import simulate_curve

plt.style.use("rlscale.book")
truth = rs.Sigmoid(R0=0.20, A=0.60, B=1.5, Cmid=60)  # of the simulated run
simulated = simulate_curve(truth, np.arange(0, 401, 8), unit="rollout_steps", seed=5)

if not log:  # write half of the simulated run as a log, and want something of it
    half = simulated.cut(200)
    columns = {"rollout_step": half.compute.astype(int), "val/accuracy/mean@16": half.pass_rate}
    log = str(Path(tempfile.mkdtemp(), "simulated.csv"))
    budget, target = budget or 400.0, target or 0.55
    pd.DataFrame(columns).to_csv(log, index=False)

curve = rs.read_run(log, run or None, x or None).curve(x or None, y or None)
forecast = rs.forecast_run(curve, budget=budget, target=target, price=price, value=value, level=level)

# %% tags=["hide-input"]
report_parts.state_answer(forecast)

# %% mystnb={"image": {"alt": "Measured pass rates as dots against compute, the median of the forecast as a line, dashed beyond the last point, with the interval as a band up to the budget."}, "figure": {"caption": "Dots: measured. Line: median, dashed where it is forecast. Dark band: interval of the curve; light band: of one measured point. Black bar: interval of the end, the mean of the last tenth of the points. Orange: Cmid, half of the gain, with its interval. All grey: no forecast.", "name": "fig-your-run"}} tags=["slide", "hide-input"]
fig, ax = plt.subplots()
plot.plot_forecast(ax, forecast, target=target)
plt.show()

# %% [markdown] tags=["book"]
# <div class="rlscale-app" data-rlscale="forecaster" data-static="fig-your-run"></div>
#
# Below: the page's own run, not a log dropped above.

# %% [markdown] tags=["slide"]
# ## Why this state

# %% tags=["fragment", "hide-input"]
report_parts.list_reasons(forecast)

# %% [markdown] tags=["slide"]
# ## What to do now

# %% tags=["fragment", "hide-input"]
report_parts.suggest_next(forecast, log=log, run=run, x=x, y=y)

# %% [markdown]
# ## The numbers

# %% tags=["hide-input"]
report_parts.list_numbers(forecast)

# %% [markdown] tags=["slide"]
# ## The money

# %% tags=["fragment", "hide-input"]
report_parts.state_money(forecast)

# %% [markdown]
# ## What was read
#
# Check this first. A forecast of the wrong column is worth nothing.

# %% tags=["hide-input"]
report_parts.describe_log(curve)

# %% [markdown]
# ### Warnings

# %% tags=["hide-input"]
report_parts.list_warnings(forecast)

# %% [markdown]
# ## How it was computed
#
# Three saturating shapes (sigmoid, Weibull, shifted power law) are each given every start, ceiling, steepness and half-way
# compute that the points allow, weighed by how well they fit, under noise of two kinds: sampling, and a slow drift of the
# run. Shapes that the points refute are left out, the others count equally (they are *pooled*). The interval is widened for
# shapes that are none of the three, the more the farther it looks ahead. What is forecast is what you would *measure*
# at the end: the mean of the last tenth of the planned points.

# %% tags=["hide-input"]
report_parts.describe_method(forecast)

# %% [markdown] tags=["book", "slide"]
# ## How to read the three states
#
# | state | what you get | what it takes |
# |---|---|---|
# | ceiling identified | the end of the budget, and $R_0$, $A$, $B$, $C_\text{mid}$ with intervals | $C_\text{mid}$ passed for sure, a narrow ceiling, shapes that agree |
# | end forecast only | the end of the budget, and all but the ceiling $A$ | a narrow interval of the end |
# | no forecast | the reasons, and a grey band to look at | |
#
# The end of a budget is easier to foretell than the ceiling, since all shapes agree on what happens soon. So the end comes
# first, and the ceiling only when it can be told.
#
# ## How to read the three verdicts
#
# - Without anything else, the verdict looks at the gain that is left. If even the high end of the interval is below one
#   percentage point, it says *stop*; if even the low end is above, *continue*; else *cannot tell*.
# - With a **target**, it says *stop* when the target is reached now, or out of reach at the end of the budget, and else how likely it
#   is.
# - With a **price** and a **value**, it looks for the stop that is worth most: what the next points are expected to bring,
#   less what they cost. So it also answers where no number can be quoted: the average over all that the pilot leaves open
#   decides, and the page says so ([](06-pilot) has the test).
# - With a target *and* prices the target decides, and what money alone says stands beside it.
# - A run that fell is told to keep its best checkpoint, whatever it costs. A budget that is used up is *stop*.
#
# *Left to win* is about the curve itself. What you measure also scatters round the curve and drifts with it, and no money buys
# that away; so the interval of the end is wider than that of the gain.
#
# One look can be chance. Ask again at the next evaluation, and act on a *stop* that comes twice.

# %% [markdown] tags=["book"]
# ## Try it on your own data
#
# - **In this page:** drop it on the forecaster above.
# - **In the terminal:** `rlscale inspect LOG` shows what the log holds, `rlscale forecast LOG` prints the verdict, and
#   `rlscale report LOG -o DIR` makes the page. All three take the same names for columns and runs.
# - **In this notebook:** put the path into the first code cell and run all.
# - **From Python:** `rs.forecast_run(rs.read_run(path).curve(), budget=400)`, and the object has everything that was shown.
#
# Say the budget if you know it. Without it the planned length in the log is used, else four times what was seen, and the
# forecast depends on it.

# %% [markdown] tags=["book"]
# ## Exercises
#
# They use the simulated run, whatever log the page was run on. Each has a solution that runs when the book is built.

# %% [markdown] tags=["book", "slide"]
# ```{exercise-start} How early could you have known? (5 minutes)
# :label: ex-11-early
# ```
# Cut the simulated run after 5, 15, 25, 50 and 100 % of its budget. Which state does each piece get?
# ```{exercise-end}
# ```

# %% [markdown] tags=["book"]
# ```{solution-start} ex-11-early
# :class: dropdown
# ```
# The first pieces are refused. The end comes within reach long before the ceiling.

# %% tags=["book"]
states = []
for share in (0.05, 0.15, 0.25, 0.5, 1.0):
    piece = rs.forecast_run(simulated.cut(share * 400), budget=400)
    states.append(piece.state)
    print(f"{100 * share:3.0f} % seen: {piece.state}")
assert states[0] == "no forecast" and states[-1] == "ceiling identified"

# %% [markdown] tags=["book"]
# ```{solution-end}
# ```

# %% [markdown] tags=["book", "slide"]
# ```{exercise-start} Percent is not a pass rate (5 minutes)
# :label: ex-11-percent
# ```
# Write half of the simulated run to a CSV with the pass rate in percent, and read it. What happens, and why is it better than
# a silent division by 100?
# ```{exercise-end}
# ```

# %% [markdown] tags=["book"]
# ```{solution-start} ex-11-percent
# :class: dropdown
# ```
# It is refused with a hint. A reward between 0 and 100 is not always a percentage, and only you know.

# %% tags=["book"]
half = simulated.cut(200)
percent = pd.DataFrame({"rollout_step": half.compute.astype(int), "val/accuracy": 100 * half.pass_rate})
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "percent.csv")
    percent.to_csv(path, index=False)
    try:
        rs.read_run(path).curve()
    except rs.errors.RlscaleError as error:
        message = str(error).replace(f"{folder}/", "")
print(message)
assert "percent" in message or "100" in message

# %% [markdown] tags=["book"]
# ```{solution-end}
# ```

# %% [markdown] tags=["book"]
# ```{exercise-start} The price that turns the verdict (8 minutes)
# :label: ex-11-price
# ```
# You are at half of the budget, and a percentage point is worth USD 500 to you. Up to which price of a rollout step do you go
# on at all?
# ```{exercise-end}
# ```

# %% [markdown] tags=["book"]
# ```{solution-start} ex-11-price
# :class: dropdown
# ```
# The price at which the very next step is worth as much as it costs: the value of a point times the slope of the expected curve.

# %% tags=["book"]
verdicts = {}
for step_price in (0.5, 1, 2, 5, 10, 20, 50):
    verdicts[step_price] = rs.forecast_run(half, budget=400, price=step_price, value=500).verdict
turning = next(p for p, verdict in verdicts.items() if verdict == "stop")
now = rs.forecast_run(half, budget=400).expected([200, 201])
slope = 500 * 100 * (now[1] - now[0])
print(f"go on below about USD {slope:.1f} a step; the list turns between the prices before and at {turning}")
assert verdicts[0.5] == "continue" and verdicts[50] == "stop"
assert max(p for p, verdict in verdicts.items() if verdict == "continue") <= slope <= turning

# %% [markdown] tags=["book"]
# ```{solution-end}
# ```

# %% [markdown] tags=["book"]
# ```{exercise-start} A run that falls (8 minutes)
# :label: ex-11-fall
# ```
# Let the pass rate drop by 0.01 a point over the last tenth of the simulated run, and ask for a forecast. What does it say to
# keep?
# ```{exercise-end}
# ```

# %% [markdown] tags=["book"]
# ```{solution-start} ex-11-fall
# :class: dropdown
# ```
# A saturating curve does not fall, so the forecast is refused, and the best checkpoint is named.

# %% tags=["book"]
fall = np.clip(np.arange(len(simulated)) - 0.9 * len(simulated), 0, None)
fallen = rs.Curve(simulated.compute, simulated.pass_rate - 0.03 * fall, unit="rollout_steps")
falling = rs.forecast_run(fallen, budget=800)
print(falling.state, "|", falling.verdict, "|", falling.decision.why)
assert falling.state == "no forecast" and "falling" in {reason.code for reason in falling.reasons}

# %% [markdown] tags=["book"]
# ```{solution-end}
# ```

# %% [markdown] tags=["book"]
# ```{exercise-start} Does a 90 % interval hold the truth nine times in ten? (15 minutes)
# :label: ex-11-coverage
# ```
# Simulate 30 runs of the same law with other seeds, forecast each from half of its budget, and count how often the interval
# holds the mean of the last tenth of the points that came. How many misses may chance explain?
# ```{exercise-end}
# ```

# %% [markdown] tags=["book"]
# ```{solution-start} ex-11-coverage
# :class: dropdown
# ```
# With 30 runs, anything from 24 hits on is within chance of nine in ten. More hits than 27 are no fault: the interval also
# allows for shapes other than the true one.

# %% tags=["book"]
hits = 0
for s in range(100, 130):
    whole = simulate_curve(truth, np.arange(0, 401, 8), unit="rollout_steps", seed=s)
    end = rs.forecast_run(whole.cut(200), budget=400).end
    hits += end.lo <= whole.pass_rate[whole.compute > 360].mean() <= end.hi
print(f"{hits} of 30 intervals hold the end")
assert hits >= 24

# %% [markdown] tags=["book"]
# ```{solution-end}
# ```

# %% [markdown] tags=["book", "slide"]
# ## Limits
#
# - The intervals were tested on public runs, most of them small. Your kind of run may differ: replay your finished runs with
#   `rlscale backtest` and see.
# - A collapse, a late take-off, a second rise: none is forecast. They show only in the next points.
# - The verdict weighs expected gains. It does not know what else you could do with the money.
# - Numbers of compute are as good as the log. Idle GPUs, evaluation and restarts count only if the log counts them.
#
# ## Take-aways
#
# - Look at what was read before you look at what was forecast.
# - The end of the budget comes first, the ceiling later, the parameters last.
# - *No forecast* is an answer: it costs one more evaluation, and a guess costs a run.
# - Act on a *stop* that comes twice.
#
# Next: [](06-pilot) has the test behind the intervals, [](07-misleading-curves) what to do when the answer is refused, [](10-plan) the
# plan around the run. The law is in [](01-sigmoid-law).
#
# ## References
#
# - {cite:t}`khatri2025scalerl`: the sigmoid, and fits of finished or nearly finished runs. The pooling of shapes, the noise of two
#   kinds, the states and the verdicts are this book's own.
