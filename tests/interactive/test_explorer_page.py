# ruff: noqa: E501  (scripts read better in one line)
"""The explorer: its first output is the chapter's, its Python line gives its numbers, its links last."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import jupytext
import numpy as np
import pytest
from app_pages import APP_PAGES, ROOT, AppPage, open_app, read_result, read_state, restart_app, set_window

from rlscale.interactive.explorer import CASES, LINK_V1, page_data
from rlscale.law import Sigmoid
from rlscale.plot_published import find_published, select_published
from rlscale.prices import find_gpu_price
from rlscale.recipes import compare_laws, find_crossings, find_recipe, list_recipes
from rlscale.tables import load_table

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("interactive")]
PAIR = next(one for one in APP_PAGES if (one.app, one.page) == ("explorer", "02-algorithms"))
LENGTHS = next(one for one in APP_PAGES if (one.app, one.page) == ("explorer", "01-sigmoid-law"))
LINKS = json.loads(Path(__file__).with_name("links_v1.json").read_text(encoding="utf-8"))


def read_parameters(page: str) -> dict[str, Any]:
    """Return what the first code cell of a chapter sets."""
    cells = jupytext.read(ROOT / "notebooks" / f"{page}.py", fmt="py:percent").cells
    source = next(c.source for c in cells if "parameters" in c.metadata.get("tags", []))
    return {n.target.id: ast.literal_eval(n.value) for n in ast.parse(source).body}  # type: ignore[attr-defined]


def laws_of(state: dict[str, Any]) -> list[Sigmoid]:
    """Return both laws of a state."""
    return [Sigmoid(*(state[f"{p}{s}"] for p in ("R0", "A", "B", "C"))) for s in "ab"]


def expect(state: dict[str, Any], window: tuple[float, float]) -> dict[str, Any]:
    """Return what the package says about a state."""
    laws, per_unit = laws_of(state), state["hours"] * state["price"]
    table = compare_laws(
        dict(zip("ab", laws, strict=True)),
        target=state["target"],
        budget=state["at"],
        usd_per_unit=per_unit,
    )
    sides = [
        {
            "passRate": row["pass_rate_at_budget"],
            "gain": law.gain(state["at"]),
            "slope": law.slope(state["at"]),
            "gpuHours": state["at"] * state["hours"],
            "usd": state["at"] * per_unit,
            "computeToTarget": row["compute_to_target"],
            "usdToTarget": row["usd_to_target"],
        }
        for law, row in zip(laws, table.to_dict("records"), strict=True)
    ]
    return {
        "first": sides[0],
        "second": sides[1],
        "difference": sides[1]["passRate"] - sides[0]["passRate"],
        "crossings": find_crossings(*laws, *window).tolist(),
    }


def assert_same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    for side in ("first", "second"):
        for key, value in wanted[side].items():
            assert found[side][key] == pytest.approx(value, rel=1e-9), f"{side}.{key}"
    # a difference of two numbers of size 1 is known to their last digits, not to its own
    assert found["difference"] == pytest.approx(wanted["difference"], abs=1e-12)
    assert found["crossings"] == pytest.approx(wanted["crossings"], rel=1e-9)


def test_pages_open_with_the_case_of_their_figure() -> None:
    """Which two, the target and the budget stand in the chapter; all other numbers in the tables."""
    chapter = read_parameters("02-algorithms")
    case = CASES["recipes"]
    assert [find_recipe(case[w]).name for w in ("first", "second")] == [chapter["first"], chapter["second"]]
    assert (case["target"], case["at"], case["run"]) == (
        chapter["target"],
        chapter["budget"],
        chapter["budget"],
    )
    opened = page_data()["cases"]["recipes"]["open"]
    assert laws_of(opened) == [find_recipe(case[w]).law for w in ("first", "second")]
    assert opened["price"] == find_gpu_price("GB200").value
    fits = select_published(load_table("published_fits"))
    opened = page_data()["cases"]["lengths"]["open"]
    start = read_parameters("01-sigmoid-law")["assumed_R0"]
    for which, law in zip(("first", "second"), laws_of(opened), strict=True):
        fit = find_published(fits, opened[which])
        assert law == Sigmoid(start, fit.A, fit.B, fit.Cmid_gpu_hours)


@pytest.mark.parametrize("one", [PAIR, LENGTHS], ids=str)
def test_first_output_is_that_of_the_package(site: Path, browser: Any, one: AppPage) -> None:
    set_window(browser)
    open_app(browser, site, one)
    state = read_state(browser, "explorer")
    data = page_data()
    assert state == data["cases"]["recipes" if one is PAIR else "lengths"]["open"]
    wanted = expect(state, tuple(data["window"]))
    assert_same(read_result(browser, "explorer"), wanted)
    shown = browser.execute_script("return document.querySelector('.rlscale-app').innerText")
    for side in ("first", "second"):
        assert f"{wanted[side]['passRate']:.3f}" in shown
        assert f"{wanted[side]['computeToTarget']:,.0f}" in shown
    if one is PAIR:  # the table below the figure says the same
        page = (site / f"{one.page}.html").read_text(encoding="utf-8")
        assert f"{wanted['first']['passRate']:.3f}" in page and f"{wanted['second']['passRate']:.3f}" in page


def test_presets_name_what_is_illustrative(site: Path, browser: Any) -> None:
    set_window(browser)
    restart_app(browser, site, PAIR)
    presets = {p["id"]: p for p in page_data()["presets"]}
    assert len(presets) == len(list_recipes()) + len(select_published(load_table("published_fits")))
    options = browser.execute_script(
        "return [...document.querySelector('[data-key=first] select').options].map((o) => [o.value, o.text])"
    )
    assert [value for value, _ in options] == list(presets)
    for value, text in options:
        chosen = [key for key, kind in presets[value]["kinds"].items() if kind == "illustrative"]
        named = ["illustrative"] if len(chosen) == 4 else [key if key != "C" else "Cmid" for key in chosen]
        assert "illustrative" in text and all(word in text for word in named)
    tags = (
        "return [...document.querySelectorAll('[data-key$=b] .rlscale-tag')].map((t) => t.textContent.trim())"
    )
    browser.execute_script("rlscale.apps.explorer.set('second', 'scalerl')")
    assert browser.execute_script(tags) == ["illustrative", "reported", "reported", "reported"]
    browser.execute_script("rlscale.apps.explorer.set('Bb', 3)")
    assert browser.execute_script(tags) == ["illustrative", "reported", "yours", "reported"]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"first": "scalerl", "second": "t1_bs2048", "target": 0.62, "at": 40_000, "price": 3.1},
        {"first": "dapo", "second": "dapo", "Bb": 0.7, "at": 123.456},  # one name twice
        {"unit": "rollout_steps", "hours": 13.5, "Ca": 431.5, "target": 0.5},
        {"unit": "generated_tokens", "price": 0},
    ],
)
def test_python_line_gives_the_same_numbers(site: Path, browser: Any, changes: dict[str, Any]) -> None:
    set_window(browser)
    restart_app(browser, site, PAIR)
    for key, value in changes.items():
        assert (
            browser.execute_script("return rlscale.apps.explorer.set(arguments[0], arguments[1])", key, value)
            == ""
        )
    state, found = read_state(browser, "explorer"), read_result(browser, "explorer")
    code = browser.execute_script("return document.querySelector('.rlscale-app pre').textContent")
    assert code == browser.execute_script("return rlscale.apps.explorer.python()")
    said, names = io.StringIO(), {}
    with contextlib.redirect_stdout(said):
        exec(code, names)
    assert laws_of(state) == [names["first"], names["second"]]
    call = re.search(r"usd_per_unit=([^)]*)\)", code)
    window = re.search(r"find_crossings\(first, second, ([\d.e+-]+), ([\d.e+-]+)\)", code)
    assert call and window
    assert eval(call[1]) == pytest.approx(state["hours"] * state["price"], rel=1e-15)
    assert_same(found, expect(state, (float(window[1]), float(window[2]))))
    first = [float(word) for word in said.getvalue().splitlines()[0].split()]
    assert first == pytest.approx([found["first"][k] for k in ("passRate", "gain", "slope")], rel=1e-9)


def test_unit_changes_the_numbers_and_not_the_runs(site: Path, browser: Any) -> None:
    """In steps, answers or tokens the same two runs cost the same GPU-hours and dollars."""
    set_window(browser)
    restart_app(browser, site, PAIR)
    before = read_result(browser, "explorer")
    for unit in page_data()["units"]:
        browser.execute_script("rlscale.apps.explorer.set('unit', arguments[0])", unit["value"])
        state, after = read_state(browser, "explorer"), read_result(browser, "explorer")
        assert state["hours"] == unit["hours"]
        for side in ("first", "second"):
            for key in ("passRate", "gpuHours", "usd", "gpuHoursToTarget", "usdToTarget"):
                # six digits of a converted compute are kept
                assert after[side][key] == pytest.approx(before[side][key], rel=2e-5), (unit["value"], key)
            assert after[side]["slope"] == pytest.approx(before[side]["slope"] * unit["hours"], rel=2e-5)


def test_unit_of_both_recipes_and_zeros_are_said(site: Path, browser: Any) -> None:
    open_app(browser, site, PAIR)
    app = "const app = rlscale.apps.explorer;"
    hint = "return document.querySelector('.rlscale-app fieldset > .rlscale-hint').textContent"
    assert browser.execute_script(hint) == ""
    browser.execute_script(f"{app} app.set('unit', 'rollout_steps')")
    said = browser.execute_script(hint)
    assert "Both recipes count rollout steps of 1.5 GB200 GPU-hours each" in said
    units = "return ['Ca', 'Cb', 'at', 'run'].map((key) => document.querySelector(`[data-key=${key}] .rlscale-unit`).textContent)"
    assert browser.execute_script(units) == ["rollout steps"] * 4
    assert browser.execute_script(f"{app} return app.set('Ca', 0)") == "Give more than 0"
    tag = "return document.querySelector(`[data-key=${arguments[0]}] .rlscale-tag`).textContent.trim()"
    for key, words in (("price", "0: nothing costs anything"), ("target", "both start there")):
        browser.execute_script(f"{app} app.set(arguments[0], 0)", key)
        assert browser.execute_script(tag, key) == words


def test_start_above_the_ceiling_is_answered_in_words(site: Path, browser: Any) -> None:
    set_window(browser)
    restart_app(browser, site, PAIR)
    before = read_result(browser, "explorer")
    said = browser.execute_script("return rlscale.apps.explorer.set('R0a', 0.7)")
    assert said == "Give 0.5 or less: the start cannot be above the ceiling"
    shown = browser.execute_script(
        "return document.querySelector('[data-key=R0a] .rlscale-error').textContent"
    )
    assert shown == said
    assert read_result(browser, "explorer") == before


@pytest.mark.parametrize("finger", [False, True], ids=["mouse", "touch"])
def test_cursor_follows_mouse_and_finger(site: Path, browser: Any, finger: bool) -> None:
    set_window(browser)
    restart_app(browser, site, PAIR)
    left, top, width, height = browser.execute_script(
        "const svg = document.querySelector('.rlscale-drag svg'); svg.scrollIntoView({ block: 'center' });"
        "const r = svg.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]"
    )
    seen = []
    for share in (0.3, 0.7):
        x, y = left + share * width, top + height / 2
        if finger:
            for kind, points in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
                browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        else:
            for kind, where in (("mousePressed", x - 20), ("mouseMoved", x), ("mouseReleased", x)):
                event = {"type": kind, "x": where, "y": y, "button": "left", "buttons": 1, "clickCount": 1}
                browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)
        seen.append(read_state(browser, "explorer")["at"])
    # 42 and 28 px are the margins of the plot, 100 to 100,000 its axis; three digits of the place are kept
    wanted = [100 * 1000 ** ((share * width - 42) / (width - 70)) for share in (0.3, 0.7)]
    assert seen == pytest.approx(wanted, rel=0.02)


def test_old_price_is_told(site: Path, browser: Any) -> None:
    """With the clock moved on, the page says how old its price is; on the day itself it does not."""
    set_window(browser)
    price = page_data()["price"]
    for days, old in ((price["stale_days"] - 1, False), (price["stale_days"] + 2, True)):
        clock = f"Date.now = () => Date.parse('{price['as_of']}') + {days} * 86400000 + 1;"
        added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": clock})
        try:
            open_app(browser, site, PAIR)
        finally:
            browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        text = browser.execute_script("return document.querySelector('.rlscale-app').textContent")
        assert price["as_of"] in text
        assert (f"That is {days} days ago: look it up again" in text) == old


@pytest.mark.parametrize("one", [PAIR, LENGTHS], ids=str)
def test_links_of_version_1_mean_the_same_for_ever(site: Path, browser: Any, one: AppPage) -> None:
    """Papers and lessons keep links. If this fails, mend the page or make a version 2; the list stays."""
    set_window(browser)
    restart_app(browser, site, one)
    case = "recipes" if one is PAIR else "lengths"
    stored = [link for link in LINKS if link["case"] == case]
    assert len(stored) >= 5
    for link in stored:
        browser.execute_script(
            "history.replaceState(null, '', arguments[0]);"
            "window.dispatchEvent(new HashChangeEvent('hashchange'));",
            link["address"],
        )
        found = read_result(browser, "explorer")
        for side in ("first", "second"):
            for key, value in link[side].items():
                wanted = float(value)
                assert found[side][key] == pytest.approx(wanted, rel=1e-9), (link["address"], side, key)
        assert found["crossings"] == pytest.approx(link["crossings"], rel=1e-9)
    # a link that names nothing is the frozen case
    browser.execute_script(
        "history.replaceState(null, '', '#v=1'); window.dispatchEvent(new HashChangeEvent('hashchange'));"
    )
    assert read_state(browser, "explorer") == dict(LINK_V1[case])
    assert np.isfinite(read_result(browser, "explorer")["first"]["passRate"])
