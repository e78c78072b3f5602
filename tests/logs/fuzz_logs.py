"""Mutated logs: every file ends in a result or in one clear error.

    python tests/logs/fuzz_logs.py 100000 [--seed 0]

Logs of all formats are cut, flipped, doubled, dropped, filled with huge numbers, wrong encodings, marks of
byte order, carriage returns, NUL and colour codes. A reader may return runs or raise
:class:`rlscale.errors.RlscaleError`; anything else, more than 10 seconds for a file, or memory that grows, is
a failure. The test suite runs a seeded part of it.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from log_writers import WRITERS

from rlscale.errors import RlscaleError
from rlscale.logs import read_runs
from rlscale.logs.describe import describe_runs, format_runs

LONGEST = 10.0
Mutation = Callable[[bytes, random.Random], bytes]


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def cut_head(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randrange(len(data) + 1) :]


def flip_bytes(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 3, 30))):
        if out:
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def insert_bytes(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.randbytes(rng.choice((1, 8, 300))) + data[at:]


def _lines(data: bytes, rng: random.Random, change: Callable[[list[bytes]], None]) -> bytes:
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 1, 4))):
        if lines:
            change(lines)
    return b"\n".join(lines)


def double_line(data: bytes, rng: random.Random) -> bytes:
    return _lines(data, rng, lambda x: x.insert(rng.randrange(len(x) + 1), x[rng.randrange(len(x))]))


def drop_line(data: bytes, rng: random.Random) -> bytes:
    return _lines(data, rng, lambda x: x.pop(rng.randrange(len(x))))


def swap_lines(data: bytes, rng: random.Random) -> bytes:
    def swap(lines: list[bytes]) -> None:
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]

    return _lines(data, rng, swap)


def repeat_block(data: bytes, rng: random.Random) -> bytes:
    a, b = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    return data[:b] + data[a:b] * rng.choice((1, 2, 5)) + data[b:]


ODD = (
    b"1e308",
    b"-1e308",
    b"1e999",
    b"999999999999999999999999999999",
    b"-1",
    b"nan",
    b"NaN",
    b"inf",
    b"-Infinity",
    b"null",
    b"None",
    b'""',
    b"oops",
    b"0x10",
    b"1_000",
    b"1,5",
    b"",
    b"-0.0",
    b"1e-320",
    b"np.float64(0.5)",
    b"true",
    b"[1,2]",
    b"{}",
    b"9" * 5000,
    b"50%",
    "½".encode(),
)


def odd_number(data: bytes, rng: random.Random) -> bytes:
    places = list(re.finditer(rb"\d+(\.\d+)?", data[:200_000]))
    for _ in range(rng.choice((1, 1, 5))):
        if places:
            place = rng.choice(places)
            data = data[: place.start()] + rng.choice(ODD) + data[place.end() :]
            places = list(re.finditer(rb"\d+(\.\d+)?", data[:200_000]))
    return data


def encode(data: bytes, rng: random.Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(
        rng.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-8-sig", "cp1252")),
        "replace",
    )


def line_ends(data: bytes, rng: random.Random) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\r\r\n", b"\x0b", "\u2028".encode())))


def control_codes(data: bytes, rng: random.Random) -> bytes:
    mark = rng.choice(
        (b"\0", b"\x1b[31m", b"\x1b]0;title\x07", b"\r", b"\x08", b"\xff", b"\xef\xbb\xbf", b"\x1a")
    )
    for _ in range(rng.choice((1, 10))):
        at = rng.randrange(len(data) + 1)
        data = data[:at] + mark + data[at:]
    return data


def nest(data: bytes, rng: random.Random) -> bytes:
    depth = rng.choice((50, 5000, 100_000))
    at = rng.randrange(len(data) + 1)
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")")))
    return data[:at] + opening * depth + (closing * depth if rng.random() < 0.5 else b"") + data[at:]


MUTATIONS: tuple[Mutation, ...] = (
    cut,
    cut_head,
    flip_bytes,
    insert_bytes,
    double_line,
    drop_line,
    swap_lines,
    repeat_block,
    odd_number,
    odd_number,
    encode,
    line_ends,
    control_codes,
    nest,
)


class TooLongError(Exception):
    """A file took more than :data:`LONGEST` seconds of CPU."""


@contextmanager
def limited():
    def stop(signum, frame):
        raise TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def use_log(path: Path) -> str:
    """Do what the commands do with a log; return ``"curve"``, ``"refused"`` or ``"error"``."""
    with limited(), warnings.catch_warnings():
        # a fault of arithmetic that NumPy only mumbles about is a failure too
        warnings.simplefilter("error", RuntimeWarning)
        try:
            runs = read_runs(path)
        except RlscaleError as error:
            assert str(error).strip()
            return "error"
        if len(runs) == 1:
            format_runs(str(path), runs, every=True)
        json.dumps(describe_runs(runs), allow_nan=False)
        outcome = "refused"
        for run in runs.values():
            for y in [None, *[s.key for s in run.series[:2]]]:
                for x in [None, *[a.key for a in run.axes[1:2]]]:
                    try:
                        curve = run.curve(x=x, y=y)
                    except RlscaleError:
                        continue
                    assert len(curve) >= 2
                    outcome = "curve"
        return outcome


class Bases:
    """One log of each format, written once; a mutation is applied to one of its files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.logs: dict[str, tuple[Path, list[Path]]] = {}
        for name, write in WRITERS.items():
            place = folder / name
            place.mkdir()
            try:
                written = write(place)
            except ImportError:
                continue
            files = [p for p in place.rglob("*") if p.is_file()]
            self.logs[name] = (written.path, files)

    def mutate(self, seed: int) -> tuple[str, str, Path, Callable[[], None]]:
        """Mutate one file in place; return format, mutations, the log to read, and what undoes it."""
        rng = random.Random(seed)
        name = rng.choice(sorted(self.logs))
        log, files = self.logs[name]
        path = rng.choice(files)
        before = path.read_bytes()
        data, done = before, []
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            mutation = rng.choice(MUTATIONS)
            data = mutation(data, rng)[:2_000_000]
            done.append(mutation.__name__)
        path.write_bytes(data)
        return name, "+".join(done), log, lambda: path.write_bytes(before)


def run_fuzz(count: int, seed: int = 0, report: Callable[[str], None] = print) -> list[str]:
    """Read ``count`` mutated files; return what failed."""
    failures: list[str] = []
    outcomes: Counter[str] = Counter()
    slowest = (0.0, "")
    folder = Path(tempfile.mkdtemp(prefix="rlscale-fuzz-"))
    try:
        bases = Bases(folder)
        start = time.monotonic()
        memory = 0
        for number in range(count):
            name, done, log, undo = bases.mutate(seed + number)
            label = f"seed {seed + number}: {name}, {done}"
            began = time.process_time()
            try:
                outcomes[use_log(log)] += 1
            except Exception:
                failures.append(f"{label}\n{traceback.format_exc()}")
                report(f"FAILED {failures[-1]}")
                if len(failures) >= 50:
                    break
            finally:
                undo()
            took = time.process_time() - began
            if took > slowest[0]:
                slowest = (took, label)
            if number == min(2000, count // 2):
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            if number and number % 10_000 == 0:
                report(
                    f"{number} files, {time.monotonic() - start:.0f} s, {dict(outcomes)}, {len(failures)} "
                    "failures"
                )
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024
        report(
            f"{sum(outcomes.values())} files: {dict(outcomes)}; slowest {slowest[0]:.2f} s CPU ({slowest[1]})"
        )
        report(f"peak memory grew by {grown:.0f} MB after the first files; {len(failures)} failures")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return failures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Read mutated logs.")
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = run_fuzz(options.count, options.seed, lambda text: print(text, flush=True))
    sys.exit(bool(found))
