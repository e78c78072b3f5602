"""The chapters are one book: claims lead there and back, chapters lead on, a symbol has one meaning."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from rlscale.claims import claims

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = sorted(p.stem for p in (ROOT / "notebooks").glob("[0-9][0-9]-*.py"))
APPENDIX = ["appendix-errata", "appendix-glossary", "appendix-log-formats", "appendix-teachers"]


def outputs(chapter: str) -> str:
    """All HTML that the executed chapter shows."""
    notebook = nbformat.read(ROOT / "book" / f"{chapter}.ipynb", as_version=4)
    shown = [
        output.get("data", {}).get("text/html", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    return "\n".join(shown)


def markdown(page: str) -> str:
    """The prose of a chapter or an appendix page, without code and programs."""
    path = ROOT / "notebooks" / f"{page}.py"
    if not path.is_file():
        return (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8")
    cells = re.split(r"^# %%", path.read_text(encoding="utf-8"), flags=re.M)[1:]
    text = "\n".join(cell for cell in cells if cell.startswith(" [markdown]"))
    return re.sub(r"^# ?", "", text, flags=re.M)


@pytest.mark.parametrize("chapter", sorted({c.chapter for c in claims()}))
def test_each_claim_has_its_box_in_its_chapter_and_the_ledger_leads_to_it(chapter):
    boxes = Counter(re.findall(r'id="claim-(C\d+[a-z]?)"', outputs(chapter)))
    ledger = (ROOT / "book" / "appendix-claims.md").read_text(encoding="utf-8")
    for claim in claims(chapter=chapter):
        assert boxes[claim.id] == 1, f"{claim.id} has {boxes[claim.id]} boxes in {chapter}"
        assert f'href="{chapter}.html#claim-{claim.id}"' in ledger
        assert f'href="appendix-claims.html#{claim.id}"' in outputs(chapter)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_box_stands_twice_on_a_page_or_shows_markup(chapter):
    shown = outputs(chapter)
    boxes = re.findall(r'id="claim-(C\d+[a-z]?)"', shown)
    assert len(boxes) == len(set(boxes))
    notes = re.findall(r'<div class="claim-note.*?</div>', shown, flags=re.S)
    assert all("`" not in note for note in notes)


def links(chapter: str) -> set[str]:
    found = re.findall(r"\]\((\d\d-[a-z-]+)\)|\{doc\}`(\d\d-[a-z-]+)`", markdown(chapter))
    return {a or b for a, b in found} - {chapter}


def test_each_chapter_leads_on_and_is_led_to():
    leads = {chapter: links(chapter) for chapter in CHAPTERS}
    assert set().union(*leads.values()) <= set(CHAPTERS)
    for chapter in CHAPTERS:
        assert len(leads[chapter]) >= 2, f"{chapter} leads to {leads[chapter]}"
        assert sum(chapter in others for others in leads.values()) >= 2, f"few chapters lead to {chapter}"


_KNOWN = r"log|max|min|frac|dfrac|sqrt|left|right|cdot|approx|sum|nabla|geq?|leq?|qquad|quad"
_SYMBOL = r"\\(?:pi|ell|kappa|varepsilon|sigma|alpha|beta)|[A-Za-z](?:_(?:mid|[a-z0-9]))?"


def symbols(formula: str) -> set[str]:
    r"""Symbols of a formula: C_\text{mid} and w_i are one each, words and functions none.

    >>> sorted(symbols(r"R_0 + \frac{A}{(C_\text{mid}/C)^{B}} \text{ now}"))
    ['A', 'B', 'C', 'C_mid', 'R_0']
    """
    text = formula.replace(r"_\text{mid}", "_mid")
    text = re.sub(r"\\(?:text|mathrm)\{[^}]*\}", " ", text)
    text = re.sub(r"\\sum_[a-z]", " ", text)  # an index that the symbols after it carry
    text = re.sub(rf"\\(?:{_KNOWN})(?![a-z])", " ", text)
    return set(re.findall(_SYMBOL, text))


def formulas(page: str) -> list[str]:
    text = re.sub(r"\\\$[\d.]+K?", " ", markdown(page))  # dollars
    return [a or b for a, b in re.findall(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", text, flags=re.S)]


def notation() -> set[str]:
    table = markdown("appendix-glossary").split("## Notation", 1)[1].split("In code the letters", 1)[0]
    first = [line.split("|")[1] for line in table.splitlines() if line.startswith("| $")]
    return set().union(*(symbols(f) for cell in first for f in re.findall(r"\$([^$]+)\$", cell)))


@pytest.mark.parametrize("page", ["intro", *CHAPTERS, "appendix-log-formats", "appendix-teachers"])
def test_each_symbol_of_a_formula_is_in_the_notation(page):
    missing = set().union(*(symbols(f) for f in formulas(page))) - notation()
    assert not missing, f"{page}: {sorted(missing)} not in appendix-glossary"


def test_no_symbol_has_two_rows():
    table = markdown("appendix-glossary").split("## Notation", 1)[1].split("In code the letters", 1)[0]
    rows = [
        re.findall(r"\$([^$]+)\$", line.split("|")[1]) for line in table.splitlines() if line[:3] == "| $"
    ]
    names = [name for row in rows for name in row]
    assert len(names) == len(set(names)) > 20


#: What is not written -> how the book writes it.
SPELLINGS = {
    r"roll-outs?|roll outs?": "rollout",
    r"pass-rates?": "pass rate",
    r"hyper-parameters?": "hyperparameter",
    r"optimisers?": "optimizer",
    r"learnt": "learned",
    r"GPU hours?": "GPU-hours",
    r"GB200 hours?": "GB200-hours",
    r"H100 hours?": "H100-hours",
    r"log ratios?": "log-ratio",
    r"check-points?": "checkpoint",
    r"half way|halfway": "half-way",
    r"data-?sets?(?!s)": "data set",
    r"behavior|color": "behaviour, colour",
    r"finetun\w+": "fine-tuning",
    r"pretrain\w+": "pre-training",
    r"posttrain\w+": "post-training",
    r"cool-?down|C_mid|Cmids": "one of the words of the glossary",
}


@pytest.mark.parametrize("page", ["intro", *CHAPTERS, *APPENDIX])
def test_one_spelling_a_term(page):
    text = re.sub(r"`[^`]*`|\{[a-z]+\}`[^`]*`|\$[^$]*\$|https?:\S+", " ", markdown(page))
    for wrong, right in SPELLINGS.items():
        found = re.search(rf"(?<![\w-])(?:{wrong})(?![\w-])", text)
        assert not found, f"{page}: {found[0]!r}, write {right!r}"


@pytest.mark.parametrize("page", ["intro", *CHAPTERS, *APPENDIX])
def test_an_exercise_is_named_by_reference_not_by_number(page):
    """Sphinx numbers exercises through the whole book: the third of a chapter may be number 60 there."""
    assert not re.search(r"\b[Ee]xercises? \d", markdown(page))


def test_first_page_and_readme_agree_on_installation_and_formats():
    readme = re.sub(r"\s+", " ", (ROOT / "README.md").read_text(encoding="utf-8"))
    intro = re.sub(r"\s+", " ", markdown("intro"))
    formats = (
        "verl, TRL, tinker-cookbook, OpenRLHF, prime-rl, NeMo-RL, SkyRL, open-instruct, slime and others, "
        "exports of Weights & Biases, TensorBoard, MLflow, SwanLab and trackio, and plain CSV and JSONL"
    )
    for text in (readme, intro):
        assert "git clone https://github.com/rlscale/rlscale && cd rlscale" in text
        assert "pip install '.[report]'" in text
        assert formats in text


def test_minutes_of_the_routes_are_those_of_the_plans():
    page = markdown("appendix-teachers")
    plans, rest = {}, {}
    for number, plan in re.findall(r"^### (\d\d): .+?\n(.*?)(?=^### |^## )", page, flags=re.M | re.S):
        rows = re.findall(r"^\| (\d+) \| (.+) \|$", plan, flags=re.M)
        plans[number] = sum(int(m) for m, _ in rows)
        rest[number] = sum(int(m) for m, what in rows if "Exercises:" not in what)
    assert set(plans.values()) == {50}
    assert f"| {plans['01']} + {rest['11']} |" in page
    assert f"| {plans['01']} + {rest['07']}; {plans['11']} + {rest['10']} |" in page
    assert max(plans["01"] + rest["11"], plans["01"] + rest["07"], plans["11"] + rest["10"]) <= 90
