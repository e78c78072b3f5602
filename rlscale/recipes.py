"""The recipes of ``data/recipes.csv`` as laws, and two of them side by side.

Four numbers make a law, and no paper states all four for two recipes. So each number of a recipe carries its
kind (reported, derived or illustrative), and a comparison says what it rests on. Who is ahead depends on the
compute: :func:`find_crossings` says where the order changes.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from .errors import CurveError, TableError, suggest_names
from .law import Sigmoid
from .law_base import Law

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

_PARAMETERS = ("R0", "A", "B", "Cmid")
#: Computes between which a crossing is looked for; two laws of one shape cross a few times at most.
_PLACES = 2000


@dataclass(frozen=True)
class Recipe:
    """One recipe: its law, and where each number of the law comes from.

    Attributes
    ----------
    id, name : str
        Key in ``data/recipes.csv`` and the name people use.
    law : Sigmoid
        Compute in GB200 GPU-hours.
    kinds : mapping of str to str
        ``R0``, ``A``, ``B``, ``Cmid`` → ``reported``, ``derived`` or ``illustrative``.
    why : str
        Why these numbers.
    source : str
        Where the recipe and its reported numbers stand.
    """

    id: str
    name: str
    law: Sigmoid
    kinds: Mapping[str, str]
    why: str
    source: str

    @property
    def illustrative(self) -> tuple[str, ...]:
        """Parameters that no source states."""
        return tuple(p for p in _PARAMETERS if self.kinds[p] == "illustrative")


@functools.cache
def list_recipes() -> Mapping[str, Recipe]:
    """Return all recipes by name, in the order of the table.

    Examples
    --------
    >>> list_recipes()["ScaleRL"].illustrative
    ('R0',)
    """
    from .tables import load_table

    found = {}
    for row in load_table("recipes").to_dict("records"):
        law = Sigmoid(row["R0"], row["A"], row["B"], row["Cmid_gpu_hours"])
        kinds = MappingProxyType({p: row[f"{p}_kind"] for p in _PARAMETERS})
        found[row["name"]] = Recipe(
            row["id"], row["name"], law, kinds, row["why_these_numbers"], row["source"]
        )
    return MappingProxyType(found)


def find_recipe(name: str) -> Recipe:
    """Return the recipe of that name (or id), upper or lower case.

    Raises
    ------
    TableError
        If there is none; the message suggests one.

    Examples
    --------
    >>> find_recipe("dr_grpo").name
    'Dr. GRPO'
    """
    known = list_recipes()
    for recipe in known.values():
        if name.strip().lower() in (recipe.name.lower(), recipe.id.lower()):
            return recipe
    raise TableError(f"no recipe is called {name!r} in data/recipes.csv; {suggest_names(name, known)}")


def find_crossings(first: Law, second: Law, start: float, end: float) -> Floats:
    """Return the computes at which two laws have the same pass rate and change places.

    Parameters
    ----------
    first, second : Law
        Compute in the same unit.
    start, end : float
        Range that is searched, 0 < start < end.

    Returns
    -------
    array, shape (crossings,)
        Rising; empty where one law is ahead all the way, or both are the same.

    Raises
    ------
    CurveError
        If the range is empty.

    Examples
    --------
    >>> early, high = Sigmoid(0.2, 0.5, 1, 100), Sigmoid(0.2, 0.6, 1, 200)
    >>> find_crossings(early, high, 1, 10_000).round(6)  # 0.3/(C + 100) = 0.4/(C + 200)
    array([200.])
    """
    if not (0 < start < end < math.inf):
        raise CurveError(f"cannot look between {start:g} and {end:g}; give two computes above 0, rising")

    def lead(log_compute: float) -> float:
        return first(math.exp(log_compute)) - second(math.exp(log_compute))

    places = np.linspace(math.log(start), math.log(end), _PLACES)
    compute = np.exp(places)
    leads = np.asarray(first(compute)) - np.asarray(second(compute))
    # below this a difference is rounding, as between two equal laws
    signs = np.where(np.abs(leads) < 1e-13, 0, np.sign(leads))
    known = np.flatnonzero(signs)
    turns = [(i, j) for i, j in itertools.pairwise(known) if signs[i] != signs[j]]
    return np.array([math.exp(brentq(lead, places[i], places[j], xtol=1e-13)) for i, j in turns])


def compare_laws(
    laws: Mapping[str, Law], *, target: float, budget: float, usd_per_unit: float
) -> pd.DataFrame:
    """Return what each law costs to a target and where it stands at a budget.

    Parameters
    ----------
    laws : mapping of name to Law
        Compute in one unit.
    target : float
        Pass rate in [0, 1].
    budget : float
        Compute, 0 or more.
    usd_per_unit : float
        Price of one unit of compute, 0 or more.

    Returns
    -------
    DataFrame
        Indexed by name: ``Cmid``, ``pass_rate_at_Cmid``, ``compute_to_target``, ``usd_to_target`` (inf where
        the ceiling is too low), ``pass_rate_at_budget``.

    Raises
    ------
    CurveError
        If the target is no pass rate, or budget or price is negative.

    Examples
    --------
    >>> laws = {"low": Sigmoid(0.2, 0.5, 1, 100), "high": Sigmoid(0.2, 0.6, 1, 200)}
    >>> compare_laws(laws, target=0.5, budget=200, usd_per_unit=2)["usd_to_target"].round(6).tolist()
    [inf, 1200.0]
    """
    import pandas as pd

    if not laws:
        raise CurveError("there is no law to compare; give one or more")
    if not 0 <= target <= 1:
        raise CurveError(f"target is {target}; give a pass rate from 0 to 1 (divide percent by 100)")
    for name, value in (("budget", budget), ("usd_per_unit", usd_per_unit)):
        if not (math.isfinite(value) and value >= 0):
            raise CurveError(f"{name} is {value}; give a finite number of 0 or more")
    rows = {}
    for name, law in laws.items():
        compute = law.compute_for(target)
        # what is never reached is dear even where compute is free
        usd = compute * usd_per_unit if math.isfinite(compute) else math.inf
        rows[name] = {
            "Cmid": law.Cmid,
            "pass_rate_at_Cmid": law(law.Cmid),
            "compute_to_target": compute,
            "usd_to_target": usd,
            "pass_rate_at_budget": law(budget),
        }
    return pd.DataFrame.from_dict(rows, orient="index")
