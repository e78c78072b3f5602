"""Does a 90 % interval hold the end in 90 % of runs? Simulated runs with known truth, whole or a part.

Seeded runs of each shape (sigmoid, exponential, power law, two-phase) are seen to 25, 50 and 100 % of their
budget; then come tests of the gate: cut at half of Cmid, cut at 6 Cmid or later, and nothing but noise. A run
is 60 evaluations of 1,000 problems × 16 samples, with a drift of .006 that forgets itself over 3 % of the
budget.

What is covered is what is forecast: the mean of the last 10 % of the *measured* points of the whole run.

    python benchmarks/coverage.py                   # 400 runs a shape, some ten minutes on two cores
    python benchmarks/coverage.py --runs 20         # a look
"""

# ruff: noqa: E402  the thread count must be set before NumPy is loaded
from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # two workers share two cores; threads of theirs would only wait

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from rlscale import Curve, Power, Sigmoid, Weibull, forecast_run
from rlscale.gate import CEILING, END_ONLY, REFUSED
from rlscale.simulate import simulate_curve

Floats = NDArray[np.float64]

SHAPES = ("sigmoid", "exponential", "power law", "two-phase")
SEEN = (0.25, 0.50, 1.00)
POINTS = 60
SEED = 20_250
#: Coverage that is asked for, by shape and share seen; width by share seen for the sigmoid.
LEAST_COVERAGE = {
    ("sigmoid", 0.25): 0.87,
    ("sigmoid", 0.50): 0.87,
    ("sigmoid", 1.00): 0.87,
    **{(shape, 0.25): 0.80 for shape in SHAPES[1:]},
    **{(shape, 0.50): 0.85 for shape in SHAPES[1:]},
}
MOST_WIDTH = {("sigmoid", 0.50): 0.10}
#: Share of pilots in a state that the gate must keep to: (state, bound, whether it is an upper bound).
GATE_TARGETS = {
    "cut at 0.5 Cmid": (CEILING, 0.01, True),
    "cut at 0.5 Cmid, dense": (CEILING, 0.01, True),
    "cut at 6 Cmid or later": (CEILING, 0.60, False),
    "cut at 6 Cmid or later, dense": (CEILING, 0.60, False),
    "flat": (REFUSED, 0.98, False),
    "flat, 25 % seen": (REFUSED, 0.98, False),
}


class Truth(NamedTuple):
    """A curve to be drawn from: its parameters and what it evaluates to."""

    R0: float
    A: float
    B: float
    Cmid: float
    evaluate: Callable[[Floats], Floats]


def draw_truth(shape: str, rng: np.random.Generator, mid: tuple[float, float] = (0.06, 0.6)) -> Truth:
    """Draw the truth of a run whose budget is 1."""
    R0 = rng.uniform(0.15, 0.40)
    A = min(0.9, R0 + rng.uniform(0.15, 0.45))
    B = float(np.exp(rng.uniform(np.log(0.8), np.log(2.5))))
    Cmid = float(np.exp(rng.uniform(*np.log(mid))))
    first = float(np.exp(rng.uniform(np.log(0.01), np.log(0.03))))
    curves: dict[str, Callable[[Floats], Any]] = {
        "sigmoid": Sigmoid(R0, A, B, Cmid),
        "exponential": Weibull(R0, A, 1.0, Cmid),
        "power law": Power(R0, A, B, Cmid),
        # a third of the gain comes in the first few per cent of the budget, the rest along a sigmoid
        "two-phase": lambda C: (
            R0 + (A - R0) * (0.35 * -np.expm1(-np.asarray(C) / first) + 0.65 * Sigmoid.fraction(C, B, Cmid))
        ),
        "flat": lambda C: np.full(np.shape(C), R0),
    }
    return Truth(R0, A, B, Cmid, curves[shape])


def draw_run(truth: Truth, compute: Floats, seed: int, counts: bool = True) -> Curve:
    """Measure a truth as a run would."""
    law: Any = truth.evaluate  # the two-phase truth is no Law, but is called like one
    curve = simulate_curve(law, compute, unit="gpu_hours", seed=seed, drift_length=0.03)
    if counts:
        return curve
    return Curve(curve.compute, curve.pass_rate, unit=curve.unit, kind=curve.kind)


def cover_run(shape: str, i: int, counts: bool = True) -> list[dict[str, Any]]:
    """Forecast one run at each share seen; one row each."""
    rng = np.random.default_rng([SEED, SHAPES.index(shape), i])
    truth = draw_truth(shape, rng)
    run = draw_run(truth, np.linspace(0, 1, POINTS), int(rng.integers(2**31)), counts)
    end = float(run.pass_rate[-POINTS // 10 :].mean())
    rows = []
    for seen in SEEN:
        forecast = forecast_run(run.cut(seen), budget=1.0)
        rows.append(
            {
                "shape": shape,
                "seen": seen,
                "state": forecast.state,
                "held": forecast.end.lo <= end <= forecast.end.hi,
                "width": forecast.end.width,
                "error": abs(forecast.end.median - end),
                "outside": max(forecast.end.lo - end, end - forecast.end.hi, 0.0),
            }
        )
    return rows


def judge_run(test: str, i: int) -> dict[str, Any]:
    """Return the state of one pilot of a test of the gate."""
    rng = np.random.default_rng([SEED, 99, sorted(GATE_TARGETS).index(test), i])
    early, late, dense = "0.5 Cmid" in test, "6 Cmid" in test, "dense" in test
    shape = "flat" if test.startswith("flat") else "sigmoid"
    # six points at half of Cmid, and six Cmid inside the budget
    truth = draw_truth(shape, rng, (0.2, 0.6) if early else (0.06, 1 / 6) if late else (0.06, 0.6))
    cut = (
        0.5 * truth.Cmid
        if early
        else rng.uniform(6 * truth.Cmid, 1)
        if late
        else 0.25
        if "25 %" in test
        else 1.0
    )
    compute = np.linspace(0, cut, POINTS) if dense else np.linspace(0, 1, POINTS)
    pilot = draw_run(truth, compute, int(rng.integers(2**31))).cut(cut)
    forecast = forecast_run(pilot, budget=1.0)
    return {"test": test, "state": forecast.state, "reason": forecast.reasons[0].code}


def measure_coverage(runs: int, jobs: int = 1, counts: bool = True) -> pd.DataFrame:
    """Forecast ``runs`` runs of each shape at each share seen; one row a forecast."""
    tasks = [(shape, i) for i in range(runs) for shape in SHAPES]
    rows = Parallel(n_jobs=jobs)(delayed(cover_run)(shape, i, counts) for shape, i in tasks)
    return pd.DataFrame([row for some in rows for row in some])


def measure_gate(runs: int, jobs: int = 1) -> pd.DataFrame:
    """Judge ``runs`` pilots of each test of the gate; one row a pilot."""
    tasks = [(test, i) for i in range(runs) for test in GATE_TARGETS]
    return pd.DataFrame(Parallel(n_jobs=jobs)(delayed(judge_run)(test, i) for test, i in tasks))


def tabulate_coverage(rows: pd.DataFrame) -> pd.DataFrame:
    """Return coverage, width, error and states by shape and share seen, and whether the targets are met."""
    table = []
    for shape, seen in rows[["shape", "seen"]].drop_duplicates().itertuples(index=False):
        group = rows[(rows["shape"] == shape) & (rows.seen == seen)]
        least, most = LEAST_COVERAGE.get((shape, seen)), MOST_WIDTH.get((shape, seen))
        held, width = group.held.mean(), group.width.median()
        shown = group[group.state != REFUSED]
        table.append(
            {
                "shape": shape,
                "seen": seen,
                "coverage": held,
                "least": least,
                "width": width,
                "most": most,
                "error": group.error.median(),
                "error_p90": group.error.quantile(0.9),
                "shown": len(shown) / len(group),
                "shown_coverage": shown.held.mean() if len(shown) else np.nan,
                "shown_outside_.05": int((shown.outside > 0.05).sum()),
                "ceiling": (group.state == CEILING).mean(),
                "end_only": (group.state == END_ONLY).mean(),
                "met": (least is None or held >= least) and (most is None or width <= most),
            }
        )
    return pd.DataFrame(table)


def tabulate_gate(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the share of each state by test, with the target and whether it is met."""
    table = []
    for test, (state, bound, upper) in GATE_TARGETS.items():
        group = rows[rows.test == test]
        share = (group.state == state).mean()
        table.append(
            {
                "test": test,
                **{s: (group.state == s).mean() for s in (CEILING, END_ONLY, REFUSED)},
                "target": f"{state} {'<=' if upper else '>='} {bound:g}",
                "met": share <= bound if upper else share >= bound,
            }
        )
    return pd.DataFrame(table)


def main() -> int:
    """Print both tables; exit 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=400, help="runs a shape and pilots a test (default 400)")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes (default 2)")
    parser.add_argument(
        "--without-counts", action="store_true", help="hide n and k, so that noise comes from differences"
    )
    args = parser.parse_args()
    os.nice(10)
    started = time.perf_counter()
    pd.set_option("display.width", 200, "display.max_columns", 30)
    coverage = tabulate_coverage(measure_coverage(args.runs, args.jobs, not args.without_counts))
    print(f"90 % intervals of the observed end, {args.runs} runs a shape")
    print(coverage.to_string(index=False, float_format=lambda v: f"{v:.3f}"))
    gate = tabulate_gate(measure_gate(args.runs, args.jobs))
    print(f"\nGate, {args.runs} pilots a test")
    print(gate.to_string(index=False, float_format=lambda v: f"{v:.3f}"))
    met = bool(coverage.met.all() and gate.met.all())
    print(f"\n{'All targets met' if met else 'TARGETS MISSED'} ({time.perf_counter() - started:.0f} s)")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
