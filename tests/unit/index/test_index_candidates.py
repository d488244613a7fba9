"""Freezing the pool: the order, what is left out before the cut, and what an engine cannot bring in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.errors import Problem
from vara.index.candidates import Asked, Candidates, freeze
from vara.index.facets import Only

IDS = ["9", "10", "a", "é", "z"]
ONLY = Only((("archived=false",),))


def ask(dense: list[float], lexical: list[float] | None = None, visible: list[bool] | None = None) -> Asked:
    return Asked(
        "q",
        np.asarray(dense, np.float32),
        np.asarray(lexical or [0] * len(dense), np.float32),
        np.asarray([True] * len(dense) if visible is None else visible, bool),
        ONLY,
    )


def frozen(query: Asked, depth: int = 3, ids: list[str] = IDS, **more: Any) -> Candidates:
    more.setdefault("retriever", "dense")
    (found,) = freeze(iter([query]), ids, depth=depth, **more)
    return found


def names(rows: np.ndarray) -> list[str]:
    return [IDS[row] for row in rows]


def test_best_first_with_all_scores_beside_it() -> None:
    found = frozen(ask([0.1, 0.5, 0.9, 0.3, 0.7], [2, 0, 3, 0, 1]))
    assert names(found.pool) == ["a", "z", "10"]
    assert found.dense.tolist() == np.float32([0.9, 0.7, 0.5]).tolist()
    assert found.lexical.tolist() == [3, 1, 0]
    assert names(found.bm25) == ["a", "9", "z"]
    assert found.baseline.tolist() == [3, 2, 1]
    assert found.dense.dtype == found.lexical.dtype == found.baseline.dtype == np.float32


def test_equal_scores_are_ordered_by_id_from_the_end() -> None:
    assert names(frozen(ask([0.5] * 5), depth=5).pool) == ["é", "z", "a", "9", "10"]
    assert names(frozen(ask([0.5] * 5), depth=2).pool) == [
        "é",
        "z",
    ]  # the cut goes through the tie the same way
    assert names(frozen(ask([0] * 5, [1, 1, 0, 0, 1])).bm25) == ["z", "9", "10"]


def test_what_may_not_be_seen_leaves_before_the_cut() -> None:
    visible = [True, False, False, True, True]
    found = frozen(ask([0.1, 0.9, 0.8, 0.2, 0.3], [1, 9, 8, 2, 3], visible))
    assert names(found.pool) == names(found.bm25) == ["z", "é", "9"]  # still three


def test_bm25_ranks_no_document_without_a_term() -> None:
    found = frozen(ask([0.5, 0.4, 0.3, 0.2, 0.1], [0, 0, 0, 2, 0]))
    assert names(found.bm25) == ["é"]
    assert found.baseline.tolist() == [2]


def test_the_pool_of_bm25() -> None:
    found = frozen(ask([0.9, 0.8, 0.7, 0.6, 0.5], [0, 1, 0, 0, 2]), retriever="bm25")
    assert names(found.pool) == names(found.bm25) == ["z", "10"]
    assert found.dense.tolist() == np.float32([0.5, 0.8]).tolist()
    assert found.lexical.tolist() == [2, 1]


@pytest.mark.parametrize("retriever", ["dense", "bm25"])
def test_nothing_to_be_seen_is_an_empty_pool(retriever: str) -> None:
    found = frozen(ask([0.5] * 5, [1] * 5, [False] * 5), retriever=retriever)
    for part in (found.pool, found.bm25, found.dense, found.lexical, found.baseline):
        assert part.shape == (0,)


def test_a_corpus_smaller_than_the_depth() -> None:
    assert len(frozen(ask([0.5] * 5), depth=50).pool) == 5


def test_one_answer_a_query_in_the_order_asked() -> None:
    asked = [ask([1, 0]), ask([0, 1])]
    assert [one.pool.tolist() for one in freeze(iter(asked), ["a", "b"], depth=1, retriever="dense")] == [
        [0],
        [1],
    ]


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(Problem, match="without a place in any order"):
        frozen(ask([0.5, float("nan"), 0, 0, 0]))


def engine(*rows: int) -> Callable[..., Any]:
    return lambda *_: np.asarray(rows, np.int64)


def test_an_engine_finds_and_exact_scores_order() -> None:
    asked: list[Any] = []

    def search(number: int, only: Only, depth: int) -> np.ndarray:
        asked.append((number, only, depth))
        return np.array([3, 0, 2])

    found = frozen(
        ask([0.4, 0.9, 0.3, 0.5, 0.1], visible=[True, True, True, True, False]), approximate=search
    )
    assert asked == [(0, ONLY, 3)]
    assert names(found.pool) == ["é", "9", "a"]  # .5, .4, .3; the engine missed "10"
    assert found.dense.tolist() == np.float32([0.5, 0.4, 0.3]).tolist()
    assert found.recalled == (2, 3)  # of "10" .9, "é" .5, "9" .4


def test_exact_search_claims_no_recall() -> None:
    assert frozen(ask([0.5] * 5)).recalled is None
    assert frozen(ask([0.5] * 5, [1, 0, 0, 0, 0]), retriever="bm25", approximate=engine(1)).recalled is None


def test_an_engine_cannot_bring_in_what_may_not_be_seen() -> None:
    visible = [True, True, False, True, True]
    assert names(
        frozen(ask([0.1, 0.2, 0.9, 0.3, 0.4], visible=visible), approximate=engine(2, 4, 3)).pool
    ) == ["z", "é"]


def test_an_engine_cannot_bring_in_a_document_twice() -> None:
    assert names(frozen(ask([0.1, 0.2, 0.9, 0.3, 0.4]), approximate=engine(2, 2, 2, 4)).pool) == ["a", "z"]


def test_an_engine_that_finds_nothing() -> None:
    assert frozen(ask([0.5] * 5), approximate=engine()).pool.shape == (0,)


def test_an_engine_has_no_say_in_bm25() -> None:
    found = frozen(ask([0.5] * 5, [1, 0, 0, 0, 0]), retriever="bm25", approximate=engine(1, 2))
    assert names(found.pool) == ["9"]


values = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[str], Asked]:
    ids = draw(st.lists(st.text(min_size=1, max_size=2), min_size=1, max_size=8, unique=True))
    column = lambda kind: draw(st.lists(kind, min_size=len(ids), max_size=len(ids)))  # noqa: E731
    return ids, ask(column(values), column(values), column(st.booleans()))


@given(
    corpora(), st.integers(1, 9), st.sampled_from(["dense", "bm25"]), st.lists(st.integers(0, 7), max_size=9)
)
def test_a_query_never_meets_what_it_may_not_see(
    corpus: tuple[list[str], Asked], depth: int, retriever: str, wild: list[int]
) -> None:
    ids, query = corpus
    answers = [row for row in wild if row < len(ids)]
    for approximate in (None, engine(*answers)):
        found = frozen(query, depth, ids, retriever=retriever, approximate=approximate)
        for rows in (found.pool, found.bm25):
            assert query.visible[rows].all()
            assert len(set(rows.tolist())) == len(rows) <= depth


@given(corpora(), st.integers(1, 9), st.randoms())
def test_the_order_of_the_corpus_does_not_matter(
    corpus: tuple[list[str], Asked], depth: int, random: Any
) -> None:
    ids, query = corpus
    order = list(range(len(ids)))
    random.shuffle(order)
    shuffled = Asked("q", query.dense[order], query.lexical[order], query.visible[order], ONLY)
    one, other = frozen(query, depth, ids), frozen(shuffled, depth, [ids[row] for row in order])
    assert [ids[row] for row in one.pool] == [ids[order[row]] for row in other.pool]
    assert [ids[row] for row in one.bm25] == [ids[order[row]] for row in other.bm25]
    assert len(one.pool) == min(depth, int(query.visible.sum()))  # full whenever enough may be seen
