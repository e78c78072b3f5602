"""The scripts as the site ships them: what they weigh, and that the site carries these and no others.

That they compute as the package does is tested beside their source: ``test_law_js.py`` and so on.
"""

from __future__ import annotations

import builtins
import gzip
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from app_pages import APP_PAGES, ONE_PAGE_EACH, ROOT, AppPage

from rlscale.errors import BookError, MissingExtraError
from rlscale.interactive.page import FOLDER, find_app, read_data, render_data
from rlscale.interactive.shipped import ship_scripts, shorten_script

SCRIPTS = ROOT / "book" / "_static" / FOLDER
NAMES = [path.name for path in sorted(SCRIPTS.glob("*.js"))]

#: Most bytes of the own scripts of an app, without the shared ``controls.js``. Wanted: 30,000: the explorer
#: does. The calculator carries the whole estimate, the forecaster the whole engine and the log reader.
MOST_OWN = {"explorer": 15_000, "calculator": 37_500, "forecaster": 85_000}
#: Most bytes of the numbers that stand in the page.
MOST_DATA = {"explorer": 10_000, "calculator": 39_000, "forecaster": 21_000}
MOST_SHARED = 13_000
#: All scripts of the book. Wanted: 60,000, which holds for what travels, compressed.
MOST_IN_ALL, MOST_COMPRESSED = 150_000, 60_000


@pytest.fixture(scope="module")
def short() -> dict[str, str]:
    return {name: shorten_script(name, (SCRIPTS / name).read_text(encoding="utf-8")) for name in NAMES}


def _bytes(short: dict[str, str], names: Any) -> int:
    return sum(len(short[name].encode()) for name in names)


@pytest.mark.parametrize("app", sorted({one.app for one in APP_PAGES}))
def test_app_is_light(app: str, short: dict[str, str]) -> None:
    assert _bytes(short, find_app(app).scripts) <= MOST_OWN[app]
    assert len(render_data(app, read_data(app)).encode()) <= MOST_DATA[app]


def test_scripts_are_light_in_all(short: dict[str, str]) -> None:
    assert len(short["controls.js"].encode()) <= MOST_SHARED
    assert _bytes(short, NAMES) <= MOST_IN_ALL
    assert len(gzip.compress("".join(short.values()).encode(), 9, mtime=0)) <= MOST_COMPRESSED


@pytest.mark.parametrize("name", NAMES)
def test_script_is_short_strict_and_says_where_its_source_is(name: str, short: dict[str, str]) -> None:
    head, text = short[name].split("\n", 1)
    assert (
        head == f"// Source: book/_static/{FOLDER}/{name}"
        and (ROOT / head.removeprefix("// Source: ")).is_file()
    )
    assert '"use strict"' in text and text.endswith(";\n")
    assert len(short[name].encode()) < 0.65 * (SCRIPTS / name).stat().st_size
    assert "/**" not in text


def test_site_carries_the_short_scripts(site: Path, short: dict[str, str]) -> None:
    built = {path.name: path.read_text(encoding="utf-8") for path in (site / "_static" / FOLDER).glob("*.js")}
    assert built.keys() == short.keys()
    assert [name for name in NAMES if built[name] != short[name]] == []


@pytest.mark.parametrize("one", ONE_PAGE_EACH, ids=str)
def test_page_carries_the_short_scripts(site: Path, one: AppPage, short: dict[str, str]) -> None:
    html = (site / f"{one.page}.html").read_text(encoding="utf-8")
    inline = dict(re.findall(r'<script data-rlscale-file="([\w.]+)">(.*?)</script>', html, re.S))
    assert inline == {name: short[name] for name in find_app(one.app).inline}


@pytest.mark.parametrize("source", ["let = = 3", "f(", "'open", "a\0b"])
def test_script_that_cannot_be_read_is_named(source: str) -> None:
    with pytest.raises(BookError, match=r"^bad\.js: "):
        shorten_script("bad.js", source)


def test_minifier_that_is_absent_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "minify":
            raise ModuleNotFoundError("No module named 'minify'")
        return found(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'rlscale\[book\]'"):
        shorten_script("a.js", "f()")


def test_where_there_is_no_minifier_the_readable_script_is_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rlscale.interactive.shipped.HAS_MINIFIER", False)
    text = shorten_script("a.js", "f( 1 ); // says it\n")
    assert text == f"// Source: book/_static/{FOLDER}/a.js\nf( 1 ); // says it\n"


def test_nothing_is_written_when_one_script_is_broken(tmp_path: Path) -> None:
    source, static = tmp_path / "source", tmp_path / "static"
    source.mkdir()
    (source / "a.js").write_text("f( 1 );")
    (source / "b.js").write_text("f( ( ;")
    shutil.copytree(source, static)
    with pytest.raises(BookError, match=r"^b\.js: "):
        ship_scripts(static, source)
    assert (static / "a.js").read_text() == "f( 1 );"
    (source / "b.js").write_text("g();")
    (static / "b.js").unlink()
    with pytest.raises(BookError, match=r"b\.js: Sphinx has not copied"):
        ship_scripts(static, source)
    assert (static / "a.js").read_text() == "f( 1 );"
    (static / "b.js").write_text("")
    assert [path.name for path in ship_scripts(static, source)] == ["a.js", "b.js"]
    assert (static / "a.js").read_text().endswith("\nf(1);\n")
