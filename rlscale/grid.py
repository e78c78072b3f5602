"""The integral over the parameters of one shape: a grid that is narrowed, Gaussian inside each cell.

With D = A − R0 a pilot is y = R0 + D·f + noise. For a cell (B, scale) and a noise setting, −2 ln likelihood
is a quadratic form in (R0, D), and six weighted sums hold all of it. The prior is flat on the triangle 0 ≤
R0, 0 ≤ D, R0 + D ≤ 1:

- R0, given D, is normal and cut to [0, 1 − D]: closed form;
- D has a smooth integrand whose ends are known: Gauss–Legendre nodes between them.

Integrating R0 over all numbers instead gave, on two-phase runs, intervals that covered 12 % in place of 90 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtr

from .law import SHAPES
from .noise import NoiseSettings, Window
from .priors import PRIORS, bound_scale

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

#: Coarse grids (B × scale × nodes of D), then the one that the results come from.
NARROWING: tuple[tuple[int, int, int], ...] = ((12, 24, 8), (12, 24, 8), (24, 48, 12))
#: Cells this many nats below the best are left out of the next, narrower grid.
BOX_NATS = 14.0
#: Pairs of cell and noise setting this many nats below the best add next to nothing (8e-7 each).
PAIR_NATS = 14.0
#: Parts of less weight are dropped; together they stay below one in a thousand.
PART_WEIGHT = 1e-9
#: The integrand over D is followed until it has fallen by this many nats from its top.
NODE_NATS = 9.0
#: R0 may lie this many of its standard deviations outside its interval before D is cut off there.
SOFT_EDGE = 3.0


class Pilot(NamedTuple):
    """The points of a pilot as the grid sees them.

    Attributes
    ----------
    at : array, shape (points,)
        Compute, in units of the compute seen: the last is about 1.
    pass_rate, sd : array, shape (points,)
        Means of the bins and their sampling noise.
    horizon : float
        Planned budget in units of the compute seen, 1 or more.
    """

    at: Floats
    pass_rate: Floats
    sd: Floats
    horizon: float


class Cells(NamedTuple):
    """A rectangular grid: ln B and ln Cmid of each cell, log prior mass, distances of neighbours."""

    log_b: Floats
    log_mid: Floats
    log_prior: Floats
    spacing: tuple[float, float]


class Parts(NamedTuple):
    """The posterior of a shape as weighted parts: a cell, a noise setting, a value of D, a normal R0.

    Attributes
    ----------
    cell, setting : array of int, shape (parts,)
        Which cell and which noise setting.
    gain, start, start_sd, weight : array, shape (parts,)
        D; mean and standard deviation of R0 given the rest; weight, of sum 1.
    end_mean, end_by_start, end_noise : array, shape (parts,)
        The observed mean over the planned window is normal too: its mean, by how much it moves with R0, and
        its standard deviation at a given R0 (drift and sampling).
    """

    cell: Indices
    setting: Indices
    gain: Floats
    start: Floats
    start_sd: Floats
    weight: Floats
    end_mean: Floats
    end_by_start: Floats
    end_noise: Floats


@dataclass(frozen=True, eq=False)
class _Sums:
    """Weighted sums of every noise setting (rows) and cell (columns)."""

    ones: Floats  # 1'W1, (settings, 1)
    ones_y: Floats  # 1'Wy, (settings, 1)
    y_y: Floats  # y'Wy, (settings, 1)
    log_det: Floats  # ln|Σ|, (settings, 1)
    log_prior: Floats  # of the setting, (settings, 1)
    ones_f: Floats  # 1'Wf, (settings, cells)
    f_f: Floats
    f_y: Floats


@dataclass(frozen=True, eq=False)
class _Edges:
    """Where the integrand over D lives, and how high its top is; each (settings, cells)."""

    centre: Floats
    precision: Floats
    low: Floats
    high: Floats
    log_scale: Floats  # of the integrand at D = centre, R0 integrated over all numbers
    log_top: Floats  # the same at the best D inside the triangle


def integrate_shape(
    name: str, pilot: Pilot, noise: NoiseSettings, window: Window
) -> tuple[float, Cells, Parts]:
    """Return log evidence, cells and weighted parts of the posterior of one shape.

    Parameters
    ----------
    name : str
        A key of :data:`rlscale.law.SHAPES`.
    pilot : Pilot
        What was seen.
    noise : NoiseSettings
        Its noise settings, from :func:`rlscale.noise.prepare_noise`.
    window : Window
        The planned points whose mean is the end.

    Returns
    -------
    log_evidence : float
        Logarithm of the probability of the pilot, up to a constant that all shapes share.
    cells : Cells
        The last, narrowest grid.
    parts : Parts
        Weighted parts on it.
    """
    prior = PRIORS[name]
    whole = np.array([np.log([prior.low, prior.high]), bound_scale(pilot.horizon)])
    rotated = _rotate(pilot, noise)
    box = whole
    for size_b, size_scale, nodes in NARROWING[:-1]:
        cells = _lay_grid(name, box, whole, (size_b, size_scale))
        sums, _ = _weigh(name, cells, pilot, noise, rotated)
        edges = _find_edges(sums, cells)
        setting, cell = np.nonzero(edges.log_top > edges.log_top.max() - PAIR_NATS)
        log_weight = logsumexp(_nodes(sums, edges, cells, setting, cell, nodes)[1], axis=1)
        box = _narrow(box, whole, (size_b, size_scale), cell, log_weight)
    size_b, size_scale, nodes = NARROWING[-1]
    cells = _lay_grid(name, box, whole, (size_b, size_scale))
    sums, rotated_f = _weigh(name, cells, pilot, noise, rotated)
    edges = _find_edges(sums, cells)
    setting, cell = np.nonzero(edges.log_top > edges.log_top.max() - PAIR_NATS)
    gain, log_weight, start, start_sd = _nodes(sums, edges, cells, setting, cell, nodes)
    evidence = float(logsumexp(log_weight))
    weight = np.exp(log_weight - logsumexp(log_weight))
    fixed, by_start, by_gain, variance = _end_terms(name, cells, pilot, noise, window, rotated, rotated_f)
    pair, node = np.nonzero(weight > PART_WEIGHT)
    of_setting, of_cell = setting[pair], cell[pair]
    gain, start, weight = gain[pair, node], start[pair, node], weight[pair, node]
    parts = Parts(
        of_cell,
        of_setting,
        gain,
        start,
        start_sd[pair, node],
        weight / weight.sum(),
        fixed[of_setting] + start * by_start[of_setting] + gain * by_gain[of_setting, of_cell],
        by_start[of_setting],
        np.sqrt(variance[of_setting]),
    )
    return evidence, cells, parts


def log_flat_evidence(pilot: Pilot, noise: NoiseSettings) -> float:
    """Return the log evidence of a run that does not rise: one pass rate, flat on [0, 1], and the same noise.

    A first phase is a rise, so only the settings without one are taken. Comparable with what
    :func:`integrate_shape` returns.
    """
    ones, y = _rotate(pilot, noise)
    weights = noise.inverse
    of_ones, of_y, of_both = ((weights @ v[:, :, None])[:, :, 0] for v in (ones * ones, y * y, ones * y))
    middle, sd = of_both / of_ones, 1 / np.sqrt(of_ones)
    inside = np.maximum(ndtr((1 - middle) / sd) - ndtr(-middle / sd), 1e-300)
    fit = -0.5 * (of_y - of_both * middle) - 0.5 * noise.log_det
    plain = slice(0, max(1, noise.length.size // 2))
    log_weight = (fit + np.log(np.sqrt(2 * np.pi) * sd * inside) + noise.log_prior)[plain]
    return float(logsumexp(log_weight) - logsumexp(noise.log_prior[plain]))


def share_won(name: str, at: Floats, cells: Cells) -> Floats:
    """Return the share of the gain won at each compute (units of the compute seen), shape (cells, places)."""
    with np.errstate(divide="ignore"):
        log_at = np.log(at)
    return SHAPES[name].share(log_at - cells.log_mid[:, None], np.exp(cells.log_b)[:, None])


def _lay_grid(name: str, box: Floats, whole: Floats, size: tuple[int, int]) -> Cells:
    """Cells at the middles of an even division of the box, which is a part of the whole range."""
    prior = PRIORS[name]
    width = (box[:, 1] - box[:, 0]) / size
    log_b, log_scale = (box[i, 0] + width[i] * (np.arange(size[i]) + 0.5) for i in (0, 1))
    log_b, log_scale = (grid.ravel() for grid in np.meshgrid(log_b, log_scale, indexing="ij"))
    log_prior = prior.log_density(log_b) - np.log(whole[1, 1] - whole[1, 0]) + np.log(width[0] * width[1])
    # ln 2: the density of the triangle
    return Cells(
        log_b, log_scale + prior.half(log_b), log_prior + np.log(2), (float(width[0]), float(width[1]))
    )


def _narrow(box: Floats, whole: Floats, size: tuple[int, int], cell: Indices, log_weight: Floats) -> Floats:
    """Smallest box that holds the cells that matter, with one cell to spare on each side."""
    top = np.full(size[0] * size[1], -np.inf)
    np.maximum.at(top, cell, log_weight)
    matters = np.flatnonzero(top > top.max() - BOX_NATS)
    width = (box[:, 1] - box[:, 0]) / size
    narrowed = np.empty((2, 2))
    for i, place in enumerate((matters // size[1], matters % size[1])):
        narrowed[i] = box[i, 0] + width[i] * np.array([place.min() - 1, place.max() + 2])
    return np.clip(narrowed, whole[:, :1], whole[:, 1:])


def _rotate(pilot: Pilot, noise: NoiseSettings) -> tuple[Floats, Floats]:
    """Ones and pass rates, rotated to the eigenvectors of each drift length."""
    return noise.rotation.sum(axis=2), noise.rotation @ pilot.pass_rate


def _weigh(
    name: str, cells: Cells, pilot: Pilot, noise: NoiseSettings, rotated: tuple[Floats, Floats]
) -> tuple[_Sums, Floats]:
    ones, y = rotated
    f = noise.rotation @ share_won(name, pilot.at, cells).T  # (lengths, points, cells)
    weights = noise.inverse

    def total(vector: Floats) -> Floats:
        return (weights @ vector[:, :, None]).reshape(-1, 1)

    def totals(matrix: Floats) -> Floats:
        return (weights @ matrix).reshape(noise.count, -1)

    sums = _Sums(
        total(ones * ones),
        total(ones * y),
        total(y * y),
        noise.log_det.reshape(-1, 1),
        noise.log_prior.reshape(-1, 1),
        totals(ones[:, :, None] * f),
        totals(f * f),
        totals(y[:, :, None] * f),
    )
    return sums, f


def _find_edges(sums: _Sums, cells: Cells) -> _Edges:
    slope = sums.ones_f / sums.ones  # R0 falls by this much when D rises by 1
    start = sums.ones_y / sums.ones  # R0 at D = 0
    start_sd = 1 / np.sqrt(sums.ones)
    # a share that hardly varies over the pilot leaves D undetermined: precision 0 but for rounding
    precision = np.maximum(sums.f_f - sums.ones_f * slope, 1e-9)
    centre = (sums.f_y - sums.ones_f * start) / precision
    high = np.ones_like(centre)
    spare = SOFT_EDGE * start_sd
    with np.errstate(divide="ignore", invalid="ignore"):
        high = np.where(slope > 0, np.minimum(high, (start + spare) / slope), high)
        high = np.where(slope < 1, np.minimum(high, (1 - start + spare) / (1 - slope)), high)
    high = np.maximum(high, 1e-3)
    best = np.clip(centre, 0.0, high)
    reach = np.sqrt((best - centre) ** 2 + 2 * NODE_NATS / precision)
    log_scale = (
        -0.5 * (sums.y_y - sums.ones_y * start - precision * centre**2)
        - 0.5 * sums.log_det
        + sums.log_prior
        + 0.5 * np.log(2 * np.pi / sums.ones)
        + cells.log_prior
    )
    return _Edges(
        centre,
        precision,
        np.maximum(0.0, centre - reach),
        np.minimum(high, centre + reach),
        log_scale,
        log_scale - 0.5 * precision * (best - centre) ** 2,
    )


def _nodes(
    sums: _Sums, edges: _Edges, cells: Cells, setting: Indices, cell: Indices, nodes: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """D, log weight, mean and sd of R0 at the nodes of each pair of setting and cell; (pairs, nodes)."""
    at, share = np.polynomial.legendre.leggauss(nodes)
    low, high = edges.low[setting, cell], edges.high[setting, cell]
    half = 0.5 * (high - low)[:, None]
    gain = low[:, None] + half * (at + 1)
    ones = sums.ones[setting]
    start_sd = 1 / np.sqrt(ones)
    start = (sums.ones_y[setting] - gain * sums.ones_f[setting, cell][:, None]) / ones
    a, b = -start / start_sd, (1 - gain - start) / start_sd
    # the far tail is where ndtr loses its digits: take both ends on the side where they are small
    flip = a > 0
    inside = np.where(flip, ndtr(-a) - ndtr(-b), ndtr(b) - ndtr(a))
    inside = np.maximum(inside, 1e-300)
    density_a, density_b = np.exp(-0.5 * a * a), np.exp(-0.5 * b * b)
    norm = 1 / (np.sqrt(2 * np.pi) * inside)
    shift = (density_a - density_b) * norm
    squeeze = 1 + (a * density_a - b * density_b) * norm - shift**2
    mean = start + start_sd * shift
    sd = start_sd * np.sqrt(np.clip(squeeze, 1e-6, 1.0))
    log_weight = (
        edges.log_scale[setting, cell][:, None]
        - 0.5 * edges.precision[setting, cell][:, None] * (gain - edges.centre[setting, cell][:, None]) ** 2
        + np.log(inside)
        + np.log(half * share)
    )
    return gain, log_weight, mean, sd


def _end_terms(
    name: str,
    cells: Cells,
    pilot: Pilot,
    noise: NoiseSettings,
    window: Window,
    rotated: tuple[Floats, Floats],
    rotated_f: Floats,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Observed end = fixed + R0·by_start + D·by_gain + N(0, variance), drift foretold from the residuals."""
    ones, y = rotated
    link = (noise.rotation @ noise.drift_to(window.at).mean(axis=2)[:, :, None])[:, :, 0]
    pull = noise.tau[None, :, None] ** 2 * noise.inverse * link[:, None, :]  # (lengths, 15, points)
    fixed = np.einsum("ljp,lp->lj", pull, y).ravel()
    by_start = 1 - np.einsum("ljp,lp->lj", pull, ones).ravel()
    by_gain = share_won(name, window.at, cells).mean(axis=1) - (pull @ rotated_f).reshape(noise.count, -1)
    drift = noise.tau**2 * noise.mean_drift_variance(window.at)[:, None]
    explained = noise.tau**2 * np.einsum("ljp,lp->lj", pull, link)
    variance = np.maximum(drift - explained, 0.0) + noise.q**2 * window.noise_variance
    return fixed, by_start, by_gain, variance.ravel()
