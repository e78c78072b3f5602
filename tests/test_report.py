"""The report: one page from one log, whatever the log holds."""

from __future__ import annotations

import argparse
import base64
import os
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import rlscale as rs
from rlscale import report, report_parts
from rlscale.cli import main
from rlscale.commands import report as command
from rlscale.errors import LogError, ReportError
from rlscale.forecast import forecast_run
from rlscale.pieces import say_list, say_sentence, say_table
from rlscale.simulate import simulate_curve

TRUTH = rs.Sigmoid(R0=0.2, A=0.6, B=1.5, Cmid=60)
HOSTILE = "</title><script>alert(1)</script><img src=x onerror=alert(2)>"
KEY = "val/accuracy\"'><svg onload=alert(3)>"


class _Page(HTMLParser):
    """Tags with their attributes, and the text that is seen."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words = ""
        self._unseen = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self._unseen = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._unseen = False

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.words += data


def write_csv(path: Path, curve: rs.Curve, column: str) -> Path:
    column = column.replace('"', '""')
    rows = "\n".join(f"{int(c)},{p:.6f}" for c, p in zip(curve.compute, curve.pass_rate, strict=True))
    path.write_text(f'Step,"{column}"\n{rows}\n', encoding="utf-8")
    return path


def simulated(upto: float, **options) -> rs.Curve:
    return simulate_curve(TRUTH, np.arange(0, upto + 1, 8), unit="rollout_steps", seed=5, **options)


def flat(points: int = 30) -> rs.Curve:
    return simulate_curve(
        rs.Sigmoid(R0=0.3, A=0.3, B=1, Cmid=1), np.arange(points) * 10, unit="rollout_steps", seed=1
    )


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> tuple[Path, str]:
    """The page of a log whose run and column try to break out of the page, with prices."""
    folder = tmp_path_factory.mktemp("hostile")
    log = write_csv(folder / "wandb <b>export.csv", simulated(200), f"{HOSTILE} - {KEY}")
    path = report.write_report(log, folder / "a" / "b", budget=400, price=0.5, value=100.0)
    return path, path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def refused(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("flat")
    log = write_csv(folder / "flat.csv", flat(), "val/accuracy")
    return report.write_report(log, folder / "out", budget=1000).read_text(encoding="utf-8")


def test_page_is_one_file_that_asks_for_nothing(hostile):
    path, page = hostile
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]
    parsed = _Page(page)
    for tag, attributes in parsed.tags:
        assert tag not in {"script", "link", "iframe", "object", "embed", "base", "form", "svg"}
        assert not any(name.startswith("on") for name in attributes)
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            assert attributes.get(name, "data:").startswith(("data:", "#")), (tag, attributes)
    assert not re.search(r"url\(|@import", page)
    policy = next(a["content"] for t, a in parsed.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")


def test_hostile_names_are_shown_as_written_and_do_nothing(hostile):
    _, page = hostile
    words = _Page(page).words
    assert HOSTILE in words and "svg onload=alert(3)" in words
    assert "<script" not in page and "onerror=alert(2)>" not in page and "<svg" not in page


def test_answer_comes_first_and_in_words(hostile):
    _, page = hostile
    words = re.sub(r"\s+", " ", _Page(page[page.index("<main>") :]).words)
    first = words[:400]
    assert re.search(r"Continue|Stop|Cannot tell", first)
    assert "State: " in words[:900]
    assert re.search(
        r"At 400 rollout steps you will measure about 0\.\d{3} \(90 % interval 0\.\d{3} to 0\.\d{3}\)", words
    )


def test_page_holds_figure_money_warnings_and_code(hostile):
    _, page = hostile
    parsed = _Page(page)
    (picture,) = [a for t, a in parsed.tags if t == "img"]
    png = base64.b64decode(picture["src"].removeprefix("data:image/png;base64,"))
    assert png.startswith(b"\x89PNG") and len(picture["alt"]) > 40
    assert "already spent" in parsed.words and "USD 100" in parsed.words
    assert "forecast_run" in parsed.words  # the code is there, folded
    assert sum(t == "details" for t, _ in parsed.tags) == 1
    for heading in ("The numbers", "What was read", "Warnings", "How it was computed", "What to do now"):
        assert heading in parsed.words


def test_page_does_not_tell_where_the_log_lies(hostile):
    path, page = hostile
    assert str(path.parent.parent.parent) not in page and "wandb &lt;b&gt;export.csv" in page


def test_numbers_on_the_page_are_those_of_the_forecast(hostile):
    _, page = hostile
    curve = rs.Curve(simulated(200).compute, np.round(simulated(200).pass_rate, 6), unit="rollout_steps")
    end = forecast_run(curve, budget=400).end
    assert f"about {end.median:.3f} (90 % interval {end.lo:.3f} to {end.hi:.3f})" in _Page(page).words


def test_refused_page_gives_no_number_for_the_end(refused):
    words = _Page(refused).words
    assert "Cannot tell" in words and "State: no forecast" in words and "No parameter is shown" in words
    assert "you will measure" not in words
    assert "Flat so far" in words


def test_markup_of_the_book_stays_in_the_book(refused):
    words = _Page(refused).words
    for mark in ("```", "{cite", "{exercise", "{solution", "$C_", "##", "**"):
        assert mark not in words
    assert "ex-11" not in words and "Exercises" not in words


@pytest.mark.parametrize("small", [report.SMALL_LOG, -1], ids=["read first", "read by the kernel"])
def test_error_of_reading_comes_through_and_nothing_is_written(tmp_path, capsys, monkeypatch, small):
    monkeypatch.setattr(report, "SMALL_LOG", small)
    log = tmp_path / "two.csv"
    log.write_text("Step,a - val/accuracy,b - val/accuracy\n0,.1,.2\n1,.2,.3\n2,.3,.4\n")
    assert main(["report", str(log), "-o", str(tmp_path / "out"), "--run", "c"]) == 1
    printed = capsys.readouterr()
    lines = [line for line in printed.err.splitlines() if not line.startswith("reading ")]
    assert printed.out == "" and len(lines) == 1 and lines[0].startswith("error: ") and "'c'" in lines[0]
    assert not (tmp_path / "out").exists()


def test_error_of_forecasting_comes_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "run_notebook", lambda *_: pytest.fail("a kernel was started"))
    log = write_csv(tmp_path / "run.csv", simulated(200), "val/accuracy")
    with pytest.raises(rs.errors.ForecastError, match="smaller than the 200 rollout steps already seen"):
        report.write_report(log, tmp_path / "out", budget=100)
    with pytest.raises(rs.errors.ForecastError, match=r"target is 55.*percent"):
        report.write_report(log, tmp_path / "out", target=55.0)
    assert not (tmp_path / "out").exists()


def test_relative_path_is_shown_as_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LogError) as caught:
        report.write_report("nowhere.csv", "out")
    assert "nowhere.csv" in str(caught.value) and str(tmp_path) not in str(caught.value)


def test_folder_that_is_a_file_is_refused_before_any_work(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(report, "run_notebook", lambda *_: pytest.fail("the log was read"))
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(ReportError, match="is a file; give a folder"):
            report.write_report(tmp_path / "log.csv", folder)


def test_folder_without_permission_is_refused_before_any_work(tmp_path, monkeypatch):
    # by hand, since root may write everywhere
    monkeypatch.setattr(report.os, "access", lambda path, mode: Path(path) != tmp_path)
    monkeypatch.setattr(report, "run_notebook", lambda *_: pytest.fail("the log was read"))
    with pytest.raises(ReportError, match="cannot be written to"):
        report.write_report("log.csv", tmp_path / "out")


def test_failing_write_leaves_the_old_page_and_no_rest(tmp_path, monkeypatch):
    page = tmp_path / "report.html"
    page.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(report.os, "replace", fail)
    with pytest.raises(ReportError, match="No space left on device"):
        report._write_whole("new", tmp_path)
    assert page.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_page_replaces_the_old_one_and_others_may_read_it(tmp_path):
    (tmp_path / "report.html").write_text("old")
    path = report._write_whole("neu: é", tmp_path)
    assert path.read_text(encoding="utf-8") == "neu: é"
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask


def test_notebook_is_found_in_a_checkout_and_in_an_installed_package(tmp_path, monkeypatch):
    assert (
        report.find_notebook()
        == Path(report.__file__).resolve().parent.parent / "notebooks" / "11-your-run.py"
    )
    package = tmp_path / "site-packages" / "rlscale"
    (package / "_data" / "notebooks").mkdir(parents=True)
    monkeypatch.setattr(report, "__file__", str(package / "report.py"))
    with pytest.raises(ReportError, match=r"no 11-your-run\.py"):
        report.find_notebook()
    (package / "_data" / "notebooks" / "11-your-run.py").write_text("")
    assert report.find_notebook() == package / "_data" / "notebooks" / "11-your-run.py"


def test_wheel_carries_notebook_and_template(root: Path):
    import tomllib

    wheel = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"]["notebooks/11-your-run.py"] == "rlscale/_data/notebooks/11-your-run.py"
    assert (root / "rlscale" / "_templates" / "report.html.j2").is_file() and wheel["packages"] == ["rlscale"]


@pytest.mark.parametrize("terminal", [False, True])
def test_long_work_is_shown_on_standard_error(monkeypatch, capsys, terminal):
    monkeypatch.setattr(command, "PATIENCE", 0.01)
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)
    with command.show_progress("reading x.csv"):
        __import__("time").sleep(0.15)
    printed = capsys.readouterr()
    assert printed.err.startswith("reading x.csv …") and printed.err.endswith("\n") and printed.out == ""


def test_short_work_is_silent(capsys):
    with command.show_progress("reading x.csv"):
        pass
    assert capsys.readouterr().err == ""


# ---- the pieces, without a notebook


def test_pieces_escape_what_they_show():
    for piece in (
        say_sentence("<b>"),
        say_list(["<b>"], command="<b>", code="<b>"),
        say_table(["<b>"], [("<b>", "<b>")], after="<b>"),
    ):
        assert "<b>" not in piece.html and piece.html.count("&lt;b&gt;") >= 1 and "<b>" in piece.text
        assert piece._repr_html_() == piece.html and repr(piece) == piece.text


def state_of(curve: rs.Curve, **options):
    return forecast_run(curve, **options)


def test_each_state_gets_its_own_words():
    refused = state_of(flat(), budget=1000)
    end_only = state_of(simulated(200), budget=400)
    known = state_of(simulated(800), budget=800)
    assert [f.state for f in (refused, end_only, known)] == [
        "no forecast",
        "end forecast only",
        "ceiling identified",
    ]
    assert not re.search(r"0\.\d", report_parts.state_answer(refused).text)
    assert "No parameter" in report_parts.list_numbers(refused).text
    assert "A, the ceiling  cannot be told yet" in report_parts.list_numbers(end_only).text
    assert "cannot be told" not in report_parts.list_numbers(known).text
    for name in ("R0", "A, the ceiling", "B, the steepness", "Cmid"):
        assert re.search(rf"{name}.*  [\d.,]+  [\d.,]+ to [\d.,]+", report_parts.list_numbers(known).text)
    assert "not shown" in report_parts.describe_method(refused).text
    assert "not shown" not in report_parts.describe_method(known).text


def test_money_is_told_for_each_case():
    curve = simulated(200)

    def told(of=curve, budget=400, **prices):
        return report_parts.state_money(state_of(of, budget=budget, **prices)).text

    assert "--price" in told()
    only_price = told(price=2.0)
    assert "USD 400" in only_price and "does not decide" in only_price and "is worth more than" in only_price
    assert "Going on pays below" in told(value=2.0)
    cheap = state_of(curve, budget=400, price=0.01, value=100)
    assert cheap.verdict == "continue" and "best stop" in report_parts.state_money(cheap).text
    assert "a tenth of what is left, to  220 rollout steps" in report_parts.state_money(cheap).text
    dear = state_of(curve, budget=400, price=1e4, value=1)
    assert dear.verdict == "stop" and "no further compute" in report_parts.state_money(dear).text
    unsure = told(flat(), 1000, price=1, value=1)
    assert "no number is given" in unsure and "best stop" not in unsure
    assert "used up" in told(curve, 200, price=1, value=1)
    fallen = curve.pass_rate - 0.05 * np.clip(np.arange(len(curve)) - 22, 0, None)
    broken = rs.Curve(curve.compute, fallen, unit="rollout_steps")
    assert "not weighed" in told(broken, price=1, value=1)


def test_next_steps_fit_the_case():
    falling = simulated(400)
    fall = np.clip(np.arange(len(falling)) - 45, 0, None) * 0.03
    fallen = rs.Curve(falling.compute, falling.pass_rate - fall, unit="rollout_steps", kind="train_pass_rate")
    told = report_parts.suggest_next(state_of(fallen)).text
    assert "best checkpoint" in told and "--budget" in told and "held-out" in told
    assert "compute 0" not in told
    late = rs.Curve(falling.compute[1:], falling.pass_rate[1:], unit="rollout_steps", run="it's; rm -rf /")
    told = report_parts.suggest_next(state_of(late, budget=800), log="runs/x y.csv").text
    assert "compute 0" in told
    assert """rlscale report 'x y.csv' --run 'it'"'"'s; rm -rf /' --budget 800 -o DIR""" in told


def test_the_command_repeats_all_that_was_asked(tmp_path):
    asked = {"budget": 400.0, "target": 0.55, "price": 1 / 3, "value": 2e6, "level": 0.8}
    forecast = state_of(simulated(200), **asked)
    named = {"run": "a b", "x": "-step", "y": "val's"}
    told = report_parts.suggest_next(forecast, log="runs/x.csv", **named).text
    line = shlex.split(told.rsplit("Ask again with: ", 1)[1])
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    again = vars(parser.parse_args(line[2:]))
    assert line[:2] == ["rlscale", "report"] and again["log"] == "x.csv"
    assert {name: again[name] for name in named} == named
    assert {name: again[name] for name in asked} == pytest.approx(asked, rel=1e-12)
    assert "--level" not in report_parts.suggest_next(state_of(simulated(200), budget=400), log="x.csv").text
    # an assumed budget is not the reader's
    assert "--budget 800" not in report_parts.suggest_next(state_of(simulated(200)), log="x.csv").text


def test_terms_are_explained_where_they_are_shown():
    told = report_parts.describe_method(state_of(simulated(200), budget=400)).text
    assert "A nat measures evidence" in told and "same weight" in told
    said = report_parts.state_answer(state_of(simulated(200), budget=400, price=2.0)).text
    assert "Left to win" in said and "scatters round it" in said and "per USD 1,000" in said


def test_log_is_described_with_its_pieces():
    curve = simulated(200)
    joined = rs.Curve(
        curve.compute, curve.pass_rate, unit="rollout_steps", n=30, k=1, segment=np.arange(len(curve)) // 20
    )
    told = report_parts.describe_log(joined).text
    assert "30 problems, 1 sample each" in told and "in 2 pieces" in told and "26, from 0 to 200" in told


def test_warnings_are_all_listed():
    from dataclasses import replace

    curve = replace(simulated(200), warnings=(rs.LogWarning("gap", "A gap <here>.", "Look."),))
    piece = report_parts.list_warnings(state_of(curve, budget=400))
    assert "A gap <here>. Look. (gap)" in piece.text and "&lt;here&gt;" in piece.html
    assert len(piece.text.splitlines()) == len(state_of(curve, budget=400).warnings)


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_page_fits_a_phone_in_both_themes(hostile, browser, root, dark):
    path, _ = hostile
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    size = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    browser.get_log("browser")
    browser.get(path.as_uri())
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 360
    assert browser.execute_script((root / "tests" / "contrast.js").read_text(encoding="utf-8")) == []
    assert browser.get_log("browser") == []
