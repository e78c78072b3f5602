"""The slope by model size: planted parameters come back, and the reported points lie on the form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlscale.errors import FitError
from rlscale.size_law import SizeLaw, fit_size_law
from rlscale.tables import load_table


@settings(deadline=None)
@given(st.floats(0.01, 1), st.floats(0.5, 100))
def test_planted_parameters_come_back(Kmax: float, N0: float):
    sizes = np.array([0.5, 2, 7, 32, 72, 200])
    found = fit_size_law(sizes, SizeLaw(Kmax, N0).slope(sizes))
    assert (found.Kmax, found.N0) == (pytest.approx(Kmax, rel=1e-4), pytest.approx(N0, rel=1e-4))


def test_the_reported_slopes_follow_the_form():
    table = load_table("size_slopes")
    law = fit_size_law(table.params_b, table.slope)
    # three digits were read off a figure
    assert np.abs(law.slope(table.params_b) - table.slope).max() < 0.0015
    assert 0.12 < law.Kmax < 0.15


def test_error_falls_by_the_slope():
    law = SizeLaw(0.1, 10)
    assert float(law.error_factor(10, 100)) == pytest.approx(100**-0.05)
    assert float(law.error_factor(10, 1)) == 1


@pytest.mark.parametrize(
    ("sizes", "slopes"),
    [([7], [0.1]), ([7, 7], [0.1, 0.1]), ([1, 2], [0.1]), ([0, 1], [0.1, 0.2]), ([1, 2], [np.nan, 1])],
)
def test_too_little_or_impossible_is_refused(sizes, slopes):
    with pytest.raises(FitError):
        fit_size_law(sizes, slopes)
