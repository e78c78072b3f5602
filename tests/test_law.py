"""The law: its parameters, its ends, its inverse and its slope, for each shape."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlscale.errors import CurveError
from rlscale.law import LOG_NOTHING, SHAPES, Law, Power, Sigmoid, Weibull

pytestmark = pytest.mark.filterwarnings("error")  # no overflow may be hidden

shapes = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
STEEPNESSES = (0.05, 0.2, 0.7, 1.0, 1.5, 8.0, 50.0)

parameters = st.tuples(
    st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(0.2, 8.0), st.floats(1e-6, 1e21)
).map(lambda p: (min(p[:2]), max(p[:2]), p[2], p[3]))


def make(shape: type[Law], values: tuple[float, float, float, float]) -> Law:
    return shape(*values)


@shapes
@pytest.mark.parametrize("B", STEEPNESSES)
def test_cmid_is_half_of_the_gain_for_every_shape(shape: type[Law], B: float) -> None:
    law = shape(0.2, 0.6, B, 1234.5)
    assert law(1234.5) == pytest.approx(0.4, abs=1e-15)
    assert law.compute_for(0.4) == pytest.approx(1234.5, rel=1e-12 / min(B, 1))


def test_values_by_hand() -> None:
    assert Sigmoid(0.2, 0.6, 2.0, 100)(300) == pytest.approx(0.2 + 0.4 * 0.9, abs=1e-15)
    assert Weibull(0.2, 0.6, 2.0, 100)(200) == pytest.approx(0.2 + 0.4 * (1 - 2.0**-4), abs=1e-15)
    # c = 100/(2² − 1), so C = 800 is 24 c, and (1 + 24)^(−1/2) = 1/5
    assert Power(0.2, 0.6, 0.5, 100)(800) == pytest.approx(0.2 + 0.4 * 0.8, abs=1e-15)


@shapes
@pytest.mark.parametrize("B", STEEPNESSES)
def test_ends_are_exact_and_nothing_overflows(shape: type[Law], B: float) -> None:
    law = shape(0.2, 0.7, B, 1000.0)
    compute = np.array([0.0, 5e-324, 1e-300, 1e-5, 1.0, 1e3, 1e6, 1e300, math.inf])
    rates = law(compute)
    assert rates[0] == 0.2
    assert rates[-1] == pytest.approx(0.7, abs=1e-15)
    assert (np.diff(rates) >= 0).all()
    assert (rates >= 0.2).all() and (rates <= 0.7 + 1e-15).all()
    slopes = law.slope(compute)
    assert not np.isnan(slopes).any() and (slopes >= 0).all()
    assert slopes[-1] == 0.0


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        (Sigmoid(0.2, 0.6, 0.9, 10), math.inf),
        (Sigmoid(0.2, 0.6, 1.0, 10), 0.04),
        (Sigmoid(0.2, 0.6, 1.1, 10), 0.0),
        (Weibull(0.2, 0.6, 0.9, 10), math.inf),
        (Weibull(0.2, 0.6, 1.0, 10), 0.04 * math.log(2)),
        (Weibull(0.2, 0.6, 1.1, 10), 0.0),
        (Power(0.2, 0.6, 1.0, 10), 0.04),
        (Power(0.2, 0.6, 0.5, 10), 0.4 * 0.5 * 3 / 10),
        (Sigmoid(0.3, 0.3, 0.5, 10), 0.0),  # no gain has no slope, not 0 times inf
    ],
)
def test_slope_at_no_compute(law: Law, expected: float) -> None:
    assert law.slope(0.0) == pytest.approx(expected, rel=1e-12)


@shapes
@pytest.mark.parametrize("B", STEEPNESSES)
def test_slope_is_the_derivative(shape: type[Law], B: float) -> None:
    law = shape(0.1, 0.9, B, 50.0)
    compute = 50.0 * np.array([0.02, 0.3, 0.9, 1.0, 1.2, 4.0])
    h = 1e-5 * compute
    numeric = (law(compute + h) - law(compute - h)) / (2 * h)
    # central differences: h² of truncation, times up to B³ for the steepest, and 1e-16/h of rounding
    np.testing.assert_allclose(law.slope(compute), numeric, rtol=1e-6, atol=1e-12)


@shapes
@pytest.mark.parametrize("B", STEEPNESSES)
def test_partials_are_the_derivatives(shape: type[Law], B: float) -> None:
    x = np.log([0.001, 0.1, 0.9, 1.7, 30.0])
    h = 1e-6
    share, by_b, by_m = shape.partials(x, B)
    np.testing.assert_allclose(share, shape.share(x, B), rtol=1e-13)
    numeric_b = (shape.share(x, B * math.exp(h)) - shape.share(x, B * math.exp(-h))) / (2 * h)
    numeric_m = (shape.share(x - h, B) - shape.share(x + h, B)) / (2 * h)
    np.testing.assert_allclose(by_b, numeric_b, atol=2e-8)  # rounding 1e-16 over h
    np.testing.assert_allclose(by_m, numeric_m, atol=2e-7)  # and h² · B³ for B = 50


@shapes
def test_partials_at_no_compute_vanish(shape: type[Law]) -> None:
    for B in (0.2, 1.0, 8.0):
        parts = shape.partials(np.array([LOG_NOTHING]), B)
        assert all(abs(float(part[0])) < 1e-50 for part in parts)


@shapes
def test_fraction_broadcasts(shape: type[Law]) -> None:
    compute = np.linspace(0, 4000, 7)
    B, Cmid = np.array([0.5, 1.0, 2.0])[:, None], np.array([100.0, 1e3, 1e4])[:, None]
    table = shape.fraction(compute, B, Cmid)
    assert table.shape == (3, 7)
    for row, b, c in zip(table, B[:, 0], Cmid[:, 0], strict=True):
        np.testing.assert_allclose(0.2 + 0.5 * row, shape(0.2, 0.7, b, c)(compute), atol=1e-15)


@shapes
def test_one_number_gives_a_float_and_many_give_an_array(shape: type[Law]) -> None:
    law = shape(0.2, 0.6, 1.5, 10)
    for method in (law, law.gain, law.slope):
        assert type(method(3)) is float
        assert method([3, 4]).shape == (2,)
        assert method(3) == method([3])[0]
    assert type(law.compute_for(0.5)) is float
    assert law.gain(7) == pytest.approx(law(7) - 0.2, abs=1e-15)


@shapes
def test_what_is_never_reached_takes_forever(shape: type[Law]) -> None:
    law = shape(0.2, 0.6, 1.5, 10)
    assert law.compute_for([0.6, 0.7, 1.0]).tolist() == [math.inf] * 3
    assert law.compute_for([0.2, 0.1, -1.0]).tolist() == [0.0] * 3
    flat = shape(0.3, 0.3, 1.0, 10)
    assert flat.compute_for([0.2, 0.3, 0.31]).tolist() == [0.0, 0.0, math.inf]
    assert flat(1e9) == 0.3


@shapes
@given(values=parameters, ratios=st.lists(st.floats(0.0, 1e12), min_size=2, max_size=20))
def test_rises_between_start_and_ceiling(shape: type[Law], values, ratios) -> None:
    law = make(shape, values)
    rates = law(np.sort(ratios) * law.Cmid)
    assert (np.diff(rates) >= -1e-15).all()
    assert rates.min() >= law.R0 and rates.max() <= law.A + 1e-15


@shapes
@given(values=parameters, share=st.floats(0.001, 0.999))
def test_compute_for_inverts_the_law(shape: type[Law], values, share: float) -> None:
    law = make(shape, values)
    wanted = law.R0 + share * (law.A - law.R0)
    compute = law.compute_for(wanted)
    if law.R0 < wanted < law.A:
        assert 0 < compute < math.inf
        assert law(compute) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((0.6, 0.2, 1, 10), "0 ≤ R0 ≤ A ≤ 1"),
        ((-0.1, 0.2, 1, 10), "0 ≤ R0 ≤ A ≤ 1"),
        ((0.1, 1.2, 1, 10), "0 ≤ R0 ≤ A ≤ 1"),
        ((0.1, 0.2, 0, 10), "B of a law is 0"),
        ((0.1, 0.2, 1, -10), "Cmid of a law is -10"),
        ((math.nan, 0.2, 1, 10), "R0 of a law is nan"),
        ((0.1, 0.2, 1, math.inf), "Cmid of a law is inf"),
        (("x", 0.2, 1, 10), "give one number"),
        (([0.1, 0.2], 0.2, 1, 10), "give one number"),
    ],
)
def test_impossible_parameters_are_refused(values, message: str) -> None:
    with pytest.raises(CurveError, match=message):
        Sigmoid(*values)


@pytest.mark.parametrize("bad", [-1.0, math.nan, [1.0, -2.0], "soon"])
def test_impossible_compute_is_refused(bad) -> None:
    law = Sigmoid(0.2, 0.6, 1.5, 10)
    for method in (law, law.gain, law.slope):
        with pytest.raises(CurveError, match="compute"):
            method(bad)
    with pytest.raises(CurveError, match="pass_rate"):
        law.compute_for(math.nan)


def test_a_law_is_frozen_and_compares_by_value() -> None:
    law = Sigmoid(0.2, 0.6, 1.5, 10)
    assert law == Sigmoid(0.2, 0.6, 1.5, 10.0) and law != Weibull(0.2, 0.6, 1.5, 10)
    assert repr(law) == "Sigmoid(R0=0.2, A=0.6, B=1.5, Cmid=10.0)"
    with pytest.raises(AttributeError):
        law.A = 0.9  # type: ignore[misc]
