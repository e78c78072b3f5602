"""The noise of a pilot: how far a point lies from its curve, by chance and by drift.

    Σ = diag((q·s_i)²) + τ² · exp(−|C_i − C_j| / l)  [ + (q·δ)² · exp(−(C_i + C_j) / λ) ]

``s_i`` is the sampling noise of one point. It is binomial where the log says how many problems and samples
a point is the mean of, and taken from the differences of neighbours where it does not. The second part is
drift: real runs wander for a while above or below any smooth curve. Nobody knows ``q``, ``τ`` and ``l``
of a run beforehand, so all settings are averaged instead of guessing one.

The third part, in half of the settings and with a probability of one in ten beforehand, is a first phase of
its own: many runs win a part quickly (format, length) before the law begins (ScaleRL drops that part; arXiv
2510.13786, appendix A.6). An offset of unknown height that dies away over λ = 2 % of the budget lets the data
say so. Without it, 90 % intervals at a quarter of simulated two-phase runs held the end in 69 %; on public
runs it changes little.

The ranges were measured on 135 public curves: with a drift of at most .02 the intervals of a run that had
saturated covered .70 to .79 instead of .90, with the ranges below .89.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .curve import Curve, LogWarning

Floats = NDArray[np.float64]

#: Factors q on the sampling noise.
WHITE_FACTORS: tuple[float, ...] = (0.7, 1.0, 1.5)
#: Standard deviations τ of the drift, in pass rate.
DRIFT_SDS: tuple[float, ...] = tuple(float(t) for t in np.geomspace(0.003, 0.09, 5))
#: Correlation lengths l of the drift, as shares of the planned budget.
DRIFT_LENGTHS: tuple[float, ...] = (0.03, 0.10, 0.30)
#: Probability of a first phase beforehand: one run in ten. An even chance made the ceilings of runs that rise
#: within a twentieth of their budget unknowable; none left two-phase runs at 25 % seen with 69 % coverage.
FIRST_PHASE_PRIOR = 0.10
#: Standard deviation δ of the offset of a first phase, and the share of the budget over which it dies away.
FIRST_PHASE_SD = 0.10
FIRST_PHASE_LENGTH = 0.02
#: Noise below this is never believed: logs are rounded, and a quantised reward can repeat itself.
NOISE_FLOOR = 0.002
#: Noise this many times what the counts allow means that the counts are wrong or not the whole story.
COUNTS_REFUTED = 3.0
#: Points in the later half from which that is tested; the early half rises too steeply.
POINTS_TO_REFUTE = 8


@dataclass(frozen=True, eq=False)
class PointNoise:
    """Sampling noise of the points of a curve.

    Attributes
    ----------
    sd : array, shape (points,)
        Standard deviation of each pass rate round the curve and its drift.
    source : str
        ``"binomial"``, ``"differences"`` or ``"differences within binomial bounds"``.
    note : str
        The same as a sentence.
    warnings : tuple of LogWarning
        Empty, or that the counts of the log do not explain the noise.
    """

    sd: Floats
    source: str
    note: str
    warnings: tuple[LogWarning, ...] = ()


def spread_of_differences(pass_rate: Floats) -> float:
    """Return the noise of one point, from how neighbours differ; robust against a trend and a few jumps.

    max(1.4826·MAD(Δy)/√2, ½·rms(Δ²y)/√6), at least .002. The second term is there because the median of
    quantised rewards is often exactly 0.

    Parameters
    ----------
    pass_rate : array, shape (points,)
        In the order in which they were measured.

    Returns
    -------
    float
        Standard deviation, in pass rate.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(0, 0.03, 2000)
    >>> round(spread_of_differences(0.3 + np.linspace(0, 0.4, 2000) + noise), 2)
    0.03
    >>> spread_of_differences(np.array([0.2, 0.2, 0.2]))
    0.002
    """
    first = np.diff(pass_rate)
    second = np.diff(first)
    by_first = 1.4826 * np.median(np.abs(first - np.median(first))) / np.sqrt(2) if first.size else 0.0
    by_second = 0.5 * np.sqrt(np.mean(second**2) / 6) if second.size else 0.0
    return float(max(by_first, by_second, NOISE_FLOOR))


def estimate_noise(curve: Curve) -> PointNoise:
    """Return the sampling noise of each point of a curve, and where it was taken from.

    Held-out problems are the same ones at every point, so only the sampling of answers is noise:
    variance p(1 − p)/(n·k) at most. Training batches are fresh problems every time, and how much problems
    differ is not in the log: the variance lies between p(1 − p)/(n·k) and p(1 − p)/n, and the
    differences of neighbours say where. Without n and k the differences say all.

    Parameters
    ----------
    curve : Curve
        At least one point.

    Returns
    -------
    PointNoise

    Examples
    --------
    >>> quiet = Curve([1, 2, 3], [0.5, 0.5, 0.5], unit="updates", n=100, k=4)
    >>> estimate_noise(quiet).sd.round(3)
    array([0.025, 0.025, 0.025])
    """
    y = curve.pass_rate
    spread = spread_of_differences(y)
    from_differences = np.full(y.size, spread)
    if not curve.n or not curve.k:
        missing = "problems" if curve.k else "samples" if curve.n else "problems and samples"
        return PointNoise(
            from_differences,
            "differences",
            f"The log does not say how many {missing} a point is the mean of: "
            f"its noise ({spread:.3f}) was taken from the differences of neighbouring points.",
        )
    answers = curve.n if curve.kind == "pass_at_k" else curve.n * curve.k
    # two answers added to each side, so that a rate of 0 or 1 is not taken for certain
    rate = (y * answers + 2) / (answers + 4)
    binomial = np.maximum(np.sqrt(rate * (1 - rate) / answers), NOISE_FLOOR)
    counts = f"{curve.n} problems × {curve.k} samples"
    if curve.kind in ("train_pass_rate", "train_reward"):
        widest = np.maximum(np.sqrt(rate * (1 - rate) / curve.n), NOISE_FLOOR)
        return PointNoise(
            np.clip(from_differences, binomial, widest),
            "differences within binomial bounds",
            f"Training points are fresh problems each time: their noise was taken from the differences of "
            f"neighbouring points, within what {counts} allow.",
        )
    level = float(np.sqrt(np.mean(binomial**2)))
    late = y[y.size // 2 :]
    if late.size >= POINTS_TO_REFUTE and spread_of_differences(late) > COUNTS_REFUTED * level:
        warning = LogWarning(
            "noise-above-counts",
            f"Neighbouring points differ by a noise of {spread:.3f}; {counts} allow {level:.3f}.",
            "Check n and k; the larger noise is used.",
        )
        return PointNoise(
            from_differences,
            "differences",
            f"The noise ({spread:.3f}) was taken from the differences of neighbouring points, "
            f"because {counts} would allow only {level:.3f}.",
            (warning,),
        )
    return PointNoise(binomial, "binomial", f"The noise of a point is binomial: {counts}.")


@dataclass(frozen=True, eq=False)
class Window:
    """The planned points whose mean is forecast.

    Attributes
    ----------
    at : array, shape (positions,)
        Their compute, in units of the compute seen.
    noise_variance : float
        Variance of their mean that comes from sampling alone, at q = 1.
    points : int
        How many points are planned in the window; ``at`` may hold fewer places that stand for them.
    """

    at: Floats
    noise_variance: float
    points: int


@dataclass(frozen=True, eq=False)
class NoiseSettings:
    """All 90 noise models of one pilot, reduced to six eigenproblems.

    For one drift length, with and without a first phase, L⁻¹·K·L⁻ᵀ = Q·Λ·Qᵀ with L·Lᵀ = S gives
    Σ⁻¹ = L⁻ᵀ·Q·(q² + τ²·Λ)⁻¹·Qᵀ·L⁻¹ for *every* q and τ at once: one rotation of the data serves 15 settings,
    and a quadratic form is one weighted sum. S holds the sampling noise and the first phase.

    Attributes
    ----------
    rotation : array, shape (lengths, points, points)
        Qᵀ·L⁻¹ of each drift length; the lengths come twice, without and with a first phase.
    inverse : array, shape (lengths, 15, points)
        1 / (q² + τ²·λ): weights of the rotated data.
    log_det : array, shape (lengths, 15)
        ln |Σ|.
    q, tau : array, shape (15,)
        The settings of one length, in the order of ``inverse``.
    log_prior : array, shape (lengths, 15)
        Log probability of each setting beforehand.
    length : array, shape (lengths,)
        Drift lengths, in units of the compute seen.
    at : array, shape (points,)
        Compute of the points, in units of the compute seen.
    """

    rotation: Floats
    inverse: Floats
    log_det: Floats
    log_prior: Floats
    q: Floats
    tau: Floats
    length: Floats
    at: Floats

    @property
    def count(self) -> int:
        """Number of settings."""
        return int(self.length.size * self.q.size)

    def drift_to(self, at: Floats) -> Floats:
        """Return the correlation of the drift at the points with that at other places.

        Parameters
        ----------
        at : array, shape (places,)
            Compute, in units of the compute seen.

        Returns
        -------
        array, shape (lengths, points, places)
        """
        distance = np.abs(self.at[:, None] - np.asarray(at, np.float64)[None, :])
        return np.exp(-distance / self.length[:, None, None])

    def mean_drift_variance(self, at: Floats) -> Floats:
        """Return the variance of the mean drift over places, for τ = 1; shape (lengths,)."""
        distance = np.abs(at[:, None] - at[None, :])
        return np.asarray(np.exp(-distance / self.length[:, None, None]).mean(axis=(1, 2)))


def prepare_noise(at: Floats, sd: Floats, horizon: float) -> NoiseSettings:
    """Reduce the noise settings of a pilot to what the grid needs.

    Parameters
    ----------
    at : array, shape (points,)
        Compute of the points, in units of the compute seen.
    sd : array, shape (points,)
        Sampling noise of the points, above 0.
    horizon : float
        Planned budget, in units of the compute seen.

    Returns
    -------
    NoiseSettings

    Examples
    --------
    >>> settings = prepare_noise(np.linspace(0.1, 1, 10), np.full(10, 0.01), horizon=4.0)
    >>> settings.count, settings.rotation.shape
    (90, (6, 10, 10))
    """
    q, tau = (grid.ravel() for grid in np.meshgrid(WHITE_FACTORS, DRIFT_SDS, indexing="ij"))
    first = FIRST_PHASE_SD * np.exp(-at / (FIRST_PHASE_LENGTH * horizon))
    rotation, inverse, log_det, log_prior, lengths = [], [], [], [], []
    plain = np.diag(sd**2)
    for white, chance in (
        (plain, 1 - FIRST_PHASE_PRIOR),
        (plain + np.outer(first, first), FIRST_PHASE_PRIOR),
    ):
        root = np.linalg.cholesky(white)
        whiten = np.linalg.inv(root)
        for length in np.array(DRIFT_LENGTHS) * horizon:
            kernel = np.exp(-np.abs(at[:, None] - at[None, :]) / length)
            values, vectors = np.linalg.eigh(whiten @ kernel @ whiten.T)
            values = np.maximum(values, 0.0)  # rounding can leave −1e-13 on nearly equal points
            weights = 1.0 / (q[:, None] ** 2 + tau[:, None] ** 2 * values[None, :])
            rotation.append(vectors.T @ whiten)
            inverse.append(weights)
            log_det.append(2 * np.log(np.diag(root)).sum() - np.log(weights).sum(axis=1))
            log_prior.append(np.full(q.size, np.log(chance / (len(DRIFT_LENGTHS) * q.size))))
            lengths.append(length)
    return NoiseSettings(
        np.array(rotation),
        np.array(inverse),
        np.array(log_det),
        np.array(log_prior),
        q,
        tau,
        np.array(lengths),
        np.asarray(at),
    )
