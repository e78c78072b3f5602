"""The paper's grid: it returns what lies on it, and shows why it is not for your runs."""

import numpy as np
import pytest

from rlscale.errors import FitError
from rlscale.fitting import fit_law
from rlscale.law import Sigmoid
from rlscale.scalerl_grid import CEILINGS, CMIDS, fit_scalerl_grid
from rlscale.tables import load_table

WINDOW = np.linspace(1500, 16_000, 25)


def table_1():
    fits = load_table("published_fits")
    rows = fits[fits["id"].str.startswith("t1_")]
    return list(rows[["A", "B", "Cmid_gpu_hours"]].itertuples(index=False, name=None))


def test_the_grid_is_that_of_appendix_a() -> None:
    assert len(CEILINGS) == 71 and CEILINGS[0] == 0.45 and CEILINGS[-1] == 0.8 and 0.645 in CEILINGS
    assert len(CMIDS) == 100 and CMIDS[0] == 100 and CMIDS[-1] == 40_000


@pytest.mark.parametrize("row", [0, 5])
def test_a_law_on_the_grid_comes_back(row: int) -> None:
    """Table 1 with Cmid moved to its nearest node, no noise: all three come back."""
    A, B, Cmid = table_1()[row]
    planted = Sigmoid(0.25, A, B, CMIDS[np.argmin(np.abs(CMIDS - Cmid))])
    fit = fit_scalerl_grid(WINDOW, planted(WINDOW), R0=0.25)
    assert (fit.law.R0, fit.law.A, fit.law.Cmid) == (0.25, A, planted.Cmid)
    assert pytest.approx(B, rel=1e-6) == fit.law.B
    assert fit.status == "ok" and fit.steps == 7100 and fit.rmse < 1e-7


def test_table_1_comes_back_as_near_as_the_nodes_allow() -> None:
    """The printed Cmid do not lie on the printed grid, so Cmid is off by up to half a node and A by one."""
    A, B, Cmid = table_1()[0]
    assert np.abs(CMIDS - Cmid).min() > 10
    fit = fit_scalerl_grid(WINDOW, Sigmoid(0.25, A, B, Cmid)(WINDOW), R0=0.25)
    assert abs(fit.law.A - A) <= 0.005 + 1e-12
    assert abs(fit.law.Cmid - Cmid) <= np.diff(CMIDS)[0] / 2
    assert fit_law(WINDOW, Sigmoid(0.25, A, B, Cmid)(WINDOW)).law.Cmid == pytest.approx(Cmid, rel=1e-5)


def test_edges_of_the_grid_are_reported() -> None:
    compute = np.linspace(500, 16_000, 12)
    fit = fit_scalerl_grid(compute, Sigmoid(0.3, 0.9, 1.5, 2500)(compute), R0=0.3)
    assert fit.at_bounds == ("A=0.8",) and fit.status == "at bounds"


def test_early_points_are_left_out() -> None:
    compute = np.r_[0.0, 200.0, 900.0, WINDOW[:8]]
    rates = Sigmoid(0.25, 0.6, 1.5, CMIDS[5])(compute)
    rates[:3] = 0.9  # nonsense that must not matter
    fit = fit_scalerl_grid(compute, rates, R0=0.25, skip_below=1500)
    assert fit.fitted_points == 8 and fit.points == 11
    assert fit.law.Cmid == CMIDS[5]


def test_bad_input_is_refused() -> None:
    rates = Sigmoid(0.25, 0.6, 1.5, 2500)(WINDOW)
    for R0 in (-0.1, 0.8, np.nan):
        with pytest.raises(FitError, match="R0 is"):
            fit_scalerl_grid(WINDOW, rates, R0=R0)
    with pytest.raises(FitError, match="3 points lie at"):
        fit_scalerl_grid(WINDOW, rates, R0=0.25, skip_below=WINDOW[-3])
