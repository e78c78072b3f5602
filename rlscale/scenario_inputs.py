"""One input of a cost scenario: how it is declared, and what it may be."""

from __future__ import annotations

from dataclasses import Field, field
from datetime import date
from typing import Any

from .errors import CostError, suggest_names
from .named_inputs import CostInputError
from .price_list import check_day, check_token_price
from .spread import Spread


def declare_input(kind: str, default: Any, help: str, unit: str = "", choices: tuple[str, ...] = ()) -> Any:
    """Return a field of a scenario.

    Parameters
    ----------
    kind : str
        ``"spread"`` (a number or a 90 % interval), ``"share"`` (one in [0, 1]), ``"number"``,
        ``"token price"``, ``"choice"``, ``"flag"`` or ``"text"``.
    default : object
        Taken when the input is not given.
    help, unit : str
        For the help of the command, and for pages.
    choices : tuple of str
        Of a choice.
    """
    if kind in ("spread", "share") and default is not None:
        default = Spread.parse(default)
    return field(default=default, metadata={"kind": kind, "help": help, "unit": unit, "choices": choices})


def check_input(f: Field[Any], value: Any) -> Any:
    """Return the value of an input in its own type, or refuse it.

    Parameters
    ----------
    f : Field
        Of a scenario, made by :func:`declare_input`.
    value : object
        What was given: a number or a text of one, ``low:central:high``, a word; ``"none"`` empties it.

    Raises
    ------
    CostInputError
        If it is of another type, or outside the limits of its kind.
    """
    name = f"`{f.name}`"
    kind = f.metadata["kind"]
    if isinstance(value, str) and value.strip().lower() == "none":
        # TOML has no word for an empty input, nor has a command line
        value = "" if kind == "text" else f.default
        if value is not None and kind not in ("text", "choice"):
            raise CostInputError(f"{name} cannot be empty; leave it out for {f.default}, or give a value")
    if value is None:
        return None
    if f.name == "date" and type(value) is date:  # TOML has dates of its own
        value = value.isoformat()
    if kind in ("spread", "share"):
        try:
            spread = Spread.parse(value, f.name)
        except CostError as error:
            raise CostInputError(name + str(error).removeprefix(f.name)) from None
        if kind == "share" and spread.hi > 1:
            raise CostInputError(
                f"{name} is {spread.hi:g}; it is a share from 0 to 1 (divide percent by 100)"
            )
        if f.name in ("mfu", "decode_efficiency", "throughput") and spread.lo <= 0:
            raise CostInputError(f"{name} is {spread.lo:g}; it must be above 0")
        return spread
    if kind in ("number", "token price"):
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise CostInputError(f"{name} is {value!r}; give a number") from None
        if kind == "token price":
            return check_token_price(number, f.name)
        if not 0 <= number < float("inf"):
            raise CostInputError(f"{name} is {number:g}; give a finite number of 0 or more")
        if f.name in ("cached_share", "trainer_share") and number > 1:
            raise CostInputError(f"{name} is {number:g}; it is a share from 0 to 1")
        if f.name in ("gpus", "gpus_per_replica", "max_length") and number < 1:
            raise CostInputError(f"{name} is {number:g}; it is 1 or more")
        return number
    if kind == "flag":
        if not isinstance(value, bool):
            raise CostInputError(f"{name} is {value!r}; give true or false")
        return value
    if not isinstance(value, str):
        raise CostInputError(f"{name} is {value!r}; give text")
    if kind == "choice" and value not in f.metadata["choices"]:
        raise CostInputError(f"{name} is {value!r}; {suggest_names(value, f.metadata['choices'], limit=12)}")
    return check_day(value) if f.name == "date" and value else value
