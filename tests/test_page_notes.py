"""The foot of each page: version, dates, report of errors, slides, downloads, how to cite, ages of prices."""

from __future__ import annotations

import datetime
import re
import sys
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup

import rlscale
from rlscale import price_age
from rlscale.pages import list_pages
from rlscale.prices import STALE_DAYS

ROOT = Path(__file__).resolve().parent.parent
PAGES = list_pages(ROOT)
sys.path.insert(0, str(ROOT / "_ext"))
FORM = ROOT / ".github" / "ISSUE_TEMPLATE" / "erratum.yml"


def notes(site: Path, page: str) -> Any:
    text = (site / f"{page}.html").read_text(encoding="utf-8")
    start = text.index('<footer class="page-notes">')
    return BeautifulSoup(text[start : text.index("</footer>", start)], "lxml")


@pytest.mark.parametrize("page", PAGES)
def test_each_page_has_version_date_and_a_report_about_itself(site: Path, page: str) -> None:
    foot = notes(site, page)
    assert f"rlscale {rlscale.__version__}." in foot.get_text()
    days = re.findall(r"\d{4}-\d\d-\d\d", foot.find("p").get_text())
    assert days and all(datetime.date.fromisoformat(day) for day in days)
    (link,) = [a["href"] for a in foot.find_all("a") if "issues/new" in a["href"]]
    asked = parse_qs(urlsplit(unescape(link)).query)
    assert asked["page"] == [page] and asked["version"] == [rlscale.__version__]
    assert asked["template"] == [FORM.name]
    form = yaml.safe_load(FORM.read_text(encoding="utf-8"))
    fields = {part["id"]: part for part in form["body"] if "id" in part}
    assert {"page", "version", "number", "expected", "source"} <= set(fields)
    assert all(fields[name]["validations"]["required"] for name in ("page", "number", "expected", "source"))


@pytest.mark.parametrize("page", [*PAGES, "index"])
def test_every_local_link_leads_to_a_file(site: Path, page: str) -> None:
    """Also to what other targets build: slides, PDF, teaching pack."""
    text = (site / f"{page}.html").read_text(encoding="utf-8")
    links = {unescape(link) for link in re.findall(r'href="([^"#]+)', text)}
    local = {link.split("?")[0] for link in links if not re.match(r"[a-z]+:|//|\$", link)}
    absent = sorted(link for link in local if not (site / link).exists())
    assert absent == [], "make book students teachers pdf"


def test_start_page_offers_the_book_and_says_how_to_cite_it(site: Path) -> None:
    from page_notes import cite_book

    text = (site / "intro.html").read_text(encoding="utf-8")
    assert 'href="downloads/rlscale.pdf"' in text and 'href="downloads/rlscale-teachers.zip"' in text
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    line, bibtex = cite_book(citation)
    shown = unescape(text)
    assert line in shown and bibtex in shown
    for part in (citation["version"], citation["title"], citation["repository-code"], "2026"):
        assert part in line
    assert re.fullmatch(r"@software\{\w+,\n(  \w+ +=[^\n]+\n)+\}", bibtex)


def test_citation_of_people_by_family_name() -> None:
    from page_notes import cite_book

    people = [{"family-names": "Doe", "given-names": "Jo"}, {"name": "The others"}]
    line, bibtex = cite_book(
        {"authors": people, "date-released": "2027-02-01", "title": "rlscale: steps", "version": "2.0",
         "repository-code": "https://example.org"}
    )  # fmt: skip
    assert line == "Doe, Jo; The others (2027). rlscale: steps Version 2.0. https://example.org"
    assert "author  = {{Doe, Jo} and {The others}}" in bibtex and "title   = {{rlscale}: steps}" in bibtex


def test_citation_file_keeps_to_its_format() -> None:
    """Fields, dates, licence and addresses as Citation File Format 1.2.0 wants them."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    known = {"abstract", "authors", "cff-version", "commit", "contact", "date-released", "doi", "identifiers",
             "keywords", "license", "license-url", "message", "preferred-citation", "references",
             "repository", "repository-artifact", "repository-code", "title", "type", "url",
             "version"}  # fmt: skip
    assert set(citation) <= known
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["type"] in ("software", "dataset")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", str(citation["date-released"]))
    assert datetime.date.fromisoformat(str(citation["date-released"])) <= datetime.date(2100, 1, 1)
    assert isinstance(citation["keywords"], list) and all(isinstance(k, str) for k in citation["keywords"])
    assert re.match(r"https?://", citation["repository-code"])
    assert isinstance(citation["authors"], list) and citation["authors"]
    for author in citation["authors"]:
        assert set(author) <= {
            "name",
            "family-names",
            "given-names",
            "orcid",
            "affiliation",
            "email",
            "website",
        }
    assert citation["license"] == "BSD-3-Clause"


# Ages of prices


def test_ages_are_counted_from_the_newest_day_of_each_list() -> None:
    newest = price_age.newest_days()
    assert set(newest) == set(price_age.LISTS)
    day = max(datetime.date.fromisoformat(d) for d in newest.values())
    ages = price_age.report_ages(day)
    assert [age for _, _, age in ages] == sorted((age for _, _, age in ages), reverse=True)
    assert ages[-1][2] == 0


@pytest.mark.parametrize(("days", "status"), [(0, 0), (STALE_DAYS, 0), (STALE_DAYS + 1, 1)])
def test_stale_prices_fail_the_weekly_job(days: int, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    oldest = datetime.date.fromisoformat(min(price_age.newest_days().values()))
    today = oldest + datetime.timedelta(days=days)
    assert price_age.main(["--today", today.isoformat()]) == status
    out = capsys.readouterr().out
    assert f"{oldest}, {days} days, {'older' if status else 'fresh'}" in out


def test_pages_with_prices_carry_the_day_of_the_oldest_list(site: Path) -> None:
    day = min(price_age.newest_days().values())
    dated = []
    for page in PAGES:
        note = notes(site, page).select("[data-price-day]")
        if note:
            dated.append(page)
            assert note[0]["data-price-day"] == day and note[0]["data-price-limit"] == str(STALE_DAYS)
            assert day in note[0].get_text()
    assert {"08-cost", "10-plan"} <= set(dated) and not {"01-sigmoid-law", "09-speed"} & set(dated)


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("page", ["08-cost", "10-plan"])
def test_page_warns_of_prices_older_than_ninety_days(site: Path, browser: Any, page: str) -> None:
    """The clock of the browser is shifted; on the last day that is young enough there is no warning."""
    day = datetime.datetime.fromisoformat(min(price_age.newest_days().values())).replace(tzinfo=datetime.UTC)
    for days, warned in ((STALE_DAYS, False), (STALE_DAYS + 1, True), (400, True)):
        now = int((day + datetime.timedelta(days=days, hours=12)).timestamp() * 1000)
        script = browser.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": f"Date.now = () => {now};"}
        )
        try:
            browser.get((site / f"{page}.html").as_uri())
            boxes = browser.find_elements("css selector", "article .price-warning")
            assert len(boxes) == int(warned), days
            if warned:
                assert f"{days} days old" in boxes[0].text and str(day.date()) in boxes[0].text
                assert boxes[0].is_displayed()
        finally:
            browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


# Launch links


@pytest.mark.parametrize("page", [p for p in PAGES if (ROOT / "notebooks" / f"{p}.py").is_file()])
def test_launch_links_open_a_notebook_of_the_repository(site: Path, page: str) -> None:
    text = (site / f"{page}.html").read_text(encoding="utf-8")
    (binder,) = re.findall(r'href="https://mybinder\.org/v2/gh/([^"]+)"', text)
    (colab,) = re.findall(r'href="https://colab\.research\.google\.com/github/([^"]+)"', text)
    repository = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]
    name, branch = repository["url"].removeprefix("https://github.com/"), repository["branch"]
    assert binder == f"{name}/{branch}?urlpath=lab/tree/launch/{page}.ipynb"
    assert colab == f"{name}/blob/{branch}/launch/{page}.ipynb"
    committed = (ROOT / "launch" / f"{page}.ipynb").read_bytes()
    assert f'href="_sources/{page}.ipynb"' in text, "the download"
    assert (site / "_sources" / f"{page}.ipynb").read_bytes() == committed
    assert (ROOT / "environment.yml").is_file(), "Binder installs from it"
