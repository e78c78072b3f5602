"""What can go wrong with an input: one exception a kind, each with a message that says what to do.

A message names the file, the place in it, what was found, what was expected, and the next step.
The commands print it as one line ``error: …`` and exit with status 1.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class RlscaleError(Exception):
    """Base of all errors that an input, and not a fault of this package, can raise."""


class LogError(RlscaleError):
    """A log file cannot be read, or holds no curve that may be fitted."""


class CurveError(RlscaleError):
    """The numbers of a curve cannot be a pass rate against compute."""


class FitError(RlscaleError):
    """A law cannot be fitted to these points."""


class ForecastError(RlscaleError):
    """A forecast was asked for that has no meaning, such as a budget that is already spent."""


class BacktestError(RlscaleError):
    """Finished runs cannot be replayed, or a replay was asked for that has no meaning."""


class TableError(RlscaleError):
    """A table of data does not have the promised columns, units or values."""


class CostError(RlscaleError):
    """A cost scenario is incomplete or contradicts itself."""


class BookError(RlscaleError):
    """A chapter of the book, or the site built from it, is not as it must be."""


class ReportError(RlscaleError):
    """A report cannot be made or written, though its log may be well."""


class MissingExtraError(RlscaleError):
    """A library that only an optional extra installs is needed."""


#: Names near to one that are shown.
_MOST_NEAR = 5


def suggest_names(name: str, known: Iterable[str], limit: int = 5) -> str:
    """Return the known names nearest to ``name`` as text for an error message.

    Parameters
    ----------
    name : str
        What was asked for.
    known : iterable of str
        What there is.
    limit : int
        How many names to show at most.

    Returns
    -------
    str
        ``"did you mean 'a' or 'b'?"`` when something is near, else ``"there are: …"``.

    Examples
    --------
    >>> suggest_names("acuracy", ["accuracy", "loss"])
    "did you mean 'accuracy'?"
    >>> suggest_names("zzz", ["accuracy", "loss"])
    "there are: 'accuracy', 'loss'"
    """
    name, names = str(name), [str(k) for k in known]
    if not names:
        return "there are none"
    lowered = {k.lower(): k for k in names}
    near = [lowered[m] for m in difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.6)]
    inside = [k for k in names if name and name.lower() in k.lower() and k not in near]
    near += inside[: max(0, min(limit, _MOST_NEAR) - len(near))]
    if near:
        return "did you mean " + " or ".join(repr(k) for k in near) + "?"
    if len(names) <= limit + 2:  # "and 1 more" takes as much room as the name
        limit = len(names)
    shown = ", ".join(repr(k) for k in names[:limit])
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return f"there are: {shown}{more}"


def suggest_sentence(name: str, known: Iterable[str], limit: int = 5) -> str:
    """Return :func:`suggest_names` as a sentence that another may follow.

    Examples
    --------
    >>> suggest_sentence("zzz", ["accuracy", "loss"])
    "There are: 'accuracy', 'loss'."
    """
    said = suggest_names(name, known, limit)
    return f"{said[0].upper()}{said[1:]}{'' if said.endswith('?') else '.'}"
