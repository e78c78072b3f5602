"""``rlscale inspect LOG``: format, series, units, warnings; which series would be fitted and why."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..curve import UNITS, LogWarning
from ..errors import LogError, RlscaleError, suggest_names

if TYPE_CHECKING:
    from ..logs import Run

HELP = (
    "show what a training log holds: format, runs, axes, series, warnings, and which series would be fitted"
)

_MOST_SERIES = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("log", metavar="LOG", help="log file, or a directory of logs")
    parser.add_argument("--run", help="only this run")
    parser.add_argument(
        "--x", metavar="KEY", help="column that counts the steps, where its name does not say so"
    )
    parser.add_argument(
        "--all", action="store_true", help="list every series, also those that are no pass rate"
    )
    parser.add_argument(
        "--table",
        action="store_true",
        help="one line a file of the directory LOG: what was found, or why not",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from ..logs import read_runs

    if args.table:
        from ..logs.survey import format_survey, survey_logs

        rows = survey_logs(args.log)
        print(json.dumps([row.to_dict() for row in rows]) if args.json else format_survey(rows))
        return 0
    _announce(args.log)
    runs = read_runs(args.log, args.x)
    if args.run is not None:
        if args.run not in runs:
            raise LogError(f"{args.log}: no run {args.run!r}: {suggest_names(args.run, runs, limit=20)}")
        runs = {args.run: runs[args.run]}
    if args.x is not None:
        _find_named_axis(args.log, runs, args.x)
    if args.json:
        print(json.dumps(describe_runs(runs)))
    else:
        print(format_runs(args.log, runs, every=args.all))
    return 0


def _find_named_axis(log: str, runs: dict[str, Run], x: str) -> None:
    """Refuse an axis that no run has; some runs of a directory may well be without it."""
    from ..logs.choose import pick_axis

    refusal: LogError | None = None
    for run in runs.values():
        try:
            pick_axis(run.axes, x, log)
        except LogError as error:
            refusal = refusal or error
        else:
            return
    if refusal is not None:
        raise refusal


def _announce(log: str) -> None:
    """Say on standard error that a large log is being read, which takes more than a second."""
    path = Path(log)
    if path.is_file() and path.stat().st_size > 20_000_000:
        print(f"reading {_plain(log)} ({path.stat().st_size / 1e6:.0f} MB) …", file=sys.stderr)


def describe_runs(runs: dict[str, Run]) -> dict[str, Any]:
    """Return the JSON object of ``inspect --json``: plain types, no NaN."""
    formats = list(dict.fromkeys(r.format for r in runs.values()))
    return {
        "format": ", ".join(formats),
        "runs": [_describe_run(name, r) for name, r in runs.items()],
        "warnings": [w.to_dict() for w in _all_warnings(runs)],
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


def _all_warnings(runs: dict[str, Run]) -> list[LogWarning]:
    found: dict[LogWarning, None] = {}
    for run in runs.values():
        found.update(dict.fromkeys(run.warnings))
        if run.suggestion.y is not None:
            try:
                found.update(dict.fromkeys(run.curve().warnings))
            except RlscaleError as error:
                found[LogWarning("cannot-be-fitted", str(error))] = None
    return list(found)


def format_runs(log: str, runs: dict[str, Run], every: bool = False) -> str:
    """Return the text that ``inspect`` prints."""
    data = describe_runs(runs)
    lines = [f"{_plain(log)}: {data['format']}, {len(runs)} run{'s' if len(runs) != 1 else ''}"]
    for name, run in runs.items():
        pieces = f", {run.segments} segments" if run.segments > 1 else ""
        wrote = f", written by {run.framework}" if run.framework else ""
        lines += ["", f"run {_plain(name)}: {len(run)} rows{pieces}{wrote}"]
        for axis in run.axes:
            derived = f" ({axis.derived})" if axis.derived else ""
            lines.append(f"  x  {_plain(axis.key)}: {UNITS[axis.unit]}{derived}")
        shown = list(run.series) if every else [s for s in run.series if s.kind not in ("other", "length")]
        for s in shown if every else shown[:_MOST_SERIES]:
            note = f"; {s.note}" if s.note else ""
            lines.append(f"  y  {_plain(s.key)}: {s.kind}, {s.points} points, {s.low:g} … {s.high:g}{note}")
        hidden = len(run.series) - min(len(shown), len(run.series) if every else _MOST_SERIES)
        if hidden:
            lines.append(f"     and {hidden} other series (--all lists them)")
        suggestion = run.suggestion
        if suggestion.y is None:
            lines.append(f"  nothing would be fitted: {_plain(suggestion.why)}")
        else:
            lines.append(
                f"  would fit {_plain(suggestion.y)} over {_plain(suggestion.x)}: {_plain(suggestion.why)}"
            )
    if data["warnings"]:
        lines += ["", "warnings"]
        lines += [f"  {w['code']}: {_plain(w['message'])}" for w in data["warnings"]]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Return ``text`` without control characters, which a log could use to write over the terminal."""
    return "".join(c if c.isprintable() else "�" for c in text)
