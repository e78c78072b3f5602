# ruff: noqa: E501  (scripts and tables read better in one line)
"""The forecaster's arithmetic and log reader against the package and its command line.

The pure scripts run in an empty page of the browser; what they must give is computed by Python here and now.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forecaster_cases import LOGS, LogCase

from rlscale.amounts import say_compute, say_price, say_usd
from rlscale.cli import main
from rlscale.curve import Curve
from rlscale.fitting import fit_law
from rlscale.gate import find_fall, measure_rise
from rlscale.interactive.forecaster import list_constants, list_rules
from rlscale.interactive.page import find_app
from rlscale.interactive.shipped import shorten_script
from rlscale.law import SHAPES
from rlscale.logs.series import parse_name
from rlscale.noise import spread_of_differences
from rlscale.simulate import simulate_curve

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("interactive")]

SCRIPTS = Path(__file__).resolve().parent.parent.parent / "book" / "_static" / "interactive"
ENGINE = find_app("forecaster").inline
#: Asked for: .005 on a quantile. Both sides do the same sums, so 1e-6 of the value is far more than rounding.
TOLERANCE = 1e-6

LOAD = """
const load = (sources) => {
  const world = { TextDecoder, Blob };
  for (const source of sources) new Function('globalThis', source)(world);
  return world.rlscale;
};
"""

FORECAST = (
    LOAD
    + """
const [sources, engine, rules, logs, done] = arguments;
(async () => {
  const lib = load(sources);
  const read = new Set();
  const spy = new Proxy(engine, { get: (all, key) => (read.add(key), all[key]) });
  const answers = [];
  for (const { name, data, ask } of logs) {
    try {
      const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
      const [, key, unit] = /^(.*?)(?::(\\w+))?$/.exec(ask.x ?? '');
      const runs = await lib.logs.readRuns(new Blob([bytes]), name, rules, key);
      const run = runs.find((r) => r.name === ask.run) ?? runs[0];
      if (runs.length > 1 && !ask.run) throw new lib.numerics.Refusal(`${runs.length} runs: choose one.`);
      const [y, scale] = (ask.y ?? '').split(':');
      if (!y && !run.choice.y) throw new lib.numerics.Refusal(run.choice.why);
      const pick = { x: key || run.axes[0].key, unit: unit ?? '', y: y || run.choice.y, scale: scale ?? '' };
      const curve = lib.logs.curveOf(run, pick, rules);
      const asked = Object.fromEntries(['budget', 'target', 'price', 'value'].map((k) => [k, ask[k] ?? null]));
      const { belief, ...told } = lib.forecast.forecastRun(curve, { ...asked, level: 0.9 }, spy);
      answers.push({ ...told, points: curve.compute.length, x: pick.x, y: pick.y, unit: curve.unit, kind: curve.kind,
        warnings: [...curve.warnings, ...told.warnings].map((w) => w.code) });
    } catch (error) {
      answers.push(error instanceof lib.numerics.Refusal ? { refused: error.message } : { crashed: String(error.stack) });
    }
  }
  done({ answers, unread: Object.keys(engine).filter((key) => !read.has(key)) });
})();
"""
)

#: Checks of the log that the command line makes beyond reading, and the page does not.
ONLY_COMMAND_LINE = {
    "sampled-export", "grouped-export", "forward-filled", "head-missing", "gap", "step-offset", "dead-groups",
    "truncated", "no-signal", "format-reward", "proxy-reward", "logprob-mismatch", "scaled", "axis-note",
    "counter-rebased",
}  # fmt: skip


#: Amounts on both sides of each limit of how an amount is written.
SAYINGS = [
    s * limit * f
    for limit in (
        1e-4,
        0.01,
        1.0,
        2.5,
        100.0,
        1e3,
        1e6,
        1e9,
        9.995e9,
        99.95e9,
        0.9995e12,
        1e12,
        9.995e12,
        1e15,
        1e16,
    )
    for f in (0.994, 1.004, 0.9, 1.3)
    for s in (1, -1)
] + [0.5, 1.5, 2.5, 0.005, 0.0094, 0.0098, 9.4e-5, 123456.7, 1234567.0]


def sources() -> list[str]:
    """Return the texts of the pure scripts, in their order."""
    return [(SCRIPTS / name).read_text(encoding="utf-8") for name in ENGINE]


def ask_command_line(case: LogCase, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any] | str:
    """Return what ``rlscale forecast --json`` prints, or its error."""
    path = folder / case.name
    path.write_bytes(case.data)
    options = [text for key, value in case.ask.items() for text in (f"--{key}", str(value))]
    status = main(["forecast", str(path), "--json", *options])
    said = capsys.readouterr()
    return json.loads(said.out) if status == 0 else said.err


def _ask_scripts(browser: Any, texts: list[str]) -> Any:
    browser.get("about:blank")
    browser.set_script_timeout(120)
    logs = [{"name": c.name, "data": base64.b64encode(c.data).decode(), "ask": c.ask} for c in LOGS]
    return browser.execute_async_script(FORECAST, texts, list_constants(), list_rules(), logs)


@pytest.fixture(scope="module")
def answers(browser: Any) -> list[dict[str, Any]]:
    found = _ask_scripts(browser, sources())
    fit_only = {"fitBins", "longLog", "minPlaces", "boxB", "boxCmid", "fitGrid", "firstSteps", "maxSteps", "nearEdge",
                "stepDone", "fallDone", "mostUsd"}  # fmt: skip
    assert set(found["unread"]) <= fit_only, "a constant of the engine that the scripts do not use"
    told: list[dict[str, Any]] = found["answers"]
    return told


def test_shipped_scripts_answer_as_their_source(browser: Any, answers: list[dict[str, Any]]) -> None:
    short = [shorten_script(name, text) for name, text in zip(ENGINE, sources(), strict=True)]
    found = _ask_scripts(browser, short)["answers"]
    for case, want, got in zip(LOGS, answers, found, strict=True):
        assert got == want, case.name


def _same_numbers(want: Any, got: Any, where: str) -> None:
    if want is None or got is None:
        assert want == got, where
    elif isinstance(want, dict):
        for key in ("median", "lo", "hi"):
            _same_numbers(want[key], got[key], f"{where}.{key}")
    else:
        assert got == pytest.approx(want, rel=TOLERANCE, abs=1e-9), where


@pytest.mark.parametrize("case", LOGS, ids=str)
def test_page_answers_as_the_command_line(
    case: LogCase, answers: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    got = answers[LOGS.index(case)]
    want = ask_command_line(case, tmp_path, capsys)
    assert "crashed" not in got, got["crashed"]
    if case.refused:
        assert isinstance(want, str) and "error" in want, "the command line refuses this log"
        assert len(got["refused"].split()) > 3
        return
    assert isinstance(want, dict), want
    assert "refused" not in got, got["refused"]
    assert (got["x"], got["y"], got["unit"], got["kind"], got["points"]) == (
        want["log"]["x"]["key"], want["log"]["y"]["key"], want["log"]["x"]["unit"], want["log"]["y"]["kind"],
        want["log"]["points"],
    )  # fmt: skip
    assert got["state"] == want["state"]
    assert got["reasons"] == want["reasons"]
    assert (got["verdict"], got["why"], got["by"]) == (want["verdict"], want["why"], want["decided_by"])
    assert (got.get("also") or "", got.get("byMoney")) == (want["also"], want.get("verdict_by_money"))
    for ours, theirs in (
        ("end", "end"), ("A", "A"), ("B", "B"), ("Cmid", "Cmid"), ("R0", "R0"), ("gain", "gain"),
        ("seenOverCmid", "seen_over_Cmid"), ("pTarget", "p_target"),
    ):  # fmt: skip
        _same_numbers(want.get(theirs), got.get(ours), ours)
    for part in ("at", "usd"):
        _same_numbers((want.get("best_stop") or {}).get(part), (got.get("bestStop") or {}).get(part), part)
    _same_numbers(want["budget"]["at"], got["budget"]["at"], "budget")
    assert (got["budget"]["source"], got["budget"]["why"]) == (want["budget"]["from"], want["budget"]["why"])
    assert got["noise"]["source"] == want["noise"]["source"]
    assert got["noise"]["sd"] == pytest.approx(got["noise"]["sd"])
    assert {s["name"]: s["pooled"] for s in got["shapes"]} == {
        name: shape["pooled"] for name, shape in want["shapes"].items()
    }
    codes = {w["code"] for w in want["warnings"]} - ONLY_COMMAND_LINE
    assert set(got["warnings"]) - ONLY_COMMAND_LINE == codes


def test_logs_are_of_every_kind(answers: list[dict[str, Any]]) -> None:
    """Else a branch that is never taken could be wrong in the script and right in the package."""
    told = [a for a in answers if "state" in a]
    assert len(LOGS) >= 20 and len(told) >= 12
    assert {a["state"] for a in told} == {"ceiling identified", "end forecast only", "no forecast"}
    assert {a["verdict"] for a in told} == {"continue", "stop", "cannot tell"}
    assert {a["by"] for a in told} == {"fall", "budget", "target", "money", "gain", "refusal"}
    assert {a["noise"]["source"] for a in told} >= {"binomial", "differences"}
    assert "misfit" in {reason["code"] for a in told for reason in a["reasons"]}
    assert {a["budget"]["source"] for a in told} == {"option", "log", "assumed"}


FIT = (
    LOAD
    + """
const [sources, engine, curves] = arguments;
return sources.map((texts) => {
  try {
    const { fit } = load(texts);
    return curves.map(([compute, rate]) => fit.fitLaw(compute, rate, engine));
  } catch (error) { return String(error); }
});
"""
)


def _fit_cases() -> list[Curve]:
    """50 runs of all three shapes, short and long, clean and noisy, and at the bounds."""
    rng = np.random.default_rng(9)
    found = []
    for i in range(50):
        low, high = np.sort(rng.uniform(0, 1, 2))
        law = list(SHAPES.values())[i % 3](
            low, high, float(np.exp(rng.normal(0.4, 0.7))), float(np.exp(rng.normal(4.3, 1)))
        )
        at = np.arange(0 if i % 4 else 3, 401, (5, 20, 3, 40)[i % 4])
        n, drift = ((50, 0.02), (2000, 0.003), (10**9, 0.0))[i % 3]
        found.append(simulate_curve(law, at, unit="updates", seed=i, n=n, drift=drift))
    return found


def _wrong_fits(curves: list[Curve], fits: Any) -> list[str]:
    if isinstance(fits, str):
        return [fits]
    wrong = []
    for i, (curve, got) in enumerate(zip(curves, fits, strict=True)):
        want = fit_law(curve.compute, curve.pass_rate)
        if (got["status"], tuple(got["atBounds"])) != (want.status, want.at_bounds):
            wrong.append(f"{i}: {got['status']} {got['atBounds']}, not {want.status} {want.at_bounds}")
        for key in ("R0", "A", "B", "Cmid"):
            value = getattr(want.law, key)
            if got[key] != pytest.approx(value, rel=1e-6, abs=1e-6):
                wrong.append(f"{i}: {key} is {got[key]}, not {value}")
        if got["sse"] != pytest.approx(want.sse, rel=1e-6, abs=1e-12):
            wrong.append(f"{i}: sse is {got['sse']}, not {want.sse}")
    return wrong


def _send(curves: list[Curve]) -> list[list[list[float]]]:
    return [[c.compute.tolist(), c.pass_rate.tolist()] for c in curves]


def test_point_fit_is_that_of_the_package(browser: Any) -> None:
    browser.get("about:blank")
    curves = _fit_cases()
    fits = browser.execute_script(FIT, [sources()[:2]], list_constants(), _send(curves))[0]
    assert _wrong_fits(curves, fits) == []
    assert {f["status"] for f in fits} >= {"ok", "at bounds"}
    assert any(bound.startswith("A=1") for f in fits for bound in f["atBounds"])


def test_thousand_points_are_fitted_at_once(browser: Any) -> None:
    browser.get("about:blank")
    at = np.arange(1, 1001)
    curve = simulate_curve(SHAPES["sigmoid"](0.2, 0.6, 1.5, 150), at, unit="updates", seed=3)
    timed = (
        LOAD
        + """
    const [sources, engine, [[compute, rate]]] = arguments;
    const { fit } = load(sources);
    let best = Infinity;
    for (let i = 0; i < 5; i++) { const start = performance.now(); fit.fitLaw(compute, rate, engine); best = Math.min(best, performance.now() - start); }
    return best;
    """
    )
    assert browser.execute_script(timed, sources()[:2], list_constants(), _send([curve])) < 150


def test_gate_measures_as_the_package(browser: Any) -> None:
    browser.get("about:blank")
    rng = np.random.default_rng(4)
    lists = [
        np.clip(0.3 + np.cumsum(rng.normal(0, 0.03, n)), 0, 1)
        for n in (6, 9, 25, 26, 61, 200)
        for _ in range(5)
    ]
    noises = [0.002, 0.02, 0.05]
    script = (
        LOAD
        + """
    const [sources, engine, lists, noises] = arguments;
    const { posterior, forecast } = load(sources);
    return lists.map((y) => [posterior.spreadOfDifferences(y, engine),
      noises.map((noise) => [forecast.measureRise(y, noise, engine), forecast.findFall(y, noise, engine)])]);
    """
    )
    found = browser.execute_script(script, sources(), list_constants(), [y.tolist() for y in lists], noises)
    falls = 0
    for y, (spread, measured) in zip(lists, found, strict=True):
        assert spread == pytest.approx(spread_of_differences(y), rel=1e-12)
        for noise, (rise, fall) in zip(noises, measured, strict=True):
            assert rise == pytest.approx(measure_rise(y, noise), rel=1e-9)
            want = find_fall(y, noise)
            got = None if fall is None else (pytest.approx(fall["depth"]), fall["best"])
            assert want == got
            falls += want is not None
    assert 10 < falls < 80


def test_amounts_read_as_in_the_package(browser: Any) -> None:
    browser.get("about:blank")
    script = (
        LOAD
        + """
    const [sources, values] = arguments;
    const { verdict, numerics } = load(sources);
    return values.map((v) => [verdict.sayCompute(v, 'tokens'), verdict.sayUsd(v), verdict.sayPrice(v, 'GPU-hours'),
      verdict.sayPrice(v, 'generated tokens'), numerics.show(v), numerics.show(v, 3), String(numerics.round(v))]);
    """
    )
    values = [*SAYINGS, 0.0, 5370.0, 999999.5, 0.1 + 0.2, 1e-12, 1e20]
    for value, got in zip(values, browser.execute_script(script, sources(), values), strict=True):
        price = say_price(value, "GPU-hours"), say_price(value, "generated tokens")
        want = [say_compute(value, "tokens"), say_usd(value), *price, f"{value:g}", f"{value:.3g}"]
        assert got[:-1] == want, value
        assert float(got[-1]) == round(value)


# ---- each number of the scripts matters -------------------------------------------------------------------

#: Numbers that may change by 1 % without a change of any result, by a piece of their line, and why.
EXEMPT = {
    "p < 0.005": "where two digits round to 0 or 1; no probability of the cases lies that near",
    "digits < 6": "digits of a text, of which the first few tell two numbers apart",
    "seen > 1": "a run of two steps is no run",
    "const FURTHEST": "beyond it the normal tail is 0 in a double",
    "const PER_UNIT": "nodes of a table, between which a series of 8 terms is exact to rounding",
    "k < 60": "terms of a series that has converged before",
    "let k = 200": "terms of a continued fraction that has converged before",
    "k < 8": "terms of a series; more are below rounding",
    "step < 50": "Newton steps; it stops before",
    "< 1e-16": "where Newton stops",
    "i + 0.75": "a start of Newton",
    "i + 0.5)) / (n": "a start of Newton",
    "n + 0.5)": "a start of Newton",
    "sweep < 60": "sweeps of Jacobi; it stops before",
    "off <= 1e-32": "where Jacobi stops",
    "<= 1e-17": "rotations that change nothing",
    "const TINY": "keeps a division from 0",
    "const NOTHING": "as good as no compute",
    "damping = 1e-3": "where the damping starts; the walk ends at the same place",
    "kept > 0.75": "how the damping follows the promise; the walk ends at the same place",
    "damping *= better": "how the damping follows the promise; the walk ends at the same place",
    "u, 700)": "exp() overflows there",
    "const EDGES": "names of edges",
    "const model": "which of two points at the edge of the box is tried; the walk ends at the same place",
    "return { db, dm, fall": "how the damping follows the promise; the walk ends at the same place",
    "[0, 1, 2, 3]": "four arrays",
    "4096": "bins of a search; the quantile is the same",
    "4097": "bins of a search; the quantile is the same",
    "k.nothingPoints": "a factor to per cent beside a limit that no log of these is near",
    "const near = 1e-9": "rounding",
    "1e-300": "keeps a logarithm from 0",
    "1e-9)": "keeps a precision from 0",
    "1e-12)": "keeps a density from 0",
    "1e-6, 1)": "keeps a deviation from 0",
    "1e-6)": "keeps a width from 0",
    "9 * sd[i]": "a bracket that is wide enough",
    "high = Math.max(high, 1e-3)": "a gain that cannot be told from none",
    "digits = (x) => round(x * 1e12) / 1e12": "rounding to 12 digits",
    "0.5 * (low + high);": "a halving that is seldom needed",
    "length: 11": "names of places in an array",
    "picks = 500": "parts of the drawn band only",
}  # fmt: skip
_LITERAL = re.compile(r"(?<![\w.$'`\"])(?:\d+\.\d+|\d+)(?:e[-+]?\d+)?(?![\w.])")


def _mutants(name: str, stop: str = "", factor: float = 1.01) -> list[tuple[str, str]]:
    """Return each number that has a say, with its line, and the script in which it is changed."""
    text = (SCRIPTS / name).read_text(encoding="utf-8")
    body = text.split(stop)[0] if stop else text
    blank = re.sub(r"/\*.*?\*/|//[^\n]*|'[^'\n]*'|`[^`]*`", lambda m: " " * len(m[0]), body, flags=re.S)
    found = []
    for match in _LITERAL.finditer(blank):
        line = text[text.rfind("\n", 0, match.start()) + 1 : text.find("\n", match.start())]
        value = float(match[0])
        if value in (0, 1, 2) or any(piece in line for piece in EXEMPT):
            continue
        changed = text[: match.start()] + repr(value * factor) + text[match.end() :]
        found.append((f"{name} {match.start()}: {match[0]} in {line.strip()}", changed))
    return found


@pytest.mark.parametrize("key", ["boxB", "boxCmid", "fitBins", "longLog", "minPlaces"])
def test_every_constant_of_the_fit_matters(browser: Any, key: str) -> None:
    """They come from the package; what is left in ``fit.js`` keeps numbers finite or steers the walk."""
    browser.get("about:blank")
    curves = _fit_cases()
    constants = list_constants()
    value = constants[key]
    constants[key] = [v * 1.5 for v in value] if isinstance(value, tuple) else value * 4
    assert _wrong_fits(curves, browser.execute_script(FIT, [sources()[:2]], constants, _send(curves))[0])
    assert _mutants("fit.js") == []


# what a changed script gives is compared with what the script gives, which other tests hold against Python
MUTANTS = (
    LOAD
    + """
const [sources, place, changed, engine, rules, logs, sayings, done] = arguments;
(async () => {
  const short = (v) => JSON.stringify(v, (key, x) => (typeof x === 'number' ? Number(x.toPrecision(7)) : x));
  const said = (lib) => short(sayings.flatMap((v) => [lib.verdict.sayCompute(v, 'tokens'), lib.verdict.sayUsd(v), lib.verdict.sayPrice(v, 'tokens'),
    lib.verdict.sayPrice(v, 'GPU-hours'), lib.numerics.show(v), lib.numerics.show(v, 3), lib.numerics.round(v)]));
  const curves = [];
  const whole = load(sources);
  for (const { name, data, ask } of logs) {
    const [run] = await whole.logs.readRuns(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]), name, rules);
    const curve = whole.logs.curveOf(run, { x: run.axes[0].key, y: run.choice.y, unit: '', scale: '' }, rules);
    curves.push([curve, { budget: null, target: null, price: null, value: null, level: 0.9, ...ask }]);
  }
  const noises = [...curves.map(([curve]) => curve.passRate), [0.5, 0.5, 0.5, 0.75, 0.5, 0.5, 0.5, 0.75, 0.5, 0.5]];
  const gate = ({ forecast }, y) => [forecast.measureRise(y, 0.02, engine), ...Array.from({ length: 60 }, (_, i) => forecast.findFall(y, 0.001 * i, engine))];
  const small = (lib) => short([said(lib), noises.map((y) => [lib.posterior.spreadOfDifferences(y, engine), gate(lib, y)])]);
  const forecast = (lib, [curve, ask]) => {
    const { belief, ...told } = lib.forecast.forecastRun(curve, ask, engine);
    return short([told, lib.forecast.spreadOf(belief, engine), belief.shapes.map((s) => s.logEvidence)]);
  };
  const want = [small(whole), ...curves.map((asked) => forecast(whole, asked))];
  done(changed.map((text) => {
    try {
      const lib = load(sources.map((source, i) => (i === place ? text : source)));
      if (small(lib) !== want[0]) return false;
      return curves.every((asked, i) => forecast(lib, asked) === want[i + 1]);
    } catch { return false; }
  }));
})().catch((error) => done([String(error.stack)]));
"""
)


def test_every_number_of_the_engine_matters(browser: Any) -> None:
    """Each number changed by 1 %; one that only has a say near a limit is changed by half as much again."""
    browser.get("about:blank")
    # a coarse grid: what is looked for is a difference, and there are a hundred scripts to run
    coarse = {"narrowing": [[4, 6, 3], [4, 6, 3], [5, 7, 4]], "calibration": {"q": 1.3, "note": "wider"}}
    engine = {**list_constants(), **coarse}
    asked: dict[str, dict[str, Any]] = {
        "value.jsonl": {"value": 50}, "plain.csv": {"target": 0.6, "price": 0.5, "value": 400},
        "metrics.jsonl": {"price": 2}, "flat.jsonl": {"price": 5, "value": 10}, "falling.csv": {}, "misfit.csv": {},
        "saturated.csv": {"price": 1, "value": 1}, "few.csv": {"target": 0.5}, "from_zero.csv": {"budget": 200},
    }  # fmt: skip
    logs = [
        {"name": c.name, "data": base64.b64encode(c.data).decode(), "ask": asked[c.name]}
        for c in sorted(LOGS, key=lambda c: list(asked).index(c.name) if c.name in asked else -1)
        if c.name in asked
    ]
    texts, survived = sources(), []
    for name in ("numerics.js", "posterior.js", "verdict.js", "forecast.js"):
        stop = "  /**\n   * Bands over a curve" if name == "posterior.js" else ""
        place, left = ENGINE.index(name), list[str]()
        for factor in (1.01, 1.5):
            mutants = [m for m in _mutants(name, stop, factor) if factor == 1.01 or m[0] in left]
            changed = [text for _, text in mutants]
            same = browser.execute_async_script(
                MUTANTS,
                texts,
                place,
                changed,
                engine,
                list_rules(),
                logs if factor > 1.1 else logs[:3],
                SAYINGS,
            )
            left = [label for (label, _), alike in zip(mutants, same, strict=True) if alike]
        survived += left
    assert survived == [], "\n".join(survived)


# ---- names ------------------------------------------------------------------------------------------------

NAMES = [
    ("step", ""), ("eval/accuracy", ""), ("train/reward", ""), ("val-core/openai/gsm8k/acc/mean@4", "verl"),
    ("val-core/x/reward/best@8/mean", "verl"), ("critic/rewards/mean", "verl"), ("test/env/all/correct", "tinker-cookbook"),
    ("env/all/reward/total", "tinker-cookbook"), ("eval/scores", "open-instruct"), ("val/sequence_lengths", "open-instruct"),
    ("validation/accuracy", "NeMo-RL"), ("train/filtered_reward", "NeMo-RL"), ("eval/eval_aime_pass1", "OpenRLHF"),
    ("eval/eval_aime_pass8", "OpenRLHF"), ("eval/aime/avg_score", "SkyRL"), ("eval/aime-pass@4", "slime"),
    ("eval/aime/avg@16", "prime-rl"), ("reward", "TRL"), ("eval_reward", "TRL"), ("rewards/format/mean", "TRL"),
    ("episode/correct", "rllm"), ("accuracy_percent", ""), ("acc%", ""), ("pass@1", ""), ("pass@k", ""), ("maj@8", ""),
    ("mean_reward", ""), ("reward_std", ""), ("exact_match", ""), ("final_answer_acc", ""), ("step_accuracy", ""),
    ("response_length", ""), ("score__MAX", ""), ("heldout success rate", ""), ("avg_score@4", ""), ("__proto__", ""),
    ("constructor", ""), ("loss", ""), ("val/format_accuracy", ""), ("solve_rate_hist", ""),
    ("train/filtered_accuracy", ""), ("val/math_filtered/acc", ""), ("filtered_reward", "TRL"),
]  # fmt: skip


def test_names_mean_what_the_package_says(browser: Any) -> None:
    browser.get("about:blank")
    script = (
        LOAD
        + "const [sources, rules, names] = arguments; const { logs } = load(sources); return names.map(([key, f]) => logs.parseName(key, f, rules));"
    )
    found = browser.execute_script(script, sources(), list_rules(), NAMES)
    for (key, framework), got in zip(NAMES, found, strict=True):
        want = parse_name(key, framework)
        ours = (
            got["kind"],
            got["metric"],
            got["k"],
            got["dataset"],
            got["heldout"],
            got["factor"],
            got["rank"],
            got["biased"],
        )
        assert ours == (
            want.kind,
            want.metric,
            want.k,
            want.dataset,
            want.heldout,
            want.factor,
            want.rank,
            want.biased,
        ), key
