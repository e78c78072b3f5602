"""The list of tables: every column of every file of ``data/``, with its meaning, unit and limits."""

from __future__ import annotations

from .schema_appendix import ERRATA, SCALING_FORMS, SIZE_SLOPES
from .schema_backtest import ENGINE_TRIALS, OWN_BACKTEST, PUBLIC_BACKTEST, PUBLIC_RUNS
from .schema_cost import COST_CHECKS, MODELS
from .schema_knowledge import CLAIMS, FRAMEWORKS, LEVERS, RECIPES
from .schema_prices import GPU_SPEEDUPS, GPUS, SANDBOX_PRICES, TINKER_PRICES
from .schema_runs import PUBLISHED_FITS, REFERENCE_RUNS
from .schemas import Table

#: Table name -> what it promises.
TABLES: dict[str, Table] = {
    t.name: t
    for t in (
        CLAIMS,
        REFERENCE_RUNS,
        PUBLISHED_FITS,
        RECIPES,
        LEVERS,
        FRAMEWORKS,
        GPUS,
        GPU_SPEEDUPS,
        TINKER_PRICES,
        SANDBOX_PRICES,
        MODELS,
        COST_CHECKS,
        PUBLIC_RUNS,
        PUBLIC_BACKTEST,
        OWN_BACKTEST,
        ENGINE_TRIALS,
        SCALING_FORMS,
        SIZE_SLOPES,
        ERRATA,
    )
}
