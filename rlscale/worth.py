"""What going on is worth: the gain that is left, what the next dollars buy, and the price at which to stop.

All of it is about the *curve*, without the noise of measuring: two measurements at one compute differ, and
that difference cannot be bought. So the gain that is left is not the interval of the observed end less the
last point, and it is narrower.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from .belief import Belief
from .calibration import Calibration
from .grid import share_won
from .intervals import Interval

Floats = NDArray[np.float64]

#: Candidate stops between now and the budget.
CANDIDATES = 201
#: "The next dollars" pay for this share of what is left of the budget.
NEXT_SHARE = 0.1


@dataclass(frozen=True)
class NextGain:
    """What the next dollars buy.

    Attributes
    ----------
    until : float
        Compute that they last to, in the unit of the curve: a tenth of what is left.
    usd : float
        What it costs to get there, above 0.
    gain : Interval
        What the curve wins on the way, in pass rate.
    """

    until: float
    usd: float
    gain: Interval

    @property
    def per_usd(self) -> Interval:
        """Pass rate won for each dollar."""
        return self.gain.times(1 / self.usd)

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"until", "usd", "median", "lo", "hi"}``, the interval in pass rate for each dollar."""
        # twelve digits: the last ones are the rounding of a tenth of what is left
        until, usd = (float(f"{v:.12g}") for v in (self.until, self.usd))
        return {"until": until, "usd": usd, **self.per_usd.to_dict()}


def measure_gain(belief: Belief, since: float, until: float, level: float) -> Interval:
    """Return the interval of what the curve wins between two computes.

    Parameters
    ----------
    belief : Belief
        Of the run.
    since, until : float
        Computes, in units of the compute seen.
    level : float
        Share of the truth that the interval should hold.

    Returns
    -------
    Interval
        In pass rate, 0 or more: a saturating curve does not fall. Three shapes are not all shapes, so both
        ends reach further out by the share :attr:`rlscale.belief.Belief.gain_allowance` of the gain, as a
        standard deviation: on simulated two-phase runs this brought the coverage from .85 to .91.
    """
    gains, weights = [], []
    for shape in belief.posterior.kept:
        won = share_won(shape.name, np.array([since, until]), shape.cells)
        gains.append(shape.parts.gain * (won[:, 1] - won[:, 0])[shape.parts.cell])
        weights.append(shape.parts.weight)
    gain, weight = np.concatenate(gains), np.concatenate(weights)
    order = np.argsort(gain, kind="stable")
    below = np.cumsum(weight[order])
    tail = 0.5 * (1 - level)
    # the first part at which the share is reached; rounding can leave the last sum a hair below 1
    places = np.searchsorted(below, np.array([0.5, tail, 1 - tail]) * below[-1])
    median, low, high = (max(0.0, float(gain[order[i]])) for i in np.minimum(places, gain.size - 1))
    expected = float(gain @ weight) / float(below[-1])
    reach = float(ndtri(1 - tail)) * belief.gain_allowance * expected
    low, high = median - float(np.hypot(median - low, reach)), median + float(np.hypot(high - median, reach))
    return Interval(median, max(0.0, low), high)


def find_break_even(expected: Callable[[Floats], Any], seen: float, budget: float) -> float:
    """Return the highest price of a whole run, in percentage points, at which going on is worth it.

    Going on from T to C wins 100·(R(C) − R(T)) percentage points and uses the share (C − T)/budget of the
    run. The rule of :func:`rlscale.stopping.decide_by_money` says stop exactly when the price is at or above
    the largest ratio of the two.

    Parameters
    ----------
    expected : callable
        Expected pass rate at an array of computes.
    seen, budget : float
        Compute seen, and of the whole run.

    Returns
    -------
    float
        Percentage points for the whole run; 0 when nothing is won, or nothing is left to run.

    Examples
    --------
    >>> round(find_break_even(lambda C: 0.5 + 0.001 * C, seen=20.0, budget=100.0), 6)
    10.0
    """
    at = np.linspace(seen, budget, CANDIDATES)
    if budget <= seen:
        return 0.0
    level = np.asarray(expected(at), np.float64)
    ratio = 100 * (level[1:] - level[0]) * budget / (at[1:] - at[0])
    return max(0.0, float(ratio.max()))


def expect_levels(belief: Belief, at: Floats) -> Floats:
    """Return the expected pass rate of the curve at each compute (units of the compute seen)."""
    return belief.posterior.expected(at)


def find_next_gain(
    belief: Belief, calibration: Calibration, price: float | None, level: float
) -> NextGain | None:
    """Return what the next dollars buy.

    Parameters
    ----------
    belief : Belief
        What is believed of the run.
    calibration : Calibration
        By how much the interval is widened.
    price : float or None
        USD for one unit of compute.
    level : float
        Share of the truth that the interval should hold.

    Returns
    -------
    NextGain or None
        None without a price above 0, and when nothing is left of the budget.
    """
    left = belief.pilot.horizon - 1.0
    if not price or left <= 0:
        return None
    until = 1.0 + NEXT_SHARE * left
    gain = calibration.widen(measure_gain(belief, 1.0, until, level))
    return NextGain(until * belief.seen, price * NEXT_SHARE * left * belief.seen, gain)
