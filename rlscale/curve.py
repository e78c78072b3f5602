"""A curve: pass rate against compute, each with how it was measured.

A number of compute without a unit does not exist here, and neither does "step" alone: a *rollout step* is
one batch of generation, an *update* is one optimizer step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import CurveError
from .given import as_number, as_whole, show_value

Floats = NDArray[np.float64]

#: Units of compute, and how each is written on an axis.
UNITS: dict[str, str] = {
    "gpu_hours": "GPU-hours",
    "h100_hours": "H100-equivalent GPU-hours",
    "rollout_steps": "rollout steps",
    "updates": "optimizer updates",
    "completions": "completions",
    "generated_tokens": "generated tokens",
    "trained_tokens": "trained tokens",
    "wall_hours": "wall-clock hours",
    "usd": "US dollars",
}

#: What a series can be. Only the first three may be fitted as a pass rate.
KINDS: tuple[str, ...] = (
    "heldout_pass_rate",
    "train_pass_rate",
    "pass_at_k",
    "train_reward",
    "heldout_reward",
    "length",
    "other",
)


@dataclass(frozen=True)
class LogWarning:
    """Soft trouble that the reader of a result must see.

    Attributes
    ----------
    code : str
        Short and stable, such as ``"steps-replaced"``.
    message : str
        What was found and where.
    next_step : str
        What to do about it; may be empty.
    """

    code: str
    message: str
    next_step: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return ``{"code", "message"}``, with the next step at the end of the message."""
        text = self.message if not self.next_step else f"{self.message} {self.next_step}"
        return {"code": self.code, "message": text}


@dataclass(frozen=True, eq=False)
class Curve:
    """Pass rate against compute of one run.

    Attributes
    ----------
    compute : array, shape (points,)
        Compute spent, in ``unit``; 0 or more, strictly increasing.
    pass_rate : array, shape (points,)
        Share of problems solved, in [0, 1].
    unit : str
        One of :data:`UNITS`.
    kind : str
        One of :data:`KINDS`: how the pass rate was measured.
    n : int or None
        Problems a point is the mean of (held-out: the same ones each time); None where the log does not say.
    k : int or None
        Samples a problem; None where the log does not say.
    segment : array of int, shape (points,)
        Which uninterrupted piece of the run a point belongs to; 0 first.
    planned : float or None
        Planned length of the run in ``unit``, where the log holds it.
    planned_from : str
        The key that ``planned`` was read from.
    run, x_key, y_key, format, why : str
        Where the numbers come from, and why this series was chosen.
    warnings : tuple of LogWarning
        Soft trouble met on the way.
    collapsed : float or None
        Compute at which the run collapsed; the points from there on are not part of the curve.

    Raises
    ------
    CurveError
        If lengths differ, a number is not finite, compute falls or repeats, or a pass rate is outside [0, 1].

    Examples
    --------
    >>> curve = Curve([0, 10, 20], [0.2, 0.3, 0.35], unit="rollout_steps")
    >>> len(curve), curve.label
    (3, 'rollout steps')
    """

    compute: Floats
    pass_rate: Floats
    unit: str
    kind: str = "heldout_pass_rate"
    n: int | None = None
    k: int | None = None
    segment: NDArray[np.int64] | None = None
    planned: float | None = None
    planned_from: str = ""
    run: str = ""
    x_key: str = ""
    y_key: str = ""
    format: str = ""
    why: str = ""
    warnings: tuple[LogWarning, ...] = field(default=())
    collapsed: float | None = None

    def __post_init__(self) -> None:
        compute = _as_floats(self.compute, "compute")
        pass_rate = _as_floats(self.pass_rate, "pass_rate")
        if compute.shape != pass_rate.shape:
            raise CurveError(
                f"compute has {compute.size} points and pass_rate {pass_rate.size}; give one of each a point"
            )
        segment = _as_segments(self.segment, compute.size)
        if segment.shape != compute.shape:
            raise CurveError(
                f"segment has {segment.size} entries for {compute.size} points; give one a point"
            )
        for name, word, known in (("unit", self.unit, tuple(UNITS)), ("kind", self.kind, KINDS)):
            if word not in known:
                raise CurveError(f"{name} {show_value(word)} is not known; use one of: {', '.join(known)}")
        _check_points(compute, pass_rate)
        for name in ("n", "k"):
            count = getattr(self, name)
            if count is not None:
                object.__setattr__(self, name, as_whole(count, name, CurveError, least=1))
        _check_compute(self.planned, "planned", above_0=True)
        _check_compute(self.collapsed, "collapsed", above_0=False)
        for name, values in (("compute", compute), ("pass_rate", pass_rate), ("segment", segment)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    def __len__(self) -> int:
        return int(self.compute.size)

    @property
    def label(self) -> str:
        """How the unit of compute is written on an axis."""
        return UNITS[self.unit]

    def cut(self, at: float) -> Curve:
        """Return the pilot: the points with compute up to ``at`` (same unit), and nothing of the rest."""
        keep = self.compute <= at
        assert self.segment is not None
        return replace(
            self, compute=self.compute[keep], pass_rate=self.pass_rate[keep], segment=self.segment[keep]
        )


def _as_floats(values: ArrayLike, name: str) -> Floats:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise CurveError(f"{name} holds something that is no number ({error}); give numbers only") from None
    if array.ndim != 1:
        raise CurveError(f"{name} has {array.ndim} dimensions; give a flat list, one number a point")
    return array


def _as_segments(values: ArrayLike | None, size: int) -> NDArray[np.int64]:
    if values is None:
        return np.zeros(size, np.int64)
    numbers = _as_floats(values, "segment")
    if not np.all(np.isfinite(numbers) & (numbers == np.floor(numbers)) & (np.abs(numbers) < 2**53)):
        raise CurveError("segment holds something that is no whole number; number the pieces from 0")
    return numbers.astype(np.int64)


def _check_compute(value: float | None, name: str, *, above_0: bool) -> None:
    if value is None:
        return
    number = as_number(value, name, CurveError)
    if not math.isfinite(number) or number < 0 or (above_0 and number == 0):
        raise CurveError(
            f"{name} is {show_value(value)}; give compute {'above 0' if above_0 else 'of 0 or more'}, or None"
        )


def _check_points(compute: Floats, pass_rate: Floats) -> None:
    for name, values in (("compute", compute), ("pass_rate", pass_rate)):
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            raise CurveError(f"{name} at point {bad[0]} is {values[bad[0]]}; drop or mend that point")
    if compute.size and compute.min() < 0:
        where = int(np.argmin(compute))
        raise CurveError(f"compute at point {where} is {compute[where]:g}; it cannot be negative")
    falls = np.flatnonzero(np.diff(compute) <= 0)
    if falls.size:
        i = int(falls[0])
        raise CurveError(
            f"compute does not increase at point {i + 1} ({compute[i]:g} then {compute[i + 1]:g}); "
            "sort the points and keep one a position (a resumed run: join its pieces first)"
        )
    outside = np.flatnonzero((pass_rate < 0) | (pass_rate > 1))
    if outside.size:
        i = int(outside[0])
        percent = 2 < pass_rate.max() <= 100 and pass_rate.min() >= 0
        hint = (
            "it looks like percent: divide by 100"
            if percent
            else "a reward is no pass rate: choose another series"
        )
        raise CurveError(f"pass_rate at point {i} is {pass_rate[i]:.10g}, outside [0, 1]; {hint}")
