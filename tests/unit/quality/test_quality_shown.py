"""Figures of a split beyond relevance: means over the queries that have one, and what the whole corpus shows."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vara.quality.figures import Figure
from vara.quality.shown import EACH_LIST, REASONS, WHOLE_CORPUS, Catalogue, shown

CATALOGUE = Catalogue(
    rows={"a": 0, "b": 1, "c": 2, "d": 3},
    categories=["login", "login", "billing", None],
    days=np.array([100.0, 90.0, 40.0, np.nan]),
    vectors=np.float32([[1, 0], [0, 1], [0.6, 0.8], [-1, 0]]),
)
ALL = np.ones(4, dtype=bool)


def of(*results: str, cutoffs: tuple[int, ...] = (2,), **options: Any) -> dict[str, Figure]:
    visible = options.pop("visible", ALL)
    return shown([list(docs) for docs in results], CATALOGUE, visible, cutoffs)


def test_a_split_by_hand() -> None:
    assert of("abc", "cd", "d", "") == {
        "categories@2": 1.0,  # 1 of ab, 1 of cd; d has none, and the last shows nothing
        "categories@2.n": 2,
        "ILD@2": 1.3,  # ab 1 − 0, cd 1 + .6; no pair in the others
        "ILD@2.n": 2,
        "median_age_days@2": 32.5,  # ab 0 and 10: 5; cd 60
        "median_age_days@2.n": 2,
        "never_shown@2": 0.0,
        "exposure_gini@2": 0.15,  # 1 1 1 2: (−3 − 1 + 1 + 3 · 2) / (4 · 5)
    }


def test_where_every_query_has_one_nothing_is_counted() -> None:
    assert not [key for key in of("ab", "ac") if key.endswith(".n")]


def test_a_deeper_look_shows_more() -> None:
    found = of("abc", cutoffs=(1, 3))
    assert (found["categories@1"], found["categories@3"]) == (1.0, 2.0)
    assert (found["never_shown@1"], found["never_shown@3"]) == (0.75, 0.25)
    assert found["ILD@3"] == 0.533  # 1, .4, .2
    assert (found["ILD@1"], found["ILD@1.reason"]) == (None, "no result has two documents")


def test_the_invisible_are_not_missed() -> None:
    visible = np.array([True, True, False, False])
    found = of("a", visible=visible)
    assert found["never_shown@2"] == 0.5
    assert found["exposure_gini@2"] == 0.5  # 0 1: (2 · 2 − 3) / (2 · 1)


def test_nothing_to_measure_is_null_with_a_reason() -> None:
    found = of("", "", visible=np.zeros(4, dtype=bool))
    for name in (*EACH_LIST, *WHOLE_CORPUS):
        assert found[f"{name}@2"] is None
        assert found[f"{name}@2.reason"] == REASONS[name]
    assert of("", "")["never_shown@2"] == 1.0  # visible, and shown to nobody


def test_the_last_bits_of_vectors_do_not_show() -> None:
    nudged = Catalogue(
        rows=CATALOGUE.rows,
        categories=CATALOGUE.categories,
        days=CATALOGUE.days,
        vectors=np.nextafter(CATALOGUE.vectors, np.float32(2)),
    )
    results = [list("abc"), list("cd")]
    assert shown(results, CATALOGUE, ALL, [2, 3]) == shown(results, nudged, ALL, [2, 3])


@given(st.lists(st.permutations("abcd"), min_size=1, max_size=5), st.integers(1, 4))
def test_bounds_and_order(results: list[list[str]], cutoff: int) -> None:
    """The order of queries does not matter, and shares are shares."""
    found = shown(results, CATALOGUE, ALL, [cutoff])
    assert found == shown(results[::-1], CATALOGUE, ALL, [cutoff])
    for name in WHOLE_CORPUS:
        value = found[f"{name}@{cutoff}"]
        assert isinstance(value, float)
        assert 0 <= value < 1
