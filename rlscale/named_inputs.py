"""The names of inputs in an error: as Python has them, or as options of the command line.

A message marks an input with backquotes, as in ``"`mean_length` is missing"``. Printed, the marks are gone;
a command that offers the input as an option writes ``--mean-length`` in their place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from .errors import RlscaleError

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
    >>> str(error), error.with_options(["mean_length"])
    ('mean_length is missing', '--mean-length is missing')
    """

    def __init__(self, text: str) -> None:
        self.marked = text
        super().__init__(_MARKED.sub(r"\1", text))

    def with_options(self, names: Collection[str] | Mapping[str, str]) -> str:
        """Return the message with inputs written as options.

        Parameters
        ----------
        names : collection of str, or mapping of str to str
            Inputs that are options; a mapping gives those that are not called after their input.
        """

        def option(match: re.Match[str]) -> str:
            name = match.group(1)
            if name not in names:
                return name
            return names[name] if isinstance(names, Mapping) else name_option(name)

        return _MARKED.sub(option, self.marked)


def name_option(name: str) -> str:
    """Return the option of an input.

    Examples
    --------
    >>> name_option("mean_length")
    '--mean-length'
    """
    return f"--{name.replace('_', '-')}"


def list_names(names: Collection[str]) -> str:
    """Return marked names as a list in words.

    Examples
    --------
    >>> list_names(["steps", "prompts", "model"])
    '`steps`, `prompts` and `model`'
    """
    marked = [f"`{name}`" for name in names]
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} and {marked[-1]}"
