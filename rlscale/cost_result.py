"""The estimate of one scenario: intervals by branch, parts, what moves them, what was taken for granted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .price_list import Price
from .scenario import Scenario
from .spread import Interval

Floats = NDArray[np.float64]

#: Share of draws on one side from which a comparison counts as decided.
DECIDED = 0.95


@dataclass(frozen=True)
class Swing:
    """What one input does to a bill, from its low to its high end, all others central."""

    branch: str
    input: str
    usd_at_lo: float
    usd_at_hi: float

    @property
    def width(self) -> float:
        """Size of the change in US dollars."""
        return abs(self.usd_at_hi - self.usd_at_lo)


@dataclass(frozen=True, eq=False)
class Cost:
    """The estimate of one scenario.

    Attributes
    ----------
    scenario : Scenario
        What was asked.
    tokens : dict
        Medians of ``generated``, ``prefill`` (cached reads and evaluation included) and ``trained`` tokens;
        empty when only GPU-hours were given.
    gpu_hours, wall_hours : Interval or None
        GPU-hours of all pools, and hours on the clock.
    usd : dict
        Interval, or None where a branch does not apply, for ``tinker`` (token bill), ``self_hosted`` (GPU
        bill), ``sandbox``, and for ``total_tinker`` and ``total_self_hosted``: that bill with sandbox,
        storage, services and the rest of the project.
    central : dict
        The same bills with every input at its central value: where the swings start from.
    parts : dict
        Mean US dollars by part. (Means, and not medians, add up.)
    break_even : float or None
        Generated tokens a second a GPU at which the GPU bill equals the token bill.
    throughput : Interval or None
        The same quantity as estimated.
    p_self_hosted_cheaper : float or None
        Share of the draws in which the total on GPUs is below the one on Tinker.
    swings : tuple of Swing
        What moves each bill, most first.
    assumptions : tuple of str
        What was taken for granted.
    prices : tuple of Price
        Every price used, with its day and source.
    warnings : tuple of str
        Such as prices that have grown old.
    draws : dict
        The draws of every bill and of steps, completions, tokens and GPU-hours, for :mod:`rlscale.planning`.
    """

    scenario: Scenario
    tokens: dict[str, float]
    gpu_hours: Interval | None
    wall_hours: Interval | None
    usd: dict[str, Interval | None]
    central: dict[str, float]
    parts: dict[str, float]
    break_even: float | None
    throughput: Interval | None
    p_self_hosted_cheaper: float | None
    swings: tuple[Swing, ...]
    assumptions: tuple[str, ...]
    prices: tuple[Price, ...]
    warnings: tuple[str, ...]
    draws: dict[str, Floats] = field(repr=False)

    @property
    def cheaper(self) -> str | None:
        """``"tinker"``, ``"self_hosted"``, ``"undecided"``, or None without both."""
        p = self.p_self_hosted_cheaper
        if p is None:
            return None
        return "self_hosted" if p >= DECIDED else "tinker" if p <= 1 - DECIDED else "undecided"

    def to_dict(self) -> dict[str, Any]:
        """Return what ``rlscale cost --json`` prints."""
        return {
            "scenario": self.scenario.name,
            "tokens": self.tokens or None,
            "gpu_hours": self.gpu_hours.to_dict() if self.gpu_hours else None,
            "wall_hours": self.wall_hours.to_dict() if self.wall_hours else None,
            "usd": {name: value.to_dict() if value else None for name, value in self.usd.items()},
            "break_even": None if self.break_even is None else {"tokens_per_s_per_gpu": self.break_even},
            "tokens_per_s_per_gpu": self.throughput.to_dict() if self.throughput else None,
            "cheaper": self.cheaper,
            "p_self_hosted_cheaper": self.p_self_hosted_cheaper,
            "parts": [{"name": name, "usd": usd} for name, usd in self.parts.items()],
            "swings": [
                {"branch": w.branch, "input": w.input, "usd_at_lo": w.usd_at_lo, "usd_at_hi": w.usd_at_hi}
                for w in self.swings
            ],
            "assumptions": list(self.assumptions),
            "prices": [p.to_dict() for p in self.prices],
            "warnings": list(self.warnings),
        }
