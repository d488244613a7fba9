"""Two systems on the same queries: differences, wins, and the one word for each measure."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vara.errors import Problem
from vara.quality.comparison import compare
from vara.quality.power import detectable


def values(numbers, measure="nDCG@10"):
    return {f"q{n:03}": {measure: number} for n, number in enumerate(numbers)}


def one(a, b):
    [found] = compare(values(a), values(b), seed=42)
    return found


def test_identical_arms():
    found = one([0.1, 0.5, 1.0] * 20, [0.1, 0.5, 1.0] * 20)
    assert (found.p, found.p_holm, found.verdict, found.difference) == (1.0, 1.0, "no difference", 0.0)
    assert (found.wins, found.ties, found.losses) == (0, 60, 0)
    assert (found.low, found.high, found.detectable) == (0.0, 0.0, None)


def test_five_of_sixty():
    found = one([0.0] * 60, [1.0] * 5 + [0.0] * 55)
    assert (found.p, found.moved, found.verdict) == (0.0625, 5, "noise")  # 2 / 2^5
    assert found.difference == pytest.approx(5 / 60)


def test_951_against_953_on_100_queries():
    # seven gain .1 and five lose .1: +.2 / 100
    found = one([0.951] * 100, [1.051] * 7 + [0.851] * 5 + [0.951] * 88)
    assert (found.a, found.b, found.difference) == (0.951, 0.953, 0.002)
    assert found.verdict == "noise"
    assert found.p > 0.5
    # s² = (12 × .01 − 100 × .002²) / 99, s = .03476; (1.984 + .845) s / 10 = .00984
    assert found.detectable == pytest.approx(0.00984, abs=5e-5)


def test_higher_and_lower():
    assert one([0.2] * 8, [0.4] * 8).verdict == "higher"  # p = 2 / 2^8 = .0078
    found = one([0.4] * 8, [0.2] * 8)
    assert (found.verdict, found.p, found.low, found.high) == ("lower", 2 / 2**8, -0.2, -0.2)


def test_a_large_difference_of_few_queries_is_undecided():
    assert (
        one([0.0] * 5, [0.5] * 5).verdict == "undecided"
    )  # p cannot fall below .0625, and 5 of 5 are no noise


def test_holm_takes_away_what_many_looks_gave():
    # alone 2 / 2^6 = .03125; beside another measure twice that
    a = {f"q{n}": {"RR": 0.0, "AP": 0.0} for n in range(6)}
    b = {f"q{n}": {"RR": 0.5, "AP": 0.5} for n in range(6)}
    both = compare(a, b, seed=0)
    assert [(found.measure, found.p, found.p_holm, found.verdict) for found in both] == [
        ("RR", 0.03125, 0.0625, "undecided"),
        ("AP", 0.03125, 0.0625, "undecided"),
    ]
    [alone] = compare(a, b, seed=0, measures=["AP"])
    assert (alone.measure, alone.verdict) == ("AP", "higher")


def test_queries_that_one_side_alone_has_are_left_out():
    [found] = compare(values([0.0, 1.0, 0.5]), values([0.0, 1.0]), seed=0)
    assert (found.n, found.a) == (2, 0.5)


def test_order_does_not_matter():
    numbers = [(n * 37 % 101 / 101, n * 53 % 97 / 97) for n in range(60)]
    a, b = values(x for x, _ in numbers), values(y for _, y in numbers)
    turned = [dict(reversed(side.items())) for side in (a, b)]
    assert compare(*turned, seed=3) == compare(a, b, seed=3)


def test_swapping_the_arms_swaps_the_words_alone():
    numbers = [(n * 37 % 101 / 101, n * 53 % 97 / 97) for n in range(60)]
    there = one([x for x, _ in numbers], [y for _, y in numbers])
    back = one([y for _, y in numbers], [x for x, _ in numbers])
    assert (back.p, back.wins, back.losses) == (there.p, there.losses, there.wins)
    assert back.difference == -there.difference
    assert back.detectable == there.detectable


def test_one_query_has_no_interval():
    found = one([0.0], [1.0])
    assert (found.low, found.high, found.detectable, found.p) == (None, None, None, 1.0)


def test_ties_are_those_of_ten_digits():
    found = one([1 / 3] * 3, [0.3333333333] * 3)
    assert (found.ties, found.verdict) == (3, "no difference")


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (values([0.5]), {"x": {"nDCG@10": 0.5}}, "no query that both have. Compare runs over the same queries and split."),
        ({"q": {}}, {"q": {}}, "no measure. Give each query at least one value."),
        (
            {"q": {"RR": 0.5}},
            {"q": {"AP": 0.5}},
            "no value for q, expected a finite number for each of RR. Compare the measures that every query has.",
        ),
        (
            {"q": {"RR": 0.5}},
            {"q": {"RR": None}},
            "no value for q, expected a finite number for each of RR. Compare the measures that every query has.",
        ),
        (
            {"q": {"RR": 0.5}},
            {"q": {"RR": math.inf}},
            ("a value that is NaN or infinite for q, expected a finite number for each of RR. "
            "Compare the measures that every query has."),
        ),
    ],
    ids=["no query", "no measure", "another measure", "null", "infinite"],
)  # fmt: skip
def test_what_cannot_be_compared(a, b, message):
    with pytest.raises(Problem) as caught:
        compare(a, b, seed=0)
    assert str(caught.value) == f"comparison problem: {message}"


def test_no_spread_says_nothing():
    assert detectable(np.array([0.5, 0.7])) is None
    assert detectable(np.array([0.5, 0.5, 0.5])) is None
