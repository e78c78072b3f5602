"""What rounding of logits does to the importance ratio, when nothing has been learned yet.

Generator and trainer compute the same logits, up to a small difference of kernels, and each stores them in a
number format with so many significant bits. A format rounds *relative* to a number: eight bits (bf16) leave
steps of 1/8 for logits between 16 and 32. The ratio p_trainer / p_generator of a sampled token then scatters
round 1 although both hold the same weights. Everything here is exact given the logits: expectations run over
all tokens of the vocabulary, none is drawn.

The distributions are Zipf's, p ∝ rank^-s with s drawn for each position, a caricature of next tokens: some
positions are nearly certain, some open (illustrative). The effect and a cure are reported by Qi et al. 2025
(arXiv:2510.26788).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from .errors import CostError, suggest_names

#: Significant bits of a number format, the hidden one included.
SIGNIFICANT_BITS: Mapping[str, int] = {"bf16": 8, "fp16": 11, "fp32": 24}


def round_logits(logits: ArrayLike, number_format: str) -> NDArray[np.float64]:
    """Return the logits as a number format stores them (ties to even; no overflow is modelled).

    Parameters
    ----------
    logits : array_like
        Of any shape.
    number_format : str
        ``"bf16"``, ``"fp16"`` or ``"fp32"``.

    Returns
    -------
    ndarray
        Of the same shape.

    Raises
    ------
    CostError
        If the format is unknown.

    Examples
    --------
    Between 16 and 32 the steps of bf16 are 1/8, those of fp16 1/64:

    >>> round_logits([20.05, 20.07], "bf16").tolist(), round_logits([20.05], "fp16").tolist()
    ([20.0, 20.125], [20.046875])
    """
    if number_format not in SIGNIFICANT_BITS:
        advice = suggest_names(number_format, list(SIGNIFICANT_BITS))
        raise CostError(f"unknown number format {number_format!r}; {advice}")
    fraction, exponent = np.frexp(np.asarray(logits, np.float64))
    scale = 2.0 ** SIGNIFICANT_BITS[number_format]
    return np.asarray(np.ldexp(np.round(fraction * scale) / scale, exponent))


def draw_logits(
    positions: int, *, top: float = 24.0, vocabulary: int = 4096, seed: int = 0
) -> NDArray[np.float64]:
    """Return logits of next-token distributions (illustrative): Zipf's law with a random exponent.

    Parameters
    ----------
    positions : int
        How many distributions.
    top : float
        Logit of the likeliest token, in the mean; what rounding loses grows with it.
    vocabulary : int
        Tokens.
    seed : int
        Of the exponents and of an offset that avoids the grid of the format.

    Returns
    -------
    ndarray, shape (positions, vocabulary)
        The likeliest token first.

    Raises
    ------
    CostError
        If there is no position or fewer than two tokens.

    Examples
    --------
    >>> draw_logits(3, vocabulary=10).shape
    (3, 10)
    """
    if positions < 1 or vocabulary < 2:
        raise CostError(
            f"expected one position or more and two tokens or more; found {positions} and {vocabulary}"
        )
    rng = np.random.default_rng(seed)
    exponent = rng.uniform(1.2, 6.0, (positions, 1))
    offset = rng.uniform(-1.0, 1.0, (positions, 1))
    return np.asarray(top + offset - exponent * np.log(np.arange(1, vocabulary + 1)))


@dataclass(frozen=True)
class Rounding:
    """Ratios of one token on fresh samples, in expectation over the generator's tokens.

    Attributes
    ----------
    mean_log_ratio : float
        What many logs show: minus a Kullback-Leibler divergence, so nearly 0 and never above it.
    spread : float
        Standard deviation of the log-ratio of a token.
    outside : float
        Share of the sampled tokens whose ratio lies outside the band.
    moved : float
        Share of the probability that sits on other tokens (total variation): the share of the samples that
        the trainer believes to be its own and are not.
    """

    mean_log_ratio: float
    spread: float
    outside: float
    moved: float

    def answer_spread(self, tokens: ArrayLike) -> NDArray[np.float64]:
        """Return the standard deviation of the log-ratio of a whole answer, the product over its tokens.

        Examples
        --------
        >>> Rounding(0.0, 0.02, 0.0, 0.0).answer_spread([100, 10_000]).tolist()
        [0.2, 2.0]
        """
        return np.asarray(self.spread * np.sqrt(np.asarray(tokens, np.float64)))

    def outside_mean(self, tokens: ArrayLike, low: float, high: float) -> NDArray[np.float64]:
        """Return the share of answers whose geometric mean ratio leaves the band 1 - low to 1 + high of GSPO.

        The mean over many tokens is taken as normal.

        Examples
        --------
        >>> Rounding(0.0, 0.01, 0.0, 0.0).outside_mean(100, 0.001, 0.001).round(2).tolist()
        0.32
        """
        deviation = self.spread / np.sqrt(np.asarray(tokens, np.float64))
        if self.spread == 0:
            return np.zeros_like(deviation)
        below = norm.cdf((np.log1p(-low) - self.mean_log_ratio) / deviation)
        above = norm.sf((np.log1p(high) - self.mean_log_ratio) / deviation)
        return np.asarray(below + above)


def compare_rounding(
    logits: ArrayLike,
    generator: str,
    trainer: str,
    *,
    kernels: float = 0.0,
    low: float = 0.8,
    high: float = 1.2,
    seed: int = 0,
) -> Rounding:
    """Return how far two engines with the same weights disagree on the tokens that one of them samples.

    Parameters
    ----------
    logits : array_like, shape (positions, vocabulary)
        Before rounding.
    generator, trainer : str
        Number format in which each stores its logits.
    kernels : float
        Relative standard deviation of what the kernels of the two compute differently before rounding.
    low, high : float
        Band of ratios outside which a token counts.
    seed : int
        Of the difference between kernels.

    Returns
    -------
    Rounding
        Mean over the positions.

    Raises
    ------
    CostError
        If a format is unknown, the logits are not two-dimensional and finite, or the band is empty.

    Examples
    --------
    The mean looks perfect, the scatter is not:

    >>> r = compare_rounding(draw_logits(50), "bf16", "fp32")
    >>> r.mean_log_ratio > -0.001, r.spread > 0.01
    (True, True)
    """
    exact = np.asarray(logits, np.float64)
    if exact.ndim != 2 or exact.size == 0 or not np.all(np.isfinite(exact)):
        raise CostError("logits must be finite, with one row a position and one column a token")
    if not 0 <= low < high or not kernels >= 0:
        raise CostError(f"expected 0 <= low < high and kernels >= 0; found {low}, {high} and {kernels}")
    rng = np.random.default_rng(seed)
    theirs = exact * (1 + kernels * rng.standard_normal(exact.shape)) if kernels else exact
    log_p, log_q = (
        _log_softmax(round_logits(z, f)) for z, f in ((exact, generator), (theirs, trainer))
    )  # generator, trainer
    p, log_ratio = np.exp(log_p), log_q - log_p
    mean = (p * log_ratio).sum(axis=1)
    square = (p * log_ratio**2).sum(axis=1)
    away = (log_ratio < np.log(low) if low else np.zeros_like(p, bool)) | (log_ratio > np.log(high))
    return Rounding(
        float(mean.mean()),
        float(np.sqrt(np.mean(square) - np.mean(mean) ** 2)),
        float((p * away).sum(axis=1).mean()),
        float(0.5 * np.abs(np.exp(log_q) - p).sum(axis=1).mean()),
    )


def _log_softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    shifted = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
