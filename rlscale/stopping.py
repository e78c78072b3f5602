"""When to stop: the verdict, from the forecast and from money.

Three questions can be asked, the first that applies is answered:

- a **target**: is it reached already, or is it out of reach (probability at the budget below 5 %)?
- **money**: with ``v`` USD for a percentage point and ``c`` USD for a unit of compute, the worth of stopping at C' is
  U(C') = v·E[R(C')] − c·(C' − T). Go on if some C' beats stopping now; the best one is named. Expectations of the posterior, not the best
  fit: on simulated runs at 25 % seen the fit lost five times more.
- neither: does the curve still win more than one percentage point by the budget?

Where the gate refuses, nothing but more data helps: the verdict is ``cannot tell``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CONTINUE = "continue"
STOP = "stop"
CANNOT_TELL = "cannot tell"

#: A target with a smaller probability than this is out of reach; with more than 1 minus this it is reached.
TARGET_RISK = 0.05
#: Without prices and target, a gain of this much pass rate is worth going on for.
LEAST_GAIN = 0.01
#: Candidate stops between now and the budget.
CANDIDATES = 201


@dataclass(frozen=True)
class BestStop:
    """Where stopping is worth most.

    Attributes
    ----------
    at : float
        Compute, in the unit of the curve.
    usd : float
        Expected worth of going on until there, less its cost, against stopping now; 0 or more.
    """

    at: float
    usd: float

    def to_dict(self) -> dict[str, float]:
        """Return ``{"at", "usd"}``."""
        return {"at": self.at, "usd": self.usd}


@dataclass(frozen=True)
class Decision:
    """Verdict and the sentence that explains it.

    Attributes
    ----------
    verdict : str
        ``"continue"``, ``"stop"`` or ``"cannot tell"``.
    why : str
        One sentence or two, with what to do next.
    p_target : float or None
        Probability that the observed end reaches the target.
    best_stop : BestStop or None
        Where prices were given.
    """

    verdict: str
    why: str
    p_target: float | None = None
    best_stop: BestStop | None = None


def refuse_verdict(codes: tuple[str, ...], best_checkpoint: str) -> Decision:
    """Return the verdict where no forecast can be made.

    Parameters
    ----------
    codes : tuple of str
        Codes of the refusals.
    best_checkpoint : str
        Where the best checkpoint is, in words.

    Returns
    -------
    Decision

    Examples
    --------
    >>> refuse_verdict(("no rise yet",), "").verdict
    'cannot tell'
    """
    if "falling" in codes:
        return Decision(
            CANNOT_TELL,
            f"Keep the best checkpoint ({best_checkpoint}) and find out why the run falls before you pay for more of it.",
        )
    return Decision(CANNOT_TELL, "The pilot cannot tell. Go on to the next checkpoint and ask again.")


def decide_by_target(target: float, p_end: float, p_now: float, where: str) -> Decision:
    """Return the verdict for a target.

    Parameters
    ----------
    target : float
        Pass rate wanted.
    p_end, p_now : float
        Probability that the observed end reaches it, and that the curve has reached it already.
    where : str
        The budget in words.

    Returns
    -------
    Decision

    Examples
    --------
    >>> decide_by_target(0.7, p_end=0.01, p_now=0.0, where="400 updates").verdict
    'stop'
    """
    if p_now > 1 - TARGET_RISK:
        return Decision(STOP, f"The target of {target:.3g} is reached (probability {p_now:.2f}).", p_end)
    if p_end < TARGET_RISK:
        return Decision(
            STOP,
            f"The target of {target:.3g} is out of reach: the probability to have it at {where} is {p_end:.2f}. "
            "Ask again at the next checkpoint before you act on it.",
            p_end,
        )
    return Decision(
        CONTINUE, f"The target of {target:.3g} is within reach: probability {p_end:.2f} at {where}.", p_end
    )


def decide_by_money(compute: Floats, expected: Floats, price: float, value: float, unit: str) -> Decision:
    """Return the verdict for a price per unit of compute and a value per percentage point.

    Parameters
    ----------
    compute : array, shape (candidates,)
        Where the run could be stopped; the first is now.
    expected : array, shape (candidates,)
        Expected pass rate of the curve there.
    price : float
        USD for one unit of compute, 0 or more.
    value : float
        USD for one percentage point of pass rate, 0 or more.
    unit : str
        Unit in words.

    Returns
    -------
    Decision

    Examples
    --------
    >>> C = np.linspace(100, 400, 201)
    >>> decision = decide_by_money(C, 0.6 - 20 / C, price=1.0, value=20.0, unit="GPU-hours")
    >>> decision.verdict, decision.best_stop.at, round(decision.best_stop.usd)
    ('continue', 200.5, 100)
    """
    worth = value * 100 * (expected - expected[0]) - price * (compute - compute[0])
    best = int(np.argmax(worth))
    stop = BestStop(float(compute[best]), float(worth[best]))
    if best == 0:
        return Decision(
            STOP,
            f"No amount of further compute is expected to be worth its price (USD {price:g} per unit of {unit}, "
            f"USD {value:g} per percentage point). Ask again at the next checkpoint before you act on it.",
            best_stop=stop,
        )
    points = 100 * (expected[best] - expected[0])
    return Decision(
        CONTINUE,
        f"Best stop at {stop.at:.6g} {unit}: {points:.1f} percentage points more for USD "
        f"{price * (stop.at - compute[0]):,.0f}, worth USD {stop.usd:,.0f} more than stopping now.",
        best_stop=stop,
    )


def decide_by_gain(gain: tuple[float, float, float], where: str) -> Decision:
    """Return the verdict where neither a target nor prices were given.

    Parameters
    ----------
    gain : tuple of float
        Median, low and high end of what the curve still wins until the budget.
    where : str
        The budget in words.

    Returns
    -------
    Decision
        Stop if even the high end is below one percentage point, continue if even the low end is above.

    Examples
    --------
    >>> decide_by_gain((0.05, 0.02, 0.09), "400 updates").verdict
    'continue'
    """
    median, low, high = gain
    said = f"The curve is expected to win {100 * median:.1f} percentage points more by {where} ({100 * low:.1f} to {100 * high:.1f})"
    if high <= LEAST_GAIN:
        return Decision(STOP, f"{said}, less than one even at best. Ask again at the next checkpoint before you act on it.")
    if low > LEAST_GAIN:
        return Decision(CONTINUE, f"{said}, more than one even at worst.")
    return Decision(
        CANNOT_TELL,
        f"{said}: it may or may not be worth it. Say what a point is worth (value and price) or what you need (target).",
    )
