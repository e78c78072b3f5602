"""A number that somebody gave: taken as it is, or refused by name.

Python raises a TypeError, an OverflowError or a ValueError for a text, a list or an integer of 400 digits,
each from deep inside and none with the name of the argument. What is wrong with an argument is said here.
"""

from __future__ import annotations

import math
from typing import Any

from .errors import RlscaleError

#: Letters of a value that an error shows.
_MOST = 60


def as_number(value: Any, name: str, error: type[RlscaleError]) -> float:
    """Return a value as a float; its range is for the caller to check.

    Parameters
    ----------
    value : object
        What was given. An integer too large for a float counts as infinite.
    name : str
        What it is, for the message.
    error : type
        Which exception to raise.

    Returns
    -------
    float
        May be NaN or infinite.

    Raises
    ------
    RlscaleError
        Of the given type, if the value is no number; a text is none, even one of digits.

    Examples
    --------
    >>> as_number(3, "budget", RlscaleError), as_number(10**400, "budget", RlscaleError)
    (3.0, inf)
    >>> as_number("3", "budget", RlscaleError)
    Traceback (most recent call last):
    rlscale.errors.RlscaleError: budget is '3'; give a number
    """
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        raise error(f"{name} is {show_value(value)}; give a number") from None


def as_whole(value: Any, name: str, error: type[RlscaleError], least: int = 0) -> int:
    """Return a value as a whole number of at least ``least``.

    Parameters
    ----------
    value, name, error
        As for :func:`as_number`.
    least : int
        The smallest number that has a meaning.

    Returns
    -------
    int

    Raises
    ------
    RlscaleError
        Of the given type, if it is anything else.

    Examples
    --------
    >>> as_whole(8.0, "replicates", RlscaleError, least=1)
    8
    >>> as_whole(1.5, "replicates", RlscaleError, least=1)
    Traceback (most recent call last):
    rlscale.errors.RlscaleError: replicates is 1.5; give a whole number of at least 1
    """
    number = as_number(value, name, error)
    if not math.isfinite(number) or number != math.floor(number) or number < least:
        raise error(f"{name} is {show_value(value)}; give a whole number of at least {least}")
    return int(value)


def show_value(value: Any) -> str:
    """Return a value as an error may show it: on one line and not long.

    Examples
    --------
    >>> len(show_value("x" * 1000))
    60
    """
    try:
        shown = repr(value)
    except ValueError:  # Python writes no integer of more than 4,300 digits
        shown = "an integer of thousands of digits"
    return shorten_text(" ".join(shown.split()), _MOST)


def shorten_text(text: str, most: int) -> str:
    """Return a text of at most so many letters: the middle is left out, since the end says what to do.

    Examples
    --------
    >>> shorten_text("a" * 50 + "b" * 50, 9)
    'aaaa…bbbb'
    """
    if len(text) <= most:
        return text
    left = (most - 1) // 2
    return text[:left] + "…" + text[len(text) - (most - 1 - left) :]
