"""What pytest leaves out: the modules that need PyTorch, where it is not installed, and no others."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).parent


def _needs_torch(path: Path) -> bool:
    try:
        import_module(".".join(path.relative_to(_ROOT).with_suffix("").parts))
    except ModuleNotFoundError as error:
        return error.name == "torch"
    return False


_MODULES = sorted((_ROOT / "rlscale" / "lab").glob("*.py"))
collect_ignore = (
    [] if find_spec("torch") else [str(p.relative_to(_ROOT)) for p in _MODULES if _needs_torch(p)]
)


def pytest_report_header() -> str | None:
    """Say what is left out."""
    if collect_ignore:
        return f"PyTorch is not installed: no doctests of {', '.join(collect_ignore)}"
    return None
