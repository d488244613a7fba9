"""A query's own scope: what may be written, what becomes of it, and what is said of one that leads nowhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.datasets.sound_dataset import more
from vara.datasets.dataset import read_dataset
from vara.datasets.schemas import validate_table
from vara.datasets.tables import to_frame
from vara.errors import Problem

CORPUS, QUERIES, LABELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"


def query(scope: Any, name: str = "q3") -> str:
    return json.dumps({"_id": name, "text": "x", "metadata": {"split": "dev", "scope": scope}})


@pytest.mark.parametrize(
    ("scope", "column"),
    [
        (None, None),
        ({}, None),
        ({"b": 2020, "a": "é"}, '{"a":"é","b":2020}'),
        ({"a": ["x", 1, True], "b": ""}, '{"a":["x",1,true],"b":""}'),
    ],
)
def test_the_column(build, scope, column):
    dataset = read_dataset(build(more(QUERIES, query(scope))))
    assert dataset.queries["scope"].to_list() == [None, None, column]


@pytest.mark.parametrize(
    "scope",
    [
        *("web", 1, True, False, "", [], ["web"], [{"a": "web"}]),
        *({"a": None}, {"a": 1.5}, {"a": 1.0}, {"a": {}}, {"a": {"b": 1}}, {"a": []}),
        *({"a": ["x", None]}, {"a": [["x"]]}, {"a": ["x", 0.5]}, {"a": "x", "b": []}),
    ],
)
def test_anything_else_is_refused(build, scope):
    """Passed over, it would let the query search everywhere."""
    dataset = read_dataset(build(more(QUERIES, query(scope))))
    assert [(one.code, one.severity, one.where) for one in dataset.findings if one.severity == "error"] == [
        ("bad-scope", "error", "queries.jsonl:3")
    ]


def test_a_field_that_a_lost_line_may_have_is_not_called_unknown(lint):
    scoped = more(QUERIES, query({"product": "web"}))
    broken = more(CORPUS, '{"_id": "d3", "text": "x", "metadata": {"product": "web"')
    assert [line.split()[1] for line in lint({**scoped, **broken})][:1] == ["bad-json"]
    assert not [line for line in lint({**scoped, **broken}) if "-scope" in line]
    assert [line.split()[1] for line in lint(scoped)][:1] == ["unknown-scope"]


def test_without_documents_that_alone_is_said(lint):
    assert not [line for line in lint({CORPUS: "", **more(QUERIES, query({"a": 1}))}) if "-scope" in line]


def test_the_labels_of_a_scope_that_leads_nowhere_are_not_blamed(lint):
    """The field is the fault, and one finding says so."""
    found = lint({**more(QUERIES, query({"a": 1})), **more(LABELS, "q3\td1\t1", "q3\td2\t1")})
    assert [line.split()[1:3] for line in found] == [["unknown-scope", "(1):"]]


def test_every_unknown_field_and_every_query_is_counted(lint):
    known = more(CORPUS, '{"_id": "d3", "text": "x", "metadata": {"product": "web"}}')
    asked = more(QUERIES, query({"shop": 1, "brand": "x", "product": "web"}), query({"shop": 2}, "q4"))
    first, *_ = lint({**known, **asked})
    assert first.startswith("error unknown-scope (3): ")
    assert "queries.jsonl:3 query q3: 'brand'. Known names: product" in first


def test_a_label_on_an_unknown_document_is_not_outside_a_scope(lint):
    known = more(CORPUS, '{"_id": "d3", "text": "x", "metadata": {"product": "web"}}')
    found = lint(
        {**known, **more(QUERIES, query({"product": "web"})), **more(LABELS, "q3\td3\t1", "q3\tdx\t1")}
    )
    assert [line.split()[1] for line in found] == ["unknown-document"]


def test_the_schema_refuses_a_scope_that_is_no_object():
    scopes = {"q1": None, "q2": "web"}
    rows = [(name, "x", None, "{}", None, None, None, scope) for name, scope in scopes.items()]
    with pytest.raises(Problem, match=r"^Table queries problem: failed scope: str_startswith"):
        validate_table(to_frame("queries", rows), "queries")
