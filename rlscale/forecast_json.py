"""A forecast as one JSON object: what ``rlscale forecast --json`` prints.

The names are fixed: others read them. New ones are added, none is renamed. Pass rates are shares (0.55),
compute is in the unit of ``log.x.unit``, money in USD.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .gate import CEILING

if TYPE_CHECKING:
    from .forecast import Forecast
    from .intervals import Interval


def list_fields(forecast: Forecast) -> dict[str, Any]:
    """Return a forecast as a dictionary of plain values.

    Parameters
    ----------
    forecast : Forecast
        From :func:`rlscale.forecast_run`.

    Returns
    -------
    dict
        What the state hides is null:

        - ``log``, ``state``, ``reasons``, ``verdict``, ``why``; ``decided_by`` (``fall``, ``budget``,
          ``target``, ``money``, ``gain`` or ``refusal``), ``also`` (what did not decide, in words)
        - ``seen_over_Cmid``, ``A``, ``B``, ``Cmid``, ``R0``, ``end`` as intervals
        - ``gain``: interval of what the curve wins from now to the budget
        - ``gain_per_usd``: the same for each dollar of the next tenth of what is left, with ``until`` and
          ``usd``; null without a price
        - ``target``, ``price``, ``value`` as asked; ``price_per``, the unit of compute that the price is for;
          ``verdict_by_money`` where price and value were given;
          ``p_target`` and ``best_stop`` only where there is one
        - ``rest``: ``compute`` and ``usd`` that are left of the budget
        - ``level``, ``shapes``, ``budget``, ``noise``, ``calibration``, ``warnings``
    """
    f, curve, asked = forecast, forecast.curve, forecast.question
    out: dict[str, Any] = {
        "log": {
            "format": curve.format,
            "run": curve.run,
            "x": {"key": curve.x_key, "unit": curve.unit},
            "y": {"key": curve.y_key, "kind": curve.kind},
            "points": len(curve),
            "segments": int(np.unique(np.asarray(curve.segment)).size),
        },
        "state": f.state,
        "reasons": [r.to_dict() for r in f.reasons],
        "verdict": f.verdict,
        "why": f.decision.why,
        "decided_by": f.decision.by,
        "also": f.decision.also,
        "seen_over_Cmid": f.seen_over_Cmid.to_dict(),
        "A": _interval(f.A),
        "B": _interval(f.B),
        "Cmid": _interval(f.Cmid),
        "R0": _interval(f.R0),
        "end": {"at": f.budget.at, "unit": curve.unit, **f.end.to_dict()},
        "gain": _interval(f.gain),
        "gain_per_usd": None if f.next_gain is None else f.next_gain.to_dict(),
        "target": asked.target,
        "price": asked.price,
        "price_per": None if asked.price is None else curve.unit,
        "value": asked.value,
        "verdict_by_money": f.decision.by_money,
        "rest": {"compute": f.rest, "usd": None if asked.price is None else asked.price * f.rest},
    }
    if f.decision.p_target is not None:
        out["p_target"] = f.decision.p_target
    if f.decision.best_stop is not None:
        out["best_stop"] = f.decision.best_stop.to_dict()
    out["level"] = f.level
    out["shapes"] = {s.name: s.to_dict(f.state == CEILING) for s in f.shapes}
    out["budget"] = {"at": f.budget.at, "from": f.budget.source, "why": f.budget.why}
    out["noise"] = {"source": f.noise.source, "sd": float(np.sqrt(np.mean(f.noise.sd**2)))}
    out["calibration"] = f.calibration.to_dict()
    out["warnings"] = [w.to_dict() for w in f.warnings]
    plain: dict[str, Any] = _without_minus_zero(out)
    return plain


def _interval(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else interval.to_dict()


def _without_minus_zero(value: Any) -> Any:
    """Return the same with 0.0 for −0.0, which JSON would write and a reader stumble over."""
    if isinstance(value, dict):
        return {k: _without_minus_zero(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_without_minus_zero(v) for v in value]
    return value + 0.0 if isinstance(value, float) else value
