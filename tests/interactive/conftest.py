"""Leaves the browser as it was: other modules use the same one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def clean_browser(request: pytest.FixtureRequest) -> Iterator[None]:
    """Take back what a test here may have asked of the browser."""
    yield
    if "browser" in request.fixturenames:
        browser = request.getfixturevalue("browser")
        browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
