"""``rlscale inspect LOG``: format, series, units, warnings; which series would be fitted and why."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import LogError

if TYPE_CHECKING:
    from ..logs import Run

HELP = (
    "show what a training log holds: format, runs, axes, series, warnings, and which series would be fitted"
)

#: Bytes of a log that takes more than a second to read.
_LARGE = 20_000_000


EXAMPLES = """examples:
  rlscale inspect metrics.jsonl
  rlscale inspect runs/ --run seed1.csv     one run of a directory
  rlscale inspect log.csv --x batch:updates the column 'batch' counts optimizer updates"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.epilog, parser.formatter_class = EXAMPLES, argparse.RawDescriptionHelpFormatter
    parser.add_argument("log", metavar="LOG", help="log file, or a directory of logs")
    parser.add_argument("--run", help="only this run")
    parser.add_argument(
        "--x", metavar="KEY", help="column that counts the steps, where its name does not say so"
    )
    parser.add_argument(
        "--all", action="store_true", help="list every series, also those that are no pass rate"
    )
    parser.add_argument(
        "--table",
        action="store_true",
        help="one line a file of the directory LOG: what was found, or why not",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from ..logs import read_runs
    from ..logs.describe import describe_runs, format_runs

    if args.table:
        from ..logs.survey import format_survey, survey_logs

        rows = survey_logs(args.log)
        print(json.dumps([row.to_dict() for row in rows]) if args.json else format_survey(rows))
        return 0
    _announce(args.log)
    runs = read_runs(args.log, args.x)
    if args.run is not None:
        runs = runs.only(args.run, args.log)
    if args.x is not None:
        _find_named_axis(args.log, runs, args.x)
    if args.json:
        print(json.dumps(describe_runs(runs)))
    else:
        print(format_runs(args.log, runs, every=args.all))
    return 0


def _find_named_axis(log: str, runs: Mapping[str, Run], x: str) -> None:
    """Refuse an axis that no run has; some runs of a directory may well be without it."""
    from ..logs.choose import pick_axis

    refusal: LogError | None = None
    for run in runs.values():
        try:
            pick_axis(run.axes, x, log)
        except LogError as error:
            refusal = refusal or error
        else:
            return
    if refusal is not None:
        raise refusal


def _announce(log: str) -> None:
    """Say on standard error that a large log is being read, which takes more than a second."""
    try:
        path = Path(log)
        size = path.stat().st_size if path.is_file() else 0
    except (OSError, ValueError):  # said where the log is opened
        return
    if size > _LARGE:
        print(f"reading {log} ({size / 1e6:.0f} MB) …", file=sys.stderr)
