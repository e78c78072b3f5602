"""Pieces of a page: HTML for a browser and the same as plain text, with everything escaped.

What comes from a log, such as the name of a run, is shown as it was written and can do nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Piece:
    """One piece of the report.

    Attributes
    ----------
    html : str
        For a page; whatever came from outside is escaped.
    text : str
        The same in plain words.
    """

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def say_sentence(text: str) -> Piece:
    """Return one paragraph.

    Examples
    --------
    >>> say_sentence("a < b").html
    '<p>a &lt; b</p>'
    """
    return Piece(f"<p>{escape(text)}</p>", text)


def say_list(items: Iterable[str], *, command: str = "", code: str = "") -> Piece:
    """Return a list, its last item a command to paste when one is given.

    Parameters
    ----------
    items : iterable of str
        Sentences.
    command, code : str
        What the command does, and the command.

    Returns
    -------
    Piece
    """
    lines = list(items)
    html = "".join(f"<li>{escape(line)}</li>" for line in lines)
    if code:
        html += f"<li>{escape(command)}: <code>{escape(code)}</code></li>"
        lines.append(f"{command}: {code}")
    return Piece(f"<ul>{html}</ul>", "\n".join(f"- {line}" for line in lines))


def say_table(header: Sequence[str] | None, rows: Iterable[Sequence[str]], *, after: str = "") -> Piece:
    """Return a table whose first column names the rows.

    Parameters
    ----------
    header : sequence of str or None
        Names of the columns.
    rows : iterable of sequence of str
        Cells.
    after : str
        A sentence below the table.

    Returns
    -------
    Piece
    """
    lines = [tuple(row) for row in rows]
    head = ""
    if header is not None:
        head = "<thead><tr>" + "".join(f"<th scope='col'>{escape(h)}</th>" for h in header) + "</tr></thead>"
    body = "".join(
        f"<tr><th scope='row'>{escape(first)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in lines
    )
    note = f"<p>{escape(after)}</p>" if after else ""
    text = ["  ".join(row) for row in ([tuple(header)] if header else []) + lines] + (
        [after] if after else []
    )
    return Piece(f"<table class='dataframe'>{head}<tbody>{body}</tbody></table>{note}", "\n".join(text))
