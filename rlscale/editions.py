"""What a class gets of the book: blank notebooks, and a pack for the teacher (:mod:`rlscale.class_editions`).

``python -m rlscale.editions students`` writes the blank notebooks to ``_build/students``. ``teachers`` writes
one zip with slides, blank notebooks, the key and the lesson plans to ``_build/html/downloads``, and the
slides for reading online to ``_build/html/slides``. Both take the executed chapters of ``book/``.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from . import __version__
from .class_editions import make_key, make_student
from .errors import BookError, MissingExtraError
from .plain_markdown import Context, read_glued, read_labels, read_sources

if TYPE_CHECKING:
    from nbformat import NotebookNode

STUDENTS = Path("_build", "students")
SLIDES = Path("_build", "html", "slides")
TEACHERS = Path("_build", "html", "downloads", "rlscale-teachers.zip")


def read_lessons(root: Path) -> dict[str, str]:
    """Return the lesson plan of each chapter, by the two digits of its number.

    Parameters
    ----------
    root : Path
        The checkout.

    Returns
    -------
    dict of str to str
        Markdown, from ``book/appendix-teachers.md``.
    """
    text = (root / "book" / "appendix-teachers.md").read_text(encoding="utf-8")
    parts = re.split(r"^### (\d\d): (.+)$", text, flags=re.M)
    plans: dict[str, str] = {}
    for number, title, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        body = re.split(r"^## ", body, maxsplit=1, flags=re.M)[0].strip()
        plans[number] = f"# Lesson plan, 50 minutes: {title}\n\n{body}"
    return plans


def read_chapters(root: Path) -> dict[str, NotebookNode]:
    """Return the executed numbered chapters of ``book/`` by name, in order.

    Parameters
    ----------
    root : Path
        The checkout.

    Returns
    -------
    dict of str to NotebookNode

    Raises
    ------
    BookError
        There is none.
    """
    import nbformat

    paths = sorted((root / "book").glob("[0-9][0-9]-*.ipynb"))
    if not paths:
        raise BookError(f"{root / 'book'}: there is no chapter; run make book")
    return {path.stem: nbformat.read(path, as_version=4) for path in paths}


def make_contexts(
    root: Path, chapters: Mapping[str, NotebookNode], suffix: str | None = ".ipynb"
) -> dict[str, Context]:
    """Return what the roles of each chapter refer to.

    Parameters
    ----------
    root : Path
        The checkout.
    chapters : mapping of str to NotebookNode
        From :func:`read_chapters`.
    suffix : str or None
        What follows the name of a chapter in a link to it; None: no links.

    Returns
    -------
    dict of str to Context
    """
    titles: dict[str, str] = {}
    for page in sorted((root / "book").iterdir()):
        if page.suffix == ".md":
            lines = page.read_text(encoding="utf-8").splitlines()
            titles[page.stem] = next((line[2:] for line in lines if line.startswith("# ")), page.stem)
        elif page.suffix == ".ipynb":
            first = json.loads(page.read_text(encoding="utf-8"))["cells"][0]["source"]
            titles[page.stem] = "".join(first).splitlines()[0].lstrip("# ")
    labels = {label: text for nb in chapters.values() for label, text in read_labels(nb).items()}
    sources = read_sources(root / "book" / "references.bib")
    # a page that is no chapter is not among the notebooks: its title stands without a link
    links = {} if suffix is None else {name: f"{name}{suffix}" for name in chapters}
    return {name: Context(read_glued(nb), titles, sources, labels, links) for name, nb in chapters.items()}


def write_students(root: Path, folder: Path | None = None) -> list[Path]:
    """Write the blank edition of each chapter.

    Parameters
    ----------
    root : Path
        The checkout.
    folder : Path, optional
        Where to; by default ``_build/students``.

    Returns
    -------
    list of Path
    """
    import nbformat

    folder = folder or root / STUDENTS
    folder.mkdir(parents=True, exist_ok=True)
    chapters = read_chapters(root)
    contexts = make_contexts(root, chapters)
    blank = {name: make_student(nb, contexts[name], name) for name, nb in chapters.items()}
    for name, notebook in blank.items():
        (folder / f"{name}.ipynb").write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    return [folder / f"{name}.ipynb" for name in blank]


def write_slides(root: Path, folder: Path | None = None) -> list[Path]:
    """Write the slides of each chapter into the built site, whose MathJax they use.

    Parameters
    ----------
    root : Path
        The checkout.
    folder : Path, optional
        Where to; by default ``_build/html/slides``.

    Returns
    -------
    list of Path
    """
    from .slides import MATHJAX, render_deck, select_slides

    folder = folder or root / SLIDES
    folder.mkdir(parents=True, exist_ok=True)
    chapters = read_chapters(root)
    contexts = make_contexts(root, chapters, None)
    for name, notebook in chapters.items():
        slides = select_slides(notebook, contexts[name])
        page = render_deck(slides, name, f"../_static/mathjax/{MATHJAX}")
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return [folder / f"{name}.html" for name in chapters]


def write_teachers(root: Path, target: Path | None = None) -> Path:
    """Write one zip for a teacher: slides, blank notebooks, key, lesson plans. The same bytes each time.

    Parameters
    ----------
    root : Path
        The checkout.
    target : Path, optional
        The file; by default ``_build/html/downloads/rlscale-teachers.zip``.

    Returns
    -------
    Path
    """
    import nbformat

    from .slides import MATHJAX, mathjax_script, render_deck, select_slides

    target = target or root / TEACHERS
    chapters, lessons = read_chapters(root), read_lessons(root)
    contexts, plain = make_contexts(root, chapters), make_contexts(root, chapters, None)
    files: dict[str, bytes] = {"README.md": _read_me(chapters).encode()}
    files["LICENSE-text"] = (root / "LICENSE-text").read_bytes()
    files["lesson-plans.md"] = "\n\n".join(lessons[number] for number in sorted(lessons)).encode() + b"\n"
    files[f"slides/{MATHJAX}"] = mathjax_script().read_bytes()
    for name, notebook in chapters.items():
        blank = make_student(notebook, contexts[name], name)
        key = make_key(notebook, contexts[name], name, lessons.get(name[:2], ""))
        files[f"blank/{name}.ipynb"] = nbformat.writes(blank).encode() + b"\n"
        files[f"key/{name}.ipynb"] = nbformat.writes(key).encode() + b"\n"
        files[f"slides/{name}.html"] = render_deck(select_slides(notebook, plain[name]), name).encode()
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for file_name, content in sorted(files.items()):
            # a fixed date and mode, so that the same book gives the same file
            entry = zipfile.ZipInfo(f"rlscale-teachers/{file_name}", (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    part.replace(target)
    return target


def _read_me(chapters: Mapping[str, NotebookNode]) -> str:
    return f"""# rlscale {__version__}: teaching pack

| folder | what |
|---|---|
| `slides/` | one deck a chapter; open in a browser, no network needed; N shows the notes, P prints |
| `blank/` | {len(chapters)} notebooks for the class, without solutions and outputs |
| `key/` | the same with solutions, outputs and the plan of the lesson in front |
| `lesson-plans.md` | {len(chapters)} plans of 50 minutes |

The notebooks need Python 3.11 or newer and the package: `pip install .` in a checkout of the book, or run the
first code cells, which install it where it is missing. Text and figures are under CC BY 4.0 (`LICENSE-text`).
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Write editions from the command line."""
    parser = argparse.ArgumentParser(prog="python -m rlscale.editions", description="Editions for a class.")
    parser.add_argument("edition", choices=("students", "teachers"))
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout")
    args = parser.parse_args(argv)
    root = args.root.resolve()
    try:
        if args.edition == "students":
            written = write_students(root)
            print(f"{len(written)} notebooks without solutions: {written[0].parent}")
        else:
            write_slides(root)
            target = write_teachers(root)
            print(f"slides, blank notebooks and key: {target} ({target.stat().st_size / 1e6:.1f} MB)")
    except (BookError, MissingExtraError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
