"""The grid search of the ScaleRL paper, for reproduction only.

Khatri and others (2025, arXiv 2510.13786v1, section 2.1 and appendices A.4–A.7) try A in {0.450, 0.455, …,
0.800} and 100 linearly spaced Cmid in [100, 40000] GPU-hours, fit B alone with SciPy's ``curve_fit`` for
each of the 7,100 pairs, and keep the pair with the least sum of squares. That is here to compare published
numbers with; do not fit your own runs with it. It can return no ceiling outside [0.45, 0.80] and no Cmid
between its nodes, 403 apart, it works in one unit only, takes R0 for known, and needs some thousand times
the compute of :func:`rlscale.fit_law`.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import OptimizeWarning, curve_fit

from .errors import FitError
from .fitting import Fit
from .law import Sigmoid
from .points import MIN_PLACES, prepare_points

Floats = NDArray[np.float64]

#: The grid of appendix A.5: ceilings, and half-way computes in GPU-hours.
CEILINGS: Floats = np.round(np.arange(71) * 0.005 + 0.45, 3)
CMIDS: Floats = np.linspace(100.0, 40_000.0, 100)


def fit_scalerl_grid(compute: ArrayLike, pass_rate: ArrayLike, *, R0: float, skip_below: float = 0.0) -> Fit:
    """Fit a sigmoid as the ScaleRL paper does.

    Parameters
    ----------
    compute : array_like, shape (points,)
        GPU-hours; the grid has meaning in no other unit.
    pass_rate : array_like, shape (points,)
        Pass rate in [0, 1].
    R0 : float
        Pass rate before training. The paper prints no R0 and does not say how it was set, so it must be
        given.
    skip_below : float
        Points with less compute are left out; the paper leaves out some 1,500 GPU-hours.

    Returns
    -------
    Fit
        ``at_bounds`` names each edge of the grid that was hit; ``steps`` counts the calls of ``curve_fit``.

    Raises
    ------
    CurveError, FitError
        As for :func:`rlscale.fit_law`; also if no ceiling of the grid lies above R0.

    Examples
    --------
    >>> compute = np.linspace(2000, 16000, 8)
    >>> law = Sigmoid(R0=0.25, A=0.61, B=1.92, Cmid=CMIDS[6])
    >>> fit = fit_scalerl_grid(compute, law(compute), R0=0.25)
    >>> fit.law.A, round(fit.law.B, 4), round(fit.law.Cmid, 1)
    (0.61, 1.92, 2518.2)
    """
    points = prepare_points(compute, pass_rate, bins=None)
    if not 0 <= R0 < CEILINGS[-1]:
        raise FitError(
            f"R0 is {R0}; the grid of ceilings ends at {CEILINGS[-1]:g}, so give 0 or more and less than that"
        )
    used = points.compute >= max(
        skip_below, np.finfo(float).tiny
    )  # at no compute the curve is R0 for every B
    if np.count_nonzero(used) < MIN_PLACES:
        raise FitError(
            f"{np.count_nonzero(used)} points lie at {skip_below:g} or more; at least {MIN_PLACES} are needed"
        )
    c, y = points.compute[used], points.pass_rate[used]
    best, calls = (np.inf, np.nan, np.nan, np.nan), 0
    with warnings.catch_warnings():
        # a B that does not matter has no covariance, and a wild B overflows: both are nodes that do not win
        warnings.simplefilter("ignore", OptimizeWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        for A in CEILINGS[CEILINGS > R0]:
            for Cmid in CMIDS:
                calls += 1
                ratio = Cmid / c

                def law(_: Floats, B: float, ratio: Floats = ratio, gain: float = A - R0) -> Floats:
                    return np.asarray(R0 + gain / (1 + ratio**B))

                try:
                    (B,), _ = curve_fit(law, c, y, p0=[1.0], check_finite=False)
                except RuntimeError:  # no convergence at this node
                    continue
                sse = float(np.sum((y - law(c, B)) ** 2))
                if B > 0 and sse < best[0]:
                    best = (sse, A, B, Cmid)
    sse, A, B, Cmid = best
    if not np.isfinite(sse):
        raise FitError("no node of the grid gives a rising curve; the pass rate does not rise from R0")
    edges = (("A", A, CEILINGS), ("Cmid", Cmid, CMIDS))
    at_bounds = tuple(f"{name}={value:g}" for name, value, grid in edges if value in (grid[0], grid[-1]))
    return Fit(
        law=Sigmoid(R0, A, B, Cmid),
        sse=sse,
        status="at bounds" if at_bounds else "ok",
        at_bounds=at_bounds,
        points=points.given,
        fitted_points=c.size,
        total_weight=float(c.size),
        seen=points.seen,
        steps=calls,
    )
