"""What one judgment would move: by hand, and against judging it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.judgments.proposals import Proposal, Truth, blind, decisive, explored, top
from vara.quality.formulas import values
from vara.quality.judging import judge
from vara.quality.measures import parse

NDCG2 = parse("nDCG@2")
SECOND = 1 / np.log2(3)  # .63093, the weight of rank 2


def truth(qrels: Mapping[str, Mapping[str, int]], queries: Sequence[str], highest: int = 1) -> Truth:
    return Truth(
        query_ids=queries,
        qrels=qrels,
        unjudged=lambda query, doc: doc not in qrels.get(query, {}),
        grades=(1, highest),
    )


def test_one_query() -> None:
    a, b = {"q": ["x", "r", "y"]}, {"q": ["r", "x", "z"]}
    [found] = decisive(a, b, truth({"q": {"r": 1}}, ["q"]), NDCG2)
    # B − A is 1 − .6309 = .3691. With x relevant both are perfect, and B − A is 0.
    assert (found.doc_id, found.reason) == ("x", "decisive")
    assert found.effect == pytest.approx(SECOND - 1)


def test_the_grade_that_moves_more() -> None:
    a, b = {"q": ["x", "r"]}, {"q": ["r", "x"]}
    [found] = decisive(a, b, truth({"q": {"r": 1}}, ["q"], highest=3), NDCG2)
    # x of grade 3: the ideal is 3 + .6309, A has it, B has 1 + 3 · .6309. B − A falls from .3691 to −.2033.
    after = (1 + 3 * SECOND) / (3 + SECOND) - 1
    assert found.effect == pytest.approx(after - (1 - SECOND))
    assert after == pytest.approx(-0.2032924)


def test_the_lower_grade_may_move_more() -> None:
    a, b = {"q": ["a", "b", "d"]}, {"q": ["c", "b", "a"]}
    found = {
        one.doc_id: one.effect for one in decisive(a, b, truth({"q": {"a": 1}}, ["q"], 3), parse("nDCG@3"))
    }
    # Now .5 − 1. With d of grade 1 the ideal is 1.6309, A has 1.5 of it and B .5: −.6131. With grade 3 it is −.5508.
    assert found["d"] == pytest.approx(-1 / (1 + SECOND) + 0.5)


def test_a_query_without_relevant_documents_joins_the_mean() -> None:
    a, b = {"q": ["x", "r"], "new": ["s"]}, {"q": ["r", "x"], "new": ["t"]}
    found = {one.doc_id: one.effect for one in decisive(a, b, truth({"q": {"r": 1}}, ["new", "q"]), NDCG2)}
    now = 1 - SECOND
    # s at rank 1 of A alone: B − A of its query is −1, the mean (now − 1) / 2; t the other way round.
    assert found["s"] == pytest.approx((now - 1) / 2 - now)
    assert found["t"] == pytest.approx((now + 1) / 2 - now)


def test_without_any_label_the_first_judgment_makes_the_mean() -> None:
    found = decisive({"q": ["s", "t"]}, {"q": ["t", "s"]}, truth({}, ["q"]), NDCG2)
    assert [(one.doc_id, one.effect) for one in found] == [
        ("s", pytest.approx(SECOND - 1)),
        ("t", pytest.approx(1 - SECOND)),
    ]


def test_what_has_no_effect_is_not_proposed() -> None:
    same = {"q": ["x", "r"]}
    assert decisive(same, same, truth({"q": {"r": 1}}, ["q"]), NDCG2) == []


def test_what_may_not_be_seen_is_not_proposed() -> None:
    a, b = {"q": ["x", "r"]}, {"q": ["r", "x"]}
    hidden = replace(truth({"q": {"r": 1}}, ["q"]), unjudged=lambda _, doc: doc not in ("x", "r"))
    assert decisive(a, b, hidden, NDCG2) == []


def test_ties_go_by_query_and_document() -> None:
    a, b = {"q2": ["b"], "q1": ["c"]}, {"q2": ["a"], "q1": ["d"]}
    known = truth({"q0": {"r": 1}}, ["q0", "q1", "q2"])
    found = decisive({**a, "q0": ["r"]}, {**b, "q0": ["r"]}, known, NDCG2)
    assert [(one.query_id, one.doc_id) for one in found] == [
        ("q1", "c"),
        ("q1", "d"),
        ("q2", "a"),
        ("q2", "b"),
    ]


rankings = st.fixed_dictionaries(
    {query: st.permutations("abcd").map(lambda docs: docs[:3]) for query in ("q1", "q2", "q3")}
)
labels = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 2), max_size=3),
)


@given(a=rankings, b=rankings, qrels=labels)
def test_the_effect_is_what_judging_does(
    a: dict[str, list[str]], b: dict[str, list[str]], qrels: dict[str, dict[str, int]]
) -> None:
    def difference(labels: Mapping[str, Mapping[str, int]]) -> float:
        sides = [values(judge(run, labels, ["q1", "q2", "q3"]), NDCG2) for run in (a, b)]
        gaps = sides[1] - sides[0]
        return float(gaps.mean()) if gaps.size else 0.0

    for one in decisive(a, b, truth(qrels, ["q1", "q2", "q3"], highest=2), NDCG2):
        moved = [
            difference({**qrels, one.query_id: {**qrels.get(one.query_id, {}), one.doc_id: grade}})
            - difference(qrels)
            for grade in (1, 2)
        ]
        assert one.effect == pytest.approx(max(moved, key=abs), abs=1e-9)


def test_the_top_of_both() -> None:
    assert top([{"q": ["c", "a", "x"]}, {"q": ["b", "a"]}, {}], "q", NDCG2) == ["a", "b", "c"]


ELIGIBLE = {"q1": ["a", "b", "c"], "q2": ["a"], "q3": []}


def drawn(n: int, seed: int) -> list[Proposal]:
    draw = np.random.default_rng(seed)
    return explored("below", ELIGIBLE.__getitem__, query_ids=list(ELIGIBLE), n=n, draw=draw)


def test_queries_take_turns_until_nothing_is_left() -> None:
    assert all({one.query_id for one in drawn(2, seed)} == {"q1", "q2"} for seed in range(10))
    pairs = [(one.query_id, one.doc_id) for one in drawn(9, 0)]
    assert sorted(pairs) == [("q1", "a"), ("q1", "b"), ("q1", "c"), ("q2", "a")]


def test_the_seed_decides() -> None:
    assert drawn(3, 1) == drawn(3, 1)
    assert {drawn(1, seed)[0].doc_id for seed in range(30)} == {"a", "b", "c"}


def test_blind_order_keeps_a_query_together() -> None:
    many = [Proposal(query, doc, "decisive", 1.0) for query in ("q1", "q2", "q3") for doc in "abc"]
    orders = [blind(many, np.random.default_rng(seed)) for seed in range(20)]
    for order in orders:
        assert sorted(order, key=many.index) == many
        queries = [one.query_id for one in order]
        assert queries == sorted(queries, key=queries.index)
    assert len({order[0].query_id for order in orders}) == 3
    assert blind(many[::-1], np.random.default_rng(0)) == orders[0]  # the order of proposals says nothing
