"""The runs that come with the book: read, select, turn into curves. Needs no PyTorch."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..curve import Curve
from ..errors import TableError, suggest_names
from .arms import Arm
from .logbook import COLUMNS, LabRun, Row, curve_of
from .settings import LabSettings

RUNS_FILE = "runs.csv.gz"
SETTINGS_FILE = "settings.csv"
DEFAULTS_FILE = "defaults.json"
_OWN = ("arm", "seed", "settings")
_COUNTS = ("rollout_step", "updates", "completions", "generated_tokens", "trained_tokens")


def find_shipped_folder() -> Path:
    """Return the folder of the shipped runs: ``data/lab`` of a checkout, or the copy in the package."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package.parent / "data" / "lab", package / "_data" / "lab"):
        if (folder / RUNS_FILE).exists():
            return folder
    raise TableError(
        f"the laboratory's runs ({RUNS_FILE}) are neither in data/lab of a checkout nor in the package; "
        "reinstall rlscale, or train them: rlscale lab sweep"
    )


@dataclass(frozen=True, eq=False)
class ShippedRuns:
    """All runs of a folder such as ``data/lab``.

    Attributes
    ----------
    rows : DataFrame
        Columns ``arm``, ``seed`` and those of :class:`rlscale.lab.logbook.Row`.
    index : DataFrame
        One row a run: ``arm``, ``seed``, ``settings`` (those that differ from the defaults, as JSON) and
        facts.
    """

    rows: pd.DataFrame
    index: pd.DataFrame

    @functools.cached_property
    def arms(self) -> tuple[str, ...]:
        """Names of the arms that have a run."""
        return tuple(dict.fromkeys(self.index["arm"]))

    @functools.cached_property
    def _by_run(self) -> dict[tuple[str, int], pd.DataFrame]:
        groups: Any = self.rows.groupby(["arm", "seed"], sort=False)
        return {(str(a), int(s)): part for (a, s), part in groups}

    @functools.cached_property
    def _facts(self) -> dict[tuple[str, int], dict[str, Any]]:
        records: Any = self.index.to_dict("records")
        return {(r["arm"], int(r["seed"])): r for r in records}

    def seeds(self, arm: str) -> tuple[int, ...]:
        """Return the seeds that an arm was trained with."""
        found = tuple(sorted(s for a, s in self._by_run if a == arm))
        if not found:
            raise TableError(f"no run of arm {arm!r} is shipped; {suggest_names(arm, self.arms)}")
        return found

    def table(self, arm: str, seed: int) -> pd.DataFrame:
        """Return the log of one run.

        Raises
        ------
        TableError
            If there is no such run.
        """
        if (arm, seed) not in self._by_run:
            known = ", ".join(str(s) for s in self.seeds(arm))
            raise TableError(f"arm {arm!r} has no seed {seed}; there are: {known}")
        return self._by_run[arm, seed].drop(columns=["arm", "seed"]).reset_index(drop=True)

    def curve(self, arm: str, seed: int, x: str = "completions") -> Curve:
        """Return exact held-out pass rate against ``x`` of one run."""
        table = self.table(arm, seed)
        prompts = int(self._facts[arm, seed]["heldout_prompts"])
        return curve_of(table, x, n=prompts, name=f"{arm}/seed-{seed}")

    def curves(self, x: str = "completions") -> dict[str, Curve]:
        """Return all curves by ``arm/seed-n``: what a backtest replays."""
        return {f"{a}/seed-{s}": self.curve(a, s, x) for a, s in self._by_run}

    def settings(self, arm: str, seed: int) -> LabSettings:
        """Return the settings that a run was trained with."""
        self.table(arm, seed)
        text = self._facts[arm, seed]["settings"]
        try:
            values = json.loads(text)
        except (TypeError, json.JSONDecodeError):
            raise TableError(
                f"{SETTINGS_FILE}: the settings of {arm} seed {seed} are no JSON: {text!r}"
            ) from None
        return LabSettings.from_dict(values)

    def holds(self, arm: Arm, seed: int) -> bool:
        """Whether this run is here, and was trained with the settings that the arm has today."""
        return (arm.name, seed) in self._by_run and self.settings(arm.name, seed) == arm.settings(seed)

    def run(self, arm: str, seed: int) -> LabRun:
        """Return one run as the trainer made it (numbers rounded to six decimals)."""
        records = (
            self.table(arm, seed).astype(object).where(self.table(arm, seed).notna(), None).to_dict("records")
        )
        rows = tuple(Row(**{c: int(r[c]) if c in _COUNTS else r[c] for c in COLUMNS}) for r in records)
        facts = {k: v for k, v in self._facts[arm, seed].items() if k not in _OWN}
        return LabRun(self.settings(arm, seed), rows, facts)


def read_shipped_runs(folder: Path | None = None) -> ShippedRuns:
    """Read the shipped runs.

    Parameters
    ----------
    folder : Path, optional
        Default: :func:`find_shipped_folder`.

    Raises
    ------
    TableError
        If a file is missing or does not hold the promised columns.
    """
    where = find_shipped_folder() if folder is None else Path(folder)
    rows = _read_table(where / RUNS_FILE, ("arm", "seed", *COLUMNS))
    index = _read_table(where / SETTINGS_FILE, (*_OWN, "heldout_prompts"))
    return ShippedRuns(rows, index)


def _read_table(path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    try:
        table = pd.read_csv(path)
    except (OSError, ValueError, EOFError) as error:
        raise TableError(f"{path} cannot be read as a table: {error}") from None
    missing = [c for c in columns if c not in table.columns]
    if missing:
        raise TableError(
            f"{path} lacks the columns {', '.join(missing)}; it is not a table of laboratory runs"
        )
    return table
