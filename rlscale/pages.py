"""The site: from executed notebooks and prose in ``book/`` to ``_build/html``, where any fault is a failure.

``python -m rlscale.pages`` executes what needs executing (:mod:`rlscale.book`), runs jupyter-book with
warnings as errors, and then looks whether each page of ``_toc.yml`` was really written: jupyter-book 2
ignores ``_config.yml`` and ``_toc.yml``, ends with status 0 and writes no page.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .book import build_notebooks
from .errors import BookError, MissingExtraError
from .interactive.shipped import HAS_MINIFIER
from .launch import write_launch

_ADVICE = "pip install 'jupyter-book>=1.0.4.post1,<2'"


def check_jupyter_book(found: str | None = None) -> None:
    """Raise unless a jupyter-book that reads this book's configuration is installed.

    Parameters
    ----------
    found : str, optional
        Its version; looked up when not given.

    Raises
    ------
    MissingExtraError
        It is not installed.
    BookError
        It is version 2 or later, or older than 1.

    Examples
    --------
    >>> check_jupyter_book("1.0.4.post1")
    >>> check_jupyter_book("2.0.1")
    Traceback (most recent call last):
    ...
    rlscale.errors.BookError: jupyter-book 2.0.1 is installed, which ignores _config.yml and _toc.yml and \
builds no page; expected 1.x: pip install 'jupyter-book>=1.0.4.post1,<2'
    """
    if found is None:
        try:
            found = version("jupyter-book")
        except PackageNotFoundError as error:
            raise MissingExtraError(f"jupyter-book is not installed: {_ADVICE}") from error
    if found.split(".")[0] != "1":
        raise BookError(
            f"jupyter-book {found} is installed, which ignores _config.yml and _toc.yml and builds no page; "
            f"expected 1.x: {_ADVICE}"
        )


def _toc_files(entry: dict[str, Any]) -> Iterator[str]:
    for key in ("root", "file"):
        if key in entry:
            yield str(entry[key])
    for key in ("parts", "chapters", "sections"):
        for child in entry.get(key) or []:
            yield from _toc_files(child)


def list_pages(root: Path) -> list[str]:
    """Return the pages that ``_toc.yml`` names, such as ``"01-sigmoid-law"``, in order.

    Parameters
    ----------
    root : Path
        The checkout.

    Returns
    -------
    list of str

    Raises
    ------
    BookError
        The file is absent or names a page twice.
    """
    import yaml

    path = root / "_toc.yml"
    if not path.is_file():
        raise BookError(f"{path}: there is no table of contents")
    pages = list(_toc_files(yaml.safe_load(path.read_text(encoding="utf-8"))))
    twice = sorted({page for page in pages if pages.count(page) > 1})
    if twice:
        raise BookError(f"{path}: {twice[0]!r} is named twice")
    return pages


def check_pages(root: Path) -> list[Path]:
    """Return the HTML files of all pages, or raise when one is missing or empty.

    Parameters
    ----------
    root : Path
        The checkout.

    Returns
    -------
    list of Path

    Raises
    ------
    BookError
        A page of ``_toc.yml`` was not built.
    """
    site = root / "_build" / "html"
    files = [site / f"{page}.html" for page in list_pages(root)]
    missing = [f.name for f in files if not f.is_file() or "<h1" not in f.read_text(encoding="utf-8")]
    if missing:
        raise BookError(
            f"{site}: {len(missing)} of {len(files)} pages were not built: {', '.join(missing)}; "
            f"is jupyter-book 1.x installed? {_ADVICE}"
        )
    return files


def _trouble(output: str) -> list[str]:
    """Return the lines of the output that say what is wrong, without colours and with readable places."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", output).splitlines()
    found = [line for line in lines if re.search(r"\b(WARNING|ERROR|CRITICAL)\b|rror:", line)]

    def name_cell(match: re.Match[str]) -> str:
        # myst-nb numbers the lines of a notebook 10,000 a cell
        return f".ipynb: cell {int(match[1]) // 10_000}, line {int(match[1]) % 10_000}:"

    return [re.sub(r"\.ipynb:(\d{5,}):", name_cell, line) for line in found] or lines[-40:]


def build_site(root: Path) -> list[Path]:
    """Build all pages from what lies in ``book/``; a warning is an error.

    Parameters
    ----------
    root : Path
        The checkout.

    Returns
    -------
    list of Path
        The HTML files.

    Raises
    ------
    BookError
        jupyter-book failed or a page is missing.
    """
    check_jupyter_book()
    # --all: a page that was not read again would not repeat its warnings, and the second build would pass
    start = "from jupyter_book.cli.main import main; main(prog_name='jupyter-book')"
    command = [sys.executable, "-c", start, "build", "book", "--all", "--path-output", "."]
    command += [
        "--config",
        str(root / "_config.yml"),
        "--toc",
        str(root / "_toc.yml"),
        "-W",
        "-n",
        "--keep-going",
    ]
    done = subprocess.run(
        command, cwd=root, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode != 0:
        print("\n".join(_trouble(done.stdout)), file=sys.stderr)
        raise BookError("jupyter-book failed; the lines above say where (a warning counts as a failure)")
    return check_pages(root)


def main(argv: Sequence[str] | None = None) -> int:
    """Build the book from the command line."""
    parser = argparse.ArgumentParser(prog="python -m rlscale.pages", description="Build the book as a site.")
    parser.add_argument("--force", action="store_true", help="execute each chapter even when nothing changed")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout")
    args = parser.parse_args(argv)
    root, start = args.root.resolve(), time.monotonic()
    try:
        check_jupyter_book()
        executed = build_notebooks(root, force=args.force)
        write_launch(root)
        seconds = time.monotonic() - start
        files = build_site(root)
    except (BookError, MissingExtraError) as error:
        for line in str(error).splitlines():
            print(f"error: {line}", file=sys.stderr)
        return 1
    if not HAS_MINIFIER:
        print("note: there is no minifier for this machine; the pages carry the readable scripts")
    print(
        f"{len(executed)} chapter(s) executed in {seconds:.0f} s, {len(files)} pages built in "
        f"{time.monotonic() - start - seconds:.0f} s: open {root / '_build' / 'html' / 'index.html'}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
