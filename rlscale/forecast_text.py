"""A forecast in words: state and verdict first, then why, then numbers, if the state allows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .amounts import say_compute, say_probability, say_usd
from .gate import CEILING, END_ONLY, REFUSED

if TYPE_CHECKING:
    from .forecast import Forecast, Interval

_MEANING = {
    CEILING: "the end of the budget and the ceiling can be foretold.",
    END_ONLY: "the end of the budget can be foretold, the ceiling cannot.",
    REFUSED: "the pilot cannot tell where the run ends, so no number is given.",
}


def describe_forecast(forecast: Forecast) -> str:
    """Return the forecast as lines of text.

    Parameters
    ----------
    forecast : Forecast
        From :func:`rlscale.forecast_run`.

    Returns
    -------
    str
        Several lines, without a line break at the end.
    """
    f, label = forecast, forecast.curve.label
    lines = [
        f"State: {f.state}: {_MEANING[f.state]}",
        f"Verdict: {f.verdict}. {f.decision.why}",
    ]
    if f.decision.also:
        lines.append(f"Beside it: {f.decision.also}")
    lines += [f"Why this state: {r.message}" for r in f.reasons]
    seen = f"Seen: {len(f.curve):,} points to {say_compute(f.curve.compute[-1], label)}"
    if f.state == REFUSED:
        lines.append(f"{seen}.")
    else:
        lines += _say_numbers(f)
        lines.append(f"{seen}, {_span(f.seen_over_Cmid, '.1f')} times Cmid, the compute at half of the gain.")
        for name, what, interval, form in (
            ("A", "ceiling", f.A, ".3f"),
            ("R0", "start", f.R0, ".3f"),
            ("B", "steepness", f.B, ".2f"),
        ):
            if interval is not None:
                lines.append(f"{name} ({what}): {_span(interval, form)}.")
        if f.Cmid is not None:
            lines.append(f"Cmid (half of the gain): {say_span(f.Cmid, label)}.")
    lines.append(f"Budget: {f.budget.why}")
    lines.append(f"Noise: {f.noise.note}")
    lines.append(f"Intervals: {f.calibration.note}.")
    lines += [f"Warning ({w.code}): {w.to_dict()['message']}" for w in f.warnings]
    return "\n".join(lines)


def _say_numbers(f: Forecast) -> list[str]:
    """Return what will be measured, what is won on the way, and what the next dollars buy."""
    label, level = f.curve.label, f"{100 * f.level:g} % interval"
    measure = "will measure" if f.rest > 0 else "measure"
    lines = [
        f"At {say_compute(f.budget.at, label)} you {measure} a pass rate of {f.end.median:.3f} "
        f"({level} {f.end.lo:.3f} to {f.end.hi:.3f}; mean of the last 10 % of points)."
    ]
    if f.decision.p_target is not None:
        lines.append(f"Probability of the target: {say_probability(f.decision.p_target)}.")
    gain = say_gain(f)
    if gain:
        lines.append(gain)
    if f.next_gain is not None:
        lines.append(say_next_gain(f))
    return lines


def say_gain(forecast: Forecast) -> str:
    """Return what is left to win, in a sentence; empty where it is refused or nothing is left to run."""
    f = forecast
    if f.gain is None or f.rest <= 0:
        return ""
    return (
        f"Left to win: {say_points(f.gain)} percentage points. That is the curve itself: what you measure "
        "scatters round it, so the interval of the end is wider."
    )


def say_next_gain(forecast: Forecast) -> str:
    """Return what the next dollars buy, in a sentence; empty without a price or where it is refused."""
    step = forecast.next_gain
    if step is None:
        return ""
    per = step.per_usd.times(1000)
    return (
        f"The next {say_usd(step.usd)}, to {say_compute(step.until, forecast.curve.label)}, buy "
        f"{say_points(step.gain)} percentage points: {say_points(per)} per USD 1,000."
    )


def say_points(interval: Interval) -> str:
    """Return an interval of pass rate in percentage points; what is next to nothing is called that.

    Examples
    --------
    >>> from rlscale.intervals import Interval
    >>> say_points(Interval(0.05, 0.02, 0.09)), say_points(Interval(0.0005, 0.0, 0.002))
    ('5.0 (2.0 to 9.0)', '0.05 (0.00 to 0.20)')
    >>> say_points(Interval(1e-9, 0.0, 1e-5))
    'less than 0.01'
    """
    low, middle, high = (100 * v for v in (interval.lo, interval.median, interval.hi))
    if high < 0.01:
        return "less than 0.01"
    form = ".3g" if high >= 100 else ".1f" if high >= 1 else ".2f"
    return f"{middle:{form}} ({low:{form}} to {high:{form}})"


def say_span(interval: Interval, label: str) -> str:
    """Return an interval of compute; three digits, since none deserves more."""
    median, low, high = (say_compute(float(f"{v:.3g}")) for v in (interval.median, interval.lo, interval.hi))
    return f"{median} ({low} to {high}) {label}"


def _span(interval: Interval, form: str) -> str:
    return f"{interval.median:{form}} ({interval.lo:{form}} to {interval.hi:{form}})"
