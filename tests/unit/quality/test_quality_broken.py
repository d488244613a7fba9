"""Broken arms: each breaks what it says and nothing else, the same way for the same seed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vara.quality.broken import half_lost, labels_of_others, reversed_order, shuffled_ids
from vara.quality.split import Query

CORPUS = [f"d{number}" for number in range(40)]
RUNS = {"first_stage": {"q1": CORPUS[:10], "q2": CORPUS[5:12], "q3": []}, "bm25": {"q1": CORPUS[3:8]}}


def test_shuffled_ids_are_one_permutation_of_the_corpus() -> None:
    arm = shuffled_ids(RUNS, CORPUS, 42)
    called = dict(zip(RUNS["first_stage"]["q1"], arm["first_stage"]["q1"], strict=True))
    called |= dict(zip(RUNS["first_stage"]["q2"], arm["first_stage"]["q2"], strict=True))
    assert [called[doc] for doc in RUNS["bm25"]["q1"]] == list(arm["bm25"]["q1"])
    assert len(set(called.values())) == len(called) == 12
    assert set(called.values()) <= set(CORPUS)
    assert called != {doc: doc for doc in called}
    assert arm == shuffled_ids(RUNS, CORPUS, 42) != shuffled_ids(RUNS, CORPUS, 43)


def test_reversed_order() -> None:
    assert reversed_order({"a": {"q": ["x", "y", "z"]}}) == {"a": {"q": ["z", "y", "x"]}}


def test_half_of_each_list_is_lost() -> None:
    arm = half_lost(RUNS, 42)
    assert {query: len(docs) for query, docs in arm["first_stage"].items()} == {"q1": 5, "q2": 3, "q3": 0}
    assert len(arm["bm25"]["q1"]) == 2
    assert arm == half_lost(RUNS, 42) != half_lost(RUNS, 43)


@given(st.lists(st.sampled_from(CORPUS), unique=True), st.integers(0, 9))
def test_what_is_left_keeps_its_order(docs: list[str], seed: int) -> None:
    left = half_lost({"a": {"q": docs}}, seed)["a"]["q"]
    assert list(left) == [doc for doc in docs if doc in left]
    assert len(left) == len(docs) // 2


QUERIES = [Query(name, split) for name, split in [("q1", "test"), ("q2", "test"), ("q3", "test"), ("q4", "dev"), ("q5", "dev"), ("q6", None)]]  # fmt: skip
QRELS = {
    "q1": {"a": 3},
    "q2": {"b": 1, "x": 0},
    "q3": {"c": 0},
    "q4": {"d": 2},
    "q5": {"e": 1},
    "q6": {"f": 3},
}


def test_labels_of_another_split() -> None:
    """q3 has no relevant document and gets none; q6 belongs to no split and gives none."""
    assert labels_of_others(QUERIES, QRELS, 1) == {
        "q4": {"a": 3},
        "q5": {"b": 1, "x": 0},
        "q1": {"d": 2},
        "q2": {"e": 1},
    }
    assert labels_of_others(QUERIES[::-1], QRELS, 1) == labels_of_others(QUERIES, QRELS, 1)


def test_fewer_givers_than_takers() -> None:
    assert labels_of_others([*QUERIES[:2], QUERIES[3]], QRELS, 1) == {
        "q1": {"d": 2},
        "q2": {"d": 2},
        "q4": {"a": 3},
    }


def test_grades_below_the_lowest_relevant_one_give_nothing() -> None:
    assert labels_of_others(QUERIES, QRELS, 2) == {"q1": {"d": 2}, "q4": {"a": 3}}


def test_of_one_split_the_next_query_gives() -> None:
    assert labels_of_others(QUERIES[:2], QRELS, 1) == {"q1": QRELS["q2"], "q2": QRELS["q1"]}


def test_nobody_to_give() -> None:
    assert labels_of_others(QUERIES[:1], QRELS, 1) is None
    assert labels_of_others(QUERIES, {}, 1) is None
