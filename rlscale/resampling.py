"""How much the fit moves when its residuals are dealt again: the block bootstrap.

The residuals of the best fit are drawn in blocks, which keeps the drift between neighbours, added back to
the fit and fitted again, all replicates in one batch. Blocks wrap round the end of the series, so that
first and last points are drawn as often as the others (a moving block draws them too rarely).

Its percentile intervals are a comparison and no forecast: on simulated pilots with drift a nominal 90 %
covers the true ceiling in 58–76 % of runs. :func:`rlscale.forecast_run` gives intervals that were tested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import FitError
from .given import as_whole, show_value
from .law import Law, Sigmoid
from .points import Points, prepare_points
from .varpro import Box, solve

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

_BATCH = 1000
_PARAMETERS = 4


def bootstrap_law(
    compute: ArrayLike,
    pass_rate: ArrayLike,
    *,
    law: type[Law] = Sigmoid,
    weights: ArrayLike | None = None,
    replicates: int = 1000,
    seed: int = 0,
    block: Literal["stationary", "circular"] = "stationary",
    block_length: int | None = None,
) -> pd.DataFrame:
    """Refit a law to resampled residuals.

    Parameters
    ----------
    compute, pass_rate, law, weights
        As for :func:`rlscale.fit_law`; more than 60 points are binned first.
    replicates : int
        How many refits.
    seed : int
        Same seed, same replicates.
    block : {"stationary", "circular"}
        Blocks of geometric length (Politis and Romano 1994) or all of one length (Politis and Romano 1992).
    block_length : int, optional
        Mean length in fitted points; 1.5 times the cube root of their number when absent, 6 for 60 points.

    Returns
    -------
    DataFrame
        Columns R0, A, B, Cmid (in the unit of compute), one row a replicate.

    Raises
    ------
    CurveError, FitError
        As for :func:`rlscale.fit_law`; also if an option is out of range.

    Examples
    --------
    >>> compute = np.linspace(0, 4000, 41)
    >>> noise = 0.01 * np.random.default_rng(0).standard_normal(41)
    >>> table = bootstrap_law(compute, Sigmoid(0.2, 0.6, 1.5, 1000)(compute) + noise, replicates=200, seed=1)
    >>> table.shape, bool(table["A"].quantile(0.05) < 0.6 < table["A"].quantile(0.95))
    ((200, 4), True)
    """
    import pandas as pd

    points = prepare_points(compute, pass_rate, weights)
    n = points.compute.size
    replicates = as_whole(replicates, "replicates", FitError, least=1)
    if block not in ("stationary", "circular"):
        raise FitError(f"block is {show_value(block)}; use 'stationary' or 'circular'")
    length = max(1, round(1.5 * n ** (1 / 3)))
    if block_length is not None:
        length = as_whole(block_length, "block_length", FitError, least=1)
    if length > n:
        raise FitError(f"block_length is {length} with {n} fitted points; use 1 to {n}")
    rng = np.random.default_rng(as_whole(seed, "seed", FitError))
    centre, residual = _standard_residuals(points, law)
    parts = []
    for first in range(0, replicates, _BATCH):
        drawn = draw_blocks(rng, min(_BATCH, replicates - first), n, length, stationary=block == "stationary")
        series = centre + residual[drawn] / np.sqrt(points.weights)
        found = solve(points.x, points.weights, series, law, Box())
        parts.append(np.stack([found.R0, found.A, np.exp(found.b), np.exp(found.m) * points.seen], axis=1))
    return pd.DataFrame(np.concatenate(parts), columns=["R0", "A", "B", "Cmid"])


def _standard_residuals(points: Points, law: type[Law]) -> tuple[Floats, Floats]:
    """Return the fitted pass rates, and residuals of equal variance, centred, with the fit paid for."""
    found = solve(points.x, points.weights, points.pass_rate[None], law, Box())
    share = law.share(points.x - found.m[0], np.exp(found.b[0]))
    centre = found.R0[0] + (found.A[0] - found.R0[0]) * share
    residual = (points.pass_rate - centre) * np.sqrt(points.weights)
    residual -= residual.mean()
    n = residual.size
    return centre, residual * np.sqrt(n / max(n - _PARAMETERS, 1))


def draw_blocks(
    rng: np.random.Generator, replicates: int, n: int, length: int, *, stationary: bool
) -> NDArray[np.int64]:
    """Draw positions in blocks that wrap round the end.

    Parameters
    ----------
    rng : Generator
        Source of randomness.
    replicates, n : int
        Shape of the result.
    length : int
        Length of a block; the mean one when ``stationary``.
    stationary : bool
        Geometric lengths instead of equal ones.

    Returns
    -------
    array of int, shape (replicates, n)
        Positions from 0 to n − 1.

    Examples
    --------
    >>> draw_blocks(np.random.default_rng(0), 1, 6, 3, stationary=False)
    array([[5, 0, 1, 1, 2, 3]])
    """
    place = np.arange(n)
    if stationary:
        opens = rng.random((replicates, n)) < 1 / length
    else:
        opens = np.broadcast_to(place % length == 0, (replicates, n)).copy()
    opens[:, 0] = True
    opened_at = np.maximum.accumulate(np.where(opens, place, 0), axis=1)
    start = np.take_along_axis(rng.integers(0, n, (replicates, n)), opened_at, axis=1)
    return (start + place - opened_at) % n
