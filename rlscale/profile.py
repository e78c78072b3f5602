"""Which ceilings a curve leaves open: the profile likelihood of A.

For each ceiling A everything else is fitted: R0, B, Cmid and the noise, which is sampling noise plus drift,

    Σ = diag(s_i²) + τ² · exp(−|C_i − C_j| / l)

The deviance is rᵀΣ⁻¹r + ln det Σ at the best of these. Ceilings whose deviance lies within ``cutoff`` of
the lowest are left open. The textbook cutoff for 90 % is 2.71, and at that the interval covers 71–81 % of
simulated runs, since a pilot is no large sample. 5.4 covers 88–94 %; it is *empirical*, calibrated on
simulated runs of 60 evaluations with drift .006, and holds for designs like that one only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import marquardt
from .errors import CurveError, FitError
from .law import LOG_NOTHING, Law, Sigmoid
from .points import Points, prepare_points
from .varpro import Box, shares_on_grid, solve

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

#: Fall of the deviance that 90 % of simulated runs stay below; not the chi-square value 2.71.
CALIBRATED_CUTOFF = 5.4
#: Standard deviations τ of the drift that are tried, in pass rate, and its lengths l as shares of what was
#: seen.
DRIFT_SDS: tuple[float, ...] = (0.0, *(float(t) for t in np.geomspace(0.0015, 0.02, 6)))
DRIFT_LENGTHS: tuple[float, ...] = (0.01, 0.03, 0.08)
#: Sampling noise below this is not believed: logs are rounded.
NOISE_FLOOR = 0.002

_GRID = (24, 36)
_TINY = 1e-300
_LIMIT = 40


@dataclass(frozen=True, eq=False)
class CeilingProfile:
    """Deviance against ceiling.

    Attributes
    ----------
    A : float
        Ceiling of lowest deviance.
    lo, hi : float
        Ends of the interval left open by the cutoff; 0 or 1 when it reaches that far.
    cutoff : float
        Rise of the deviance that is allowed.
    table : DataFrame
        Columns A, deviance (above the lowest), R0, B, Cmid, drift_sd, drift_length, one row a ceiling tried.
    noise_sd : float
        Median sampling noise of a point as it was given or estimated.
    """

    A: float
    lo: float
    hi: float
    cutoff: float
    table: pd.DataFrame
    noise_sd: float


def profile_ceiling(
    compute: ArrayLike,
    pass_rate: ArrayLike,
    *,
    law: type[Law] = Sigmoid,
    noise_sd: ArrayLike | None = None,
    cutoff: float = CALIBRATED_CUTOFF,
) -> CeilingProfile:
    """Profile the likelihood of the ceiling under sampling noise and drift.

    Parameters
    ----------
    compute, pass_rate, law
        As for :func:`rlscale.fit_law`; more than 60 points are binned first.
    noise_sd : float or array_like, shape (points,), optional
        Sampling noise of each point in pass rate, such as √(p(1−p)/(problems·samples)); taken from the
        differences of neighbours when absent.
    cutoff : float
        Rise of the deviance that is allowed; the default is calibrated, see the module.

    Returns
    -------
    CeilingProfile

    Raises
    ------
    CurveError, FitError
        As for :func:`rlscale.fit_law`; also if ``noise_sd`` or ``cutoff`` is not above 0.

    Examples
    --------
    >>> compute = np.linspace(0, 4000, 41)
    >>> noise = 0.004 * np.random.default_rng(0).standard_normal(41)
    >>> profile = profile_ceiling(compute, Sigmoid(0.2, 0.6, 1.5, 1000)(compute) + noise, noise_sd=0.004)
    >>> bool(profile.lo < 0.6 < profile.hi)
    True
    """
    if not cutoff > 0:
        raise FitError(
            f"cutoff is {cutoff}; give a rise of the deviance above 0, such as {CALIBRATED_CUTOFF}"
        )
    count = np.size(pass_rate)
    if noise_sd is None:
        prepare_points(compute, pass_rate)  # refuses what cannot be fitted before its noise is estimated
        given = np.full(count, _noise_from_differences(compute, pass_rate))
    else:
        given = np.asarray(noise_sd, np.float64)
        if (given.ndim and given.size != count) or not (given > 0).all() or not np.isfinite(given).all():
            raise CurveError(f"noise_sd must be one number above 0, or one for each of the {count} points")
        given = np.broadcast_to(given, count)
    points = prepare_points(compute, pass_rate, 1 / given**2)
    problem = _Problem(points, law, Box())
    ceilings = _first_ceilings(points, law)
    table = problem.profile(ceilings)
    # once more where it matters: round the lowest and in the cells in which the cutoff is crossed
    table = _merge(table, problem.profile(_finer(table, cutoff)))
    return _read_profile(table, cutoff, float(np.median(given)))


def _noise_from_differences(compute: ArrayLike, pass_rate: ArrayLike) -> float:
    order = np.argsort(np.asarray(compute, np.float64), kind="stable")
    steps = np.diff(np.asarray(pass_rate, np.float64)[order])
    robust = 1.4826 * float(np.median(np.abs(steps - np.median(steps)))) / np.sqrt(2)
    return max(robust, NOISE_FLOOR)


def _first_ceilings(points: Points, law: type[Law]) -> Floats:
    """Dense round the least-squares ceiling, and out to 0 and 1."""
    best = float(solve(points.x, points.weights, points.pass_rate[None], law, Box()).A[0])
    away = np.geomspace(1e-3, 1.0, 24)
    return np.unique(np.clip(np.concatenate([best - away, [best], best + away]), 1e-6, 1.0))


def _finer(table: Floats, cutoff: float) -> Floats:
    ceilings, deviance = table[0], table[1] - table[1].min()
    low = int(np.argmin(deviance))
    inside = deviance <= cutoff
    cells = {max(low - 1, 0), min(low, ceilings.size - 2)}
    cells |= {int(i) for i in np.flatnonzero(inside[1:] != inside[:-1])}
    return np.unique(np.concatenate([np.linspace(ceilings[i], ceilings[i + 1], 7)[1:-1] for i in cells]))


def _merge(first: Floats, second: Floats) -> Floats:
    both = np.concatenate([first, second], axis=1)
    return both[:, np.argsort(both[0])]


def _read_profile(table: Floats, cutoff: float, noise_sd: float) -> CeilingProfile:
    import pandas as pd

    table = table.copy()
    table[1] -= table[1].min()
    ceilings, deviance = table[0], table[1]
    inside = np.flatnonzero(deviance <= cutoff)
    first, last = int(inside[0]), int(inside[-1])
    lo = _crossing(ceilings, deviance, first - 1, first, cutoff) if first > 0 else 0.0
    hi = _crossing(ceilings, deviance, last + 1, last, cutoff) if last + 1 < ceilings.size else 1.0
    columns = ["A", "deviance", "R0", "B", "Cmid", "drift_sd", "drift_length"]
    best = float(ceilings[np.argmin(deviance)])
    return CeilingProfile(best, lo, hi, cutoff, pd.DataFrame(table.T, columns=columns), noise_sd)


def _crossing(ceilings: Floats, deviance: Floats, outside: int, inside: int, cutoff: float) -> float:
    part = (cutoff - deviance[inside]) / (deviance[outside] - deviance[inside])
    return float(ceilings[inside] + part * (ceilings[outside] - ceilings[inside]))


class _Problem:
    """Everything that does not change with the ceiling: whitened points and grid under each noise setting."""

    def __init__(self, points: Points, law: type[Law], box: Box) -> None:
        self.points, self.law, self.box = points, law, box
        self.settings = [(0.0, DRIFT_LENGTHS[0])] + [
            (tau, share) for tau in DRIFT_SDS if tau > 0 for share in DRIFT_LENGTHS
        ]
        self.x = np.maximum(points.x, LOG_NOTHING)
        apart = np.abs(np.subtract.outer(points.compute, points.compute)) / points.seen
        roots = [
            np.linalg.cholesky(np.diag(1 / points.weights) + tau**2 * np.exp(-apart / share))
            for tau, share in self.settings
        ]
        self.log_det = np.array([2 * np.log(np.diag(root)).sum() for root in roots])
        self.whiten = np.stack([np.linalg.inv(root).T for root in roots])  # row vectors times this
        n = points.compute.size
        self.y = np.einsum("n,snk->sk", points.pass_rate, self.whiten)
        self.one = np.einsum("n,snk->sk", np.ones(n), self.whiten)
        low, high = box.log
        self.b, self.m = (np.linspace(low[i], high[i], _GRID[i]) for i in (0, 1))
        self.shares = shares_on_grid(self.x, law, self.b, self.m)

    def profile(self, ceilings: Floats) -> Floats:
        """Return A, deviance, R0, B, Cmid, drift_sd and drift_length, one column a ceiling."""
        count = len(self.settings)
        start = np.stack([self._start(s, ceilings) for s in range(count)])
        setting = np.repeat(np.arange(count), ceilings.size)
        ceiling = np.tile(ceilings, count)

        def evaluate(rows: NDArray[np.int64], b: Floats, m: Floats) -> Floats:
            return self._evaluate(setting[rows], ceiling[rows], b, m)

        low, high = self.box.log
        b, m = start[:, 0].ravel(), start[:, 1].ravel()
        state, _, _ = marquardt.walk_downhill(evaluate, b, m, low, high, _LIMIT)
        deviance = (state[marquardt.SSE] + self.log_det[setting]).reshape(count, -1)
        best = np.argmin(deviance, axis=0)
        pick = best * ceilings.size + np.arange(ceilings.size)
        noise = np.array(self.settings)[best].T * [[1.0], [self.points.seen]]
        B, Cmid = np.exp(state[marquardt.B, pick]), np.exp(state[marquardt.M, pick]) * self.points.seen
        return np.stack([ceilings, deviance.ravel()[pick], state[marquardt.R0, pick], B, Cmid, *noise])

    def _start(self, setting: int, ceilings: Floats) -> Floats:
        """Best node of the grid for each ceiling, shape (2, ceilings)."""
        f = self.shares @ self.whiten[setting]
        y, one = self.y[setting], self.one[setting]
        ff, f1, fy = np.vecdot(f, f)[:, None], (f @ one)[:, None], (f @ y)[:, None]
        gg, gf, gy = one @ one - 2 * f1 + ff, f1 - ff, one @ y - fy
        aim = gy - ceilings * gf
        R0 = np.clip(aim / np.maximum(gg, _TINY), 0, ceilings)
        cost = ceilings * (ceilings * ff - 2 * fy) + R0 * (R0 * gg - 2 * aim)
        node = np.argmin(cost, axis=0)
        return np.stack([self.b[node // self.m.size], self.m[node % self.m.size]])

    def _evaluate(self, setting: NDArray[np.int64], ceiling: Floats, b: Floats, m: Floats) -> Floats:
        parts = np.stack(self.law.partials(self.x - m[:, None], np.exp(b)[:, None]), axis=1)
        edges = np.flatnonzero(np.diff(setting)) + 1  # rows stay sorted by setting: one product for each
        for block in np.split(np.arange(setting.size), edges):
            parts[block] = parts[block] @ self.whiten[setting[block[0]]]
        f, by_b, by_m = parts[:, 0], parts[:, 1], parts[:, 2]
        g = self.one[setting] - f
        above = self.y[setting] - ceiling[:, None] * f
        gg = np.maximum(np.vecdot(g, g), _TINY)
        free = np.vecdot(g, above) / gg
        R0 = np.clip(free, 0, ceiling)
        moves = ((free >= 0) & (free <= ceiling)) / gg
        residual = above - R0[:, None] * g
        gain = (ceiling - R0)[:, None]
        jb = gain * (by_b - (moves * np.vecdot(g, by_b))[:, None] * g)
        jm = gain * (by_m - (moves * np.vecdot(g, by_m))[:, None] * g)
        state = np.empty((marquardt.STATE_ROWS, b.size))
        state[:4] = b, m, R0, ceiling
        state[marquardt.SSE] = np.vecdot(residual, residual)
        state[marquardt.GB], state[marquardt.GM] = -np.vecdot(jb, residual), -np.vecdot(jm, residual)
        state[marquardt.HBB], state[marquardt.HBM] = np.vecdot(jb, jb), np.vecdot(jb, jm)
        state[marquardt.HMM] = np.vecdot(jm, jm)
        return state
