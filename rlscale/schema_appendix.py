"""What the tables of rival laws, of slopes by model size and of errata promise."""

from __future__ import annotations

from .schemas import DAY_PATTERN, ID, Rule, Table, number, source_columns, text

SCALING_FORMS = Table(
    "scaling_forms",
    "one law that was proposed for RL after pre-training (and Chinchilla's, to compare): its form, what it "
    "was studied on, and one number of it",
    (
        ID,
        text("work", "short name of the work", filled=True),
        text("studied", "models and scale", filled=True),
        text("form", "the law, or the relation in words", filled=True),
        text("in_words", "what it says", filled=True),
        text("for_a_planner", "the decision that it helps", filled=True),
        number("number", "one number of it"),
        text("number_means", "what that number is"),
        *source_columns(),
    ),
    (
        Rule(
            "number_explained",
            "number_means",
            lambda t: t["number"].isna() | (t["number_means"] != ""),
            "what the number is",
        ),
    ),
)

SIZE_SLOPES = Table(
    "size_slopes",
    "one model size of Tan et al.: the slope of the logarithm of the error against that of the compute",
    (
        ID,
        number("params_b", "parameters in billions", filled=True),
        number("slope", "k of log L = -k log X + E, decades of error a decade of compute", filled=True),
        *source_columns(),
    ),
)

#: Whose error an entry is about.
WHOSE = ("book", "source")

ERRATA = Table(
    "errata",
    "one error: of a source that this book uses, or a value of this book that was changed after it had been "
    "published. A changed value without an entry here fails the tests",
    (
        text("id", "E and a number", filled=True, unique=True, pattern=r"E\d{2,3}"),
        text("date", "the day of the entry", filled=True, pattern=DAY_PATTERN),
        text(
            "whose",
            "book: a value of ours changed; source: an error or trap in a source",
            filled=True,
            allowed=WHOSE,
        ),
        text("table", "of ours, where a value changed: its name"),
        text("row", "of ours: the id of the row"),
        text("column", "of ours: the column"),
        text("old", "of ours: the value that had been published, as written in the table"),
        text("new", "of ours: the value now; empty: the row or its number was taken out"),
        text("what", "what is wrong, in a sentence", filled=True),
        text("consequence", "what follows for a reader", filled=True),
        *source_columns(),
    ),
    (
        Rule(
            "cell_of_ours",
            "column",
            lambda t: (
                (t["whose"] == "source") | ((t["table"] != "") & (t["row"] != "") & (t["column"] != ""))
            ),
            "table, row and column of the value that changed",
        ),
        Rule(
            "no_cell_of_a_source",
            "old",
            lambda t: (
                (t["whose"] == "book")
                | (
                    (t["table"] == "")
                    & (t["row"] == "")
                    & (t["column"] == "")
                    & (t["old"] == "")
                    & (t["new"] == "")
                )
            ),
            "an empty cell: the values of a source are not changed here",
        ),
        Rule(
            "changed",
            "new",
            lambda t: (t["whose"] == "source") | (t["old"] != t["new"]),
            "another value than before",
        ),
    ),
)
