"""The sweep: every arm with every seed, one process a core, and nothing lost when it is stopped.

A finished run is a file in the work folder, written whole; what is there, or already shipped with the same
settings, is not trained again. ``rlscale lab pack`` puts the finished runs into ``data/lab``.
"""

from __future__ import annotations

import gzip
import io
import json
import multiprocessing
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from . import import_torch
from .arms import Arm, list_jobs
from .logbook import COLUMNS, LabRun, make_folder, read_lab_run, write_whole
from .settings import LabError, LabSettings
from .shipped import DEFAULTS_FILE, RUNS_FILE, SETTINGS_FILE, ShippedRuns

#: Digits kept in the shipped table: six decimals are a tenth of a single answer in 160,000.
_DECIMALS = 6


def run_path(folder: Path, arm: str, seed: int) -> Path:
    """Return where the log of one run lies in the work folder."""
    return folder / "runs" / arm / f"seed-{seed}.jsonl"


def find_missing(
    folder: Path, *, shipped: ShippedRuns | None = None, names: Iterable[str] | None = None
) -> list[tuple[Arm, int]]:
    """Return the jobs neither in the work folder nor shipped with today's settings, in order of training."""
    return [
        (arm, seed)
        for arm, seed in list_jobs(names)
        if not _is_done(folder, arm, seed) and not (shipped is not None and shipped.holds(arm, seed))
    ]


def _is_done(folder: Path, arm: Arm, seed: int) -> bool:
    path = run_path(folder, arm.name, seed)
    return path.exists() and read_lab_run(path).settings == arm.settings(seed)


def train_job(folder: Path, arm: Arm, seed: int) -> LabRun:
    """Train one run of an arm and write its log."""
    from .trainer import train_run

    path = run_path(folder, arm.name, seed)
    make_folder(path.parent)
    run = train_run(arm.settings(seed), cache=folder / "starts")
    run.write(path)
    return run


def _work(job: tuple[Path, Arm, int]) -> tuple[str, int, float, float]:
    folder, arm, seed = job
    run = train_job(folder, arm, seed)
    return arm.name, seed, run.rows[-1].heldout_pass_rate, run.rows[-1].cpu_seconds


def run_sweep(
    folder: Path,
    *,
    processes: int = 1,
    shipped: ShippedRuns | None = None,
    names: Iterable[str] | None = None,
    report: Callable[[str], None] = print,
) -> int:
    """Train all missing runs.

    Parameters
    ----------
    folder : Path
        Work folder; kept between calls.
    processes : int
        Worker processes, one thread each; more than cores only slows them.
    shipped : ShippedRuns, optional
        Runs that need not be trained again.
    names : iterable of str, optional
        Only these arms.
    report : callable
        Told one line a finished run.

    Returns
    -------
    int
        Runs trained now.
    """
    import_torch()
    if processes < 1:
        raise LabError(f"{processes} processes cannot train anything; give 1 or more")
    make_folder(folder)
    jobs = [(folder, arm, seed) for arm, seed in find_missing(folder, shipped=shipped, names=names)]
    total = len(jobs)
    if processes == 1:
        for number, job in enumerate(jobs, 1):
            report(_line(number, total, *_work(job)))
        return total
    # fresh processes: a forked one would inherit Torch's thread pool in an unknown state
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for number, result in enumerate(pool.imap_unordered(_work, jobs), 1):
            report(_line(number, total, *result))
    return total


def _line(number: int, total: int, arm: str, seed: int, rate: float, seconds: float) -> str:
    return (
        f"{number}/{total}  {arm} seed {seed}: pass rate {rate:.3f} after {seconds:.1f} s of processor time"
    )


def pack_runs(folder: Path, target: Path, *, shipped: ShippedRuns | None = None) -> int:
    """Write all finished runs, new and shipped, as tables into ``target``; same runs, same bytes.

    Returns
    -------
    int
        Runs packed.
    """
    rows, settings = [], []
    for arm, seed in sorted(list_jobs(), key=lambda j: (j[0].name, j[1])):
        path = run_path(folder, arm.name, seed)
        if _is_done(folder, arm, seed):
            run = read_lab_run(path)
        elif shipped is not None and shipped.holds(arm, seed):
            run = shipped.run(arm.name, seed)
        else:
            continue
        for row in run.rows:
            rows.append({"arm": arm.name, "seed": seed, **asdict(row)})
        settings.append(
            {"arm": arm.name, "seed": seed, "settings": json.dumps(run.settings.changed()), **run.facts}
        )
    if not rows:
        raise LabError(f"no finished run in {folder}; train some first (rlscale lab sweep)")
    make_folder(target)
    table = pd.DataFrame(rows, columns=["arm", "seed", *COLUMNS])
    write_whole(
        target / RUNS_FILE, _compress(table.round(_DECIMALS).to_csv(index=False, lineterminator="\n"))
    )
    index = pd.DataFrame(settings).to_csv(index=False, lineterminator="\n")
    write_whole(target / SETTINGS_FILE, index.encode())
    # settings are stored as differences from the defaults, so the defaults belong to the data
    defaults = json.dumps(LabSettings().to_dict(), indent=1)
    write_whole(target / DEFAULTS_FILE, (defaults + "\n").encode())
    return len(settings)


def _compress(text: str) -> bytes:
    buffer = io.BytesIO()
    # no time stamp and no file name inside: equal content gives equal bytes
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, compresslevel=9, mtime=0) as stream:
        stream.write(text.encode())
    return buffer.getvalue()


def unpack_runs(shipped: ShippedRuns, folder: Path) -> int:
    """Write each shipped run as a log of its own, with a manifest for ``rlscale backtest``.

    Parameters
    ----------
    shipped : ShippedRuns
        What to write.
    folder : Path
        Gets ``arm/seed-n.jsonl`` and ``manifest.csv``; the runs of an arm are one family.

    Returns
    -------
    int
        Runs written.
    """
    entries = []
    for arm in shipped.arms:
        make_folder(folder / arm)
        for seed in shipped.seeds(arm):
            run = shipped.run(arm, seed)
            path = Path(arm) / f"seed-{seed}.jsonl"
            run.write(folder / path)
            entries.append(
                {
                    "id": f"{arm}/seed-{seed}",
                    "path": path.as_posix(),
                    "x": "rollout_step",
                    "y": "heldout_pass_rate",
                    "points": len(run.rows),
                }
            )
    manifest = pd.DataFrame(entries).to_csv(index=False, lineterminator="\n")
    write_whole(folder / "manifest.csv", manifest.encode())
    return len(entries)
