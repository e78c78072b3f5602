"""The budget of a project, of which the last run is only a part.

Pilots, ablations, failed runs, evaluation and machines that wait are paid for like the run that is published.
SmolLM3's makers spent 276,480 GPU-hours on their main run and 161,280 on ablations and debugging, 58 % on top
(Smol Training Playbook, Hugging Face 2025, table of compute).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from .errors import CostError


@dataclass(frozen=True)
class Project:
    """What comes on top of the last run, each as a share of its cost unless it says dollars.

    Attributes
    ----------
    pilots, failed, evaluation, idle : float
        Pilots and ablations; runs that were thrown away; evaluation outside the run; machines that are
        rented and wait.
    services : float
        Storage, egress, monitoring: a share of everything above.
    people_usd : float
        Work of people, in dollars: no published figure exists, so it is never guessed.
    """

    pilots: float = 0.0
    failed: float = 0.0
    evaluation: float = 0.0
    idle: float = 0.0
    services: float = 0.0
    people_usd: float = 0.0

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if not (math.isfinite(value) and value >= 0):
                raise CostError(f"{f.name} is {value}; give a share (0.5 for half of the run) of 0 or more")
            if f.name != "people_usd" and value > 20:
                raise CostError(
                    f"{f.name} is {value:g} times the run; a share is meant: divide percent by 100"
                )


def budget_project(run: float, project: Project) -> dict[str, float]:
    """Return the lines of a project's budget, the total last.

    Parameters
    ----------
    run : float
        Cost of the last run, in dollars or GPU-hours.
    project : Project
        What comes on top.

    Returns
    -------
    dict
        Line to amount; the lines before ``total`` add up to it.

    Examples
    --------
    >>> lines = budget_project(276_480, Project(pilots=161_280 / 276_480))
    >>> round(lines["total"]), round(lines["pilots and ablations"] / lines["last run"], 2)
    (437760, 0.58)
    """
    if not (math.isfinite(run) and run >= 0):
        raise CostError(f"the cost of the run is {run}; give a finite number of 0 or more")
    lines = {
        "last run": run,
        "pilots and ablations": run * project.pilots,
        "failed runs": run * project.failed,
        "evaluation": run * project.evaluation,
        "machines that wait": run * project.idle,
    }
    lines["services"] = sum(lines.values()) * project.services
    lines["people"] = project.people_usd
    lines["total"] = sum(lines.values())
    return lines
