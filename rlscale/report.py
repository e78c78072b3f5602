"""One log in, one HTML page out: the "your run" notebook, executed on a log and made into a page to send.

The page is a single file. It holds its pictures, asks the network for nothing and runs no script (a content
security policy in the page says so to the browser), so that nothing a log contains can do anything in it.
Code is folded away at the end, and can be read there.
"""

from __future__ import annotations

import datetime
import importlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import __version__, errors
from .errors import BookError, MissingExtraError, ReportError, RlscaleError

if TYPE_CHECKING:
    from nbformat import NotebookNode

#: The notebook behind every report, and the name of the page.
NOTEBOOK = "11-your-run.py"
PAGE = "report.html"

#: Bytes up to which a log is read before a kernel is started, so that a wrong name is told at once.
SMALL_LOG = 20_000_000

#: Cells with this tag are for the book alone: introduction, exercises, references.
BOOK_ONLY = "book"


@dataclass(frozen=True)
class Block:
    """One thing on the page, in order.

    Attributes
    ----------
    kind : str
        ``"prose"`` or ``"html"`` (made by this package), ``"text"`` (to be escaped) or ``"image"`` (PNG in
        base64).
    content : str
        The thing itself.
    alt, caption : str
        Of an image.
    """

    kind: str
    content: str
    alt: str = ""
    caption: str = ""


def find_notebook() -> Path:
    """Return the path of the notebook behind the report, in a checkout or in an installed package.

    Returns
    -------
    Path

    Raises
    ------
    ReportError
        If this installation does not have it.

    Examples
    --------
    >>> find_notebook().name
    '11-your-run.py'
    """
    package = Path(__file__).resolve().parent
    for folder in (package.parent / "notebooks", package / "_data" / "notebooks"):
        if (folder / NOTEBOOK).is_file():
            return folder / NOTEBOOK
    raise ReportError(
        f"this installation has no {NOTEBOOK}; install rlscale again: pip install --force-reinstall rlscale"
    )


def write_report(log: str | Path, folder: str | Path, **options: Any) -> Path:
    """Run the "your run" notebook on a log and write the page.

    Parameters
    ----------
    log : str or Path
        A training log.
    folder : str or Path
        Where to put ``report.html``; made if need be, and only once the page is complete.
    **options
        Parameters of the notebook: ``run``, ``x``, ``y``, ``budget``, ``target``, ``price``, ``value`` and
        ``level``, as for :func:`rlscale.forecast_run`. None means the default.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    RlscaleError
        What reading the log or forecasting raised, as it would be without a notebook between.
    ReportError
        The folder cannot be written to, or the notebook itself failed.
    MissingExtraError
        The libraries of the extra ``report`` are not installed.
    """
    log, folder = Path(log), Path(folder)
    for place in (folder, *folder.parents):
        if place.exists():
            if not place.is_dir():
                raise ReportError(f"{place} is a file; give a folder for the report with -o")
            if not os.access(place, os.W_OK | os.X_OK):
                raise ReportError(f"{place} cannot be written to; give another folder for the report with -o")
            break
    given = {name: value for name, value in options.items() if value is not None}
    if not log.is_file() or log.stat().st_size <= SMALL_LOG:
        _try_log(log, given)
    executed = run_notebook(log, given)
    page = render_page(executed, log=log, options=given)
    return _write_whole(page, folder)


def _try_log(log: Path, options: Mapping[str, Any]) -> None:
    """Read and forecast without a notebook, for the errors alone: they come in a second instead of ten."""
    from .forecast import forecast_run
    from .logs import read_run

    named = {name: value for name, value in options.items() if name not in ("run", "x", "y")}
    x = options.get("x")
    forecast_run(read_run(log, options.get("run"), x).curve(x, options.get("y")), **named)


def run_notebook(log: Path, options: Mapping[str, Any]) -> NotebookNode:
    """Execute the "your run" notebook on a log.

    Parameters
    ----------
    log : Path
        A training log.
    options : mapping
        Parameters of the notebook.

    Returns
    -------
    NotebookNode
        With outputs.

    Raises
    ------
    RlscaleError
        The error that a cell raised, when it is one of this package; else :class:`ReportError`.
    """
    notebook_module = importlib.import_module(".notebook", __package__)
    source = notebook_module.read_source(find_notebook())
    source.cells = [cell for cell in source.cells if BOOK_ONLY not in cell.metadata.get("tags", [])]
    # the kernel works in an empty folder, so the path must be absolute; messages show it as given
    absolute = str(log.absolute())
    try:
        executed: NotebookNode = notebook_module.execute_notebook(
            source, {"log": absolute, **options}, name=NOTEBOOK, timeout=1800, quiet=True
        )
    except BookError as error:
        cause = error.__cause__
        kind = getattr(errors, str(getattr(cause, "ename", "")), None)
        if isinstance(kind, type) and issubclass(kind, RlscaleError):
            raise kind(str(cause.evalue).replace(absolute, str(log))) from None  # type: ignore[union-attr]
        raise ReportError(f"the notebook of the report failed on {log}: {error}") from error
    return executed


def read_blocks(executed: NotebookNode) -> list[Block]:
    """Return what the page shows, in order: prose and outputs, without the cells that are for the book alone.

    Parameters
    ----------
    executed : NotebookNode
        An executed notebook.

    Returns
    -------
    list of Block
    """
    blocks: list[Block] = []
    for cell in executed.cells:
        tags = cell.metadata.get("tags", [])
        if BOOK_ONLY in tags or "remove-cell" in tags:
            continue
        if cell.cell_type == "markdown":
            blocks.append(Block("prose", cell.source))
        elif cell.cell_type == "code" and "remove-output" not in tags:
            blocks += [block for output in cell.outputs for block in _read_output(output, cell.metadata)]
    return blocks


def _read_output(output: Mapping[str, Any], metadata: Mapping[str, Any]) -> list[Block]:
    if output["output_type"] == "stream":
        return [Block("text", output["text"])]
    data = output.get("data", {})
    if "image/png" in data:
        page = metadata.get("mystnb", {})
        alt = page.get("image", {}).get("alt", "")
        return [Block("image", data["image/png"].strip(), alt, page.get("figure", {}).get("caption", ""))]
    if "text/html" in data:
        return [Block("html", data["text/html"])]
    return [Block("text", data["text/plain"])] if "text/plain" in data else []


def render_page(executed: NotebookNode, *, log: Path, options: Mapping[str, Any]) -> str:
    """Return the page of an executed notebook as HTML.

    Parameters
    ----------
    executed : NotebookNode
        From :func:`run_notebook`.
    log : Path
        The log; only its name is shown, since a page that is sent should not tell where things lie.
    options : mapping
        What was asked for; shown as the command that makes the page again.

    Returns
    -------
    str
        A whole HTML document.

    Raises
    ------
    MissingExtraError
        The libraries of the extra ``report`` are not installed.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup
        from nbconvert.filters import Highlight2HTML, markdown2html
    except ImportError as error:
        raise MissingExtraError(f"{error.name} is not installed: pip install 'rlscale[report]'") from error
    environment = Environment(
        loader=PackageLoader("rlscale", "_templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    # prose is this package's own; all else is escaped by the template, or was by whoever made the fragment
    environment.filters["prose"] = lambda text: Markup(markdown2html(text))
    environment.filters["code"] = lambda text: Markup(Highlight2HTML()(text, language="python"))
    environment.filters["fragment"] = Markup
    code = [
        cell.source
        for cell in executed.cells
        if cell.cell_type == "code"
        and not {BOOK_ONLY, "injected-parameters", "parameters"} & set(cell.metadata.get("tags", []))
    ]
    call = {"log": log.name, **options}
    return environment.get_template("report.html.j2").render(
        title=f"{options.get('run') or log.name}: forecast of the run",
        blocks=read_blocks(executed),
        parameters="\n".join(f"{name} = {value!r}" for name, value in call.items()),
        code=code,
        version=__version__,
        log=log.name,
        date=datetime.date.today().isoformat(),
    )


def _write_whole(page: str, folder: Path) -> Path:
    """Write the page under a temporary name and move it into place: a reader never sees half of one."""
    target = folder / PAGE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(prefix=f".{PAGE}.", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(page)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(part, 0o666 & ~umask)  # mkstemp makes files that nobody else may read
            os.replace(part, target)
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ReportError(
            f"{target}: cannot be written ({error.strerror or error}); give another folder with -o"
        ) from None
    return target
