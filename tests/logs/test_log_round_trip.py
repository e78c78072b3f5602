"""Each format: a known curve, written with the format's keys and oddities, is read back exactly."""

from importlib import import_module

import pytest
from log_writers import WRITERS

import rlscale as rs
from rlscale.logs.detect import FORMATS


@pytest.mark.parametrize("name", WRITERS)
def test_a_known_curve_comes_back_exactly(name, tmp_path):
    written = WRITERS[name](tmp_path)
    run = rs.read_run(written.path, written.run)
    curve = run.curve(y=written.ask)
    assert curve.y_key == written.y_key
    assert curve.compute.tolist() == written.x
    assert curve.pass_rate.tolist() == written.y
    assert curve.unit == written.unit
    assert curve.kind == written.kind
    assert curve.format
    assert curve.why


def test_every_format_has_a_writer(tmp_path):
    found = set()
    for name, write in WRITERS.items():
        (tmp_path / name).mkdir()
        written = write(tmp_path / name)
        found.add(rs.read_run(written.path, written.run).format)
    known = {import_module(f"rlscale.logs.formats.{name}").NAME for name in FORMATS}
    assert known - found == set()
