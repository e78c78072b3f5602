"""``rlscale lab``: train one tiny run and watch it, or the whole sweep of the book."""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..number_option import read_whole

if TYPE_CHECKING:
    from ..lab.live import Progress
    from ..lab.settings import LabSettings
    from ..lab.shipped import ShippedRuns

HELP = "train one tiny run on this processor and watch its curve and forecast; or the whole sweep"

_ACTIONS = ("train", "sweep", "pack", "unpack", "arms")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "action",
        nargs="?",
        choices=_ACTIONS,
        default="train",
        help="train one run (default); sweep: all arms and seeds, resumable; pack: put finished runs of a "
        "sweep into data/lab; unpack: write each shipped run as a log; arms: list the arms",
    )
    train = parser.add_argument_group("train")
    train.add_argument("--arm", help="start from the settings of this arm of the sweep")
    train.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        action="append",
        help="change a setting, such as learning_rate=1e-3 (repeat)",
    )
    train.add_argument("--seed", type=read_whole, default=0, help="random seed (default 0)")
    train.add_argument("--out", type=Path, metavar="DIR", help="write the log into this folder")
    train.add_argument(
        "--format", default="own", metavar="STYLE", help="format of the log: own (default), trl, verl, tinker"
    )
    train.add_argument("--plain", action="store_true", help="one line an evaluation, no picture")
    train.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    sweep = parser.add_argument_group("sweep, pack")
    sweep.add_argument(
        "--work",
        type=Path,
        default=Path("build/lab"),
        metavar="DIR",
        help="folder of the runs of a sweep (default build/lab)",
    )
    sweep.add_argument(
        "--processes",
        type=read_whole,
        metavar="N",
        help="worker processes of one thread each (default: one a core)",
    )
    sweep.add_argument("--only", metavar="ARM", action="append", help="only this arm (repeat)")
    sweep.add_argument(
        "--target",
        type=Path,
        default=Path("data/lab"),
        metavar="DIR",
        help="where pack writes (default data/lab)",
    )
    sweep.add_argument("--fresh", action="store_true", help="train again what is shipped already")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    if args.action == "train":
        return _train(args)
    if args.action == "arms":
        return _list_arms()
    if args.action == "unpack":
        return _unpack(args)
    return _sweep(args) if args.action == "sweep" else _pack(args)


def read_settings(arm: str | None, changes: list[str], seed: int) -> LabSettings:
    """Build settings from an arm, ``NAME=VALUE`` texts and a seed.

    Raises
    ------
    LabError
        If a text has no ``=``, or a name or value is wrong.

    Examples
    --------
    >>> read_settings(None, ["learning_rate=1e-3", "algorithm=dapo"], 3).changed()
    {'algorithm': 'dapo', 'learning_rate': 0.001, 'seed': 3}
    """
    from ..lab.arms import find_arm
    from ..lab.settings import LabError, LabSettings

    values: dict[str, Any] = dict(find_arm(arm).changes) if arm else {}
    for text in changes:
        name, sign, value = text.partition("=")
        if not sign:
            raise LabError(f"--set {text!r} has no '='; write NAME=VALUE, such as learning_rate=1e-3")
        values[name.strip()] = _read_value(value.strip())
    return LabSettings.from_dict({"seed": seed} | values)


def _read_value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text  # a name such as dapo; settings check their types themselves


def _train(args: argparse.Namespace) -> int:
    from ..lab.live import watch_run
    from ..lab.logbook import make_folder
    from ..lab.writers import check_style, write_run

    check_style(args.format)
    if args.out:
        make_folder(args.out)
    settings = read_settings(args.arm, args.settings or [], args.seed)
    draw = sys.stdout.isatty() and not args.plain and not args.json
    progress: Progress | None = None
    forecasts = []
    lines = 0
    for progress in watch_run(settings):
        if progress.fresh and progress.forecast is not None:
            forecasts.append(_forecast_entry(progress))
        if draw:
            lines = _redraw(progress, lines)
        elif not args.json:
            _say(progress)
    assert progress is not None
    written = write_run(progress.run, args.out, args.format) if args.out else None
    if args.json:
        print(json.dumps(_result(progress, forecasts, written), ensure_ascii=False))
    else:
        _conclude(progress, written)
    return 0


def _forecast_entry(progress: Progress) -> dict[str, Any]:
    forecast = progress.forecast
    assert forecast is not None
    end = forecast.end if forecast.state != "no forecast" else None
    return {
        "completions": progress.run.rows[-1].completions,
        "state": forecast.state,
        "verdict": forecast.verdict,
        "end": None if end is None else {"median": end.median, "lo": end.lo, "hi": end.hi},
    }


def _say(progress: Progress) -> None:
    from ..lab.live import describe_progress

    print(describe_progress(progress), flush=True)


def _redraw(progress: Progress, lines: int) -> int:
    from ..lab.live import describe_forecast_end, describe_progress, draw_curve

    picture = draw_curve(progress.curve, float(progress.run.settings.budget), progress.forecast)
    said = describe_forecast_end(progress.forecast) if progress.forecast is not None else "no forecast yet"
    line = describe_progress(progress).split("  | ")[0]
    text = f"{picture}\n{line}\n{said}"
    # back to the first line of the last picture, and clear from there
    print((f"\x1b[{lines}F\x1b[J" if lines else "") + text, flush=True)
    return text.count("\n") + 1


def _result(progress: Progress, forecasts: list[dict[str, Any]], written: Path | None) -> dict[str, Any]:
    from ..lab.analysis import summarise_curve

    run = progress.run
    curve = run.curve()
    summary: dict[str, Any] = {}
    if len(curve) >= 5:
        told = asdict(summarise_curve(curve.compute, curve.pass_rate))
        # JSON has no NaN: what is not known is null
        summary = {name: None if value != value else value for name, value in told.items()}
    return {
        "settings": run.settings.to_dict(),
        "facts": run.facts,
        "last": asdict(run.rows[-1]),
        "summary": summary,
        "forecasts": forecasts,
        "log": None if written is None else str(written),
    }


def _conclude(progress: Progress, written: Path | None) -> None:
    from ..lab.analysis import summarise_curve

    run = progress.run
    curve = run.curve()
    last = run.rows[-1]
    print(
        f"{last.completions:,} completions in {last.cpu_seconds:.1f} s of processor time "
        f"({last.completions / last.cpu_seconds:,.0f} a second), after {run.facts['start_iterations']} "
        f"supervised updates of {run.facts['parameters']:,} parameters"
    )
    if len(curve) >= 5:
        summary = summarise_curve(curve.compute, curve.pass_rate)
        law = f"A {summary.A:.3f}, B {summary.B:.2f}, Cmid {summary.Cmid:,.0f} completions"
        fitted = {"identified": law, "not identified": f"ceiling not identified ({summary.why})"}
        print(f"end {summary.end:.3f}; {fitted.get(summary.fit, f'no fit: {summary.why}')}")
    if written is not None:
        print(f"log: {written}")


def _list_arms() -> int:
    from ..lab.arms import ARMS

    for arm in ARMS.values():
        print(f"{arm.name:<22} {arm.seeds} seeds  {arm.block}: {arm.title}")
    return 0


def _shipped(args: argparse.Namespace) -> ShippedRuns | None:
    from ..lab.shipped import RUNS_FILE, read_shipped_runs

    if args.fresh or not (args.target / RUNS_FILE).exists():
        return None
    return read_shipped_runs(args.target)


def _sweep(args: argparse.Namespace) -> int:
    from ..lab.sweep import run_sweep

    shipped = _shipped(args)
    processes = args.processes if args.processes is not None else os.cpu_count() or 1
    trained = run_sweep(args.work, processes=processes, shipped=shipped, names=args.only, report=_report)
    print(f"{trained} runs trained; nothing is missing. Put them into {args.target}: rlscale lab pack")
    return 0


def _report(line: str) -> None:
    print(line, flush=True)


def _unpack(args: argparse.Namespace) -> int:
    from ..lab.settings import LabError
    from ..lab.shipped import read_shipped_runs
    from ..lab.sweep import unpack_runs

    if args.out is None:
        raise LabError("unpack needs --out DIR: the folder that the logs are written into")
    count = unpack_runs(read_shipped_runs(), args.out)
    print(f"{count} logs written; replay them: rlscale backtest {args.out}/manifest.csv --root {args.out}")
    return 0


def _pack(args: argparse.Namespace) -> int:
    from ..lab.sweep import find_missing, pack_runs

    shipped = _shipped(args)
    packed = pack_runs(args.work, args.target, shipped=shipped)
    missing = find_missing(args.work, shipped=shipped)
    print(f"{packed} runs packed into {args.target}; {len(missing)} of the sweep are missing")
    return 0
