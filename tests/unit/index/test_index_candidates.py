"""Freezing the pool: the order, what is left out before the cut, and what an engine cannot bring in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.errors import Problem
from vara.index.candidates import Asked, Candidates, Search, freeze
from vara.index.retrieval import Extent, Retrieval

IDS = ["9", "10", "a", "é", "z"]


def ask(
    dense: list[float],
    lexical: list[float] | None = None,
    visible: list[bool] | None = None,
    *,
    titled: tuple[int, ...] = (),
    approximate: Search | None = None,
) -> Asked:
    return Asked(
        "q",
        np.asarray(dense, np.float32),
        np.asarray(lexical or [0] * len(dense), np.float32),
        np.asarray([True] * len(dense) if visible is None else visible, bool),
        np.asarray(titled, np.int64),
        {},
        approximate,
    )


def rules(depth: int = 3, retriever: str = "dense", **changes: Any) -> Retrieval:
    shipped = {"caps": {}, "fusion": "rrf", "constant": 60, "weights": {"dense": 1.0, "bm25": 1.0}}
    return Retrieval(depth, retriever, **{**shipped, **changes})


def frozen(query: Asked, depth: int = 3, ids: list[str] = IDS, **changes: Any) -> Candidates:
    (found,) = freeze(iter([query]), ids, rules(depth, **changes))
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


@pytest.mark.parametrize("retriever", ["dense", "bm25", "hybrid"])
def test_nothing_to_be_seen_is_an_empty_pool(retriever: str) -> None:
    found = frozen(ask([0.5] * 5, [1] * 5, [False] * 5), retriever=retriever)
    assert found.extent == Extent(0, truncated=False, limit=None)
    for part in (found.pool, found.scores, found.bm25, found.dense, found.lexical, found.baseline):
        assert part.shape == (0,)


def test_a_corpus_smaller_than_the_depth() -> None:
    assert len(frozen(ask([0.5] * 5), depth=50).pool) == 5


def test_one_answer_a_query_in_the_order_asked() -> None:
    asked = [ask([1, 0]), ask([0, 1])]
    assert [one.pool.tolist() for one in freeze(iter(asked), ["a", "b"], rules(1))] == [[0], [1]]


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(Problem, match="without a place in any order"):
        frozen(ask([0.5, float("nan"), 0, 0, 0]))


def engine(*rows: int) -> Callable[[int], np.ndarray]:
    return lambda _: np.asarray(rows, np.int64)


def test_an_engine_finds_and_exact_scores_order() -> None:
    asked: list[int] = []

    def search(depth: int) -> np.ndarray:
        asked.append(depth)
        return np.array([3, 0, 2])

    found = frozen(
        ask([0.4, 0.9, 0.3, 0.5, 0.1], visible=[True, True, True, True, False], approximate=search)
    )
    assert asked == [3]
    assert names(found.pool) == ["é", "9", "a"]  # .5, .4, .3; the engine missed "10"
    assert found.dense.tolist() == found.scores.tolist() == np.float32([0.5, 0.4, 0.3]).tolist()
    assert found.recalled == (2, 3)  # of "10" .9, "é" .5, "9" .4
    assert found.extent == Extent(4, truncated=True, limit=3)


def test_exact_search_claims_no_recall() -> None:
    assert frozen(ask([0.5] * 5)).recalled is None
    assert frozen(ask([0.5] * 5, [1, 0, 0, 0, 0], approximate=engine(1)), retriever="bm25").recalled is None


def test_an_engine_cannot_bring_in_what_may_not_be_seen() -> None:
    visible = [True, True, False, True, True]
    asked = ask([0.1, 0.2, 0.9, 0.3, 0.4], visible=visible, approximate=engine(2, 4, 3))
    assert names(frozen(asked).pool) == ["z", "é"]


def test_an_engine_cannot_bring_in_a_document_twice() -> None:
    assert names(frozen(ask([0.1, 0.2, 0.9, 0.3, 0.4], approximate=engine(2, 2, 2, 4))).pool) == ["a", "z"]


def test_an_engine_that_finds_nothing() -> None:
    assert frozen(ask([0.5] * 5, approximate=engine())).pool.shape == (0,)


def test_an_engine_has_no_say_in_bm25() -> None:
    found = frozen(ask([0.5] * 5, [1, 0, 0, 0, 0], approximate=engine(1, 2)), retriever="bm25")
    assert names(found.pool) == ["9"]


def test_an_engine_in_a_hybrid_is_asked_for_its_cap() -> None:
    found = frozen(
        ask([0.9, 0.8, 0.7, 0.6, 0.5], [0, 0, 0, 0, 3], approximate=engine(0, 2)),
        retriever="hybrid",
        caps={"dense": 2},
    )
    assert found.recalled == (1, 2)  # of "9" .9 and "10" .8
    assert names(found.pool) == ["z", "9", "a"]  # 1/61 twice, the larger id first; 1/62


def test_reciprocal_ranks_of_both_are_added() -> None:
    """dense: 9 10 a é z; BM25: z a (the others hold no term)."""
    found = frozen(ask([0.9, 0.8, 0.7, 0.6, 0.5], [0, 0, 2, 0, 5]), 5, retriever="hybrid")
    # a 1/63+1/62 = .03200, z 1/65+1/61 = .03178, 9 1/61 = .01639, 10 1/62 = .01613, é 1/64 = .01563
    assert names(found.pool) == ["a", "z", "9", "10", "é"]
    sums = [1 / 63 + 1 / 62, 1 / 65 + 1 / 61, 1 / 61, 1 / 62, 1 / 64]
    assert found.scores.tolist() == np.float32(sums).tolist()
    assert found.lexical.tolist() == [2, 5, 0, 0, 0]
    assert names(found.bm25) == ["z", "a"]
    assert found.extent == Extent(5, truncated=False, limit=None)


def test_weights_and_constant_of_the_ranks() -> None:
    asked = ask([0.9, 0.8, 0.7, 0.6, 0.5], [0, 0, 0, 1, 5])
    heavy = frozen(asked, 2, retriever="hybrid", weights={"dense": 1.0, "bm25": 3.0}, constant=0)
    # z 1/5 + 3/1 = 3.2, é 1/4 + 3/2 = 1.75, 9 1/1 = 1
    assert names(heavy.pool) == ["z", "é"]
    assert heavy.scores.tolist() == np.float32([3.2, 1.75]).tolist()


def test_min_max_stretches_each_list_before_the_sum() -> None:
    """dense .9 .8 .7 .6 .5 → 1 .75 .5 .25 0; BM25 of é 2, z 6 → 0 1."""
    found = frozen(ask([0.9, 0.8, 0.7, 0.6, 0.5], [0, 0, 0, 2, 6]), 5, retriever="hybrid", fusion="minmax")
    assert names(found.pool) == ["z", "9", "10", "a", "é"]  # 1 and 1: the larger id first
    assert found.scores.round(4).tolist() == np.float32([1, 1, 0.75, 0.5, 0.25]).tolist()


@pytest.mark.parametrize(
    ("changes", "shown", "extent"),
    [
        ({"depth": 9}, 5, Extent(5, truncated=False, limit=None)),
        ({"depth": 2}, 2, Extent(5, truncated=True, limit=2)),
        ({"depth": 4, "caps": {"dense": 3}}, 3, Extent(5, truncated=True, limit=3)),
        ({"depth": 4, "caps": {"total": 2}}, 2, Extent(5, truncated=True, limit=2)),
        ({"depth": 4, "caps": {"bm25": 1}}, 4, Extent(5, truncated=True, limit=4)),
        ({"retriever": "bm25", "depth": 4}, 3, Extent(3, truncated=False, limit=None)),
        ({"retriever": "bm25", "depth": 4, "caps": {"bm25": 2}}, 2, Extent(3, truncated=True, limit=2)),
        ({"retriever": "hybrid", "depth": 4}, 4, Extent(5, truncated=True, limit=4)),
        ({"retriever": "hybrid", "depth": 4, "caps": {"total": 3}}, 3, Extent(5, truncated=True, limit=3)),
        ({"retriever": "hybrid", "depth": 4, "caps": {"dense": 5, "bm25": 3}}, 4, Extent(5, truncated=True, limit=4)),
        # two lists cut apart: no one number says what is missing
        ({"retriever": "hybrid", "depth": 9, "caps": {"dense": 2, "bm25": 1}}, 3, Extent(5, truncated=True, limit=None)),
        ({"retriever": "hybrid", "depth": 2, "caps": {"dense": 4}}, 2, Extent(5, truncated=True, limit=None)),
    ],
)  # fmt: skip
def test_a_result_says_how_complete_it_is(changes: dict[str, Any], shown: int, extent: Extent) -> None:
    found = frozen(ask([0.9, 0.8, 0.7, 0.6, 0.5], [0, 0, 1, 2, 3]), **changes)
    assert (len(found.pool), found.extent) == (shown, extent)


def test_what_may_not_be_seen_takes_no_place_under_a_cap() -> None:
    visible = [False, False, True, True, True]
    found = frozen(
        ask([0.9, 0.8, 0.7, 0.6, 0.5], [9, 8, 0, 0, 3], visible),
        9,
        retriever="hybrid",
        caps={"dense": 1, "bm25": 1},
    )
    assert names(found.pool) == ["z", "a"]  # the best visible of each list, 1/61 both
    assert found.extent == Extent(3, truncated=True, limit=None)


@pytest.mark.parametrize("retriever", ["dense", "bm25", "hybrid"])
def test_a_guaranteed_document_follows_the_ranking(retriever: str) -> None:
    """Nobody gives way to it, nobody changes places; one that is ranked anyway stays where it is."""
    dense, lexical = [0.9, 0.8, 0.7, 0.6, 0.5], [5, 4, 3, 2, 1]
    plain = frozen(ask(dense, lexical), 2, retriever=retriever)
    found = frozen(ask(dense, lexical, titled=(1, 2, 4)), 2, retriever=retriever)
    assert found.pool[:2].tolist() == plain.pool.tolist() == [0, 1]
    assert names(found.pool[2:]) == ["a", "z"]  # "10" is ranked already; the others best first
    assert found.scores.tolist() == plain.scores.tolist()
    assert found.dense.tolist() == np.float32([0.9, 0.8, 0.7, 0.5]).tolist()
    assert found.extent == Extent(5, truncated=True, limit=2)
    assert found.bm25.tolist() == plain.bm25.tolist()


def test_a_guaranteed_document_without_a_word_of_the_query_matches_nothing() -> None:
    """BM25 over texts alone: "9" and "10" hold the word, "a" has the title; "10" was cut off and is not made up for."""
    found = frozen(ask([0.5] * 5, [3, 2, 0, 0, 0], titled=(2,)), 1, retriever="bm25")
    assert names(found.pool) == ["9", "a"]
    assert found.extent == Extent(2, truncated=True, limit=1)


def test_a_title_opens_no_door() -> None:
    asked = ask([0.9, 0.8, 0.7, 0.6, 0.5], visible=[True, True, False, True, True], titled=(2, 3))
    assert names(frozen(asked, 1).pool) == ["9", "é"]


values = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[str], Asked]:
    ids = draw(st.lists(st.text(min_size=1, max_size=2), min_size=1, max_size=8, unique=True))
    column = lambda kind: draw(st.lists(kind, min_size=len(ids), max_size=len(ids)))  # noqa: E731
    return ids, ask(column(values), column(values), column(st.booleans()))


@given(
    corpora(),
    st.integers(1, 9),
    st.sampled_from(["dense", "bm25", "hybrid"]),
    st.lists(st.integers(0, 7), max_size=9),
    st.dictionaries(st.sampled_from(["dense", "bm25", "total"]), st.integers(1, 9)),
)
def test_a_query_never_meets_what_it_may_not_see(
    corpus: tuple[list[str], Asked], depth: int, retriever: str, wild: list[int], caps: dict[str, int]
) -> None:
    ids, query = corpus
    rows = np.asarray([row for row in wild if row < len(ids)], np.int64)
    for approximate in (None, engine(*rows.tolist())):
        asked = replace(query, approximate=approximate, titled=np.unique(rows))
        found = frozen(asked, depth, ids, retriever=retriever, caps=caps)
        for shown in (found.pool, found.bm25):
            assert query.visible[shown].all()
            assert len(set(shown.tolist())) == len(shown)
        assert found.scores.size <= depth
        assert set(asked.titled[query.visible[asked.titled]]) <= set(found.pool)
        unguarded = frozen(replace(asked, titled=rows[:0]), depth, ids, retriever=retriever, caps=caps)
        assert found.pool[: found.scores.size].tolist() == unguarded.pool.tolist()


@given(corpora(), st.integers(1, 9), st.randoms())
def test_the_order_of_the_corpus_does_not_matter(
    corpus: tuple[list[str], Asked], depth: int, random: Any
) -> None:
    ids, query = corpus
    order = list(range(len(ids)))
    random.shuffle(order)
    shuffled = replace(
        query, dense=query.dense[order], lexical=query.lexical[order], visible=query.visible[order]
    )
    one, other = frozen(query, depth, ids), frozen(shuffled, depth, [ids[row] for row in order])
    assert [ids[row] for row in one.pool] == [ids[order[row]] for row in other.pool]
    assert [ids[row] for row in one.bm25] == [ids[order[row]] for row in other.bm25]
    assert len(one.pool) == min(depth, int(query.visible.sum()))  # full whenever enough may be seen
