"""Fixtures that several test modules share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from outside import skip_or_fail

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_runs() -> Path:
    """Real logs that are not part of the project: ``runs/`` of ``../shared``, or of RLSCALE_SHARED."""
    folder = Path(os.environ.get("RLSCALE_SHARED") or ROOT.parent / "shared") / "runs"
    if not folder.is_dir():
        pytest.skip(f"no real logs: {folder} is not a folder (set RLSCALE_SHARED)")
    return folder


@pytest.fixture(scope="session")
def site() -> Path:
    """The built book."""
    folder = ROOT / "_build" / "html"
    if not (folder / "index.html").is_file():
        skip_or_fail("the book is not built: make book")
    return folder


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """A headless Chromium that can reach no host."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    chromium, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        skip_or_fail("no browser: install the packages chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--window-size=1280,900",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    started.set_page_load_timeout(60)
    yield started
    started.quit()
