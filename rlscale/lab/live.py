"""A run watched as it goes: the curve as text, and what the forecast says of its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..curve import Curve
from .logbook import LabRun, Row

if TYPE_CHECKING:
    from ..forecast import Forecast
    from .settings import LabSettings

#: Evaluations before the first forecast, and between two.
_FIRST, _EVERY = 8, 4


@dataclass(frozen=True, eq=False)
class Progress:
    """State of a run after an evaluation.

    Attributes
    ----------
    run : LabRun
        Rows so far.
    forecast : Forecast or None
        The latest forecast of the end; None before the first.
    fresh : bool
        Whether the forecast was made at this evaluation.
    """

    run: LabRun
    forecast: Forecast | None
    fresh: bool

    @property
    def curve(self) -> Curve:
        """Curve so far."""
        return self.run.curve()


def watch_run(settings: LabSettings, *, cache: Path | None = None) -> Iterator[Progress]:
    """Train a run and yield its progress after each evaluation; forecasts are made now and then.

    Parameters
    ----------
    settings : LabSettings
        What to train.
    cache : Path, optional
        Folder of warm starts.
    """
    from . import import_torch

    import_torch()
    from .trainer import Trainer

    trainer = Trainer(settings, cache=cache)
    yield from follow_rows(settings, trainer.rows(), trainer.facts(), lambda: tuple(trainer.steps))


def follow_rows(
    settings: LabSettings,
    rows: Iterator[Row],
    facts: dict[str, Any],
    steps: Callable[[], tuple[Any, ...]] = tuple,
) -> Iterator[Progress]:
    """Yield the progress of a run whose rows come from anywhere: the trainer, or a log that is replayed."""
    seen: list[Row] = []
    forecast: Forecast | None = None
    for row in rows:
        seen.append(row)
        run = LabRun(settings, tuple(seen), facts, steps())
        fresh = len(seen) >= _FIRST and (len(seen) - _FIRST) % _EVERY == 0
        if fresh:
            forecast = forecast_end(run) or forecast
        yield Progress(run, forecast, fresh)


def forecast_end(run: LabRun) -> Forecast | None:
    """Forecast a run's pass rate at the end of its budget; None while the curve has not moved or is done."""
    from ..errors import ForecastError
    from ..forecast import forecast_run

    curve = run.curve()
    if curve.compute[-1] >= run.settings.budget:
        return None
    try:
        return forecast_run(curve, budget=float(run.settings.budget))
    except ForecastError:
        return None  # a curve that does not move yet is no error of the run: the next evaluation tries again


def describe_progress(progress: Progress) -> str:
    """Return one line: where the run is, and the forecast when it is fresh."""
    row = progress.run.rows[-1]
    share = row.completions / progress.run.settings.budget
    text = f"{row.completions:>9,} completions ({100 * min(share, 1):3.0f} %)"
    text += f"  pass rate {row.heldout_pass_rate:.3f}"
    text += f"  pass@8 {row.pass_at_8:.3f}"
    if progress.fresh and progress.forecast is not None:
        text += f"  | {describe_forecast_end(progress.forecast)}"
    return text


def describe_forecast_end(forecast: Forecast) -> str:
    """Return state and, where the state allows one, the interval of the end."""
    if forecast.state == "no forecast":
        return "no forecast: " + "; ".join(r.code for r in forecast.reasons)
    end = forecast.end
    return f"{forecast.state}: end {end.median:.3f} [{end.lo:.3f}, {end.hi:.3f}], {forecast.verdict}"


def draw_curve(
    curve: Curve, budget: float, forecast: Forecast | None = None, *, width: int = 64, height: int = 17
) -> str:
    """Draw a curve as text: ``*`` measured, ``-`` the forecast's expectation, ``.`` its interval.

    Parameters
    ----------
    curve : Curve
        What was measured.
    budget : float
        Right end of the axis, in the unit of the curve.
    forecast : Forecast, optional
        Drawn beyond what was seen unless its state is ``no forecast``.
    width, height : int
        Columns and rows of the plotting area.

    Examples
    --------
    >>> print(draw_curve(Curve([0, 50], [0.0, 1.0], unit="updates"), 100, width=5, height=3))
     1.00 |  *
     0.50 |
     0.00 |*
          +-----
           0 … 100 optimizer updates
    """
    canvas = np.full((height, width), " ")

    def put(compute: float, pass_rate: float, mark: str) -> None:
        column = min(int(compute / budget * (width - 1) + 0.5), width - 1)
        row = height - 1 - int(min(max(pass_rate, 0.0), 1.0) * (height - 1) + 0.5)
        canvas[row, column] = mark

    if forecast is not None and forecast.state != "no forecast":
        seen = float(curve.compute[-1])
        columns = np.linspace(0, budget, width)
        ahead = columns[columns > seen]
        if ahead.size:
            band = forecast.band(ahead, draws=300)
            for at, low, middle, high in zip(ahead, band.lo, band.median, band.hi, strict=True):
                put(at, low, ".")
                put(at, high, ".")
                put(at, middle, "-")
    for at, rate in zip(curve.compute, curve.pass_rate, strict=True):
        if at <= budget * 1.02:
            put(float(at), float(rate), "*")
    lines = []
    for i, cells in enumerate(canvas):
        named = i in (0, height // 2, height - 1)
        label = f"{1 - i / (height - 1):5.2f} |" if named else "      |"
        lines.append((label + "".join(cells)).rstrip())
    lines.append("      +" + "-" * width)
    lines.append(f"       0 … {budget:,.0f} {curve.label}")
    return "\n".join(lines)
