"""The names of inputs in an error: as Python has them, or as options of the command line.

A message marks an input with backquotes, as in ``"`mean_length` is missing"``. Printed, the marks are gone;
a command that offers the input as an option writes ``--mean-length`` in their place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .errors import CostError, RlscaleError

_MARKED = re.compile(r"`([A-Za-z]\w*)`")


class InputError(RlscaleError):
    """An error that names inputs.

    Parameters
    ----------
    text : str
        The message; names of inputs stand in backquotes.

    Examples
    --------
    >>> error = InputError("`mean_length` is missing")
    >>> str(error), error.with_options({"mean_length": "--mean-length"})
    ('mean_length is missing', '--mean-length is missing')
    """

    def __init__(self, text: str) -> None:
        self.marked = text
        super().__init__(_MARKED.sub(r"\1", text))

    def with_options(self, options: Mapping[str, str]) -> str:
        """Return the message with inputs written as options.

        Parameters
        ----------
        options : mapping of str to str
            The option of each input that has one.
        """
        return _MARKED.sub(lambda match: options.get(match[1], match[1]), self.marked)


class CostInputError(InputError, CostError):
    """An input of a cost scenario is missing, wrong, or contradicts another."""


def name_option(name: str) -> str:
    """Return the option of an input.

    Examples
    --------
    >>> name_option("mean_length")
    '--mean-length'
    """
    return f"--{name.replace('_', '-')}"


def list_names(names: Sequence[str]) -> str:
    """Return marked names as a list in words.

    Examples
    --------
    >>> list_names(["steps", "prompts", "model"])
    '`steps`, `prompts` and `model`'
    """
    *first, last = (f"`{name}`" for name in names)
    return f"{', '.join(first)} and {last}" if first else last
