"""The claims ledger: whole, cited, shown; every number of the starting page has a verdict."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from starting_page_numbers import NAMES, NUMBERS, WORDS

from rlscale.claims import Claims, claim, claims, format_number
from rlscale.dictionary import write_dictionary, write_ledger
from rlscale.errors import TableError
from rlscale.pages import list_pages
from rlscale.schema_list import TABLES
from rlscale.schemas import VERDICTS
from rlscale.tables import load_table, main

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(("written", "value", "what", "claim_id"), [*NUMBERS, *WORDS])
def test_each_number_of_the_starting_page_has_a_verdict(
    written: str, value: float, what: str, claim_id: str
) -> None:
    found = claim(claim_id)
    assert found.verdict in VERDICTS
    # 1/6 is stored to six digits
    assert value in (pytest.approx(found.value, rel=1e-5), pytest.approx(found.value_hi, rel=1e-5)), what


def test_the_list_of_numbers_is_that_of_the_page() -> None:
    page = (
        Path(os.environ.get("RLSCALE_SHARED") or ROOT.parent / "shared")
        / "seed"
        / "convergence_and_scale_rl.txt"
    )
    if not page.is_file():
        pytest.skip(
            f"the starting page is not part of the project and not at hand: {page} (set RLSCALE_SHARED)"
        )
    text = re.sub(NAMES, " ", page.read_text(encoding="utf-8"))
    numbers = re.findall(r"\d+/\d+|\d[\d,]*(?:\.\d+)?", text)
    assert [number.rstrip(",") for number in numbers] == [written for written, *_ in NUMBERS]


def test_claims_one_to_forty_eight_are_all_there() -> None:
    ids = {c.id[:3] for c in claims()}
    assert ids >= {f"C{i:02d}" for i in range(1, 49)}


def test_each_number_of_a_claim_stands_on_the_starting_page_or_follows_from_it() -> None:
    # C10c, C41b and C53 follow from other numbers of the page; the rest is in the list
    listed = {(claim_id, value) for _, value, _, claim_id in [*NUMBERS, *WORDS]}
    for c in claims():
        for value in (c.value, c.value_hi):
            if value == value:
                assert any(i == c.id and v == pytest.approx(value, rel=1e-5) for i, v in listed), c.id


def test_keys_of_sources_have_an_entry_in_the_references() -> None:
    entries = set(re.findall(r"^@\w+\{([^,]+),", (ROOT / "book" / "references.bib").read_text(), re.M))
    for name in TABLES:
        used = set(load_table(name)["bib_key"]) - {""}
        assert used <= entries, f"{name}: no entry for {sorted(used - entries)}"


def test_levers_belong_to_claims_and_recipes_name_what_is_illustrative() -> None:
    known = {c.id for c in claims()}
    assert set(load_table("levers")["claim"]) <= known
    recipes = load_table("recipes").set_index("id")
    page = recipes.loc[["grpo", "cispo"], ["A", "A_kind"]]
    assert page["A"].tolist() == [claim("C10b").value, claim("C10").value]
    assert set(page["A_kind"]) == {"illustrative"}
    assert set(recipes["R0_kind"]) == {"illustrative"}  # no paper gives R0
    published = load_table("published_fits").set_index("id").loc["t1_scalerl"]
    scalerl = recipes.loc["scalerl"]
    assert [scalerl[k] for k in ("A", "B", "Cmid_gpu_hours")] == [
        published[k] for k in ("A", "B", "Cmid_gpu_hours")
    ]


def test_second_hand_readings_of_figures_are_not_published() -> None:
    fits = load_table("published_fits")
    drawn = fits[fits["location"].str.contains("legend")]
    assert len(drawn) >= 8
    assert drawn[["A", "B", "Cmid_gpu_hours"]].isna().all(axis=None)
    assert fits["R0"].isna().all()


def test_an_unsourced_claim_with_a_number_of_a_source_is_refused(tmp_path: Path) -> None:
    table = load_table("claims").astype(object)
    i = table.index[table["id"] == "C19"][0]
    table.loc[i, "source_value"] = 5.0
    path = tmp_path / "claims.csv"
    table.to_csv(path, index=False)
    with pytest.raises(TableError, match=r"row 'C19'\), column 'source_value': found '5\.0'"):
        load_table("claims", path)


def test_a_claim_shows_its_verdict() -> None:
    shown = claim("C10")._repr_html_()
    assert "C10: differs" in shown and 'href="appendix-claims.html#C10"' in shown
    assert repr(claim("C05")).startswith("C05 differs in part: ")
    both = claims("C10", "C10b")
    assert isinstance(both, Claims) and both._repr_html_().count('class="claim-note') == 2
    assert repr(both).count("\n") == 1


def test_a_year_is_written_without_a_comma() -> None:
    assert claim("C22").stated == "2025, year"
    assert claim("C40").stated == "100 to 200 rollout steps"
    assert claim("C05").stated == ""


def test_text_of_a_claim_cannot_break_the_page() -> None:
    from dataclasses import replace

    bad = replace(claim("C10"), claim="<script>alert(1)</script>", source_says='a "b" & c')
    assert "<script" not in bad._repr_html_()
    assert "&lt;script" in bad._repr_html_() and "&amp; c" in bad._repr_html_()


def test_unknown_claims_chapters_and_verdicts_are_named() -> None:
    with pytest.raises(TableError, match="no claim 'C99'"):
        claim("C99")
    with pytest.raises(TableError, match="did you mean 'C10"):
        claims("C10x")
    with pytest.raises(TableError, match="no claim has the chapter '06-pilots'; did you mean '06-pilot'"):
        claims(chapter="06-pilots")
    with pytest.raises(TableError, match="no claim has the verdict 'false'"):
        claims(verdict="false")


def test_counts_add_up() -> None:
    counts = claims().count_verdicts()
    assert sum(counts.values()) == len(claims())
    assert all(counts[v] == len(claims(verdict=v)) for v in VERDICTS)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (280_000, "280,000"),
        (2000, "2,000"),
        (0.09, "0.09"),
        (80.7, "80.7"),
        (0.5, "0.5"),
        (-3, "-3"),
    ],
)
def test_numbers_are_written_as_people_do(value: float, text: str) -> None:
    assert format_number(value) == text


# ---- what is written from the tables ---------------------------------------------------------------------


def test_data_dictionary_and_ledger_page_are_up_to_date() -> None:
    advice = "run: make data"
    assert (ROOT / "data" / "README.md").read_text(encoding="utf-8") == write_dictionary(), advice
    assert (ROOT / "book" / "appendix-claims.md").read_text(encoding="utf-8") == write_ledger(), advice


def test_dictionary_has_a_section_for_each_table_and_a_row_for_each_column() -> None:
    sections = re.split(r"^## (?=`)|^## Data under", write_dictionary(), flags=re.M)[1:-1]
    assert [s.split("`")[1] for s in sections] == [f"{name}.csv" for name in TABLES]
    for section, table in zip(sections, TABLES.values(), strict=True):
        assert re.findall(r"^\| `(\w+)` \|", section, re.M) == [c.name for c in table.columns]


class _Boxes(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.boxes: list[dict[str, str | None]] = []
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "div":
            self.depth += 1
            if "data-verdict" in dict(attrs):
                self.boxes.append(dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "div"


def test_ledger_page_has_each_claim_once_with_chapter_and_verdict() -> None:
    parser = _Boxes()
    parser.feed(write_ledger())
    assert parser.depth == 0
    assert [(b["id"], b["data-verdict"], b["data-chapter"]) for b in parser.boxes] == [
        (c.id, c.verdict, c.chapter) for c in claims()
    ]


def test_make_data_writes_only_what_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "book").mkdir()
    assert main(["--root", str(tmp_path)]) == 0
    assert "wrote book/appendix-claims.md" in capsys.readouterr().out
    assert main(["--root", str(tmp_path)]) == 0
    assert "wrote" not in capsys.readouterr().out


# ---- the filter of the page ------------------------------------------------------------------------------


def test_filter_functions_of_the_page() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node to run the page's functions outside of a browser")
    script = f"""
    const c = require({json.dumps(str(ROOT / "book" / "_static" / "claims.js"))});
    const claim = {{chapter: "02-algorithms", verdict: "differs", text: "C10: CISPO has the ceiling 0.61"}};
    const any = {{chapter: "", verdict: "", words: ""}};
    console.log(JSON.stringify([
      c.isWantedClaim(claim, any),
      c.isWantedClaim(claim, {{...any, verdict: "confirmed"}}),
      c.isWantedClaim(claim, {{...any, chapter: "02-algorithms", words: "ceiling cispo"}}),
      c.isWantedClaim(claim, {{...any, words: "cispo grpo"}}),
      c.readWantedClaims("?verdict=differs&other=1"),
      c.writeWantedClaims({{chapter: "", verdict: "differs", words: "a b"}}),
      c.writeWantedClaims(any),
      c.countClaims(3, 105), c.countClaims(105, 105),
    ]));"""
    done = subprocess.run([node, "-e", script], check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == [
        True,
        False,
        True,
        False,
        {"chapter": "", "verdict": "differs", "words": ""},
        "?verdict=differs&words=a+b",
        "",
        "3 of 105 claims",
        "All 105 claims",
    ]


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_ledger_page_filters_in_a_browser(site: Path, browser: Any) -> None:
    if "appendix-claims" not in list_pages(ROOT):
        pytest.fail("appendix-claims is not in _toc.yml")
    page = (site / "appendix-claims.html").as_uri()
    count = (
        "return [...document.querySelectorAll('#claims > .claim-note')].filter(b => b.offsetParent).length"
    )

    browser.get(page + "?verdict=unsourced")
    assert browser.execute_script(count) == len(claims(verdict="unsourced"))
    set_field = (
        "const f = document.getElementById(arguments[0]); f.value = arguments[1];"
        "f.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    browser.execute_script(set_field, "claims-chapter", "08-cost")
    both = [c for c in claims(chapter="08-cost") if c.verdict == "unsourced"]
    assert browser.execute_script(count) == len(both) > 0
    status = browser.execute_script(
        "return document.querySelector('#claims-filter [role=status]').textContent"
    )
    assert status == f"{len(both)} of {len(claims())} claims"
    assert "chapter=08-cost" in browser.current_url
    browser.execute_script(set_field, "claims-words", "no claim has these words")
    assert browser.execute_script(count) == 0

    # a link to a claim shows it whatever the filter hides
    browser.get("about:blank")
    browser.get(page + "?verdict=confirmed#C10")
    assert browser.execute_script("return document.getElementById('C10').offsetParent !== null")
    # an address that names no such chapter shows all
    browser.get("about:blank")
    browser.get(page + "?chapter=nonsense")
    assert browser.execute_script(count) == len(claims())


def test_no_note_names_a_column():
    """Readers of the ledger's page do not see the columns."""
    table = load_table("claims")
    texts = table[["claim", "source_says", "note"]].fillna("").agg(" ".join, axis=1)
    internal = {name for name in table.columns if "_" in name}
    assert internal and not [t for t in texts if any(name in t for name in internal)]
