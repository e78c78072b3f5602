"""One PDF of the book: the built pages joined, answers open, printed by Chromium, no LaTeX.

``python -m rlscale.pdf`` takes ``_build/html`` and writes ``_build/html/downloads/rlscale.pdf``: a title
page, contents with page numbers, all pages of ``_toc.yml`` in order, bookmarks, and links that lead within
the file. Code that a page folds away is left out, as are controls that only work on a screen.
"""

from __future__ import annotations

import argparse
import base64
import html
import io
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from . import __version__
from .errors import BookError, MissingExtraError
from .pages import check_pages, list_pages

TARGET = Path("_build", "html", "downloads", "rlscale.pdf")
#: What of a page is not for paper.
_SCREEN_ONLY = (
    "script, style.screen, .headerlink, .rlscale-app, .page-notes, .toctree-wrapper, button, #claims-filter, "
    "details.hide.above-input"
)
_EXTRA = "pip install 'rlscale[pdf]'"

_STYLE = """
@page { size: A4; margin: 18mm 17mm 18mm 17mm; }
html, body { background: #fff; font-size: 10.5pt; height: auto; }
body { display: block; }
article.bd-article { padding: 0; break-before: page; max-width: none; }
article.bd-article:first-of-type { break-before: auto; }
article h1 { font-size: 22pt; margin-top: 0; }
article h2 { break-after: avoid; font-size: 15pt; }
article h3 { font-size: 12.5pt; }
article h3, article .admonition-title { break-after: avoid; }
figure, .cell_output img, .math, tr, .claim-note { break-inside: avoid; }
figure img, .cell_output img { max-height: 150mm; max-width: 100%; width: auto; }
.bd-article table, .bd-article div.cell_output .text_html, pre, .math { overflow: visible !important; }
.bd-article table { border: 0; display: table; font-size: 8.2pt; width: auto; }
.bd-article table td, .bd-article table th { white-space: normal; }
pre { font-size: 7.8pt; white-space: pre-wrap; overflow-wrap: anywhere; }
.cell_input { break-inside: auto; }
a { text-decoration: none; }
.url { color: #444; font-size: 0.8em; overflow-wrap: anywhere; }
.front { break-after: page; }
.front h1 { font-size: 34pt; margin: 60mm 0 6mm; }
.contents td { border: 0; font-size: 10.5pt; padding: 1.3mm 0; }
.contents td.page { padding-left: 8mm; text-align: right; vertical-align: bottom; }
"""
_FOOT = (
    '<div style="font: 8px sans-serif; color: #555; width: 100%; margin: 0 17mm; display: flex; '
    'justify-content: space-between"><span>rlscale {version}</span><span class="pageNumber"></span></div>'
)


def join_pages(root: Path) -> str:
    """Return all built pages as one HTML document, to be opened from the folder of the site.

    Parameters
    ----------
    root : Path
        The checkout.

    Returns
    -------
    str

    Raises
    ------
    BookError
        A page is not built.
    MissingExtraError
        The library that reads HTML is not installed.
    """
    try:
        from bs4 import BeautifulSoup
    except ImportError as error:
        raise MissingExtraError(f"beautifulsoup4 is not installed: {_EXTRA}") from error
    names, articles, head = list_pages(root), [], ""
    for name, file in zip(names, check_pages(root), strict=True):
        page = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
        article = page.find("article", class_="bd-article")
        if article is None:
            raise BookError(f"{file}: there is no article on the page")
        if not head:
            sheets = page.select("head link[rel=stylesheet]")
            scripts = [s for s in page.select("head script") if "mathjax" in str(s).lower()]
            head = "\n".join(str(element) for element in [*sheets, *scripts])
        for element in article.select(_SCREEN_ONLY):
            element.decompose()
        for element in article.find_all("details"):
            element["open"] = ""
        for element in article.find_all(id=True):
            element["id"] = f"{name}--{element['id']}"
        article["id"] = name
        for link in article.find_all("a", href=True):
            href = _address(str(link["href"]), name, names)
            link["href"] = href
            if re.match(r"https?:", href) and urlsplit(href).netloc not in link.get_text():
                text = page.new_tag("span", attrs={"class": "url"})
                text.string = f" ({href})"
                link.insert_after(text)
        articles.append(str(article))
    return _document(head, "\n".join(articles))


def _address(href: str, name: str, names: Sequence[str]) -> str:
    """Return where a link of a page leads in the joined document."""
    if href.startswith("#"):
        return f"#{name}--{href[1:]}" if href != "#" else f"#{name}"
    match = re.match(r"^([\w-]+)\.html(?:#(.*))?$", href)
    if match and match[1] in names:
        return f"#{match[1]}--{match[2]}" if match[2] else f"#{match[1]}"
    return href


def _document(head: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en" data-theme="light" data-mode="light"><head><meta charset="utf-8">'
        f"<title>rlscale {__version__}</title>{head}<style>{_STYLE}</style></head><body>{body}</body></html>"
    )


@contextmanager
def _chromium() -> Iterator[Any]:
    """Start a Chromium that can reach no host."""
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError as error:
        raise MissingExtraError(f"selenium is not installed: {_EXTRA}") from error
    program, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if program is None or driver is None:
        raise BookError(
            "no Chromium to print with: install the packages chromium and chromium-driver, or download the "
            "PDF that the published book links"
        )
    options = webdriver.ChromeOptions()
    options.binary_location = program
    with tempfile.TemporaryDirectory(prefix="rlscale-", ignore_cleanup_errors=True) as profile:
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={profile}",
        ):
            options.add_argument(argument)
        browser = webdriver.Chrome(options=options, service=Service(driver))
        browser.set_page_load_timeout(120)
        try:
            yield browser
        finally:
            browser.quit()


def _print(browser: Any, folder: Path, text: str, *, outline: bool) -> bytes:
    """Print an HTML document that lies in the folder of the site, once its formulas are typeset."""
    with tempfile.NamedTemporaryFile(
        "w", dir=folder, prefix=".print-", suffix=".html", encoding="utf-8"
    ) as file:
        file.write(text)
        file.flush()
        browser.get(Path(file.name).as_uri())
        until = time.monotonic() + 120
        state = "return ['.math', 'mjx-container'].map(s => document.querySelectorAll(s).length)"
        while (found := browser.execute_script(state))[1] < found[0]:
            if time.monotonic() > until:
                raise BookError(
                    f"{found[0] - found[1]} of {found[0]} formulas were not typeset in two minutes"
                )
            time.sleep(0.2)
        done = browser.execute_cdp_cmd(
            "Page.printToPDF",
            {
                "preferCSSPageSize": True,
                "printBackground": True,
                "displayHeaderFooter": outline,
                "headerTemplate": "<span></span>",
                "footerTemplate": _FOOT.format(version=__version__),
                "generateDocumentOutline": outline,
                "generateTaggedPDF": outline,
            },
        )
    return base64.b64decode(done["data"])


def read_starts(printed: Any) -> list[tuple[str, int]]:
    """Return title and page, from 1, of each chapter, by the bookmarks of a printed book.

    Parameters
    ----------
    printed : pikepdf.Pdf
        The printed pages.

    Returns
    -------
    list of tuple of str and int
    """
    numbers = {page.objgen: number for number, page in enumerate(printed.pages, 1)}
    with printed.open_outline() as outline:
        return [(str(entry.title), numbers[entry.destination[0].objgen]) for entry in outline.root]


def _mend_bookmarks(printed: Any, joined: str) -> None:
    """Give each bookmark the words of its heading: Chromium drops the space where a heading wraps."""
    from bs4 import BeautifulSoup

    headings = BeautifulSoup(joined, "lxml").find_all(re.compile("^h[1-6]$"))
    texts = {"".join(h.get_text().split()): " ".join(h.get_text().split()) for h in headings}
    with printed.open_outline() as outline:
        todo = list(outline.root)
        while todo:
            entry = todo.pop()
            entry.title = texts.get("".join(str(entry.title).split()), entry.title)
            todo += entry.children


def _front(starts: Sequence[tuple[str, int]]) -> str:
    rows = "".join(
        f'<tr><td>{html.escape(title)}</td><td class="page">{page}</td></tr>' for title, page in starts
    )
    return (
        '<div class="front"><h1>rlscale</h1><p style="font-size: 16pt">How many steps, and when to stop?</p>'
        f"<p>Version {__version__}. The pages of the book as they stood then, with all answers. Text and "
        "figures are under CC BY 4.0, code under the BSD 3-Clause License.</p></div>"
        f'<h2>Contents</h2><table class="contents"><tbody>{rows}</tbody></table>'
    )


def build_pdf(root: Path, target: Path | None = None) -> Path:
    """Write the PDF of the built book.

    Parameters
    ----------
    root : Path
        The checkout.
    target : Path, optional
        The file; by default ``_build/html/downloads/rlscale.pdf``.

    Returns
    -------
    Path

    Raises
    ------
    BookError
        A page is not built, there is no Chromium, or the print misses a chapter.
    MissingExtraError
        The libraries of the extra ``pdf`` are not installed.
    """
    try:
        import pikepdf
    except ImportError as error:
        raise MissingExtraError(f"pikepdf is not installed: {_EXTRA}") from error
    target = target or root / TARGET
    site, joined, names = root / "_build" / "html", join_pages(root), list_pages(root)
    sheets = "".join(re.findall(r"<link[^>]*>", joined[: joined.index("</head>")]))
    with _chromium() as browser:
        book = pikepdf.open(io.BytesIO(_print(browser, site, joined, outline=True)))
        _mend_bookmarks(book, joined)
        starts = read_starts(book)
        if len(starts) != len(names):
            raise BookError(f"the print has {len(starts)} chapters, _toc.yml names {len(names)}")
        text = _document(sheets, _front(starts))
        front = pikepdf.open(io.BytesIO(_print(browser, site, text, outline=False)))
    first = len(front.pages)
    for number, page in enumerate(front.pages):
        book.pages.insert(number, page)
    roman, decimal = pikepdf.Dictionary(S=pikepdf.Name.r), pikepdf.Dictionary(S=pikepdf.Name.D)
    book.Root.PageLabels = pikepdf.Dictionary(Nums=pikepdf.Array([0, roman, first, decimal]))
    book.docinfo["/Title"] = f"rlscale {__version__}: how many steps, and when to stop?"
    book.docinfo["/Author"] = "The rlscale authors"
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    book.save(part, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    part.replace(target)
    return target


def main(argv: Sequence[str] | None = None) -> int:
    """Write the PDF from the command line."""
    parser = argparse.ArgumentParser(prog="python -m rlscale.pdf", description="One PDF of the built book.")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout")
    args = parser.parse_args(argv)
    start = time.monotonic()
    try:
        target = build_pdf(args.root.resolve())
    except (BookError, MissingExtraError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    size = target.stat().st_size / 1e6
    print(f"the book as one PDF, {size:.1f} MB in {time.monotonic() - start:.0f} s: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
