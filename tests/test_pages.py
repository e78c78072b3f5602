"""The built pages, read as files and opened from disk in a real browser that can reach no host."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from rlscale.errors import BookError
from rlscale.pages import build_site, check_jupyter_book, check_pages, list_pages

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*list_pages(ROOT), "search", "genindex"]
OUTSIDE = re.compile(r"^\s*(https?:)?//", re.I)

#: A page without MathJax and pictures of its own weighs at most this (bytes).
HEAVIEST_PAGE = 1_500_000
HEAVIEST_PICTURE = 200_000


class _Requests(HTMLParser):
    """Collects the addresses that a browser would ask for by itself when it opens a page."""

    # kinds of <link> that a browser loads
    LOADED_LINKS = frozenset({"stylesheet", "icon", "preload", "prefetch", "preconnect", "manifest"})

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.pictures_without_alt: list[str] = []
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attrs}
        if tag in {"script", "img", "iframe", "source", "video", "audio", "embed", "track", "input"}:
            self.addresses += [found[key] for key in ("src", "poster", "data") if key in found]
            self.addresses += [part.split()[0] for part in found.get("srcset", "").split(",") if part.strip()]
        if tag == "object":
            self.addresses.append(found.get("data", ""))
        if tag == "link" and self.LOADED_LINKS & set(found.get("rel", "").lower().split()):
            self.addresses.append(found.get("href", ""))
        if tag == "img" and not found.get("alt", "").strip():
            self.pictures_without_alt.append(found.get("src", ""))
        self.addresses += re.findall(r"url\(\s*['\"]?([^'\")]+)", found.get("style", ""))
        self._in_style = tag == "style"

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.addresses += re.findall(r"url\(\s*['\"]?([^'\")]+)", data)
            self.addresses += re.findall(r"@import\s+['\"]([^'\"]+)", data)


def _read(page: Path) -> _Requests:
    parser = _Requests()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser


def test_scan_finds_planted_request() -> None:
    """The scan itself must see each way in which a page can ask another host."""
    planted = _Requests()
    planted.feed(
        "<script src='https://a/x.js'></script><link rel='stylesheet' href='//b/x.css'><img src='http://c/x.png'>"
        "<style>@import 'https://d/x.css'; p {background: url(https://e/x.png)}</style>"
        "<div style='background:url(https://f/x.png)'></div><img srcset='https://g/1.png 1x'>"
        "<link rel='canonical' href='https://not-loaded/'><a href='https://not-loaded/'>link</a>"
    )
    hosts = {address.split("/")[2] for address in planted.addresses if OUTSIDE.match(address)}
    assert hosts == set("abcdefg")
    assert planted.pictures_without_alt == ["http://c/x.png", ""]


@pytest.mark.parametrize("page", PAGES)
def test_page_names_no_file_of_another_host(site: Path, page: str) -> None:
    requests = _read(site / f"{page}.html")
    assert [address for address in requests.addresses if OUTSIDE.match(address)] == []
    local = [address.split("?")[0].split("#")[0] for address in requests.addresses]
    absent = [
        a for a in local if a and not a.startswith("data:") and not (site / page).parent.joinpath(a).exists()
    ]
    assert absent == [], "the page loads files that are not there"


@pytest.mark.parametrize("page", list_pages(ROOT))
def test_pictures_have_alternative_text(site: Path, page: str) -> None:
    assert _read(site / f"{page}.html").pictures_without_alt == []


@pytest.mark.parametrize("page", list_pages(ROOT))
def test_page_is_light(site: Path, page: str) -> None:
    assert (site / f"{page}.html").stat().st_size <= HEAVIEST_PAGE
    pictures = [site / a for a in _read(site / f"{page}.html").addresses if a.startswith("_images/")]
    heavy = {p.name: p.stat().st_size for p in pictures if p.stat().st_size > HEAVIEST_PICTURE}
    assert heavy == {}


def test_own_style_sheets_ask_no_other_host(root: Path) -> None:
    for path in (root / "book" / "_static").rglob("*.css"):
        assert not re.search(
            r"(url\(\s*['\"]?|@import\s+['\"])(https?:)?//", path.read_text(encoding="utf-8")
        ), path


def test_every_page_of_the_contents_is_built(site: Path, root: Path) -> None:
    assert [path.stem for path in check_pages(root)] == list_pages(root)


def test_missing_page_is_an_error_that_names_it(tmp_path: Path) -> None:
    """TC-32: jupyter-book 2 ends with status 0 and writes no page."""
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: intro\nchapters:\n- file: 01-law\n")
    site = tmp_path / "_build" / "html"
    site.mkdir(parents=True)
    with pytest.raises(
        BookError, match=r"2 of 2 pages were not built: intro.html, 01-law.html.*jupyter-book 1.x"
    ):
        check_pages(tmp_path)
    (site / "intro.html").write_text("<h1>Intro</h1>")
    (site / "01-law.html").write_text("")
    with pytest.raises(BookError, match=r"1 of 2 pages were not built: 01-law.html"):
        check_pages(tmp_path)


def test_warning_fails_the_build_and_names_the_cell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("_config.yml", "_ext", "book/_static", "book/references.bib", "CITATION.cff"):
        source, target = ROOT / name, tmp_path / name
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: intro\n")
    page = new_notebook(
        cells=[new_markdown_cell("# Page"), new_markdown_cell("First line\n\n{cite}`nobody1900`")]
    )
    (tmp_path / "book" / "intro.ipynb").write_text(nbformat.writes(page))
    with pytest.raises(BookError, match="jupyter-book failed"):
        build_site(tmp_path)
    assert re.search(r"intro\.ipynb: cell 2, line \d.*nobody1900", capsys.readouterr().err)
    page.cells[1].source = "No citation"
    (tmp_path / "book" / "intro.ipynb").write_text(nbformat.writes(page))
    assert [path.name for path in build_site(tmp_path)] == ["intro.html"]


@pytest.mark.parametrize("found", ["2.0.1", "2.1.0b0", "0.15.1"])
def test_other_jupyter_book_is_refused(found: str) -> None:
    with pytest.raises(
        BookError, match=rf"jupyter-book {re.escape(found)} is installed.*jupyter-book>=1.0.4.post1,<2"
    ):
        check_jupyter_book(found)


def test_contents_that_name_a_page_twice_are_refused(tmp_path: Path) -> None:
    (tmp_path / "_toc.yml").write_text(
        "root: a\nparts:\n- chapters:\n  - file: b\n    sections:\n    - file: a\n"
    )
    with pytest.raises(BookError, match="'a' is named twice"):
        list_pages(tmp_path)
    with pytest.raises(BookError, match="no table of contents"):
        list_pages(tmp_path / "elsewhere")


def _requested(browser: Any) -> Iterator[str]:
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            yield message["params"]["request"]["url"]


def _open(browser: Any, page: Path, *, width: int, height: int, dark: bool = False) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    browser.get(page.as_uri())


def _formulas(browser: Any) -> tuple[int, int, int]:
    """Return how many formulas a page has, how many are typeset, and how many show an error of MathJax."""
    return tuple(
        browser.execute_script(
            "return ['.math', 'mjx-container', 'mjx-merror, [data-mjx-error]']"
            ".map(s => document.querySelectorAll(s).length)"
        )
    )


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("page", PAGES)
def test_page_works_offline_from_disk(site: Path, browser: Any, page: str) -> None:
    for log in ("browser", "performance"):
        browser.get_log(log)
    _open(browser, site / f"{page}.html", width=1280, height=900)
    until = time.monotonic() + 30
    while (found := _formulas(browser))[1] < found[0] and time.monotonic() < until:
        time.sleep(0.1)
    assert found[1] >= found[0], f"{found[0] - found[1]} of {found[0]} formulas are not typeset"
    assert found[2] == 0, "MathJax shows an error in a formula"
    assert [url for url in _requested(browser) if re.match(r"(https?|wss?|ftp):", url)] == []
    # the theme itself tells the console which colours it chose, at level INFO
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"] == []


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_search_works_from_disk(site: Path, browser: Any) -> None:
    browser.get_log("browser")
    browser.get((site / "search.html").as_uri() + "?q=ceiling")
    until = time.monotonic() + 20
    while time.monotonic() < until:
        found = browser.find_element("id", "search-results").text
        if "finished" in found and "\n" in found.strip():
            break
        time.sleep(0.1)
    assert re.search(r"found \d+ page", found)
    time.sleep(0.5)  # summaries, were they on, would be fetched after the results are shown
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"] == []


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("page", PAGES)
def test_page_fits_a_phone(site: Path, browser: Any, page: str) -> None:
    _open(browser, site / f"{page}.html", width=360, height=800)
    until = time.monotonic() + 30
    while (found := _formulas(browser))[1] < found[0] and time.monotonic() < until:
        time.sleep(0.1)
    wide = browser.execute_script("""
        const limit = document.documentElement.clientWidth;
        const clips = e => /auto|scroll|hidden/.test(getComputedStyle(e).overflowX);
        const scrolls = e => e && (clips(e) || scrolls(e.parentElement));
        return [document.documentElement.scrollWidth, limit, [...document.querySelectorAll('article *')]
          .filter(e => e.getBoundingClientRect().right > limit + 1 && !scrolls(e.parentElement)).slice(0, 5)
          .map(e => e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 60))]""")
    assert wide[1] == 360
    assert wide[0] <= wide[1], f"the page scrolls sideways: {wide[2]}"


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("page", list_pages(ROOT))
def test_text_stands_out_in_both_themes(site: Path, browser: Any, page: str, dark: bool) -> None:
    """Contrast of text to what lies behind it is at least 4.5 to 1 (WCAG AA), in the reader's theme."""
    _open(browser, site / f"{page}.html", width=1280, height=900, dark=dark)
    theme = browser.execute_script("return document.documentElement.dataset.theme")
    assert theme == ("dark" if dark else "light")
    weak = browser.execute_script((ROOT / "tests" / "contrast.js").read_text(encoding="utf-8"))
    assert weak == []


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("page", ["07-misleading-curves", "appendix-claims"])
def test_link_under_the_pointer_stands_out(site: Path, browser: Any, page: str, dark: bool) -> None:
    """The theme gives such a link another colour: in boxes and in rows of tables too."""
    _open(browser, site / f"{page}.html", width=1280, height=900, dark=dark)
    browser.execute_script(
        "const style = document.createElement('style');"
        "style.textContent = ':is(article a:not(.claim-badge), article a:not(.claim-badge) *)'"
        " + '{ color: var(--pst-color-link-hover) !important; }';"
        "document.head.append(style)"
    )
    assert browser.execute_script((ROOT / "tests" / "contrast.js").read_text(encoding="utf-8")) == []
