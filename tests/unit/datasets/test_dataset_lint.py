"""What `vara check` looks for beyond reading: each rule by its place and count, on datasets of a few lines."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.datasets.sound_dataset import more
from vara.datasets.lint.check import Tokens, check_dataset
from vara.datasets.lint.ids import changes
from vara.datasets.lint.log import read_log
from vara.datasets.lint.rules import LINT
from vara.datasets.lint.views import texts_of
from vara.datasets.text import embedded_text
from vara.errors import Problem

CORPUS, QUERIES, LABELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"
SMALL = {"small-corpus", "few-queries", "one-relevant"}  # what every dataset of a few lines is


def rows(*records):
    return [json.dumps(record) for record in records]


def document(name, text="A sentence of some length.", **fields):
    return {"_id": name, "text": text, **fields}


def query(name, text="what", **metadata):
    return {"_id": name, "text": text, "metadata": {"split": "test", **metadata}}


@pytest.fixture
def check(build):
    """Return {code: (count, examples)} of what check alone finds in the sound dataset with changes."""

    def call(changes, **options):
        checked = check_dataset(build(changes), min_group=2, **options)
        own = {rule.code for rule in LINT}
        return {one.code: (one.count, *one.examples) for one in checked.findings if one.code in own - SMALL}

    return call


def test_a_sound_dataset_is_only_small(build, check):
    assert check({}) == {"short-document": (1, "corpus.jsonl:2 id d2")}
    found = {one.code: one.examples for one in check_dataset(build({}), min_group=2).findings}
    assert found.keys() - {"short-document"} == SMALL
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


def test_a_fossil(check):
    """Two of three dated documents are newer than the newest query; then one of two, which is no majority."""
    dates = [("d3", "2024-06-01"), ("d4", "2024-07-01"), ("d5", "2023-01-01")]
    documents = [document(name, f"{name} is a document.", metadata={"date": date}) for name, date in dates]
    asked = rows(query("q3", "who", created="2024-05-01"), query("q4", "when", created="2022-05-01"))
    old = check({**more(CORPUS, *rows(*documents)), **more(QUERIES, *asked)})
    assert old["fossil"] == (
        1,
        "queries.jsonl newest query 2024-05-01; 2 of 3 dated documents are newer",
    )
    assert "fossil" not in check({**more(CORPUS, *rows(*documents[1:])), **more(QUERIES, *asked)})


def test_a_test_set_unlike_the_log(check, tmp_path):
    """Medians: 1.5 words in the test set ("reset password", "printer"), 6 in the log; of its 3 words none is typed."""
    log = tmp_path / "log.txt"
    log.write_text("how do i get my money\n\nwhere is the form for my holiday\nwhat is vpn\n")
    assert check({}, log=("log.txt", read_log(log)))["unlike-log"] == (
        2,
        "log.txt median words a query: 1.5 in the test set, 6 in the log",
        "log.txt words of the test set that nobody typed: 3 of 3",
    )
    log.write_text("printer jam\npassword\nreset\n")
    assert "unlike-log" not in check({}, log=("log.txt", read_log(log)))


def test_logs_in_two_forms(tmp_path):
    objects = tmp_path / "log.ndjson"
    objects.write_text(
        '{"index": {}}\n{"user_query": "red shoes"}\n{"query": " "}\nnot JSON\n{"text": "boots"}\n'
    )
    assert read_log(objects) == ["red shoes", "boots"]
    (tmp_path / "empty.txt").write_text("\n \n")
    with pytest.raises(Problem) as caught:
        read_log(tmp_path / "empty.txt")
    assert str(caught.value) == (
        f"{tmp_path}/empty.txt problem: no query, expected one query a line, or JSON objects with text, query, "
        "user_query. Name another file with --log."
    )


def test_tokens_are_counted_with_title_and_text(check):
    def count(texts, kind):
        return np.array([len(text.split()) for text in texts])

    found = check({}, tokens=Tokens(count, 4))
    assert found["truncated-document"] == (
        1,
        "corpus.jsonl:1 id d1: 5 tokens",
    )  # Passwords / How to reset one.
    assert check({}, tokens=Tokens(count, 1))["truncated-query"] == (1, "queries.jsonl:1 id q1: 2 tokens")


def test_counts_and_shares(build):
    checked = check_dataset(
        build(more(CORPUS, *rows(document("d3", "X." + "x" * 1999), document("d4")))), min_group=2
    )
    assert checked.counts == {"documents": 4, "queries": 2, "labels": 2}
    assert checked.shares == {"overlong-document": 0.25, "short-document": 0.25}
    assert checked.sound


def test_nothing_is_said_of_a_folder_that_is_not_there(tmp_path):
    checked = check_dataset(tmp_path / "nowhere", min_group=2)
    assert [one.code for one in checked.findings] == ["missing-folder"]
    assert not checked.sound


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
