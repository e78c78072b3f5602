"""What this project measured on public runs: manifest and replay, joined.

The runs themselves are not here. ``data/public_runs.csv`` says where each lies, and ``rlscale backtest`` on a
folder of clones measures again what stands in ``data/public_backtest.csv``.
"""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import BacktestError
from .peers import PEERS
from .tables import load_table

if TYPE_CHECKING:
    import pandas as pd


def load_own_backtest() -> pd.DataFrame:
    """Return the replay of this project's own runs: ``family`` is ``lab`` or ``simulated``.

    Returns
    -------
    DataFrame
        One row a run and share seen; columns as :func:`load_backtest`, without what the manifest adds.
    """
    rows = load_table("own_backtest")
    rows["family"] = rows["run"].str.split("/").str[0]
    return _with_errors(rows)


def _with_errors(rows: pd.DataFrame) -> pd.DataFrame:
    import numpy as np

    rows["error"] = rows["median"] - rows["end"]
    rows["width"] = rows["hi"] - rows["lo"]
    below, above = rows["lo"] - rows["end"], rows["end"] - rows["hi"]
    rows["outside"] = np.maximum(np.maximum(below, above), 0.0)
    rows["inside"] = rows["outside"] == 0
    return rows


def load_backtest() -> pd.DataFrame:
    """Return the replay of the public runs, in the form that :func:`rlscale.backtest_runs` gives.

    Returns
    -------
    DataFrame
        One row a run and share seen; columns as there, and ``class`` (``rising`` or ``flat``, judged on the
        whole run).

    Examples
    --------
    >>> table = load_backtest()
    >>> sorted(table["class"].unique())
    ['flat', 'rising']
    """
    rows = load_table("public_backtest")
    runs = load_table("public_runs").set_index("id")
    rows["family"] = rows["run"].map(runs["repository"])
    rows["class"] = rows["run"].map(runs["class"])
    rows["points_total"] = rows["run"].map(runs["points"])
    return _with_errors(rows)


#: Columns of a file of rows, and to how many decimals they are rounded.
ROW_COLUMNS: dict[str, int | None] = {
    "run": None,
    "share": 2,
    "points": None,
    "state": None,
    "reasons": None,
    "verdict": None,
    "hindsight": None,
    "median": 4,
    "lo": 4,
    "hi": 4,
    "end": 4,
    "level_now": 4,
    "seen_over_Cmid": 3,
    "break_even": 2,
    "break_even_ls": 2,
    **{f"peer_{name}": 4 for name in PEERS},
}


def write_calibration(path: str | Path) -> None:
    """Measure the calibration on the shipped replay again and write it to ``data/calibration.json``."""
    from .calibration import measure_shipped

    cells = {k: round(v, 4) if isinstance(v, float) else v for k, v in measure_shipped().to_dict().items()}
    del cells["note"], cells["status"]
    Path(path).write_text(json.dumps(cells, indent=2) + "\n", encoding="utf-8")


def write_rows(table: pd.DataFrame, path: str | Path, source: str) -> None:
    """Write a replay as CSV, in the form of ``data/public_backtest.csv``.

    Parameters
    ----------
    table : DataFrame
        From :func:`rlscale.backtest_runs`.
    path : path-like
        The file; replaced as a whole.
    source : str
        The manifest.

    Raises
    ------
    BacktestError
        If the file cannot be written.
    """
    rows = table.reindex(columns=list(ROW_COLUMNS)).copy()
    for column, digits in ROW_COLUMNS.items():
        if digits is not None:
            rows[column] = rows[column].astype(float).round(digits)
    rows.insert(0, "id", [f"{i}" for i in range(1, len(rows) + 1)])
    rows["source"] = "rlscale backtest"
    rows["location"] = Path(source).name
    rows["as_of"] = date.today().isoformat()[:7]
    rows["kind"] = "measured"
    rows["bib_key"] = rows["note"] = ""
    target = Path(path)
    part = target.with_name(target.name + ".part")
    try:
        rows.to_csv(part, index=False, lineterminator="\n", encoding="utf-8")
        part.replace(target)
    except OSError as error:
        raise BacktestError(f"{target}: cannot be written ({error.strerror or error})") from None
