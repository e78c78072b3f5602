"""Join the pieces of a resumed run: several files, or one whose step starts again.

The last piece wins where steps repeat. A piece that starts again from the beginning replaces what stands
before, unless the user says that it went on from trained weights: then its steps are counted on.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from ..amounts import full_number
from ..curve import LogWarning
from ..errors import LogError, suggest_names
from ..given import shorten_text
from .build import SEGMENT_KEY, build_run, find_step
from .cells import refuse_texts
from .columns import Columns
from .detect import Found, read_raw
from .raw import RawRun
from .run import Run
from .series import parse_name
from .source import is_directory
from .stitch import find_segments, own_columns

_SUFFIXES = (".csv", ".jsonl")
#: Two pieces of one run have nearly the same pass rates at the steps that both have. On average they are not
#: further apart than this, …
_PIECES_APART = 0.10
#: … which is looked at from so many common steps.
_STEPS_TO_COMPARE = 3


def stitch_logs(paths: Sequence[str | PathLike[str]], *, run: str | None = None, go_on: bool = False) -> Run:
    """Return one run from the logs of its pieces, in the order given.

    Parameters
    ----------
    paths : sequence of path-like
        Files or directories; each holds one run, or the one that ``run`` names.
    run : str, optional
        Name of the run where a file holds several.
    go_on : bool
        Whether a piece that starts again from the beginning went on from trained weights, so that its steps
        follow those before.

    Raises
    ------
    LogError
        If a file cannot be read, holds several runs and no name was given, the pieces have different step
        keys, or a piece starts again before another one and would leave nothing of it.
    """
    pieces = [_pick(Path(path), run) for path in paths]
    if not pieces:
        raise LogError("nothing to join; give at least one log")
    steps = [find_step(piece.raw, str(piece.path)) for piece in pieces]
    warnings = [w for piece in pieces for w in piece.raw.warnings]
    frames = []
    for number, (piece, (key, unit, _, values)) in enumerate(zip(pieces, steps, strict=True)):
        if unit != steps[0][1]:
            raise LogError(
                f"{piece.path}: its step {key!r} counts {unit}, that of {pieces[0].path} counts "
                f"{steps[0][1]}; "
                "join logs of one kind"
            )
        warnings += _check_texts(piece, key)
        frame = piece.raw.columns.numbers.copy()
        frame = frame.drop(columns=[key])
        frame.insert(0, steps[0][0], values + piece.raw.step_offset)
        frame[_PIECE] = float(number)
        has_step = np.isfinite(frame[steps[0][0]])
        lost = int((~has_step & piece.raw.columns.numbers.notna().any(axis=1)).sum())
        if lost:
            warnings.append(
                LogWarning(
                    "rows-without-step", f"{piece.path}: {lost} rows have no {key!r} and were left out."
                )
            )
        frames.append(frame[has_step])
    step_key = steps[0][0]
    if not go_on:
        names = [str(p.path) for p in pieces]
        _refuse_two_runs(names, frames, step_key)
        warnings += _compare_pieces(names, frames, step_key)
    joined = pd.concat(frames, ignore_index=True, sort=False)
    segment, step, shifted = _segments(joined, step_key, go_on)
    if shifted:
        warnings.append(
            LogWarning("steps-shifted", f"{shifted} pieces start again; their steps were counted on.")
        )
    joined = joined.drop(columns=[_PIECE])
    joined[step_key] = step
    joined[SEGMENT_KEY] = segment.astype(np.float64)
    first = pieces[0].raw
    raw = RawRun(
        name=first.name,
        columns=Columns(joined, pd.DataFrame(index=joined.index)),
        step=step_key,
        unit=steps[0][1],
        facts=pieces[-1].raw.facts,
        refused={k: v for piece in pieces for k, v in piece.raw.refused.items()},
        kinds={k: v for piece in pieces for k, v in piece.raw.kinds.items()},
        wide=first.wide,
        framework=first.framework,
        warnings=list(dict.fromkeys(warnings)),
    )
    run_of_all = build_run(raw, pieces[0].format, " + ".join(str(p.path) for p in pieces))
    return replace(run_of_all, warnings=tuple(_advise(w) for w in run_of_all.warnings))


#: What to do about trouble, to somebody who is joining logs already.
_ADVICE = {
    "steps-replaced": "Last segment wins.",
    "restarted": "If it went on from trained weights, its step 0 is not the beginning: pass --continue.",
}


def _advise(warning: LogWarning) -> LogWarning:
    return replace(warning, next_step=_ADVICE.get(warning.code, warning.next_step))


def _refuse_two_runs(paths: list[str], frames: list[pd.DataFrame], step_key: str) -> None:
    """Refuse a piece of which the later ones would leave nothing, unless they repeat its rows."""
    for number, frame in enumerate(frames[:-1]):
        for later in range(number + 1, len(frames)):
            first, start = frame[step_key].min(), frames[later][step_key].min()
            if not start <= first:
                continue
            mine = frame.drop(columns=_PIECE).reset_index(drop=True)
            same = frames[later].drop(columns=_PIECE).iloc[: len(mine)].reset_index(drop=True)
            if mine.equals(same):
                continue
            raise LogError(
                f"{paths[later]}: starts at {step_key} {full_number(start)}, and {paths[number]} at "
                f"{full_number(first)}: nothing would be left of the {len(frame)} rows there. If it went on "
                "from trained weights, pass --continue; if it is the same run begun anew, leave the older "
                "file out; if they are two runs, forecast each alone"
            )


def _compare_pieces(paths: list[str], frames: list[pd.DataFrame], step_key: str) -> list[LogWarning]:
    """Say where two pieces that follow each other disagree on the steps that both have."""
    warnings = []
    for number in range(1, len(frames)):
        before, after = (f.groupby(step_key).mean() for f in frames[number - 1 : number + 1])
        both = before.index.intersection(after.index)
        for key in before.columns.intersection(after.columns):
            if not parse_name(str(key)).kind.endswith("pass_rate"):
                continue
            apart = (after.loc[both, key] - before.loc[both, key]).dropna()
            if len(apart) >= _STEPS_TO_COMPARE and abs(apart.mean()) > _PIECES_APART:
                warnings.append(
                    LogWarning(
                        "pieces-differ",
                        f"{paths[number]}: {key!r} lies {abs(apart.mean()):.2f} "
                        f"{'above' if apart.mean() > 0 else 'below'} {paths[number - 1]} at the {len(apart)} "
                        "steps that both have.",
                        "If they are two runs, forecast each alone.",
                    )
                )
    return warnings


_PIECE = "rlscale/piece"


def _pick(path: Path, run: str | None) -> Found:
    found = read_raw(path).found
    if run is not None:
        named = [f for f in found if f.raw.name == run]
        if not named:
            raise LogError(f"{path}: no run {run!r}: {suggest_names(run, [f.raw.name for f in found], 20)}")
        found = named
    if len(found) == 1:
        return found[0]
    names = ", ".join(repr(f.raw.name) for f in found[:20]) + (" …" if len(found) > 20 else "")
    raise LogError(f"{path}: holds {len(found)} runs; name one with --run: {names}")


def _check_texts(piece: Found, step_key: str) -> list[LogWarning]:
    """Refuse texts in place of a step or a pass rate; say which others are lost, as only numbers are kept."""
    lost = []
    for key, cells in piece.raw.columns.bad.items():
        if key == step_key or parse_name(key).kind not in ("other", "length"):
            refuse_texts(str(piece.path), str(piece.path), key, cells)
        lost.append(f"{key!r} ({cells.count})")
    if not lost:
        return []
    return [LogWarning("texts-dropped", f"{piece.path}: texts in columns of numbers: {', '.join(lost[:8])}.")]


def _segments(joined: pd.DataFrame, step_key: str, go_on: bool) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the segment and step of each row, and how many pieces were counted on."""
    step = joined[step_key].to_numpy(np.float64).copy()
    piece = joined[_PIECE].to_numpy()
    keys = [str(k) for k in joined.columns if k != _PIECE]
    filled = joined[keys].notna().to_numpy()[:, own_columns(keys)]
    segment = np.zeros(step.size, np.int64)
    after = 0
    for number in np.unique(piece):
        rows = piece == number
        found = find_segments(step[rows], filled[rows])
        segment[rows] = found + after
        after += int(found.max()) + 1
    shifted = 0
    if go_on:
        for number in range(1, after):
            rows, before = segment == number, segment < number
            if step[rows].min() <= step[before].min():
                gaps = np.diff(np.unique(step[rows]))
                step[rows] += (
                    step[before].max() + (float(np.median(gaps)) if gaps.size else 1.0) - step[rows].min()
                )
                shifted += 1
    return segment, step, shifted


def check_target(target: Path) -> None:
    """Refuse a name that no joined log can be written to, before anything is read.

    Raises
    ------
    LogError
        If the name ends in neither .csv nor .jsonl, is a directory, or stands in none.
    """
    shown = shorten_text(str(target), 200)
    if target.suffix.lower() not in _SUFFIXES:
        raise LogError(f"{shown}: the name must end in .csv or .jsonl; give such a name")
    if is_directory(target):
        raise LogError(f"{shown}: is a directory; give the name of a file")
    if not is_directory(target.parent):
        raise LogError(f"{shown}: there is no such directory to write into; make it, or give another")


def write_run(run: Run, path: str | PathLike[str]) -> None:
    """Write the rows of a run as CSV or JSONL, whole or not at all.

    Raises
    ------
    LogError
        If the name ends in neither, or the file cannot be written.
    """
    target = Path(path)
    check_target(target)
    table = run.table.copy()
    table[run.axes[0].key] = run.axes[0].values
    first = [run.axes[0].key]
    table = table[first + [c for c in table.columns if c not in first]]
    table[SEGMENT_KEY] = run.segment
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".rlscale-", suffix=target.suffix)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
                if target.suffix.lower() == ".csv":
                    table.to_csv(stream, index=False)
                else:
                    table.to_json(stream, orient="records", lines=True, double_precision=15)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)  # mkstemp makes files that nobody else may read
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL byte
        why = getattr(error, "strerror", None) or error
        raise LogError(
            f"{shorten_text(str(target), 200)}: cannot be written ({why}); check the path and the disk"
        ) from None
