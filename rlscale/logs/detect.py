"""Which format a file has, and which files of a directory are logs.

A format is one small module of :mod:`rlscale.logs.formats` with ``NAME``, ``EXTRA`` (the extra that installs
its library, or None), ``sniff(source) -> bool`` and ``read(source) -> list[RawRun]``. The first whose sniff
says yes reads the file; the general ones (CSV, JSON, text) come last.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from ..errors import LogError, MissingExtraError, RlscaleError
from .raw import RawRun
from .source import Source

#: Modules of :mod:`rlscale.logs.formats`, the particular before the general.
FORMATS: tuple[str, ...] = (
    "trl_state",
    "tinker_jsonl",
    "verl_console",
    "wandb_csv",
    "plain_csv",
    "plain_json",
)

_MOST_FILES = 5000
_SKIPPED_DIRS = frozenset((".git", "__pycache__", "node_modules", ".ipynb_checkpoints", "site-packages"))


@dataclass(frozen=True)
class Found:
    """A run that a file holds, with the format that was found."""

    raw: RawRun
    format: str
    path: Path


def find_format(source: Source) -> ModuleType:
    """Return the module that reads this file.

    Raises
    ------
    LogError
        If no format is found.
    """
    for name in FORMATS:
        module = import_module(f"rlscale.logs.formats.{name}")
        if module.sniff(source):
            return module
    source.refuse_binary()
    raise LogError(
        f"{source.path}: no training log of a known format (first line: {source.first_line.strip()[:60]!r}); "
        "give CSV or JSONL with a step and a pass rate in each row, or the log of a trainer"
    )


def read_file(path: Path) -> list[Found]:
    """Read the runs of one file."""
    source = Source.open(path)
    module = find_format(source)
    try:
        raws = module.read(source)
    except ImportError as error:
        if module.EXTRA is None:
            raise
        raise MissingExtraError(
            f"{path}: {module.NAME} needs a library that is not installed ({error}); "
            f"install it with: pip install 'rlscale[{module.EXTRA}]'"
        ) from None
    except RecursionError:
        raise LogError(f"{path}: nested too deeply for {module.NAME}; the file is damaged") from None
    except MemoryError:
        raise LogError(
            f"{path}: {module.NAME} asks for more memory than there is; the file is damaged or too large"
        ) from None
    raws = [raw for raw in raws if raw.columns.numbers.notna().any(axis=None)]
    if not raws:
        raise LogError(
            f"{path}: {module.NAME}, but without a single row of numbers; give a log with measurements"
        )
    return [Found(raw, module.NAME, path) for raw in raws]


def read_raw(path: Path, x: str | None = None) -> list[Found]:
    """Read a file, or what a directory holds.

    Raises
    ------
    LogError
        If there is nothing to read.
    """
    if not path.is_dir():
        return read_file(path)
    found: list[Found] = []
    refusals: list[str] = []
    for candidate in list_logs(path):
        try:
            inside = read_file(candidate)
        except RlscaleError as error:
            refusals.append(str(error))
            continue
        for item in inside:
            if len(inside) == 1:
                item.raw.name = candidate.relative_to(path).as_posix()
            else:
                item.raw.name = f"{candidate.relative_to(path).as_posix()}: {item.raw.name}"
        found += inside
    if not found:
        why = f"; the nearest: {refusals[0]}" if refusals else ""
        raise LogError(f"{path}: no training log in this directory{why}; give a log file")
    return found


def list_logs(directory: Path) -> list[Path]:
    """Return the files of a directory that may be logs, the surest kind only.

    Links are not followed, and of the checkpoints of one trainer only the last counts, since each state holds
    all before.
    """
    kinds: dict[str, list[Path]] = {"state": [], "metrics": [], "other": []}
    for path in walk_files(directory):
        name = path.name.lower()
        if name == "trainer_state.json":
            kinds["state"].append(path)
        elif name in ("metrics.jsonl",):
            kinds["metrics"].append(path)
        elif path.suffix.lower() in (".csv", ".jsonl", ".json", ".log", ".txt"):
            kinds["other"].append(path)
    if kinds["state"]:
        kinds["state"] = _last_checkpoints(kinds["state"])
    for group in kinds.values():
        if group:
            return sorted(group)
    return []


def walk_files(directory: Path) -> Iterator[Path]:
    """Yield the regular files below a directory, by name; links are not followed."""
    seen = 0
    for root, folders, files in os.walk(directory, followlinks=False):
        folders[:] = sorted(f for f in folders if f not in _SKIPPED_DIRS)
        for name in sorted(files):
            path = Path(root, name)
            if path.is_symlink() or not path.is_file():
                continue
            seen += 1
            if seen > _MOST_FILES:
                raise LogError(f"{directory}: more than {_MOST_FILES} files; name the log itself")
            yield path


def _last_checkpoints(states: list[Path]) -> list[Path]:
    best: dict[Path, tuple[int, Path]] = {}
    for path in states:
        name = path.parent.name
        number = int(name[11:]) if name.startswith("checkpoint-") and name[11:].isdigit() else 1 << 62
        run = path.parent.parent if name.startswith("checkpoint-") else path.parent
        if run not in best or number > best[run][0]:
            best[run] = (number, path)
    return [path for _, path in best.values()]
