"""What pytest leaves out: modules of the laboratory that need PyTorch, where it is not installed."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).parent

collect_ignore = (
    []
    if find_spec("torch")
    else [
        str(path.relative_to(_ROOT))
        for path in sorted((_ROOT / "rlscale" / "lab").glob("*.py"))
        if re.search(r"^(import|from) torch\b", path.read_text(encoding="utf-8"), re.M)
    ]
)


def pytest_report_header() -> str | None:
    """Say what is left out."""
    if collect_ignore:
        return f"PyTorch is not installed: no doctests of {', '.join(collect_ignore)}"
    return None
