"""Coverage and gate on a few seeded runs; ``benchmarks/coverage.py`` does it whole."""

import importlib.util
import sys

import pytest

from rlscale.gate import CEILING, REFUSED


@pytest.fixture(scope="module")
def benchmark(root):
    path = root / "benchmarks" / "coverage.py"
    spec = importlib.util.spec_from_file_location("benchmark_coverage", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_ninety_per_cent_intervals_hold_the_end(benchmark):
    # 4 runs × 4 shapes × 3 shares = 48 forecasts of intervals that should hold .90: fewer than 40 (.83) has a
    # chance of 5 %; the seeds are fixed, so this is a test of changes, not of luck
    rows = [row for shape in benchmark.SHAPES for i in range(4) for row in benchmark.cover_run(shape, i)]
    assert sum(row["held"] for row in rows) >= 40
    shown = [row for row in rows if row["state"] != REFUSED]
    assert max(row["outside"] for row in shown) < 0.05


def test_the_gate_keeps_to_its_targets(benchmark):
    states = {
        test: [benchmark.judge_run(test, i)["state"] for i in range(4)] for test in benchmark.GATE_TARGETS
    }
    for test, found in states.items():
        if "0.5 Cmid" in test:
            assert CEILING not in found
        elif "flat" in test:
            assert set(found) == {REFUSED}
        else:
            assert found.count(CEILING) >= 2
