"""The exact oracle and the credit of an approximate search, by numbers that a reader checks by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.index.exact import credited, score_blocks


def unit(rows: int, dim: int, seed: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(rows, dim))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def credit(
    found: list[int], scores: list[float], k: int, allowed: list[bool] | None = None
) -> tuple[int, int]:
    mask = np.ones(len(scores), bool) if allowed is None else np.asarray(allowed, bool)
    return credited(np.asarray(found, np.int64), np.asarray(scores, np.float32), mask, k)


def test_cosines_in_the_order_of_the_documents() -> None:
    documents = np.float32([[1, 0], [0, 1], [0.6, 0.8], [-1, 0]])
    (scores,) = score_blocks(documents, np.float32([[0.8, 0.6]]))
    # .8·1 + .6·0; .8·0 + .6·1; .8·.6 + .6·.8 = .48 + .48; -.8
    assert scores.tolist() == pytest.approx([0.8, 0.6, 0.96, -0.8], abs=1e-7)
    assert scores.dtype == np.float32


def test_one_row_of_scores_a_query_across_blocks() -> None:
    documents, queries = unit(16_384 + 3, 4, seed=0), unit(2 * 32 + 3, 4, seed=1)
    scores = np.array(list(score_blocks(documents, queries)))
    assert scores.shape == (67, 16_387)
    assert np.array_equal(scores, (queries.astype(float) @ documents.astype(float).T).astype(np.float32))


def test_company_changes_no_score() -> None:
    documents, queries = unit(300, 384, seed=2), unit(40, 384, seed=3)
    together = list(score_blocks(documents, queries))
    alone = [next(score_blocks(documents, queries[n : n + 1])) for n in range(40)]
    assert np.array_equal(together, alone)
    some = list(score_blocks(documents[100:200], queries))
    assert np.array_equal(np.array(together)[:, 100:200], some)


def test_products_are_summed_in_double_precision() -> None:
    # 1 + 3 · 2⁻²⁵: in float32 each small product is lost beside the 1; in float64 they add up to 2⁻²³ · .75, one ulp
    documents = np.float32([[1, 2**-25, 2**-25, 2**-25]])
    (scores,) = score_blocks(documents, np.ones((1, 4), np.float32))
    assert scores[0] == np.float32(1 + 2**-23)


def test_no_query_and_no_document() -> None:
    assert list(score_blocks(unit(3, 2, 0), np.empty((0, 2), np.float32))) == []
    (scores,) = score_blocks(np.empty((0, 2), np.float32), unit(1, 2, 0))
    assert scores.shape == (0,)


SCORES = [0.9, 0.8, 0.8, 0.5, 0.1]


@pytest.mark.parametrize(
    ("found", "k", "expected"),
    [
        ([0, 1], 2, (2, 2)),
        ([0, 2], 2, (2, 2)),  # .8 ties with the second place
        ([1, 2], 2, (2, 2)),  # both reach .8, the second best
        ([0, 3], 2, (1, 2)),
        ([4, 3], 2, (0, 2)),
        ([], 2, (0, 2)),
        ([3, 4, 0], 2, (0, 2)),  # what stands beyond k was not found within k
        ([0], 1, (1, 1)),
        ([4, 3, 2, 1, 0], 9, (5, 5)),  # min(9, 5 points)
    ],
)
def test_credit(found: list[int], k: int, expected: tuple[int, int]) -> None:
    assert credit(found, SCORES, k) == expected


def test_the_same_id_ten_times_counts_once() -> None:
    assert credit([7] * 10, [0.0] * 7 + [1.0] + [0.5] * 12, 10) == (1, 10)  # annR@10 = .1


def test_more_ties_than_places_are_no_more_than_all() -> None:
    assert credit([0, 1, 2], [0.5] * 6, 3) == (3, 3)


def test_the_oracle_is_the_filtered_one() -> None:
    allowed = [False, True, True, False, True]
    assert credit([1, 2], SCORES, 2, allowed) == (2, 2)
    assert credit([0, 1], SCORES, 2, allowed) == (1, 2)  # 0 is better than all and may not be seen
    assert credit([1, 2, 4], SCORES, 10, allowed) == (3, 3)  # min(10, 3 that pass)


def test_an_empty_oracle_expects_nothing() -> None:
    assert credit([0, 1], SCORES, 2, [False] * 5) == (0, 0)
    assert credit([], [], 10) == (0, 0)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_tie_is_a_tie_up_to_a_millionth(sign: int) -> None:
    kth = 0.5 * sign
    assert credit([1], [kth, kth - 0.5 * 4e-7], 1) == (1, 1)
    assert credit([1], [kth, kth - 0.5 * 4e-6], 1) == (0, 1)


@given(
    scores=st.lists(st.sampled_from([-0.5, 0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=12),
    k=st.integers(1, 14),
    data=st.data(),
)
def test_exact_search_gets_full_credit_and_nothing_gets_more(
    scores: list[float], k: int, data: st.DataObject
) -> None:
    size = len(scores)
    allowed = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    visible = [row for row in range(size) if allowed[row]]
    exact = sorted(visible, key=lambda row: -scores[row])[:k]
    assert credit(exact, scores, k, allowed) == (len(exact), len(exact))
    anything = data.draw(st.lists(st.integers(0, size - 1), max_size=k))
    got, expected = credit(anything, scores, k, allowed)
    assert 0 <= got <= min(len(set(anything)), expected)
