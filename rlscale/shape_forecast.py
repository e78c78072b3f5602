"""What one shape alone says of the end: how much of the forecast rests on the choice of a shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .intervals import Interval
from .posterior import Posterior


@dataclass(frozen=True)
class ShapeForecast:
    """What one shape alone says.

    Attributes
    ----------
    name : str
        Name of the shape.
    pooled : bool
        Whether it is part of the forecast, or refuted by the pilot.
    nats_behind : float
        How far its log evidence is behind that of the best shape.
    end, A : Interval
        Its own observed end and ceiling.
    """

    name: str
    pooled: bool
    nats_behind: float
    end: Interval
    A: Interval

    def to_dict(self, ceiling: bool) -> dict[str, Any]:
        """Return the fields as JSON has them; the ceiling only where it may be shown."""
        return {
            "pooled": self.pooled,
            "nats_behind": self.nats_behind,
            "end": self.end.to_dict(),
            "A": self.A.to_dict() if ceiling else None,
        }


def list_shapes(posterior: Posterior, level: float) -> tuple[ShapeForecast, ...]:
    """Return what each shape alone says, pooled or not.

    Parameters
    ----------
    posterior : Posterior
        Of the shapes.
    level : float
        Share of the truth that the intervals should hold.

    Returns
    -------
    tuple of ShapeForecast
    """
    best = max(s.log_evidence for s in posterior.shapes)
    kept = {s.name for s in posterior.kept}
    return tuple(
        ShapeForecast(
            s.name,
            s.name in kept,
            best - s.log_evidence,
            Interval.of_share(s.end, level),
            Interval.of_share(s.ceiling, level),
        )
        for s in posterior.shapes
    )
