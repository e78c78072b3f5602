# ruff: noqa: E501  (scripts and tables read better in one line)
"""The forecaster on its page: worker, files, bad input, hostile names, speed, and the figure that it replaces."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from app_pages import APP_PAGES, open_app, read_console, read_requests, set_window, wait_until

from rlscale.interactive.forecaster import SAMPLE_ASK, page_data, write_sample

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("interactive")]

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPTS = ROOT / "book" / "_static" / "interactive"
SETTLED = "const r = rlscale.apps.forecaster.result(); return !r.busy && (r.verdict || r.status);"


@pytest.fixture(scope="module")
def opened(site: Path, browser: Any) -> Any:
    """The page, opened once: each log that is opened replaces all that was there."""
    browser.set_script_timeout(60)
    set_window(browser)
    read_console(browser), read_requests(browser)
    open_app(browser, site, next(one for one in APP_PAGES if one.app == "forecaster"))
    wait_until(browser, SETTLED, "the sample was not forecast")
    return browser


@pytest.fixture
def page(opened: Any) -> Any:
    """The page as the test before left it, with nothing new in its console."""
    read_console(opened), read_requests(opened)
    return opened


def _show_sample(browser: Any) -> None:
    button = (
        "[...document.querySelectorAll('.rlscale-app button')].find((b) => b.textContent.includes('sample'))"
    )
    browser.execute_script(f"{button}.click()")
    wait_until(browser, SETTLED, "the sample was not forecast")


def _open(browser: Any, text: str, name: str = "log.csv") -> dict[str, Any]:
    browser.execute_script("rlscale.apps.forecaster.open(arguments[0], arguments[1])", text, name)
    wait_until(browser, SETTLED, f"no answer to {name}")
    return _result(browser)


def _result(browser: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        browser.execute_script("return JSON.stringify(rlscale.apps.forecaster.result())")
    )
    return found


def _shown(browser: Any) -> str:
    return str(browser.execute_script("return document.querySelector('.rlscale-app').innerText"))


def test_first_answer_is_that_of_the_page(page: Any, root: Path) -> None:
    """The text and the figure of the chapter are the same run, asked the same."""
    cells = nbformat.read(root / "book" / "11-your-run.ipynb", as_version=4).cells
    printed = next(
        o.data["text/plain"]
        for c in cells
        if c.cell_type == "code" and "report_parts.state_answer(" in c.source
        for o in c.outputs
    )
    _show_sample(page)
    assert _result(page)["verdict"] in printed.lower()
    answer = page.execute_script("return document.querySelector('.rlscale-answer').innerText")
    for line in (line for line in printed.splitlines() if line.strip()):
        assert line.strip() in answer
    assert page.execute_script("return document.querySelectorAll('.rlscale-measured').length") == 26
    assert read_console(page) == [] and read_requests(page) == []


def test_command_is_the_one_that_was_run(page: Any) -> None:
    _show_sample(page)
    assert _result(page)["command"] == "rlscale forecast simulated.csv --budget 400 --target 0.55"
    page.execute_script("rlscale.apps.forecaster.set('price', 2); rlscale.apps.forecaster.set('value', 300)")
    wait_until(
        page, "return rlscale.apps.forecaster.result().byMoney && !rlscale.apps.forecaster.result().busy", ""
    )
    assert _result(page)["command"].endswith("--target 0.55 --price 2 --value 300")
    assert "By money alone" in _shown(page) and "best stop, at" in _shown(page)
    found = _open(
        page, "-x,a b\n" + "\n".join(f"{i},{0.2 + 0.3 * i / (i + 5)}" for i in range(12)), "it's; rm.csv"
    )
    assert "choose" in found["status"]
    page.execute_script("document.querySelector('#rlscale-pick-step').value = '-x'; "
                        "document.querySelector('#rlscale-pick-step').dispatchEvent(new Event('change'))")  # fmt: skip
    wait_until(page, "return rlscale.apps.forecaster.result().runs.length", "")
    page.execute_script("rlscale.apps.forecaster.choose({ y: 'a b' })")
    wait_until(page, SETTLED, "")
    command = _result(page)["command"]
    assert command.startswith("""rlscale forecast 'it'"'"'s; rm.csv' --x=-x --y 'a b'"""), command


BAD = {
    "empty.csv": ("", "empty"),
    "words.csv": ("hello there\nno table\n", "no CSV"),
    "no_step.csv": ("alpha,beta\n1,0.2\n2,0.3\n", "counts steps"),
    "one_point.csv": ("step,accuracy\n1,0.5\n", "one point"),
    "percent.csv": ("step,accuracy\n" + "".join(f"{i},{20 + i}\n" for i in range(9)), "per cent"),
    "above.csv": ("step,accuracy\n" + "".join(f"{i},{0.2 + 0.2 * i}\n" for i in range(9)), "accuracy"),
    "text.csv": ("step,accuracy\n1,0.2\n2,oops\n3,0.3\n4,0.35\n5,0.4\n", "oops"),
    "nan.csv": ("step,accuracy\n" + "".join(f"{i},nan\n" for i in range(9)), "number"),
    "flat.csv": ("step,accuracy\n" + "".join(f"{i},0.5\n" for i in range(9)), "0.5"),
    "two.csv": ("step,eval/a/acc,eval/b/acc\n" + "".join(f"{i},{i / 50},{i / 40}\n" for i in range(9)), "choose one"),
    "negative.csv": ("step,accuracy\n" + "".join(f"{i - 4},{0.2 + i / 40}\n" for i in range(9)), "negative"),
    "binary.csv": ("\x01\x02\x03\x04" * 99, "binary"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_log_is_answered_in_words(page: Any, name: str) -> None:
    text, word = BAD[name]
    found = _open(page, text, name)
    assert "verdict" not in found and word in found["status"], found["status"]
    assert not page.execute_script("return document.querySelector('.rlscale-results').checkVisibility()")
    assert read_console(page) == []


def test_percent_is_asked_about_and_then_read(page: Any) -> None:
    lines = write_sample().split("\n")
    rows = [line.split(",") for line in lines[1:] if line]
    text = "\n".join(["rollout_step,accuracy", *(f"{s},{100 * float(p)}" for s, p in rows)])
    assert "per cent" in _open(page, text)["status"]
    page.execute_script("rlscale.apps.forecaster.choose({ y: 'accuracy' })")
    wait_until(page, SETTLED, "")
    assert "verdict" not in _result(page)
    select = "const s = document.querySelector('#rlscale-pick-scale');"
    page.execute_script(f"{select} s.value = 'percent'; s.dispatchEvent(new Event('change'))")
    wait_until(page, SETTLED, "")
    found = _result(page)
    assert found["verdict"] and "--y accuracy:percent" in found["command"]


def test_hostile_names_stay_text(page: Any) -> None:
    evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
    key = f"eval/accuracy {evil}".replace(",", "")
    rows = "\n".join(f"{i},{0.2 + 0.3 * i / (i + 5)}" for i in range(30))
    quoted = '"' + key.replace('"', '""') + '"'
    found = _open(page, f"step,{quoted}\n{rows}\n", f"{evil}.csv")
    assert found["verdict"] and found["pick"]["y"] == key
    object_keys = "".join(
        json.dumps(
            {"step": i, "__proto__": {"x": 1}, "constructor": 0.1, "toString": 0.2, "accuracy": 0.2 + i / 90}
        )
        + "\n"
        for i in range(30)
    )
    assert _open(page, object_keys, "keys.jsonl")["verdict"]
    assert (
        "text"
        in _open(page, f"step,accuracy\n1,{evil}\n2,0.3\n3,0.31\n4,0.4\n5,0.42\n", "cells.csv")["status"]
    )
    root = page.execute_script(
        "return [window.hacked, document.querySelectorAll('.rlscale-app :is(img, script, iframe, b)').length, ({}).x]"
    )
    assert root == [None, 0, None]
    assert read_console(page) == [] and read_requests(page) == []


def test_chosen_and_pasted_files_are_read(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(write_sample(), encoding="utf-8")
    page.find_element("id", "rlscale-log").send_keys(str(path))
    wait_until(
        page, "return rlscale.apps.forecaster.result().command.includes('mine.csv')", "the file was not read"
    )
    page.execute_script(
        "const t = document.querySelector('#rlscale-pasted'); t.closest('details').open = true; t.value = arguments[0];"
        "t.closest('details').querySelector('button').click()", write_sample(),
    )  # fmt: skip
    wait_until(
        page,
        "return rlscale.apps.forecaster.result().command.includes('pasted.csv')",
        "the text was not read",
    )
    assert _result(page)["budget"]["source"] == "assumed", (
        "what was asked of the sample is not asked of another log"
    )


def test_million_lines_do_not_freeze_the_page(page: Any) -> None:
    """The longest time that the page does not answer while it reads, fits and forecasts a million points."""
    _show_sample(page)
    blocked = page.execute_async_script(
        """
        const done = arguments[0];
        const piece = Array.from({ length: 1000 }, (_, i) => i);
        const rows = Array.from({ length: 1000 }, (_, b) => piece.map((i) => {
          const c = 1000 * b + i, wave = 0.01 * Math.sin(7919 * c);
          return `${c},${(0.2 + 0.4 * c / (c + 200000) + wave).toFixed(6)}`;
        }).join('\\n') + '\\n');
        const blob = new Blob(['step,accuracy\\n', ...rows]);
        let last = performance.now(), worst = 0;
        const beat = setInterval(() => {
          const now = performance.now();
          worst = Math.max(worst, now - last);
          last = now;
          const r = rlscale.apps.forecaster.result();
          if (!r.busy && (r.verdict || r.status)) { clearInterval(beat); done([worst, r.about && r.about.points, r.verdict, r.status]); }
        }, 10);
        rlscale.apps.forecaster.openBlob(blob, 'million.csv');
        """
    )
    assert blocked[1:3] == [1_000_000, "continue"], blocked
    assert blocked[0] < 300
    assert page.execute_script("return document.querySelectorAll('.rlscale-measured').length") <= 500


def test_long_log_can_be_abandoned(page: Any) -> None:
    rng = random.Random(1)
    text = "step,accuracy\n" + "".join(f"{i},{rng.random()}\n" for i in range(200_000))
    page.execute_script("rlscale.apps.forecaster.open(arguments[0], 'slow.csv')", text)
    found = _open(page, write_sample(), "quick.csv")
    assert found["about"]["points"] == 26 and "quick.csv" in found["command"]


def test_budget_that_is_spent_is_refused_beside_its_field(page: Any) -> None:
    _show_sample(page)
    said = page.execute_script(
        "const f = document.querySelector('[data-key=budget] input'); f.value = '100'; f.dispatchEvent(new Event('change'));"
        "return document.querySelector('[data-key=budget] .rlscale-error').textContent"
    )
    assert said == "Give 200 or more: so much is seen already"
    assert _result(page)["budget"]["at"] == SAMPLE_ASK["budget"]


@pytest.mark.parametrize(
    ("key", "typed", "said"),
    [
        ("budget", "0", "Give 200 or more: so much is seen already"),
        ("target", "0", "Give 0.001 or more: a pass rate lies between 0 and 1 (55 per cent is 0.55)"),
        ("target", "55%", "Give a number, such as 0.55"),
        ("price", "0", "Give more than 0, or leave the field empty"),
        ("price", "-3", "Give more than 0, or leave the field empty"),
        ("value", "0", "Give more than 0, or leave the field empty"),
    ],
)
def test_zero_is_answered_and_not_taken_for_an_empty_field(
    page: Any, key: str, typed: str, said: str
) -> None:
    _show_sample(page)
    enter = (
        "const f = document.querySelector(`[data-key=${arguments[0]}]`), i = f.querySelector('input'); i.value = arguments[1];"
        "for (const kind of ['input', 'change']) i.dispatchEvent(new Event(kind));"
        "return [f.querySelector('.rlscale-error').textContent, i.ariaInvalid, i.value, rlscale.apps.forecaster.state()[arguments[0]]]"
    )
    assert page.execute_script(enter, key, typed) == [said, "true", typed, SAMPLE_ASK[key]]
    assert page.execute_script(enter, key, "") == ["", "false", "", 0]
    _show_sample(page)


def test_series_are_listed_by_what_can_be_a_pass_rate(page: Any) -> None:
    """Likely ones first; times, learning rates, constants and lengths not at all, and their number is said."""
    columns: dict[str, Any] = {
        "progress/done_frac": lambda i: i / 30,
        "optim/lr": lambda i: 1e-5 * (30 - i),
        "time/total": lambda i: 40.0 + i,
        "completion_length": lambda i: 300 + i,
        "train/kl": lambda i: 0.001 * i,
        "always": lambda i: 0.5,
        "format": lambda i: 0.9 + 0.003 * i,
        "share": lambda i: 10.0 + i,
        "train/accuracy": lambda i: 0.3 + 0.01 * i,
        "val/reward": lambda i: 0.1 + 0.01 * i,
        "val/accuracy": lambda i: 0.2 + 0.01 * i,
        "val/solve_rate": lambda i: 0.25 + 0.01 * i,
    }
    rows = [",".join([str(i), *(repr(f(i)) for f in columns.values())]) for i in range(30)]
    found = _open(page, "\n".join([",".join(["step", *columns]), *rows, ""]))
    listed = page.execute_script(
        "return [...document.querySelectorAll('#rlscale-pick-y optgroup')].map((g) => [g.label.split(',')[0], ...[...g.children].map((o) => o.value)])"
    )
    assert listed == [
        ["Held-out pass rates", "val/solve_rate", "val/accuracy"],
        ["Pass rates of the training batch", "train/accuracy"],
        ["Other series inside 0 to 1", "val/reward", "format"],
        ["Other series", "share"],
    ]
    assert found["pick"]["y"] == "val/solve_rate"
    hint = page.execute_script(
        "const s = document.querySelector('#rlscale-pick-y'); return document.getElementById(s.getAttribute('aria-describedby')).textContent"
    )
    assert re.match(r"Not listed: [56] that can be no pass rate", hint), (
        hint
    )  # the share done may be taken for an axis


def test_drop_box_says_what_is_read(page: Any) -> None:
    """And what is refused here is sent to the command line, where it is read."""
    said = page.execute_script("return document.querySelector('.rlscale-dropzone').innerText")
    assert "verl" not in said.split("For all else")[0] and "console logs" in said.split("For all else")[1]
    found = _open(page, "step:1 - critic/score/mean:0.2 - actor/lr:1e-06\n" * 9, "verl.log")
    assert "command rlscale forecast also reads the console logs" in found["status"]


def test_log_before_leaves_nothing_behind(page: Any) -> None:
    """Neither its bounds nor its money: the sample is asked what it always is, and another log nothing."""
    long = "step,accuracy\n" + "".join(f"{100 * i},{0.2 + 0.3 * i / (i + 5)}\n" for i in range(30))
    _open(page, long, "long.csv")
    page.execute_script(
        "rlscale.apps.forecaster.set('budget', 5000); rlscale.apps.forecaster.set('price', 2)"
    )
    wait_until(page, SETTLED, "")
    assert "--budget 5000 --price 2" in _result(page)["command"]
    assert _open(page, long, "next.csv")["command"] == "rlscale forecast next.csv"
    page.execute_script("rlscale.apps.forecaster.open(arguments[0], 'last.csv')", long)
    answer = (
        "const a = document.querySelector('.rlscale-app .rlscale-answer');"
        "return [a.textContent, a.closest('[aria-busy]').ariaBusy]"
    )
    assert page.execute_script(answer) == ["", "true"]
    wait_until(page, SETTLED, "")
    assert page.execute_script(answer)[1] == "false" and "rlscale inspect FILE" in _shown(page)
    _show_sample(page)
    assert _result(page)["budget"]["at"] == SAMPLE_ASK["budget"]


def test_data_says_every_number_once() -> None:
    data = page_data()
    assert data["sample"]["ask"].keys() == data["sample"]["frozen"].keys()
    assert len(json.dumps(data)) < 40_000
