"""rlscale: how many steps does an RLVR run need, what will they cost, and when to stop.

Names are loaded on first use, so that ``import rlscale`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

#: Public name -> module that holds it.
_HOMES: dict[str, str] = {
    "Curve": "curve",
    "LogWarning": "curve",
    "UNITS": "curve",
    "KINDS": "curve",
    "Sigmoid": "law",
    "Weibull": "law",
    "Power": "law",
    "Fit": "fitting",
    "fit_law": "fitting",
    "bootstrap_law": "fitting",
    "profile_ceiling": "fitting",
    "CeilingProfile": "profile",
    "fit_scalerl_grid": "scalerl_grid",
    "bin_curve": "binning",
    "Law": "law",
    "SHAPES": "law",
    "Forecast": "forecast",
    "forecast_run": "forecast",
    "backtest_runs": "backtest",
    "Cost": "cost",
    "Scenario": "scenario",
    "estimate_cost": "cost",
    "load_scenario": "presets",
    "join_plan": "planning",
    "price_unit": "planning",
    "cost_to_target": "spending",
    "pass_rate_for": "spending",
    "points_per_1000_usd": "spending",
    "find_best_stop": "spending",
    "compare_recipes": "spending",
    "Run": "logs",
    "read_run": "logs",
    "read_runs": "logs",
    "Batch": "steps",
    "convert_steps": "steps",
    "trl_batch": "steps",
    "claim": "claims",
    "h100_hours": "reference",
    "nearest_runs": "reference",
    "pass_at_k": "signal",
    "load_table": "tables",
    "data_path": "tables",
}

__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rlscale' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
