"""From a curve to what is believed of its end: binned pilot, noise, planned window, posterior.

Compute is divided by what was seen, so that a run in steps and the same run in FLOPs give the same numbers.

The posterior takes its shapes for true. Two additions to the end and the ceiling do not:

- an *allowance* for the shape, with a standard deviation that grows with ln(budget/seen) and with the gain
  that is still expected: three shapes are not all shapes, and the farther the curve is continued the less
  they stand for. Without it 90 % intervals at a quarter seen held the end in .77 of laboratory runs and .83
  of simulated two-phase runs, with it in .92 and .86; on public runs the interval score rose from .246 to
  .252 and the coverage from .95 to .97. The share of the gain is larger by as much as Cmid may still lie
  ahead: before the bend the gain is known from the prior more than from the points. Of laboratory runs, that
  part lifts .92 to .96 (small steps with stale rollouts .82 to .91); no public forecast changes its state.
- a *misfit*: where the last fifth of the points lies off the fitted curve by more than its noise, drift has
  been taken for what no shape can draw, a long slow rise after a steep one for instance. Drift is forgotten
  by the end, a wrong shape is not. Nobody can tell which it is: half of the belief keeps the distance. On
  public runs this halved the error of the cuts concerned, and no ceiling is called identified there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .binning import bin_curve
from .curve import Curve
from .gate import Spread
from .grid import Pilot, log_flat_evidence
from .mixture import Mixture
from .noise import NoiseSettings, PointNoise, Window, prepare_noise
from .posterior import Posterior, pool_shapes

Floats = NDArray[np.float64]

#: Bins of a long log.
BINS = 48
#: Share of the planned points whose mean is the end.
END_SHARE = 0.10
#: Places that stand for the planned points of the window.
WINDOW_PLACES = 12
#: Allowance for the shape: standard deviation at ln(budget/seen) = 1, growing with its square root …
SHAPE_ALLOWANCE = 0.01
#: … and, beside it, as a share of the gain that is still expected. Chosen on public, laboratory and
#: simulated two-phase runs: (.0075, .1) with a heavier tail is as good, from .012 on the gate shows too few.
GAIN_ALLOWANCE = 0.13
#: … to which this much is added, times the probability that Cmid has not been passed. Between .1 and .25 the
#: laboratory's interval score is the same within .007; a share of .2 at every gain costs public runs as much
#: (.254), helps the laboratory less (.356, this .344) and shows fewer public pilots.
UNBENT_ALLOWANCE = 0.15
#: The last fifth of the points is off the curve from this much pass rate …
MISFIT_LEAST = 0.01
#: … if it is more than so many standard errors of their mean.
MISFIT_SIGMAS = 1.5
#: The gate works with this level, whatever level the reader asks for.
GATE_LEVEL = 0.9


@dataclass(frozen=True, eq=False)
class Belief:
    """The posterior of a run and what went into it.

    Attributes
    ----------
    posterior : Posterior
        Of the shapes; compute in units of what was seen.
    pilot : Pilot
        The binned points.
    settings : NoiseSettings
        The noise models that were averaged.
    window : Window
        The planned points whose mean is the end.
    noise : PointNoise
        Sampling noise of the points, not binned.
    seen : float
        Compute seen, in the unit of the curve.
    """

    posterior: Posterior
    pilot: Pilot
    settings: NoiseSettings
    window: Window
    noise: PointNoise
    seen: float

    @cached_property
    def end(self) -> Mixture:
        """Distribution of the observed end, with the allowance for the shape and the misfit."""
        return self._loosen(self._pooled_end)

    @cached_property
    def ceiling(self) -> Mixture:
        """Distribution of A, with the same."""
        return self._loosen(self.posterior.pool(lambda s: s.ceiling))

    @cached_property
    def log_midpoint(self) -> Mixture:
        """Distribution of ln(Cmid / compute seen)."""
        return self.posterior.pool(lambda s: s.log_midpoint)

    @cached_property
    def gain_allowance(self) -> float:
        """Share of a gain still expected that the shapes leave open, as a standard deviation."""
        return GAIN_ALLOWANCE + UNBENT_ALLOWANCE * self.log_midpoint.share_above(0.0)

    @cached_property
    def allowance(self) -> float:
        """Standard deviation of what the shapes leave out between now and the end; 0 for a whole run."""
        now = float(self.posterior.expected(np.array([1.0]))[0])
        far = SHAPE_ALLOWANCE * np.sqrt(np.log(self.pilot.horizon))
        return float(np.hypot(far, self.gain_allowance * (self._pooled_end.expected - now)))

    @cached_property
    def misfit(self) -> float:
        """How far the last fifth of the points lies above the expected curve; 0 where noise explains it."""
        pilot = self.pilot
        last = max(1, round(pilot.at.size / 5))
        off = float((pilot.pass_rate - self.posterior.expected(pilot.at))[-last:].mean())
        error = float(np.sqrt(np.sum(pilot.sd[-last:] ** 2))) / last
        return off if abs(off) > max(MISFIT_LEAST, MISFIT_SIGMAS * error) else 0.0

    @cached_property
    def _pooled_end(self) -> Mixture:
        return self.posterior.pool(lambda s: s.end)

    def _loosen(self, mixture: Mixture) -> Mixture:
        wider = mixture.widen(self.allowance)
        return wider.split(self.misfit) if self.misfit else wider

    def loosen_draws(self, value: Floats, seed: int) -> Floats:
        """Return draws of the end or the ceiling with the allowance and the misfit added.

        Parameters
        ----------
        value : array, shape (draws,)
            As the shapes have them.
        seed : int
            Same seed, same draws.

        Returns
        -------
        array, shape (draws,)
        """
        rng = np.random.default_rng([seed, value.size])
        moved = np.where(rng.random(value.size) < 0.5, self.misfit, 0.0)
        return value + self.allowance * rng.standard_normal(value.size) + moved

    @property
    def point_noise(self) -> float:
        """Sampling noise of one point, as one number."""
        return float(np.sqrt(np.mean(self.noise.sd**2)))

    def spread(self) -> Spread:
        """Return what the gate looks at."""
        tail = 0.5 * (1 - GATE_LEVEL)
        best = max(s.log_evidence for s in self.posterior.shapes)
        medians = [float(s.end.quantiles([0.5])[0]) for s in self.posterior.kept]
        low, high = (float(v) for v in self.end.quantiles([tail, 1 - tail]))
        ceiling_low, ceiling_high = (float(v) for v in self.ceiling.quantiles([tail, 1 - tail]))
        return Spread(
            end=(low, high),
            ceiling=(ceiling_low, ceiling_high),
            passed=1 - self.log_midpoint.share_above(0.0),
            disagreement=max(medians) - min(medians),
            rise_nats=best - log_flat_evidence(self.pilot, self.settings),
            misfit=self.misfit,
            seen_over_Cmid=float(np.exp(-self.log_midpoint.quantiles([0.5])[0])),
            horizon=self.pilot.horizon,
        )


def form_belief(curve: Curve, noise: PointNoise, budget: float) -> Belief:
    """Return the posterior of a run.

    Parameters
    ----------
    curve : Curve
        The pilot: two points or more.
    noise : PointNoise
        Its sampling noise, from :func:`rlscale.noise.estimate_noise`.
    budget : float
        Planned compute of the whole run, in the unit of the curve; no less than what was seen.

    Returns
    -------
    Belief

    Examples
    --------
    >>> from rlscale.noise import estimate_noise
    >>> curve = Curve(np.arange(1, 11), 0.6 - 0.4 / np.arange(1, 11), unit="gpu_hours")
    >>> belief = form_belief(curve, estimate_noise(curve), budget=20.0)
    >>> belief.pilot.horizon, belief.pilot.at.size, 0.5 < belief.end.expected < 0.7
    (2.0, 10, True)
    """
    seen = float(curve.compute[-1])
    # 12 digits: then the same run in another unit is the same to the last bit, and so is its forecast
    at = np.round(curve.compute / seen, 12)
    horizon = float(np.round(budget / seen, 12))
    means = bin_curve(at, curve.pass_rate, bins=BINS)
    variance = bin_curve(at, noise.sd**2, bins=BINS)
    pilot = Pilot(means.compute, means.pass_rate, np.sqrt(variance.pass_rate / variance.counts), horizon)
    settings = prepare_noise(pilot.at, pilot.sd, horizon)
    window = plan_window(noise.sd, horizon)
    posterior = pool_shapes(pilot, settings, window)
    return Belief(posterior, pilot, settings, window, noise, seen)


def plan_window(sd: Floats, horizon: float) -> Window:
    """Return the last tenth of the planned points, if the run goes on being measured as often as so far.

    Parameters
    ----------
    sd : array, shape (points,)
        Sampling noise of the points seen.
    horizon : float
        Planned compute in units of what was seen.

    Returns
    -------
    Window

    Examples
    --------
    >>> window = plan_window(np.full(10, 0.01), horizon=4.0)
    >>> window.points, window.at
    (4, array([4. , 3.9, 3.8, 3.7]))
    """
    planned = max(1, round(END_SHARE * sd.size * horizon))
    if planned <= WINDOW_PLACES:
        share = END_SHARE * np.arange(planned) / planned
    else:
        share = END_SHARE * (np.arange(WINDOW_PLACES) + 0.5) / WINDOW_PLACES
    late = sd[-max(1, sd.size // 5) :]
    return Window(horizon * (1 - share), float(np.mean(late**2)) / planned, planned)
