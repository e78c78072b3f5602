"""A Python dict as it is printed, ``{'reward': 0.5, 'loss': '1.2e-05', 'kl': nan}``; nothing is evaluated."""

from __future__ import annotations

import re

from ..columns import to_number

_PAIR = re.compile(
    r"""(?P<q>['"])(?P<key>(?:(?!(?P=q)).){1,300})(?P=q)\s*:\s*
    (?P<value>'[^']{0,80}'|"[^"]{0,80}"|(?:np\.|tensor)?[\w.]*\([^()]{0,80}\)|[-+\w.]{1,40})""",
    re.VERBOSE,
)
_LONGEST = 200_000


def parse_dict(text: str) -> dict[str, float]:
    """Return the numbers of a printed dict; what is no number is left out.

    Examples
    --------
    >>> parse_dict("{'reward': '0.125', 'loss': -1e-05, 'kl': nan, 'name': 'x'}")
    {'reward': 0.125, 'loss': -1e-05, 'kl': nan}
    """
    found: dict[str, float] = {}
    for match in _PAIR.finditer(text[:_LONGEST]):
        value = match.group("value")
        number = to_number(value[1:-1] if value[0] in "'\"" else value)
        if number is not None:
            found[match.group("key")] = number
    return found
