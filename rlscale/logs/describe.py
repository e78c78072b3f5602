"""What ``rlscale inspect`` says of the runs of a log: as one JSON object, or as text for a reader.

In the text each sentence stands once: what is said of several series is a numbered note, and a warning that
not all runs share names those that it is about.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..amounts import number
from ..curve import UNITS, LogWarning
from ..errors import RlscaleError
from .axes import Axis
from .run import Run, Runs
from .series import Series

_MOST_SERIES = 12
_MOST_NAMES = 4
#: Warnings that repeat the note of a series.
_NOTED = ("series-assumed", "not-a-pass-rate")


def describe_runs(runs: Mapping[str, Run]) -> dict[str, Any]:
    """Return the JSON object of ``inspect --json``: plain types, no NaN."""
    formats = list(dict.fromkeys(r.format for r in runs.values()))
    return {
        "format": ", ".join(formats),
        "runs": [_describe_run(name, r) for name, r in runs.items()],
        "warnings": [
            {**w.to_dict(), **({"runs": names} if names else {})} for w, names in list_warnings(runs).items()
        ],
    }


def _describe_run(name: str, run: Run) -> dict[str, Any]:
    suggestion = run.suggestion
    suggested = (
        {"x": suggestion.x, "y": suggestion.y, "why": suggestion.why} if suggestion.y is not None else None
    )
    return {
        "name": name,
        "segments": run.segments,
        "points": len(run),
        "x": [{"key": a.key, "unit": a.unit} for a in run.axes],
        "series": [
            {"key": s.key, "kind": s.kind, "min": _finite(s.low), "max": _finite(s.high), "n": s.points}
            for s in run.series
        ],
        "suggested": suggested,
        **({} if suggested else {"refusal": suggestion.why}),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def list_warnings(runs: Mapping[str, Run]) -> dict[LogWarning, list[str]]:
    """Return every warning once, with the runs it is about; with no runs where it is about all of them."""
    found: dict[LogWarning, list[str]] = {}
    for name, run in runs.items():
        warnings = list(run.warnings)
        if run.suggestion.y is not None:
            try:
                warnings += run.curve().warnings
            except RlscaleError as error:
                warnings.append(LogWarning("cannot-be-fitted", str(error)))
        for warning in dict.fromkeys(warnings):
            found.setdefault(warning, []).append(name)
    shared = {w: [] if len(names) == len(runs) else names for w, names in found.items()}
    aside: tuple[LogWarning, ...] = runs.warnings if isinstance(runs, Runs) else ()
    return {**{warning: [] for warning in aside}, **shared}


class _Notes:
    """Sentences that are said once and pointed at by number."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def mark(self, text: str) -> str:
        """Return the mark of a sentence, such as `` [1]``; nothing for no sentence."""
        if not text:
            return ""
        return f" [{self.texts.setdefault(text, len(self.texts) + 1)}]"


def format_runs(log: str, runs: Mapping[str, Run], every: bool = False) -> str:
    """Return the text that ``inspect`` prints.

    Parameters
    ----------
    log : str
        Path, for the first line.
    runs : mapping of str to Run
    every : bool
        List all series, also those that are no pass rate.
    """
    formats = ", ".join(dict.fromkeys(r.format for r in runs.values()))
    summary = f"{formats}; {len(runs)} run{'s' if len(runs) != 1 else ''}"
    left_out = len(runs.refused) if isinstance(runs, Runs) else 0
    if left_out:
        summary += f"; {left_out} left out, see the warnings"
    notes = _Notes()
    lines = [plain(log), summary]
    for name, run in runs.items():
        lines += ["", *_format_run(name, run, every, notes)]
    if notes.texts:
        lines += ["", "notes"]
        lines += [f"  [{number_}] {plain(text)}" for text, number_ in notes.texts.items()]
    warnings = [w for w in list_warnings(runs).items() if not _is_noted(w[0], notes)]
    if warnings:
        lines += ["", "warnings"]
        lines += [f"  {w.code}: {plain(w.to_dict()['message'])}{_about(names)}" for w, names in warnings]
    return "\n".join(lines)


def _format_run(name: str, run: Run, every: bool, notes: _Notes) -> list[str]:
    pieces = f", {run.segments} segments" if run.segments > 1 else ""
    wrote = f", written by {run.framework}" if run.framework else ""
    lines = [f"run {plain(name)}: {len(run)} rows{pieces}{wrote}"]
    lines += [_format_axis(axis, notes) for axis in run.axes]
    shown = list(run.series) if every else [s for s in run.series if s.kind not in ("other", "length")]
    shown = shown if every else shown[:_MOST_SERIES]
    lines += [_format_series(s, notes) for s in shown]
    hidden = len(run.series) - len(shown)
    if hidden:
        lines.append(f"     and {hidden} other series (--all lists them)")
    suggestion = run.suggestion
    if suggestion.y is None:
        return [*lines, f"  nothing would be fitted: {plain(suggestion.why)}"]
    note = next((s.note for s in run.series if s.key == suggestion.y), "")
    why = suggestion.why.removesuffix(f"; {note}") + (notes.mark(note) if note else "")
    return [*lines, f"  would fit {plain(suggestion.y)} over {plain(suggestion.x)}: {plain(why)}"]


def _format_axis(axis: Axis, notes: _Notes) -> str:
    known = axis.values[~(axis.values != axis.values)]
    extent = f", {number(float(known[0]))} … {number(float(known[-1]))}" if known.size else ""
    return f"  x  {plain(axis.key)}: {UNITS[axis.unit]}{extent}{notes.mark(axis.derived)}"


def _format_series(series: Series, notes: _Notes) -> str:
    s = series
    extent = f"{number(s.low)} … {number(s.high)}"
    return f"  y  {plain(s.key)}: {s.kind}, {s.points} points, {extent}{notes.mark(s.note)}"


def _is_noted(warning: LogWarning, notes: _Notes) -> bool:
    return warning.code in _NOTED and any(
        warning.message.endswith(f": {text}.") and not warning.next_step for text in notes.texts
    )


def _about(names: Sequence[str]) -> str:
    if not names:
        return ""
    shown = ", ".join(plain(n) for n in names[:_MOST_NAMES])
    return f" (in {shown}{f' and {len(names) - _MOST_NAMES} more' if len(names) > _MOST_NAMES else ''})"


def plain(text: str) -> str:
    """Return a text without control characters, which a log could use to write over the terminal."""
    return "".join(c if c.isprintable() else "�" for c in text)
