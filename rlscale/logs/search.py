"""What a directory holds: the logs in it, the surest kind first.

Some formats are directories: event files of one run, MLflow's store, verl's dumps by step, TRL's completions
by step. Links are never followed. Of the checkpoints of one trainer only the last counts, since each state
holds all before.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ..errors import LogError
from .raw import RawRun

_MOST_FILES = 20_000
_SKIPPED_DIRS = frozenset((".git", "__pycache__", "node_modules", ".ipynb_checkpoints", "site-packages"))
_EVENTS = re.compile(r"\.tfevents\.")
_DUMP = re.compile(r"^\d{1,9}\.jsonl$")
_COMPLETIONS = re.compile(r"^completions_\d+\.parquet$")
_STORES = (".wandb", ".swanlab", ".db", ".sqlite", ".sqlite3", ".parquet")
_TEXTS = (".csv", ".tsv", ".jsonl", ".json", ".log", ".txt", ".out")
# siblings of a log that hold something else
_OTHERS = frozenset(
    (
        "config.json",
        "checkpoints.jsonl",
        "timing_spans.jsonl",
        "tokenizer.json",
        "package.json",
        "wandb-metadata.json",
        "wandb-summary.json",
        "generation_config.json",
        "tokenizer_config.json",
        "requirements.txt",
        "license.txt",
    )
)


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


def group_files(directory: Path) -> dict[str, list[Path]]:
    """Return the files and directories that may be logs, by kind, the surest kind first.

    Kinds: ``state`` (trainer_state.json), ``events``, ``mlflow``, ``metrics`` (metrics.jsonl), ``stores``,
    ``dumps``, ``completions``, ``texts``. Only ``state``, ``metrics``, ``stores`` and ``texts`` are files.
    """
    groups: dict[str, dict[Path, None]] = {
        k: {} for k in ("state", "events", "mlflow", "metrics", "stores", "dumps", "completions", "texts")
    }
    for path in walk_files(directory):
        name = path.name.lower()
        if name == "trainer_state.json":
            groups["state"][path] = None
        elif _EVENTS.search(name):
            groups["events"][path.parent] = None
        elif name == "meta.yaml" and (path.parent / "metrics").is_dir():
            groups["mlflow"][path.parent] = None
        elif name == "metrics.jsonl":
            groups["metrics"][path] = None
        elif _COMPLETIONS.match(name):
            groups["completions"][path.parent] = None
        elif _DUMP.match(name):
            groups["dumps"][path.parent] = None
        elif path.suffix.lower() in _STORES:
            groups["stores"][path] = None
        elif (
            path.suffix.lower() in _TEXTS
            and name not in _OTHERS
            and not name.endswith("_rollout_summaries.jsonl")
        ):
            groups["texts"][path] = None
    found = {kind: list(paths) for kind, paths in groups.items() if paths}
    if "state" in found:
        found["state"] = _last_checkpoints(found["state"])
    return found


def list_completions(directory: Path) -> list[Path]:
    """Return TRL's completion files of one directory, by step."""
    return sorted(
        p for p in directory.iterdir() if _COMPLETIONS.match(p.name) and p.is_file() and not p.is_symlink()
    )


def _last_checkpoints(states: list[Path]) -> list[Path]:
    best: dict[Path, tuple[int, Path]] = {}
    for path in states:
        name = path.parent.name
        inside = name.startswith("checkpoint-") and name[11:].isdigit()
        number = int(name[11:]) if inside else 1 << 62
        run = path.parent.parent if inside else path.parent
        if run not in best or number > best[run][0]:
            best[run] = (number, path)
    return [path for _, path in best.values()]


def read_directory_format(kind: str, directory: Path) -> tuple[str, list[RawRun]]:
    """Read a format that is a directory; return the name of the format and its runs."""
    if kind == "events":
        from .formats import tensorboard_events

        return tensorboard_events.NAME, tensorboard_events.read_files(
            tensorboard_events.list_events(directory), directory.name
        )
    if kind == "mlflow":
        from .formats import mlflow_files

        return mlflow_files.NAME, mlflow_files.read_run(directory)
    if kind == "dumps":
        from .formats import verl_rollouts

        return verl_rollouts.NAME, verl_rollouts.read_files(
            verl_rollouts.list_dumps(directory), directory.name
        )
    from .formats import parquet_table

    return "TRL completions", parquet_table.read_files(list_completions(directory), directory.name)
