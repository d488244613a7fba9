"""A system without a single document has no numbers but reasons; an empty list among others counts 0."""

from __future__ import annotations

import numpy as np
import pytest

from vara.quality.evaluation import evaluate
from vara.quality.figures import significant
from vara.quality.split import Query, Settings

EMPTY = "the run holds no document for any evaluated query"
MISSING = "the run answers none of the evaluated queries"
SETTINGS = Settings(cutoffs=[1, 2], min_relevance=1, min_group=2, seed=0, depth=3)

QUERIES = [
    Query("q1", "test", {"language": "en", "category": "a"}),
    Query("q2", "test", {"language": "en"}),
    Query("q3", "test", {"language": "es"}),
    Query("q4", "test", {"language": "es"}),  # out of corpus
    Query("p1", "dev", {"language": "en"}),
]
QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"a": 1}, "q3": {"c": 1, "d": 1}, "p1": {"a": 1}}
RERANKED = {"q1": ["b", "a", "x"], "q2": ["b", "a", "c"], "p1": ["a", "x"]}


def keys(metrics, prefix):
    return {key.removeprefix(prefix): value for key, value in metrics.items() if key.startswith(prefix)}


@pytest.mark.parametrize(
    ("run", "n_missing", "reason"),
    [
        ({"q1": [], "q2": [], "q3": []}, 0, EMPTY),
        ({"q1": [], "q4": ["a"], "p1": ["a"]}, 2, EMPTY),  # documents, but for no evaluated query of test
        ({"q4": []}, 3, MISSING),
    ],
    ids=["empty lists", "documents elsewhere", "no lists"],
)
def test_a_system_without_a_document_has_no_numbers_but_a_reason(run, n_missing, reason):
    runs = {"first_stage": run, "reranked": RERANKED}
    scores = {"first_stage": {query_id: np.zeros(len(docs)) for query_id, docs in run.items()}}
    found = evaluate(runs, QUERIES, QRELS, settings=SETTINGS, scores=scores)
    metrics = keys(found.metrics, "test.")
    parts = [
        "first_stage",
        "ceiling",
        "miss.first_stage",
        "group.language=en.first_stage",
        "first_stage.tied_cuts@1",
    ]
    assert {part: metrics[f"{part}.reason"] for part in parts} == dict.fromkeys(parts, reason)
    silent = [
        (key, value)
        for key, value in metrics.items()
        if ("first_stage." in key or "ceiling." in key) and not key.endswith((".reason", ".n_missing"))
    ]
    assert len(silent) > 100
    assert [item for item in silent if item[1] is not None] == []
    assert metrics["first_stage.n_missing"] == n_missing
    table = found.per_query.filter(split="test", system="first_stage")
    assert table["n_relevant_in_pool"].to_list() == [0, 0, 0]
    assert table["RR"].to_list() == table["Judged@2"].to_list() == [None, None, None]
    assert metrics["reranked.RR"] == 0.5  # (1 + 1/2 + 0) / 3, as ever
    assert metrics["miss.reranked.not_in_pool"] == 2
    assert "reranked.reason" not in metrics


def test_when_every_pool_is_empty_no_number_is_left():
    nothing = {query.query_id: [] for query in QUERIES}
    runs = {"first_stage": nothing, "reranked": nothing, "bm25": nothing}
    found = evaluate(runs, QUERIES, QRELS, settings=SETTINGS, scores=runs)
    counts = ("n_queries", "n_evaluated", "n_unanswerable", "n_missing", "n_relevant", ".n", ".reason")
    numbers = {key: value for key, value in found.metrics.items() if not key.endswith(counts)}
    assert set(numbers.values()) == {None}
    assert found.per_query.select("RR", "nDCG@2").unique().rows() == [(None, None)]
    for key in numbers:  # of each null some start says why
        starts = [key[: place + 1] for place, letter in enumerate(key) if letter == "."]
        assert any(f"{start}reason" in found.metrics for start in [f"{key}.", *starts]), key


def test_an_empty_list_counts_nothing_where_other_queries_have_documents():
    runs = {"first_stage": {"q1": [], "q2": ["a"], "q3": []}}
    found = evaluate(runs, QUERIES[:3], QRELS, settings=SETTINGS)
    metrics = keys(found.metrics, "test.")
    assert metrics["first_stage.RR"] == metrics["ceiling.RR"] == significant(1 / 3)  # (0 + 1 + 0) / 3
    assert metrics["group.language=en.first_stage.RR"] == 0.5
    assert metrics["miss.first_stage.not_in_pool"] == 4  # of 5
    assert found.per_query["RR"].to_list() == [0.0, 1.0, 0.0]
    assert not any(key.endswith("first_stage.reason") for key in metrics)
