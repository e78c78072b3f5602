"""What is believed of a shape before its run is seen.

R0 and A are flat on the triangle 0 ≤ R0 ≤ A ≤ 1. ln scale is flat between .02 of the compute seen and the
larger of 1.5 budgets and twice the compute seen. ln B is normal: sigmoid (ln 1.6, .8) on [.3, 10], Weibull
(ln 1.1, .8) on [.25, 8], power law (.3, .8) on [.15, 10].

The scale is each shape's own, as in the backtest on public runs that set these priors: Cmid for the sigmoid,
Cmid/(ln 2)^(1/B) for the Weibull, Cmid/(2^(1/B) − 1) for the power law. Cmid is the compute at half of the
gain of every shape, so a slow power law may have a Cmid far beyond the budget: such runs exist.

Why the triangle: with R0 well measured, "R0 uniform on [0, A]" hides a pull of the ceiling to the last value,
which cost a quarter of the bad misses on public runs. Why the budget: a scale up to 30 times what was seen
wastes its mass on rises that come after the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float64]

#: The scale lies between this share of the compute seen …
SCALE_LOW = 0.02
#: … and the larger of this many budgets and this many times the compute seen.
SCALE_BUDGETS, SCALE_SEEN = 1.5, 2.0


class ShapePrior(NamedTuple):
    """Prior of a shape: ln B is normal, cut to [low, high]; ``half`` gives ln(Cmid/scale) for ln B."""

    centre: float
    sd: float
    low: float
    high: float
    half: Callable[[Floats], Floats]

    def log_density(self, log_b: Floats) -> Floats:
        """Return the log density of ln B, normalised on the range."""
        ends = (np.log([self.low, self.high]) - self.centre) / self.sd
        inside = ndtr(ends[1]) - ndtr(ends[0])
        z = (log_b - self.centre) / self.sd
        return np.asarray(-0.5 * z**2 - np.log(self.sd * np.sqrt(2 * np.pi) * inside))


#: Wide and steep, since real runs are: on 67 rising public runs ln B had mean .43 and sd .75 for the sigmoid.
PRIORS: dict[str, ShapePrior] = {
    "sigmoid": ShapePrior(float(np.log(1.6)), 0.8, 0.3, 10.0, np.zeros_like),
    "weibull": ShapePrior(
        float(np.log(1.1)), 0.8, 0.25, 8.0, lambda log_b: np.log(np.log(2)) * np.exp(-log_b)
    ),
    "power": ShapePrior(0.3, 0.8, 0.15, 10.0, lambda log_b: np.log(np.expm1(np.log(2) * np.exp(-log_b)))),
}


def bound_scale(horizon: float) -> tuple[float, float]:
    """Return the lowest and highest ln scale for a budget, in units of the compute seen."""
    return float(np.log(SCALE_LOW)), float(np.log(max(SCALE_BUDGETS * horizon, SCALE_SEEN)))
