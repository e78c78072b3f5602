"""The chapters as notebooks for Colab, Binder and Jupyter: plain Markdown, no outputs.

The notebooks in ``book/`` are written for Sphinx: opened elsewhere, their text shows ``{glue:text}`` in place
of numbers, and fences in place of exercises. The launch buttons and the download of a page give those of
``launch/`` instead. They are made from the executed notebooks and committed beside them.
"""

from __future__ import annotations

import os
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

from .editions import make_contexts
from .errors import BookError
from .plain_markdown import Context, keep_metadata, to_plain

if TYPE_CHECKING:
    from nbformat import NotebookNode

FOLDER = Path("launch")
#: What a reader elsewhere must know before the first cell.
_NOTE = (
    "*A chapter of [the book rlscale]({address}), to be run. Numbers in the text are those of the run that "
    "the book was made from. The starting page is a text whose claims the book checks one by one. Each "
    "exercise is followed by its solution.*"
)


def make_launch(notebook: NotebookNode, context: Context, address: str) -> NotebookNode:
    """Return a chapter that any notebook program shows.

    Parameters
    ----------
    notebook : NotebookNode
        An executed chapter; it is left as it is.
    context : Context
        What its roles refer to.
    address : str
        Of the repository.

    Returns
    -------
    NotebookNode
        Plain Markdown with the numbers in it, code without outputs, ids kept.

    Raises
    ------
    BookError
        See :func:`rlscale.plain_markdown.to_plain`.
    """
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    cells = []
    for cell in notebook.cells:
        metadata = keep_metadata(cell)
        if cell.cell_type == "code":
            cells.append(new_code_cell(cell.source, metadata=metadata, id=cell.id))
        elif text := to_plain(cell.source, context):
            cells.append(new_markdown_cell(text, metadata=metadata, id=cell.id))
    cells.insert(1, new_markdown_cell(_NOTE.format(address=address), id="where-from"))
    return new_notebook(cells=cells, metadata=deepcopy(notebook.metadata))


def render_launch(root: Path) -> dict[str, str]:
    """Return the text of each launch notebook, by the name of its page.

    Parameters
    ----------
    root : Path
        The checkout, its chapters executed.

    Returns
    -------
    dict of str to str

    Raises
    ------
    BookError
        There is no chapter, or one has a role or directive without a plain form.
    """
    import nbformat
    import yaml

    paths = sorted((root / "book").glob("*.ipynb"))
    if not paths:
        raise BookError(f"{root / 'book'}: there is no chapter; run make book")
    notebooks = {path.stem: nbformat.read(path, as_version=4) for path in paths}
    address = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))["repository"]["url"]
    contexts = make_contexts(root, notebooks, None)
    texts = {}
    for name, notebook in notebooks.items():
        text = nbformat.writes(make_launch(notebook, contexts[name], address))
        texts[name] = text if text.endswith("\n") else text + "\n"
    return texts


def write_launch(root: Path) -> list[Path]:
    """Write the launch notebooks where they changed, and remove those of chapters that are gone.

    Parameters
    ----------
    root : Path
        The checkout.

    Returns
    -------
    list of Path
        The files that were written.
    """
    texts = render_launch(root)
    folder = root / FOLDER
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.ipynb"):
        if old.stem not in texts:
            old.unlink()
    written = []
    for name, text in texts.items():
        path = folder / f"{name}.ipynb"
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        part = path.with_name(f".{path.name}.part")
        part.write_text(text, encoding="utf-8", newline="\n")
        os.replace(part, path)
        written.append(path)
    return written
