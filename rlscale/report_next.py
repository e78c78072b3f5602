"""What to do next, and the command that asks again with all that was asked."""

from __future__ import annotations

import shlex
from pathlib import Path

from .decision import BY_BUDGET
from .forecast import DEFAULT_LEVEL, REFUSED, Forecast
from .pieces import Piece, say_list


def suggest_next(forecast: Forecast, *, log: str = "", run: str = "", x: str = "", y: str = "") -> Piece:
    """Return what to do now.

    Parameters
    ----------
    forecast : Forecast
        From :func:`rlscale.forecast_run`.
    log : str
        Path of the log; its name stands in the command that asks again.
    run, x, y : str
        Run and columns that the reader named; they stand in the command, too.

    Returns
    -------
    Piece
    """
    codes = {reason.code for reason in forecast.reasons}
    steps: list[str] = []
    if "falling" in codes:
        steps.append(
            "Keep the best checkpoint. Look at entropy, answer length and the reward before you pay for more."
        )
    elif forecast.decision.by == BY_BUDGET:
        steps.append("Nothing is left of the budget. Ask with a larger --budget whether more would pay.")
    elif forecast.state == REFUSED and forecast.verdict == "cannot tell":
        steps.append("Run to the next evaluation and ask again. That buys information; a guess buys nothing.")
    elif forecast.verdict == "stop":
        steps.append(
            "Ask again at the next evaluation, and stop if the answer is the same: one look can be chance."
        )
        steps.append(
            "To get further, change what moves the ceiling (data, generation length, model), not the steps."
        )
    elif forecast.verdict == "continue":
        steps.append(
            "Go on, and ask again at each evaluation: the forecast sharpens, and a fall shows only then."
        )
    else:
        steps.append(
            "Say what decides for you: --target (a pass rate you need), or --price and --value (money)."
        )
    curve = forecast.curve
    if "no rise yet" in codes:
        steps.append(
            "If it stays flat: do groups hold both right and wrong answers, and is the reward right?"
        )
    if forecast.budget.source == "assumed":
        steps.append("Give the budget you planned with --budget: the one used here was assumed.")
    if curve.kind.startswith("train"):
        steps.append(
            "Log a held-out pass rate: a training reward is about what was trained on, and often shaped."
        )
    if curve.compute[0] > 0:
        steps.append("Evaluate the start model too (compute 0): that one point pins the start of the curve.")
    command = _command(forecast, log, {"run": run, "x": x, "y": y})
    return say_list(steps, command="Ask again with", code=command)


def _command(forecast: Forecast, log: str, named: dict[str, str]) -> str:
    """Return the command that makes the report again with all that was asked, safe to paste into a shell."""
    curve, asked, budget = forecast.curve, forecast.question, forecast.budget
    if log and not named["run"] and curve.run not in ("", Path(log).stem):
        named = {**named, "run": curve.run}
    numbers = {
        "budget": budget.at if budget.source == "option" else None,
        "target": asked.target,
        "price": asked.price,
        "value": asked.value,
        "level": asked.level if asked.level != DEFAULT_LEVEL else None,
    }
    parts = ["rlscale", "report", Path(log).name or "LOG"]
    for name, text in named.items():
        if text:  # "=" for a name that begins like an option
            parts += [f"--{name}={text}"] if text.startswith("-") else [f"--{name}", text]
    for name, number in numbers.items():
        if number is not None:
            parts += [f"--{name}", f"{number:.15g}"]
    return shlex.join([*parts, "-o", "DIR"])
