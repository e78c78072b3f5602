"""Scenarios that come with the package, and those that a reader keeps in a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from .errors import CostError, suggest_names
from .scenario import Scenario


def list_presets() -> list[str]:
    """Return the names of the scenarios that come with the package.

    Examples
    --------
    >>> list_presets()
    ['dapo-32b', 'r1-zero', 'starting-page', 'starting-page-corrected', 'swe-agent', 'tinker-math']
    """
    from .tables import data_path

    return sorted(p.stem for p in data_path("scenarios").glob("*.toml"))


def load_scenario(name: str | Path, **changes: Any) -> Scenario:
    """Return a scenario from a preset or from a TOML file of your own.

    Parameters
    ----------
    name : str or Path
        A name of :func:`list_presets`, or the path of a TOML file with one ``input = value`` a line.
    **changes
        Inputs to set on top.

    Returns
    -------
    Scenario
        The checked inputs.

    Raises
    ------
    CostError
        If there is no such preset or file, the file is no TOML, or an input is unknown or wrong.

    Examples
    --------
    >>> load_scenario("starting-page").steps.mid
    7400.0
    """
    from .tables import data_path

    presets = list_presets()
    if str(name) in presets:
        path = data_path(f"scenarios/{name}.toml")
    else:
        path = Path(name)
        if not path.is_file():
            raise CostError(
                f"{str(name)!r} is neither a preset nor a file; {suggest_names(str(name), presets)}"
            )
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise CostError(
            f"{path}: cannot be read as TOML ({error}); write one 'input = value' a line"
        ) from None
    return scenario_from(values, where=str(path), **changes)


def scenario_from(values: Mapping[str, Any], *, where: str = "scenario", **changes: Any) -> Scenario:
    """Return a scenario from a mapping of inputs; ``where`` names it in an error."""
    known = {f.name for f in fields(Scenario)}
    for key, value in values.items():
        if key not in known:
            raise CostError(f"{where}: no input is called {key!r}; {suggest_names(key, sorted(known))}")
        if isinstance(value, Mapping):
            raise CostError(f"{where}: {key} is a section; write the inputs without sections")
    try:
        return Scenario(**{**values, **changes})
    except CostError as error:
        raise CostError(f"{where}: {error}" if not changes or _is_wrong(values) else str(error)) from None


def _is_wrong(values: Mapping[str, Any]) -> bool:
    """Return whether a file is wrong by itself, and not for an option that came on top of it."""
    try:
        Scenario(**values)
    except CostError:
        return True
    return False
