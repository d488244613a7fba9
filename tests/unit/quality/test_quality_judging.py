"""Joining runs and labels: who gets a row, what a cell says, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.errors import Problem
from vara.quality import judging, ranking
from vara.quality.judged import PADDING, UNJUDGED, ceiling, condensed
from vara.quality.judging import judge, judge_scores
from vara.quality.ranking import rank_run

DOCUMENTS = st.sampled_from([f"d{n}" for n in range(12)])
SCORES = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "q4"]),
    st.dictionaries(DOCUMENTS, st.integers(0, 3).map(float), max_size=12),
)
QRELS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "q5"]), st.dictionaries(DOCUMENTS, st.integers(-2, 3), max_size=12)
)


def test_a_cell_is_a_grade_unjudged_or_padding():
    judged = judge({"q1": ["a", "x", "c"], "q2": ["x"]}, {"q1": {"a": 2, "c": 0}, "q2": {"b": 1}})
    assert judged.relevance.tolist() == [[2, UNJUDGED, 0], [UNJUDGED, PADDING, PADDING]]
    assert judged.relevance.dtype == np.int32


def test_a_negative_grade_is_no_judgment():
    judged = judge({"q1": ["a", "b", "c"]}, {"q1": {"a": -1, "b": -2, "c": 1}})
    assert judged.relevance.tolist() == [[UNJUDGED, UNJUDGED, 1]]


def test_the_ideal_holds_every_positive_label_returned_or_not():
    judged = judge({"q2": ["a"]}, {"q1": {"a": 1, "b": 3, "c": 0, "d": 2}, "q2": {"a": 5}})
    assert judged.ideal.tolist() == [3, 2, 1, 5]
    assert judged.starts.tolist() == [0, 3, 4]
    assert judged.n_relevant.tolist() == [3, 1]


def test_queries_without_relevant_documents_have_no_row_and_are_named():
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {}, "q4": {"a": 1, "b": 2}}
    judged = judge({"q1": ["a"]}, qrels, ["q5", "q4", "q3", "q2", "q1"], min_relevance=2)
    assert judged.query_ids == ("q4",)
    assert judged.unanswerable == ("q5", "q3", "q2", "q1")
    assert judged.n_relevant.tolist() == [1]
    assert judged.ideal.tolist() == [2, 1]  # the level does not touch the gains


def test_queries_that_are_not_asked_for_are_ignored():
    assert judge({"q1": ["a"], "zz": ["a", "a"]}, {"q1": {"a": 1}}).query_ids == ("q1",)


def test_nothing_at_all_is_zero_rows():
    judged = judge({}, {})
    assert judged.relevance.shape == (0, 1)
    assert judge_scores({}, {}).relevance.shape == (0, 1)
    assert list(judged.blocks()) == []


@given(SCORES, QRELS, st.none() | st.integers(1, 14), st.integers(1, 2))
def test_counting_ranks_is_the_same_as_sorting(scores, qrels, depth, level):
    fast = judge_scores(scores, qrels, depth=depth, min_relevance=level)
    slow = judge(rank_run(scores), qrels, depth=depth, min_relevance=level)
    assert fast.relevance.tolist() == slow.relevance.tolist()
    assert fast.query_ids == slow.query_ids


@given(SCORES, QRELS)
def test_the_size_of_blocks_never_matters(scores, qrels):
    whole = judge_scores(scores, qrels).relevance.tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "BLOCK_CELLS", 3)
        patch.setattr(ranking, "BLOCK_CELLS", 3)
        assert judge_scores(scores, qrels).relevance.tolist() == whole


@given(SCORES, QRELS)
def test_condensing_drops_the_unjudged_and_perfecting_sorts(scores, qrels):
    judged = judge_scores(scores, qrels)
    width = judged.relevance.shape[1]
    for before, dense, perfect in zip(
        judged.relevance.tolist(),
        condensed(judged).relevance.tolist(),
        ceiling(judged).relevance.tolist(),
        strict=True,
    ):
        graded = [grade for grade in before if grade >= 0]
        assert dense == graded + [PADDING] * (width - len(graded))
        assert perfect == sorted(before, reverse=True)


def test_a_document_that_stands_twice_is_refused():
    run = {"q1": ["a", "b", "a"], "q2": ["c", "c"], "q3": ["a"]}
    with pytest.raises(Problem) as caught:
        judge(run, {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}, depth=2)
    assert str(caught.value) == (
        "run problem: a document stands twice in 2 rankings (query q1, document a, query q2, document c), "
        "expected each document once. Fold the chunks of a document to its best first."
    )


@pytest.mark.parametrize("grade", [0.5, float("nan"), "1", None, 2**31, True])
def test_a_grade_of_another_kind_is_refused(grade):
    with pytest.raises(Problem) as caught:
        judge({"q1": ["a"]}, {"q1": {"a": grade}})
    assert str(caught.value) == (
        f"labels problem: 1 grade of another kind (query q1: {grade!r}), expected integers of 32 bits. "
        "Write each relevance as a whole number; 0 means judged and not relevant."
    )


def test_a_level_below_one_is_refused():
    with pytest.raises(Problem) as caught:
        judge({}, {}, min_relevance=0)
    assert str(caught.value) == (
        "evaluate.min_relevance problem: found 0, expected an integer of at least 1. "
        "Grade 0 means judged and not relevant; set it to 1 or higher."
    )


def test_a_score_without_a_place_is_refused_also_where_nothing_is_sorted():
    with pytest.raises(Problem, match="query q1, document x: nan"):
        judge_scores({"q1": {"a": 1.0, "x": float("nan")}}, {"q1": {"a": 1}})
