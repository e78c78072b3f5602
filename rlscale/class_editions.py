"""One chapter for a class: the blank edition, without a trace of a solution, and the teacher's key."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import TYPE_CHECKING

from .errors import BookError
from .plain_markdown import Context, keep_metadata, to_plain

if TYPE_CHECKING:
    from nbformat import NotebookNode

_START = re.compile(r"^(?:`{3,}|:{3,})\{solution-start\}[ ]*(?P<label>\S*)", re.M)
_END = re.compile(r"^(?:`{3,}|:{3,})\{solution-end\}", re.M)
#: A directive that holds a solution in one piece; chapters use the gated form, in which the code runs.
_WHOLE = re.compile(r"^(?:`{3,}|:{3,})\{solution\}", re.M)
_EXERCISE = re.compile(r"^(?:`{3,}|:{3,})\{exercise-start\}", re.M)
_ANSWER = "# your answer\n"
#: What a chapter says of its exercises, and the blank edition does not keep.
_PROMISE = "Each has a solution that runs when the book is built."


def split_solutions(notebook: NotebookNode, name: str = "notebook") -> list[tuple[NotebookNode, str | None]]:
    """Return each cell with the label of the exercise whose solution it belongs to, or None.

    Parameters
    ----------
    notebook : NotebookNode
        A chapter.
    name : str
        Used in messages.

    Returns
    -------
    list of tuple of NotebookNode, str or None

    Raises
    ------
    BookError
        A solution is not closed, opened twice, or written in a form of which the edges are not known.
    """
    found: list[tuple[NotebookNode, str | None]] = []
    inside: str | None = None
    for number, cell in enumerate(notebook.cells, 1):
        source = cell.source if cell.cell_type == "markdown" else ""
        start, end = _START.search(source), _END.search(source)
        if _WHOLE.search(source) or (start and source[: start.start()].strip()):
            raise BookError(
                f"{name}, cell {number}: a solution must begin a cell of its own with {{solution-start}}, "
                "else a student's edition cannot tell it from the text around it"
            )
        if start and inside is not None:
            raise BookError(
                f"{name}, cell {number}: the solution of {inside!r} is not closed before this one"
            )
        if start:
            inside = start["label"]
        if end and inside is None:
            raise BookError(f"{name}, cell {number}: {{solution-end}} without a beginning")
        found.append((cell, inside))
        if end:
            after = source[end.end() :].splitlines()[1:]
            if any(line.strip() and not re.match(r"^(`{3,}|:{3,})$", line) for line in after):
                raise BookError(
                    f"{name}, cell {number}: text after {{solution-end}}; put it into the next cell"
                )
            inside = None
    if inside is not None:
        raise BookError(f"{name}: the solution of {inside!r} is not closed")
    return found


def make_student(notebook: NotebookNode, context: Context, name: str = "notebook") -> NotebookNode:
    """Return a chapter without solutions and without outputs: what a student fills in.

    Parameters
    ----------
    notebook : NotebookNode
        An executed chapter; it is left as it is.
    context : Context
        What its roles refer to.
    name : str
        Used in messages.

    Returns
    -------
    NotebookNode
        Plain Markdown, an empty cell after each exercise, no output, no attachment, no metadata but tags.

    Raises
    ------
    BookError
        See :func:`split_solutions`.
    """
    return _make(notebook, context, name, key=False)


def make_key(
    notebook: NotebookNode, context: Context, name: str = "notebook", lesson: str = ""
) -> NotebookNode:
    """Return a chapter for its teacher: solutions open, outputs kept, the lesson plan in front.

    Parameters
    ----------
    notebook, context, name
        As for :func:`make_student`.
    lesson : str
        The plan of the lesson in Markdown.

    Returns
    -------
    NotebookNode

    Raises
    ------
    BookError
        See :func:`split_solutions`.
    """
    return _make(notebook, context, name, key=True, lesson=lesson)


def _make(
    notebook: NotebookNode, context: Context, name: str, *, key: bool, lesson: str = ""
) -> NotebookNode:
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    cells = []
    for number, (cell, solution) in enumerate(split_solutions(notebook, name), 1):
        if solution is not None and not key:
            continue
        metadata = keep_metadata(cell)
        cell_id = f"cell-{number}"
        if cell.cell_type == "code":
            outputs = deepcopy(cell.outputs) if key and "jupyter" not in metadata else []
            new = new_code_cell(cell.source, metadata=metadata, outputs=outputs, id=cell_id)
            new.execution_count = cell.execution_count if key else None
            cells.append(new)
            continue
        text = to_plain(cell.source, context)
        if not key:
            text = text.replace(_PROMISE, "Write your answers into the cells below them.")
        if text:
            cells.append(new_markdown_cell(text, metadata=metadata, id=cell_id))
        if not key and _EXERCISE.search(cell.source):
            cells.append(new_code_cell(_ANSWER, id=f"answer-{number}"))
    if lesson:
        cells.insert(0, new_markdown_cell(lesson, id="lesson-plan"))
    return new_notebook(cells=cells, metadata=deepcopy(notebook.metadata))
