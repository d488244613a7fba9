"""Fusion inside a pool: each score stretched to 0..1, then weighed."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.index import fusion
from vara.index.fusion import fuse

scores = st.floats(-100, 100, width=32)


def fused(dense: list[float], lexical: list[float], weight: float) -> list[float]:
    found = fuse(np.asarray(dense, np.float32), np.asarray(lexical, np.float32), weight)
    assert found.dtype == np.float32
    return [round(float(value), 6) for value in found]


def test_the_examples_in_the_docstrings() -> None:
    assert doctest.testmod(fusion).attempted == 2
    assert doctest.testmod(fusion).failed == 0


def test_by_hand() -> None:
    # dense (.9 .5 .6) → (1, 0, .25); BM25 (0 8 6) → (0, 1, .75)
    # .6·1 + .4·0 = .6; .6·0 + .4·1 = .4; .6·.25 + .4·.75 = .45
    assert fused([0.9, 0.5, 0.6], [0, 8, 6], 0.6) == [0.6, 0.4, 0.45]


@pytest.mark.parametrize(("weight", "expected"), [(1, [1, 0, 0.25]), (0, [0, 1, 0.75])])
def test_all_of_one_score_and_nothing_of_the_other(weight: float, expected: list[float]) -> None:
    assert fused([0.9, 0.5, 0.6], [0, 8, 6], weight) == expected


def test_a_score_that_is_the_same_for_all_says_nothing() -> None:
    assert fused([0.7, 0.7], [0, 3], 0.6) == [0, 0.4]  # no BM25 term in one of them
    assert fused([0.7, 0.2], [0, 0], 0.6) == [0.6, 0]  # no term of the query anywhere: the dense order
    assert fused([0.7], [2.5], 0.6) == [0]


def test_an_empty_pool() -> None:
    assert fused([], [], 0.6) == []


def test_negative_cosines_are_stretched_like_others() -> None:
    assert fused([-0.2, -0.6], [1, 1], 0.5) == [0.5, 0]


@given(st.lists(st.tuples(scores, scores), min_size=1, max_size=20), st.floats(0, 1), st.randoms())
def test_bounds_and_order_of_the_rows(
    pairs: list[tuple[float, float]], weight: float, random: object
) -> None:
    dense, lexical = np.float32(pairs).T
    found = fuse(dense, lexical, weight)
    assert np.all((found >= 0) & (found <= 1))
    order = list(range(len(pairs)))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert np.array_equal(fuse(dense[order], lexical[order], weight), found[order])


@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=10, unique=True),
    st.integers(1, 9),
    st.integers(-9, 9),
)
def test_the_scale_of_a_score_does_not_matter(values: list[int], factor: int, shift: int) -> None:
    one, same = np.float32(values), np.float32(values) * factor + shift
    other = np.arange(len(values), dtype=np.float32)
    assert np.allclose(fuse(one, other, 0.6), fuse(same, other, 0.6), atol=1e-6)


def test_what_stands_behind_the_ranked_moves_none_of_them() -> None:
    dense, lexical = np.float32([0.9, 0.5, 0.7, 0.1]), np.float32([0, 8, 4, 20])
    whole = fuse(dense, lexical, 0.6, 3)
    assert whole[:3].tolist() == fuse(dense[:3], lexical[:3], 0.6).tolist()
    # .6 · (.1 − .5) / .4 + .4 · 20 / 8 = −.6 + 1.0
    assert whole[3] == pytest.approx(0.4)


def test_nothing_ranked_says_nothing() -> None:
    assert fuse(np.float32([0.5]), np.float32([3]), 0.6, 0).tolist() == [0]
