"""The chapter on the starting model runs on a reader's counts, messy ones included."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rlscale.latent import sharpen
from rlscale.notebook import execute_notebook, read_source

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = ROOT / "notebooks" / "03-base-model.py"


def outputs(notebook) -> str:
    return "\n".join(
        o.get("text", "")
        for c in notebook.cells
        if c.cell_type == "code"
        for o in c.outputs
        if o.output_type == "stream"
    )


@pytest.mark.slow
def test_it_runs_on_a_messy_table_of_counts(tmp_path):
    """Byte order mark, capitals, spaces, an extra column, unequal numbers of answers."""
    rng = np.random.default_rng(7)
    rows = ["Problem, N_before , c_before,n_after,c_after,note"]
    for i, p in enumerate(rng.beta(0.35, 0.9, 150)):
        n, m = 40 + i % 3, 64
        rows.append(f"task {i}, {n}.0, {rng.binomial(n, p)},{m},{rng.binomial(m, float(sharpen(p, 3, 8)))},")
    path = tmp_path / "counts.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8-sig")
    said = outputs(execute_notebook(read_source(NOTEBOOK), {"counts": str(path)}, name="03", quiet=True))
    assert "150 problems, k up to 40" in said and "decided at the largest k: start ahead" in said
