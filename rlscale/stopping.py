"""When to stop: the verdict, from the forecast and from money.

The first of these that applies decides:

- a pilot that **fell** or collapsed: keep the best checkpoint; no price makes a broken run worth more.
- a **target** that the curve has reached already: stop.
- a **budget** that is used up: stop, nothing is left to run.
- a **target**: is it out of reach (probability at the budget below 5 %)? A pilot that the gate refuses cannot
  tell.
- **money**: with ``v`` USD for a percentage point and ``c`` USD for a unit of compute, the worth of stopping
  at C' is U(C') = v·E[R(C')] − c·(C' − T). Go on if some C' beats stopping now; the best one is named.
  Expectations of the posterior, not the best fit: on simulated runs at 25 % seen the fit lost five times
  more. A refused pilot is decided the same way, without a number: that an interval is too wide to quote does
  not make the money wait, and saying "cannot tell" at each checkpoint of a flat run costs the whole run.
- none of them: does the curve still win more than one percentage point by the budget? A refused pilot cannot
  tell.

With a target *and* prices the target decides, and what money alone says stands beside it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .amounts import say_compute, say_probability
from .belief import Belief
from .curve import Curve
from .decision import (
    BY_BUDGET,
    BY_FALL,
    BY_REFUSAL,
    BY_TARGET,
    CANNOT_TELL,
    CONTINUE,
    FELL,
    LEAST_GAIN,
    LEFT_CURVE,
    LIKELY,
    NOT_YET,
    STOP,
    TARGET_RISK,
    UNCERTAIN,
    BestStop,
    Decision,
    Question,
)
from .gate import REFUSED, Reason, find_fall
from .intervals import Interval
from .money import decide_by_money, say_what_is_missing
from .worth import CANDIDATES, expect_levels, measure_gain


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
    """
    target, price, value, level, where = question
    posterior, horizon = belief.posterior, belief.pilot.horizon
    codes, shown = {r.code for r in reasons}, state != REFUSED
    followed = not belief.misfit
    if codes & FELL:
        fall = find_fall(curve.pass_rate, belief.point_noise)
        best = int(np.argmax(curve.pass_rate)) if fall is None else fall[1]
        return decide_by_fall(f"point {best + 1}, at {say_compute(curve.compute[best], curve.label)}")
    at = np.linspace(1.0, horizon, CANDIDATES)
    expected = expect_levels(belief, at)
    money: Decision | None = None
    also = ""
    if horizon > 1 and price is not None and value is not None:
        money = decide_by_money(
            at * belief.seen, expected, price, value, curve.label, quoted=shown and followed
        )
    elif horizon > 1 and (price is not None or value is not None):
        also = say_what_is_missing(
            at * belief.seen, expected, price, value, curve.label, quoted=shown and followed
        )
    p_end = None
    if target is not None:
        # on a misfit the points of today lie beside the curve, and are what the reader has
        now = posterior.pool(lambda s: s.curve_at(1.0)).share_above(target - belief.misfit)
        p_end = belief.end.share_above(target) if shown else None
        if now > 1 - TARGET_RISK:
            return _beside(say_reached(target, now, p_end), money, also)
    if horizon <= 1:
        return decide_by_budget(where, target, p_end)
    if target is not None:
        decision = (
            refuse_target(target)
            if p_end is None
            else decide_by_target(target, p_end, where, followed=followed)
        )
        return _beside(decision, money, also)
    if money is not None:
        return money
    if not shown:
        return replace(refuse_verdict(), also=also)
    gain = measure_gain(belief, 1.0, horizon, level)
    return replace(decide_by_gain(gain, where, followed=followed), also=also)


def _beside(decision: Decision, money: Decision | None, also: str) -> Decision:
    """Put what money alone says beside a verdict by target."""
    if money is None:
        return replace(decision, also=also)
    return replace(
        decision,
        why=f"The target decides. {decision.why}",
        also=f"By money alone: {money.verdict}. {money.why}",
        best_stop=money.best_stop,
        by_money=money.verdict,
    )


def refuse_verdict() -> Decision:
    """Return the verdict where no forecast can be made, and no prices were given to decide by.

    Examples
    --------
    >>> refuse_verdict().verdict
    'cannot tell'
    """
    return Decision(
        CANNOT_TELL, "The pilot cannot tell. Go on to the next checkpoint and ask again.", by=BY_REFUSAL
    )


def refuse_target(target: float) -> Decision:
    """Return the verdict for a target where no forecast can be made."""
    return Decision(
        CANNOT_TELL,
        f"The pilot cannot tell whether the target of {target:.3g} comes within reach. "
        "Go on to the next checkpoint and ask again.",
        by=BY_TARGET,
    )


def decide_by_fall(best_checkpoint: str) -> Decision:
    """Return the verdict of a pilot that fell or collapsed.

    Parameters
    ----------
    best_checkpoint : str
        Where the best checkpoint is, in words.
    """
    return Decision(
        CANNOT_TELL,
        f"Keep the best checkpoint ({best_checkpoint}) and find out why the run fell before you go on.",
        by=BY_FALL,
    )


def decide_by_budget(where: str, target: float | None = None, p_end: float | None = None) -> Decision:
    """Return the verdict of a run whose budget is used up.

    Parameters
    ----------
    where : str
        The budget in words.
    target : float, optional
        Pass rate wanted, and not surely reached.
    p_end : float, optional
        Probability that the observed end reaches it.

    Examples
    --------
    >>> decide_by_budget("400 updates").why
    'The budget of 400 updates is used up. Give a larger budget to ask whether more would pay.'
    """
    missed = ""
    if target is not None:
        missed = f" The target of {target:.3g} is not surely reached"
        missed += "." if p_end is None else f": probability {say_probability(p_end)}."
    return Decision(
        STOP,
        f"The budget of {where} is used up.{missed} Give a larger budget to ask whether more would pay.",
        p_end,
        by=BY_BUDGET,
    )


def say_reached(target: float, p_now: float, p_end: float | None) -> Decision:
    """Return the verdict for a target that the curve has reached already.

    Examples
    --------
    >>> say_reached(0.7, 0.98, 0.99).why
    'The target of 0.7 is reached now (probability 0.98).'
    """
    return Decision(
        STOP,
        f"The target of {target:.3g} is reached now (probability {say_probability(p_now)}).",
        p_end,
        by=BY_TARGET,
    )


def decide_by_target(target: float, p_end: float, where: str, *, followed: bool = True) -> Decision:
    """Return the verdict for a target that is not reached yet.

    Parameters
    ----------
    target : float
        Pass rate wanted.
    p_end : float
        Probability that the observed end reaches it.
    where : str
        The budget in words.
    followed : bool
        Whether the last points follow the fitted curve; if not, a small chance is no reason to go on.

    Returns
    -------
    Decision

    Examples
    --------
    >>> decide_by_target(0.7, p_end=0.01, where="400 updates").verdict
    'stop'
    """
    if p_end < TARGET_RISK:
        return Decision(
            STOP,
            f"The target of {target:.3g} is out of reach: probability {say_probability(p_end)} at {where}. "
            f"{NOT_YET}",
            p_end,
            by=BY_TARGET,
        )
    # a target is given up only below TARGET_RISK, so "continue" can stand beside a small probability: say so
    names = ((LIKELY, "within reach"), (UNCERTAIN, "uncertain"), (0.0, "unlikely but not excluded"))
    chance = next(name for least, name in names if p_end >= least)
    said = f"The target of {target:.3g} is {chance}: probability {say_probability(p_end)} at {where}."
    if not followed and p_end < LIKELY:
        return Decision(CANNOT_TELL, f"{said} {LEFT_CURVE}", p_end, by=BY_TARGET)
    return Decision(CONTINUE, said, p_end, by=BY_TARGET)


def decide_by_gain(gain: Interval, where: str, *, followed: bool = True) -> Decision:
    """Return the verdict where neither a target nor prices were given.

    Parameters
    ----------
    gain : Interval
        What the curve still wins until the budget.
    where : str
        The budget in words.
    followed : bool
        Whether the last points follow the curve that the gain is read from.

    Returns
    -------
    Decision
        Stop if even the high end is below one percentage point, continue if even the low end is above;
        neither where the last points do not follow the curve.

    Examples
    --------
    >>> decide_by_gain(Interval(0.05, 0.02, 0.09), "400 updates").verdict
    'continue'
    """
    median, low, high = (100 * v for v in (gain.median, gain.lo, gain.hi))
    form = ".1f" if gain.hi >= LEAST_GAIN else ".2f"
    span = f"{median:{form}} percentage points ({low:{form}} to {high:{form}})"
    said = f"By {where} the curve is expected to win {span}"
    if not followed:
        return Decision(CANNOT_TELL, LEFT_CURVE)
    if gain.hi <= LEAST_GAIN:
        return Decision(STOP, f"{said}, less than one even at best. {NOT_YET}")
    if gain.lo > LEAST_GAIN:
        return Decision(CONTINUE, f"{said}, more than one even at worst.")
    return Decision(
        CANNOT_TELL,
        f"{said}: it may or may not be worth it. Say what a percentage point is worth (value and price) or "
        "what you need (target).",
    )


__all__ = [
    "CANDIDATES",
    "CANNOT_TELL",
    "CONTINUE",
    "LEAST_GAIN",
    "STOP",
    "TARGET_RISK",
    "BestStop",
    "Decision",
    "Question",
    "decide_by_budget",
    "decide_by_fall",
    "decide_by_gain",
    "decide_by_money",
    "decide_by_target",
    "decide_run",
    "refuse_target",
    "refuse_verdict",
    "say_reached",
]
