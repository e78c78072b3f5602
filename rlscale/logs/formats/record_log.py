"""The record framing of LevelDB logs, which wandb and SwanLab use for their local run files.

Blocks of 32,768 bytes hold records of a 7-byte header (checksum, length, type) and data; a long record is cut
into a first, middle and last piece. A damaged record is skipped and counted, as is a torn end.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

_BLOCK = 32_768
_HEADER = struct.Struct("<IHB")
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4


class RecordLog:
    """The records of one file.

    Attributes
    ----------
    damaged : int
        How many records were skipped so far.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0

    def __iter__(self) -> Iterator[bytes]:
        pending: list[bytes] | None = None
        with self.path.open("rb") as stream:
            block = stream.read(_BLOCK)
            position = 7  # the header of the file
            while block:
                if len(block) - position < 7:
                    block, position = stream.read(_BLOCK), 0
                    continue
                checksum, length, kind = _HEADER.unpack_from(block, position)
                data = block[position + 7 : position + 7 + length]
                whole = len(data) == length and _FULL <= kind <= _LAST
                if not whole or zlib.crc32(data, zlib.crc32(bytes([kind]))) != checksum:
                    if any(block[position:]):  # zeros fill the end of a block
                        self.damaged += 1
                    pending = None
                    block, position = stream.read(_BLOCK), 0
                    continue
                position += 7 + length
                if kind == _FULL:
                    yield data
                elif kind == _FIRST:
                    pending = [data]
                elif pending is not None:
                    pending.append(data)
                    if kind == _LAST:
                        yield b"".join(pending)
                        pending = None
