"""The forecast of an unfinished run: what the observed end will be, how sure that is, and whether to go on.

The posterior of the pilot (:mod:`rlscale.belief`) is given a state (:mod:`rlscale.gate`) and a verdict
(:mod:`rlscale.stopping`). The end is what you would *observe*: the mean of the last 10 % of the planned
points, with drift and sampling noise, not the height of a smooth curve.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from .belief import Belief, form_belief
from .calibration import Calibration, load_calibration
from .curve import Curve, LogWarning
from .draws import Band, draw_posterior, spread_band
from .errors import ForecastError
from .forecast_text import describe_forecast
from .gate import CEILING, END_ONLY, REFUSED, Reason, judge_pilot, widen_spread
from .given import as_number
from .horizon import Budget, check_request, choose_budget
from .intervals import Interval
from .noise import PointNoise, estimate_noise
from .stopping import Decision, Question, decide_run

Floats = NDArray[np.float64]

#: "Ceiling identified" claims no more than this on each side of a median; it lifted coverage from .89 to .91.
CEILING_HALF_WIDTH = 0.02


@dataclass(frozen=True)
class ShapeForecast:
    """What one shape alone says.

    Attributes
    ----------
    name : str
        Name of the shape.
    pooled : bool
        Whether it is part of the forecast, or refuted by the pilot.
    nats_behind : float
        How far its log evidence is behind that of the best shape.
    end, A : Interval
        Its own observed end and ceiling.
    """

    name: str
    pooled: bool
    nats_behind: float
    end: Interval
    A: Interval

    def to_dict(self, ceiling: bool) -> dict[str, Any]:
        """Return the fields as JSON has them; the ceiling only where it may be shown."""
        return {
            "pooled": self.pooled,
            "nats_behind": self.nats_behind,
            "end": self.end.to_dict(),
            "A": self.A.to_dict() if ceiling else None,
        }


@dataclass(frozen=True, eq=False)
class Forecast:
    """Forecast of a run with its state and verdict; from :func:`forecast_run`.

    Attributes
    ----------
    curve : Curve
        The pilot.
    state : str
        ``"ceiling identified"``, ``"end forecast only"`` or ``"no forecast"``.
    reasons : tuple of Reason
        Why this state.
    decision : Decision
        Verdict, its reason, probability of the target, best stop.
    budget : Budget
        Compute that the forecast is for, and where it was taken from.
    end : Interval
        Observed end: the mean of the last 10 % of the planned points. Also there in state ``no forecast``,
        where it held the end in 92 % of public runs, but is too wide to quote: draw it, print no number.
    A, B, Cmid, R0 : Interval or None
        Parameters; None where the state does not allow to show them. Cmid in the unit of the curve.
    seen_over_Cmid : Interval
        Compute seen over Cmid.
    level : float
        Share of the truth that the intervals should hold.
    noise : PointNoise
        Sampling noise and its source.
    calibration : Calibration
        By how much the intervals of the end and of A were widened, and what that was measured on.
    warnings : tuple of LogWarning
        Of the log and of the forecast.
    """

    curve: Curve
    state: str
    reasons: tuple[Reason, ...]
    decision: Decision
    budget: Budget
    end: Interval
    A: Interval | None
    B: Interval | None
    Cmid: Interval | None
    R0: Interval | None
    seen_over_Cmid: Interval
    level: float
    noise: PointNoise
    calibration: Calibration
    warnings: tuple[LogWarning, ...]
    _belief: Belief = field(repr=False)

    @property
    def verdict(self) -> str:
        """``"continue"``, ``"stop"`` or ``"cannot tell"``."""
        return self.decision.verdict

    @cached_property
    def shapes(self) -> tuple[ShapeForecast, ...]:
        """What each shape alone says."""
        tried = self._belief.posterior.shapes
        best = max(s.log_evidence for s in tried)
        kept = {s.name for s in self._belief.posterior.kept}
        return tuple(
            ShapeForecast(
                s.name,
                s.name in kept,
                best - s.log_evidence,
                Interval.of_share(s.end, self.level),
                Interval.of_share(s.ceiling, self.level),
            )
            for s in tried
        )

    def p_reach(self, target: float) -> float:
        """Return the probability that the observed end is at least ``target``."""
        value = as_number(target, "target", ForecastError)
        if np.isnan(value):
            raise ForecastError("target is nan; give a pass rate, such as 0.6")
        return self._belief.end.share_above(value)

    def expected(self, compute: ArrayLike) -> Floats:
        """Return the expected pass rate of the curve, without noise, at each compute (unit of the curve)."""
        return self._belief.posterior.expected(_as_places(compute) / self._belief.seen)

    def curve_at(self, compute: float) -> Interval:
        """Return the interval of the curve, without noise, at a compute (unit of the curve)."""
        at = float(_as_places([compute])[0]) / self._belief.seen
        return Interval.of_share(self._belief.posterior.pool(lambda s: s.curve_at(at)), self.level)

    def band(self, compute: ArrayLike, *, draws: int = 1500, seed: int = 0) -> Band:
        """Return intervals of the curve, and of one measured point, at each compute.

        Parameters
        ----------
        compute : array_like, shape (places,)
            0 or more, in the unit of the curve.
        draws, seed : int
            Draws that the band is made of; same seed, same band.

        Returns
        -------
        Band
        """
        b = self._belief
        at = _as_places(compute)
        band = spread_band(b.posterior, b.pilot, b.settings, b.window, at / b.seen, self.level, draws, seed)
        return band._replace(compute=at)

    def draws(self, n: int = 1000, seed: int = 0) -> pd.DataFrame:
        """Return joint draws of the parameters and the observed end.

        Parameters
        ----------
        n : int
            Rows, 1 or more.
        seed : int
            Same seed, same draws.

        Returns
        -------
        DataFrame
            Columns ``shape``, ``R0``, ``A``, ``B``, ``Cmid`` (unit of the curve), ``end``. Made in every
            state: that the gate refuses a number does not make the posterior wrong, only too wide to quote.
        """
        d = draw_posterior(self._belief.posterior, n, seed)
        return pd.DataFrame(
            {
                "shape": d.shape,
                "R0": d.R0,
                "A": d.A,
                "B": d.B,
                "Cmid": d.Cmid * self._belief.seen,
                "end": d.end,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what ``rlscale forecast --json`` prints; parameters that the state hides are null."""
        curve = self.curve
        out: dict[str, Any] = {
            "log": {
                "format": curve.format,
                "run": curve.run,
                "x": {"key": curve.x_key, "unit": curve.unit},
                "y": {"key": curve.y_key, "kind": curve.kind},
                "points": len(curve),
                "segments": int(np.unique(np.asarray(curve.segment)).size),
            },
            "state": self.state,
            "reasons": [r.to_dict() for r in self.reasons],
            "verdict": self.verdict,
            "why": self.decision.why,
            "seen_over_Cmid": self.seen_over_Cmid.to_dict(),
        }
        for name in ("A", "B", "Cmid", "R0"):
            interval: Interval | None = getattr(self, name)
            out[name] = None if interval is None else interval.to_dict()
        out["end"] = {"at": self.budget.at, "unit": curve.unit, **self.end.to_dict()}
        if self.decision.p_target is not None:
            out["p_target"] = self.decision.p_target
        if self.decision.best_stop is not None:
            out["best_stop"] = self.decision.best_stop.to_dict()
        out["level"] = self.level
        out["shapes"] = {s.name: s.to_dict(self.state == CEILING) for s in self.shapes}
        out["budget"] = {"at": self.budget.at, "from": self.budget.source, "why": self.budget.why}
        out["noise"] = {"source": self.noise.source, "sd": float(np.sqrt(np.mean(self.noise.sd**2)))}
        out["calibration"] = self.calibration.to_dict()
        out["warnings"] = [w.to_dict() for w in self.warnings]
        return out

    def summary(self) -> str:
        """Return the forecast in words: state, verdict, reasons, interval; no number where it is refused."""
        return describe_forecast(self)


def _as_places(compute: ArrayLike) -> Floats:
    try:
        at = np.asarray(compute, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ForecastError(f"compute holds something that is no number ({error}); give numbers") from None
    wrong = at[~(np.isfinite(at) & (at >= 0))]
    if wrong.size:
        raise ForecastError(f"compute is {wrong[0]:g} somewhere; give finite numbers of 0 or more")
    return at


def forecast_run(
    curve: Curve,
    *,
    budget: float | None = None,
    target: float | None = None,
    price: float | None = None,
    value: float | None = None,
    level: float = 0.9,
    calibration: Calibration | None = None,
) -> Forecast:
    """Forecast the end of an unfinished run, and say whether to go on.

    Parameters
    ----------
    curve : Curve
        The pilot: two points or more, not all equal.
    budget : float, optional
        Planned compute of the whole run, in the unit of the curve. Without it the planned length of the log,
        else four times what was seen.
    target : float, optional
        Pass rate that is wanted, inside (0, 1).
    price : float, optional
        USD for one unit of compute.
    value : float, optional
        USD for one percentage point of pass rate; needs ``price``.
    level : float
        Share of the truth that the intervals should hold, inside (0, 1).
    calibration : Calibration, optional
        From :func:`rlscale.calibration.calibrate_library`; by default that on the public runs.

    Returns
    -------
    Forecast

    Raises
    ------
    ForecastError
        If the curve has fewer than two points or never moves, the budget is smaller than what was seen, or
        another argument has no meaning.

    Examples
    --------
    >>> from rlscale import Sigmoid
    >>> C = np.linspace(0, 400, 41)
    >>> y = Sigmoid(0.2, 0.6, 1.5, 40)(C) + np.random.default_rng(0).normal(0, 0.005, 41)
    >>> forecast = forecast_run(Curve(C, y, unit="updates"), budget=800)
    >>> forecast.state
    'ceiling identified'
    >>> bool(forecast.end.lo < 0.595 < forecast.end.hi)
    True
    """
    check_request(curve, target=target, price=price, value=value, level=level)
    chosen = choose_budget(curve, budget)
    belief = form_belief(curve, estimate_noise(curve), chosen.at)
    posterior, noise, seen = belief.posterior, belief.noise, belief.seen
    where = f"{chosen.at:.6g} {curve.label}"
    collapsed = "" if curve.collapsed is None else f"{curve.collapsed:.6g} {curve.label}"
    measured = load_calibration() if calibration is None else calibration
    spread = widen_spread(belief.spread(), measured.q)
    state, reasons = judge_pilot(curve.pass_rate, belief.point_noise, spread, where, collapsed)
    question = Question(target, price, value, level, where)
    decision = decide_run(belief, curve, state, reasons, question)
    shown, widen = state != REFUSED, CEILING_HALF_WIDTH if state == CEILING else 0.0
    return Forecast(
        curve=curve,
        state=state,
        reasons=reasons,
        decision=decision,
        budget=chosen,
        end=measured.widen(Interval.of_share(belief.end, level)).widen(widen),
        A=measured.widen(Interval.of_share(belief.ceiling, level)).widen(widen) if state == CEILING else None,
        B=Interval.of_log(posterior.pool(lambda s: s.log_steepness), level) if shown else None,
        Cmid=Interval.of_log(belief.log_midpoint, level).times(seen) if shown else None,
        R0=Interval.of_share(posterior.pool(lambda s: s.start), level) if shown else None,
        seen_over_Cmid=Interval.of_log(belief.log_midpoint, level).inverse(),
        level=level,
        noise=noise,
        calibration=measured,
        warnings=(*curve.warnings, *noise.warnings, *chosen.warnings),
        _belief=belief,
    )


__all__ = [
    "CEILING",
    "END_ONLY",
    "REFUSED",
    "Band",
    "Budget",
    "Decision",
    "Forecast",
    "Interval",
    "Reason",
    "ShapeForecast",
    "forecast_run",
]
