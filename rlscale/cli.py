"""The command ``rlscale``: thin; each command is a module of :mod:`rlscale.commands`.

Exit status 0: done (a refusal to forecast is an answer). 1: the input cannot be used, one line ``error: …``
on standard error says why and what to do. 2: wrong usage.
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import sys
from collections.abc import Sequence
from importlib import import_module

from . import commands
from .errors import RlscaleError


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands that are installed."""
    from . import __version__

    parser = argparse.ArgumentParser(
        prog="rlscale",
        description="How many steps does an RLVR run need, what will they cost, and when to stop.",
    )
    parser.add_argument("--version", action="version", version=f"rlscale {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for info in sorted(pkgutil.iter_modules(commands.__path__), key=lambda i: i.name):
        module = import_module(f"{commands.__name__}.{info.name}")
        sub = subparsers.add_parser(info.name, help=module.HELP, description=module.HELP)
        module.add_arguments(sub)
        sub.set_defaults(handler=module.run)  # not `run`: several commands have an option --run
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    args = build_parser().parse_args(argv)
    try:
        return int(args.handler(args))
    except RlscaleError as error:
        print("error: " + " ".join(str(error).split()), file=sys.stderr)
        return 1
    except BrokenPipeError:
        # the reader of a pipe (`| head`) went away: not our error, and nothing more can be printed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
