"""What the extension gives a page: scripts and numbers where an app is, nothing elsewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from app_pages import APP_PAGES, ROOT

from rlscale.errors import BookError
from rlscale.interactive.page import APPS, FOLDER, find_app, list_apps, read_data, render_data, render_inline
from rlscale.pages import list_pages


def _div(name: str) -> str:
    return f'<div class="rlscale-app" data-rlscale="{name}" data-static="fig"></div>'


def test_unknown_app_and_two_of_one_kind_are_refused() -> None:
    with pytest.raises(BookError, match=r"no app is called 'exporer'.*explorer"):
        find_app("exporer")
    with pytest.raises(BookError, match="twice"):
        list_apps(_div("explorer") * 2)
    assert [app.name for app in list_apps(_div("calculator") + _div("explorer"))] == [
        "calculator",
        "explorer",
    ]


def test_data_cannot_end_its_element() -> None:
    nasty = {"note": "</script><script>alert(1)</script><!-- & \u2028 'é'"}
    html = render_data("explorer", nasty)
    inside = re.fullmatch(r"<script [^>]*>(.*)</script>", html, re.S)
    assert inside and not re.search(r"[<>&\u2028]", inside[1])
    assert json.loads(inside[1]) == nasty


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_data_that_json_cannot_say_is_refused(value: object) -> None:
    with pytest.raises(BookError, match="the data of the app 'explorer' cannot be written as JSON"):
        render_data("explorer", {"value": value})


@pytest.mark.parametrize("source", ["x = '</script>'", "a <!-- b", "x = '</SCRIPT '"])
def test_script_that_would_end_its_element_is_refused(source: str) -> None:
    with pytest.raises(BookError, match=r"a\.js holds"):
        render_inline("a.js", source)


@pytest.mark.parametrize("name", sorted({one.app for one in APP_PAGES}))
def test_data_of_each_app_can_be_written(name: str) -> None:
    data = read_data(name)
    assert data["title"] and render_data(name, data)
    for script in find_app(name).scripts:
        assert (ROOT / "book" / "_static" / FOLDER / script).is_file()


@pytest.mark.parametrize("page", list_pages(ROOT))
def test_only_pages_with_an_app_get_scripts(site: Path, page: str) -> None:
    html = (site / f"{page}.html").read_text(encoding="utf-8")
    apps = [one.app for one in APP_PAGES if one.page == page]
    linked = re.findall(rf'src="_static/{FOLDER}/([\w.]+)', html)
    data = re.findall(r'class="rlscale-data" data-rlscale="(\w+)"', html)
    inline = re.findall(r'<script data-rlscale-file="([\w.]+)"', html)
    assert data == apps
    if not apps:
        assert (linked, inline, FOLDER + ".css" in html) == ([], [], False)
    else:
        assert linked[0] == "controls.js", "the shared code has to come first"
        wanted = [script for app in apps for script in APPS[app].scripts]
        assert sorted([*linked[1:], *inline]) == sorted(set(wanted))
        # an app's scripts run in the order in which they are listed
        assert linked[1:] == [s for s in dict.fromkeys(wanted) if s not in inline]


def test_apps_stand_directly_after_their_figure() -> None:
    """So that a reader of the notebook, and of a page without scripts, sees the figure at the same place."""
    for one in APP_PAGES:
        cells = json.loads((ROOT / "book" / f"{one.page}.ipynb").read_text(encoding="utf-8"))["cells"]
        place = next(i for i, c in enumerate(cells) if f'data-rlscale="{one.app}"' in "".join(c["source"]))
        name = cells[place - 1]["metadata"].get("mystnb", {}).get("figure", {}).get("name")
        assert name == one.figure, f"{one}: the cell before it draws {name}"
