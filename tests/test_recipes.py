"""Recipes as laws: the table comes back, crossings and costs are right."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlscale.errors import CurveError, TableError
from rlscale.law import Sigmoid
from rlscale.recipes import compare_laws, find_crossings, find_recipe, list_recipes
from rlscale.tables import load_table

EARLY, HIGH = Sigmoid(0.2, 0.5, 1, 100), Sigmoid(0.2, 0.6, 1, 200)


def test_every_row_of_the_table_is_a_recipe_with_its_kinds() -> None:
    table = load_table("recipes").set_index("name")
    recipes = list_recipes()
    assert list(recipes) == list(table.index)
    for name, recipe in recipes.items():
        row = table.loc[name]
        law = (recipe.law.R0, recipe.law.A, recipe.law.B, recipe.law.Cmid)
        assert law == (row.R0, row.A, row.B, row.Cmid_gpu_hours)
        assert recipe.illustrative == tuple(
            p for p in ("R0", "A", "B", "Cmid") if row[f"{p}_kind"] == "illustrative"
        )


def test_no_recipe_has_a_published_start() -> None:
    assert all("R0" in r.illustrative for r in list_recipes().values())


@pytest.mark.parametrize("name", ["CISPO", "cispo", " Cispo "])
def test_a_recipe_is_found_by_name_or_id(name: str) -> None:
    assert find_recipe(name).id == "cispo"


def test_an_unknown_recipe_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(TableError, match="did you mean 'GRPO'"):
        find_recipe("GRP0")


def test_crossing_is_where_the_pass_rates_agree() -> None:
    # 0.3/(C + 100) = 0.4/(C + 200)  =>  C = 200
    assert find_crossings(EARLY, HIGH, 1, 1e5) == pytest.approx([200.0], rel=1e-9)


def test_two_crossings_are_both_found() -> None:
    steep, flat = Sigmoid(0.1, 0.6, 3, 1000), Sigmoid(0.1, 0.65, 0.7, 1000)
    found = find_crossings(steep, flat, 1, 1e7)
    assert len(found) == 2
    # the flat one is ahead early by its slow rise and late by its ceiling
    assert [bool(steep(c) > flat(c)) for c in (100, 5000, 1e6)] == [False, True, False]
    assert 100 < found[0] < 5000 < found[1] < 1e6
    assert np.allclose(steep(found), flat(found), atol=1e-12)


def test_equal_laws_and_a_law_always_ahead_have_no_crossing() -> None:
    assert find_crossings(EARLY, EARLY, 1, 1e5).size == 0
    assert find_crossings(EARLY, Sigmoid(0.3, 0.7, 1, 100), 1, 1e5).size == 0


@pytest.mark.parametrize(("start", "end"), [(0, 10), (10, 10), (10, 1), (1, math.inf), (math.nan, 2)])
def test_an_empty_range_is_refused(start: float, end: float) -> None:
    with pytest.raises(CurveError, match="two computes above 0"):
        find_crossings(EARLY, HIGH, start, end)


@settings(max_examples=40, deadline=None)
@given(st.floats(1e-6, 1e6))
def test_crossings_move_with_the_unit(scale: float) -> None:
    scaled = [Sigmoid(law.R0, law.A, law.B, law.Cmid * scale) for law in (EARLY, HIGH)]
    found = find_crossings(scaled[0], scaled[1], scale, 1e5 * scale)
    assert found == pytest.approx([200.0 * scale], rel=1e-8)


def test_cost_to_a_target_is_compute_times_price_and_never_is_dear() -> None:
    table = compare_laws({"early": EARLY, "high": HIGH}, target=0.5, budget=200, usd_per_unit=0)
    assert (
        table.loc["early", "usd_to_target"] == math.inf
    )  # free compute does not reach what is never reached
    assert table.loc["high", "usd_to_target"] == 0
    assert table.loc["high", "compute_to_target"] == pytest.approx(600)
    assert table["pass_rate_at_budget"].tolist() == pytest.approx([0.4, 0.4])
    assert table["pass_rate_at_Cmid"].tolist() == pytest.approx([0.35, 0.4])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"target": 45}, "divide percent by 100"),
        ({"target": math.nan}, "pass rate"),
        ({"budget": -1}, "budget is -1"),
        ({"usd_per_unit": math.inf}, "usd_per_unit is inf"),
    ],
)
def test_impossible_questions_are_refused(change: dict[str, float], said: str) -> None:
    with pytest.raises(CurveError, match=said):
        compare_laws({"a": EARLY}, **({"target": 0.4, "budget": 10, "usd_per_unit": 1} | change))


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(CurveError, match="no law"):
        compare_laws({}, target=0.4, budget=10, usd_per_unit=1)
