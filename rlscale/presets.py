"""Scenarios that come with the package, and those that a reader keeps in a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from .errors import CostError, suggest_names
from .given import show_value
from .scenario import Scenario

#: No scenario is larger; a log given by mistake may be.
_MOST_BYTES = 1_000_000


def list_presets() -> list[str]:
    """Return the names of the scenarios that come with the package.

    Examples
    --------
    >>> list_presets()
    ['dapo-32b', 'r1-zero', 'starting-page', 'starting-page-corrected', 'swe-agent', 'tinker-math']
    """
    from .tables import data_path

    return sorted(p.stem for p in data_path("scenarios").glob("*.toml"))


def load_scenario(name: str | Path, /, **changes: Any) -> Scenario:
    """Return a scenario from a preset or from a TOML file of your own.

    Parameters
    ----------
    name : str or Path
        A name of :func:`list_presets`, or the path of a TOML file with one ``input = value`` a line.
    **changes
        Inputs to set on top; one of them is called ``name`` too.

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
    path = data_path(f"scenarios/{name}.toml") if str(name) in presets else _find_file(name, presets)
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise CostError(
                f"{path}: is larger than {_MOST_BYTES:,} bytes, which no scenario is; give a TOML file"
            )
        values = tomllib.loads(text.decode("utf-8-sig"))
    except RecursionError:
        raise CostError(f"{path}: is nested too deeply; write one 'input = value' a line") from None
    except (ValueError, OSError) as error:  # also what tomllib says of wrong syntax and of endless digits
        raise CostError(
            f"{path}: cannot be read as TOML ({error}); write one 'input = value' a line"
        ) from None
    return scenario_from(values, where=str(path), **changes)


def _find_file(name: str | Path, presets: list[str]) -> Path:
    try:
        path = Path(name)
        if path.is_file():
            return path
    except (OSError, ValueError, TypeError):  # a name that no file can have, or a folder that may not be read
        pass
    raise CostError(
        f"{show_value(str(name))} is neither a preset nor a file that can be read; "
        f"{suggest_names(str(name), presets, limit=20)}"
    )


def scenario_from(values: Mapping[str, Any], *, where: str = "scenario", **changes: Any) -> Scenario:
    """Return a scenario from a mapping of inputs; ``where`` names it in an error, where it has a name."""
    known = {f.name for f in fields(Scenario)}
    for key, value in {**values, **changes}.items():
        if key not in known:
            place = where if where and key in values else "options"
            raise CostError(
                f"{place}: no input is called {show_value(key)}; {suggest_names(key, sorted(known))}"
            )
        if isinstance(value, Mapping):
            raise CostError(f"{where}: {key} is a section; write the inputs without sections")
    try:
        return Scenario(**{**values, **changes})
    except CostError as error:
        if where and (not changes or _is_wrong(values)):
            raise CostError(f"{where}: {error}") from None
        raise


def _is_wrong(values: Mapping[str, Any]) -> bool:
    """Return whether a file is wrong by itself, and not for an option that came on top of it."""
    try:
        Scenario(**values)
    except CostError:
        return True
    return False
