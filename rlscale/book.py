"""Chapters of the book: one way from what authors edit to what readers open, never back.

``notebooks/NN-name.py`` (py:percent, the only hand-edited source) → :mod:`rlscale.notebook` →
``book/NN-name.ipynb`` with its outputs, which is committed.

``python -m rlscale.book`` executes the chapters whose source, package, data or lock changed since they were
last executed here; ``--force`` executes all; names execute these alone.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import BookError, MissingExtraError, suggest_names
from .figure_files import FOLDER, name_figures, read_index
from .launch import write_launch
from .notebook import execute_notebook, read_source

if TYPE_CHECKING:
    from nbformat import NotebookNode

#: Largest difference, of 255, between two pictures that count as the same one. Another processor may round
#: the last digit of a coordinate differently, which moves the shade of an edge pixel by a level or two.
SAME_PICTURE = 2

#: First code cell of each notebook in ``book/``. Pages do not show it; readers who open a notebook elsewhere,
#: such as with the launch buttons of a page, get the package with it.
INSTALL_ID = "install-rlscale"
INSTALL = """\
# Installs rlscale where it is missing, such as on Colab.
from importlib.util import find_spec

if find_spec("rlscale") is None:
    %pip install --quiet "rlscale[notebooks] @ git+https://github.com/rlscale/rlscale"
"""


def _same_picture(new: str, old: str) -> bool:
    """Tell whether two PNG pictures, in base64, look the same (see :data:`SAME_PICTURE`)."""
    import numpy as np
    from PIL import Image

    pixels = [
        np.asarray(Image.open(io.BytesIO(base64.b64decode(p))).convert("RGBA"), int) for p in (new, old)
    ]
    return pixels[0].shape == pixels[1].shape and int(np.abs(pixels[0] - pixels[1]).max()) <= SAME_PICTURE


def keep_pictures(executed: NotebookNode, before: NotebookNode) -> None:
    """Put pictures of ``before`` back into ``executed`` where nobody could tell the two apart.

    Without this a rebuild on another processor would leave a difference in each figure.

    Parameters
    ----------
    executed : NotebookNode
        Changed in place.
    before : NotebookNode
        The committed one.
    """
    old_cells = {cell.id: cell for cell in before.cells if cell.cell_type == "code"}
    for cell in executed.cells:
        if cell.cell_type != "code" or cell.id not in old_cells:
            continue
        for new, old in zip(cell.outputs, old_cells[cell.id].outputs, strict=False):
            pictures = [output.get("data", {}).get("image/png") for output in (new, old)]
            if all(pictures) and pictures[0] != pictures[1] and _same_picture(*pictures):
                new.data["image/png"] = pictures[1]


def add_install_cell(executed: NotebookNode) -> None:
    """Put the cell that installs the package before the first code cell of an executed notebook.

    Parameters
    ----------
    executed : NotebookNode
        Changed in place.
    """
    from nbformat.v4 import new_code_cell

    first = next(i for i, cell in enumerate(executed.cells) if cell.cell_type == "code")
    cell = new_code_cell(INSTALL.rstrip(), metadata={"tags": ["remove-cell"]}, id=INSTALL_ID)
    executed.cells.insert(first, cell)


def build_chapter(source: Path, target: Path, figures: Path) -> None:
    """Execute one chapter with its defaults and write it and its figures; nothing is written when it fails.

    Parameters
    ----------
    source : Path
        ``notebooks/NN-name.py``.
    target : Path
        ``book/NN-name.ipynb``.
    figures : Path
        Folder for the data of its figures.

    Raises
    ------
    BookError
        See :func:`rlscale.notebook.execute_notebook` and :func:`rlscale.figure_files.name_figures`.
    """
    with tempfile.TemporaryDirectory(prefix="rlscale-figures-") as recorded:
        executed = execute_notebook(read_source(source), name=source.name, figures=Path(recorded))
        name_figures(Path(recorded), executed, figures, source.name)
    import nbformat

    if target.exists():
        keep_pictures(executed, nbformat.read(target, as_version=4))
    add_install_cell(executed)
    text = nbformat.writes(executed)
    part = target.with_name(f".{target.name}.part")
    part.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8", newline="\n")
    os.replace(part, target)


def _inputs_key(root: Path, source: Path, target: Path) -> str:
    """Return a hash of all that the outputs of a chapter depend on, and of the outputs themselves."""
    digest = hashlib.sha256()
    files = [p for folder in ("rlscale", "data") for p in (root / folder).rglob("*") if p.is_file()]
    files = [p for p in files if "__pycache__" not in p.parts]
    for path in [source, target, root / "requirements.lock", *sorted(files)]:
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() if path.is_file() else b"absent")
    return digest.hexdigest()


def build_notebooks(
    root: Path, names: Sequence[str] = (), *, force: bool = False, workers: int = 2
) -> list[str]:
    """Execute the chapters that need it, and return the names of those that were executed.

    Parameters
    ----------
    root : Path
        The checkout.
    names : sequence of str
        Chapters such as ``"01-sigmoid-law"``; all when empty.
    force : bool
        Execute even those whose inputs did not change.
    workers : int
        Kernels at the same time.

    Returns
    -------
    list of str

    Raises
    ------
    BookError
        A notebook in ``book/`` has no source, or one or more chapters failed (all are tried and named).
    """
    sources = {p.stem: p for p in sorted((root / "notebooks").glob("*.py"))}
    orphans = [p.name for p in sorted((root / "book").glob("*.ipynb")) if p.stem not in sources]
    if orphans:
        raise BookError(
            f"book/{orphans[0]} has no source notebooks/{Path(orphans[0]).stem}.py; remove or restore it"
        )
    for name in names:
        if name not in sources:
            raise BookError(f"there is no chapter {name!r}; {suggest_names(name, sources)}")
    stamp = root / "_build" / "executed.json"
    known: dict[str, str] = json.loads(stamp.read_text()) if stamp.is_file() else {}
    targets = {name: root / "book" / f"{name}.ipynb" for name in sources}
    wanted = [
        name
        for name in names or sources
        if force
        or not targets[name].is_file()
        or read_index(root, name) is None
        or known.get(name) != _inputs_key(root, sources[name], targets[name])
    ]
    if wanted:
        # the first import on a fresh machine builds the font cache and says so on standard error: do it here
        import matplotlib.font_manager  # noqa: F401
    failures: list[str] = []
    started = {name: time.monotonic() for name in wanted}
    with ProcessPoolExecutor(max_workers=max(1, min(workers, len(wanted)))) as pool:
        jobs = {
            pool.submit(build_chapter, sources[name], targets[name], root / FOLDER / name): name
            for name in wanted
        }
        for job in as_completed(jobs):
            name = jobs[job]
            try:
                job.result()
            except BookError as error:
                failures.append(str(error))
                known.pop(name, None)
                print(f"{name}: FAILED", flush=True)
            else:
                known[name] = _inputs_key(root, sources[name], targets[name])
                print(f"{name}: executed, done after {time.monotonic() - started[name]:.0f} s", flush=True)
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(json.dumps(known, indent=1, sort_keys=True))
    if failures:
        raise BookError("\n".join(failures))
    return wanted


def main(argv: Sequence[str] | None = None) -> int:
    """Execute chapters from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m rlscale.book", description="Execute the chapters of the book."
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="a chapter, such as 01-sigmoid-law; all by default"
    )
    parser.add_argument("--force", action="store_true", help="execute even when nothing changed")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout")
    args = parser.parse_args(argv)
    try:
        executed = build_notebooks(args.root.resolve(), args.names, force=args.force)
        write_launch(args.root.resolve())
    except (BookError, MissingExtraError) as error:
        for line in str(error).splitlines():
            print(f"error: {line}", file=sys.stderr)
        return 1
    print(f"{len(executed)} chapter(s) executed" if executed else "no chapter needs executing")
    return 0


if __name__ == "__main__":
    sys.exit(main())
