"""``rlscale forecast LOG``: the end of an unfinished run, how sure that is, and whether to go on."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from ..number_option import read_number
from .report import show_progress

if TYPE_CHECKING:
    from ..curve import Curve

HELP = "forecast the end of an unfinished run, with an interval and a verdict: continue, stop or cannot tell"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("log", metavar="LOG", help="training log")
    parser.add_argument("--run", metavar="RUN", help="which run, when the log holds several")
    parser.add_argument("--x", metavar="KEY", help="which column is compute (default: chosen, and explained)")
    parser.add_argument(
        "--y", metavar="KEY", help="which column is the pass rate (default: chosen, and explained)"
    )
    parser.add_argument(
        "--budget",
        type=read_number,
        metavar="C",
        help="planned compute of the whole run, in the unit of x "
        "(default: the planned length in the log, else four times what was seen)",
    )
    parser.add_argument(
        "--target", type=read_number, metavar="P", help="pass rate that you need, inside (0, 1)"
    )
    parser.add_argument(
        "--price",
        type=read_number,
        metavar="USD_PER_UNIT",
        help="USD for one unit of x: with x in GPU-hours the price of a GPU-hour, with x in steps the GPUs "
        "times the hours of a step times that price; with --value the verdict weighs money, also where no "
        "number can be quoted",
    )
    parser.add_argument(
        "--value", type=read_number, metavar="USD_PER_POINT", help="USD for one percentage point of pass rate"
    )
    parser.add_argument(
        "--level",
        type=read_number,
        default=0.9,
        metavar="P",
        help="share of the truth that an interval should hold (default 0.9)",
    )
    parser.add_argument(
        "--library",
        metavar="DIR",
        help="folder of logs of your own finished runs, 20 or more: intervals are widened by what these ask "
        "for (default: the public runs of this project)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from ..calibration import calibrate_library
    from ..forecast import forecast_run
    from ..logs import read_run

    with show_progress(f"reading {args.log} and forecasting"):
        curve = read_run(args.log, args.run, args.x).curve(args.x, args.y)
        calibration = calibrate_library(args.library, progress=False) if args.library else None
        forecast = forecast_run(
            curve,
            budget=args.budget,
            target=args.target,
            price=args.price,
            value=args.value,
            level=args.level,
            calibration=calibration,
        )
    if args.json:
        print(json.dumps(forecast.to_dict(), allow_nan=False))
        return 0
    print(_plain(f"{Path(args.log).name}: {_name_series(curve, Path(args.log).stem)}"))
    print(_plain(forecast.summary()))
    if curve.why:
        print(_plain(f"Why this series: {curve.why.rstrip('.')}."))
    return 0


def _name_series(curve: Curve, stem: str) -> str:
    """Return what was read, for the first line; the run is named where the file does not."""
    of = f"run {curve.run}, " if curve.run and curve.run != stem else ""
    return f"{of}{curve.y_key} over {curve.x_key}"


def _plain(text: str) -> str:
    """Return ``text`` without control characters, which a log could use to write over the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)
