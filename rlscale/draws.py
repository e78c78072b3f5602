"""Joint draws from a posterior, for what has no closed form: bands over a whole curve, and money.

Draws are systematic (one from each of ``n`` equal slices of the posterior) and seeded, so that few of them go
far and the same seed gives the same ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from .errors import ForecastError
from .given import as_whole
from .grid import Pilot
from .law import SHAPES
from .noise import NoiseSettings, Window
from .posterior import Posterior

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class Draws(NamedTuple):
    """Draws of the parameters; Cmid in units of the compute seen.

    Attributes
    ----------
    shape : array of str, shape (draws,)
        Name of the shape of each draw.
    R0, A, B, Cmid, end : array, shape (draws,)
        Parameters, and the observed end that goes with them.
    setting : array of int, shape (draws,)
        Noise setting of each draw.
    """

    shape: NDArray[np.str_]
    R0: Floats
    A: Floats
    B: Floats
    Cmid: Floats
    end: Floats
    setting: Indices


class Band(NamedTuple):
    """Intervals over a curve.

    Attributes
    ----------
    compute : array, shape (places,)
        Where, in the unit of the curve.
    median, lo, hi : array, shape (places,)
        Of the curve itself, without noise.
    observed_lo, observed_hi : array, shape (places,)
        Of one measured point, with drift and sampling noise.
    """

    compute: Floats
    median: Floats
    lo: Floats
    hi: Floats
    observed_lo: Floats
    observed_hi: Floats


def draw_posterior(posterior: Posterior, n: int, seed: int) -> Draws:
    """Return joint draws from the pool of shapes.

    Parameters
    ----------
    posterior : Posterior
        From :func:`rlscale.posterior.pool_shapes`.
    n : int
        Draws wanted, 1 or more.
    seed : int
        Same seed, same draws.

    Returns
    -------
    Draws
        In random order.

    Raises
    ------
    ForecastError
        If ``n`` or ``seed`` is no whole number, or too small.
    """
    n = as_whole(n, "number of draws", ForecastError, least=1)
    rng = np.random.default_rng(as_whole(seed, "seed", ForecastError))
    kept = posterior.kept
    counts = [n // len(kept) + (i < n % len(kept)) for i in range(len(kept))]
    pieces = []
    for shape, count in zip(kept, counts, strict=True):
        parts, cells = shape.parts, shape.cells
        slices = (np.arange(count) + rng.random(count)) / max(count, 1)
        pick = np.minimum(np.searchsorted(np.cumsum(parts.weight), slices), parts.weight.size - 1)
        noise = rng.standard_normal((2, count))
        gain = parts.gain[pick]
        start = np.clip(parts.start[pick] + parts.start_sd[pick] * noise[0], 0.0, 1.0 - gain)
        end = (
            parts.end_mean[pick]
            + parts.end_by_start[pick] * (start - parts.start[pick])
            + parts.end_noise[pick] * noise[1]
        )
        cell = parts.cell[pick]
        pieces.append(
            Draws(
                np.full(count, shape.name),
                start,
                start + gain,
                np.exp(cells.log_b[cell]),
                np.exp(cells.log_mid[cell]),
                end,
                parts.setting[pick],
            )
        )
    order = rng.permutation(n)
    return Draws(*(np.concatenate(columns)[order] for columns in zip(*pieces, strict=True)))


def spread_band(
    posterior: Posterior,
    pilot: Pilot,
    noise: NoiseSettings,
    window: Window,
    at: Floats,
    level: float,
    n: int = 1500,
    seed: int = 0,
) -> Band:
    """Return the intervals of the curve and of one measured point at each compute.

    Parameters
    ----------
    posterior, pilot, noise, window
        As they went into and came out of :func:`rlscale.posterior.pool_shapes`.
    at : array, shape (places,)
        Compute, in units of the compute seen.
    level : float
        Share that an interval holds, inside (0, 1).
    n, seed : int
        Draws, and their seed.

    Returns
    -------
    Band
        With ``compute`` in units of the compute seen.
    """
    draws = draw_posterior(posterior, n, seed)
    curve = _evaluate(draws, at)
    residual = pilot.pass_rate - _evaluate(draws, pilot.at)
    link = noise.rotation @ noise.drift_to(at)  # (lengths, points, places)
    length, combination = np.divmod(draws.setting, noise.q.size)
    observed = np.empty_like(curve)
    point_variance = window.noise_variance * window.points
    # evenly spread normal deviates, the same ones at each place: quantiles without their own noise
    deviate = ndtri((np.random.default_rng(seed + 1).permutation(n) + 0.5) / n)
    for i in range(noise.length.size):
        of_length = np.flatnonzero(length == i)
        j = combination[of_length]
        pull = noise.tau[j, None] ** 2 * noise.inverse[i, j]
        drift = ((residual[of_length] @ noise.rotation[i].T) * pull) @ link[i]
        explained = noise.tau[j, None] ** 2 * (pull @ link[i] ** 2)
        variance = (
            np.maximum(noise.tau[j, None] ** 2 - explained, 0.0) + noise.q[j, None] ** 2 * point_variance
        )
        observed[of_length] = curve[of_length] + drift + np.sqrt(variance) * deviate[of_length, None]
    tail = 0.5 * (1 - level)
    lo, median, hi = np.quantile(curve, [tail, 0.5, 1 - tail], axis=0)
    seen_lo, seen_hi = np.clip(np.quantile(observed, [tail, 1 - tail], axis=0), 0.0, 1.0)
    return Band(at, median, lo, hi, seen_lo, seen_hi)


def _evaluate(draws: Draws, at: Floats) -> Floats:
    """Curve of each draw, shape (draws, places)."""
    values = np.empty((draws.R0.size, at.size))
    for name in np.unique(draws.shape):
        of = draws.shape == name
        B, Cmid = draws.B[of, None], draws.Cmid[of, None]
        gain = (draws.A - draws.R0)[of, None]
        values[of] = draws.R0[of, None] + gain * SHAPES[str(name)].fraction(at, B, Cmid)
    return values
