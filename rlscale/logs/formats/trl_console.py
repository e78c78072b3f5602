"""Console output of TRL and transformers: a printed dict a logging step, between progress bars.

The dict has no step. It is read from the bar ``i/N`` just before (N is the planned length). Where bars and
dicts went to different streams, all dicts stand together: then the rows are counted, times the logging
interval that N and their number leave. Values may be quoted (TRL 1 and later). The last dict
(``train_runtime``) sums the run up.
"""

from __future__ import annotations

import re
from typing import Any

from ...curve import LogWarning
from ...errors import LogError
from ..columns import RowTable
from ..raw import RawRun
from ..source import Source, strip_ansi
from .printed_dict import parse_dict

NAME = "TRL console log"
EXTRA = None

_DICT = re.compile(r"\{'(?:loss|eval_loss|num_tokens|reward|eval_reward|clip_ratio[/\w]*|train_runtime)'\s*:")
# a bar with a label in front (loading weights, tokenizing) is not the bar of training
_BAR = re.compile(r"^\s*\d{1,3}%\|[^|]*\| (\d{1,9})/(\d{1,9}) \[")


def sniff(source: Source) -> bool:
    """Whether a printed dict with a loss or reward stands in the file."""
    if source.is_binary:
        return False
    text = source.text
    if _DICT.search(text):
        return "reward" in text
    if "it/s]" not in text and "s/it]" not in text:
        return False
    return any(_DICT.search(line) and "reward" in line for line in source.lines() if "{'" in line)


def read(source: Source) -> list[RawRun]:
    """Read the one run of the file."""
    rows: list[tuple[dict[str, float], tuple[int, int] | None]] = []
    bar: tuple[int, int] | None = None
    finished = False
    for line in source.lines():
        if "{'" in line:
            line = strip_ansi(line)
            match = _DICT.search(line)
            if match:
                row = parse_dict(line[match.start() :])
                if "train_runtime" in row:
                    finished = True
                elif row:
                    rows.append((row, bar))
                continue
        if "/" in line and "[" in line:
            found = _BAR.match(line)
            if found:
                bar = (int(found.group(1)), int(found.group(2)))
    if not rows:
        raise LogError(f"{source.path}: no logged dict with a reward; give the console output of training")
    return [_as_run(source, rows, bar, finished)]


def _as_run(
    source: Source,
    rows: list[tuple[dict[str, float], tuple[int, int] | None]],
    last_bar: tuple[int, int] | None,
    finished: bool,
) -> RawRun:
    table = RowTable()
    facts: dict[str, Any] = {}
    warnings: list[LogWarning] = []
    train = [(row, bar) for row, bar in rows if not _is_eval(row)]
    positions = [bar[0] for _, bar in train if bar]
    if last_bar is not None:
        facts["planned_steps"] = (float(last_bar[1]), "the progress bar i/N")
    if len(set(positions)) > 0.9 * len(train) and len(positions) == len(train):
        for row, bar in rows:
            if bar is not None:
                table.add({"step": float(bar[0]), **row})
        return RawRun(
            source.path.stem,
            table.finish(),
            "step",
            "updates",
            0,
            "read from the progress bar before each row",
            facts,
            framework="TRL",
        )
    every = _logging_interval(len(train), last_bar, finished)
    count = 0
    for row, _ in rows:
        count += not _is_eval(row)
        table.add({"step": float(count * (every or 1)), **row})
    note = f"rows counted, {every or 1} updates each"
    if every is None:
        warnings.append(
            LogWarning(
                "step-counted",
                f"the output holds no step: {len(train)} rows were counted, one update each.",
                "If logging_steps is not 1, the axis is too short by that factor.",
            )
        )
    else:
        warnings.append(
            LogWarning(
                "step-counted",
                f"the output holds no step: rows were counted, {every} updates each (from the bar).",
            )
        )
    return RawRun(
        source.path.stem,
        table.finish(),
        "step",
        "updates",
        0,
        note,
        facts,
        warnings=warnings,
        framework="TRL",
    )


def _logging_interval(rows: int, bar: tuple[int, int] | None, finished: bool) -> int | None:
    """Return the updates between rows, when bar and number of rows leave just one whole number.

    Examples
    --------
    >>> _logging_interval(93, (1875, 1875), True)
    20
    """
    if bar is None or not rows:
        return None
    done = bar[1] if finished else bar[0]
    possible = [k for k in range(max(1, done // (rows + 1)), done // rows + 1) if done // k == rows]
    return possible[0] if len(possible) == 1 else None


def _is_eval(row: dict[str, float]) -> bool:
    return any(key.startswith("eval_") for key in row)
