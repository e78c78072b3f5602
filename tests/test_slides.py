"""Slides: what is tagged is on them, no solution is, and a deck works by keyboard and without network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from test_pages import OUTSIDE, _Requests

from rlscale.editions import make_contexts, read_chapters, write_slides
from rlscale.errors import BookError
from rlscale.slides import FEWEST, MOST, render_deck, select_slides, shorten

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = read_chapters(ROOT)
CONTEXTS = make_contexts(ROOT, CHAPTERS, None)


def cell(source: str, *tags: str) -> Any:
    return new_markdown_cell(source, metadata={"tags": list(tags)})


def code(*tags: str, text: str = "0.61") -> Any:
    outputs = [new_output("stream", name="stdout", text=text)] if text else []
    return new_code_cell("print()", metadata={"tags": list(tags)}, outputs=outputs)


@pytest.mark.parametrize("name", CHAPTERS)
def test_each_chapter_has_question_figure_finding_exercise_and_take_away(name: str) -> None:
    slides = select_slides(CHAPTERS[name], CONTEXTS[name])
    assert FEWEST <= len(slides) <= MOST
    titles = [re.sub(r"<[^>]+>", "", slide.title) for slide in slides]
    bodies = ["".join(part.body for part in slide.parts) for slide in slides]
    assert "<strong>The question.</strong>" in bodies[0] and "<strong>Its limit.</strong>" in bodies[0]
    assert titles[-1] == "Take-aways" and "<li>" in bodies[-1]
    assert any("<img alt=" in body for body in bodies)
    assert any(title.startswith("Exercise: ") for title in titles)
    assert not any(title.startswith("Solution") for title in titles)
    assert all(titles) and all(body.strip() for body in bodies)
    for body in bodies:
        shown = re.sub(
            r"<pre>.*?</pre>|<div class=\"table\">.*?</div>|<figure>.*?</figure>|<table>.*?</table>",
            "",
            body,
            flags=re.S,
        )
        words = len(re.sub(r"<[^>]+>", " ", shown).split())
        assert words <= 130, f"a slide is no page: {words} words in {shown[:100]}"


@pytest.mark.parametrize("name", CHAPTERS)
def test_deck_asks_no_other_host_and_describes_its_pictures(name: str) -> None:
    deck = render_deck(select_slides(CHAPTERS[name], CONTEXTS[name]), name)
    found = _Requests()
    found.feed(deck)
    assert [a for a in found.addresses if OUTSIDE.match(a)] == [] and found.pictures_without_alt == []
    assert {a for a in found.addresses if not a.startswith("data:")} == {"tex-svg.js"}
    outside_code = re.sub(
        r"<pre>.*?</pre>|<code>.*?</code>|<script.*?</script>|<style>.*?</style>", "", deck, flags=re.S
    )
    assert not re.search(r"\{[a-z:]+\}`|```|\]\(|@formula", outside_code), "raw markup"


def test_cells_make_slides_by_their_tags() -> None:
    notebook = new_notebook(
        cells=[
            cell("# Title\n\nOne. $x^2$ costs \\$5.", "slide"),
            cell("## Not tagged\n\ntext"),
            cell("End of the section above.\n\n## Second\n\nText.\n\n### Smaller\n\nMore.", "slide"),
            code("hide-input", "fragment"),
            code("slide"),
            cell("## A\n\na\n\n## References\n\nr", "slide"),
        ]
    )
    slides = select_slides(notebook)
    assert [s.title for s in slides] == ["Title", "Second", "Second", "A"]
    assert slides[0].parts[0].body == "<p>One. \\(x^2\\) costs $5.</p>\n"
    assert (
        "End of the section" not in slides[1].parts[0].body
        and "<strong>Smaller</strong>" in slides[1].parts[0].body
    )
    assert [(p.body, p.fragment) for p in slides[1].parts[1:]] == [("<pre>0.61</pre>", True)]
    assert slides[2].parts[0].body == "<pre>0.61</pre>"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([cell("text", "fragment")], "cell 1: a fragment stands before the first slide"),
        ([code("fragment")], "cell 1: a fragment stands before the first slide"),
        ([cell("# A", "slide"), code("fragment", text="")], "cell 2 is tagged .* has no result"),
        ([cell("```{solution-start} ex\n```\n```{solution-end}\n```", "slide")], "cell 1 is a solution"),
    ],
)
def test_wrong_tag_names_its_cell(cells: list[Any], message: str) -> None:
    with pytest.raises(BookError, match=message):
        select_slides(new_notebook(cells=cells))


def test_too_few_slides_are_refused() -> None:
    with pytest.raises(BookError, match=r"01-x has 1 slides; tag 6 to 14 cells"):
        render_deck(select_slides(new_notebook(cells=[cell("# A", "slide")])), "01-x")


def test_long_text_is_cut_at_a_sentence() -> None:
    text = "**Answer.** First one is here. Second goes on for long.\n\n$$x$$\n\n- a list\n- stays whole"
    assert shorten(text, 6) == "**Answer.** First one is here.\n\n$$x$$"
    assert shorten(text) == text
    points = [f"- Point {i} is made here. {'Then it goes on and on. ' * 3}" for i in range(8)]
    assert shorten("\n".join(points)) == "\n".join(f"- Point {i} is made here." for i in range(8))


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_deck_goes_forward_and_back_by_keyboard(tmp_path: Path, browser: Any, site: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    deck = next(path for path in write_slides(ROOT, tmp_path) if path.stem == "01-sigmoid-law")
    text = deck.read_text(encoding="utf-8")
    script = (site / "_static" / "mathjax" / "tex-svg.js").as_uri()
    deck.write_text(text.replace("../_static/mathjax/tex-svg.js", script), encoding="utf-8")
    browser.get_log("browser")
    browser.get(deck.as_uri())

    def shown() -> tuple[str, int]:
        return tuple(browser.execute_script(
            "const now = document.querySelector('section.now');"
            "const seen = [...document.querySelectorAll('section')].filter(s => s.offsetHeight > 0);"
            "return [now.id, seen.length]"
        ))  # fmt: skip

    def press(key: str) -> None:
        browser.find_element("css selector", "body").send_keys(key)

    assert shown() == ("1", 1)
    press(Keys.ARROW_RIGHT)
    press(Keys.SPACE)
    assert shown() == ("3", 1)
    hidden = "return document.querySelectorAll('section.now .later').length"
    assert browser.execute_script(hidden) == 1
    press(Keys.ARROW_RIGHT)  # the figure first
    assert browser.execute_script(hidden) == 0 and shown() == ("3", 1)
    press(Keys.ARROW_RIGHT)
    press(Keys.ARROW_LEFT)
    assert shown() == ("3", 1)
    press(Keys.END)
    assert shown()[0] == str(len(browser.find_elements("css selector", "section")))
    press("n")
    assert browser.execute_script("return document.querySelector('section.now .notes').offsetHeight > 0")
    assert browser.execute_script("return location.hash") == f"#{shown()[0]}"
    for width, height in ((1280, 720), (1024, 768), (360, 740)):
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )
        wide = (
            "return [...document.querySelectorAll('section')].map(s => [s.id, s.scrollWidth > s.clientWidth])"
        )
        assert [i for i, too_wide in browser.execute_script(wide) if too_wide] == [], (width, height)
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"] == []
