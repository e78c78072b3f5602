"""Logs with one row a sample: what share of the samples got the full reward is then exact, not guessed.

When every single reward is 0 or 1, their mean is the pass rate; when every one is −1 or 1, (mean + 1) / 2 is.
Any other reward is left as it is.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...curve import LogWarning
from ..raw import RawRun

_NOT_REWARD = frozenset(("step", "advantage", "advantages", "timestamp", "index", "epoch", "id"))


def exact_shares(raw: RawRun, heldout: bool = False) -> None:
    """Add ``<reward>=1`` columns for the rewards whose single values are 0 or 1, or −1 or 1; say so.

    Parameters
    ----------
    raw : RawRun
        One row a sample; changed in place.
    heldout : bool
        Whether the samples are of held-out problems.
    """
    numbers = raw.columns.numbers
    for key in [str(k) for k in numbers.columns]:
        if key in _NOT_REWARD:
            continue
        values = numbers[key].to_numpy()
        known = set(np.unique(values[np.isfinite(values)]).tolist()) if len(values) else set()
        if not known or not (known <= {0.0, 1.0} or known <= {-1.0, 1.0}):
            continue
        share = f"{key}=1"
        raw.columns.numbers = pd.concat(
            [
                raw.columns.numbers,
                pd.Series(np.where(np.isfinite(values), values == 1.0, np.nan), name=share),
            ],
            axis=1,
        )
        raw.kinds[share] = {
            "kind": "heldout_pass_rate" if heldout else "train_pass_rate",
            "heldout": heldout,
            "rank": 0,
        }
        scale = "0 or 1" if known <= {0.0, 1.0} else "−1 or 1"
        raw.warnings.append(
            LogWarning(
                "exact-share",
                f"{key}: every single value is {scale}, so {share!r} is exactly the share with 1.",
            )
        )
