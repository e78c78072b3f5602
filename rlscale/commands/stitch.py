"""``rlscale stitch LOG LOG… -o FILE``: join the pieces of a resumed run."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from ..errors import LogError

HELP = (
    "join the pieces of a resumed run: the last piece wins where steps repeat, and every replaced row "
    "is counted"
)


EXAMPLES = """examples:
  rlscale stitch part1.jsonl part2.jsonl -o whole.csv
  rlscale stitch part1.csv part2.csv -o whole.csv --continue   steps start again at 0 in part2"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.epilog, parser.formatter_class = EXAMPLES, argparse.RawDescriptionHelpFormatter
    parser.add_argument("logs", metavar="LOG", nargs="+", help="pieces in the order of time")
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="where to write (.csv or .jsonl)"
    )
    parser.add_argument("--run", help="name of the run, where a piece holds several")
    parser.add_argument(
        "--continue",
        dest="go_on",
        action="store_true",
        help="a piece whose step starts again went on from trained weights: count its steps on",
    )
    parser.add_argument("--force", action="store_true", help="write over an existing FILE")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from ..logs.join import check_target, stitch_logs, write_run

    target = Path(args.output)
    check_target(target)
    if any(_is_same(target, Path(log)) for log in args.logs):
        raise LogError(f"{target}: is one of the pieces; write to another file")
    if os.path.lexists(target) and not args.force:
        raise LogError(f"{target}: exists; pass --force to write over it")
    joined = stitch_logs(args.logs, run=args.run, go_on=args.go_on)
    write_run(joined, target)
    if args.json:
        found = {
            "output": str(target),
            "run": joined.name,
            "rows": len(joined),
            "segments": joined.segments,
            "warnings": [w.to_dict() for w in joined.warnings],
        }
        print(json.dumps(found))
        return 0
    print(f"{target}: {len(joined)} rows in {joined.segments} segments")
    for warning in joined.warnings:
        print(f"  {warning.code}: {warning.to_dict()['message']}")
    return 0


def _is_same(target: Path, log: Path) -> bool:
    try:
        return target.samefile(log)
    except (OSError, ValueError):  # one of them does not exist, or cannot: that is said where it is opened
        return False
