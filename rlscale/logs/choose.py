"""Which series to fit, and why; and what a user's words ``KEY`` or ``KEY:UNIT`` mean.

Held-out pass rate comes before the pass rate of the training batch, and names that say "answer right" before
plain "accuracy". Rewards are never suggested: they hold format, length and penalty terms, or are pulled to
the middle by filtering. When two series are equally good, nothing is suggested and the user is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..amounts import full_number
from ..curve import UNITS
from ..errors import LogError, suggest_names
from .axes import Axis
from .series import Series, is_timer

#: A held-out series shorter than this gives way to the training pass rate.
FEWEST_HELDOUT = 8
#: What may follow the key of a series.
SCALES = ("percent", "signed")
#: Names of a series that sums several data sets up.
_WHOLE = frozenset(("all", "average", "overall"))


@dataclass(frozen=True)
class Suggestion:
    """What would be fitted; ``y`` is None when nothing may be without asking."""

    x: str
    y: str | None
    why: str


def split_spec(spec: str, endings: Sequence[str]) -> tuple[str, str]:
    """Split ``"KEY:ENDING"`` when the ending is known.

    Examples
    --------
    >>> split_spec("step:updates", ["updates"]), split_spec("a:b", ["updates"])
    (('step', 'updates'), ('a:b', ''))
    """
    key, colon, ending = spec.rpartition(":")
    return (key, ending) if colon and ending in endings else (spec, "")


def choose_series(series: Sequence[Series], x: str) -> Suggestion:
    """Suggest the series to fit.

    Parameters
    ----------
    series : sequence of Series
        All that a run holds.
    x : str
        Key of the axis.

    Returns
    -------
    Suggestion
    """
    fit = [s for s in series if s.fittable and s.points >= 2]
    heldout = sorted((s for s in fit if s.kind == "heldout_pass_rate"), key=lambda s: s.rank)
    train = sorted((s for s in fit if s.kind == "train_pass_rate"), key=lambda s: s.rank)
    why = ""
    pool = heldout
    if not heldout or (
        train and max(s.points for s in heldout) < FEWEST_HELDOUT < max(s.points for s in train)
    ):
        if heldout:
            why = f"; held-out {heldout[0].key!r} has only {heldout[0].points} points (pass --y to use it)"
        pool = train
    if pool is heldout and train:
        longest = max(s.points for s in heldout)
        pool = [s for s in heldout if s.points >= min(FEWEST_HELDOUT, longest)]
    if not pool:
        return Suggestion(x, None, _explain_none(series))
    best = [s for s in pool if s.rank == pool[0].rank]
    whole = [s for s in best if _WHOLE & {s.dataset, *s.key.lower().split("/")[-2:-1]}]
    if len(best) > 1 and len(whole) == 1:
        best = whole
    if len(best) > 1 and len({(s.points, s.low, s.high) for s in best}) > 1:
        names = ", ".join(repr(s.key) for s in best[:8])
        return Suggestion(x, None, f"{len(best)} series are equally good: {names}; choose one with --y")
    y = best[0]
    first = "held-out pass rate" if y.kind == "heldout_pass_rate" else "pass rate of the training batch"
    if y.kind == "train_pass_rate" and not heldout:
        why = (
            "; the log holds no held-out pass rate"
            if y.heldout is False
            else "; the name does not say whether it is held out"
        )
    elif y.kind == "heldout_pass_rate" and any(s.kind.startswith("train") for s in series):
        why = ", preferred to the training reward"
    if y.factor != 1:
        why += f"; the name says percent: values × {y.factor:g}"
    if y.note:
        why += f"; {y.note}"
    return Suggestion(x, y.key, first + why)


def _explain_none(series: Sequence[Series]) -> str:
    known = [s for s in series if s.points >= 2]
    percent = [s for s in known if s.scale == "percent" and s.kind.endswith("pass_rate")]
    if percent:
        s = percent[0]
        return f"{s.key!r} runs from {s.extent}, like percent: if it is, pass --y {s.key + ':percent'!r}"
    outside = [s for s in known if s.kind.endswith("pass_rate") and s.scale != "unit"]
    if outside:
        s = outside[0]
        return f"{s.key!r} runs from {s.extent}: no pass rate; choose another series with --y"
    filtered = [s for s in known if s.kind.endswith("pass_rate")]
    if filtered:
        return f"{filtered[0].key!r} is no plain pass rate: {filtered[0].note}"
    inside = [
        s
        for s in known
        if s.kind in ("train_reward", "heldout_reward") and s.scale == "unit" and not s.biased
    ]
    if inside:
        names = ", ".join(repr(s.key) for s in inside[:6])
        return (
            f"no series says that it is a pass rate; inside [0, 1], but maybe with format or partial credit: "
            f"{names}; if one is the share solved, name it with --y"
        )
    rewards = [s for s in known if s.kind in ("train_reward", "heldout_reward")]
    if rewards:
        s = next((r for r in rewards if not r.biased), rewards[0])
        if s.low == s.high:
            return f"no pass rate: {s.key!r} is {full_number(s.low)} in all {s.points} rows"
        text = f"no pass rate: {s.key!r} runs from {s.extent}"
        if s.scale == "signed":
            return f"{text}; if every single reward is −1 or 1, pass --y {s.key + ':signed'!r}"
        if s.note:
            return f"{text} ({s.note}); log the share of problems solved"
        return f"{text}: a sum of rewards or a shaped one; log the share of problems solved"
    lengths = [s for s in known if s.kind == "length"]
    if lengths:
        return (
            f"no pass rate: {lengths[0].key!r} is a length ({lengths[0].extent}); "
            f"give the log of the pass rate"
        )
    if known:
        return (
            f"no pass rate among the series ({', '.join(repr(s.key) for s in known[:6])}); name one "
            f"with --y if it is the share solved"
        )
    single = [s for s in series if s.points == 1]
    if single:
        return f"1 point only ({single[0].key!r}); a curve needs at least two, a forecast about eight"
    return "no series holds a number"


def pick_axis(axes: Sequence[Axis], spec: str | None, where: str) -> Axis:
    """Return the axis that ``spec`` names: a key, a unit, or ``KEY:UNIT``.

    Raises
    ------
    LogError
        If there is none; the nearest names are shown.
    """
    if spec is None:
        return axes[0]
    key, unit = split_spec(spec, tuple(UNITS))
    for axis in axes:
        if axis.key == key:
            return axis if not unit else Axis(axis.key, unit, axis.values, axis.derived)
    for axis in axes:
        if axis.unit == spec:
            return axis
    before, _, ending = spec.rpartition(":")
    if before.lower() in {a.key.lower() for a in axes}:
        units = suggest_names(ending, list(UNITS), limit=12)
        raise LogError(f"{where}: no unit {ending!r} (in {spec!r}): {units}")
    names = [a.key for a in axes] + sorted({a.unit for a in axes})
    raise LogError(f"{where}: no axis {spec!r}: {suggest_names(key, names)}")


def pick_series(series: Sequence[Series], spec: str, where: str) -> tuple[Series, str]:
    """Return the series that ``spec`` names, and the scale given with it: ``percent``, ``signed`` or nothing.

    Raises
    ------
    LogError
        If there is none; the nearest names are shown.
    """
    names = {s.key: s for s in series}
    if spec in names:
        return names[spec], ""
    key, scale = split_spec(spec, SCALES)
    if key in names:
        return names[key], scale
    before, _, ending = spec.rpartition(":")
    if before in names:
        raise LogError(
            f"{where}: no scale {ending!r} (in {spec!r}): {suggest_names(ending, SCALES)} "
            "(what a series measures follows from its name)"
        )
    raise LogError(f"{where}: no series {spec!r}: {_nearest_series(key, series)}")


def _nearest_series(name: str, series: Sequence[Series]) -> str:
    """Return the names nearest to one, those that may be a pass rate first, and never a timer."""
    progress = [s.key for s in series if s.kind not in ("other", "length")]
    others = [s.key for s in series if s.kind in ("other", "length") and not is_timer(s.key)]
    for names in (progress, others):
        near = suggest_names(name, names)
        if near.startswith("did you mean"):
            return near
    return suggest_names(name, progress or others, limit=12)
