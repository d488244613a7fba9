"""The evaluation as a whole: every key, every count, every reason."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from vara.errors import Problem
from vara.quality.bootstrap import intervals
from vara.quality.evaluation import evaluate
from vara.quality.figures import significant
from vara.quality.split import Query, Settings

NOTHING = "expected at least one. There is nothing to measure."
NDCG_Q3 = 1 / (1 + 1 / np.log2(3))  # c alone on top, d nowhere
SETTINGS = Settings(cutoffs=[1, 2], min_relevance=1, min_group=2, seed=0, depth=3)

QUERIES = [
    Query("q1", "test", {"language": "en", "category": "a"}),
    Query("q2", "test", {"language": "en"}),
    Query("q3", "test", {"language": "es"}),
    Query("q4", "test", {"language": "es"}),  # out of corpus
    Query("p1", "dev", {"language": "en"}),
    Query("x1", None),
]
QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"a": 1}, "q3": {"c": 1, "d": 1}, "p1": {"a": 1}, "x1": {"a": 1}}
RUNS = {
    "first_stage": {
        "q1": ["x", "b", "a"],
        "q2": ["a", "b", "c"],
        "q3": ["x", "y", "c"],
        "p1": ["x", "a"],
        "z": ["a"],
    },
    "reranked": {"q1": ["b", "a", "x"], "q2": ["b", "a", "c"], "p1": ["a", "x"]},
}


@pytest.fixture(scope="module")
def evaluation():
    return evaluate(RUNS, QUERIES, QRELS, settings=SETTINGS)


def keys(metrics, prefix):
    return {key.removeprefix(prefix): value for key, value in metrics.items() if key.startswith(prefix)}


def test_counts(evaluation):
    counts = {
        key: value
        for key, value in keys(evaluation.metrics, "test.").items()
        if key.startswith("n_") or "_missing" in key
    }
    assert counts == {
        "n_queries": 4,
        "n_evaluated": 3,
        "n_unanswerable": 1,
        "n_missing": 1,  # q3, by the reranker
        "n_relevant": 5,
        "first_stage.n_missing": 0,
        "reranked.n_missing": 1,
    }
    assert [key for key in evaluation.metrics if key.startswith("dev.") and key.endswith("n_missing")] == [
        "dev.n_missing"
    ]


def test_means_are_over_evaluated_queries_and_missing_ones_count_nothing(evaluation):
    metrics = evaluation.metrics
    assert metrics["test.first_stage.RR"] == significant((1 / 2 + 1 + 1 / 3) / 3)
    assert metrics["test.reranked.RR"] == 0.5  # (1 + 1/2 + 0) / 3
    assert metrics["test.first_stage.RR@2"] == 0.5  # (1/2 + 1 + 0) / 3
    assert metrics["test.reranked.R@2"] == significant((1 + 1 + 0) / 3)
    assert metrics["test.reranked.RR.p5"] == 0.0


def test_intervals_are_those_of_the_bootstrap(evaluation):
    low, high = intervals(np.array([[1 / 2], [1.0], [1 / 3]]), 0)
    assert evaluation.metrics["test.first_stage.RR.low"] == significant(low[0])
    assert evaluation.metrics["test.first_stage.RR.high"] == significant(high[0])


def test_one_query_has_no_interval(evaluation):
    assert evaluation.metrics["dev.interval.reason"] == "one query has no interval"
    assert evaluation.metrics["dev.first_stage.RR"] == evaluation.metrics["dev.first_stage.RR.p5"] == 0.5
    assert evaluation.metrics["dev.first_stage.RR.low"] is None
    assert evaluation.metrics["dev.first_stage.RR.high"] is None


def test_the_ceiling_is_that_of_the_first_stage(evaluation):
    ceiling = keys(evaluation.metrics, "test.ceiling.")
    assert ceiling["R@2"] == significant((1 + 1 + 1 / 2) / 3)  # d of q3 is not in the pool
    assert ceiling["RR"] == ceiling["nDCG@1"] == 1.0
    assert ceiling["nDCG@2"] == significant((1 + 1 + 1 / (1 + 1 / np.log2(3))) / 3)
    assert not any("Judged" in key or "judged_only" in key for key in ceiling)


def test_misses_split_into_absent_and_badly_ranked(evaluation):
    misses = keys(evaluation.metrics, "test.miss.")
    assert misses == {
        "first_stage.not_in_pool": 1,  # d
        "first_stage.badly_ranked@1": 3,  # b and a of q1, c of q3
        "first_stage.badly_ranked@2": 2,  # a of q1, c of q3
        "reranked.not_in_pool": 2,  # q3 is missing: c and d
        "reranked.badly_ranked@1": 2,  # a of q1, a of q2
        "reranked.badly_ranked@2": 0,
    }


def test_groups_show_means_or_say_that_they_are_too_few(evaluation):
    groups = keys(evaluation.metrics, "test.group.")
    assert groups["language=en.n"] == 2
    assert groups["language=en.first_stage.RR"] == 0.75  # (1/2 + 1) / 2
    assert "language=en.reason" not in groups
    assert (groups["language=es.n"], groups["language=es.reason"]) == (1, "too few: n=1")
    assert groups["language=es.first_stage.RR"] is None
    assert groups["category=a.reason"] == "too few: n=1"
    assert len(keys(groups, "language=es.")) == len(keys(groups, "language=en.")) + 1


def test_the_condensed_measure_stands_where_judged_differs(evaluation):
    # Judged@1: first stage x, a, x: 1/3; reranked b, b (no label of q2), nothing: 1/3
    assert evaluation.metrics["test.first_stage.Judged@1"] == evaluation.metrics["test.reranked.Judged@1"]
    assert "test.first_stage.nDCG(judged_only=True)@1" not in evaluation.metrics
    # Judged@2: first stage (1/2 + 1/2 + 0)/3, reranked (1 + 1/2 + 0)/3
    assert evaluation.metrics["test.first_stage.nDCG(judged_only=True)@2"] == significant(
        (1 + 1 + NDCG_Q3) / 3
    )
    assert "nDCG(judged_only=True)@1" in evaluation.per_query.columns


def test_notices(evaluation):
    assert evaluation.notices == (
        "queries that belong to no split are not evaluated: 1",
        "first_stage: queries of the run that belong to no split are ignored: 1 (z)",
    )
    deep = evaluate(
        {"bm25": RUNS["reranked"]}, QUERIES[:3], QRELS, settings=replace(SETTINGS, cutoffs=[10, 2])
    )
    beyond = (
        "cutoff 10 is left out: the pool keeps 3 documents a query, "
        "and a measure at 10 would be another number under the same name"
    )
    assert deep.notices == (
        beyond,
        "bm25: queries of the run that belong to no split are ignored: 1 (p1)",
        "no ceiling: none of the systems is called first_stage",
    )
    assert not any("@10" in key or "ceiling" in key for key in deep.metrics)


def test_rankings_are_cut_at_the_depth_of_the_pool():
    metrics = evaluate(RUNS, QUERIES, QRELS, settings=replace(SETTINGS, cutoffs=[1], depth=1)).metrics
    assert (
        metrics["test.first_stage.RR"] == metrics["test.first_stage.RR@1"] == significant(1 / 3)
    )  # q2 alone
    assert metrics["test.miss.first_stage.not_in_pool"] == 4  # of 5


def test_the_table_has_a_row_for_each_evaluated_query_and_system(evaluation):
    table = evaluation.per_query
    assert table.select("split", "query_id", "system").rows() == [
        (split, query_id, system)
        for split, query_id in [("dev", "p1"), ("test", "q1"), ("test", "q2"), ("test", "q3")]
        for system in ["first_stage", "reranked"]
    ]
    known = table.select("n_relevant", "n_relevant_in_pool", "first_relevant_rank", "RR").rows()
    assert known[2:6] == [(2, 2, 2, 0.5), (2, 2, 1, 1.0), (1, 1, 1, 1.0), (1, 1, 2, 0.5)]
    assert known[6:] == [(2, 1, 3, 0.3333333333), (2, 0, None, 0.0)]


def test_everything_is_strict_json(evaluation):
    text = json.dumps(evaluation.metrics, allow_nan=False)
    assert json.loads(text) == evaluation.metrics


def test_no_order_matters(evaluation):
    def turned(table):
        return dict(reversed(table.items()))

    again = evaluate(
        {system: turned(run) for system, run in RUNS.items()},
        QUERIES[::-1],
        {query_id: turned(row) for query_id, row in turned(QRELS).items()},
        settings=SETTINGS,
    )
    assert json.dumps(again.metrics) == json.dumps(evaluation.metrics)
    assert again.per_query.equals(evaluation.per_query)


def test_a_split_without_relevant_documents_has_no_numbers_but_a_reason():
    metrics = evaluate(RUNS, QUERIES[:1], {}, settings=SETTINGS).metrics
    assert metrics["test.reason"] == "no query with a relevant document"
    assert (metrics["test.n_evaluated"], metrics["test.n_unanswerable"]) == (0, 1)
    numbers = [value for key, value in metrics.items() if "@" in key or "miss." in key]
    assert numbers
    assert set(numbers) == {None}
    assert metrics["test.group.language=en.reason"] == "too few: n=0"


def test_a_system_that_answers_nothing_has_no_numbers_but_a_reason():
    metrics = evaluate({**RUNS, "bm25": {}}, QUERIES, QRELS, settings=SETTINGS).metrics
    assert metrics["test.bm25.reason"] == "the run answers none of the evaluated queries"
    assert (
        metrics["test.bm25.RR"]
        is metrics["test.group.language=en.bm25.RR"]
        is metrics["test.bm25.RR.low"]
        is None
    )
    assert metrics["test.bm25.n_missing"] == 3
    assert metrics["test.first_stage.RR"] == significant((1 / 2 + 1 + 1 / 3) / 3)
    silent = evaluate({"first_stage": {}}, QUERIES, QRELS, settings=SETTINGS).metrics
    assert silent["test.ceiling.RR"] is None
    assert silent["test.ceiling.reason"] == "the run answers none of the evaluated queries"


def test_tied_cuts_are_told_below_the_depth_where_scores_are_known():
    scores = {
        "first_stage": {"q1": [3.0, 2.0, 2.0], "q2": [1.0, 1.0, 0.0], "q4": np.float32([0.5, 0.25, 0.25])}
    }
    metrics = evaluate(
        RUNS, QUERIES, QRELS, settings=replace(SETTINGS, cutoffs=[1, 2, 3]), scores=scores
    ).metrics
    assert metrics["test.first_stage.tied_cuts@1"] == significant(1 / 3)
    assert metrics["test.first_stage.tied_cuts@2"] == significant(2 / 3)
    assert "test.first_stage.tied_cuts@3" not in metrics  # the fourth score is not in the pool
    assert metrics["dev.first_stage.tied_cuts@1"] is None
    assert metrics["dev.first_stage.tied_cuts@1.reason"] == "no ranking goes beyond rank 1"
    assert "test.reranked.tied_cuts@1" not in metrics


@pytest.mark.parametrize(
    ("runs", "queries", "message"),
    [
        ({}, QUERIES, f"evaluation problem: found no system, {NOTHING}"),
        (RUNS, QUERIES[-1:], f"evaluation problem: found no query that belongs to a split, {NOTHING}"),
        (
            RUNS,
            QUERIES[:2] * 2,
            "queries problem: found q1, q2 twice, expected each query once. Drop the repeats.",
        ),
    ],
)
def test_nothing_to_measure_is_a_mistake(runs, queries, message):
    with pytest.raises(Problem) as caught:
        evaluate(runs, queries, QRELS, settings=SETTINGS)
    assert str(caught.value) == message
