"""The forecast of an unfinished run: what the observed end will be, how sure that is, and whether to go on.

The pilot is binned to at most 48 points, its noise estimated, the posterior of three shapes pooled
(:mod:`rlscale.posterior`), a state given (:mod:`rlscale.gate`) and a verdict (:mod:`rlscale.stopping`).
The end is what you would *observe*: the mean of the last 10 % of the planned points, with drift and sampling noise,
not the height of a smooth curve.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from .binning import bin_curve
from .curve import Curve, LogWarning
from .draws import Band, draw_posterior, spread_band
from .forecast_text import describe_forecast
from .gate import CEILING, END_ONLY, REFUSED, Reason, Spread, find_fall, judge_pilot
from .grid import Pilot
from .horizon import Budget, check_request, choose_budget
from .mixture import Mixture
from .noise import NoiseSettings, PointNoise, Window, estimate_noise, prepare_noise
from .posterior import Posterior, ShapePosterior, pool_shapes
from .stopping import CANDIDATES, Decision, decide_by_gain, decide_by_money, decide_by_target, refuse_verdict

Floats = NDArray[np.float64]

#: Bins of a long log.
BINS = 48
#: Share of the planned points whose mean is the end.
END_SHARE = 0.10
#: Places that stand for the planned points of the window.
_WINDOW_PLACES = 12
#: The gate works with this level, whatever level the reader asks for.
_GATE_LEVEL = 0.9
#: "Ceiling identified" states no narrower interval than this on each side of the median: it lifted coverage from .89 to .91.
CEILING_HALF_WIDTH = 0.02

#: What is known of the intervals; `reported` in the sense of the data dictionary.
CALIBRATION = {
    "status": "uncalibrated",
    "q": 1.0,
    "note": "backtested on 67 public runs: 92 % (bal 89 %)",
}


@dataclass(frozen=True)
class Interval:
    """Median and ends of an interval."""

    median: float
    lo: float
    hi: float

    def to_dict(self) -> dict[str, float]:
        """Return ``{"median", "lo", "hi"}``."""
        return {"median": self.median, "lo": self.lo, "hi": self.hi}

    @property
    def width(self) -> float:
        """High end minus low end."""
        return self.hi - self.lo


@dataclass(frozen=True)
class ShapeForecast:
    """What one shape alone says: whether it is pooled, how far its evidence is behind the best, its end and ceiling."""

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
        Observed end: the mean of the last 10 % of the planned points. Also there in state ``no forecast``, to be
        drawn; do not quote it as a number then.
    A, B, Cmid, R0 : Interval or None
        Parameters; None where the state does not allow to show them. Cmid in the unit of the curve.
    seen_over_Cmid : Interval
        Compute seen over Cmid.
    level : float
        Share of the truth that the intervals should hold.
    shapes : tuple of ShapeForecast
        What each shape alone says.
    noise : PointNoise
        Sampling noise and its source.
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
    shapes: tuple[ShapeForecast, ...]
    noise: PointNoise
    warnings: tuple[LogWarning, ...]
    _belief: _Belief = field(repr=False)

    @property
    def verdict(self) -> str:
        """``"continue"``, ``"stop"`` or ``"cannot tell"``."""
        return self.decision.verdict

    def p_reach(self, target: float) -> float:
        """Return the probability that the observed end is at least ``target``."""
        return self._belief.end.share_above(target)

    def expected(self, compute: ArrayLike) -> Floats:
        """Return the expected pass rate of the curve, without noise, at each compute (unit of the curve)."""
        return self._belief.posterior.expected(np.asarray(compute, np.float64) / self._belief.seen)

    def curve_at(self, compute: float) -> Interval:
        """Return the interval of the curve, without noise, at a compute (unit of the curve)."""
        at = compute / self._belief.seen
        return _interval(self._belief.posterior.pool(lambda s: s.curve_at(at)), self.level)

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
        at = np.asarray(compute, np.float64)
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
            Columns ``shape``, ``R0``, ``A``, ``B``, ``Cmid`` (unit of the curve), ``end``. Made in every state: that the gate
            refuses a number does not make the posterior wrong, only too wide to quote.
        """
        d = draw_posterior(self._belief.posterior, n, seed)
        return pd.DataFrame(
            {"shape": d.shape, "R0": d.R0, "A": d.A, "B": d.B, "Cmid": d.Cmid * self._belief.seen, "end": d.end}
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what ``rlscale forecast --json`` prints; in state ``no forecast`` the parameters are null."""
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
        out["calibration"] = dict(CALIBRATION)
        out["warnings"] = [w.to_dict() for w in self.warnings]
        return out

    def summary(self) -> str:
        """Return the forecast in words: state, verdict, reasons, interval. No number where the state refuses one."""
        return describe_forecast(self)


@dataclass(frozen=True, eq=False)
class _Belief:
    """What a forecast keeps of its making."""

    posterior: Posterior
    pilot: Pilot
    settings: NoiseSettings
    window: Window
    seen: float
    end: Mixture


def forecast_run(
    curve: Curve,
    *,
    budget: float | None = None,
    target: float | None = None,
    price: float | None = None,
    value: float | None = None,
    level: float = 0.9,
) -> Forecast:
    """Forecast the end of an unfinished run, and say whether to go on.

    Parameters
    ----------
    curve : Curve
        The pilot: two points or more, not all equal.
    budget : float, optional
        Planned compute of the whole run, in the unit of the curve. Without it the planned length of the log, else four
        times what was seen.
    target : float, optional
        Pass rate that is wanted, inside (0, 1).
    price : float, optional
        USD for one unit of compute.
    value : float, optional
        USD for one percentage point of pass rate; needs ``price``.
    level : float
        Share of the truth that the intervals should hold, inside (0, 1).

    Returns
    -------
    Forecast

    Raises
    ------
    ForecastError
        If the curve has fewer than two points or never moves, the budget is smaller than what was seen, or another argument
        has no meaning.

    Examples
    --------
    >>> from rlscale import Sigmoid
    >>> C = np.linspace(0, 400, 41)
    >>> y = Sigmoid(0.2, 0.6, 1.5, 40)(C) + np.random.default_rng(0).normal(0, 0.005, 41)
    >>> forecast = forecast_run(Curve(C, y, unit="updates"), budget=800)
    >>> forecast.state, forecast.verdict
    ('ceiling identified', 'stop')
    >>> bool(forecast.end.lo < 0.595 < forecast.end.hi)
    True
    """
    check_request(curve, target=target, price=price, value=value, level=level)
    chosen = choose_budget(curve, budget)
    seen = float(curve.compute[-1])
    noise = estimate_noise(curve)
    # 12 digits, so that the same run in another unit gives the same numbers to the last bit that matters
    at = np.round(curve.compute / seen, 12)
    horizon = float(np.round(chosen.at / seen, 12))
    pilot = _bin_pilot(at, curve.pass_rate, noise.sd, horizon)
    settings = prepare_noise(pilot.at, pilot.sd, horizon)
    window = _plan_window(len(curve), noise.sd, horizon)
    posterior = pool_shapes(pilot, settings, window)
    end = posterior.pool(ShapePosterior.end)
    belief = _Belief(posterior, pilot, settings, window, seen, end)

    where = f"{chosen.at:.6g} {curve.label}"
    level_noise = float(np.sqrt(np.mean(noise.sd**2)))
    ceiling = posterior.pool(ShapePosterior.ceiling)
    midpoint = posterior.pool(ShapePosterior.log_midpoint)
    state, reasons = judge_pilot(
        curve.pass_rate, level_noise, _spread(posterior, end, ceiling, midpoint), where
    )
    decision = _decide(belief, curve, state, reasons, level, where, target, price, value, horizon, level_noise)

    widen = CEILING_HALF_WIDTH if state == CEILING else 0.0
    shown = state != REFUSED
    log_mid = _interval(midpoint, level, clip=False)
    mid = Interval(*(seen * float(np.exp(v)) for v in (log_mid.median, log_mid.lo, log_mid.hi)))
    passed = Interval(*(float(np.exp(-v)) for v in (log_mid.median, log_mid.hi, log_mid.lo)))
    log_b = _interval(posterior.pool(ShapePosterior.log_steepness), level, clip=False)
    return Forecast(
        curve=curve,
        state=state,
        reasons=reasons,
        decision=decision,
        budget=chosen,
        end=_widen(_interval(end, level), widen),
        A=_widen(_interval(ceiling, level), widen) if state == CEILING else None,
        B=Interval(*(float(np.exp(v)) for v in (log_b.median, log_b.lo, log_b.hi))) if shown else None,
        Cmid=mid if shown else None,
        R0=_interval(posterior.pool(ShapePosterior.start), level) if shown else None,
        seen_over_Cmid=passed,
        level=level,
        shapes=_by_shape(posterior, level),
        noise=noise,
        warnings=(*curve.warnings, *noise.warnings, *chosen.warnings),
        _belief=belief,
    )


def _bin_pilot(at: Floats, pass_rate: Floats, sd: Floats, horizon: float) -> Pilot:
    means = bin_curve(at, pass_rate, bins=BINS)
    variance = bin_curve(at, sd**2, bins=BINS)
    return Pilot(means.compute, means.pass_rate, np.sqrt(variance.pass_rate / variance.counts), horizon)


def _plan_window(points: int, sd: Floats, horizon: float) -> Window:
    """The last tenth of the planned points, if the run goes on being measured as often as so far."""
    planned = max(1, round(END_SHARE * points * horizon))
    if planned <= _WINDOW_PLACES:
        share = END_SHARE * np.arange(planned) / planned
    else:
        share = END_SHARE * (np.arange(_WINDOW_PLACES) + 0.5) / _WINDOW_PLACES
    late = sd[-max(1, points // 5) :]
    return Window(horizon * (1 - share), float(np.mean(late**2)) / planned, planned)


def _spread(posterior: Posterior, end: Mixture, ceiling: Mixture, midpoint: Mixture) -> Spread:
    tail = 0.5 * (1 - _GATE_LEVEL)
    medians = [s.end().quantiles([0.5])[0] for s in posterior.kept]
    low, high = end.quantiles([tail, 1 - tail])
    ceiling_low, ceiling_high = ceiling.quantiles([tail, 1 - tail])
    return Spread(
        (float(low), float(high)),
        (float(ceiling_low), float(ceiling_high)),
        1 - midpoint.share_above(0.0),
        float(max(medians) - min(medians)),
    )


def _decide(
    belief: _Belief,
    curve: Curve,
    state: str,
    reasons: tuple[Reason, ...],
    level: float,
    where: str,
    target: float | None,
    price: float | None,
    value: float | None,
    horizon: float,
    noise: float,
) -> Decision:
    posterior = belief.posterior
    if state == REFUSED:
        fall = find_fall(curve.pass_rate, noise)
        best = int(np.argmax(curve.pass_rate)) if fall is None else fall[1]
        return refuse_verdict(
            tuple(r.code for r in reasons), f"point {best + 1}, at {curve.compute[best]:.6g} {curve.label}"
        )
    decision: Decision | None = None
    if target is not None:
        now = posterior.pool(lambda s: s.curve_at(1.0)).share_above(target)
        decision = decide_by_target(target, belief.end.share_above(target), now, where)
    if price is not None and value is not None:
        at = np.linspace(1.0, horizon, CANDIDATES)
        money = decide_by_money(at * belief.seen, posterior.expected(at), price, value, curve.label)
        if decision is None:
            return money
        return Decision(decision.verdict, decision.why, decision.p_target, money.best_stop)
    if decision is not None:
        return decision
    gain = _interval(posterior.pool(lambda s: s.growth(1.0, horizon)), level, clip=False)
    return decide_by_gain((gain.median, gain.lo, gain.hi), where)


def _by_shape(posterior: Posterior, level: float) -> tuple[ShapeForecast, ...]:
    best = max(s.log_evidence for s in posterior.shapes)
    kept = {s.name for s in posterior.kept}
    return tuple(
        ShapeForecast(
            s.name, s.name in kept, best - s.log_evidence, _interval(s.end(), level), _interval(s.ceiling(), level)
        )
        for s in posterior.shapes
    )


def _interval(mixture: Mixture, level: float, clip: bool = True) -> Interval:
    tail = 0.5 * (1 - level)
    values = mixture.quantiles([0.5, tail, 1 - tail])
    if clip:
        values = np.clip(values, 0.0, 1.0)
    return Interval(*(float(v) for v in values))


def _widen(interval: Interval, half: float) -> Interval:
    """Keep an interval from claiming more than ± half, inside [0, 1]."""
    return Interval(
        interval.median,
        max(0.0, min(interval.lo, interval.median - half)),
        min(1.0, max(interval.hi, interval.median + half)),
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
