"""``rlscale backtest MANIFEST --root DIR``: replay finished runs, and say how good the forecasts were."""

from __future__ import annotations

import argparse
import json
import math
from typing import TYPE_CHECKING, Any

from ..number_option import read_number, read_whole

if TYPE_CHECKING:
    import pandas as pd

    from ..calibration import Calibration
    from ..manifest import Collection

HELP = "replay finished runs: forecast each from its first part, print error, coverage and regret"

#: Rows of a list that are printed.
_MOST_LISTED = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("manifest", metavar="MANIFEST", help="CSV with a column 'path', one row a run")
    parser.add_argument("--root", metavar="DIR", required=True, help="folder that the paths start from")
    parser.add_argument(
        "--library",
        metavar="DIR",
        help="folder of logs of your own finished runs: intervals are widened by what these ask for "
        "(default: the public runs of this project)",
    )
    parser.add_argument(
        "--shares",
        type=read_number,
        nargs="+",
        metavar="P",
        help="shares of a run at which it is cut (default: 0.05 0.10 … 0.90)",
    )
    parser.add_argument("--level", type=read_number, default=0.9, metavar="P", help="level of the intervals")
    parser.add_argument(
        "--run-usd", type=read_number, metavar="USD", help="cost of a whole run: regret in money, too"
    )
    parser.add_argument(
        "--jobs", type=read_whole, default=-1, metavar="N", help="processes (default: one a core)"
    )
    parser.add_argument("--no-peers", action="store_true", help="leave out the simpler rules")
    parser.add_argument("--rows", metavar="FILE", help="also write one row a run and cut to this CSV file")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from ..backtest import SHARES, backtest_runs
    from ..calibration import calibrate_library, load_calibration
    from ..manifest import collect_curves, read_manifest
    from ..public import write_rows

    found = collect_curves(read_manifest(args.manifest), args.root)
    table = backtest_runs(
        found.curves,
        args.shares or SHARES,
        families=found.families,
        level=args.level,
        peers=not args.no_peers,
        n_jobs=args.jobs,
    )
    calibration = (
        calibrate_library(args.library, level=args.level, n_jobs=args.jobs)
        if args.library
        else load_calibration()
    )
    if args.rows:
        write_rows(table, args.rows, source=args.manifest)
    summary = summarise(table, found, calibration, level=args.level, run_usd=args.run_usd)
    if args.json:
        print(json.dumps(_without_nan(summary), ensure_ascii=False, allow_nan=False))
    else:
        print(format_summary(summary))
    return 0


def summarise(
    table: pd.DataFrame, found: Collection, calibration: Calibration, *, level: float, run_usd: float | None
) -> dict[str, Any]:
    """Return what the command prints as JSON."""
    from ..manifest import FLAT, RISING, classify_run
    from ..regret import score_decisions
    from ..scores import compare_peers, list_misses, score_forecasts, score_verdicts

    classes = {name: classify_run(curve.pass_rate) for name, curve in found.curves.items()}
    of_class = table["run"].map(classes)
    out: dict[str, Any] = {
        "runs": len(found.curves),
        "families": len(set(found.families.values())),
        "level": level,
        "left_out": [{"id": k, "why": v} for k, v in found.left_out.items()],
        "notes": [{"id": k, "note": v} for k, v in found.notes.items()],
        "calibration": calibration.to_dict(),
        "misses": list_misses(table).to_dict("records"),
    }
    for name in (RISING, FLAT):
        part = table[of_class == name]
        if part.empty or part["median"].isna().all():
            out[name] = None
            continue
        peers = "peer_last" in part and part["family"].nunique() > 1
        out[name] = {
            "runs": int(part["run"].nunique()),
            "by_share": _records(score_forecasts(part, "share")),
            "by_state": _records(score_forecasts(part, "state")),
            "by_seen_over_Cmid": _records(score_forecasts(part, "seen_over_Cmid")),
            "verdicts": _records(score_verdicts(part)),
            "peers": _records(compare_peers(part, level=level)) if peers else None,
            "peers_shown": _records(compare_peers(part, level=level, shown=True)) if peers else None,
            "regret": score_decisions(part, run_usd=run_usd).to_dict("records"),
        }
    return out


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    flat = frame.reset_index()
    first = flat.columns[0]
    if flat[first].dtype.name in ("category", "interval") or not isinstance(
        flat[first].iloc[0], (str, float)
    ):
        flat[first] = flat[first].astype(str)
    return [{str(k): v for k, v in row.items()} for row in flat.to_dict("records")]


def _without_nan(value: Any) -> Any:
    """Return the same with null for what is no number."""
    if isinstance(value, dict):
        return {k: _without_nan(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_without_nan(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def format_summary(summary: dict[str, Any]) -> str:
    """Return the same as text."""
    import pandas as pd

    lines = [f"{summary['runs']} runs of {summary['families']} families replayed"]
    for title, key in (("left out", "left_out"), ("note", "notes")):
        items = summary[key]
        lines += [f"{title}: {i['id']}: {i.get('why') or i.get('note')}" for i in items[:_MOST_LISTED]]
        if len(items) > _MOST_LISTED:
            lines.append(f"… and {len(items) - _MOST_LISTED} more")
    lines.append(f"calibration: {summary['calibration']['note']}")
    titles = {
        "by_share": "by share seen",
        "by_state": "by state",
        "by_seen_over_Cmid": "by T/Cmid (median of the posterior)",
        "verdicts": "verdicts (about one percentage point) against hindsight",
        "peers": "against simpler rules, all cuts",
        "peers_shown": "against simpler rules, cuts that the forecast shows",
    }
    for name in ("rising", "flat"):
        part = summary[name]
        if part is None:
            continue
        lines.append(f"\n{name.upper()}: {part['runs']} runs")
        for key, title in titles.items():
            if part[key]:
                lines += [f"\n{title}", _format_frame(pd.DataFrame(part[key]))]
        regret = pd.DataFrame(part["regret"])
        value = "regret_usd" if "regret_usd" in regret else "regret_points"
        wide = regret.pivot(index=["share", "stake"], columns="rule", values=value).reset_index()
        unit = "USD" if value == "regret_usd" else "percentage points"
        lines += [f"\nregret in {unit}; stake: cost of the run in percentage points", _format_frame(wide)]
    if summary["misses"]:
        lines += [
            "\nshown intervals that missed the end",
            _format_frame(pd.DataFrame(summary["misses"][:_MOST_LISTED])),
        ]
    return "\n".join(lines)


def _format_frame(frame: pd.DataFrame) -> str:
    return frame.to_string(index=False, float_format=lambda v: f"{v:.3f}", na_rep="")
