"""The money in a report: what was spent, what is left, and what it is expected to buy."""

from __future__ import annotations

from .amounts import name_one, say_compute, say_usd
from .decision import BY_FALL, CONTINUE
from .forecast import Forecast
from .pieces import Piece, say_sentence, say_table


def state_money(forecast: Forecast) -> Piece:
    """Return what going on costs and is worth, or how to ask for it.

    Parameters
    ----------
    forecast : Forecast
        From :func:`rlscale.forecast_run`.

    Returns
    -------
    Piece
    """
    curve, seen = forecast.curve, float(forecast.curve.compute[-1])
    _, price, value, _, _ = forecast.question
    label = curve.label
    if price is None:
        ask = (
            f"No price was given. With --price (USD for one {name_one(label)}) and --value (USD that a "
            "percentage point of pass rate is worth to you) the verdict weighs money."
        )
        return say_sentence(ask if value is None else forecast.decision.also or ask)
    rows = [
        ("already spent", say_compute(seen, label), say_usd(price * seen)),
        ("left of the budget", say_compute(forecast.rest, label), say_usd(price * forecast.rest)),
    ]
    step, stop = forecast.next_gain, forecast.decision.best_stop
    if step is not None:
        rows.append(("a tenth of what is left, to", say_compute(step.until, label), say_usd(step.usd)))
    if stop is not None and stop.at > seen:
        cost = say_usd(price * (stop.at - seen))
        rows.append(("best stop, at", say_compute(float(f"{stop.at:.4g}"), label), f"{cost} from here"))
    return say_table(["", "compute", "cost"], rows, after=_weigh(forecast, seen))


def _weigh(forecast: Forecast, seen: float) -> str:
    """Return the sentence below the table of money."""
    decision, value = forecast.decision, forecast.question.value
    if forecast.rest <= 0:
        return "The budget is used up: nothing is left to pay for."
    if decision.by == BY_FALL:
        return "The run fell, so what the rest would bring is not weighed against its price."
    if value is None:
        return f"Without --value, money does not decide the verdict. {decision.also}"
    stop, worth = decision.best_stop, f"At {say_usd(value)} a percentage point"
    if stop is None:
        pays = "pays" if decision.by_money == CONTINUE else "does not pay"
        return f"{worth}, going on {pays}, averaged over all that the pilot leaves open; no number is given."
    if stop.at <= seen:
        return f"{worth}, no further compute is expected to be worth its price."
    return f"{worth}, that is expected to be worth {say_usd(stop.usd)} more than stopping now."
