"""verl's console log: one line ``step:12 - key:value - key:value`` a step, among other output.

Ray puts ``(TaskRunner pid=…)`` and colour codes before it; values may read ``np.float64(0.5)``. Before its
version 0.2 verl counted from 0 and wrote the row after the step: such a log is read as step + 1, so that
``Initial validation metrics`` stand at 0. Source: verl/utils/logger/aggregate_logger.py and the logs of its
baseline page.
"""

from __future__ import annotations

import re
from typing import Any

from ...curve import LogWarning
from ..columns import RowTable, to_number
from ..raw import RawRun
from ..source import Source, strip_ansi

NAME = "verl console log"
EXTRA = None

_STEP = re.compile(r"(?:^|[)\s])step:(-?\d{1,12}) - (.*)$")
_SNIFF = re.compile(r"(?m)(?:^|\)\s+)step:\d+ - [\w@./()-]+:")
_VALIDATION = re.compile(r"(Initial|Final) validation metrics: ")
_PAIR = re.compile(r"""['"]([^'"\s]+)['"]\s*:\s*((?:np\.float\d+\()?[-+\w.]+\)?)""")
_PREFIX = re.compile(r"^\(\w+ pid=\d+\)\s*")
_REPEATED = re.compile(r"\s*\[repeated \d+x across cluster\].*$")


def sniff(source: Source) -> bool:
    """Whether a metric line is near the beginning, or, among other output of verl, further down."""
    if source.is_binary:
        return False
    if _SNIFF.search(source.text):
        return True
    if (
        "TaskRunner pid=" in source.text
        or "main_task pid=" in source.text
        or "validation metrics:" in source.text
    ):
        return any(_STEP.search(strip_ansi(line)) for line in source.lines() if "step:" in line)
    return False


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    table = RowTable()
    table.add({})  # the place of the initial validation, whose keys are known only later
    warnings: list[LogWarning] = []
    bounds: dict[str, dict[str, float]] = {}
    first: dict[str, Any] = {}
    last: dict[str, Any] = {}
    names: set[str] = set()
    unread = 0
    pending, pending_for = "", ""
    for line in source.lines():
        if pending_for:  # a dict that is printed over several lines
            pending += " " + _PREFIX.sub("", strip_ansi(line))
            if "}" in line or len(pending) > 200_000:
                bounds[pending_for] = _parse_dict(pending)
                pending_for = ""
        if "step:" in line:
            match = _STEP.search(strip_ansi(line))
            if match is None:
                continue
            row = {"step": float(match.group(1))}
            unread += _parse_pairs(match.group(2), row)
            if len(row) > 1:
                first = first or row
                last = row
                names.update(row)
                table.add(row)
        elif "validation metrics: " in line:
            found = _VALIDATION.search(strip_ansi(line))
            if found:
                pending, pending_for = strip_ansi(line)[found.end() :], found.group(1)
                if "}" in pending:
                    bounds[pending_for] = _parse_dict(pending)
                    pending_for = ""
    offset, note = 0, ""
    if first.get("step") == 0 and any(key.startswith(("actor/", "critic/")) for key in first):
        offset, note = 1, "step + 1: this version counts from 0 and writes the row after the step"
        warnings.append(
            LogWarning(
                "step-shifted",
                "this log counts from 0 and writes a row after its step, so that step + 1 are done; "
                "compute is step + 1.",
            )
        )
    for name, step in (("Initial", -offset), ("Final", last.get("step"))):
        row = {
            key if f"val/{key}" not in names else f"val/{key}": value
            for key, value in bounds.get(name, {}).items()
        }
        held = first if name == "Initial" and first.get("step") == 0 and not offset else last
        if (
            row
            and step is not None
            and not row.keys() <= held.keys()
            and (name == "Final" or first.get("step", 9) <= 1)
        ):
            table.put(0 if name == "Initial" else table.rows, {"step": float(step), **row})
            table.rows += name == "Final"
    if unread:
        warnings.append(
            LogWarning("lines-skipped", f"{unread} entries of metric lines are no `key:number`; left out.")
        )
    return [
        RawRun(
            source.path.stem,
            table.finish(),
            "step",
            "rollout_steps",
            offset,
            note,
            warnings=warnings,
            framework="verl",
        )
    ]


def _parse_pairs(text: str, row: dict[str, float]) -> int:
    """Add the pairs of a metric line to ``row``; return how many entries are no pair with a number."""
    unread = 0
    for part in text.split(" - "):
        key, _, value = part.rpartition(":")
        try:
            row[key] = float(value)
        except ValueError:
            number = to_number(_REPEATED.sub("", value))
            if number is not None and key:
                row[key] = number
            else:
                unread += 1
    return unread


def _parse_dict(text: str) -> dict[str, float]:
    """Return the numbers of a dict as ``pprint`` writes it, cut into several strings or not."""
    joined = re.sub(r"""["']\s+["']""", "", text)
    found = {}
    for key, value in _PAIR.findall(joined):
        number = to_number(value)
        if number is not None:
            found[key] = number
    return found
