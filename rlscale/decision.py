"""A verdict: what was asked, what is answered, and by what it was decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

CONTINUE = "continue"
STOP = "stop"
CANNOT_TELL = "cannot tell"

#: What a verdict can be decided by.
BY_FALL, BY_BUDGET, BY_TARGET = "fall", "budget", "target"
BY_MONEY, BY_GAIN, BY_REFUSAL = "money", "gain", "refusal"

#: A target with a smaller probability than this is out of reach; above 1 minus this it is reached.
TARGET_RISK = 0.05
#: Without prices and target, a gain of this much pass rate is worth going on for.
LEAST_GAIN = 0.01
#: Codes of refusals after which only the best checkpoint is worth keeping.
FELL = frozenset({"falling", "collapsed"})
#: Looks repeat, so that one of them can say stop by chance.
NOT_YET = "Ask again at the next checkpoint before you act on it."
#: A target is called within reach from this probability on, and uncertain from the second.
LIKELY, UNCERTAIN = 0.5, 0.25
#: What is said where the curve and the points part, so that nothing read from the curve may decide.
LEFT_CURVE = (
    "The last points do not follow the fitted curve. "
    "Look at the figure, go on to the next checkpoint and ask again."
)


class Question(NamedTuple):
    """What the reader wants to know; see :func:`rlscale.forecast_run`. ``where`` is the budget in words."""

    target: float | None
    price: float | None
    value: float | None
    level: float
    where: str

    @classmethod
    def of(
        cls, target: float | None, price: float | None, value: float | None, level: float, where: str
    ) -> Question:
        """Return the question with plain floats, whatever kind of number was given."""
        plain = [None if v is None else float(v) for v in (target, price, value)]
        return cls(plain[0], plain[1], plain[2], float(level), where)


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
        Probability that the observed end reaches the target; None where no forecast can be made.
    best_stop : BestStop or None
        Where prices were given and a forecast can be made.
    by : str
        What decided: ``"fall"``, ``"budget"``, ``"target"``, ``"money"``, ``"gain"``, or ``"refusal"`` where
        the gate refuses and nothing else was asked.
    also : str
        What else was asked for and did not decide, or what is missing for it; may be empty.
    by_money : str or None
        What money alone says, where price and value were given.
    """

    verdict: str
    why: str
    p_target: float | None = None
    best_stop: BestStop | None = None
    by: str = BY_GAIN
    also: str = ""
    by_money: str | None = None
