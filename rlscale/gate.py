"""Whether a pilot can be forecast at all: one of three states, and the reasons.

``no forecast``: the pilot cannot tell. ``end forecast only``: the end of the planned budget can be foretold,
the ceiling cannot. ``ceiling identified``: both.

The thresholds were tried on 358 cuts of 67 rising and 341 cuts of 68 flat public curves. What the gate let
through was never outside its interval by more than .05; every flat cut was refused. Width of the interval is
what counts: the rule "Cmid is passed" let through all three failures of an earlier gate and is gone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CEILING = "ceiling identified"
END_ONLY = "end forecast only"
REFUSED = "no forecast"

#: Fewer points than this are no pilot.
LEAST_POINTS = 6
#: A rise counts from this many standard errors.
RISE_SIGMAS = 3.0
#: … and from this much more log evidence than drift round one pass rate has. Standard errors know nothing of
#: drift: alone they took 5 % of simulated flat runs for rising ones; with this, none of 200.
RISE_NATS = 1.0
#: Standard errors below this are not believed: neighbouring checkpoints share their drift.
RISE_FLOOR = 0.004
#: A fall from the best window counts from this much, or 3 standard errors of a window.
FALL_LEAST = 0.02
#: A straight line has no bend to extrapolate, and pulls every shape's Cmid beyond what was seen. A rise that
#: has come to less of Cmid than this, …
BEND_SEEN = 0.8
#: … with a budget of more than this times what was seen, is not forecast. It refuses no public cut that the
#: other rules let through.
BEND_HORIZON = 1.5
#: Widest 90 % interval of the end that is shown.
END_WIDTH = 0.20
#: What "ceiling identified" asks for.
PASSED_CMID = 0.95
CEILING_WIDTH = 0.10
CEILING_BELOW = 0.98
SHAPES_AGREE = 0.02


@dataclass(frozen=True)
class Reason:
    """Why a state was given: a stable code and a sentence."""

    code: str
    message: str

    def to_dict(self) -> dict[str, str]:
        """Return ``{"code", "message"}``."""
        return {"code": self.code, "message": self.message}


@dataclass(frozen=True)
class Spread:
    """What the gate looks at in a posterior: 90 % intervals, whatever level the reader asked for.

    Attributes
    ----------
    end : tuple of float
        Low and high end of the interval of the observed end.
    ceiling : tuple of float
        The same of A.
    passed : float
        Probability that Cmid lies inside what was seen.
    disagreement : float
        Largest difference between the medians of the end of two pooled shapes.
    rise_nats : float
        Log evidence of the best shape less that of a run that only drifts round one pass rate.
    misfit : float
        How far the last fifth of the points lies above the fitted curve; 0 where noise explains it.
    seen_over_Cmid : float
        Median of the compute seen over Cmid.
    horizon : float
        The budget over the compute seen.
    """

    end: tuple[float, float]
    ceiling: tuple[float, float]
    passed: float
    disagreement: float
    rise_nats: float
    misfit: float = 0.0
    seen_over_Cmid: float = np.inf
    horizon: float = 1.0


def widen_spread(spread: Spread, q: float) -> Spread:
    """Return the spread with both intervals q times as wide round their middle.

    Examples
    --------
    >>> widen_spread(Spread((0.4, 0.6), (0.4, 0.8), 1.0, 0.0, 9.0), 1.5).end
    (0.35, 0.65)
    """
    if q == 1:
        return spread
    wider = []
    for low, high in (spread.end, spread.ceiling):
        middle, half = 0.5 * (low + high), 0.5 * q * (high - low)
        wider.append((round(middle - half, 12), round(middle + half, 12)))
    return replace(spread, end=wider[0], ceiling=wider[1])


def _beside(value: float, limit: float, digits: int = 2) -> str:
    """Write a number that is compared with a limit: with so many digits that the two do not look alike."""
    while digits < 6 and f"{value:.{digits}f}" == f"{limit:.{digits}f}":
        digits += 1
    return f"{value:.{digits}f}"


def find_fall(pass_rate: Floats, noise: float) -> tuple[float, int] | None:
    """Return how far the pilot has fallen from its best, and where that was; None if it has not.

    Parameters
    ----------
    pass_rate : array, shape (points,)
        The pilot.
    noise : float
        Sampling noise of one point.

    Returns
    -------
    tuple of (float, int) or None
        Best minus last mean over a fifth of the points, and the index of the best point in the best window.

    Examples
    --------
    >>> y = np.array([0.2, 0.3, 0.4, 0.5, 0.55, 0.56, 0.55, 0.30, 0.10])
    >>> fall, best = find_fall(y, noise=0.05)
    >>> round(fall, 3), best
    (0.355, 5)
    """
    n = pass_rate.size
    size = max(1, round(n / 5))
    sums = np.concatenate([[0.0], np.cumsum(pass_rate)])
    windows = (sums[size:] - sums[:-size]) / size
    top = int(np.argmax(windows))
    fall = float(windows[top] - windows[-1])
    if fall <= max(FALL_LEAST, 3 * noise / np.sqrt(n / 5)):
        return None
    return fall, top + int(np.argmax(pass_rate[top : top + size]))


def measure_rise(pass_rate: Floats, noise: float) -> float:
    """Return how many standard errors the last fifth of the points lies above the first tenth.

    Parameters
    ----------
    pass_rate : array, shape (points,)
        The pilot.
    noise : float
        Sampling noise of one point.

    Returns
    -------
    float

    Examples
    --------
    >>> round(measure_rise(np.linspace(0.2, 0.6, 20), noise=0.02), 1)
    20.7
    """
    n = pass_rate.size
    first, last = max(1, round(n / 10)), max(1, round(n / 5))
    error = max(noise * np.sqrt(1 / first + 1 / last), RISE_FLOOR)
    return float((pass_rate[-last:].mean() - pass_rate[:first].mean()) / error)


def judge_pilot(
    pass_rate: Floats, noise: float, spread: Spread, where: str, collapsed: str = ""
) -> tuple[str, tuple[Reason, ...]]:
    """Return the state of a pilot and the reasons for it.

    Parameters
    ----------
    pass_rate : array, shape (points,)
        The pilot, not binned.
    noise : float
        Sampling noise of one point.
    spread : Spread
        Of its posterior.
    where : str
        The budget in words, for the sentences.
    collapsed : str
        Where the run collapsed after the pilot, in words; empty: it has not.

    Returns
    -------
    state : str
        :data:`CEILING`, :data:`END_ONLY` or :data:`REFUSED`.
    reasons : tuple of Reason
        At least one.
    """
    refusals = _refusals(pass_rate, noise, spread, where)
    if collapsed:
        refusals.insert(
            0,
            Reason(
                "collapsed",
                f"The run collapsed at {collapsed}; what its points before the fall promise will not come.",
            ),
        )
    if refusals:
        return REFUSED, tuple(refusals)
    doubts = _doubts(spread, where)
    if doubts:
        return END_ONLY, tuple(doubts)
    low, high = spread.ceiling
    return CEILING, (
        Reason(
            "ceiling identified",
            f"Cmid is passed (probability {spread.passed:.2f}), the 90 % interval of the ceiling is "
            f"{high - low:.2f} wide, and the shapes agree on the end within {spread.disagreement:.3f}.",
        ),
    )


def _refusals(pass_rate: Floats, noise: float, spread: Spread, where: str) -> list[Reason]:
    n = pass_rate.size
    if n < LEAST_POINTS:
        return [
            Reason("too few points", f"The pilot has {n} points; a forecast needs {LEAST_POINTS} or more.")
        ]
    found: list[Reason] = []
    fall = find_fall(pass_rate, noise)
    if fall is not None:
        depth, best = fall
        found.append(
            Reason(
                "falling",
                f"The pass rate has fallen by {depth:.2f} from its best, at point {best + 1} of {n}; "
                "a saturating curve does not fall, so it says nothing about what comes next.",
            )
        )
    elif measure_rise(pass_rate, noise) < RISE_SIGMAS or spread.rise_nats < RISE_NATS:
        found.append(
            Reason(
                "no rise yet",
                "Flat so far; about 1 in 4 such runs rose later, and the pilot cannot tell which.",
            )
        )
    elif spread.seen_over_Cmid < BEND_SEEN and spread.horizon > BEND_HORIZON:
        found.append(
            Reason(
                "no bend yet",
                f"The rise has not bent yet (seen: {spread.seen_over_Cmid:.2f} times Cmid), and a straight "
                f"line says nothing about where it will bend before {where}.",
            )
        )
    low, high = spread.end
    if high - low > END_WIDTH:
        found.append(
            Reason(
                "interval too wide",
                f"The 90 % interval of the pass rate at {where} is {_beside(high - low, END_WIDTH)} wide; "
                f"{END_WIDTH:.2f} is the widest that is shown as a forecast.",
            )
        )
    return found


def _doubts(spread: Spread, where: str) -> list[Reason]:
    low, high = spread.ceiling
    found = []
    if spread.passed < PASSED_CMID:
        found.append(
            Reason(
                "Cmid not passed",
                f"Cmid, half of the gain, lies inside what was seen with probability "
                f"{_beside(spread.passed, PASSED_CMID)}; "
                f"the ceiling needs {PASSED_CMID:.2f}.",
            )
        )
    if high - low > CEILING_WIDTH:
        found.append(
            Reason(
                "ceiling too wide",
                f"The 90 % interval of the ceiling is {_beside(high - low, CEILING_WIDTH)} wide; "
                f"{CEILING_WIDTH:.2f} is the widest that is shown.",
            )
        )
    if high >= CEILING_BELOW:
        found.append(
            Reason(
                "ceiling near 1",
                f"The interval of the ceiling reaches {min(high, 1.0):.2f}: "
                "the limit of a pass rate, not the data, may end it.",
            )
        )
    if spread.disagreement > SHAPES_AGREE:
        found.append(
            Reason(
                "shapes disagree",
                "The shapes that fit the pilot differ by "
                f"{_beside(spread.disagreement, SHAPES_AGREE, 3)} at {where}; {SHAPES_AGREE} is allowed.",
            )
        )
    if spread.misfit:
        side = "above" if spread.misfit > 0 else "below"
        found.append(
            Reason(
                "misfit",
                f"The last fifth of the points lies {abs(spread.misfit):.3f} {side} the fitted curve: "
                "no shape draws this pilot, so the ceiling of the nearest one means little.",
            )
        )
    return found
