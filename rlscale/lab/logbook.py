"""The log of a laboratory run in our own format: one header, then one row an evaluation, as JSON lines.

``{"rlscale_lab": 1, "settings": {...}, ...}`` then ``{"rollout_step": 0, "updates": 0, "completions": 0,
...}``. Training columns of a row are means since the row before and empty in the first; held-out columns are
the state at the row.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

from ..curve import Curve
from ..errors import LogError
from .settings import LabSettings

#: Version of the format.
VERSION = 1


@dataclass(frozen=True)
class Row:
    """One row of the log.

    Attributes
    ----------
    rollout_step, updates, completions, generated_tokens, trained_tokens : int
        Cumulative. Discarded answers count as completions and generated tokens.
    cpu_seconds : float
        Processor time since the end of the warm start; the only column that differs between two runs of one
        seed.
    heldout_pass_rate, pass_at_8, pass_at_64 : float
        Exact, at temperature 1, over the held-out prompts.
    greedy, dead : float
        Share of prompts right at temperature 0, and with a pass rate below .001.
    zero_variance_expected : float
        Mean p^G + (1 - p)^G over the held-out prompts.
    entropy, kl : float
        Nats a token along the right answers: of the policy, and from the policy to its warm start.
    train_pass_rate, train_reward, zero_variance : float or None
        Over all groups sampled since the row before: right answers, reward (with noise or partial credit),
        groups without spread.
    clip_fraction, largest_ratio : float or None
        Mean share of clipped tokens and the largest ratio of trained to sampling policy since the row before.
    """

    rollout_step: int
    updates: int
    completions: int
    generated_tokens: int
    trained_tokens: int
    cpu_seconds: float
    heldout_pass_rate: float
    pass_at_8: float
    pass_at_64: float
    greedy: float
    dead: float
    zero_variance_expected: float
    entropy: float
    kl: float
    train_pass_rate: float | None
    train_reward: float | None
    zero_variance: float | None
    clip_fraction: float | None
    largest_ratio: float | None


@dataclass(frozen=True)
class Step:
    """What one rollout step sampled and updated; sums, not means, so that steps can be added up.

    Attributes
    ----------
    rollout_step, updates_total : int
        Number of this step, from 1, and updates made up to its end.
    updates, completions, generated_tokens, groups : int
        Of this step, discarded groups included.
    right, reward : float
        Right answers, and the sum of their rewards (with noise or partial credit).
    equal_groups, all_good_groups, all_bad_groups : int
        Groups whose rewards are all equal, whose answers are all right, all wrong.
    clipped, largest_ratio : float
        Sum over updates of the share of clipped tokens; largest ratio of trained to sampling policy.
    """

    rollout_step: int
    updates_total: int
    updates: int
    completions: int
    generated_tokens: int
    groups: int
    right: float
    reward: float
    equal_groups: int
    all_good_groups: int
    all_bad_groups: int
    clipped: float
    largest_ratio: float


def summarise_steps(steps: Sequence[Step]) -> dict[str, Any]:
    """Return the training columns of a row over these steps; None where nothing was sampled or updated."""
    answers = sum(s.completions for s in steps)
    updates = sum(s.updates for s in steps)
    return {
        "train_pass_rate": sum(s.right for s in steps) / answers if answers else None,
        "train_reward": sum(s.reward for s in steps) / answers if answers else None,
        "zero_variance": sum(s.equal_groups for s in steps) / sum(s.groups for s in steps)
        if answers
        else None,
        "clip_fraction": sum(s.clipped for s in steps) / updates if updates else None,
        "largest_ratio": max(s.largest_ratio for s in steps) if updates else None,
    }


COLUMNS: tuple[str, ...] = tuple(f.name for f in fields(Row))

#: Columns that may be the x axis, with their unit.
UNITS_OF: dict[str, str] = {
    "completions": "completions",
    "rollout_step": "rollout_steps",
    "updates": "updates",
    "generated_tokens": "generated_tokens",
    "trained_tokens": "trained_tokens",
}


@dataclass(frozen=True, eq=False)
class LabRun:
    """A finished or running laboratory run.

    Attributes
    ----------
    settings : LabSettings
        All knobs.
    rows : tuple of Row
        The log.
    facts : dict
        Warm start, parameters, what was evaluated, version of Torch.
    steps : tuple of Step
        One entry a rollout step while the run is in memory; our own log keeps the rows only.
    """

    settings: LabSettings
    rows: tuple[Row, ...]
    facts: dict[str, Any]
    steps: tuple[Step, ...] = ()

    def table(self) -> pd.DataFrame:
        """Return the rows as a table."""
        return pd.DataFrame([asdict(r) for r in self.rows], columns=list(COLUMNS)).astype(float)

    def curve(self, x: str = "completions", *, name: str = "") -> Curve:
        """Return exact held-out pass rate against ``x``.

        Raises
        ------
        LogError
            If ``x`` is no column of compute.
        """
        return curve_of(self.table(), x, n=int(self.facts["heldout_prompts"]), name=name)

    def write(self, path: Path) -> None:
        """Write the log in our own format, whole or not at all."""
        header = {"rlscale_lab": VERSION, "settings": self.settings.changed(), "facts": self.facts}
        lines = [json.dumps(header)] + [json.dumps(_round(asdict(r))) for r in self.rows]
        write_whole(path, ("\n".join(lines) + "\n").encode())


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: a run that is stopped leaves no half of a log behind."""
    half = path.with_suffix(path.suffix + ".part")
    half.write_bytes(content)
    half.replace(path)


def make_folder(path: Path) -> None:
    """Make a folder, with its parents, before anything is trained for it.

    Raises
    ------
    LogError
        If it cannot be made or written into.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LogError(f"{path} cannot be used as a folder: {error.strerror}; choose another one") from None
    if not os.access(path, os.W_OK):
        raise LogError(f"{path} cannot be written into; choose another folder")


def read_lab_run(path: Path) -> LabRun:
    """Read a log in our own format.

    Raises
    ------
    LogError
        If the file is not one, with the line at fault.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LogError(f"{path} cannot be read: {error}") from None
    if not lines:
        raise LogError(f"{path} is empty; a laboratory log begins with a header")
    records = []
    for number, line in enumerate(lines, 1):
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError as error:
            raise LogError(
                f"{path}, line {number}: no JSON ({error.msg}); the log was cut off or is of another kind"
            ) from None
    header, *rows = records
    whole = isinstance(header, dict) and all(isinstance(header.get(k), dict) for k in ("settings", "facts"))
    if not whole or header.get("rlscale_lab") != VERSION:
        raise LogError(
            f"{path}, line 1: no header of a laboratory log of version {VERSION}; try `rlscale inspect` on it"
        )
    for number, row in enumerate(rows, 2):
        if not isinstance(row, dict) or set(row) != set(COLUMNS):
            raise LogError(
                f"{path}, line {number}: not the columns of a laboratory log; the file was edited or cut off"
            )
    return LabRun(
        LabSettings.from_dict(header["settings"]), tuple(Row(**r) for r in rows), dict(header["facts"])
    )


def curve_of(table: pd.DataFrame, x: str = "completions", *, n: int | None = None, name: str = "") -> Curve:
    """Return exact held-out pass rate against column ``x`` of a run's table."""
    if x not in UNITS_OF:
        raise LogError(f"{x!r} is no column of compute; choose one of: {', '.join(UNITS_OF)}")
    table = table.drop_duplicates(x)  # a step whose groups were all filtered makes no update
    return Curve(
        table[x].to_numpy(float),
        table["heldout_pass_rate"].to_numpy(float),
        unit=UNITS_OF[x],
        n=n,
        run=name,
        x_key=x,
        y_key="heldout_pass_rate",
        format="rlscale-lab",
        why="exact pass rate on held-out prompts",
    )


def _round(row: dict[str, Any]) -> dict[str, Any]:
    """Seven significant digits: what single precision holds."""
    return {k: float(f"{v:.7g}") if isinstance(v, float) else v for k, v in row.items()}
