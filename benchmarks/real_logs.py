"""Forecasts of finished public runs, cut at 25 and 50 % of their length, against the end they came to.

The logs are not part of the project. Give a folder that holds one folder a source, as named in ``SOURCES``;
each run of each file that holds a pass rate is read, cut by compute, and forecast with the length of the
whole run as its budget. The end is the mean of the last 10 % of its points.

    python benchmarks/real_logs.py --root FOLDER
    python benchmarks/real_logs.py --root FOLDER --sources deep-grpo verl-data --csv
"""

# ruff: noqa: E402  the thread count must be set before NumPy is loaded
from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import pandas as pd

from rlscale import Curve, forecast_run, read_runs
from rlscale.errors import RlscaleError

SOURCES = ("deep-grpo", "verl-data", "skyrltpu", "xling-grpo", "josancamon19")
SHARES = (0.25, 0.50)


def find_curves(root: Path, sources: Sequence[str]) -> Iterator[tuple[str, str, Curve | str]]:
    """Yield (file, run, curve or why there is none) of every run."""
    for source in sources:
        for path in sorted((root / source).iterdir()):
            name = f"{source}/{path.name}"
            try:
                runs = read_runs(path)
            except RlscaleError as error:
                yield name, "", str(error)
                continue
            for run_name, run in runs.items():
                try:
                    yield name, run_name, run.curve()
                except RlscaleError as error:
                    yield name, run_name, str(error)


def forecast_cut(curve: Curve, share: float) -> dict[str, Any]:
    """Forecast a run cut at a share of its length, and compare with its end."""
    full = float(curve.compute[-1])
    pilot = curve.cut(share * full)
    last = max(1, round(len(curve) / 10))
    end = float(curve.pass_rate[-last:].mean())
    row: dict[str, Any] = {"points": len(curve), "seen": share, "n": len(pilot), "end": end}
    try:
        forecast = forecast_run(pilot, budget=full)
    except RlscaleError as error:
        return {**row, "state": "error", "why": str(error)}
    return {
        **row,
        "state": forecast.state,
        "why": "; ".join(r.code for r in forecast.reasons),
        "median": forecast.end.median,
        "lo": forecast.end.lo,
        "hi": forecast.end.hi,
        "inside": forecast.end.lo <= end <= forecast.end.hi,
        "verdict": forecast.verdict,
    }


def main() -> int:
    """Print one row a run and share, then a summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, required=True, help="folder that holds one folder a source")
    parser.add_argument("--sources", nargs="+", default=list(SOURCES), help="folders to read")
    parser.add_argument("--csv", action="store_true", help="print comma-separated values")
    args = parser.parse_args()
    rows = []
    for file, run, curve in find_curves(args.root, args.sources):
        if isinstance(curve, str):
            print(f"not read: {file} {run}: {curve}", file=sys.stderr)
            continue
        rows += [
            {"file": file, "run": run, "y": curve.y_key, **forecast_cut(curve, share)} for share in SHARES
        ]
    table = pd.DataFrame(rows)
    if args.csv:
        print(table.round(4).to_csv(index=False), end="")
        return 0
    for column in ("file", "run", "y"):
        table[column] = table[column].str[-32:]
    print(table.to_string(index=False, float_format=lambda v: f"{v:.3f}"))
    for share, group in table[table.state != "error"].groupby("seen"):
        shown = group[group.state != "no forecast"]
        print(
            f"{share:.0%} seen: {len(group)} cuts, inside {group.inside.mean():.2f}; "
            f"{len(shown)} shown, inside {shown.inside.mean():.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
