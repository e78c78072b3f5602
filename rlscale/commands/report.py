"""``rlscale report LOG -o DIR``: the forecast as one page to send."""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..number_option import read_number

HELP = "write the forecast of a training log as one self-contained HTML page"

#: Seconds after which work is long enough to say so.
PATIENCE = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command: those of ``forecast``, and the folder."""
    parser.add_argument("log", metavar="LOG", help="training log")
    parser.add_argument(
        "-o", "--output", metavar="DIR", required=True, help="folder for report.html; made if need be"
    )
    parser.add_argument("--run", metavar="RUN", help="which run, when the log holds several")
    parser.add_argument("--x", metavar="KEY", help="which column is compute (default: chosen, and explained)")
    parser.add_argument(
        "--y", metavar="KEY", help="which column is the pass rate (default: chosen, and explained)"
    )
    parser.add_argument(
        "--budget", type=read_number, metavar="C", help="planned compute of the whole run, in the unit of x"
    )
    parser.add_argument(
        "--target", type=read_number, metavar="P", help="pass rate that you need, inside (0, 1)"
    )
    parser.add_argument(
        "--price", type=read_number, metavar="USD", help="USD for one unit of x, such as a GPU-hour or a step"
    )
    parser.add_argument(
        "--value", type=read_number, metavar="USD", help="what one percentage point of pass rate is worth"
    )
    parser.add_argument(
        "--level",
        type=read_number,
        metavar="P",
        help="share of the truth an interval should hold (default 0.9)",
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from ..report import write_report

    names = ("run", "x", "y", "budget", "target", "price", "value", "level")
    with show_progress(f"reading {args.log}, forecasting and drawing"):
        page = write_report(args.log, args.output, **{name: getattr(args, name) for name in names})
    print(page)
    return 0


@contextmanager
def show_progress(what: str) -> Iterator[None]:
    """Say on standard error what is being done, when it takes longer than a second.

    On a terminal the seconds count up; elsewhere one line is written, so that a log of a job stays short.

    Parameters
    ----------
    what : str
        In words.
    """
    done = threading.Event()

    def tick() -> None:
        began = time.monotonic()
        if done.wait(PATIENCE):
            return
        terminal = sys.stderr.isatty()
        print(f"{what} …", end="" if terminal else "\n", file=sys.stderr, flush=True)
        while terminal and not done.wait(1.0):
            print(f"\r{what} … {time.monotonic() - began:.0f} s", end="", file=sys.stderr, flush=True)
        if terminal:
            print(file=sys.stderr, flush=True)

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()
