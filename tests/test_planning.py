"""Forecast and cost together: cost to a target, pass rate for a budget, cheapest recipe, best stop."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import rlscale as rs
from rlscale.errors import CostError
from rlscale.law import SHAPES
from rlscale.planning import join_plan, price_unit
from rlscale.presets import load_scenario
from rlscale.project import Project, budget_project
from rlscale.spending import (
    compare_recipes,
    cost_to_target,
    find_best_stop,
    pass_rate_for,
    points_per_1000_usd,
)


def laws(
    n: int = 2000, *, a: float = 0.6, sd: float = 0.0, mid: float = 1000.0, seed: int = 1
) -> pd.DataFrame:
    """Draws around a planted sigmoid."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "R0": np.full(n, 0.2),
            "A": np.clip(a + sd * rng.standard_normal(n), 0.2, 1),
            "B": np.full(n, 1.5),
            "Cmid": mid * np.exp(0.2 * (sd > 0) * rng.standard_normal(n)),
        }
    )


TRUE = rs.Sigmoid(R0=0.2, A=0.6, B=1.5, Cmid=1000)


def test_planted_law_comes_back():
    plan = join_plan(laws(), 2.0, spent=500)
    target = cost_to_target(plan, 0.5)
    assert target.p_reached == 1
    assert target.compute.median == pytest.approx(TRUE.compute_for(0.5))
    assert target.usd.median == pytest.approx(2 * (TRUE.compute_for(0.5) - 500))
    assert pass_rate_for(plan, 3000).median == pytest.approx(TRUE(2000))
    assert points_per_1000_usd(plan, 2000).median == pytest.approx(100 * (TRUE(2500) - TRUE(2000)))


@pytest.mark.parametrize("shape", ["sigmoid", "weibull", "power"])
def test_every_shape_agrees_with_its_law(shape):
    law = SHAPES[shape](R0=0.1, A=0.7, B=0.8, Cmid=50)
    draws = pd.DataFrame({"shape": [shape], "R0": [0.1], "A": [0.7], "B": [0.8], "Cmid": [50.0]})
    plan = join_plan(draws, 1.0)
    assert plan.pass_rate_at(123.0)[0] == pytest.approx(law(123.0))
    assert plan.compute_for(0.55)[0] == pytest.approx(law.compute_for(0.55))


def test_budget_and_target_are_inverse():
    plan = join_plan(laws(), 3.0, spent=200)
    usd = cost_to_target(plan, 0.45).usd.median
    assert pass_rate_for(plan, usd).median == pytest.approx(0.45)


def test_target_above_the_ceiling_is_never_reached():
    never = cost_to_target(join_plan(laws(), 2.0), 0.65)
    assert never.p_reached == 0 and math.isinf(never.usd.median)
    assert never.usd.to_dict() == {"median": None, "lo": None, "hi": None}
    free = cost_to_target(join_plan(laws(), 0.0), 0.65)
    assert math.isinf(free.usd.median)


def test_uncertain_ceiling_gives_a_probability_and_an_open_interval():
    maybe = cost_to_target(join_plan(laws(sd=0.05), 2.0), 0.6)
    assert maybe.p_reached == pytest.approx(0.5, abs=0.03)
    assert math.isfinite(maybe.usd.lo) and math.isinf(maybe.usd.hi)


def test_what_is_reached_too_late_is_not_reached():
    plan = join_plan(laws(), 2.0, spent=500)
    late = TRUE.compute_for(0.5)
    assert cost_to_target(plan, 0.5, longest=1.01 * late).p_reached == 1
    assert cost_to_target(plan, 0.5, longest=0.99 * late).p_reached == 0
    with pytest.raises(CostError, match="longest"):
        cost_to_target(plan, 0.5, longest=100)


def test_target_already_reached_costs_nothing():
    plan = join_plan(laws(), 2.0, spent=5000)
    assert cost_to_target(plan, 0.3).usd.hi == 0
    assert cost_to_target(plan, 0.1).p_reached == 1


def test_price_and_law_are_uncertain_together():
    sure = join_plan(laws(sd=0.02), 2.0)
    both = join_plan(laws(sd=0.02), 2.0 * np.exp(0.4 * np.random.default_rng(0).standard_normal(2000)))
    a, b = cost_to_target(sure, 0.5).usd, cost_to_target(both, 0.5).usd
    assert b.hi - b.lo > 1.3 * (a.hi - a.lo)


def test_best_stop_is_where_the_next_point_costs_what_it_is_worth():
    plan = join_plan(laws(), 2.0)
    stop = find_best_stop(plan, usd_per_point=500, longest=50_000)
    # marginal value 100·500·R'(C) equals the price 2; the grid has 600 places over four decades: 2 % apart
    assert 100 * 500 * TRUE.slope(stop.compute) == pytest.approx(2.0, rel=0.06)
    assert stop.points.median == pytest.approx(100 * (TRUE(stop.compute) - 0.2))
    assert stop.net_usd == pytest.approx(500 * stop.points.median - stop.usd.median, rel=0.01)


def test_best_stop_is_now_when_points_are_worth_nothing():
    stop = find_best_stop(join_plan(laws(), 2.0, spent=700), usd_per_point=0, longest=10_000)
    assert (stop.compute, stop.usd.hi, stop.net_usd) == (700, 0, 0)


def test_cheapest_recipe():
    fast, slow = join_plan(laws(sd=0.01), 1.0), join_plan(laws(sd=0.01, mid=3000, seed=2), 1.0)
    high = join_plan(laws(a=0.7, sd=0.01, mid=3000, seed=3), 1.0)
    low = compare_recipes({"slow": slow, "fast": fast}, 0.4)
    assert list(low["recipe"]) == ["fast", "slow"] and low["p_cheapest"][0] > 0.95
    ceiling = compare_recipes({"fast": fast, "high": high}, 0.65)
    assert ceiling["recipe"][0] == "high" and ceiling["p_cheapest"][0] == pytest.approx(1, abs=0.01)
    assert compare_recipes({"fast": fast, "slow": slow}, 0.9)["p_cheapest"].sum() == 0
    equal = compare_recipes({"one": fast, "two": fast}, 0.4)
    assert list(equal["p_cheapest"]) == [0.5, 0.5]


def test_price_of_a_unit():
    scenario = load_scenario("tinker-math")
    step = price_unit(scenario, "rollout_steps", branch="tinker")
    whole = rs.estimate_cost(scenario).usd["tinker"].median
    assert np.median(step) * 180 == pytest.approx(whole, rel=0.05)
    completion = price_unit(scenario, "completions", branch="tinker")
    assert np.allclose(completion * 64 * 16, step)
    hour = price_unit(scenario, "gpu_hours", branch="self_hosted")
    assert np.median(hour) == pytest.approx(rs.estimate_cost(scenario).prices[-1].value, rel=0.1)
    assert np.all(price_unit(scenario, "usd") == 1)


def test_forecast_and_cost_join():
    rng = np.random.default_rng(0)
    at = np.arange(0, 3001, 100.0)
    seen = np.clip(TRUE(at) + 0.01 * rng.standard_normal(at.size), 0, 1)
    curve = rs.Curve(at, seen, unit="rollout_steps", n=500, k=4)
    forecast = rs.forecast_run(curve, budget=12_000)
    price = price_unit(load_scenario("tinker-math"), "rollout_steps", branch="total_tinker")
    plan = join_plan(forecast.draws(500), price, spent=3000)
    answer = cost_to_target(plan, 0.55)
    assert 0 <= answer.p_reached <= 1 and answer.usd.lo <= answer.usd.median
    # the truth: 0.55 is reached at 3,659 rollout steps, 659 more, at about a dollar each
    true_usd = (TRUE.compute_for(0.55) - 3000) * float(np.median(price))
    assert answer.usd.lo <= true_usd <= answer.usd.hi


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: join_plan(pd.DataFrame({"R0": [0.1]}), 1.0), "'A'"),
        (lambda: join_plan(laws(5), -1.0), "prices"),
        (lambda: join_plan(laws(5), float("nan")), "prices"),
        (lambda: join_plan(laws(5), 1.0, spent=-1), "spent"),
        (lambda: join_plan(laws(5).iloc[:0], 1.0), "no draws"),
        (lambda: join_plan(laws(5).assign(shape="sigmoids"), 1.0), "sigmoid"),
        (lambda: cost_to_target(join_plan(laws(5), 1.0), 60), "percent"),
        (lambda: pass_rate_for(join_plan(laws(5), 1.0), -1), "budget"),
        (lambda: points_per_1000_usd(join_plan(laws(5), 1.0), 5, usd=0), "above 0"),
        (lambda: find_best_stop(join_plan(laws(5), 1.0, spent=10), 5, longest=5), "longest"),
        (lambda: find_best_stop(join_plan(laws(5), 1.0), float("inf"), longest=5), "usd_per_point"),
        (lambda: compare_recipes({}, 0.5), "no recipe"),
        (lambda: compare_recipes({"a": join_plan(laws(5), 1.0), "b": join_plan(laws(6), 1.0)}, 0.5), "draws"),
        (lambda: price_unit(load_scenario("tinker-math"), "updates"), "rollout_steps"),
        (lambda: price_unit(load_scenario("tinker-math"), "rollout_steps", branch="tinkr"), "tinker"),
    ],
)
def test_wrong_questions_are_refused(call, message):
    with pytest.raises(CostError, match=message):
        call()


def test_project_is_more_than_its_last_run():
    # SmolLM3: 276,480 GPU-hours of the main run, 161,280 of ablations and debugging, 58 % on top
    lines = budget_project(276_480, Project(pilots=161_280 / 276_480))
    assert lines["total"] == pytest.approx(437_760)
    assert lines["pilots and ablations"] / lines["last run"] == pytest.approx(0.58, abs=0.005)
    full = budget_project(100, Project(0.25, 0.5, 0.1, 0.2, services=0.3, people_usd=1000))
    assert full["total"] == pytest.approx(sum(v for k, v in full.items() if k != "total"))
    assert full["total"] == pytest.approx(100 * 2.05 * 1.3 + 1000)
    assert budget_project(0, Project(pilots=1))["total"] == 0


@pytest.mark.parametrize("wrong", [{"pilots": 58}, {"failed": -0.1}, {"people_usd": float("nan")}])
def test_impossible_projects_are_refused(wrong):
    with pytest.raises(CostError):
        Project(**wrong)
