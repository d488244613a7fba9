"""Cohen's kappa, with the sums that a reader checks by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.quality.agreement import kappa, quadratic


def test_half_way_between_chance_and_agreement() -> None:
    # they differ on 1 of 4; by chance on 1 − (2/4 · 1/4 + 2/4 · 3/4) = 1/2; 1 − (1/4)/(1/2)
    assert kappa([1, 1, 0, 0], [1, 0, 0, 0]) == pytest.approx(0.5)


def test_cohens_own_form_of_a_table() -> None:
    # 50 pairs: both yes 20, only first 5, only second 10, both no 15. Agreement 35/50 = .7;
    # by chance 25/50 · 30/50 + 25/50 · 20/50 = .5; (.7 − .5)/(1 − .5)
    first = [1] * 25 + [0] * 25
    second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert kappa(first, second) == pytest.approx(0.4)


def test_worse_than_chance_is_negative() -> None:
    # they differ on all; by chance on half: 1 − 1/(1/2)
    assert kappa([0, 1], [1, 0]) == pytest.approx(-1)


def test_one_judge_without_a_difference_agrees_by_chance_alone() -> None:
    # differ on 1/2, by chance on 1/2
    assert kappa([0, 1], [1, 1]) == pytest.approx(0)
    assert kappa([2, 2], [1, 1]) == pytest.approx(0)


def test_a_distance_counts_by_its_square() -> None:
    # observed ((0−1)² + (3−3)² + (0−0)²)/3 = 1/3
    # expected, first {0: 2, 3: 1}, second {0: 1, 1: 1, 3: 1}: (2·0 + 2·1 + 2·9 + 1·9 + 1·4 + 1·0)/9 = 33/9
    assert kappa([0, 3, 0], [1, 3, 0], quadratic) == pytest.approx(1 - (1 / 3) / (33 / 9))  # 10/11
    # unweighted: differ on 1/3; agree by chance (2·1 + 1·1)/9 = 1/3, differ 2/3: 1 − 1/2
    assert kappa([0, 3, 0], [1, 3, 0]) == pytest.approx(0.5)


def test_three_against_zero_weighs_nine_times_one_against_zero() -> None:
    # the same margins, {0: 2, 1: 1, 3: 1} both; expected (0·4 + 1·2·2 + 9·2·2 + 4·1·2)/16 = 48/16 = 3
    near, far = kappa([0, 0, 1, 3], [0, 1, 0, 3], quadratic), kappa([0, 0, 1, 3], [0, 3, 1, 0], quadratic)
    assert near == pytest.approx(1 - (2 / 4) / 3)
    assert far == pytest.approx(1 - (18 / 4) / 3)


def test_grades_that_nobody_gave_do_not_matter() -> None:
    assert kappa([0, 7, 0, 7], [0, 7, 7, 0]) == kappa([0, 1, 0, 1], [0, 1, 1, 0])


def test_where_chance_leaves_nothing_to_disagree_about_there_is_no_kappa() -> None:
    assert kappa([2, 2], [2, 2]) is None
    assert kappa([0], [0], quadratic) is None


@pytest.mark.parametrize(
    ("first", "second", "found"), [([1], [1, 2], "1 and 2"), ([], [], "0 and 0"), ([], [1], "0 and 1")]
)
def test_different_numbers_of_grades_are_refused(first: list[int], second: list[int], found: str) -> None:
    with pytest.raises(ValueError, match=f"^found {found} grades, expected the same number, at least one$"):
        kappa(first, second)


pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20)


@given(pairs, st.randoms())
def test_neither_the_order_of_judges_nor_that_of_pairs_matters(
    graded: list[tuple[int, int]], random: object
) -> None:
    first, second = zip(*graded, strict=True)
    random.shuffle(graded)  # type: ignore[attr-defined]
    other, one = zip(*graded, strict=True)
    for weight in ({}, {"weight": quadratic}):
        assert kappa(first, second, **weight) == pytest.approx(kappa(one, other, **weight))


@given(st.lists(st.integers(0, 3), min_size=2, max_size=20).filter(lambda grades: len(set(grades)) > 1))
def test_full_agreement_is_one(grades: list[int]) -> None:
    assert kappa(grades, grades) == 1
    assert kappa(grades, grades, quadratic) == 1


@given(pairs)
def test_kappa_is_never_above_one(graded: list[tuple[int, int]]) -> None:
    found = kappa(*zip(*graded, strict=True))
    assert found is None or found <= 1
