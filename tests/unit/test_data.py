"""The shipped collection is what its page says, its labels are made from the sheets, and no table was typed."""

from __future__ import annotations

import json
import runpy
from collections import Counter
from functools import cache
from typing import Any

import pytest

from tests.conftest import ROOT
from vara.report.table import headline, markdown, updated

HELPDESK = ROOT / "data/helpdesk"
METRICS = ROOT / "metrics/evaluate.json"

pulled = pytest.mark.skipif(
    not HELPDESK.is_dir(), reason="data/helpdesk is not pulled: dvc pull --remote shipped"
)


@cache
def read(name: str) -> dict[str, Any]:
    rows = (json.loads(line) for line in (HELPDESK / name).read_text(encoding="utf-8").splitlines())
    return {row["_id"]: row for row in rows}


@cache
def labels() -> list[tuple[str, str, int]]:
    _, *lines = (HELPDESK / "qrels.tsv").read_text(encoding="utf-8").splitlines()
    return [(query, doc, int(grade)) for query, doc, grade, _ in (line.split("\t") for line in lines)]


@cache
def labelling() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "data/labelling/report.py"))


def queries_with(field: str) -> Counter[str]:
    return Counter(query["metadata"][field] for query in read("queries.jsonl").values())


@pulled
def test_sizes() -> None:
    documents = read("corpus.jsonl")
    assert len(documents) == 200
    assert len(read("queries.jsonl")) == 80
    assert len({document["metadata"]["category"] for document in documents.values()}) == 10
    assert sum(document["metadata"]["status"] == "archived" for document in documents.values()) == 8
    audiences = Counter(document["metadata"]["audience"] for document in documents.values())
    assert audiences.pop(None) == 191
    assert set(audiences) == {"owner", "partner", "staff"}


@pulled
def test_splits_answers_and_languages() -> None:
    assert queries_with("split") == {"dev": 20, "test": 60}
    answerable = {query for query, _, grade in labels() if grade > 0}
    splits = Counter(read("queries.jsonl")[query]["metadata"]["split"] for query in answerable)
    assert splits == {"dev": 16, "test": 48}
    assert queries_with("language") == {"en": 68, "es": 12}


@pulled
def test_the_query_that_the_readme_shows_has_three_relevant_documents() -> None:
    assert sorted(doc for query, doc, grade in labels() if query == "q-001" and grade > 0) == [
        "cal-02",
        "cal-07",
        "cal-18",
    ]


@pulled
def test_a_document_has_between_60_and_160_words() -> None:
    words = {doc: len(row["text"].split()) for doc, row in read("corpus.jsonl").items()}
    assert {doc: count for doc, count in words.items() if not 60 <= count <= 160} == {}


@pulled
def test_no_label_is_on_an_unknown_document_or_query() -> None:
    assert {query for query, _, _ in labels()} <= read("queries.jsonl").keys()
    assert {doc for _, doc, _ in labels()} <= read("corpus.jsonl").keys()
    assert {grade for _, _, grade in labels()} == {0, 1, 2, 3}


@pulled
def test_nothing_relevant_is_archived_or_forbidden() -> None:
    for query, doc, grade in labels():
        facts = read("corpus.jsonl")[doc]["metadata"]
        allowed = read("queries.jsonl")[query]["metadata"].get("allowed") or []
        if grade > 0:
            assert facts["status"] != "archived", (query, doc)
            assert facts["audience"] in (None, *allowed), (query, doc)


@pulled
def test_the_labels_are_those_of_the_sheets() -> None:
    assert (HELPDESK / "qrels.tsv").read_text(encoding="utf-8") == labelling()["qrels"]()


def test_the_third_reading_resolved_every_disagreement() -> None:
    first, second, resolved = (labelling()["read"](f"{name}.tsv") for name in ("pass1", "pass2", "resolved"))
    differ = {pair for pair in first.keys() | second.keys() if first.get(pair, 0) != second.get(pair, 0)}
    assert differ == set(resolved)


def test_the_agreement_in_the_data_page_is_current() -> None:
    page = (ROOT / "data/README.md").read_text(encoding="utf-8")
    assert updated(page, markdown(labelling()["agreement"]()), where="data/README.md") == page


@pytest.mark.skipif(not METRICS.is_file(), reason="metrics/evaluate.json is not made: dvc repro")
def test_the_result_table_of_the_readme_is_current() -> None:
    """`vara show --readme README.md` writes it."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert updated(page, markdown(headline(METRICS)), where="README.md") == page
