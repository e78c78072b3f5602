"""The claims ledger: what the starting page says, what the sources say, and the verdict.

A chapter cites a claim by its id and shows the verdict beside it::

    from rlscale.claims import claim, claims
    claim("C10")                # one line with its verdict
    claims("C10", "C10b")       # several

The whole ledger is the page "What the sources say" (``book/appendix-claims.md``).
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from .errors import TableError, suggest_names
from .schemas import VERDICTS
from .tables import load_table

#: The page of the book that holds the whole ledger.
LEDGER_PAGE = "appendix-claims.html"

#: How a verdict reads with how far it reaches.
_REACH = {
    "": "",
    "partly": "in part",
    "weakly": "on weak evidence",
    "other paper": "in another paper",
    "arithmetic": "as arithmetic",
}


@dataclass(frozen=True)
class Claim:
    """One claim of the starting page, in our words, with its verdict.

    Attributes
    ----------
    id : str
        C and a number.
    claim : str
        What the starting page says.
    value, value_hi : float
        The number it gives, or the ends of a range; NaN where there is none.
    unit : str
        What the number counts.
    verdict : str
        ``confirmed``, ``differs`` or ``unsourced``.
    reach : str
        How far the verdict reaches; empty: fully.
    source_says : str
        What the source says.
    source_value, source_value_hi : float
        The number of the source, or the ends of a range; NaN where there is none.
    chapter : str
        The chapter that deals with it.
    source, location, as_of, kind, bib_key, note : str
        Where the verdict comes from.

    Examples
    --------
    >>> print(claim("C45"))
    C45 differs: ScaleRL's runs go up to about 2,000 steps only. Sources: 7,400 and 7,100 steps, as the \
page's own table says. 2,000 is ProRL's number.
    """

    id: str
    claim: str
    value: float
    value_hi: float
    unit: str
    verdict: str
    reach: str
    source_says: str
    source_value: float
    source_value_hi: float
    chapter: str
    source: str
    location: str
    as_of: str
    kind: str
    bib_key: str
    note: str

    @property
    def verdict_text(self) -> str:
        """The verdict with how far it reaches, such as ``"confirmed in part"``."""
        return f"{self.verdict} {_REACH[self.reach]}".strip()

    @property
    def stated(self) -> str:
        """The number of the starting page with its unit, or an empty text."""
        if math.isnan(self.value):
            return ""
        if self.unit.startswith("year"):
            return f"{self.value:.0f}, {self.unit}"
        ends = [self.value] if math.isnan(self.value_hi) else [self.value, self.value_hi]
        return f"{' to '.join(format_number(end) for end in ends)} {self.unit}"

    def __str__(self) -> str:
        return f"{self.id} {self.verdict_text}: {self.claim}. Sources: {self.source_says}."

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        badge = (
            f'<a class="claim-badge claim-{self.verdict}" href="{LEDGER_PAGE}#{self.id}">'
            f"{self.id}: {html.escape(self.verdict_text)}</a>"
        )
        return (
            f'<div class="claim-note claim-{self.verdict}-note" id="claim-{self.id}">{badge} '
            f'<span class="claim-page">{_escape(self.claim)}.</span> '
            f'<span class="claim-source">{_escape(self.source_says)}. '
            f"<cite>{_escape(self.source)}, {_escape(self.location)}</cite></span></div>"
        )


class Claims(tuple[Claim, ...]):
    """Several claims, shown one below the other."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(str(item) for item in self)

    def _repr_html_(self) -> str:
        return "".join(item._repr_html_() for item in self)

    def count_verdicts(self) -> dict[str, int]:
        """Return how many of these claims have each verdict.

        Examples
        --------
        >>> claims("C01", "C45", "C19").count_verdicts()
        {'confirmed': 1, 'differs': 1, 'unsourced': 1}
        """
        return {verdict: sum(c.verdict == verdict for c in self) for verdict in VERDICTS}


def claim(claim_id: str) -> Claim:
    """Return one claim of the ledger.

    Parameters
    ----------
    claim_id : str
        Such as ``"C10"`` or ``"C10b"``.

    Returns
    -------
    Claim
        Shows itself with its verdict in a notebook.

    Raises
    ------
    TableError
        If the ledger has no such claim.

    Examples
    --------
    >>> claim("C10").verdict, claim("C10").source_value
    ('differs', 0.61)
    >>> claim("C99")
    Traceback (most recent call last):
    ...
    rlscale.errors.TableError: the ledger has no claim 'C99'; it goes from C01 to C56, with letters for \
further numbers of one claim, such as C10b
    """
    ledger = _read_ledger()
    if claim_id not in ledger:
        ids = list(ledger)
        if claim_id[:3] in ledger:
            advice = suggest_names(claim_id, ids)
        else:
            advice = f"it goes from {ids[0]} to {ids[-1]}, with letters for further numbers of one claim"
            advice += ", such as C10b"
        raise TableError(f"the ledger has no claim {claim_id!r}; {advice}")
    return ledger[claim_id]


def claims(*ids: str, chapter: str | None = None, verdict: str | None = None) -> Claims:
    """Return claims by id, or all of a chapter or of a verdict, in the order of the ledger.

    Parameters
    ----------
    *ids : str
        Which claims, in this order; none: all.
    chapter : str, optional
        Only those that this chapter deals with, such as ``"05-reference-runs"``.
    verdict : str, optional
        Only those with this verdict.

    Returns
    -------
    Claims
        A tuple that shows itself in a notebook.

    Raises
    ------
    TableError
        If the ledger has no such claim, or no claim of such a chapter or verdict.

    Examples
    --------
    >>> claims(chapter="06-pilot", verdict="differs")[0].id
    'C41'
    """
    chosen = [claim(i) for i in ids] if ids else list(_read_ledger().values())
    for name, wanted in (("chapter", chapter), ("verdict", verdict)):
        if wanted is None:
            continue
        known = {str(getattr(c, name)) for c in _read_ledger().values()}
        if wanted not in known:
            raise TableError(f"no claim has the {name} {wanted!r}; {suggest_names(wanted, sorted(known))}")
        chosen = [c for c in chosen if getattr(c, name) == wanted]
    return Claims(chosen)


@cache
def _read_ledger() -> Mapping[str, Claim]:
    table = load_table("claims").sort_values("id", key=lambda ids: ids.map(_order), kind="stable")
    return {row["id"]: Claim(**{str(k): v for k, v in row.items()}) for row in table.to_dict("records")}


def _order(claim_id: str) -> tuple[int, str]:
    match = re.fullmatch(r"C(\d+)([a-z]?)", claim_id)
    assert match is not None  # the schema says so
    return int(match[1]), match[2]


def _escape(text: str) -> str:
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))


def format_number(value: float) -> str:
    """Return a number as people write it: thousands apart, no needless digits.

    Examples
    --------
    >>> format_number(7400.0), format_number(0.166667), format_number(2.69), format_number(14.336)
    ('7,400', '1/6', '2.69', '14.3')
    """
    if abs(value - 1 / 6) < 1e-5:
        return "1/6"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:.3g}" if abs(value) >= 1 else f"{value:.2g}"
