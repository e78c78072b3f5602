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

from .amounts import say_compute
from .belief import Belief, form_belief
from .calibration import Calibration, load_calibration
from .curve import Curve, LogWarning
from .draws import Band, draw_posterior, spread_band
from .errors import ForecastError
from .forecast_json import list_fields
from .forecast_text import describe_forecast
from .gate import CEILING, END_ONLY, REFUSED, Reason, judge_pilot, widen_spread
from .given import as_number
from .horizon import Budget, as_places, check_request, choose_budget
from .intervals import Interval
from .noise import PointNoise, estimate_noise
from .shape_forecast import ShapeForecast, list_shapes
from .stopping import Decision, Question, decide_run
from .worth import NextGain, find_next_gain, measure_gain

Floats = NDArray[np.float64]

#: "Ceiling identified" claims no more than this on each side of a median; it lifted coverage from .89 to .91.
CEILING_HALF_WIDTH = 0.02
#: Share of the truth that intervals hold, unless asked otherwise.
DEFAULT_LEVEL = 0.9


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
    gain : Interval or None
        What the curve, without noise, still wins until the budget; None in state ``no forecast``.
    next_gain : NextGain or None
        What the next dollars buy; None without a price, and in state ``no forecast``.
    question : Question
        Target, price, value and level that were asked for.
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
    gain: Interval | None
    next_gain: NextGain | None
    question: Question
    level: float
    noise: PointNoise
    calibration: Calibration
    warnings: tuple[LogWarning, ...]
    _belief: Belief = field(repr=False)

    @property
    def verdict(self) -> str:
        """``"continue"``, ``"stop"`` or ``"cannot tell"``."""
        return self.decision.verdict

    @property
    def rest(self) -> float:
        """Compute that is left of the budget, in the unit of the curve."""
        return self.budget.at - float(self.curve.compute[-1])

    @cached_property
    def shapes(self) -> tuple[ShapeForecast, ...]:
        """What each shape alone says."""
        return list_shapes(self._belief.posterior, self.level)

    def p_reach(self, target: float) -> float:
        """Return the probability that the observed end is at least ``target``."""
        value = as_number(target, "target", ForecastError)
        if np.isnan(value):
            raise ForecastError("target is nan; give a pass rate, such as 0.6")
        return self._belief.end.share_above(value)

    def expected(self, compute: ArrayLike) -> Floats:
        """Return the expected pass rate of the curve, without noise, at each compute (unit of the curve)."""
        return self._belief.posterior.expected(as_places(compute) / self._belief.seen)

    def curve_at(self, compute: float) -> Interval:
        """Return the interval of the curve, without noise, at a compute (unit of the curve)."""
        at = float(as_places([compute])[0]) / self._belief.seen
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
        at = as_places(compute)
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
                "end": self._belief.loosen_draws(d.end, seed),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what ``rlscale forecast --json`` prints; see :func:`rlscale.forecast_json.list_fields`."""
        return list_fields(self)

    def summary(self) -> str:
        """Return the forecast in words: state, verdict, reasons, interval; no number where it is refused."""
        return describe_forecast(self)


def forecast_run(
    curve: Curve,
    *,
    budget: float | None = None,
    target: float | None = None,
    price: float | None = None,
    value: float | None = None,
    level: float = DEFAULT_LEVEL,
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
        USD for one percentage point of pass rate. Price and value together make a verdict by money, also
        where the state refuses a number; one alone gives the worth or price at which going on pays.
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
    where = say_compute(chosen.at, curve.label)
    collapsed = "" if curve.collapsed is None else say_compute(curve.collapsed, curve.label)
    measured = load_calibration() if calibration is None else calibration
    spread = widen_spread(belief.spread(), measured.q)
    state, reasons = judge_pilot(curve.pass_rate, belief.point_noise, spread, where, collapsed)
    question = Question.of(target, price, value, level, where)
    decision = decide_run(belief, curve, state, reasons, question)
    followed = state != REFUSED and not belief.misfit
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
        gain=measured.widen(measure_gain(belief, 1.0, belief.pilot.horizon, level)) if followed else None,
        next_gain=find_next_gain(belief, measured, price, level) if followed else None,
        question=question,
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
