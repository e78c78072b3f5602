"""What the tables of claims, recipes, levers and frameworks promise."""

from __future__ import annotations

from .schemas import ID, NUMBER_KINDS, VERDICTS, Rule, Table, number, source_columns, text

#: Chapters that a claim or a lever can belong to: file names without ending.
CHAPTERS = (
    "intro",
    "01-sigmoid-law",
    "02-algorithms",
    "03-base-model",
    "04-difficulty",
    "05-reference-runs",
    "06-pilot",
    "07-misleading-curves",
    "08-cost",
    "09-speed",
    "10-plan",
)
#: How far a verdict reaches.
REACH = ("partly", "weakly", "other paper", "arithmetic")
_EFFECTS = ("up", "down", "none", "mixed", "unknown")
_ADDS_UP = ("yes", "partly", "no", "unknown")

CLAIMS = Table(
    "claims",
    "one claim of the starting page in our words, with what its sources say. A claim with several numbers "
    "has several rows: C10, C10b, C10c",
    (
        text("id", "C and a number, as chapters cite it", filled=True, unique=True, pattern=r"C\d{2}[a-z]?"),
        text("claim", "what the starting page says, in our words", filled=True),
        number("value", "the number that it gives; the lower end of a range", lo=None),
        number("value_hi", "the upper end of a range", lo=None),
        text("unit", "what the number counts"),
        text("verdict", "what the sources make of it", filled=True, allowed=VERDICTS),
        text("reach", "how far the verdict reaches; empty: fully", allowed=REACH),
        text("source_says", "what the source says, in our words", filled=True),
        number("source_value", "the number of the source; the lower end of a range", lo=None),
        number("source_value_hi", "the upper end of a range", lo=None),
        text("chapter", "the chapter that deals with it", filled=True, allowed=CHAPTERS),
        *source_columns(),
    ),
    (
        Rule(
            "number_with_unit",
            "unit",
            lambda t: t["value"].isna() | (t["unit"] != ""),
            "a unit, since the claim has a number",
        ),
        Rule(
            "range",
            "value_hi",
            lambda t: ~(t["value_hi"] <= t["value"]),
            "more than value, or an empty cell",
        ),
        Rule(
            "unsourced_has_no_number",
            "source_value",
            lambda t: (t["verdict"] != "unsourced") | t["source_value"].isna() | (t["kind"] == "derived"),
            "an empty cell: what no source gives has no number, unless derived",
        ),
    ),
)

RECIPES = Table(
    "recipes",
    "one recipe: its parts as its source gives them, and a curve to compare it by. Each number of the curve "
    "says whether it is reported or chosen for illustration",
    (
        ID,
        text("name", "as the book writes it", filled=True),
        text("from_model", "the model or project that it comes from", filled=True),
        text("ratio", "level of the importance ratio", filled=True, allowed=("token", "sequence")),
        text("clip", "how the ratio is limited", filled=True),
        number("clip_lo", "lower half-width of the clip, 1 - clip_lo"),
        number(
            "clip_hi", "upper half-width of the clip, 1 + clip_hi, or the cap itself where `clip` says cap"
        ),
        text("loss_average", "over what the loss is averaged", filled=True),
        text("advantage", "how the advantage is scaled", filled=True),
        text("kl", "penalty that holds the policy near its start", filled=True),
        text("logits_precision", "of the output layer", filled=True),
        text("asynchrony", "how generation and training take turns", filled=True),
        text("prompt_filter", "which prompts are dropped", filled=True),
        text("length_control", "what is done about long answers", filled=True),
        number("R0", "start of the curve", filled=True, hi=1.0),
        text("R0_kind", "how R0 came about", filled=True, allowed=NUMBER_KINDS),
        number("A", "ceiling of the curve", filled=True, hi=1.0),
        text("A_kind", "how A came about", filled=True, allowed=NUMBER_KINDS),
        number("B", "steepness of the curve", filled=True),
        text("B_kind", "how B came about", filled=True, allowed=NUMBER_KINDS),
        number("Cmid_gpu_hours", "compute at half of the gain, in GB200 GPU-hours", filled=True),
        text("Cmid_kind", "how Cmid came about", filled=True, allowed=NUMBER_KINDS),
        text("why_these_numbers", "where the four numbers come from", filled=True),
        *source_columns(),
    ),
    (Rule("gain", "A", lambda t: ~(t["A"] <= t["R0"]), "more than R0"),),
)

LEVERS = Table(
    "levers",
    "one thing that can be changed: what the starting page says it does, what was measured, and whether its "
    "effect adds to that of others",
    (
        ID,
        text("lever", "what is changed", filled=True),
        text(
            "page_says",
            "which it raises, by the starting page",
            filled=True,
            allowed=("ceiling", "speed", "both"),
        ),
        text("ceiling", "measured effect on A", filled=True, allowed=_EFFECTS),
        text("speed", "measured effect on the way to A", filled=True, allowed=_EFFECTS),
        text("effect", "size of the effect, in words", filled=True),
        number("from_value", "before", lo=None),
        number("to_value", "after", lo=None),
        text("value_is", "what these two numbers are"),
        text("measured_on", "model, data and scale", filled=True),
        text("adds_up", "whether its effect adds to that of the other levers", filled=True, allowed=_ADDS_UP),
        text("adds_up_why", "what is known of it together with others", filled=True),
        text("claim", "claim of the ledger that it belongs to", filled=True, pattern=r"C\d{2}[a-z]?"),
        text("chapter", "the chapter that deals with it", filled=True, allowed=CHAPTERS),
        *source_columns(),
    ),
    (
        Rule(
            "numbers_with_meaning",
            "value_is",
            lambda t: t["to_value"].isna() | (t["value_is"] != ""),
            "what from_value and to_value are",
        ),
    ),
)

FRAMEWORKS = Table(
    "frameworks",
    "one training framework: what it writes down, how it counts, and which switches touch precision",
    (
        ID,
        text("name", "as the book writes it", filled=True),
        text("repository", "where it lives", filled=True),
        text("version_read", "commit that was read, with its day", filled=True),
        text("log", "what it writes to disk", filled=True),
        text("step_key", "key of the step", filled=True),
        text("step_is", "what one step is", filled=True, allowed=("rollout_steps", "updates", "completions")),
        text("heldout_key", "key of the held-out pass rate; empty: none by default"),
        text("trap", "what is easily misread", filled=True),
        text("mismatch_key", "key that shows how far generation and training disagree; empty: none"),
        text("fp32_logits", "switch for output layers in FP32; empty: none found"),
        text("mismatch_correction", "switch that corrects the ratio; empty: none found"),
        text(
            "asynchronous",
            "whether it can train while it generates",
            filled=True,
            allowed=("yes", "no", "not read"),
        ),
        *source_columns(),
    ),
)
