"""What the report says, piece by piece: answer, numbers, log, method; with money and next steps from beside.

Each is a :class:`~rlscale.pieces.Piece`. No number is given here that the state of the forecast refuses.
"""

from __future__ import annotations

import math
from html import escape

from .amounts import say_compute
from .curve import Curve
from .forecast import CEILING, END_ONLY, REFUSED, Forecast, Interval
from .forecast_text import say_gain, say_next_gain
from .pieces import Piece, say_list, say_sentence, say_table
from .plot_marks import KIND_LABELS
from .posterior import REFUTED_NATS
from .report_money import state_money
from .report_next import suggest_next

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
    """Return verdict, why, the end with its interval, what is left to win, and the state, in words.

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
    end = _say_end(forecast)
    lines = [forecast.decision.why, forecast.decision.also, end, say_gain(forecast), say_next_gain(forecast)]
    lines = [line for line in lines if line]
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
    at = say_compute(forecast.budget.at, forecast.curve.label)
    e = forecast.end
    level = f"{forecast.level * 100:g} % interval"
    measure = "will measure" if forecast.rest > 0 else "measure"
    return f"At {at} you {measure} about {e.median:.3f} ({level} {e.lo:.3f} to {e.hi:.3f})."


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
    if forecast.gain is not None and forecast.rest > 0:
        rows.insert(1, ("left to win, by the curve itself", *_span(forecast.gain, ".3f")))
    return say_table(["", "median", f"{forecast.level * 100:g} % interval"], rows)


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
    first, last = (say_compute(float(curve.compute[i])) for i in (0, -1))
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
        kept = "counts" if shape.pooled else f"left out, {shape.nats_behind:.0f} nats behind the best"
        shapes.append((shape.name, kept, end))
    table = say_table(
        ["shape", "use", "pass rate at the budget, by it alone"],
        shapes,
        after="Shapes that count have the same weight. A nat measures evidence: for each nat that a shape is "
        f"behind, the points are {math.e:.1f} times less probable under it. From "
        f"{REFUTED_NATS:.0f} nats on it is left out.",
    )
    return Piece(told.html + table.html, f"{told.text}\n{table.text}")


def _span(interval: Interval, form: str) -> tuple[str, str]:
    return f"{interval.median:{form}}", f"{interval.lo:{form}} to {interval.hi:{form}}"


def _span_compute(interval: Interval) -> tuple[str, str]:
    # three digits: an interval never deserves more
    median, lo, hi = (say_compute(float(f"{v:.3g}")) for v in (interval.median, interval.lo, interval.hi))
    return median, f"{lo} to {hi}"


__all__ = [
    "STATE_MEANS",
    "describe_log",
    "describe_method",
    "list_numbers",
    "list_reasons",
    "list_warnings",
    "state_answer",
    "state_money",
    "suggest_next",
]
