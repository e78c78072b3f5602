"""What the report says, piece by piece: answer, numbers, money, log, method, next steps.

Each is a :class:`~rlscale.pieces.Piece`. No number is given here that the state of the forecast refuses.
"""

from __future__ import annotations

import shlex
from html import escape
from pathlib import Path

from .curve import Curve
from .forecast import CEILING, END_ONLY, REFUSED, Forecast, Interval
from .pieces import Piece, say_list, say_sentence, say_table
from .plot_marks import KIND_LABELS, format_compute

#: What a state means, in a sentence.
STATE_MEANS = {
    CEILING: "What you have seen is enough to say where the budget ends and where the ceiling is.",
    END_ONLY: "What you have seen is enough to say where the budget ends, and not where the ceiling is.",
    REFUSED: "What you have seen does not say where the run ends, so no number is given.",
}

#: Sign of a verdict: a second cue beside its colour.
_SIGNS = {"continue": "▶", "stop": "■", "cannot tell": "?"}

# colours of the edge only: text keeps that of the page, so it can be read in light and dark
_STYLE = (
    "<style>.rlscale-answer{border:1px solid #8888;border-left:.45rem solid var(--rlscale-edge);"
    "border-radius:8px;padding:.7rem 1rem .8rem;margin:.4rem 0}.rlscale-answer p{margin:.35rem 0}"
    ".rlscale-answer .rlscale-verdict{font-size:1.35em;font-weight:700;margin:0}"
    ".rlscale-answer .rlscale-end{font-size:1.1em}"
    ".rlscale-answer[data-verdict=continue]{--rlscale-edge:#009E73}"
    ".rlscale-answer[data-verdict=stop]{--rlscale-edge:#D55E00}"
    ".rlscale-answer[data-verdict='cannot tell']{--rlscale-edge:#767676}</style>"
)


def state_answer(forecast: Forecast) -> Piece:
    """Return verdict, why, the end with its interval, and the state, in words.

    Parameters
    ----------
    forecast : Forecast
        From :func:`rlscale.forecast_run`.

    Returns
    -------
    Piece
        In state ``no forecast`` it holds no number of the end.
    """
    verdict = forecast.verdict
    lines = [forecast.decision.why]
    end = _say_end(forecast)
    if end:
        lines.append(end)
    lines.append(f"State: {forecast.state}. {STATE_MEANS[forecast.state]}")
    head = f"{_SIGNS[verdict]} {verdict.capitalize()}"
    paragraphs = "".join(
        f"<p class='rlscale-end'>{escape(line)}</p>" if line == end else f"<p>{escape(line)}</p>"
        for line in lines
    )
    html = (
        f"{_STYLE}<div class='rlscale-answer' data-verdict='{escape(verdict)}'>"
        f"<p class='rlscale-verdict'>{escape(head)}</p>{paragraphs}</div>"
    )
    return Piece(html, "\n".join([head, *lines]))


def _say_end(forecast: Forecast) -> str:
    if forecast.state == REFUSED:
        return ""
    at = format_compute(forecast.budget.at, forecast.curve.unit)
    e = forecast.end
    level = f"{forecast.level * 100:g} % interval"
    return f"At {at} you will measure about {e.median:.3f} ({level} {e.lo:.3f} to {e.hi:.3f})."


def list_reasons(forecast: Forecast) -> Piece:
    """Return why the forecast is in the state it is in."""
    return say_list([reason.message for reason in forecast.reasons])


def list_numbers(forecast: Forecast) -> Piece:
    """Return the end and the four parameters with their intervals, and in words those that cannot be told.

    Parameters
    ----------
    forecast : Forecast
        From :func:`rlscale.forecast_run`.

    Returns
    -------
    Piece
        In state ``no forecast`` a sentence without a number.
    """
    if forecast.state == REFUSED:
        return say_sentence(
            "No parameter is shown: what was seen fits very different starts, ceilings and slopes."
        )
    unknown = ("cannot be told yet", "")
    rows = [
        ("pass rate at the budget", *_span(forecast.end, ".3f")),
        ("R0, the start", *(_span(forecast.R0, ".3f") if forecast.R0 else unknown)),
        ("A, the ceiling", *(_span(forecast.A, ".3f") if forecast.A else unknown)),
        ("B, the steepness", *(_span(forecast.B, ".2f") if forecast.B else unknown)),
        (
            f"Cmid, half of the gain ({forecast.curve.label})",
            *(_span_compute(forecast.Cmid) if forecast.Cmid else unknown),
        ),
        ("seen so far, in multiples of Cmid", *_span(forecast.seen_over_Cmid, ".1f")),
    ]
    return say_table(["", "median", f"{forecast.level * 100:g} % interval"], rows)


def state_money(forecast: Forecast, *, price: float | None, value: float | None) -> Piece:
    """Return what going on costs and is worth, or how to ask for it.

    Parameters
    ----------
    forecast : Forecast
        From :func:`rlscale.forecast_run`, with the same price and value.
    price : float or None
        USD for one unit of compute.
    value : float or None
        USD for one percentage point of pass rate.

    Returns
    -------
    Piece
    """
    curve, seen = forecast.curve, float(forecast.curve.compute[-1])
    if price is None:
        return say_sentence(
            f"No price was given. With --price (USD for each of the {curve.label}) and --value (USD that a "
            "percentage point of pass rate is worth to you) the verdict weighs money."
        )
    rest = forecast.budget.at - seen
    rows = [
        ("already spent", format_compute(seen, curve.unit), _usd(price * seen)),
        ("left of the budget", format_compute(rest, curve.unit), _usd(price * rest)),
    ]
    after = ""
    stop = forecast.decision.best_stop
    if value is None:
        after = "Without --value, what a percentage point is worth to you, money does not decide the verdict."
    elif forecast.state == REFUSED or stop is None:
        after = "What the rest would bring cannot be told yet, so it is not weighed against its price."
    elif stop.at <= seen:
        after = f"At {_usd(value)} a percentage point, no further compute is expected to be worth its price."
    else:
        rows.append(
            (
                "best stop, at",
                format_compute(stop.at, curve.unit),
                _usd(price * (stop.at - seen)) + " from here",
            )
        )
        more = f"{_usd(stop.usd)} more than stopping now"
        after = f"At {_usd(value)} a percentage point, that is expected to be worth {more}."
    return say_table(["", "compute", "cost"], rows, after=after)


def describe_log(curve: Curve) -> Piece:
    """Return what was read: format, run, which series and why, points, units.

    Parameters
    ----------
    curve : Curve
        What the forecast was made from.

    Returns
    -------
    Piece
    """
    pieces = int(curve.segment.max()) + 1 if curve.segment is not None and len(curve) else 1
    size = f"{curve.n:,} problems" if curve.n else "number of problems not in the log"
    samples = f", {curve.k} sample{'s' if curve.k > 1 else ''} each" if curve.k else ""
    first, last = (format_compute(float(curve.compute[i])) for i in (0, -1))
    rows = [
        ("format", curve.format or "not stated"),
        ("run", curve.run or "the only one"),
        (
            "pass rate",
            f"{curve.y_key or 'not stated'}: {KIND_LABELS.get(curve.kind, curve.kind)}; {size}{samples}",
        ),
        ("compute", f"{curve.x_key or 'not stated'}: {curve.label}"),
        (
            "points",
            f"{len(curve):,}, from {first} to {last}"
            + (f"; in {pieces} pieces, joined" if pieces > 1 else ""),
        ),
        ("why this series", curve.why or "you chose it"),
    ]
    return say_table(None, rows)


def list_warnings(forecast: Forecast) -> Piece:
    """Return every warning of the log and of the forecast, with what to do about it."""
    if not forecast.warnings:
        return say_sentence("No warning: nothing odd was found in the log.")
    return say_list([f"{w.to_dict()['message']} ({w.code})" for w in forecast.warnings])


def describe_method(forecast: Forecast) -> Piece:
    """Return how the numbers came about: budget, noise, and what each shape alone says.

    Parameters
    ----------
    forecast : Forecast
        From :func:`rlscale.forecast_run`.

    Returns
    -------
    Piece
        In state ``no forecast`` the ends of the shapes are left out.
    """
    told = say_list([forecast.budget.why, forecast.noise.note])
    shapes = []
    for shape in forecast.shapes:
        end = "not shown" if forecast.state == REFUSED else " (".join(_span(shape.end, ".3f")) + ")"
        kept = "pooled" if shape.pooled else f"left out, {shape.nats_behind:.0f} nats behind the best"
        shapes.append((shape.name, kept, end))
    table = say_table(["shape", "use", "pass rate at the budget, by it alone"], shapes)
    return Piece(told.html + table.html, f"{told.text}\n{table.text}")


def suggest_next(forecast: Forecast, *, log: str = "") -> Piece:
    """Return what to do now.

    Parameters
    ----------
    forecast : Forecast
        From :func:`rlscale.forecast_run`.
    log : str
        Path of the log; its name stands in the command that asks again.

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
    elif forecast.state == REFUSED:
        steps.append("Run to the next evaluation and ask again. That buys information; a guess buys nothing.")
        if "no rise yet" in codes:
            steps.append(
                "If it stays flat: do groups hold both right and wrong answers, and is the reward right?"
            )
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
    if forecast.budget.source == "assumed":
        steps.append("Give the budget you planned with --budget: the one used here was assumed.")
    if curve.kind.startswith("train"):
        steps.append(
            "Log a held-out pass rate: a training reward is about what was trained on, and often shaped."
        )
    if curve.compute[0] > 0:
        steps.append("Evaluate the start model too (compute 0): that one point pins the start of the curve.")
    return say_list(steps, command="Ask again with", code=_command(curve, log))


def _command(curve: Curve, log: str) -> str:
    """Return the command that makes the report again, safe to paste into a shell."""
    parts = ["rlscale", "report", Path(log).name or "LOG"]
    if log and curve.run not in ("", Path(log).stem):
        parts += ["--run", curve.run]
    return shlex.join([*parts, "-o", "DIR"])


def _span(interval: Interval, form: str) -> tuple[str, str]:
    return f"{interval.median:{form}}", f"{interval.lo:{form}} to {interval.hi:{form}}"


def _span_compute(interval: Interval) -> tuple[str, str]:
    # three digits: an interval never deserves more
    median, lo, hi = (format_compute(float(f"{v:.3g}")) for v in (interval.median, interval.lo, interval.hi))
    return median, f"{lo} to {hi}"


def _usd(amount: float) -> str:
    return f"USD {amount:,.0f}" if abs(amount) >= 100 else f"USD {amount:,.2f}"
