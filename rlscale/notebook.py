"""One notebook: from a py:percent source to an executed notebook, the same bytes each time.

``.py`` → jupytext → papermill → cleaned notebook. Cell ids come from the source; times, versions and run
metadata are taken out. The book and ``rlscale report`` both go through here.
"""

from __future__ import annotations

import ast
import hashlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import BookError, MissingExtraError, suggest_names
from .figure_files import startup_line

if TYPE_CHECKING:
    from nbformat import NotebookNode

#: Seconds that one cell may take.
CELL_TIMEOUT = 120

#: What is said of a kernel that died before the first cell.
_NEVER_STARTED = "Kernel died before replying"
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_LANGUAGE = {
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "pygments_lexer": "ipython3",
}


def read_source(path: Path) -> NotebookNode:
    """Read a py:percent source as a notebook without outputs.

    Parameters
    ----------
    path : Path
        ``notebooks/NN-name.py``.

    Returns
    -------
    NotebookNode
        Cells with ids that depend on their source alone, and fixed notebook metadata.

    Raises
    ------
    BookError
        The file is absent, or its header does not name the kernel ``python3``.
    MissingExtraError
        jupytext is not installed.
    """
    try:
        import jupytext
    except ImportError as error:
        raise MissingExtraError("jupytext is not installed: pip install 'rlscale[report]'") from error
    if not path.is_file():
        others = [p.stem for p in path.parent.glob("*.py")]
        raise BookError(f"{path}: there is no such chapter; {suggest_names(path.stem, others)}")
    notebook = jupytext.read(path, fmt="py:percent")
    kernel = notebook.metadata.get("kernelspec", {}).get("name")
    if kernel != "python3":
        raise BookError(
            f"{path}: the header names the kernel {kernel!r}, expected 'python3'; "
            "copy the header of another chapter"
        )
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        text = f"{cell.cell_type}\n{cell.source}"
        seen[text] = seen.get(text, 0) + 1
        cell["id"] = hashlib.sha256(f"{text}\n{seen[text]}".encode()).hexdigest()[:12]
    notebook.metadata = type(notebook.metadata)(kernelspec=dict(_KERNEL), language_info=dict(_LANGUAGE))
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def read_parameters(notebook: NotebookNode, name: str = "notebook") -> dict[str, Any]:
    """Return the parameters that a notebook declares, with their defaults.

    Parameters
    ----------
    notebook : NotebookNode
        From :func:`read_source`.
    name : str
        Used in messages.

    Returns
    -------
    dict
        Name and default of each, in order.

    Raises
    ------
    BookError
        Not exactly one cell is tagged ``parameters``, it is not the first code cell, or it holds anything but
        annotated literals. (Papermill replaces a parameter *after* this cell, so a value derived in it would
        keep the old parameter.)

    Examples
    --------
    >>> from nbformat.v4 import new_notebook, new_code_cell
    >>> cell = new_code_cell("share: float = 0.25", metadata={"tags": ["parameters"]})
    >>> read_parameters(new_notebook(cells=[cell]))
    {'share': 0.25}
    """
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    tagged = [i for i, cell in enumerate(code) if "parameters" in cell.metadata.get("tags", [])]
    if tagged != [0]:
        raise BookError(
            f"{name}: the first code cell, and no other, must be tagged 'parameters' "
            f'(found the tag on code cells {[i + 1 for i in tagged]}); write # %% tags=["parameters"]'
        )
    declared: dict[str, Any] = {}
    for statement in ast.parse(code[0].source).body:
        text = ast.unparse(statement)
        if not (isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)):
            raise BookError(
                f"{name}: {text!r} in the parameters cell is not of the form 'name: type = literal'"
            )
        try:
            declared[statement.target.id] = ast.literal_eval(statement.value) if statement.value else None
        except ValueError as error:
            raise BookError(
                f"{name}: {text!r} in the parameters cell is not a literal; derive it below"
            ) from error
    return declared


def execute_notebook(
    notebook: NotebookNode,
    parameters: Mapping[str, Any] | None = None,
    *,
    name: str = "notebook",
    timeout: int = CELL_TIMEOUT,
    quiet: bool = False,
    figures: Path | None = None,
) -> NotebookNode:
    """Execute a notebook in a fresh kernel and an empty folder, and take out what differs from time to time.

    Parameters
    ----------
    notebook : NotebookNode
        From :func:`read_source`; it is left as it is.
    parameters : mapping, optional
        Values for declared parameters.
    name : str
        Used in messages.
    timeout : int
        Seconds a cell may take.
    quiet : bool
        Drop what cells write to standard error. Without it such text is an error, since a page is not a place
        for a stray warning or a progress bar.
    figures : Path, optional
        Empty folder in which the data of each picture are recorded (:mod:`rlscale.figure_files`).

    Returns
    -------
    NotebookNode
        With outputs.

    Raises
    ------
    BookError
        A parameter is not declared, a cell fails or takes too long, or one writes to standard error.
    MissingExtraError
        papermill is not installed.
    """
    try:
        import nbformat
        import papermill
        from papermill.exceptions import PapermillExecutionError
    except ImportError as error:
        raise MissingExtraError("papermill is not installed: pip install 'rlscale[report]'") from error
    declared = read_parameters(notebook, name)
    for given in parameters or {}:
        if given not in declared:
            raise BookError(f"{name} has no parameter {given!r}; {suggest_names(given, declared)}")
    with tempfile.TemporaryDirectory(prefix="rlscale-") as folder:
        source, target = Path(folder, "source.ipynb"), Path(folder, "executed.ipynb")
        nbformat.write(notebook, source)
        work = Path(folder, "work")
        work.mkdir()

        def execute() -> None:
            papermill.execute_notebook(
                str(source),
                str(target),
                parameters=dict(parameters or {}),
                kernel_name="python3",
                progress_bar=False,
                execution_timeout=timeout,
                cwd=str(work),
                # else each kernel warns on the screen that its loopback sockets are not encrypted
                extra_arguments=["--log-level=ERROR", *([startup_line(figures)] if figures else [])],
            )

        try:
            try:
                execute()
            except RuntimeError as error:
                # two kernels that start at once may pick the same port; no cell has run then
                if _NEVER_STARTED not in str(error):
                    raise
                execute()
        except PapermillExecutionError as error:
            first = next((line for line in error.source.splitlines() if line.strip()), "")
            raise BookError(
                f"{name}: code cell {error.exec_count} failed: {error.ename}: {error.evalue} "
                f"(the cell begins {first!r})"
            ) from error
        except (TimeoutError, RuntimeError) as error:
            raise BookError(f"{name}: {' '.join(str(error).split())[:300]}") from error
        executed = nbformat.read(target, as_version=4)
    return _clean(executed, notebook, name, quiet)


def _clean(executed: NotebookNode, source: NotebookNode, name: str, quiet: bool) -> NotebookNode:
    """Take run metadata out of an executed notebook and put the fixed metadata of its source in."""
    executed.metadata = source.metadata
    executed.nbformat, executed.nbformat_minor = source.nbformat, source.nbformat_minor
    for cell in executed.cells:
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        if not cell.metadata.get("tags", True):
            del cell.metadata["tags"]  # papermill adds an empty list to each cell
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell["id"] = "injected-parameters"  # papermill gives it a random one
        if cell.cell_type != "code":
            continue
        kept: list[NotebookNode] = []
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stderr":
                if not quiet:
                    raise BookError(
                        f"{name}: code cell {cell.execution_count} writes to standard error: "
                        f"{output.text.strip()[-300:]!r}; mend the cause, a page must not show it"
                    )
                continue
            if output.output_type == "stream" and kept and kept[-1].get("name") == output.name:
                kept[-1].text += output.text  # where a stream is cut depends on how busy the machine is
                continue
            kept.append(output)
        cell.outputs = kept
    return executed
