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

# %% [markdown]
# # How many steps, and when to stop?
#
# **The question.** You post-train a language model with reinforcement learning from verifiable rewards. How many steps does it
# need, what will they cost, and when do you stop?
#
# **The answer.** Ask the run itself. Start it, evaluate it on held-out problems, read its log, and forecast where its budget
# would take it, as an interval. Then hold what the next steps are likely to bring against what they cost. There are three
# possible verdicts: *continue*, *stop*, *cannot tell*.
#
# **Its limit.** A run that has not bent yet does not show its ceiling, whatever curve you draw through it. Then the honest
# verdict is the third one, and this book says so instead of printing a number. No forecast sees a collapse coming.

# %% tags=["parameters"]
budget: float = 400.0  # rollout steps that the example run was planned for
seen: float = 200.0  # rollout steps done so far
seed: int = 5  # of the noise of the example run

# %% [markdown]
# ## One command
#
# ```bash
# git clone https://github.com/rlscale/rlscale && cd rlscale
# pip install '.[report]'
# # what the log holds, and what would be fitted
# rlscale inspect metrics.csv
# # the end of the run, and a verdict
# rlscale forecast metrics.csv --budget 400 --target 0.55
# # the same as one page to send, out/report.html
# rlscale report metrics.csv --budget 400 --target 0.55 -o out
# ```
#
# It reads the logs of verl, TRL, tinker-cookbook, OpenRLHF, prime-rl, NeMo-RL, SkyRL, open-instruct, slime and others, exports of
# Weights & Biases, TensorBoard, MLflow, SwanLab and trackio, and plain CSV and JSONL ([](appendix-log-formats) has them all). No Python
# at hand? Drop a CSV or JSONL file on the figure of [](11-your-run): it is read in your browser and goes nowhere. Here is the forecast of a run that this page makes up, so that the truth is known
# (*illustrative*: start 0.20, ceiling 0.60, half of the gain after 60 rollout steps; 1,000 problems, 16 samples each):

# %% tags=["hide-input"]
import contextlib
import io
import os
import tempfile
import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import rlscale as rs
from rlscale import plot
from rlscale.claims import claim
from rlscale.cli import main
from rlscale.simulate import simulate_curve

plt.style.use("rlscale.book")
os.chdir(tempfile.mkdtemp())  # the log of the example is written there
truth = rs.Sigmoid(R0=0.20, A=0.60, B=1.5, Cmid=60)
whole = simulate_curve(truth, np.arange(0, budget + 1, 8), unit="rollout_steps", seed=seed)
pilot = whole.cut(seen)
pd.DataFrame({"rollout_step": pilot.compute.astype(int), "val/accuracy/mean@16": pilot.pass_rate}).to_csv(
    "metrics.csv", index=False
)

# %% tags=["hide-input"]
arguments = ["forecast", "metrics.csv", "--budget", f"{budget:g}", "--target", "0.55"]
print("$ rlscale", *arguments)
answer = io.StringIO()
with contextlib.redirect_stdout(answer), contextlib.redirect_stderr(io.StringIO()):  # no progress on a page
    assert main(arguments) == 0
print(*(textwrap.fill(line, 76, subsequent_indent="  ") for line in answer.getvalue().splitlines()), sep="\n")

# %% mystnb={"image": {"alt": "Pass rates of the first half of a simulated run as dots, the median of the forecast dashed up to the budget with its interval as a band, and the points that came later in grey inside the band."}, "figure": {"caption": "The same forecast as a figure. Black: what was seen. Grey crosses: what came later and was not used (illustrative).", "name": "fig-intro"}} tags=["hide-input"]
forecast = rs.forecast_run(rs.read_run("metrics.csv").curve(), budget=budget, target=0.55)
later = whole.compute > seen

fig, ax = plt.subplots()
plot.plot_forecast(ax, forecast, target=0.55)
_ = ax.plot(whole.compute[later], whole.pass_rate[later], "x", color="#777777", markersize=5, zorder=3)
plt.show()

# %% tags=["hide-input"]
came = float(
    whole.pass_rate[whole.compute > 0.9 * budget].mean()
)  # what "the end" means: mean of the last tenth
print(f"the end that came: {came:.3f}; the interval said {forecast.end.lo:.3f} to {forecast.end.hi:.3f}")
assert forecast.end.lo <= came <= forecast.end.hi
assert (truth.R0, truth.A, truth.Cmid, whole.n, whole.k) == (0.20, 0.60, 60, 1000, 16)  # as the text says

# %% [markdown]
# The *state* says what can be told from the points: the ceiling too, only the end of the budget, or nothing. The *verdict* says what to do.
# The interval is for what you would measure at the end. [](11-your-run) takes such an answer apart line by line.

# %% [markdown]
# ## Where the money goes: three pieces you can reckon, one that multiplies them
#
# | piece | what you pay for | how well it is known beforehand |
# |---|---|---|
# | **generation** | tokens of the rollouts, by the token or by the GPU-hour | well: count them |
# | **training** | forward and backward pass over the same tokens | well: count them |
# | **environment** | sandboxes and judges that check the answers | depends on the task: measure one step |
# | **convergence** | *how many* of those steps | badly: this is what the book is about |
#
# The first three are paid again at each step, so the fourth multiplies them. Twice the steps cost twice the money, whatever the
# price of a token. And the four are not quite independent: longer answers cost more a step *and* raise the
# ceiling *and* move it further away ([](01-sigmoid-law) has the numbers).

# %% tags=["remove-input"]
claim("C56")

# %% [markdown]
# ## Three routes
#
# - **Decide, in 10 minutes.** This page, then the top of [](11-your-run): what a report looks like and how to read its verdict. Your run
#   stands still? The table near the end of [](07-misleading-curves) says what to look at and what to do.
# - **Your own log, in 30 minutes.** `rlscale inspect` and `rlscale report` on your log with [](11-your-run) beside it, and
#   *Limits* there before you act on it.
# - **Teach it, in two sessions of 90 minutes.** First [](01-sigmoid-law) and the eight curves of [](07-misleading-curves). Then
#   [](11-your-run), with logs of the class or the simulated run, and the page to fill in of [](10-plan). [](appendix-teachers) has the
#   minutes, and where slides and notebooks without solutions are.
#
# Or go by question: each chapter answers the one it is named after.
#
# - The law and the recipe: [](01-sigmoid-law) [](02-algorithms) [](03-base-model) [](04-difficulty)
# - Other runs, and yours: [](05-reference-runs) [](06-pilot) [](07-misleading-curves) [](11-your-run)
# - Money and time: [](08-cost) [](09-speed) [](10-plan)
# - A run to watch in a minute: [](12-lab)
#
# The appendix holds the verdict on every claim ([](appendix-claims)), the words ([](appendix-glossary)) and plans for a class
# ([](appendix-teachers)).
#
# Everything here was executed when the page was made, without a GPU. Every page is a notebook that
# you can open and run again.

# %% [markdown]
# ## How far to trust a number in this book
#
# Each number is of one kind: **measured** here, by code you can run; **reported** by a source that is named with the place in
# it; **derived** from such numbers by arithmetic that is shown; or **illustrative**, made up to show something.
#
# The book began with a text on this question, called the *starting page* from here on. Its claims were looked up one by one. Where
# they come up, the verdict stands beside them: **confirmed**, **differs**, or **unsourced**.
#
# ## Limits
#
# The curves of the book are about pass rates that were measured the same way from start to end, mostly on mathematics and code.
# They say nothing about whether the reward is the right one. And a forecast is about the recipe that is running: change
# the data, the loss or the length of the answers, and it starts anew.
