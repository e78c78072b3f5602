"""How a test opens a page that computes: every app of the book, found by its mark in an executed page."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlscale.interactive.page import APPS
from rlscale.pages import list_pages

ROOT = Path(__file__).resolve().parent.parent.parent
_MARK = re.compile(
    r'<div class="rlscale-app" data-rlscale="([a-z]+)" data-static="([\w-]+)"(?: data-case="\w+")?></div>'
)


@dataclass(frozen=True)
class AppPage:
    """One app on one page, and the figure it stands in."""

    app: str
    page: str
    figure: str

    def __str__(self) -> str:
        return f"{self.app}-{self.page}"


def _sources() -> dict[str, str]:
    found = {}
    for page in list_pages(ROOT):
        path = next(p for s in (".ipynb", ".md") if (p := ROOT / "book" / f"{page}{s}").is_file())
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            cells = [c for c in json.loads(text)["cells"] if c["cell_type"] == "markdown"]
            text = "\n".join("".join(c["source"]) for c in cells)
        found[page] = text
    return found


#: Every app on every page.
APP_PAGES = [AppPage(m[1], page, m[2]) for page, text in _sources().items() for m in _MARK.finditer(text)]
#: Each app once: what does not depend on the page is looked at there.
ONE_PAGE_EACH = list({one.app: one for one in reversed(APP_PAGES)}.values())
#: Apps that no page holds yet.
NOWHERE = sorted(set(APPS) - {one.app for one in APP_PAGES})


def set_window(browser: Any, width: int = 1280, height: int = 900, *, dark: bool = False) -> None:
    """Choose size and theme of the pages that are opened from now on."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [scheme]})


def open_app(browser: Any, site: Path, one: AppPage, address: str = "", *, whole: bool = False) -> None:
    """Open a page afresh and wait until its app is in place; ``whole``: with its formulas too."""
    browser.get("about:blank")  # else another hash of the same page would not load it again
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": [] if whole else ["*mathjax*"]})
    browser.get((site / f"{one.page}.html").as_uri() + address)
    wait_until(browser, f"return !!(globalThis.rlscale?.apps?.{one.app})", f"{one} did not start")
    wait_for_rest(browser, one.app)


def wait_for_rest(browser: Any, app: str) -> None:
    """Wait until an app that computes in a worker has its answer; the others have theirs at once."""
    wait_until(browser, f"return !rlscale.apps.{app}.result().busy", f"{app} did not come to rest", 60)


def wait_until(browser: Any, script: str, complaint: str, seconds: float = 20) -> None:
    """Wait for a script to return something true."""
    until = time.monotonic() + seconds
    while not browser.execute_script(script):
        assert time.monotonic() < until, complaint
        time.sleep(0.05)


def restart_app(browser: Any, site: Path, one: AppPage) -> None:
    """Bring an app back to how it opens, without loading its page again where that is open already."""
    here = browser.current_url.split("#")[0] == (site / f"{one.page}.html").as_uri()
    if not here or not browser.execute_script(f"return !!(globalThis.rlscale?.apps?.{one.app})"):
        open_app(browser, site, one)
        return
    buttons = "[...document.querySelectorAll('.rlscale-app button')]"
    browser.execute_script(f"{buttons}.find((b) => b.textContent === 'Start again').click()")


def read_state(browser: Any, app: str) -> dict[str, Any]:
    """Return the values of all fields."""
    state: dict[str, Any] = json.loads(
        browser.execute_script(f"return JSON.stringify(rlscale.apps.{app}.state())")
    )
    return state


def read_result(browser: Any, app: str) -> Any:
    """Return what the app found, infinity included."""
    wait_for_rest(browser, app)
    words = {"Infinity": float("inf"), "-Infinity": float("-inf"), "NaN": float("nan")}
    text = browser.execute_script(
        f"return JSON.stringify(rlscale.apps.{app}.result(), (key, value) =>"
        " typeof value === 'number' && !Number.isFinite(value) ? { number: String(value) } : value)"
    )
    return json.loads(text, object_hook=lambda d: words[d["number"]] if set(d) == {"number"} else d)


def read_errors(browser: Any) -> list[str]:
    """Return the words that stand beside fields."""
    found: list[str] = browser.execute_script(
        "return [...document.querySelectorAll('.rlscale-error')].map((e) => e.textContent).filter(Boolean)"
    )
    return found


def read_console(browser: Any) -> list[str]:
    """Return what the console says since it was last read; the theme itself writes at level INFO."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] != "INFO"]


def read_requests(browser: Any) -> list[str]:
    """Return the addresses outside of the disk that were asked for since they were last read."""
    asked = []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.append(message["params"]["request"]["url"])
    return [url for url in asked if re.match(r"(https?|wss?|ftp):", url)]
