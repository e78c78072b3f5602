# ruff: noqa: E501  (scripts read better in one line)
"""The cost calculator on its page: what only this app does. What holds for every app is in test_app_pages."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from app_pages import (
    APP_PAGES,
    open_app,
    read_console,
    read_result,
    read_state,
    set_window,
    wait_until,
)

from rlscale.cli import main
from rlscale.cost import estimate_cost
from rlscale.interactive.calculator import FIRST_PRESET
from rlscale.interactive.calculator_fields import GROUPS, LINK_V1
from rlscale.presets import list_presets, load_scenario
from rlscale.scenario import Scenario
from rlscale.tables import load_table

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("interactive")]
(PAGE,) = [one for one in APP_PAGES if one.app == "calculator"]
RESULT = "return document.querySelector('.rlscale-app').innerText"


@pytest.fixture(scope="module")
def opened(browser: Any, site: Path) -> Any:
    """The page, opened once: each test begins by starting from a preset."""
    set_window(browser)
    open_app(browser, site, PAGE)
    return browser


def change(browser: Any, **values: Any) -> str:
    """Enter values one by one, as a reader does; return what was wrong with the last."""
    said = ""
    for key, value in values.items():
        script = "return rlscale.apps.calculator.set(arguments[0], arguments[1])"
        said = browser.execute_script(script, key, value) or ""
    return said


def start_from(browser: Any, preset: str) -> None:
    """Start from a preset afresh: another one first, so that all fields are filled again."""
    change(browser, preset="r1-zero" if preset != "r1-zero" else FIRST_PRESET)
    change(browser, preset=preset)
    assert read_state(browser, "calculator")["preset"] == preset


def export(browser: Any, kind: str) -> str:
    return str(browser.execute_script(f"return rlscale.apps.calculator.{kind}()"))


def says(browser: Any, key: str) -> str:
    """Return what stands beside a field."""
    script = f"return document.querySelector('.rlscale-field[data-key={key}] .rlscale-error').textContent"
    return str(browser.execute_script(script))


def agree(got: dict[str, Any], want: dict[str, Any]) -> None:
    """The numbers of both are the same; see test_cost_js for the tolerance."""
    for key in ("usd", "gpu_hours", "wall_hours", "tokens", "tokens_per_s_per_gpu", "break_even"):
        flat = [(k, v) for k, v in _flatten(want[key], key)]
        assert dict(_flatten(got[key], key)) == {k: pytest.approx(v, rel=1e-9, abs=1e-9) for k, v in flat}
    assert got["cheaper"] == want["cheaper"]


def _flatten(value: Any, name: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flatten(inner, f"{name}.{key}")
    elif value is not None:
        yield name, value


def test_first_output_is_that_of_the_page(opened: Any, root: Path) -> None:
    """The calculator, the chapter's text and its figure show one case."""
    start_from(opened, FIRST_PRESET)
    cost = estimate_cost(load_scenario(FIRST_PRESET))
    agree(read_result(opened, "calculator"), cost.to_dict())
    text = opened.execute_script("return document.querySelector('article').innerText")
    total = cost.usd["total_tinker"]
    assert total is not None
    for amount in (f"${total.median:.0f} (${total.lo:.0f} to ${total.hi:.0f})",):
        assert text.count(amount) >= 3, "the text of the chapter, the drawing or the words say something else"


CHANGES: dict[str, dict[str, Any]] = {
    "tinker-math": {"mean_length": 400, "prefix_cache": False, "provider": "RunPod community"},
    "swe-agent": {"steps": 123, "sandbox_idle_share": 0.25, "filtering": "dynamic", "project_share": 0.5},
    "starting-page": {"gpu_hours": "", "model": "Llama-3.1-8B", "gpus": 16, "mode": "async"},
    "starting-page-corrected": {"throughput": 900, "throughput_lo": 450, "train_charged_on": "datum"},
    "dapo-32b": {"gpu": "H200 SXM", "gpu_price": 3.5, "gpu_price_hi": 5, "reference": True},
    "r1-zero": {"tinker_model": "", "sandbox_containers": 12, "max_length": ""},
}


@pytest.mark.parametrize("preset", list_presets())
@pytest.mark.parametrize("changed", [False, True], ids=["as it is", "changed"])
def test_python_command_and_file_give_the_same_numbers(
    opened: Any, capsys: Any, tmp_path: Path, preset: str, changed: bool
) -> None:
    start_from(opened, preset)
    if changed:
        assert change(opened, **CHANGES[preset]) == ""
    got = read_result(opened, "calculator")
    names: dict[str, Any] = {}
    with redirect_stdout(io.StringIO()) as printed:
        exec(export(opened, "python"), names)
    agree(got, names["cost"].to_dict())
    assert printed.getvalue().startswith("{'tinker'")
    words = shlex.split(export(opened, "command"))
    assert words[:2] == ["rlscale", "cost"]
    capsys.readouterr()
    assert main([*words[1:], "--json"]) == 0
    agree(got, json.loads(capsys.readouterr().out))
    file = tmp_path / "scenario.toml"
    file.write_text(export(opened, "toml"), encoding="utf-8")
    assert main(["cost", str(file), "--json"]) == 0
    agree(got, json.loads(capsys.readouterr().out))
    if changed:
        plain = estimate_cost(load_scenario(preset)).to_dict()
        assert got["usd"] != plain["usd"], "the change changed nothing"


def test_numbers_leave_as_csv(opened: Any) -> None:
    start_from(opened, "swe-agent")
    rows = list(csv.DictReader(io.StringIO(export(opened, "csv"))))
    got = read_result(opened, "calculator")
    found = {(row["kind"], row["name"]): row for row in rows}
    tinker = found["result", "tinker"]
    assert [float(tinker[k]) for k in ("lo", "middle", "hi")] == [
        got["usd"]["tinker"][k] for k in ("lo", "median", "hi")
    ]
    assert [float(found["input", "turns"][k]) for k in ("lo", "middle", "hi")] == [25, 40, 60]
    assert sum(row["kind"] == "part (mean)" for row in rows) == len(got["parts"])
    assert all(row["as_of"] and row["source"] for row in rows if row["kind"] == "price")


def test_ends_follow_their_centre(opened: Any) -> None:
    start_from(opened, FIRST_PRESET)
    change(opened, prompt_tokens=240)
    state = read_state(opened, "calculator")
    assert (state["prompt_tokens_lo"], state["prompt_tokens_hi"]) == (160, 400)
    change(opened, steps=360)
    assert read_state(opened, "calculator")["steps_lo"] == 360, "what is known exactly stays so"
    change(opened, mfu=0.3)
    state = read_state(opened, "calculator")
    assert state["mfu_lo"] == state["mfu_hi"] == 0.3
    change(opened, mfu="")
    assert read_state(opened, "calculator")["mfu_hi"] == ""
    change(opened, mfu_hi=0.5)  # one end alone is a number that is known
    assert read_state(opened, "calculator")["mfu"] == 0.5
    change(opened, mean_length=500)
    assert read_state(opened, "calculator")["mean_length_hi"] == 512, "no answer is longer than the longest"
    change(opened, gpu="A100 SXM 80GB", provider="AWS")
    change(opened, gpu="MI300X")
    assert read_state(opened, "calculator")["provider"] == "", "a provider without this GPU does not stay"


def test_contradictions_are_answered_beside_the_field(opened: Any) -> None:
    """The words name what to do, the last good result stays, and a mended input takes the words away."""
    start_from(opened, FIRST_PRESET)
    before = read_result(opened, "calculator")
    change(opened, model="DeepSeek-V3")
    assert "8 GPUs cannot hold" in says(opened, "gpus")
    assert read_result(opened, "calculator") == before
    assert "last inputs that could" in opened.execute_script(RESULT)
    change(opened, gpus=64)
    assert says(opened, "gpus") == "" and read_result(opened, "calculator") != before
    change(opened, date="2026-03-10")
    assert "price" in says(opened, "date")
    change(opened, date="")
    assert says(opened, "date") == ""
    change(opened, gpu="H800")
    assert "give one" in says(opened, "gpu_price")
    assert opened.execute_script("return document.querySelector('[data-key=gpu_price]').checkVisibility()"), (
        "the field that is complained about is folded away"
    )
    change(opened, gpu_price=2)
    assert says(opened, "gpu_price") == ""
    assert "far too little" in (change(opened, price_sample=4e-7) or says(opened, "price_sample"))
    change(opened, price_sample="")
    assert "Give 512 tokens or less" in change(opened, mean_length=600)


@pytest.mark.parametrize("key", ["prompts", "group_size", "group_size_hi", "gpus", "steps"])
def test_half_a_prompt_is_answered_beside_the_field(opened: Any, key: str) -> None:
    start_from(opened, "tinker-math")
    before = opened.execute_script("return rlscale.apps.calculator.state()[arguments[0]]", key)
    said = opened.execute_script(
        "const i = document.querySelector(`[data-key=${arguments[0]}] input`); i.value = '31.5';"
        "i.dispatchEvent(new Event('change')); return document.querySelector(`[data-key=${arguments[0]}] .rlscale-error`).textContent",
        key,
    )
    assert said == "Give a whole number, such as 32"
    assert opened.execute_script("return rlscale.apps.calculator.state()[arguments[0]]", key) == before


def test_slider_and_arrows_keep_whole_numbers_whole(opened: Any) -> None:
    start_from(opened, "tinker-math")
    seen = opened.execute_script(
        "const f = document.querySelector('[data-key=prompts]'), [text, range] = f.querySelectorAll('input'), state = () => rlscale.apps.calculator.state().prompts;"
        "const seen = []; for (const place of [1, 20, 133, 261]) { range.value = place; range.dispatchEvent(new Event('input')); seen.push(state()); }"
        "rlscale.apps.calculator.set('prompts', 1);"
        "for (let i = 0; i < 3; i++) { text.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp' })); seen.push(state()); }"
        "return seen"
    )
    assert all(float(value).is_integer() for value in seen), seen
    assert seen[-3:] == [2, 3, 4]
    start_from(opened, "dapo-32b")
    assert change(opened, steps=333) == ""
    ends = opened.execute_script("const s = rlscale.apps.calculator.state(); return [s.steps_lo, s.steps_hi]")
    assert ends == [200, 466]  # 300 and 700 of 500, in the same ratio, rounded
    start_from(opened, "tinker-math")


def test_undecided_is_said_where_ranges_overlap(opened: Any) -> None:
    start_from(opened, "starting-page-corrected")
    assert read_result(opened, "calculator")["cheaper"] == "undecided"
    assert "Undecided. The ranges overlap" in opened.execute_script(RESULT)
    start_from(opened, "starting-page")
    assert read_result(opened, "calculator")["cheaper"] == "tinker"
    assert "By the token is cheaper" in opened.execute_script(RESULT)
    said = f"{RESULT}.includes('934 generated tokens per second and GPU')"  # spoken a little later
    wait_until(opened, said, "the break-even of the starting page is not told")


#: A clock that stands on a day; the page sees no other.
CLOCK = """
const Real = Date;
Date = class extends Real { constructor(...a) { a.length ? super(...a) : super('%sT12:00:00'); } };
"""


@pytest.mark.parametrize(
    ("day", "warned"), [("2026-11-10", False), ("2027-02-07", False), ("2027-02-08", True)]
)
def test_old_prices_are_warned_about_by_the_readers_clock(
    browser: Any, site: Path, day: str, warned: bool
) -> None:
    """The GPU price of the first case is of 2026-11-09: fresh for 90 days, old from the 91st on."""
    set_window(browser)
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": CLOCK % day})
    try:
        open_app(browser, site, PAGE)
        text = browser.execute_script(RESULT)
        rental = next(
            p["what"] for p in read_result(browser, "calculator")["prices"] if "rental" in p["what"]
        )
        assert (f"{rental}: listed 2026-11-09, 91 days ago" in text) == warned
        assert "Old price. Tinker prefill, Qwen3.5-9B" in text, "this list is older by months"
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_old_links_keep_their_meaning(browser: Any, site: Path) -> None:
    """A link of version 1 that names nothing means what it always meant, whatever becomes of the preset."""
    set_window(browser)
    read_console(browser)
    open_app(browser, site, PAGE, "#v=1")
    assert read_state(browser, "calculator") == LINK_V1
    address = (
        "#v=1&preset=starting-page&steps=7400&steps_lo=7400&steps_hi=7400&prompts=48&prompts_lo=48&prompts_hi=48"
        "&mean_length=6116&mean_length_lo=6116&mean_length_hi=6116&max_length=14336&prompt_tokens=0"
        "&prompt_tokens_lo=0&prompt_tokens_hi=0&eval_every=0&eval_every_lo=0&eval_every_hi=0&price_prefill=0.13"
        "&price_sample=0.4&price_train=0.4&gpu_hours=30000&gpu_hours_lo=30000&gpu_hours_hi=30000&gpu_price=2.69"
        "&gpu_price_lo=2.69&gpu_price_hi=2.69&storage_gb=0&storage_gb_lo=0&storage_gb_hi=0&nonsense=1"
    )
    open_app(browser, site, PAGE, address)
    got = read_result(browser, "calculator")["usd"]
    assert got["tinker"]["median"] == pytest.approx(7400 * 768 * 6116 * 0.8e-6, rel=1e-12)
    assert got["self_hosted"]["median"] == pytest.approx(80_700, rel=1e-12)
    assert browser.execute_script("return document.querySelector('.rlscale-note').textContent") == ""
    assert read_console(browser) == []


def test_link_of_another_preset_comes_back(browser: Any, site: Path) -> None:
    set_window(browser)
    open_app(browser, site, PAGE)
    change(browser, preset="swe-agent", turns=30)
    state, result = read_state(browser, "calculator"), read_result(browser, "calculator")
    wait_until(browser, "return location.hash.includes('turns=30')", "the address was not written")
    open_app(browser, site, PAGE, browser.execute_script("return location.hash"))
    assert read_state(browser, "calculator") == state
    assert read_result(browser, "calculator") == result


def test_every_input_of_the_package_is_on_the_page() -> None:
    placed = [name for _, shown, more in GROUPS for name in (*shown, *more)]
    known = [name for name in Scenario.__dataclass_fields__ if name not in ("name", "note")]
    assert sorted(placed) == sorted(known) and len(set(placed)) == len(placed)
    assert {key.removesuffix("_lo").removesuffix("_hi") for key in LINK_V1} == {*known, "preset"}


def test_no_price_is_typed_in_a_script(root: Path) -> None:
    """Prices come from the tables only: no script holds one."""
    folder = root / "book" / "_static" / "interactive"
    typed = set()
    for name in ("scenario.js", "cost.js", "calculator.js"):
        typed |= set(re.findall(r"\d+\.\d+", (folder / name).read_text(encoding="utf-8")))
    tinker, gpus = load_table("tinker_prices"), load_table("gpus")
    prices = {*tinker["sample_usd_per_mtok"], *tinker["train_usd_per_mtok"], *gpus["price_usd_per_gpu_hour"]}
    assert len(prices) > 40
    drawing = {"0.6", "1.5"}  # a place in a drawing, and a round number for the end of an axis
    assert typed & {f"{price:g}" for price in prices} <= drawing


def test_move_writes_only_what_changed(site: Path, browser: Any) -> None:
    """What a move leaves as it was is not built again: an opened list of prices stays open."""
    open_app(browser, site, PAGE)
    found = browser.execute_script(
        """
        const root = document.querySelector('.rlscale-app');
        root.querySelectorAll('details').forEach((one) => { one.open = true; });
        const app = rlscale.apps.calculator;
        app.set('steps', 200);
        const seen = new MutationObserver(() => {});
        seen.observe(root, { subtree: true, childList: true, attributes: true });
        const move = (key, value) => {
          app.set(key, value);
          const records = seen.takeRecords();
          const named = (name) => records.filter((one) => one.attributeName === name).length;
          const filled = records.filter((one) => one.type === 'childList').map((one) => one.target);
          return {
            sizes: records.filter((one) => one.target.matches('svg.rlscale-drawing')
              && ['width', 'height'].includes(one.attributeName)).length,
            drawings: filled.filter((one) => one.matches('svg.rlscale-drawing')).length,
            lists: filled.filter((one) => one.closest('details')?.querySelector('ul, table')?.closest('details')
              === one.closest('details') && one.closest('details')).length,
            all: records.length,
          };
        };
        const other = move('steps', 210), same = move('steps', 210);
        return { other, same, open: [...root.querySelectorAll('details')].every((one) => one.open) };
        """
    )
    assert found["open"]
    assert found["other"]["sizes"] == found["same"]["sizes"] == 0
    # the bills and what moves them, not where they cross: that does not hang on the number of steps
    assert found["other"]["drawings"] == 3
    assert found["other"]["lists"] == 0, "prices and assumptions do not hang on the number of steps"
    assert found["other"]["all"] <= 36, found
