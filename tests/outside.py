"""What a test does where a thing that is not part of the checkout is absent."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def skip_or_fail(reason: str) -> NoReturn:
    """Skip where an outside thing is absent, but fail in CI, where it has to be there."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
