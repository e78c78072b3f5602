"""Levenberg–Marquardt in two dimensions, a thousand problems at a time.

A problem is a point (b, m) in a box and a sum of squares there. All problems of a batch take their step
together; each has its own damping, and leaves the batch when it comes to rest. Damping follows the promise
of the model (Marquardt 1963, Fletcher 1971): with a large residual the valley bends more than Gauss and
Newton think, and a rule that eases the damping after every success then hops from wall to wall.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: (rows, b, m) → state of these rows.
Evaluate = Callable[[NDArray[np.int64], Floats, Floats], Floats]

# A state is a table with one column a problem and these rows: where it is, the linear parameters there, the
# sum of squares, and gradient and Hessian of half of it.
B, M, R0, A, SSE, GB, GM, HBB, HBM, HMM = range(10)
STATE_ROWS = 10

STEP_DONE = 1e-11  # in ln B and ln Cmid
FALL_DONE = 1e-13  # promised relative fall of the sum of squares
_TINY = 1e-300


def walk_downhill(
    evaluate: Evaluate, b: Floats, m: Floats, low: Floats, high: Floats, limit: int
) -> tuple[Floats, NDArray[np.int64], NDArray[np.bool_]]:
    """Minimise every problem of a batch from its start.

    Parameters
    ----------
    evaluate : callable
        Takes indices of problems and their (b, m), returns their state, shape (10, problems).
    b, m : array, shape (problems,)
        Where to start, inside the box.
    low, high : array, shape (2,)
        The box.
    limit : int
        Steps at most.

    Returns
    -------
    state : array, shape (10, problems)
        At the lowest point found.
    steps : array of int, shape (problems,)
        Steps taken.
    done : array of bool, shape (problems,)
        Whether the problem came to rest.
    """
    rows = np.arange(b.size)
    state = evaluate(rows, b, m)
    found = state.copy()
    steps = np.full(b.size, limit)
    done = np.zeros(b.size, bool)
    damping = np.full(b.size, 1e-3)
    for taken in range(limit):
        db, dm, expected = _damped_step(state, damping, low, high)
        rest = (np.maximum(np.abs(db), np.abs(dm)) < STEP_DONE) | (expected <= FALL_DONE * state[SSE])
        if rest.any():
            found[:, rows[rest]] = state[:, rest]
            steps[rows[rest]], done[rows[rest]] = taken, True
            keep = ~rest
            if not keep.any():
                return found, steps, done
            rows, state, damping = rows[keep], state[:, keep], damping[keep]
            db, dm, expected = db[keep], dm[keep], expected[keep]
        trial = evaluate(rows, state[B] + db, state[M] + dm)
        better = trial[SSE] < state[SSE]
        kept = (state[SSE] - trial[SSE]) / (2 * expected)
        damping = damping * np.where(better, np.where(kept > 0.75, 0.1, np.where(kept < 0.25, 3.0, 1.0)), 8.0)
        state = trial if better.all() else np.where(better, trial, state)
    found[:, rows] = state
    return found, steps, done


def _damped_step(state: Floats, damping: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the Levenberg–Marquardt step inside the box, and the fall of half the sse it promises."""
    b, m, _, _, _, gb, gm, hbb, hbm, hmm = state
    # a parameter at its bound that wants out stays, and the other moves alone
    stuck_b = ((b <= low[0]) & (gb > 0)) | ((b >= high[0]) & (gb < 0))
    stuck_m = ((m <= low[1]) & (gm > 0)) | ((m >= high[1]) & (gm < 0))
    if stuck_b.any() or stuck_m.any():
        gb, gm = np.where(stuck_b, 0, gb), np.where(stuck_m, 0, gm)
        hbm = np.where(stuck_b | stuck_m, 0, hbm)
    stiff = 1 + damping
    dbb, dmm = hbb * stiff + _TINY, hmm * stiff + _TINY
    det = dbb * dmm - hbm * hbm
    det[det <= 0] = np.inf
    db, dm = (hbm * gm - dmm * gb) / det, (hbm * gb - dbb * gm) / det
    out = (b + db < low[0]) | (b + db > high[0]) | (m + dm < low[1]) | (m + dm > high[1])
    if out.any():
        db, dm = db.copy(), dm.copy()
        rows = (b[out], m[out], gb[out], gm[out], dbb[out], hbm[out], dmm[out])
        db[out], dm[out] = _step_along_box(*rows, db[out], dm[out], low, high)
    fall = -(gb * db + gm * dm) - 0.5 * (hbb * db * db + 2 * hbm * db * dm + hmm * dm * dm)
    return db, dm, fall


def _step_along_box(
    b: Floats,
    m: Floats,
    gb: Floats,
    gm: Floats,
    hbb: Floats,
    hbm: Floats,
    hmm: Floats,
    db: Floats,
    dm: Floats,
    low: Floats,
    high: Floats,
) -> tuple[Floats, Floats]:
    """Best step when the free one leaves the box: one parameter goes to its bound, the other answers."""
    db_1 = np.clip(b + db, low[0], high[0]) - b
    dm_1 = np.clip(m - (gm + hbm * db_1) / hmm, low[1], high[1]) - m
    dm_2 = np.clip(m + dm, low[1], high[1]) - m
    db_2 = np.clip(b - (gb + hbm * dm_2) / hbb, low[0], high[0]) - b

    def model(u: Floats, v: Floats) -> Floats:
        return gb * u + gm * v + 0.5 * (hbb * u * u + hmm * v * v) + hbm * u * v

    first = model(db_1, dm_1) <= model(db_2, dm_2)
    return np.where(first, db_1, db_2), np.where(first, dm_1, dm_2)
