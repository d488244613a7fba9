"""Variety, freshness and exposure, by hand."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.quality import beyond
from vara.quality.beyond import distinct, exposures, gini, intra_list_distance, median_age, never_shown

ALL = np.arange(4)


def test_the_examples_in_the_docstrings() -> None:
    assert doctest.testmod(beyond) == (0, 4)


@pytest.mark.parametrize(
    ("categories", "cutoff", "found"),
    [
        (["a", "b", "a", "c"], 4, 3),
        (["a", "b", "a", "c"], 1, 1),
        (["a", None, "a", None], 4, 1),
        ([None, None, None, "a"], 3, None),
    ],
)
def test_distinct_categories(categories: list[str | None], cutoff: int, found: int | None) -> None:
    assert distinct(ALL, categories, cutoff) == found


def test_pairs_of_a_list() -> None:
    """Cosines 0 (0·1), 1 (0·2), 0 (1·2): distances 1, 0, 1."""
    vectors = np.float32([[1, 0], [0, 1], [1, 0], [-1, 0]])
    assert intra_list_distance(ALL, vectors, 3) == pytest.approx(2 / 3)
    assert intra_list_distance(ALL[[0, 3]], vectors, 2) == 2.0
    assert intra_list_distance(ALL, vectors, 1) is None
    assert intra_list_distance(ALL[:0], vectors, 5) is None


def test_age_is_counted_from_the_newest_document() -> None:
    days = np.array([100.0, 90.0, np.nan, 40.0])
    assert median_age(ALL, days, 2, newest=100.0) == 5.0  # 0 and 10
    assert median_age(ALL, days, 4, newest=100.0) == 10.0  # 0, 10, 60
    assert median_age(ALL[2:3], days, 4, newest=100.0) is None


def test_who_is_never_shown() -> None:
    rankings = [np.array([0, 1, 2]), np.array([0]), np.array([], np.int64)]
    assert exposures(rankings, 5, 2).tolist() == [2, 1, 0, 0, 0]
    assert never_shown(exposures(rankings, 5, 2)) == 0.6
    # sorted 0 0 0 1 2: (2·4 − 6)·1 + (2·5 − 6)·2 = 10, over 5 · 3
    assert gini(exposures(rankings, 5, 2)) == pytest.approx(10 / 15)


def test_nothing_shown_is_not_equal_exposure() -> None:
    assert gini(exposures([], 3, 5)) is None
    assert never_shown(exposures([], 3, 5)) == 1.0
    assert never_shown(exposures([], 0, 5)) is None


@given(st.lists(st.integers(0, 20), min_size=1, max_size=20))
def test_gini_is_half_the_relative_mean_difference(counts: list[int]) -> None:
    exposure = np.array(counts)
    if exposure.sum() == 0:
        assert gini(exposure) is None
        return
    differences = np.abs(exposure[:, None] - exposure[None, :]).mean()
    assert gini(exposure) == pytest.approx(differences / (2 * exposure.mean()))
