"""When to stop: the verdict, from the forecast and from money.

Three questions can be asked, the first that applies is answered:

- a **target**: is it reached already, or out of reach (probability at the budget below 5 %)?
- **money**: with ``v`` USD for a percentage point and ``c`` USD for a unit of compute, the worth of stopping
  at C' is U(C') = v·E[R(C')] − c·(C' − T). Go on if some C' beats stopping now; the best one is named.
  Expectations of the posterior, not the best fit: on simulated runs at 25 % seen the fit lost five times
  more.
- neither: does the curve still win more than one percentage point by the budget?

Where the gate refuses, nothing but more data helps: the verdict is ``cannot tell``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .belief import Belief
from .curve import Curve
from .gate import REFUSED, Reason, find_fall
from .intervals import Interval

Floats = NDArray[np.float64]

CONTINUE = "continue"
STOP = "stop"
CANNOT_TELL = "cannot tell"

#: A target with a smaller probability than this is out of reach; above 1 minus this it is reached.
TARGET_RISK = 0.05
#: Without prices and target, a gain of this much pass rate is worth going on for.
LEAST_GAIN = 0.01
#: Candidate stops between now and the budget.
CANDIDATES = 201
_NOT_YET = "Ask again at the next checkpoint before you act on it."


class Question(NamedTuple):
    """What the reader wants to know; see :func:`rlscale.forecast_run`. ``where`` is the budget in words."""

    target: float | None
    price: float | None
    value: float | None
    level: float
    where: str


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


def decide_run(
    belief: Belief, curve: Curve, state: str, reasons: tuple[Reason, ...], question: Question
) -> Decision:
    """Return the verdict of a run.

    Parameters
    ----------
    belief : Belief
        What is believed of it.
    curve : Curve
        The pilot.
    state, reasons
        From :func:`rlscale.gate.judge_pilot`.
    question : Question
        Target, prices, level.

    Returns
    -------
    Decision
        With a target *and* prices, the target decides and the best stop is named beside it.
    """
    target, price, value, level, where = question
    if state == REFUSED:
        fall = find_fall(curve.pass_rate, belief.point_noise)
        best = int(np.argmax(curve.pass_rate)) if fall is None else fall[1]
        place = f"point {best + 1}, at {curve.compute[best]:.6g} {curve.label}"
        return refuse_verdict(tuple(r.code for r in reasons), place)
    posterior, horizon = belief.posterior, belief.pilot.horizon
    money: Decision | None = None
    if price is not None and value is not None:
        at = np.linspace(1.0, horizon, CANDIDATES)
        money = decide_by_money(at * belief.seen, posterior.expected(at), price, value, curve.label)
    if target is not None:
        now = posterior.pool(lambda s: s.curve_at(1.0)).share_above(target)
        decision = decide_by_target(target, belief.end.share_above(target), now, where)
        return replace(decision, best_stop=None if money is None else money.best_stop)
    if money is not None:
        return money
    return decide_by_gain(Interval.of_mixture(posterior.pool(lambda s: s.growth(1.0, horizon)), level), where)


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
    if "falling" in codes or "collapsed" in codes:
        return Decision(
            CANNOT_TELL,
            f"Keep the best checkpoint ({best_checkpoint}) and find out why the run fell before you go on.",
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
            f"The target of {target:.3g} is out of reach: probability {p_end:.2f} at {where}. {_NOT_YET}",
            p_end,
        )
    # a target is given up only below TARGET_RISK, so "continue" can stand beside a small probability: say so
    chance = "within reach" if p_end >= 0.5 else "unlikely but not excluded"
    return Decision(
        CONTINUE, f"The target of {target:.3g} is {chance}: probability {p_end:.2f} at {where}.", p_end
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
            f"No further compute is expected to be worth its price (USD {price:g} per unit of {unit}, "
            f"USD {value:g} per percentage point). {_NOT_YET}",
            best_stop=stop,
        )
    points = 100 * (expected[best] - expected[0])
    return Decision(
        CONTINUE,
        f"Best stop at {stop.at:.6g} {unit}: {points:.1f} percentage points more for USD "
        f"{price * (stop.at - compute[0]):,.0f}, worth USD {stop.usd:,.0f} more than stopping now.",
        best_stop=stop,
    )


def decide_by_gain(gain: Interval, where: str) -> Decision:
    """Return the verdict where neither a target nor prices were given.

    Parameters
    ----------
    gain : Interval
        What the curve still wins until the budget.
    where : str
        The budget in words.

    Returns
    -------
    Decision
        Stop if even the high end is below one percentage point, continue if even the low end is above.

    Examples
    --------
    >>> decide_by_gain(Interval(0.05, 0.02, 0.09), "400 updates").verdict
    'continue'
    """
    median, low, high = (100 * v for v in (gain.median, gain.lo, gain.hi))
    said = f"By {where} the curve is expected to win {median:.1f} percentage points ({low:.1f} to {high:.1f})"
    if gain.hi <= LEAST_GAIN:
        return Decision(STOP, f"{said}, less than one even at best. {_NOT_YET}")
    if gain.lo > LEAST_GAIN:
        return Decision(CONTINUE, f"{said}, more than one even at worst.")
    return Decision(
        CANNOT_TELL,
        f"{said}: it may or may not be worth it. Say what a percentage point is worth (value and price) or "
        "what you need (target).",
    )
