"""Protocol-buffer wire format, read without a schema: field number, wire type and value."""

from __future__ import annotations

import struct
from collections.abc import Iterator

Field = tuple[int, int, int | bytes]
VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5


def iterate_fields(data: bytes) -> Iterator[Field]:
    """Yield the fields of one message.

    Raises
    ------
    ValueError
        If the bytes are no message.

    Examples
    --------
    >>> list(iterate_fields(bytes([8, 150, 1])))
    [(1, 0, 150)]
    """
    position, end = 0, len(data)
    while position < end:
        tag, position = _varint(data, position)
        number, wire = tag >> 3, tag & 7
        if number == 0:
            raise ValueError("field 0")
        if wire == VARINT:
            value, position = _varint(data, position)
            yield number, wire, value
            continue
        if wire == BYTES:
            length, position = _varint(data, position)
        elif wire in (EIGHT_BYTES, FOUR_BYTES):
            length = 8 if wire == EIGHT_BYTES else 4
        else:
            raise ValueError(f"wire type {wire}")
        if position + length > end:
            raise ValueError("cut off")
        yield number, wire, data[position : position + length]
        position += length


def _varint(data: bytes, position: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        if position >= len(data) or shift > 63:
            raise ValueError("bad varint")
        byte = data[position]
        position += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, position
        shift += 7


def to_double(value: bytes) -> float:
    """Return the double that eight bytes are."""
    return float(struct.unpack("<d", value)[0])
