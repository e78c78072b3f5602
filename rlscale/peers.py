"""The simpler rules that a forecast has to beat: each gives one number for the end, and no interval.

==================  ======================================================================
``last``            the mean of the last tenth of the pilot
``linear``          a straight line through the second half of the pilot
``log_linear``      the same on a log axis of compute
``power``           A − D·C^(−b), SciPy's ``curve_fit`` with bounds
``sigmoid``         the law of four parameters, SciPy's ``curve_fit`` with bounds and one start
``exponential``     R0 + (A − R0)·(1 − e^(−C/c)), SciPy's ``curve_fit`` with bounds
``grid``            the grid of the ScaleRL paper, its compute axis scaled to the pilot
==================  ======================================================================

All see the pilot alone, and compute divided by what was seen (in raw units ``curve_fit`` fails for reasons of
scale alone). They forecast the middle of the last tenth of the run, since the end is a mean over it. A rule
that cannot be computed gives NaN, no substitute.

The paper's grid: A in {0.450, 0.455, …, 0.800} and 100 values of Cmid, linear from 100 to 40,000 GPU-hours,
which for its run of 16,000 GPU-hours is T/160 to 2.5 T; R0 is the first point. For a pair of B and Cmid the
sum of squares is a parabola in A, so all 7,100 nodes are tried at once for each of 61 values of B, where the
paper calls ``curve_fit`` 7,100 times (:func:`rlscale.fit_scalerl_grid` does). Its rule to drop the first
1,500 GPU-hours has no counterpart in other units and is left out.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .binning import DEFAULT_BINS, LONG_LOG, bin_curve
from .curve import Curve

Floats = NDArray[np.float64]

#: Names of the rules, in the order of their columns ``peer_…``.
PEERS: tuple[str, ...] = ("last", "linear", "log_linear", "power", "sigmoid", "exponential", "grid")
#: The middle of the last tenth of the run.
_MIDDLE = 0.95
#: Fewer points than this are no curve.
_LEAST_POINTS = 4
_GRID_CEILINGS: Floats = np.round(np.arange(71) * 0.005 + 0.45, 3)
_GRID_CMIDS: Floats = np.linspace(1 / 160, 2.5, 100)
_GRID_STEEPNESS: Floats = np.geomspace(0.2, 8.0, 61)


def extrapolate_pilot(pilot: Curve, budget: float) -> dict[str, float]:
    """Return the end that each simpler rule expects.

    Parameters
    ----------
    pilot : Curve
        What was seen.
    budget : float
        Compute of the whole run, in the unit of the curve.

    Returns
    -------
    dict of str to float
        Keys ``peer_last`` … in the order of :data:`PEERS`; pass rates in [0, 1], or NaN where there are
        fewer than four points or a fit does not converge.

    Examples
    --------
    >>> C = np.arange(1.0, 21.0)
    >>> ends = extrapolate_pilot(Curve(C, 0.2 + 0.01 * C, unit="updates"), budget=40.0)
    >>> round(ends["peer_last"], 3), round(ends["peer_linear"], 3)
    (0.395, 0.58)
    """
    if len(pilot) < _LEAST_POINTS:
        return {f"peer_{name}": math.nan for name in PEERS}
    seen = float(pilot.compute[-1])
    means = bin_curve(
        pilot.compute, pilot.pass_rate, bins=DEFAULT_BINS if len(pilot) > LONG_LOG else len(pilot)
    )
    c, y = means.compute / seen, means.pass_rate
    at = max(_MIDDLE * budget / seen, 1.0)
    last = float(pilot.pass_rate[-max(1, round(len(pilot) / 10)) :].mean())
    rules: dict[str, Callable[[], float]] = {
        "last": lambda: last,
        "linear": lambda: _extend_line(c, y, at),
        "log_linear": lambda: _extend_line(np.log(c[c > 0]), y[c > 0], math.log(at)),
        "power": lambda: _fit_power(c, y, at),
        "sigmoid": lambda: _fit_sigmoid(c, y, at),
        "exponential": lambda: _fit_exponential(c, y, at),
        "grid": lambda: _search_grid(c, y, at),
    }
    return {f"peer_{name}": float(np.clip(rules[name](), 0.0, 1.0)) for name in PEERS}


def _extend_line(x: Floats, y: Floats, at: float) -> float:
    late = slice(x.size // 2, None) if x.size >= _LEAST_POINTS else slice(None)
    if x[late].size < 2:
        return math.nan
    slope, start = np.polyfit(x[late] - x[-1], y[late], 1)
    return float(start + slope * (at - x[-1]))


def _fit(
    law: Callable[..., Floats], c: Floats, y: Floats, start: list[float], low: list[float], high: list[float]
) -> Callable[[float], float] | None:
    from scipy.optimize import OptimizeWarning, curve_fit

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OptimizeWarning)  # no covariance on a flat pilot; none is used
        try:
            found, _ = curve_fit(law, c, y, p0=np.clip(start, low, high), bounds=(low, high), max_nfev=2000)
        except RuntimeError:  # no convergence
            return None
    return lambda at: float(law(np.array([at]), *found)[0])


def _fit_power(c: Floats, y: Floats, at: float) -> float:
    def law(c: Floats, A: float, log_d: float, b: float) -> Floats:
        return np.asarray(A - np.exp(log_d) * c**-b)

    used = c > 0
    rise = max(float(y.max() - y.min()), 0.01)
    fit = _fit(law, c[used], y[used], [y[-1] + rise, math.log(rise), 0.5], [0, -12, 0.01], [1.0, 3, 10])
    return math.nan if fit is None else fit(at)


def _fit_sigmoid(c: Floats, y: Floats, at: float) -> float:
    def law(c: Floats, R0: float, A: float, log_b: float, log_mid: float) -> Floats:
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(R0 + (A - R0) / (1 + (np.exp(log_mid) / c) ** np.exp(log_b)))

    start = [float(y.min()), float(y.max()), 0.4, math.log(0.3)]
    fit = _fit(law, c, y, start, [0, 0, math.log(0.2), math.log(1e-3)], [1, 1, math.log(8), math.log(20)])
    return math.nan if fit is None else fit(at)


def _fit_exponential(c: Floats, y: Floats, at: float) -> float:
    def law(c: Floats, R0: float, A: float, log_scale: float) -> Floats:
        return np.asarray(R0 - (A - R0) * np.expm1(-c / np.exp(log_scale)))

    start = [float(y.min()), float(y.max()), math.log(0.3)]
    fit = _fit(law, c, y, start, [0, 0, math.log(1e-3)], [1, 1, math.log(20)])
    return math.nan if fit is None else fit(at)


def _search_grid(c: Floats, y: Floats, at: float) -> float:
    R0 = float(y[0])
    ceilings = _GRID_CEILINGS[_GRID_CEILINGS > R0]
    used = c > 0
    if not ceilings.size or used.sum() < 2:
        return math.nan
    log_ratio = np.log(_GRID_CMIDS[:, None] / c[used])
    share = 1 / (1 + np.exp(_GRID_STEEPNESS[:, None, None] * log_ratio))  # (B, Cmid, points)
    rest = y[used] - R0
    by_rest, by_share = share @ rest, (share**2).sum(axis=2)
    gain = ceilings - R0
    sse = gain**2 * by_share[..., None] - 2 * gain * by_rest[..., None]  # + Σ rest², the same everywhere
    b, mid, a = np.unravel_index(int(np.argmin(sse)), sse.shape)
    return float(R0 + gain[a] / (1 + (_GRID_CMIDS[mid] / at) ** _GRID_STEEPNESS[b]))
