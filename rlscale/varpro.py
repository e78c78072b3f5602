"""Least squares of a law by variable projection: two parameters searched, two solved.

With x = ln(C/T), T the last compute seen, a law is R0·(1 − f) + A·f and its share f depends on b = ln B and
m = ln(Cmid/T) only. For given (b, m) the best start and ceiling under 0 ≤ R0 ≤ A ≤ 1 are known in closed
form (Golub and Pereyra 1973), so what is left is a search in two dimensions: a grid that no local minimum
escapes, then :mod:`Levenberg–Marquardt <rlscale.marquardt>` with Kaufman's (1975) Jacobian. The grid of
shares is the same for every series at the same compute, so thousands of bootstrap replicates are one matrix
product and one batch.

This module works on arrays that its callers have checked; the public door is :mod:`rlscale.fitting`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import marquardt
from .law import LOG_NOTHING, Law, Sigmoid

Floats = NDArray[np.float64]

GRID = (24, 40)
_CHUNK = 64  # series a pass of the grid: (24·40, 64) doubles stay in the cache of one core
FIRST_STEPS = 12  # nearly all rows rest by then; the others hop to and fro over an edge of the triangle
MAX_STEPS = 100
NEAR_EDGE = 0.1
# What of (R0, A) still moves: one along the edge R0 = 0 or A = 1 of the triangle, or both.
_AT_ZERO, _AT_ONE, _BOTH = 1, 2, 3
_TINY = 1e-300


@dataclass(frozen=True)
class Box:
    """Range that is searched: of B, and of Cmid as a multiple of the last compute seen."""

    B: tuple[float, float] = (0.2, 8.0)
    Cmid: tuple[float, float] = (0.001, 20.0)

    @property
    def log(self) -> Floats:
        """Lower and upper bounds of (ln B, ln Cmid/T), shape (2 bounds, 2 parameters)."""
        return np.log(np.array([self.B, self.Cmid])).T


class Solutions(NamedTuple):
    """One row a series.

    Attributes
    ----------
    R0, A, b, m : array, shape (series,)
        Start, ceiling, ln B and ln(Cmid/T).
    sse : array, shape (series,)
        Weighted sum of squared residuals.
    steps : array of int, shape (series,)
        Levenberg–Marquardt steps taken.
    converged : array of bool, shape (series,)
        Whether the steps came to rest.
    """

    R0: Floats
    A: Floats
    b: Floats
    m: Floats
    sse: Floats
    steps: NDArray[np.int64]
    converged: NDArray[np.bool_]


def solve(x: Floats, weights: Floats, series: Floats, shape: type[Law], box: Box) -> Solutions:
    """Fit every row of ``series`` at the same log compute.

    Parameters
    ----------
    x : array, shape (points,)
        ln(C/T); −inf at no compute.
    weights : array, shape (points,)
        Weight of each squared residual.
    series : array, shape (series, points)
        Pass rates.
    shape : type of Law
        Which law.
    box : Box
        Bounds.

    Returns
    -------
    Solutions
    """
    p = weights / weights.sum()
    x = np.maximum(x, LOG_NOTHING)
    found = descend(x, p, series, shape, box, grid_start(x, p, series, shape, box), FIRST_STEPS)
    restless = np.flatnonzero(~found.converged)
    # A row that does not rest hops to and fro over an edge of the triangle, where the cost has a kink in its
    # curvature. Along the edge there is none; the last walk is free again and says whether the edge is right.
    for edge, distance in ((_AT_ONE, 1 - found.A[restless]), (_AT_ZERO, found.R0[restless]), (None, None)):
        rows = restless if distance is None else restless[distance < NEAR_EDGE]
        if rows.size:
            start = np.stack([found.b, found.m], axis=1)[rows]
            other = descend(x, p, series[rows], shape, box, start, MAX_STEPS, edge)
            better = other.sse <= found.sse[rows]
            found.steps[rows] += other.steps
            for target, source in zip(found, other, strict=True):
                if target is not found.steps:
                    target[rows[better]] = source[better]
    return found._replace(sse=found.sse * weights.sum())


def shares_on_grid(x: Floats, shape: type[Law], b: Floats, m: Floats) -> Floats:
    """Return the shares at every node, shape (len(b)·len(m), points)."""
    if shape is Sigmoid:  # (Cmid/C)^B is a product of two short tables: no exponential a node and point
        with np.errstate(over="ignore"):
            early = np.exp(-np.exp(b)[:, None] * x)
        f = early[:, None, :] * np.exp(np.exp(b)[:, None] * m)[:, :, None]
        f += 1.0
        np.reciprocal(f, out=f)
    else:
        f = shape.share(x - m[:, None], np.exp(b)[:, None, None])
    return np.asarray(f.reshape(b.size * m.size, x.size))


def grid_start(x: Floats, p: Floats, series: Floats, shape: type[Law], box: Box) -> Floats:
    """Return the best node (b, m) of the grid for every series, shape (series, 2)."""
    low, high = box.log
    b, m = (np.linspace(low[i], high[i], GRID[i]) for i in (0, 1))
    f = shares_on_grid(x, shape, b, m)
    f_mean = f @ p
    f_var = np.maximum(np.square(f) @ p - f_mean**2, 0.0)
    y_mean = series @ p
    centred = series - y_mean[:, None]
    best = np.empty((len(series), 2))
    for i in range(0, len(series), _CHUNK):
        rows = slice(i, i + _CHUNK)
        covariance = f @ (centred[rows] * p).T
        node = np.argmin(_grid_cost(f_mean, f_var, covariance, y_mean[rows]), axis=0)
        best[rows, 0], best[rows, 1] = b[node // m.size], m[node % m.size]
    return best


def _grid_cost(f_mean: Floats, f_var: Floats, covariance: Floats, y_mean: Floats) -> Floats:
    """Sum of squares at every node and series, less that of the constant fit; see :func:`_best_edge`."""
    f_mean, f_var = f_mean[:, None], np.maximum(f_var, _TINY)[:, None]
    gain = covariance / f_var
    R0 = y_mean - gain * f_mean
    outside = (gain < 0) | (R0 < 0) | (R0 + gain > 1)
    edge: Floats | float = 0.0
    for rest, part in ((y_mean, f_mean), (1 - y_mean, 1 - f_mean)):
        aim, norm = rest * part + covariance, part * part + f_var
        along = np.minimum(np.maximum(aim / norm, 0), 1)
        edge = np.minimum(edge, rest * rest + along * (along * norm - 2 * aim))
    return np.where(outside, edge, -gain * covariance)


class _Linear(NamedTuple):
    R0: Floats
    gain: Floats
    cost: Floats  # less that of the constant fit
    free: Floats  # _BOTH, one along an edge, or none (0)


def _best_edge(f_mean: Floats, f_var: Floats, covariance: Floats, y_mean: Floats) -> _Linear:
    """Best (R0, A − R0) on the three edges of the triangle 0 ≤ R0 ≤ A ≤ 1.

    The cost is (ȳ − R0 − D·f̄)² − 2·D·cov(f, y) + D²·var(f), convex, so the best point of an edge is the free
    optimum of that edge, clipped to it.
    """
    zero = _on_edge(f_mean, f_var, covariance, y_mean, _AT_ZERO)
    one = _on_edge(f_mean, f_var, covariance, y_mean, _AT_ONE)
    constant = np.clip(y_mean, 0, 1)
    flat = _Linear(constant, 0 * y_mean, (y_mean - constant) ** 2, np.zeros_like(zero.free))
    best = np.argmin(np.stack([zero.cost, one.cost, flat.cost]), axis=0)
    return _Linear(*(np.choose(best, options) for options in zip(zero, one, flat, strict=True)))


def _on_edge(f_mean: Floats, f_var: Floats, covariance: Floats, y_mean: Floats, edge: int) -> _Linear:
    rest, part = (y_mean, f_mean) if edge == _AT_ZERO else (1 - y_mean, 1 - f_mean)
    gain = np.clip((rest * part + covariance) / np.maximum(part**2 + f_var, _TINY), 0, 1)
    cost = (rest - gain * part) ** 2 + gain * (gain * f_var - 2 * covariance)
    R0 = np.zeros_like(gain) if edge == _AT_ZERO else 1 - gain
    return _Linear(R0, gain, cost, np.where((gain > 0) & (gain < 1), edge, 0))


def _linear(
    f_mean: Floats, f_var: Floats, covariance: Floats, y_mean: Floats, edge: int | None = None
) -> _Linear:
    """Best (R0, A − R0) in the triangle, one a row; or on one edge of it."""
    if edge is not None:
        return _on_edge(f_mean, f_var, covariance, y_mean, edge)
    gain = covariance / np.maximum(f_var, _TINY)
    R0 = y_mean - gain * f_mean
    found = _Linear(R0, gain, -gain * covariance, np.full(R0.shape, _BOTH))
    out = np.flatnonzero((gain <= 0) | (R0 < 0) | (R0 + gain > 1))
    if out.size:
        instead = _best_edge(f_mean[out], f_var[out], covariance[out], y_mean[out])
        for target, source in zip(found, instead, strict=True):
            target[out] = source
    return found


def descend(
    x: Floats,
    p: Floats,
    series: Floats,
    shape: type[Law],
    box: Box,
    start: Floats,
    limit: int,
    edge: int | None = None,
) -> Solutions:
    """Walk downhill from ``start``, shape (series, 2), inside the triangle or along one edge of it."""
    y_mean = series @ p
    y_centred = series - y_mean[:, None]

    def evaluate(rows: NDArray[np.int64], b: Floats, m: Floats) -> Floats:
        if rows.size == y_mean.size:
            return _evaluate(x, p, y_mean, y_centred, shape, b, m, edge)
        return _evaluate(x, p, y_mean[rows], y_centred[rows], shape, b, m, edge)

    low, high = box.log
    state, steps, done = marquardt.walk_downhill(evaluate, start[:, 0], start[:, 1], low, high, limit)
    b, m, R0, A, sse = state[:5]
    return Solutions(R0, A, b, m, sse, steps, done)


def _evaluate(
    x: Floats,
    p: Floats,
    y_mean: Floats,
    y_centred: Floats,
    shape: type[Law],
    b: Floats,
    m: Floats,
    edge: int | None,
) -> Floats:
    """Best start and ceiling at (b, m), the residual sum of squares, and Kaufman's normal equations."""
    f, by_b, by_m = shape.partials(x - m[:, None], np.exp(b)[:, None])
    f_mean = f @ p
    f_centred = f - f_mean[:, None]
    weighted = f_centred * p
    f_var = np.vecdot(weighted, f_centred)
    lin = _linear(f_mean, f_var, np.vecdot(weighted, y_centred), y_mean, edge)
    residual = y_centred - lin.gain[:, None] * f_centred
    # what the free linear parameters can undo is taken out of the derivatives of the share
    both = lin.free == _BOTH
    if both.all():
        along, norm = f_centred, f_var
        by_b = by_b - (by_b @ p)[:, None]
        by_m = by_m - (by_m @ p)[:, None]
    else:
        residual += (y_mean - lin.R0 - lin.gain * f_mean)[:, None]
        along = np.where(both[:, None], f_centred, np.where((lin.free == _AT_ZERO)[:, None], f, 1 - f))
        along = along * (lin.free > 0)[:, None]
        weighted = along * p
        norm = np.vecdot(weighted, along)
        by_b = by_b - ((by_b @ p) * both)[:, None]
        by_m = by_m - ((by_m @ p) * both)[:, None]
    scale = lin.gain / np.maximum(norm, _TINY)
    jb = lin.gain[:, None] * by_b - (scale * np.vecdot(weighted, by_b))[:, None] * along
    jm = lin.gain[:, None] * by_m - (scale * np.vecdot(weighted, by_m))[:, None] * along
    wb, wm = jb * p, jm * p
    state = np.empty((marquardt.STATE_ROWS, b.size))
    state[:4] = b, m, lin.R0, lin.R0 + lin.gain
    state[marquardt.SSE] = np.vecdot(residual * p, residual)
    state[marquardt.GB], state[marquardt.GM] = -np.vecdot(wb, residual), -np.vecdot(wm, residual)
    state[marquardt.HBB], state[marquardt.HBM] = np.vecdot(wb, jb), np.vecdot(wb, jm)
    state[marquardt.HMM] = np.vecdot(wm, jm)
    return state
