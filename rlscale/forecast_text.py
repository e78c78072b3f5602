"""A forecast in words: state and verdict first, then why, then numbers, if the state allows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    lines += [f"Why this state: {r.message}" for r in f.reasons]
    seen = f.curve.compute[-1]
    if f.state == REFUSED:
        lines.append(f"Seen: {len(f.curve)} points to {seen:.6g} {label}.")
    else:
        level = f"{100 * f.level:g} %"
        lines.append(
            f"At {f.budget.at:.6g} {label} you will measure a pass rate of {f.end.median:.3f} "
            f"({level} interval {f.end.lo:.3f} to {f.end.hi:.3f}; mean of the last 10 % of points)."
        )
        if f.decision.p_target is not None:
            lines.append(f"Probability of the target: {f.decision.p_target:.2f}.")
        lines.append(
            f"Seen: {len(f.curve)} points to {seen:.6g} {label}, "
            f"{_span(f.seen_over_Cmid, '.1f')} times Cmid ({level})."
        )
        for name, what, interval, form in (
            ("A", "ceiling", f.A, ".3f"),
            ("R0", "start", f.R0, ".3f"),
            ("B", "steepness", f.B, ".2f"),
            ("Cmid", f"half of the gain, in {label}", f.Cmid, ".4g"),
        ):
            if interval is not None:
                lines.append(f"{name} ({what}): {_span(interval, form)}.")
    lines.append(f"Budget: {f.budget.why}")
    lines.append(f"Noise: {f.noise.note}")
    lines.append(f"Intervals: {f.calibration.note}.")
    lines += [f"Warning ({w.code}): {w.to_dict()['message']}" for w in f.warnings]
    return "\n".join(lines)


def _span(interval: Interval, form: str) -> str:
    return f"{interval.median:{form}} ({interval.lo:{form}} to {interval.hi:{form}})"
