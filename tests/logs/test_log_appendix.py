"""The appendix on log formats names every format and every warning that the code has."""

import re
from importlib import import_module

from rlscale.logs.detect import FORMATS


def test_every_format_is_in_the_appendix(root):
    page = (root / "book" / "appendix-log-formats.md").read_text("utf-8")
    for name in FORMATS:
        module = import_module(f"rlscale.logs.formats.{name}")
        row = next((line for line in page.splitlines() if line.startswith(f"| {module.NAME} |")), None)
        assert row is not None, module.NAME
        assert (f"`{module.EXTRA}`" in row) == (module.EXTRA is not None)


def test_every_warning_is_in_the_appendix(root):
    page = (root / "book" / "appendix-log-formats.md").read_text("utf-8")
    codes = set()
    for path in (root / "rlscale" / "logs").rglob("*.py"):
        codes |= set(re.findall(r'LogWarning\(\s*"([a-z-]+)"', path.read_text("utf-8")))
    assert len(codes) > 25
    assert not {code for code in codes if f"`{code}`" not in page}
