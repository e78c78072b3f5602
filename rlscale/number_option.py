"""Numbers as people type them behind an option: what was found, and what to type instead."""

from __future__ import annotations

import argparse
import math
import re

#: A number as Python and every spreadsheet read it.
_PLAIN = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"


def read_number(text: str) -> float:
    """Return the number that was typed behind an option.

    Parameters
    ----------
    text : str
        What was typed. ``inf`` and ``nan`` are left to the command, which knows the limits.

    Returns
    -------
    float

    Raises
    ------
    argparse.ArgumentTypeError
        If it is no number; the message says what to type. A percent sign, a currency or a comma is not
        dropped silently: 93% of what, and is 1,5 one and a half?

    Examples
    --------
    >>> read_number("1e3")
    1000.0
    >>> read_number("93%")
    Traceback (most recent call last):
    ...
    argparse.ArgumentTypeError: '93%' is not a number: give a share, 0.93
    """
    try:
        return float(text.replace("_", "x"))  # Python reads 1_000, people do not
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not a number: {_advise(text.strip())}") from None


def read_whole(text: str) -> int:
    """Return the whole number that was typed behind an option.

    Raises
    ------
    argparse.ArgumentTypeError
        If it is none.

    Examples
    --------
    >>> read_whole("2000"), read_whole("1e3")
    (2000, 1000)
    """
    value = read_number(text)
    if not math.isfinite(value) or value != int(value):
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not a whole number: give one such as 2000")
    return int(value)


def _advise(text: str) -> str:
    """Say what to type instead."""
    if match := re.fullmatch(rf"({_PLAIN})\s*%", text):
        return f"give a share, {float(match[1]) / 100:.6g}"
    if match := re.fullmatch(rf"(?:[$€£]|USD)\s*({_PLAIN})|({_PLAIN})\s*(?:[$€£]|USD)", text):
        return f"leave the currency out, {match[1] or match[2]} (prices are in USD)"
    if re.fullmatch(r"[+-]?\d{1,3}(?:[,' ]\d{3})+(?:\.\d*)?", text):
        return f"leave out what parts the thousands, {re.sub(chr(39) + '|[, ]', '', text)}"
    if re.fullmatch(r"[+-]?\d+,\d+", text):
        return f"write a decimal point, {text.replace(',', '.')}"
    if match := re.fullmatch(rf"({_PLAIN})\s*([kKMGBT])", text):
        power = {"K": 3, "M": 6, "G": 9, "B": 9, "T": 12}[match[2].upper()]
        return f"write it out, {float(match[1]):g}e{power}"
    if match := re.fullmatch(rf"({_PLAIN})\s*[A-Za-z_ /-]+", text):
        return f"leave the unit out, {match[1]}"
    return "write digits, such as 400, 0.5 or 1e6"
