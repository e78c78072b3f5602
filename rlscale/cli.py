"""The command ``rlscale``: thin; each command is a module of :mod:`rlscale.commands`.

Exit status 0: done (a refusal to forecast is an answer). 1: the input cannot be used, one line ``error: …``
on standard error says why and what to do. 2: wrong usage.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import pkgutil
import sys
from collections.abc import Sequence
from importlib import import_module

from . import commands
from .errors import RlscaleError
from .given import shorten_text

#: Letters of one error: a file may have a column whose name is a megabyte.
_MOST_LETTERS = 2000


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
    _allow_every_letter()
    try:
        args = build_parser().parse_args(argv)
        _refuse_empty_paths(args)
        status = int(args.handler(args))
        if sys.stdout is not None:
            sys.stdout.flush()  # what cannot be written is known here, and not after the last line of Python
        return status
    except RlscaleError as error:
        return _complain(str(error))
    except BrokenPipeError:
        # the reader of a pipe (`| head`) went away: not our error, and nothing more can be printed
        _write_nowhere()
        return 0
    except OSError as error:
        # a full disk behind standard output, or a file that no reader of a log has an own word for
        where = shorten_text(str(error.filename), 200) if error.filename else "standard output"
        _write_nowhere()
        return _complain(f"{where}: {error.strerror or error}; check the path, the permissions and the disk")
    except MemoryError:
        return _complain("there is not enough memory for this input; give a smaller one")
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 130


def _refuse_empty_paths(args: argparse.Namespace) -> None:
    """Refuse an empty path, which an unset variable leaves: it would mean the folder we are in."""
    for name, given in vars(args).items():
        if given == [] or (isinstance(given, list) and [] in given):  # what argparse makes of `--option=--`
            raise RlscaleError(f"{name.removeprefix('in_')} has no value; give one")
    for name in ("log", "logs", "output", "library", "root", "manifest"):
        given = getattr(args, name, None)
        if given == "" or (isinstance(given, list) and "" in given):
            raise RlscaleError(
                f"{name} is empty; give a path, '.' for the folder you are in (an unset variable?)"
            )


def _allow_every_letter() -> None:
    """Let a terminal of another encoding show an escape where it has no such letter, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _complain(message: str) -> int:
    line = " ".join(message.split())
    shown = "".join(c if c.isprintable() else "�" for c in shorten_text(line, _MOST_LETTERS))
    print(f"error: {shown}", file=sys.stderr)
    return 1


def _write_nowhere() -> None:
    """Send the rest of standard output nowhere: Python flushes it once more when it ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # where it is no file at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
