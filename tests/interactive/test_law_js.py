"""The explorer's arithmetic against the package: law, inverse, slope, crossings, and what they cost.

``law.js`` runs in an empty page of the browser. What it must give is computed by Python here and now.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlscale.interactive.shipped import shorten_script
from rlscale.law import SHAPES, Sigmoid
from rlscale.law_base import Law
from rlscale.recipes import compare_laws, find_crossings

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("interactive")]

#: Of the value itself: both sides round in the last of 16 digits, and a large B magnifies it.
TOLERANCE = 1e-9
WINDOW = (100.0, 100_000.0)

# numbers travel as text: JSON has no infinity
SCRIPT = """
const [sources, cases, pairs, tolerance] = arguments;
const same = (want, got) => {
  const w = Number(want);
  const none = Math.abs(w) < 1e-280 && Math.abs(got) < 1e-280;
  return w === got || none || (Number.isFinite(w) && Math.abs(w - got) <= tolerance * Math.abs(w));
};
return sources.map((source) => {
  const world = {};
  const wrong = [];
  try {
    new Function('globalThis', source)(world);
    const lib = world.rlscale.law;
    const check = (name, want, got) => { if (!same(want, got)) wrong.push(`${name}: ${want} is ${got}`); };
    cases.forEach(({ law, computes, targets, readOut }, k) => {
      computes.forEach(([text, rate, gain, slope, share]) => {
        const c = Number(text);
        check(`${k} passRate(${text})`, rate, lib.passRate(law, c));
        check(`${k} gain(${text})`, gain, lib.gain(law, c));
        check(`${k} slope(${text})`, slope, lib.slope(law, c));
        check(`${k} share(${text})`, share, lib.share(law, c));
      });
      targets.forEach(([text, compute]) => {
        check(`${k} computeFor(${text})`, compute, lib.computeFor(law, Number(text)));
      });
      const got = lib.readOut(law, readOut.asked);
      for (const [key, want] of Object.entries(readOut.wanted)) check(`${k} readOut.${key}`, want, got[key]);
    });
    pairs.forEach(({ first, second, window, places }, k) => {
      const found = lib.crossings(first, second, ...window);
      if (found.length !== places.length) wrong.push(`pair ${k}: ${found.length} crossings`);
      else places.forEach((place, i) => check(`pair ${k}`, place, found[i]));
    });
  } catch (error) { wrong.push(String(error)); }
  return wrong.slice(0, 5);
});
"""


def _text(value: float) -> str:
    return "Infinity" if math.isinf(value) else repr(float(value))


def _as_js(law: Law) -> dict[str, Any]:
    return {"shape": law.name, "R0": law.R0, "A": law.A, "B": law.B, "Cmid": law.Cmid}


def _case(
    law: Law, computes: list[float], targets: list[float], hours: float, price: float
) -> dict[str, Any]:
    at, target = computes[0], min(max(targets[0], 0.0), 1.0)
    row = compare_laws({"law": law}, target=target, budget=at, usd_per_unit=hours * price).iloc[0]
    wanted = {
        "passRate": row["pass_rate_at_budget"],
        "slope": law.slope(at),
        "usd": at * hours * price,
        "gpuHours": at * hours,
        "computeToTarget": row["compute_to_target"],
        "gpuHoursToTarget": row["compute_to_target"] * hours,
        "usdToTarget": row["usd_to_target"],
    }
    return {
        "law": _as_js(law),
        "computes": [
            [
                _text(v)
                for v in (c, law(c), law.gain(c), law.slope(c), float(law.fraction(c, law.B, law.Cmid)))
            ]
            for c in computes
        ],
        "targets": [[_text(t), _text(law.compute_for(t))] for t in targets],
        "readOut": {
            "asked": {"at": at, "target": target, "hours": hours, "price": price},
            "wanted": {key: _text(value) for key, value in wanted.items()},
        },
    }


def _random_cases(count: int, seed: int = 9) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    cases = []
    for i in range(count):
        low, high = np.sort(rng.uniform(0, 1, 2))
        shape = list(SHAPES.values())[i % 3]
        law = shape(low, high, float(np.exp(rng.uniform(-2, 2))), float(10 ** rng.uniform(-2, 12)))
        computes = (law.Cmid * 10 ** rng.uniform(-4, 4, 4)).tolist()
        targets = (low + (high - low) * rng.uniform(0, 1, 3)).tolist()
        cases.append(_case(law, computes, targets, float(10 ** rng.uniform(-3, 3)), rng.uniform(0, 20)))
    return cases


def _edge_cases() -> list[dict[str, Any]]:
    """No compute and endless compute, steepness at its ends and at 1, flat laws, targets on the edge."""
    laws: list[Law] = []
    for shape in SHAPES.values():
        laws += [
            shape(0.2, 0.6, 1.0, 1000),
            shape(0.0, 1.0, 0.05, 1e-6),
            shape(0.25, 0.61, 20.0, 2542),
            shape(0.3, 0.3, 1.5, 10),  # flat
            shape(0.1, 0.1 + 1e-9, 2.0, 1e15),
            shape(0.0, 0.5, 1.005, 50),  # slope at no compute: just above and below B = 1
            shape(0.0, 0.5, 0.995, 50),
        ]
    # whose slope at no compute has a logarithm a little above the largest, and a little below
    laws += [SHAPES["power"](0.0, 1.0, 0.00098, cmid) for cmid in (0.05, 1.5, 20.0)]
    cases = []
    for law in laws:
        computes = [law.Cmid, 0.0, math.inf, law.Cmid * 1e6, law.Cmid * 1e-6, 5e-324]
        targets = [law.A, law.R0, 0.0, 1.0, (law.A + law.R0) / 2, law.R0 + 0.999999 * (law.A - law.R0)]
        cases.append(_case(law, computes, targets, 1.0, 0.0))
    return cases


def _pairs(count: int, seed: int = 2) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    pairs: list[dict[str, Any]] = []
    while len(pairs) < count:
        shapes = rng.choice(list(SHAPES), 2)
        one, two = (
            SHAPES[s](
                rng.uniform(0.1, 0.3), rng.uniform(0.4, 0.7), rng.uniform(0.5, 3), 10 ** rng.uniform(2.5, 4.5)
            )
            for s in shapes
        )
        places = find_crossings(one, two, *WINDOW)
        # a crossing at which both are all but parallel is known to fewer digits than the tolerance asks for
        if all(abs(one.slope(c) - two.slope(c)) * c > 1e-3 for c in places):
            pairs.append(
                {"first": _as_js(one), "second": _as_js(two), "window": WINDOW}
                | {"places": [_text(c) for c in places]}
            )
    same = Sigmoid(0.2, 0.6, 1.5, 1000)
    pairs.append({"first": _as_js(same), "second": _as_js(same), "window": WINDOW, "places": []})
    assert sum(len(p["places"]) for p in pairs) >= count / 3, "hardly any crossing is put to the test"
    return pairs


@pytest.fixture(scope="module")
def source(root: Path) -> str:
    return (root / "book" / "_static" / "interactive" / "law.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cases() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    every = [*_random_cases(200), *_edge_cases()]
    assert len(every) >= 220
    return every, _pairs(24)


def _run(browser: Any, sources: list[str], cases: tuple[list[Any], list[Any]]) -> list[list[str]]:
    browser.get("about:blank")
    found: list[list[str]] = browser.execute_script(SCRIPT, sources, *cases, TOLERANCE)
    return found


def test_script_equals_python(
    browser: Any, source: str, cases: tuple[list[dict[str, Any]], list[dict[str, Any]]]
) -> None:
    assert _run(browser, [source, shorten_script("law.js", source)], cases) == [[], []], "source, as shipped"


#: Constants whose change changes no result, with the reason.
EXEMPT = {
    ("const PLACES", "2000"): "a finer search finds the same crossings",
    ("const ROUNDING", "1e-13"): "differences of this size are rounding",
    ("(PLACES - 1)", "1"): "shifts the places that are looked at, not the zero between them",
    ("let i = 0", "0"): "as above",
    ("here > 0", "0"): "only where the search begins to see a lead",
    ("known.ahead !== here > 0", "0"): "as above",
    ("const middle", "2"): "any way of halving ends at the same zero",
}


def _mutants(source: str) -> tuple[list[str], list[str]]:
    """Return a copy of the script for each constant, changed by 1 %, and where each was changed."""
    bare = re.sub(r"/\*.*?\*/|//[^\n]*|'[^'\n]*'", lambda m: " " * len(m[0]), source, flags=re.S)
    mutants, places = [], []
    for match in re.finditer(r"(?<![\w.])(\d+\.?\d*(?:e[-+]?\d+)?)\b", bare):
        line = source[source.rfind("\n", 0, match.start()) + 1 : source.find("\n", match.start())]
        if any(part in line and match[1] == number for part, number in EXEMPT):
            continue
        changed = float(match[1]) * 1.01 or 0.01
        mutants.append(source[: match.start()] + repr(changed) + source[match.end() :])
        places.append(f"{match[1]} in: {line.strip()}")
    return mutants, places


def test_every_constant_matters(
    browser: Any, source: str, cases: tuple[list[dict[str, Any]], list[dict[str, Any]]]
) -> None:
    """A 1 % change of any constant must be noticed: else the comparison above proves little."""
    for part, number in EXEMPT:
        assert part in source and number in source, f"{part} is exempt, but is not there"
    mutants, places = _mutants(source)
    assert len(mutants) >= 12
    noticed = _run(browser, mutants, (cases[0], cases[1][:4]))
    assert [place for place, wrong in zip(places, noticed, strict=True) if not wrong] == []
