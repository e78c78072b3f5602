"""The cost calculator's script against the package: same numbers, same draws, same words, same refusals.

The pure files run in an empty page of the browser. What they must give is computed by Python here and now.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import fields
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

from rlscale.cost import estimate_cost
from rlscale.errors import CostError
from rlscale.interactive.calculator import describe_stream, page_data, plain
from rlscale.interactive.shipped import shorten_script
from rlscale.presets import list_presets, load_scenario
from rlscale.scenario import Scenario

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("calculator")]

FILES = ("draws.js", "scenario.js", "cost.js")
#: A day on which some prices are old and others are not.
TODAY = date(2026, 12, 20)
#: Fewer than the page's 2,000, to save time, and odd: the page's own number is put to the test on presets.
DRAWS = 131
#: Absolute and relative: both sides round in the last of 16 digits, and long sums lose two more.
TOLERANCE = 1e-9


@pytest.fixture(scope="module")
def sources(root: Path) -> dict[str, str]:
    folder = root / "book" / "_static" / "interactive"
    return {name: (folder / name).read_text(encoding="utf-8") for name in FILES}


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return page_data()


# the scripts know no document: they are run with a global object of their own
LIBRARY = """
const order = ['draws.js', 'scenario.js', 'cost.js']; // a driver may sort the keys of an object
window.load = (sources) => {
  const world = {};
  new Function('globalThis', order.map((name) => sources[name]).join(';\\n'))(world);
  return world.rlscale;
};
const differs = (want, got, at) => {
  if (typeof want === 'number') {
    const near = typeof got === 'number' && Math.abs(want - got) <= tolerance * (1 + Math.abs(want));
    return near ? '' : `${at}: ${want} is ${got}`;
  }
  if (want === null || typeof want !== 'object') return want === got ? '' : `${at}: ${want} is ${got}`;
  if (got === null || typeof got !== 'object') return `${at}: is ${got}`;
  const count = Array.isArray(want) ? want.length : 0;
  if (Array.isArray(want) && count !== got.length) return `${at}: ${count} entries are ${got.length}`;
  for (const key of Object.keys(want)) {
    const found = differs(want[key], got[key], `${at}.${key}`);
    if (found) return found;
  }
  return '';
};
window.compare = (lib, cases, data) => {
  const wrong = [];
  for (const one of cases) {
    let got;
    try {
      got = lib.cost.estimate(one.scenario, data, {draws: one.draws, today: one.today});
    } catch (error) {
      const meant = one.refused && error instanceof lib.scenario.InputError;
      if (!meant) wrong.push(`${one.name}: ${error.stack}`);
      continue;
    }
    if (one.refused) wrong.push(`${one.name}: not refused, Python says ${one.refused}`);
    else {
      const found = differs(one.want, got, one.name);
      if (found) wrong.push(found);
    }
  }
  return wrong;
};
window.tolerance = %g;
"""


@pytest.fixture(scope="module")
def page(browser: Any, sources: dict[str, str], data: dict[str, Any]) -> Any:
    browser.get("about:blank")
    browser.set_script_timeout(120)
    browser.execute_script(LIBRARY % TOLERANCE)
    browser.execute_script(
        "window.data = arguments[0]; window.sources = arguments[1]; window.lib = load(sources)",
        data,
        sources,
    )
    return browser


def expect(name: str, make: Callable[[], Scenario], draws: int = DRAWS) -> dict[str, Any] | None:
    """Return what the script is given and must answer; None if the inputs are no scenario at all."""
    try:
        scenario = make()
    except CostError:
        return None
    case: dict[str, Any] = {"name": name, "draws": draws, "today": TODAY.isoformat()}
    case["scenario"] = {f.name: plain(getattr(scenario, f.name)) for f in fields(Scenario)}
    try:
        cost = estimate_cost(scenario, draws=draws, today=TODAY)
    except CostError as error:
        return {**case, "refused": str(error)}
    want = cost.to_dict()
    del want["scenario"]
    want["parts"] = {part["name"]: part["usd"] for part in want["parts"]}
    want["central"] = cost.central
    return {**case, "want": want}


def random_scenario(rng: np.random.Generator, data: dict[str, Any]) -> Scenario:
    """Return any scenario: each input is changed in a quarter of the cases, beyond what is usual too."""

    def amount(low: float, high: float, most: float = math.inf) -> list[float]:
        """An interval, from 0 or not, or a number that is known."""
        middle = float(np.exp(rng.uniform(np.log(low), np.log(high))))
        wide = float(rng.uniform(1.05, 3))
        kind = rng.integers(4)
        ends = {2: (0.0, middle * wide), 3: (middle, middle)}.get(int(kind), (middle / wide, middle * wide))
        return [min(v, most) for v in (ends[0], middle, ends[1])]

    def some(share: float = 0.25) -> bool:
        return bool(rng.random() < share)

    changes: dict[str, Any] = {
        "steps": amount(1, 1e4),
        "prompts": amount(1, 4000),
        "group_size": [v + 1 for v in amount(1, 64)] if some(0.5) else 8,
        "prompt_tokens": amount(1, 1e4),
        "mean_length": amount(10, 2e4),
        "length_cv": amount(0.05, 3),
        "turns": [v + 6 for v in (1, 4, float(rng.uniform(5, 60)))] if some() else 1,
        "observation_tokens": amount(1, 1000),
        "environment_seconds": amount(0.1, 100),
        "zero_variance": amount(0.01, 0.9, 0.95),
        "filtering": str(rng.choice(["none", "after", "dynamic", "before"])),
        "skip_recall": amount(0.1, 1, 1),
        "eval_problems": amount(1, 1000),
        "eval_samples": amount(1, 64),
        "eval_every": amount(1, 100),
        "cached_share": float(rng.random()),
        "prefix_cache": some(0.5),
        "train_charged_on": str(rng.choice(["completion", "completion and prefill", "datum"])),
        "price_prefill": float(rng.uniform(0.01, 5)),
        "price_sample": float(rng.uniform(0.01, 5)),
        "price_train": float(rng.uniform(0.01, 5)),
        "gpus_per_replica": float(2 ** rng.integers(0, 6)),
        "mode": str(rng.choice(["sync", "async"])),
        "trainer_share": float(rng.uniform(0.05, 0.95)),
        "gpu_hours": amount(10, 1e5),
        "throughput": amount(10, 5000),
        "decode_efficiency": [0.2, 0.4, float(rng.uniform(0.5, 1))],
        "mfu": float(rng.uniform(0.05, 0.6)),
        "step_overhead": amount(0.01, 0.5, 1),
        "scaling_loss": amount(0.01, 0.5, 1),
        "train_method": str(rng.choice(["full", "lora"])),
        "recompute": some(0.5),
        "old_logprob": some(0.5),
        "reference": some(0.5),
        "gpu_price": [v + 0.5 for v in amount(0.5, 10)] if some(0.5) else 2.0,
        "sandbox_containers": amount(1, 500),
        "sandbox_hours": amount(1, 500),
        "sandbox_idle_share": amount(0.1, 1, 1),
        "sandbox_provider": str(rng.choice(list(data["sandbox_prices"]))),
        "sandbox_vcpu": float(rng.uniform(1, 16)),
        "sandbox_price": amount(0.01, 1),
        "storage_gb": amount(1, 1e4),
        "storage_months": amount(0.5, 12),
        "overhead_share": amount(0.05, 1),
        "project_share": amount(0.1, 3),
    }
    kept = {name: value for name, value in changes.items() if some()}
    base = load_scenario(str(rng.choice(list_presets())))
    values = {f.name: getattr(base, f.name) for f in fields(Scenario)} | kept
    if some(0.5) and values["gpu"]:
        values["gpu"] = str(rng.choice([g for g in data["gpus"] if g in data["gpu_prices"]]))
        values["model"] = str(rng.choice(list(data["models"])))
        values["gpus"] = float(2 ** rng.integers(0, 11))
        values["provider"] = ""
    if some(0.4):
        values["tinker_model"] = str(rng.choice(list(data["token_prices"])))
        values["date"] = (date(2026, 2, 1) + timedelta(days=int(rng.integers(300)))).isoformat()
    if some(0.1):
        values["gpu"] = ""
    values["max_length"] = float(rng.uniform(3e4, 1e5)) if some(0.5) else None
    return Scenario(**values)


@pytest.fixture(scope="module")
def random_cases(data: dict[str, Any]) -> list[dict[str, Any]]:
    """200 that Python answers, and those that it refused on the way."""
    rng = np.random.default_rng(8)
    found: list[dict[str, Any]] = []
    while sum("want" in case for case in found) < 200:
        case = expect(f"random {len(found)}", lambda: random_scenario(rng, data))
        if case is not None:
            found.append(case)
    return found


SMALL = {"steps": 3, "prompts": 1, "group_size": 1, "mean_length": 50}
ROOF = {"model": "Qwen3-8B", "gpu": "H100 SXM", "gpus": 8}
MIXTURE = {"model": "Qwen3-30B-A3B", "gpu": "H100 SXM", "gpus": 16}
PAID = {"price_prefill": 0.1, "price_sample": 0.5, "price_train": 0.7}
EDGES: dict[str, dict[str, Any]] = {
    "one completion": SMALL | ROOF | PAID,
    "two completions": SMALL | ROOF | {"prompts": 2},
    "a mixture with a small batch": SMALL | MIXTURE | {"prompts": 3, "group_size": 4},
    "a mixture, async": SMALL | MIXTURE | {"prompts": 500, "mode": "async"},
    "no prompts": SMALL | ROOF | PAID | {"prompts": 0},
    "no steps": SMALL | ROOF | PAID | {"steps": 0},
    "no answer": SMALL | ROOF | {"mean_length": 0, "prompts": 8},
    "equal lengths": SMALL | ROOF | {"prompts": 64, "length_cv": 0},
    "all at the limit": SMALL | ROOF | {"prompts": 64, "max_length": 50},
    "many at a limit of 511.7": SMALL
    | ROOF
    | {"prompts": 64, "mean_length": [300, 500, 511.7], "max_length": 511.7},
    "all at a limit of 0.1 + 0.2": SMALL
    | ROOF
    | {"prompts": 64, "mean_length": 1.3000000000000003, "max_length": 1.3000000000000003},
    "rent of nothing": SMALL | ROOF | PAID | {"gpu_price": 0},
    "tokens for nothing": SMALL | ROOF | dict.fromkeys(PAID, 0.0),
    "a million prompts": SMALL | ROOF | PAID | {"prompts": 1e6, "group_size": 1000},
    "more than a number can hold": SMALL | ROOF | PAID | {"prompts": 1e200, "steps": 1e200},
    "no signal at all": SMALL | PAID | {"zero_variance": 1, "filtering": "after"},
    "a batch that never fills": SMALL | PAID | {"zero_variance": 1, "filtering": "dynamic"},
    "taken off the list": SMALL | {"tinker_model": "Llama-3.1-8B", "date": "2026-11-01"},
    "before the list": SMALL | {"tinker_model": "Qwen3-8B", "date": "2025-01-01"},
    "sandboxes alone": {
        "gpu_hours": 1,
        "sandbox_containers": [1, 10, 20],
        "sandbox_hours": 5,
        "storage_gb": 10,
    },
    "sandboxes without hours": SMALL | {"sandbox_containers": 4},
    "sandboxes on the clock": SMALL
    | ROOF
    | {"prompts": 8, "sandbox_containers": 4, "sandbox_idle_share": [0, 0.5, 1]},
    "GPUs without a use": SMALL | PAID | {"gpus": 4, "gpu_price": 2, "provider": "RunPod"},
    "turns below one": SMALL | PAID | {"turns": [1, 2, 9]},
    "nothing priced": SMALL,
    "a replica too large": SMALL | ROOF | {"gpus": 4, "gpus_per_replica": 8},
    "a model too large": SMALL
    | {"model": "DeepSeek-V3", "gpu": "H100 SXM", "gpus": 8, "gpus_per_replica": 8},
    "a pool of nothing": SMALL | ROOF | {"mode": "async", "trainer_share": 0},
    "given pools": SMALL
    | ROOF
    | {"prompts": 90, "mode": "async", "trainer_share": 0.25, "eval_problems": 9, "eval_every": 4},
    "no price of the GPU": SMALL | ROOF | {"gpu": "H800"},
    "skipped before the rollout": SMALL
    | ROOF
    | PAID
    | {"prompts": 64, "zero_variance": 0.4, "filtering": "before", "skip_recall": 0.3},
    "shorter than a token": SMALL | ROOF | {"prompts": 64, "mean_length": 0.2, "prompt_tokens": 0},
    "eight answers just fit": SMALL | ROOF | {"prompts": 640, "max_length": 46_700},
    "one answer just fits": SMALL
    | ROOF
    | {"prompts": 8, "prompt_tokens": 375_000, "mean_length": 300, "length_cv": 1, "gpus_per_replica": 1},
    "eight just do not fit with their environment": SMALL
    | ROOF
    | {"prompts": 640, "turns": 2, "observation_tokens": 20_000, "max_length": 27_050},
    "a long tail": SMALL | ROOF | {"prompts": 4000, "group_size": 16, "mean_length": 5000, "length_cv": 3},
    "a completion and a bit": SMALL | ROOF | {"steps": 1e7, "prompts": 1.05, "max_length": 50},
    "one provider": SMALL | ROOF | {"provider": "runpod COMMUNITY", "date": "2026-10-01"},
}


def nearly_decided() -> dict[str, Any] | None:
    """Return a case in which own GPUs are cheaper in a few draws more than a decision allows."""
    low, high = 20.0, 60.0
    for _ in range(30):
        price = (low + high) / 2
        case = expect("nearly decided", lambda price=price: load_scenario("tinker-math", gpu_price=price))
        assert case is not None
        share = case["want"]["p_self_hosted_cheaper"]
        if 0.05 < share < 0.06:
            return case
        low, high = (low, price) if share <= 0.05 else (price, high)
    raise AssertionError("no such price")


@pytest.fixture(scope="module")
def edge_cases() -> list[dict[str, Any]]:
    cases = [expect(name, lambda values=values: Scenario(**values)) for name, values in EDGES.items()]
    cases.append(nearly_decided())
    cases += [expect(name, lambda name=name: load_scenario(name), draws=2000) for name in list_presets()]
    assert all(cases), "an edge that is no scenario tests nothing"
    return [case for case in cases if case]


def run(page: Any, cases: list[dict[str, Any]]) -> list[str]:
    wrong: list[str] = page.execute_script("return compare(lib, arguments[0], data)", cases)
    return wrong


def test_script_equals_package_on_random_scenarios(page: Any, random_cases: list[dict[str, Any]]) -> None:
    assert len({json.dumps(case.get("want", {}).get("usd")) for case in random_cases}) > 150, "all alike"
    assert run(page, random_cases) == []


def test_script_equals_package_on_edges_and_presets(page: Any, edge_cases: list[dict[str, Any]]) -> None:
    assert sum("want" in case for case in edge_cases) >= 20
    assert run(page, edge_cases) == []


def test_shipped_script_equals_package(
    page: Any,
    sources: dict[str, str],
    random_cases: list[dict[str, Any]],
    edge_cases: list[dict[str, Any]],
) -> None:
    short = {name: shorten_script(name, text) for name, text in sources.items()}
    wrong = page.execute_script(
        "return compare(load(arguments[0]), arguments[1], data)", short, [*random_cases, *edge_cases]
    )
    assert wrong == []


def test_times_are_remembered_only_while_they_hold(page: Any, sources: dict[str, str]) -> None:
    """Inputs move one after the other: those that a step depends on, and those beside."""
    moves: list[dict[str, Any]] = [{}, {"steps": 90}, {"gpu_price": [2, 3, 5]}, {"mean_length": 250}, {}]
    moves += [{"gpus": 16}, {"mode": "async"}, {"project_share": 0.5}, {"mfu": 0.2}, {"reference": True}]
    moves += [{"tinker_model": ""}, {"gpu": "H200 SXM"}, {"zero_variance": 0.5, "filtering": "after"}]
    cases = [
        expect(str(m), lambda m=m, draws=draws: load_scenario("tinker-math", **m), draws=draws)
        for draws in (DRAWS, DRAWS, 150)
        for m in moves
    ]
    assert all(case and "want" in case for case in cases)
    page.execute_script("window.fresh = load(arguments[0])", sources)
    assert page.execute_script("return compare(fresh, arguments[0], data)", cases) == []


def test_comparison_sees_a_small_difference(page: Any, edge_cases: list[dict[str, Any]]) -> None:
    case = next(c for c in edge_cases if c["name"] == "tinker-math")
    planted = json.loads(json.dumps(case))
    planted["want"]["usd"]["tinker"]["hi"] *= 1 + 1e-7
    assert len(run(page, [planted])) == 1


@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_draws_are_those_of_numpy(page: Any, seed: int) -> None:
    """30,000 of them: some 80 come from the tail or from the wedge of a layer."""
    got = page.execute_script(
        "return Array.from(lib.draws.standardNormal(arguments[0], 30000))", describe_stream(seed)
    )
    assert np.allclose(got, np.random.default_rng(seed).standard_normal(30_000), rtol=1e-13, atol=1e-13)


PROBABILITIES = [*np.geomspace(1e-300, 0.5, 80), *np.linspace(0.01, 0.99, 60), 1 - 1e-12, 0.0, 1.0]


def test_quantile_of_the_normal(page: Any) -> None:
    got = page.execute_script("return arguments[0].map(lib.draws.normalQuantile).map(String)", PROBABILITIES)
    assert np.allclose([float(v.replace("Infinity", "inf")) for v in got], ndtri(PROBABILITIES), rtol=1e-14)


# ---- every constant counts ----

#: Constants that may change by 1 % without a change of any result, with what stands around them, and why.
EXEMPT: dict[str, dict[str, str]] = {
    "draws.js": {
        "nst above = i >⟨1⟩ ? Math.": "a bound of whole numbers",
        "(Math.abs(q) <=⟨0.425⟩) return": "both formulas hold near the seam",
        "sign(q) * (r <=⟨5⟩ ? ratio": "both formulas hold near the seam",
    },
    "cost.js": {
        "h * replicas <=⟨1⟩) return": "no scenario has between 1 and 1.01 completions a step",
        "ber.toPrecision(⟨6⟩));": "digits of a text",
        "if (z >=⟨1⟩) throw": "beyond it the bill is infinite and refused as well",
        "x(v.eval_every,⟨1e-9⟩) : 0;": "keeps a division by nothing away",
        "th.max(context,⟨1⟩) * mode": "with a context of one token more fits than any batch holds",
        "if (gpus >⟨4096⟩) throw": "the powers of 2 next to it are far",
        "t64Array(GRID +⟨1⟩) };": "length of an array",
        "> 0 && share <⟨1⟩)) throw": "beyond it the bill is infinite and refused as well",
        "swingWidth(w) >⟨1e-9⟩ * Math.": "what counts as rounding",
        "ath.abs(rest) >⟨1e-9⟩ * Math.": "what counts as rounding",
        "Math.max(total,⟨1e-9⟩)) means": "what counts as rounding",
        "l(found, names,⟨1⟩, new Fl": "number of rows",
    },
}
LITERAL = re.compile(r"(?<![\w.$'`/])(?:0x[0-9a-f]+n|\d+n|\d+\.?\d*(?:e-?\d+)?)(?![\w.'])", re.I)


def list_literals(source: str) -> list[tuple[int, int, str]]:
    """Return begin, end and changed text of each number of a script that a calculation uses."""
    code = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", lambda m: " " * len(m[0]), source, flags=re.S)
    code = re.sub(
        r"'[^'\n]*'|`[^`\n]*`", lambda m: m[0] if "${" in m[0] else "'" + " " * (len(m[0]) - 2) + "'", code
    )
    places = [m.span() for m in re.finditer(r"\[[\w\s]{1,8}\]|slice\([\d, ]+\)|toFixed\(\d\)", code)]
    found = []
    for m in LITERAL.finditer(code):
        if any(a <= m.start() < b for a, b in places) or m[0] == "0":
            continue
        if m[0].endswith("n"):
            whole = int(m[0][:-1], 0)
            changed = f"{whole + max(1, whole // 100)}n"
        else:
            changed = repr(float(m[0]) * 1.01)
        found.append((m.start(), m.end(), changed))
    return found


MUTATE = """
const [name, changes, cases, quantiles, probabilities, normals] = arguments;
const survivors = [];
for (const [begin, end, changed] of changes) {
  const mutated = {...sources, [name]: sources[name].slice(0, begin) + changed + sources[name].slice(end)};
  let dead = false;
  try {
    const lib = load(mutated);
    const near = (a, b) => Math.abs(a - b) <= 1e-13 * (1 + Math.abs(b));
    dead = !probabilities.every((p, i) => near(lib.draws.normalQuantile(p), quantiles[i]));
    if (!dead && name === 'draws.js') {
      const got = lib.draws.standardNormal(data.stream, normals.length);
      dead = normals.some((z, i) => !(Math.abs(z - got[i]) < 1e-12));
    }
    for (const one of dead ? [] : cases) {
      dead = compare(lib, [one], data).length > 0;
      if (dead) break;
    }
  } catch { dead = true; }
  const text = (from, to) => sources[name].slice(from, to).trim();
  const after = sources[name].slice(end, end + 8);
  if (!dead) survivors.push(`${text(begin - 16, begin)}⟨${text(begin, end)}⟩${after}`.trim());
}
return survivors;
"""


@pytest.mark.parametrize("name", ["draws.js", "cost.js"])
def test_a_change_of_any_constant_by_one_percent_is_noticed(
    page: Any, sources: dict[str, str], random_cases: Any, edge_cases: Any, name: str
) -> None:
    changes = list_literals(sources[name])
    assert len(changes) > 50
    cases = [*(c for c in edge_cases if c["draws"] == DRAWS), *random_cases[:60]]
    middle = [p for p in PROBABILITIES if 0 < p < 1]
    normals = np.random.default_rng(0).standard_normal(20_000).tolist()
    quantiles = ndtri(middle).tolist()
    control = page.execute_script(MUTATE, name, [[0, 0, ""]], cases, quantiles, middle, normals)
    assert len(control) == 1, "the script as it is must pass, else a change proves nothing"
    survivors = []
    for first in range(
        0, len(changes), 20
    ):  # in parts, each within the time that a driver waits for a script
        part = changes[first : first + 20]
        survivors += page.execute_script(MUTATE, name, part, cases, quantiles, middle, normals)
    assert set(survivors) == set(EXEMPT[name]), "\n".join(survivors)
