"""Changes single cells of the tables and looks whether the book notices: the build stops, or the text moves.

A mutated copy of package and tables is executed in its own kernel. For each chapter the outcome is one of

stopped   a cell fails, so nobody can publish the page;
moved     results differ, and every number of the text is glued, asserted or shown by the new results;
stale     results differ and a number of the text stayed behind: the fault that this is about;
same      the chapter does not depend on the cell.

``python tests/mutation.py --sample 20 --seed 1`` tries cells at random in all chapters; it needs built pages
and takes about a minute a cell. CI tries a few cells of each kind (test_mutation.py).
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from number_scan import Bare, find_loose
from test_numbers import held, read_notebook

from rlscale.errors import BookError
from rlscale.notebook import execute_notebook, read_source
from rlscale.schema_list import TABLES

ROOT = Path(__file__).resolve().parent.parent
#: Change of a cell.
FACTOR = 1.1


@dataclass(frozen=True)
class Cell:
    """One number of a table, by the line on which it stands (the header is line 1)."""

    table: str
    line: int
    column: str

    def __str__(self) -> str:
        return f"data/{self.table}.csv, line {self.line}, {self.column}"


@dataclass(frozen=True)
class Outcome:
    """What became of a chapter; ``why`` is the message, or the numbers that stayed behind."""

    chapter: str
    kind: str
    why: str = ""


def list_cells(names: Sequence[str] = ()) -> list[Cell]:
    """All cells that hold a number, of all tables or of some."""
    found = []
    for name in names or sorted(TABLES):
        path = ROOT / "data" / f"{name}.csv"
        columns = [c.name for c in TABLES[name].columns if c.type != "text"]
        with path.open(encoding="utf-8", newline="") as handle:
            for line, row in enumerate(csv.DictReader(handle), 2):
                found += [Cell(name, line, c) for c in columns if row.get(c)]
    return found


def mutate(text: str, cell: Cell, factor: float = FACTOR) -> str:
    """The text of a table with one cell changed; a count stays a whole number."""
    rows = list(csv.DictReader(io.StringIO(text)))
    old = rows[cell.line - 2][cell.column]
    value = float(old) * factor
    rows[cell.line - 2][cell.column] = (
        f"{round(value)}" if float(old).is_integer() and value > 9 else f"{value:.6g}"
    )
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


@contextmanager
def mutated_copy(cell: Cell | None) -> Iterator[Path]:
    """A copy of package and tables with the cell changed, which kernels started inside use."""
    with tempfile.TemporaryDirectory(prefix="rlscale-") as folder:
        copy = Path(folder)
        shutil.copytree(ROOT / "rlscale", copy / "rlscale", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "data", copy / "data")
        if cell is not None:
            path = copy / "data" / f"{cell.table}.csv"
            path.write_text(mutate(path.read_text(encoding="utf-8"), cell), encoding="utf-8")
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = str(copy)
        try:
            yield copy
        finally:
            if before is None:
                del os.environ["PYTHONPATH"]
            else:
                os.environ["PYTHONPATH"] = before


def _results(notebook: Any) -> list[str]:
    """What readers see of the results, and the numbers glued into the text."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            found.append(output.get("text") or "".join(str(data[key]) for key in sorted(data)))
    return found


def try_chapter(chapter: str, document: str, executed: Any | None, error: str = "") -> Outcome:
    """Judge one chapter that was executed with a changed table."""
    if executed is None:
        return Outcome(chapter, "stopped", error)
    committed = read_notebook(chapter)
    if _results(executed) == _results(committed):
        return Outcome(chapter, "same")
    loose_before = {number.text for number in find_loose(chapter, document, committed)}
    left: list[Bare] = [
        n for n in find_loose(chapter, document, executed) if n.text not in loose_before and not held(n)
    ]
    if left:
        return Outcome(chapter, "stale", "; ".join(f"{n.text!r} in …{n.context}…" for n in left))
    return Outcome(chapter, "moved")


def try_cell(cell: Cell, chapters: Sequence[str], site: Path) -> list[Outcome]:
    """Execute chapters with one cell changed."""
    outcomes = []
    with mutated_copy(cell):
        for chapter in chapters:
            document = (site / f"{chapter}.html").read_text(encoding="utf-8")
            executed, error = None, ""
            try:
                executed = execute_notebook(
                    read_source(ROOT / "notebooks" / f"{chapter}.py"), name=chapter, quiet=True
                )
            except BookError as failure:
                error = str(failure)
            outcomes.append(try_chapter(chapter, document, executed, error))
    return outcomes


def main() -> int:
    """Try cells at random and print what became of each; status 1 when a text stayed behind."""
    parser = argparse.ArgumentParser(
        description="Change cells of the tables and see whether the book notices."
    )
    parser.add_argument("--sample", type=int, default=10, help="how many cells")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tables", nargs="*", default=[])
    parser.add_argument("--chapters", nargs="*", default=[])
    parser.add_argument("--site", type=Path, default=ROOT / "_build" / "html")
    args = parser.parse_args()
    chapters = args.chapters or sorted(p.stem for p in (ROOT / "notebooks").glob("[0-9][0-9]-*.py"))
    cells = list_cells(args.tables)
    stale = 0
    for cell in random.Random(args.seed).sample(cells, min(args.sample, len(cells))):
        outcomes = [o for o in try_cell(cell, chapters, args.site) if o.kind != "same"]
        print(f"{cell}: " + (", ".join(f"{o.chapter} {o.kind}" for o in outcomes) or "no chapter shows it"))
        for outcome in outcomes:
            if outcome.kind == "stale":
                stale += 1
                print(f"  {outcome.chapter}: {outcome.why}")
        sys.stdout.flush()
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
