"""A log on disk before its format is known: its first bytes, its encoding, and its lines, streamed.

Nothing here trusts the file: bytes that are no text are replaced, NUL bytes and colour codes are dropped, and
only regular files are opened (no pipe, no device), so that no input can make a reader wait.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..errors import LogError
from ..given import shorten_text

#: How much of a file is looked at to find its format.
HEAD_BYTES = 1 << 18

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07")
_ODD = bytes(c for c in range(32) if c not in (9, 10, 12, 13, 27))
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_PICKLED = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")


def strip_ansi(text: str) -> str:
    r"""Return ``text`` without terminal colour codes.

    Examples
    --------
    >>> strip_ansi("\x1b[36m(pid=1)\x1b[0m step:3")
    '(pid=1) step:3'
    """
    return _ANSI.sub("", text) if "\x1b" in text else text


def without_surrogates(text: str) -> str:
    r"""Return a text without halves of surrogate pairs, which JSON can hold and no table can.

    Examples
    --------
    >>> without_surrogates("acc\ud800")
    'acc?'
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def is_directory(path: Path) -> bool:
    """Whether a path is a directory; False for a name that no file can have (too long, a NUL byte)."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


@dataclass(frozen=True)
class Source:
    """One regular file, with its beginning read.

    Attributes
    ----------
    path : Path
        The file.
    size : int
        Bytes in it.
    head : bytes
        Its first bytes, at most :data:`HEAD_BYTES`.
    """

    path: Path
    size: int
    head: bytes

    @classmethod
    def open(cls, path: Path) -> Source:
        """Read the beginning of ``path``.

        Raises
        ------
        LogError
            If there is no such regular file, it cannot be read, or it is empty.
        """
        try:
            if not path.exists():
                raise LogError(f"{path}: there is no such file; check the path")
            if not path.is_file():
                raise LogError(f"{path}: this is no regular file; give a log file or a directory of logs")
            size = path.stat().st_size
            with path.open("rb") as stream:
                head = stream.read(HEAD_BYTES)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            shown = shorten_text(str(path), 200)
            raise LogError(f"{shown}: cannot be opened ({why}); check the path and the permissions") from None
        if not head.strip(b"\0 \t\r\n\xef\xbb\xbf\xff\xfe"):
            raise LogError(f"{path}: the file is empty; give a log that holds at least two measurements")
        return cls(path, size, head)

    @cached_property
    def encoding(self) -> str:
        """Encoding by byte-order mark, or by the pattern of NUL bytes; UTF-8 otherwise."""
        head = self.head
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            return "utf-16"
        if head.startswith(b"\xef\xbb\xbf"):
            return "utf-8-sig"
        sample = head[:2048]
        if len(sample) >= 8 and sample[1::2].count(0) > 0.45 * len(sample) > 20 * max(
            1, sample[::2].count(0)
        ):
            return "utf-16-le"
        return "utf-8"

    @cached_property
    def text(self) -> str:
        r"""The beginning as text: no colour codes, no NUL, all line ends as ``\n``."""
        text = self.head.decode(self.encoding, errors="replace").replace("\0", "")
        return strip_ansi(text.replace("\r\n", "\n").replace("\r", "\n"))

    @cached_property
    def first_line(self) -> str:
        """First line that is not blank."""
        return next((line for line in self.text.split("\n") if line.strip()), "")

    @cached_property
    def first_object(self) -> dict[str, Any]:
        """The first line that is a JSON object by itself, among the first ones; empty when there is none."""
        for line in self.text.split("\n")[:50]:
            line = line.strip()
            if line.startswith("{") and line.endswith("}"):
                found = parse_json(line)
                if isinstance(found, dict) and found:
                    return found
        return {}

    @cached_property
    def has_nul_in_header(self) -> bool:
        """Whether the first line holds a NUL, which :attr:`text` leaves out."""
        return "\0" in self.head.decode(self.encoding, errors="replace").lstrip("\0\r\n").split("\n", 1)[0]

    @cached_property
    def is_binary(self) -> bool:
        """Whether the beginning is no text (a few NUL bytes in a text are forgiven)."""
        if self.encoding != "utf-8":
            return False
        odd = len(self.head) - len(self.head.translate(None, _ODD))
        return odd > max(8, 0.02 * len(self.head))

    def lines(self) -> Iterator[str]:
        """Yield the lines of the whole file without their ends; a carriage return ends a line too."""
        with self.path.open("r", encoding=self.encoding, errors="replace", newline=None) as stream:
            for line in stream:
                if "\0" in line:
                    line = line.replace("\0", "")
                yield line.rstrip("\n")

    def refuse_binary(self) -> None:
        """Raise a :class:`LogError` that says what kind of binary file this is."""
        for magic, name in _COMPRESSED.items():
            if self.head.startswith(magic):
                raise LogError(f"{self.path}: this is a {name} archive; unpack it first")
        if self.head.startswith(_PICKLED):
            raise LogError(
                f"{self.path}: this is a Python pickle, which can run code and is never loaded; export it "
                "as CSV"
            )
        if self.is_binary:
            raise LogError(
                f"{self.path}: this is a binary file of no format known here; "
                "give a text log, CSV, JSONL, TensorBoard, wandb, parquet or SQLite file"
            )


def parse_json(text: str) -> Any:
    """Parse JSON that may hold ``NaN`` and ``Infinity``; return None when it is no JSON.

    Examples
    --------
    >>> parse_json('{"a": NaN}')
    {'a': nan}
    >>> parse_json("{'a': 1}") is None
    True
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
