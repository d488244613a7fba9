"""What `vara check` looks for beyond reading: each rule by its place and count, on datasets of a few lines."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.datasets.sound_dataset import more
from tests.unit.datasets.sound_rows import document, query, rows
from vara.datasets.lint.check import check_dataset
from vara.datasets.lint.ids import changes
from vara.datasets.lint.views import texts_of
from vara.datasets.text import embedded_text

CORPUS, QUERIES, LABELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"


def test_a_sound_dataset_is_only_small(build, check):
    assert check({}) == {"short-document": (1, "corpus.jsonl:2 id d2")}
    found = {one.code: one.examples for one in check_dataset(build({}), min_group=2).findings}
    assert found.keys() - {"short-document"} == {"small-corpus", "few-queries", "one-relevant"}
    assert found["small-corpus"] == ("corpus.jsonl 2 documents",)
    assert found["few-queries"] == ("queries.jsonl split dev: 1", "queries.jsonl split test: 1")
    assert found["one-relevant"] == (
        "queries.jsonl split dev: 1 queries",
        "queries.jsonl split test: 1 queries",
    )


DOCUMENTS = {
    "ids that are numbers to some programs": (
        rows(
            *(
                document(name, f"Text number {n} of this corpus.")
                for n, name in enumerate(["001", "1e5", "7", "NA"])
            )
        ),
        {
            "changing-id": (3, "corpus.jsonl:3 id 001", "corpus.jsonl:4 id 1e5", "corpus.jsonl:6 id NA"),
            "numeric-id": (1, "corpus.jsonl:5 id 7"),
        },
    ),
    "2,001 characters": (
        rows(document("d3", "X." + "x" * 1999), document("d4", "Y." + "y" * 1998)),
        {"overlong-document": (1, "corpus.jsonl:3 id d3: 2001 characters")},
    ),
    "19 characters": (
        rows(document("d3", "x" * 19), document("d4", "y" * 20)),
        {"short-document": (2, "corpus.jsonl:2 id d2", "corpus.jsonl:3 id d3")},
    ),
    "a link and nothing else": (
        rows(
            document("d3", "https://a.example/b \nhttp://c.example"),
            document("d4", "See https://a.example/b"),
        ),
        {"only-a-link": (1, "corpus.jsonl:3 id d3")},
    ),
    "a title and nothing else": (
        rows(document("d3", " ", title="A title of some length")),
        {"title-only": (1, "corpus.jsonl:3 id d3")},
    ),
    "markup": (
        rows(
            document("d3", "Two lines<br />of a text."),
            document("d4", "Caf&eacute; and &#233; too, really."),
            document("d5", "If 1 < 2 and 3 > 2 & so on, AT&T says."),
        ),
        {"markup": (2, "corpus.jsonl:3 id d3", "corpus.jsonl:4 id d4")},
    ),
    "characters that nobody sees": (
        rows(
            document("d3", "A zero\u200bwidth space in it."),
            document("d4", "A mark \ufeffin the middle of it."),
            document("d5", "A CR\r\nat the end of a line."),
            document("d6", "A tab\tand\na line feed are fine."),
        ),
        {"invisible-character": (3, "corpus.jsonl:3 id d3", "corpus.jsonl:4 id d4", "corpus.jsonl:5 id d5")},
    ),
    "characters that were lost": (
        rows(document("d3", "A caf\ufffd in the old town."), document("d4", "A cafÃ© in the old town.")),
        {"broken-character": (2, "corpus.jsonl:3 id d3", "corpus.jsonl:4 id d4")},
    ),
    "NFD": (
        rows(document("d3", "Cafe\u0301 in the old town."), document("d4", "Café in the new town.")),
        {"not-nfc": (1, "corpus.jsonl:3 id d3")},
    ),
    "one text under two ids": (
        rows(
            document("d3", "How to reset one.", title="Passwords"),
            document("d4", " How to reset one.", title="Passwords"),
        ),
        # d4 has a blank before its text: another text, but one start is no finding below 60 characters
        {
            "identical-texts": (1, "corpus.jsonl:3 id d3, as d1"),
            "half-judged-twin": (1, "qrels.tsv:2 query q1 document d1, not d3"),
            "same-title": (1, "corpus.jsonl:4 id d4, as d1"),
        },
    ),
    "one start of 60 characters, and one of 59": (
        rows(document("d3", "s" * 60 + "a"), document("d4", "s" * 60 + "b"), document("d5", "s" * 59 + "cc")),
        {"same-start": (1, "corpus.jsonl:4 id d4, as d3")},
    ),
    "a document newer than every query": (
        rows(document("d3", metadata={"updated_at": "2024-02-01T10:00:00Z", "created": "2019-01-01"})),
        {},  # no query has a date: nothing is said
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_rules_about_documents(check, name):
    lines, expected = DOCUMENTS[name]
    found = check(more(CORPUS, *lines))
    if "short-document" not in expected:
        assert found.pop("short-document")[1:] == ("corpus.jsonl:2 id d2",)
    assert found == expected


def test_texts_that_were_chewed_for_a_machine(check):
    plain = " ".join(["statin breast cancer survival"] * 5)  # 145 characters without capitals and marks
    assert check(more(CORPUS, *rows(document("d3", plain))))["preprocessed-text"] == (
        1,
        "corpus.jsonl:3 id d3",
    )
    for other in (
        plain + ".",
        plain.replace("s", "S", 1),
        "统计" * 80,
    ):  # a script without case has no capitals to lose
        assert "preprocessed-text" not in check(more(CORPUS, *rows(document("d3", other))))
    written = [document(name, f"{name} " + "Whole sentences, with marks. " * 5) for name in ("d4", "d5")]
    assert "preprocessed-text" not in check(more(CORPUS, *rows(document("d3", plain), *written)))


def test_no_document_has_a_title(check):
    untitled = "".join(
        f"{line}\n" for line in rows(document("d1"), document("d2", "Printers print, again.", title=""))
    )
    assert check({CORPUS: untitled})["no-titles"] == (1, "corpus.jsonl")


def test_queries_that_repeat_one_another_or_a_document(check):
    asked = [query("q3", "Printer "), query("q4", "passwords"), query("q5", "PRINTERS PRINT.")]
    assert {
        code: found for code, found in check(more(QUERIES, *rows(*asked))).items() if "query" in code
    } == {
        "repeated-query": (1, "queries.jsonl:3 id q3, as q2"),
        "query-is-document": (
            2,
            "queries.jsonl:4 id q4, as document d1",
            "queries.jsonl:5 id q5, as document d2",
        ),
    }
    long = check(more(QUERIES, *rows(query("q3", "why " * 501))))
    assert long["overlong-query"] == (1, "queries.jsonl:3 id q3: 2004 characters")


def test_groups_and_long_lists(check):
    documents = rows(*(document(f"x{n}", f"Document number {n} of many.") for n in range(21)))
    labels = [f"q3\tx{n}\t1" for n in range(21)]
    changes = {
        **more(CORPUS, *documents),
        **more(QUERIES, *rows(query("q3", language="es", category="net"), query("q4", language="de"))),
        **more(LABELS, *labels, "q2\tx0\t1"),
    }
    found = check(changes)
    assert found["many-relevant"] == (1, "queries.jsonl:3 query q3: 21")
    # q4 has no relevant document: its language has no answerable query in the split, and no group
    assert found["small-group"] == (
        2,
        "queries.jsonl split test, category=net: 1",
        "queries.jsonl split test, language=es: 1",
    )


@given(st.text(max_size=8))
def test_what_a_guessing_program_keeps_is_not_reported(name):
    """Whatever int or float would read, and would write otherwise, is reported."""
    try:
        survives = str(int(name)) == name
    except ValueError:
        try:
            float(name)
            survives = False
        except ValueError:
            survives = True
    if not survives and name.isascii():
        assert changes(name)


@given(st.lists(st.tuples(st.none() | st.text(max_size=5), st.none() | st.text(max_size=5)), min_size=1))
def test_the_column_of_texts_is_what_is_embedded(pairs):
    frame = pl.DataFrame(
        {
            "doc_id": [str(n) for n in range(len(pairs))],
            "title": [a for a, _ in pairs],
            "text": [b for _, b in pairs],
        },
        schema=dict.fromkeys(("doc_id", "title", "text"), pl.String),
    )
    odd = "\x1c\x1d\x1e\x1f"  # Python calls these white space, Unicode and polars do not
    if not any(char in (part or "") for pair in pairs for part in pair for char in odd):
        assert texts_of(frame, "doc_id").whole.to_list() == [embedded_text(*pair) for pair in pairs]
