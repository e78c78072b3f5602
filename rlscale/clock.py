"""GPU-hours of a finished run: all GPUs times all of the clock, and the ways in which they are misread.

Step timers leave out validation and checkpoints, "200 GPU-hours" is sometimes 200 hours on each of 8 GPUs,
and the same number of steps can cost twice as much on another number of GPUs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .errors import CostError


def count_gpu_hours(
    gpus: float, step_seconds: ArrayLike, steps: float, *, other_seconds: float = 0.0
) -> float:
    """Return the GPU-hours of a run from its own step times: GPUs times wall time, all of it.

    Parameters
    ----------
    gpus : float
        All GPUs, generators and trainers together.
    step_seconds : float or array_like
        Seconds of a step; a mean, or one entry a step.
    steps : float
        Steps, when ``step_seconds`` is a mean.
    other_seconds : float
        Wall time outside the step timer: validation, checkpoints, start-up. Many timers leave it out.

    Returns
    -------
    float
        GPU-hours.

    Examples
    --------
    Ten steps of 100 s and one validation of 300 s on 8 GPUs; the step timer alone would say 2.22.

    >>> round(count_gpu_hours(8, 100, 10, other_seconds=300), 2)
    2.89
    """
    seconds = np.asarray(step_seconds, np.float64)
    wall = float(seconds.sum()) if seconds.ndim else float(seconds) * steps
    values = (gpus, wall, other_seconds)
    if not all(np.isfinite(v) and v >= 0 for v in values):
        raise CostError(
            f"GPUs {gpus}, step time {wall} s and other time {other_seconds} s must be finite and 0 or more"
        )
    return gpus * (wall + other_seconds) / 3600


def check_gpu_hours(gpu_hours: float, gpus: float, hours: float) -> float:
    """Return the GPU-hours of a row that states them twice, or refuse it.

    Parameters
    ----------
    gpu_hours : float
        Total that the row states.
    gpus, hours : float
        GPUs and wall hours of the same row.

    Returns
    -------
    float
        ``gpu_hours``, when it is GPUs times hours within 5 %.

    Raises
    ------
    CostError
        If it is not: "200 GPU-hours" is often 200 hours on each GPU.

    Examples
    --------
    >>> check_gpu_hours(200, 8, 25)
    200
    """
    total = gpus * hours
    if not (np.isfinite(total) and np.isfinite(gpu_hours) and abs(gpu_hours - total) <= 0.05 * total):
        hint = (
            " (the stated number is the hours of one GPU)" if np.isclose(gpu_hours, hours, rtol=0.05) else ""
        )
        raise CostError(
            f"{gpu_hours:g} GPU-hours are stated, but {gpus:g} GPUs for {hours:g} hours are {total:g}{hint}; "
            "give the total of all GPUs"
        )
    return gpu_hours
