"""The policy-gradient recipes by name: three choices each, and the numbers that go with them.

What the choices do to the weight of a token is in :mod:`rlscale.losses`.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import RlscaleError, suggest_names

#: How tokens are averaged, in words.
AVERAGES: dict[str, str] = {
    "sequence": "mean over the tokens of an answer, then over answers",
    "token": "mean over all tokens of the batch",
    "prompt": "mean over all tokens of a prompt's answers, then over prompts",
    "constant": "sum over tokens divided by answers x longest allowed answer",
}


class ObjectiveError(RlscaleError):
    """An objective is not known, or its inputs do not fit together."""


@dataclass(frozen=True)
class Objective:
    """One policy-gradient objective: three choices and their numbers.

    Attributes
    ----------
    name, title : str
        Key in :data:`OBJECTIVES` and the name people use.
    baseline : {"group", "batch"}
        Mean that is subtracted from a reward: of the prompt's own group, or of the whole batch.
    scale : {"group", "batch", "none"}
        Standard deviation by which the difference is divided.
    ratio : {"token", "sequence", "none"}
        Ratio a token, one geometric mean an answer, or none at all.
    limit : {"clip", "truncate", "none"}
        ``clip`` gives a token outside the band no gradient at all (PPO's minimum); ``truncate`` keeps every
        token and caps its weight.
    low, high : float
        Clip band [1 - low, 1 + high]; for ``truncate`` the cap on the ratio is ``high`` and ``low`` is not
        used.
    average : {"sequence", "token", "prompt", "constant"}
        See :data:`AVERAGES`.
    dynamic_sampling, zero_variance_filter : bool
        Belongs to the recipe but not to the loss: replace, or leave out, groups whose rewards are all equal.
    source : str
        Where the formula stands.
    """

    name: str
    title: str
    baseline: str = "group"
    scale: str = "group"
    ratio: str = "token"
    limit: str = "clip"
    low: float = 0.2
    high: float = 0.2
    average: str = "sequence"
    dynamic_sampling: bool = False
    zero_variance_filter: bool = False
    source: str = ""


#: The recipes by name. GSPO's band is the one for long answers; the laboratory's five-token answers need a
#: wider one.
OBJECTIVES: dict[str, Objective] = {
    o.name: o
    for o in (
        Objective("grpo", "GRPO", source="arXiv:2402.03300"),
        Objective("dr-grpo", "Dr. GRPO", scale="none", average="constant", source="arXiv:2503.20783"),
        Objective(
            "dapo", "DAPO", high=0.28, average="token", dynamic_sampling=True, source="arXiv:2503.14476"
        ),
        Objective("gspo", "GSPO", ratio="sequence", low=3e-4, high=4e-4, source="arXiv:2507.18071"),
        Objective("cispo", "CISPO", limit="truncate", high=5.0, average="prompt", source="arXiv:2506.13585"),
        Objective(
            "scalerl",
            "ScaleRL",
            scale="batch",
            limit="truncate",
            high=5.0,
            average="prompt",
            zero_variance_filter=True,
            source="arXiv:2510.13786",
        ),
        Objective(
            "reinforce",
            "REINFORCE",
            baseline="batch",
            scale="none",
            ratio="none",
            limit="none",
            source="Williams 1992",
        ),
    )
}


def find_objective(name: str) -> Objective:
    """Return the objective of that name.

    Raises
    ------
    ObjectiveError
        If there is none; the message lists the nearest names.

    Examples
    --------
    >>> find_objective("dapo").average
    'token'
    """
    if name not in OBJECTIVES:
        raise ObjectiveError(f"no objective is called {name!r}; {suggest_names(name, OBJECTIVES)}")
    return OBJECTIVES[name]
