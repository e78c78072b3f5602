"""What the explorer of the published pages starts from: recipes, published fits, units, a dated price.

Its answers are those of :class:`rlscale.Sigmoid`, :func:`rlscale.recipes.compare_laws` and
:func:`rlscale.recipes.find_crossings`; the page shows the call that gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..curve import UNITS
from ..plot_marks import COLOURS, PLAIN, RECIPES, Mark
from ..plot_published import PUBLISHED, select_published
from ..prices import STALE_DAYS, find_gpu_price
from ..recipes import find_recipe, list_recipes
from ..tables import load_table

#: GB200 GPU-hours of a rollout step of 768 answers of the 8B model: ScaleRL, App. A.6 (derived).
HOURS_PER_STEP = 1.5
_ANSWERS_PER_STEP = 768
#: Tokens that a GPU generates and trains on in an hour; illustrative, as in the chapter on the law.
_TOKENS_PER_HOUR = 1e7

_COMMON = {"unit": "gpu_hours", "hours": 1.0, "price": 7.52}

#: What a link of version 1 means where it does not name a key, by case. Links are kept in papers and lessons:
#: these numbers never change. What a page *opens* with follows the tables, and is in :func:`page_data`.
LINK_V1: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "recipes": MappingProxyType(
            {"first": "grpo", "R0a": 0.25, "Aa": 0.5, "Ba": 1.77, "Ca": 3500.0}
            | {"second": "cispo", "R0b": 0.25, "Ab": 0.61, "Bb": 2.01, "Cb": 2542.0}
            | {"target": 0.45, "run": 8000.0, "at": 8000.0}
            | _COMMON
        ),
        "lengths": MappingProxyType(
            {"first": "t1_scalerl", "R0a": 0.25, "Aa": 0.61, "Ba": 1.92, "Ca": 2542.0}
            | {"second": "t1_32k", "R0b": 0.25, "Ab": 0.645, "Bb": 1.89, "Cb": 11272.0}
            | {"target": 0.6, "run": 50_000.0, "at": 16_000.0}
            | _COMMON
        ),
    }
)

#: The cases that pages open with: which two, the target, the planned run and the cursor (GPU-hours).
CASES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        name: MappingProxyType({key: old[key] for key in ("first", "second", "target", "run", "at")})
        for name, old in LINK_V1.items()
    }
)


def list_presets() -> list[dict[str, Any]]:
    """Return the recipes and the published fits as the page has them.

    Returns
    -------
    list of dict
        ``id``, ``name``, ``group``, ``R0``, ``A``, ``B``, ``C`` (GB200 GPU-hours), ``kinds`` of these four,
        ``why``, ``source``, and how it is drawn: ``colour`` (a name), ``dash``, ``marker``.

    Examples
    --------
    >>> {p["id"]: p["kinds"] for p in list_presets()}["t1_bs2048"]
    {'R0': 'illustrative', 'A': 'reported', 'B': 'reported', 'C': 'reported'}
    """
    presets = []
    for recipe in list_recipes().values():
        law, kinds = recipe.law, recipe.kinds
        presets.append(
            {"id": recipe.id, "name": recipe.name, "group": "Recipes"}
            | {"R0": law.R0, "A": law.A, "B": law.B, "C": law.Cmid}
            | {"kinds": {"R0": kinds["R0"], "A": kinds["A"], "B": kinds["B"], "C": kinds["Cmid"]}}
            | {"why": f"{recipe.why}.", "source": recipe.source}
            | _describe_mark(RECIPES.get(recipe.name, PLAIN))
        )
    start = find_recipe("ScaleRL").law.R0  # published by nobody
    fits = select_published(load_table("published_fits"))
    for row in fits.reset_index().to_dict("records"):
        mark = PUBLISHED[row["id"]][1] if row["id"] in PUBLISHED else PLAIN
        presets.append(
            {"id": row["id"], "name": row["name"], "group": "Published fits (ScaleRL, Table 1)"}
            | {"R0": start, "A": row["A"], "B": row["B"], "C": row["Cmid_gpu_hours"]}
            | {"kinds": {"R0": "illustrative", "A": "reported", "B": "reported", "C": "reported"}}
            | {"why": f"{row['recipe']}, {row['measured_on']}. R0 is chosen: the paper does not publish it."}
            | {"source": f"{row['source']}, {row['location']}"}
            | _describe_mark(mark)
        )
    return presets


def _describe_mark(mark: Mark) -> dict[str, str]:
    names = {code: name for name, code in COLOURS.items()}
    return {"colour": names[mark.colour], "dash": mark.dash, "marker": mark.marker}


def open_case(name: str) -> dict[str, Any]:
    """Return the values that a page opens with: its two presets and the price as the tables have them today.

    Parameters
    ----------
    name : str
        A key of :data:`CASES`.

    Examples
    --------
    >>> case = open_case("recipes")
    >>> case["first"], case["Aa"], case["second"], case["Ab"]
    ('grpo', 0.5, 'cispo', 0.61)
    """
    known = {p["id"]: p for p in list_presets()}
    case = dict(CASES[name]) | {"unit": "gpu_hours", "hours": 1.0, "price": find_gpu_price("GB200").value}
    for which, suffix in (("first", "a"), ("second", "b")):
        case |= {f"{p}{suffix}": known[case[which]][p] for p in ("R0", "A", "B", "C")}
    return case


def page_data() -> dict[str, Any]:
    """Return the JSON of the explorer.

    Returns
    -------
    dict
        ``presets``; ``cases`` with the values to ``open`` with and those that ``frozen`` links mean;
        ``units`` with GPU-hours each; ``window`` of the compute axis in GPU-hours; ``pilot``, the share of a
        run that is shaded; ``price`` with its day and source.

    Examples
    --------
    >>> data = page_data()
    >>> data["pilot"], data["price"]["as_of"] >= "2026-01-01", [u["value"] for u in data["units"]][:2]
    (0.25, True, ['gpu_hours', 'rollout_steps'])
    """
    hours = {
        "gpu_hours": 1.0,
        "rollout_steps": HOURS_PER_STEP,
        "completions": HOURS_PER_STEP / _ANSWERS_PER_STEP,
        "generated_tokens": 1 / _TOKENS_PER_HOUR,
    }
    price = find_gpu_price("GB200")
    return {
        "title": "Explorer: two recipes side by side",
        "hardware": "GB200",
        "presets": list_presets(),
        "cases": {name: {"open": open_case(name), "frozen": dict(LINK_V1[name])} for name in CASES},
        "units": [{"value": unit, "label": UNITS[unit], "hours": each} for unit, each in hours.items()],
        "window": [100, 100_000],
        "pilot": 0.25,
        "price": price.to_dict() | {"lo": price.lo, "hi": price.hi, "stale_days": STALE_DAYS},
    }
