"""The book as one PDF: every page, answers open, no page blank, bookmarks and contents that agree."""

from __future__ import annotations

import io
import re
import shutil
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from outside import skip_or_fail

from rlscale.errors import BookError
from rlscale.pages import list_pages
from rlscale.pdf import TARGET, build_pdf, join_pages, read_starts

ROOT = Path(__file__).resolve().parent.parent
LARGEST = 20e6


@pytest.fixture(scope="module")
def printed(site: Path) -> Any:
    import pikepdf

    path = ROOT / TARGET
    if not path.is_file():
        skip_or_fail("the PDF is not built: make pdf")
    with pikepdf.open(path) as pdf:
        yield pdf


@pytest.fixture(scope="module")
def joined(site: Path) -> str:
    return join_pages(ROOT)


def joined_page(site: Path, name: str) -> str:
    return (site / f"{name}.html").read_text(encoding="utf-8")


def test_pdf_has_every_page_of_the_contents(printed: Any, site: Path) -> None:
    starts = read_starts(printed)
    assert len(starts) == len(list_pages(ROOT))
    pages = [page for _, page in starts]
    assert pages == sorted(pages) and len(set(pages)) == len(pages)
    titles = [re.search(r"<h1>(.*?)<", joined_page(site, name), re.S)[1].strip() for name in list_pages(ROOT)]
    assert [unescape(title) for title in titles] == [title for title, _ in starts]
    assert 60 < len(printed.pages) < 400
    assert (ROOT / TARGET).stat().st_size < LARGEST
    assert str(printed.docinfo["/Title"]).startswith("rlscale ")
    assert printed.Root.PageLabels.Nums[0] == 0 and str(printed.Root.PageLabels.Nums[1].S) == "/r"


def test_no_page_is_blank(printed: Any) -> None:
    """A page shows something besides its foot: letters or a picture; the foot alone takes some 30 glyphs."""
    import pikepdf

    blank = []
    for number, page in enumerate(printed.pages, 1):
        shown = 0
        for operands, operator in pikepdf.parse_content_stream(page):
            if str(operator) in ("Tj", "TJ"):
                texts = operands[0] if str(operator) == "TJ" else [operands[0]]
                shown += sum(len(bytes(t)) for t in texts if isinstance(t, pikepdf.String))
            elif str(operator) == "Do":
                shown += 100
        if shown < 60:
            blank.append(number)
    assert blank == []


def test_answers_are_open_and_links_lead_within_the_book(joined: str) -> None:
    from bs4 import BeautifulSoup

    page = BeautifulSoup(joined, "lxml")
    articles = page.find_all("article")
    assert [a["id"] for a in articles] == list_pages(ROOT)
    ids = [e["id"] for e in page.find_all(id=True)]
    inside = {a["href"][1:] for a in page.find_all("a", href=re.compile("^#"))}
    assert inside - set(ids) == set(), "links that lead nowhere"
    assert len(inside) > 100
    other = {a["href"] for a in page.find_all("a", href=True) if not re.match("#|https?:|mailto:", a["href"])}
    assert all(re.match(r"(slides|downloads|_static|_images)/", href) for href in other), other
    solutions = page.select(".solution")
    assert len(solutions) >= 48 and all(s.select(".cell_output, .cell_input") for s in solutions)
    assert page.select(".toggle-hidden, details:not([open]), script[src*=togglebutton]") == []
    assert page.select("details.hide.above-input, .rlscale-app, button") == []


def test_addresses_of_links_are_printed(joined: str) -> None:
    texts = re.findall(r'<span class="url"> \((https?://[^)]+)\)</span>', joined)
    assert len(texts) > 10


def test_missing_page_is_named(tmp_path: Path) -> None:
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: intro\n")
    (tmp_path / "_build" / "html").mkdir(parents=True)
    with pytest.raises(BookError, match=r"intro\.html"):
        build_pdf(tmp_path)
    assert not (tmp_path / TARGET).exists()


def test_without_chromium_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rlscale.pdf import main

    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: intro\n")
    site = tmp_path / "_build" / "html"
    site.mkdir(parents=True)
    (site / "intro.html").write_text(
        '<html><head></head><article class="bd-article"><h1>Intro</h1></article></html>'
    )
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert main(["--root", str(tmp_path)]) == 1
    assert "error: no Chromium to print with: install" in capsys.readouterr().err
    assert list(site.iterdir()) == [site / "intro.html"], "nothing is left behind"


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_a_page_printed_by_a_reader_has_its_answers(site: Path, browser: Any) -> None:
    """What the print button of a page gives, without the joined document."""
    import base64

    import pikepdf

    browser.get((site / "11-your-run.html").as_uri())
    options = {"preferCSSPageSize": True, "printBackground": False}
    data = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", options)["data"])
    with pikepdf.open(io.BytesIO(data)) as pdf:
        assert 5 <= len(pdf.pages) <= 40
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        closed = browser.execute_script(
            "return [...document.querySelectorAll('.solution > section')]"
            ".filter(e => e.getBoundingClientRect().height < 20).length"
        )
        hidden = browser.execute_script(
            "return [...document.querySelectorAll('.rlscale-app, .headerlink, article button')]"
            ".filter(e => e.offsetHeight > 0).length"
        )
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert (closed, hidden) == (0, 0)
