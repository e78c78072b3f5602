"""Which format a file has, and which files of a directory are logs.

A format is one small module of :mod:`rlscale.logs.formats` with ``NAME``, ``EXTRA`` (the extra that installs
its library, or None), ``sniff(source) -> bool`` and ``read(source) -> list[RawRun]``. The first whose sniff
says yes reads the file; the general ones (CSV, JSON, text) come last.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType

from ..errors import LogError, MissingExtraError, RlscaleError
from .raw import RawRun
from .search import group_files, read_directory_format
from .source import Source, is_directory

#: Modules of :mod:`rlscale.logs.formats`, the particular before the general.
FORMATS: tuple[str, ...] = (
    "wandb_offline",
    "swanlab_store",
    "sqlite_store",
    "parquet_table",
    "tensorboard_events",
    "trl_state",
    "verl_file",
    "verl_rollouts",
    "tinker_jsonl",
    "prime_jsonl",
    "nemo_json",
    "tensorboard_csv",
    "tensorboard_json",
    "swanlab_csv",
    "wandb_api",
    "wandb_csv",
    "mlflow_files",
    "verl_console",
    "tinker_console",
    "openrlhf_console",
    "slime_console",
    "forge_console",
    "trl_console",
    "plain_json",
    "plain_csv",
    "counted_lines",
)


@dataclass(frozen=True)
class Found:
    """A run that a file holds, with the format that was found."""

    raw: RawRun
    format: str
    path: Path


@dataclass(frozen=True)
class Contents:
    """What a file or a directory holds.

    Attributes
    ----------
    found : list of Found
        The runs, at least one.
    refused : dict of str to str
        File below the directory that looked like a log and could not be read -> why.
    unread : list of str
        Files of a less sure kind, which were not looked at.
    """

    found: list[Found]
    refused: dict[str, str] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)


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
    with _said_clearly(path, module.NAME, module.EXTRA):
        return _whole(path, module.NAME, module.read(source))


def read_directory(kind: str, path: Path) -> list[Found]:
    """Read the runs of a directory that is a log by itself."""
    extra = {"events": "tensorboard", "completions": "parquet"}.get(kind)
    with _said_clearly(path, kind, extra):
        name, raws = read_directory_format(kind, path)
        return _whole(path, name, raws)


def _whole(path: Path, name: str, raws: list[RawRun]) -> list[Found]:
    raws = [raw for raw in raws if raw.columns.numbers.notna().any(axis=None)]
    if not raws:
        raise LogError(f"{path}: {name}, but without a single row of numbers; give a log with measurements")
    return [Found(raw, name, path) for raw in raws]


@contextmanager
def _said_clearly(path: Path, name: str, extra: str | None) -> Iterator[None]:
    """Turn what a reader's library raises into an error that says what to do."""
    try:
        yield
    except ImportError as error:
        if extra is None:
            raise
        raise MissingExtraError(
            f"{path}: {name} needs a library that is not installed ({error}); install it with: "
            f"pip install 'rlscale[{extra}]'"
        ) from None
    except RecursionError:
        raise LogError(f"{path}: nested too deeply for {name}; the file is damaged") from None
    except MemoryError:
        raise LogError(
            f"{path}: {name} asks for more memory than there is; the file is damaged or too large"
        ) from None
    except OSError as error:
        raise LogError(f"{path}: cannot be read ({error}); check the file and its permissions") from None


def read_raw(path: Path) -> Contents:
    """Read a file, or what a directory holds.

    Raises
    ------
    LogError
        If there is nothing to read.
    """
    if not is_directory(path):
        return Contents(read_file(path))
    found: list[Found] = []
    refused: dict[str, str] = {}
    groups = group_files(path)
    while (
        groups and not found
    ):  # the surest kind that can be read; `metrics.jsonl` repeats what a console says
        kind = next(iter(groups))
        for candidate in groups.pop(kind):
            below = candidate.relative_to(path).as_posix()
            try:
                inside = read_directory(kind, candidate) if candidate.is_dir() else read_file(candidate)
            except RlscaleError as error:
                refused[below] = str(error)
                continue
            for item in inside:
                if below != ".":
                    item.raw.name = below if len(inside) == 1 else f"{below}: {item.raw.name}"
            found += inside
    if not found:
        why = f"; the nearest: {next(iter(refused.values()))}" if refused else ""
        raise LogError(f"{path}: no training log in this directory{why}; give a log file")
    unread = [p.relative_to(path).as_posix() for paths in groups.values() for p in paths if p.is_file()]
    return Contents(found, refused, unread)
