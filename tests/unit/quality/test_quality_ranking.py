"""The one order: score descending, then doc_id descending by UTF-8 bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.errors import Problem
from vara.quality import ranking
from vara.quality.ranking import best, byte_order, rank_run, ranked, tied_share

IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
COARSE = st.integers(-3, 3).map(lambda n: n / 2)  # few values, so that ties are the rule
TABLES = st.dictionaries(IDS, COARSE, max_size=30)


def by_definition(scores):
    """The convention, word for word: encode, sort, descend."""
    return sorted(scores, key=lambda doc_id: (scores[doc_id], doc_id.encode()), reverse=True)


@given(TABLES, st.integers(0, 40))
def test_one_query_follows_the_definition(scores, depth):
    assert ranked(scores) == by_definition(scores)
    assert ranked(scores, depth) == by_definition(scores)[:depth]


@given(st.dictionaries(IDS, TABLES, max_size=6), st.integers(0, 40))
def test_many_queries_follow_the_definition(scores, depth):
    assert rank_run(scores) == {query_id: by_definition(row) for query_id, row in scores.items()}
    assert rank_run(scores, depth) == {
        query_id: by_definition(row)[:depth] for query_id, row in scores.items()
    }


@given(TABLES, st.integers(0, 40))
def test_the_best_of_a_row_are_the_head_of_the_full_order(scores, depth):
    ids = list(scores)
    row = np.array(list(scores.values()), np.float32)
    assert [ids[index] for index in best(row, byte_order(ids), depth)] == by_definition(scores)[:depth]


@given(st.lists(IDS, max_size=30))
def test_byte_order_is_the_order_of_the_encoded_ids(ids):
    assert [ids[i] for i in np.argsort(byte_order(ids), kind="stable")] == sorted(ids, key=str.encode)


@given(TABLES, st.randoms())
def test_the_order_of_insertion_never_matters(scores, random):
    shuffled = list(scores.items())
    random.shuffle(shuffled)
    assert rank_run({"q": dict(shuffled)}) == rank_run({"q": scores})
    assert ranked(dict(shuffled)) == ranked(scores)


def test_rows_of_very_different_lengths_go_through_several_blocks(monkeypatch):
    monkeypatch.setattr(ranking, "BLOCK_CELLS", 8)
    scores = {f"q{n}": {f"d{i}": float(i % 3) for i in range(n)} for n in [3, 0, 12, 1, 2, 2, 9]}
    assert rank_run(scores) == {query_id: by_definition(row) for query_id, row in scores.items()}


def test_ids_that_look_alike_are_different_documents():
    # equal scores, so bytes decide, descending: null > NA > 1e5 > 1 > 001
    assert ranked(dict.fromkeys(["001", "1", "1e5", "NA", "null"], 1.0)) == ["null", "NA", "1e5", "1", "001"]


def test_code_points_beyond_the_first_plane_come_after_all_others():
    # UTF-8: U+FFFD is EF BF BD, U+1F600 is F0 9F 98 80 (UTF-16 would put the emoji first)
    assert ranked({"\ufffd": 1.0, "\U0001f600": 1.0}) == ["\U0001f600", "\ufffd"]


def test_zero_and_minus_zero_tie():
    assert rank_run({"q": {"a": 0.0, "b": -0.0}}) == {"q": ["b", "a"]}


def test_share_of_tied_cuts():
    rows = [[3, 2, 2, 1], [3, 3, 2, 1], [1, 1], [2, 1, 1]]
    assert tied_share(rows, 2) == 2 / 3  # rows 1 and 4 of the three that go beyond rank 2
    assert tied_share(rows, 4) is None


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_a_score_without_a_place_is_refused_with_query_and_document(bad):
    scores = {"q1": {"a": 1.0}, "q2": {"b": bad, "c": 2.0}}
    message = (
        f"run problem: 1 score without a place in any order (query q2, document b: {bad}), expected finite numbers. "
        "Repair the system that gave them: a NaN or an infinity is a failure, not a low score."
    )
    with pytest.raises(Problem) as caught:
        rank_run(scores)
    assert str(caught.value) == message
    with pytest.raises(Problem) as caught:
        ranked(scores["q2"])
    assert str(caught.value) == message.replace("query q2, ", "")
    with pytest.raises(Problem) as caught:
        best([1.0, bad], byte_order(["a", "b"]), 1)
    assert str(caught.value) == message.replace("query q2, document b", "column 1")


def test_many_bad_scores_are_counted_and_three_are_named(monkeypatch):
    monkeypatch.setattr(ranking, "BLOCK_CELLS", 2)
    with pytest.raises(Problem) as caught:
        rank_run({f"q{n}": {"a": float("nan"), "b": 0.0} for n in range(5)})
    assert caught.value.found == (
        "5 scores without a place in any order "
        "(query q0, document a: nan, query q1, document a: nan, query q2, document a: nan and 2 more)"
    )
