"""Pages that compute, in a real browser that can reach no host: what must hold for every app.

A new app takes part as soon as a page holds it. What only one app does is tested in a module of its own.
"""

from __future__ import annotations

import random
import re
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from app_pages import (
    APP_PAGES,
    ONE_PAGE_EACH,
    ROOT,
    AppPage,
    open_app,
    read_console,
    read_errors,
    read_requests,
    read_result,
    read_state,
    set_window,
    wait_until,
)

from rlscale.interactive.page import APPS, FOLDER

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("interactive")]
every_page = pytest.mark.parametrize("one", APP_PAGES, ids=str)
every_app = pytest.mark.parametrize("one", ONE_PAGE_EACH, ids=str)

SCRIPTS = ROOT / "book" / "_static" / FOLDER
#: A redraw that takes longer than one frame of a 60 Hz screen is seen (milliseconds).
FRAME = 16
#: Smallest side of what a finger has to hit (CSS pixels; WCAG 2.2, 2.5.8).
TOUCH = 24

#: What an app shows, as one text: words, tables, drawing and values of fields that are no source of it.
SHOWN = """
const root = document.querySelector('.rlscale-app');
return root.innerText + [...root.querySelectorAll('svg')].map((s) => s.innerHTML).join('');
"""
VISIBLE = "const visible = (e) => e.checkVisibility();"
UNFOLD = "document.querySelectorAll('.rlscale-app details').forEach((d) => { d.open = true; });"


def test_each_app_has_a_page() -> None:
    assert {one.app for one in APP_PAGES} == set(APPS)


@every_page
def test_app_takes_the_place_of_its_picture(site: Path, browser: Any, one: AppPage) -> None:
    """On the screen the app stands above the caption; in print, and without scripts, the picture does."""
    set_window(browser)
    read_console(browser), read_requests(browser)
    open_app(browser, site, one, whole=True)
    where = """
        const figure = document.getElementById(arguments[0]);
        const shown = (e) => e.getBoundingClientRect().height > 20;
        return ['img', '.rlscale-app', 'figcaption'].map((s) => shown(figure.querySelector(s)));
    """
    assert browser.execute_script(where, one.figure) == [False, True, True]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.execute_script(where, one.figure) == [True, False, True]
    set_window(browser)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get((site / f"{one.page}.html").as_uri())
        top = browser.execute_cdp_cmd("DOM.getDocument", {})["root"]["nodeId"]

        def height(selector: str) -> int:
            found = browser.execute_cdp_cmd("DOM.querySelector", {"nodeId": top, "selector": selector})
            if not found["nodeId"]:
                return -1
            try:
                box = browser.execute_cdp_cmd("DOM.getBoxModel", {"nodeId": found["nodeId"]})
            except Exception as error:  # the driver's way to say that the element has no box
                assert "box model" in str(error)
                return 0
            return int(box["model"]["height"])

        assert height(f"#{one.figure} img") > 100
        assert height(".rlscale-app") == 0
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert read_console(browser) == []
    assert read_requests(browser) == []


@every_app
def test_every_control_has_a_name(site: Path, browser: Any, one: AppPage) -> None:
    set_window(browser)
    open_app(browser, site, one)
    browser.execute_script(UNFOLD)
    every = ".rlscale-app :is(input, select, textarea, button, summary, [tabindex='0'])"
    controls = [c for c in browser.find_elements("css selector", every) if c.is_displayed()]
    assert len(controls) > 3
    nameless = [c.get_attribute("outerHTML")[:120] for c in controls if not c.accessible_name.strip()]
    assert nameless == []
    told = browser.execute_script(
        f"{VISIBLE} return [...document.querySelectorAll('.rlscale-app input[type=range]')].filter(visible)"
        ".map((r) => r.getAttribute('aria-valuetext'))"
    )
    assert all(told), "a slider does not say its value in words"


@every_app
def test_arrow_keys_move_every_slider(site: Path, browser: Any, one: AppPage) -> None:
    set_window(browser)
    open_app(browser, site, one)
    sliders = [
        s for s in browser.find_elements("css selector", ".rlscale-app input[type=range]") if s.is_displayed()
    ]
    for slider in sliders:
        before = (read_state(browser, one.app), browser.execute_script(SHOWN))
        slider.send_keys("\ue014")  # arrow right
        if read_state(browser, one.app) == before[0]:
            slider.send_keys("\ue012")  # it was at its end: arrow left
        name = slider.accessible_name
        assert read_state(browser, one.app) != before[0], f"{name} does not move"
        assert browser.execute_script(SHOWN) != before[1], f"{name} moves and nothing changes on the page"
        tied = browser.execute_script(
            "const f = arguments[0].closest('.rlscale-field').querySelector('input[type=text]');"
            "return [arguments[0].getAttribute('aria-valuetext'), f && f.value]",
            slider,
        )
        digits = [re.sub(r"[^\d.e-]", "", text.split(" ")[0]) for text in tied]
        assert float(digits[0]) == pytest.approx(float(digits[1]), rel=1e-3), (
            f"{name}: field and slider differ"
        )


@every_app
def test_bad_input_is_answered_beside_the_field(site: Path, browser: Any, one: AppPage) -> None:
    """Words stand in the field's own box, the last good result stays, good input takes the words away."""
    set_window(browser)
    open_app(browser, site, one)
    found = browser.execute_script(
        VISIBLE
        + """
        const app = rlscale.apps[arguments[0]];
        const enter = (field, text) => {
          field.value = text;
          field.dispatchEvent(new Event('input', { bubbles: true }));
          field.dispatchEvent(new Event('change', { bubbles: true }));
        };
        const every = document.querySelectorAll('.rlscale-app .rlscale-number input[type=text]');
        const fields = [...every].filter(visible);
        const rows = [];
        for (const field of fields) {
          const before = JSON.stringify(app.state());
          const good = field.value;
          for (const bad of ['abc', '', '-1e9', '1e999', 'NaN', '<img src=x onerror=alert(1)>', '1,2,3']) {
            if (bad === '' && field.placeholder) continue; // what is asked for may be left out
            enter(field, bad);
            const box = field.closest('.rlscale-field');
            const said = box.querySelector('.rlscale-error').textContent;
            const kept = JSON.stringify(app.state()) === before;
            const marked = field.getAttribute('aria-invalid') === 'true';
            if (bad === '' && (!kept || said)) continue; // some fields may be empty
            if (!said || !kept || !marked) rows.push([box.dataset.key, bad, said, kept, marked]);
          }
          enter(field, good);
          const error = field.closest('.rlscale-field').querySelector('.rlscale-error').textContent;
          if (error || JSON.stringify(app.state()) !== before) rows.push([field.value, 'good again', error]);
        }
        return [fields.length, rows];
        """,
        one.app,
    )
    assert found[1] == []


@every_app
@pytest.mark.parametrize("seed", [1])
def test_address_brings_back_what_was_set(site: Path, browser: Any, one: AppPage, seed: int) -> None:
    set_window(browser)
    open_app(browser, site, one)
    rng = random.Random(seed)
    browser.execute_script(
        VISIBLE
        + """
        const draws = arguments[0];
        let k = 0;
        const draw = () => draws[k++ % draws.length];
        const kinds = ':is(select, input[type=range], input[type=checkbox])';
        const controls = [...document.querySelectorAll(`.rlscale-field ${kinds}`)];
        const rank = (c) => (c.tagName === 'SELECT' ? 0 : 1);
        for (const c of controls.sort((a, b) => rank(a) - rank(b))) {
          if (!visible(c)) continue;
          if (c.tagName === 'SELECT') {
            c.selectedIndex = Math.floor(draw() * c.options.length);
            c.dispatchEvent(new Event('change', { bubbles: true }));
          } else if (c.type === 'checkbox') {
            if (draw() > 0.5) c.click();
          } else {
            c.value = Number(c.min) + draw() * (c.max - c.min);
            c.dispatchEvent(new Event('input', { bubbles: true }));
          }
        }
        """,
        [rng.random() for _ in range(97)],
    )
    wait_until(browser, "return location.hash.startsWith('#v=1&')", "the address was not written")
    # the address is written a little later than the last change, and so may a result be
    wait_until(browser, "return new Promise((done) => setTimeout(() => done(true), 500))", "")
    state, result = read_state(browser, one.app), read_result(browser, one.app)
    said = read_errors(browser)
    address = browser.execute_script("return location.hash")
    open_app(browser, site, one, address)
    assert read_state(browser, one.app) == state
    until = time.monotonic() + 5
    while (found := read_result(browser, one.app)) != result and time.monotonic() < until:
        time.sleep(0.1)
    # where two fields do not go together, each page keeps its own earlier result, and says so beside them
    assert found == result or (said and set(read_errors(browser)) & set(said))
    assert browser.execute_script("return document.querySelector('.rlscale-note')?.textContent ?? ''") == ""


@every_app
def test_no_address_can_do_harm(site: Path, browser: Any, one: AppPage) -> None:
    """Nonsense in a link is named, replaced and never becomes markup."""
    set_window(browser)
    read_console(browser)
    browser.set_script_timeout(120)
    open_app(browser, site, one, whole=True)
    wrong = browser.execute_script(
        """
        const app = rlscale.apps[arguments[0]];
        const root = document.querySelector('.rlscale-app');
        const rows = [];
        const bad = ['NaN', '1e999', '-1', '-1e300', '1e300', '0', '', '<b id=evil>x</b>',
          '%3Cimg%20src=x%3E', "';alert(1)//", '__proto__'];
        // a browser counts how often an address changes: all keys at once, then each with some of the values
        const keys = [...Object.keys(app.state()), 'unknown', '__proto__', 'constructor'];
        const tries = bad.map((value) => [keys, value]);
        const every = Math.ceil(keys.length / 20);
        keys.forEach((key, i) => {
          if (i % every) return;
          tries.push([[key], i % 2 ? '1e300' : '-1e300']);
          if (keys.length < 80) tries.push([[key], bad[i % bad.length]]);
        });
        for (const [some, value] of tries) {
          const parts = some.map((key) => `&${key}=${encodeURIComponent(value)}`);
          history.replaceState(null, '', `#v=1${parts.join('')}`);
          window.dispatchEvent(new HashChangeEvent('hashchange'));
          const numbers = Object.entries(app.state()).filter(([, v]) => typeof v === 'number');
          const odd = numbers.filter(([, v]) => !Number.isFinite(v));
          if (odd.length) rows.push([some, value, odd]);
          if (root.querySelector('b, img, #evil, script')) rows.push([some, value, 'markup']);
          app.result();
        }
        const long = `#v=1&${'x'.repeat(5000)}=1`;
        for (const address of ['#v=2', '#v=', '#v=1&&&=&=1', '#v=1&v=1', '#', '#elsewhere', long]) {
          history.replaceState(null, '', address);
          window.dispatchEvent(new HashChangeEvent('hashchange'));
          app.result();
        }
        return rows;
        """,
        one.app,
    )
    assert wrong == []
    assert read_console(browser) == []


@every_app
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_serious_fault(site: Path, browser: Any, one: AppPage, dark: bool) -> None:
    set_window(browser, dark=dark)
    open_app(browser, site, one)
    browser.execute_script(UNFOLD)
    axe = files("selenium_axe_python").joinpath("axe-core/axe.min.js").read_text(encoding="utf-8")
    browser.execute_script(axe)
    found = browser.execute_async_script(
        "const [options, done] = arguments; const app = document.querySelector('.rlscale-app');"
        "axe.run(app, options).then((r) => done({"
        "faults: r.violations.map((v) => [v.impact, v.id, v.nodes.slice(0, 3).map((n) => n.html)]),"
        "passed: r.passes.length}));",
        # only colours differ in the dark
        {"runOnly": ["color-contrast"]} if dark else {},
    )
    assert found["passed"] > (0 if dark else 10), "axe looked at next to nothing"
    assert [fault for fault in found["faults"] if fault[0] in {"serious", "critical"}] == []


@every_app
def test_app_fits_a_phone_and_a_finger(site: Path, browser: Any, one: AppPage) -> None:
    set_window(browser, 360, 800)
    open_app(browser, site, one)
    found = browser.execute_script(
        VISIBLE
        + """
        const root = document.querySelector('.rlscale-app');
        root.querySelectorAll('details').forEach((d) => { d.open = true; });
        for (const field of root.querySelectorAll('.rlscale-number input[type=text]')) {
          field.value = 'not a number, but quite a lot of words instead';
          field.dispatchEvent(new Event('change', { bubbles: true }));
        }
        const side = (e) => Math.min(e.getBoundingClientRect().height, e.getBoundingClientRect().width);
        const small = [...root.querySelectorAll('input, select, button, summary, textarea')].filter(visible)
          .filter((e) => side(e) < arguments[0])
          .map((e) => e.outerHTML.slice(0, 100));
        return [document.documentElement.scrollWidth, small];
        """,
        TOUCH,
    )
    assert found[0] <= 360, "the page scrolls sideways"
    assert found[1] == [], f"smaller than {TOUCH} px"


@every_app
def test_redraw_fits_into_a_frame(site: Path, browser: Any, one: AppPage) -> None:
    """In time of the page's own thread: on a busy machine the clock on the wall measures the others."""
    set_window(browser)
    browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    open_app(browser, site, one)
    moves = 10
    move = """
        const [slider, moves] = arguments;
        const [low, high] = [slider.min, slider.max].map(Number);
        for (let i = 0; i < moves; i++) {
          slider.value = low + (high - low) * (0.3 + 0.4 * i / moves);
          slider.dispatchEvent(new Event('input', { bubbles: true }));
          slider.closest('.rlscale-app').getBoundingClientRect(); // lays the page out
        }
    """

    def spent() -> float:
        found = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return 1000 * float(next(m["value"] for m in found if m["name"] == "ThreadTime"))

    sliders = [
        s for s in browser.find_elements("css selector", ".rlscale-app input[type=range]") if s.is_displayed()
    ]
    times = {}
    for slider in sliders[:: max(1, len(sliders) // 4)]:
        start = slider.get_attribute("value")
        browser.execute_script(move, slider, 3)  # compiled once
        rounds = [float("inf")]
        while min(rounds) >= FRAME and len(rounds) < 4:  # other work on the machine empties its caches
            before = spent()
            browser.execute_script(move, slider, moves)
            rounds.append((spent() - before) / moves)
        times[slider.accessible_name] = min(rounds)
        back = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))"
        browser.execute_script(back, slider, start)
    browser.execute_cdp_cmd("Performance.disable", {})
    assert all(ms > 0 for ms in times.values())
    assert {name: round(ms, 1) for name, ms in times.items() if ms >= FRAME} == {}


@every_app
def test_link_can_be_copied(site: Path, browser: Any, one: AppPage) -> None:
    set_window(browser)
    open_app(browser, site, one)
    button = next(
        b for b in browser.find_elements("css selector", ".rlscale-app button") if "link" in b.text.lower()
    )
    browser.execute_script("arguments[0].click()", button)
    said = "const s = arguments[0].closest('.rlscale-copy').querySelector('.rlscale-said');"
    text = ""
    for _ in range(50):
        text = browser.execute_script(
            f"{said} return s.querySelector('textarea')?.value ?? s.textContent", button
        )
        if text:
            break
    assert text == "Copied" or "#v=1" in text


def test_scripts_bring_no_markup_and_ask_nobody() -> None:
    """Text reaches a page as text nodes only, and no script fetches, evaluates or imports anything."""
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\bfetch\(|"
        r"XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|\bimport\s*\(|https?://(?!www\.w3\.org/2000/svg)"
    )
    found = {
        f"{path.name}:{number}": line.strip()
        for path in sorted(SCRIPTS.glob("*.js"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if forbidden.search(line)
    }
    assert found == {}


def test_scripts_leave_one_global_name(browser: Any) -> None:
    browser.get("about:blank")
    sources = [path.read_text(encoding="utf-8") for path in sorted(SCRIPTS.glob("*.js"))]
    sources.sort(key=lambda s: "rlscale.controls = {" not in s)  # the shared code comes first, as on a page
    added = browser.execute_script(
        """
        const before = new Set(Object.getOwnPropertyNames(window));
        for (const text of arguments[0]) {
          const script = document.createElement('script');
          script.textContent = text;
          document.documentElement.append(script);
        }
        return Object.getOwnPropertyNames(window).filter((name) => !before.has(name));
        """,
        sources,
    )
    assert added == ["rlscale"]
    for path in sorted(SCRIPTS.glob("*.js")):
        assert "'use strict';" in path.read_text(encoding="utf-8"), path.name
