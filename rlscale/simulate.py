"""A run drawn from a known law, with the two kinds of noise that real evaluations show.

Points of a real run scatter for two reasons: each evaluation samples a finite number of answers (binomial),
and the policy itself wanders round its trend, so that neighbouring points err the same way (drift, here an
Ornstein–Uhlenbeck process). Intervals that know of the first kind alone are too narrow.

What comes out is *illustrative*: it shows what a method does when the truth is known, and is no measurement.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .curve import Curve
from .errors import CurveError
from .law import Law


def simulate_curve(
    law: Law,
    compute: ArrayLike,
    *,
    unit: str,
    seed: int,
    n: int = 1000,
    k: int = 16,
    drift: float = 0.006,
    drift_length: float | None = None,
    kind: str = "heldout_pass_rate",
    run: str = "simulated",
) -> Curve:
    """Draw a run from a law.

    Parameters
    ----------
    law : Law
        The truth; its ``Cmid`` is in ``unit``.
    compute : array_like, shape (points,)
        Where the run is evaluated, strictly increasing, 0 or more.
    unit : str
        One of :data:`rlscale.UNITS`.
    seed : int
        Same seed, same run.
    n, k : int
        Problems of an evaluation and samples a problem, 1 or more: the binomial part has the standard
        deviation √(R(1−R)/(n·k)), an upper bound when the problems are the same each time.
    drift : float
        Standard deviation of the drift, 0 or more, in pass rate.
    drift_length : float, optional
        Compute over which the drift forgets itself; 3 % of the largest compute when not given.
    kind : str
        What the pass rate is; see :data:`rlscale.KINDS`.
    run : str
        Name of the run.

    Returns
    -------
    Curve
        With ``format="simulated"``. Pass rates are shares of ``n·k``, so they lie on that grid, in [0, 1].

    Raises
    ------
    CurveError
        If a number is out of range, or the compute cannot be that of a curve.

    Examples
    --------
    >>> from rlscale import Sigmoid
    >>> curve = simulate_curve(Sigmoid(0.2, 0.6, 1.5, 100), [0, 100, 400], unit="rollout_steps", seed=0)
    >>> len(curve), curve.unit, bool(abs(curve.pass_rate[1] - 0.4) < 0.05)
    (3, 'rollout_steps', True)
    """
    for name, value in (("n", n), ("k", k)):
        if value < 1 or value != int(value):
            raise CurveError(f"{name} of a simulated run is {value!r}; give a whole number of 1 or more")
    if not (np.isfinite(drift) and drift >= 0):
        raise CurveError(f"drift of a simulated run is {drift!r}; give a standard deviation of 0 or more")
    places = np.asarray(compute, np.float64)
    c = Curve(places, np.zeros(places.shape), unit=unit, kind=kind).compute  # refuses what is no compute
    truth = np.asarray(law(c))
    length = 0.03 * float(c.max(initial=0.0)) if drift_length is None else drift_length
    if drift > 0 and not (np.isfinite(length) and length > 0):
        raise CurveError(f"drift_length of a simulated run is {length!r}; give a compute above 0")
    rng = np.random.default_rng(seed)
    wander = np.zeros_like(c)
    if drift > 0 and c.size:
        wander[0] = drift * rng.standard_normal()
        for i in range(1, c.size):
            keep = np.exp(-(c[i] - c[i - 1]) / length)
            wander[i] = keep * wander[i - 1] + drift * np.sqrt(1 - keep**2) * rng.standard_normal()
    solved = rng.binomial(n * k, np.clip(truth + wander, 0, 1))
    return Curve(
        c,
        solved / (n * k),
        unit=unit,
        kind=kind,
        n=n,
        k=k,
        run=run,
        format="simulated",
        x_key=unit,
        y_key=f"pass rate, mean@{k}",
        why="drawn from a known law",
    )
