"""What `vara check` says of age, logs, tokens and sizes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.datasets.sound_dataset import more
from tests.unit.datasets.sound_rows import document, query, rows
from vara.datasets.lint.check import Tokens, check_dataset
from vara.datasets.lint.log import read_log
from vara.errors import Problem

CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"


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
