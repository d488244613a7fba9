"""The threshold of "no answer", by hand: six queries, two of them without an answer."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.quality import calibration
from vara.quality.calibration import (
    Point,
    Signals,
    at_cost,
    at_precision,
    auroc,
    curve,
    point,
    rounded,
    share_interval,
)

# signal     .9    .8     .7    .6     .5     .4
# right      yes   no     yes   no     yes    no
# answerable yes   yes    yes   no     yes    no
SIX = Signals(
    np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4]),
    np.array([True, False, True, False, True, False]),
    np.array([True, True, True, False, True, False]),
)


def test_the_examples_in_the_docstrings() -> None:
    assert doctest.testmod(calibration) == (0, 4)


def test_at_least_is_the_rule() -> None:
    assert point(SIX, 0.7) == Point(0.7, 6, shown=3, right_shown=2, right_lost=1, unanswerable=2, unanswerable_shown=0)  # fmt: skip
    assert point(SIX, 0.7001).shown == 2
    assert point(SIX, 0.7).coverage == 0.5
    assert point(SIX, 0.7).precision == pytest.approx(2 / 3)
    assert point(SIX, 0.6).unanswerable_shown == 1


def test_nothing_shown_has_no_precision() -> None:
    assert (point(SIX, 1.0).coverage, point(SIX, 1.0).precision) == (0.0, None)


def test_the_curve_has_a_point_for_each_signal() -> None:
    assert [(one.threshold, one.shown, one.wrong_shown, one.right_lost) for one in curve(SIX)] == [
        (0.4, 6, 3, 0),
        (0.5, 5, 2, 0),
        (0.6, 4, 2, 1),
        (0.7, 3, 1, 1),
        (0.8, 2, 1, 2),
        (0.9, 1, 0, 2),
    ]


def test_precision_is_bought_with_coverage() -> None:
    chosen = {target: at_precision(SIX, target) for target in (0.5, 0.6, 0.65, 0.9, 1.0)}
    assert {target: one and one.threshold for target, one in chosen.items()} == {
        0.5: 0.4,  # 3 of 6
        0.6: 0.5,  # 3 of 5
        0.65: 0.7,  # 2 of 3
        0.9: 0.9,  # 1 of 1
        1.0: 0.9,
    }


def test_a_precision_that_no_threshold_reaches() -> None:
    assert at_precision(SIX.of(~SIX.right), 0.5) is None


def test_the_cost_of_wrong_against_lost() -> None:
    # costs at ratio 1: .4 3, .5 2, .6 3, .7 2, .8 3, .9 2: the lowest of the equal thresholds
    assert (at_cost(SIX, 1.0) or SIX).threshold == 0.5  # type: ignore[union-attr]
    # ratio 5: 15, 10, 11, 6, 7, 2
    assert (at_cost(SIX, 5.0) or SIX).threshold == 0.9  # type: ignore[union-attr]
    # ratio .1: .3, .2, 1.2 …
    assert (at_cost(SIX, 0.1) or SIX).threshold == 0.5  # type: ignore[union-attr]


def test_showing_nothing_may_cost_least() -> None:
    wrong = SIX.of(~SIX.right)
    assert at_cost(wrong, 1.0) is None
    # of all six, ratio 100: the best threshold, .9, loses two right ones; nothing would lose three
    assert (at_cost(SIX, 100.0) or SIX).threshold == 0.9  # type: ignore[union-attr]


def test_a_query_without_a_document_is_never_shown() -> None:
    one = Signals(np.array([-np.inf, 0.5]), np.array([False, True]), np.array([True, True]))
    assert [spot.threshold for spot in curve(one)] == [0.5]
    assert at_cost(one.of(np.array([True, False])), 1.0) is None


def test_area_under_the_curve() -> None:
    # right .9 .7 .5 against .8 .6 .4: pairs won 3 + 2 + 1 of 9
    assert auroc(SIX.values, SIX.right) == pytest.approx(6 / 9)
    assert auroc(SIX.values, SIX.answerable) == pytest.approx(7 / 8)
    assert auroc(SIX.values, np.ones(6, bool)) is None
    assert auroc(np.zeros(4), np.array([True, False, True, False])) == 0.5


def test_a_share_of_few_says_little() -> None:
    assert share_interval(0, 0) is None
    low, high = share_interval(2, 2) or (0, 0)
    assert (round(low, 3), high) == (0.342, 1.0)  # z² = 3.8415: 1 / (1 + z²/2) = .3424
    assert round((share_interval(50, 100) or (0, 0))[0], 4) == 0.4038  # as in Newcombe (1998)


def test_signals_are_compared_as_they_are_written() -> None:
    assert rounded(np.float32([0.70004, 0.70006, -0.1])).tolist() == [0.7, 0.7001, -0.1]


signals = st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.booleans()), min_size=1, max_size=12)


@given(signals, st.floats(0, 1))
def test_no_threshold_of_that_precision_shows_more(rows: list[tuple[int, bool, bool]], target: float) -> None:
    drawn = Signals(*(np.array(column) for column in zip(*rows, strict=True)))
    chosen = at_precision(drawn, target)
    for threshold in range(6):
        other = point(drawn, threshold)
        if other.precision is not None and other.precision >= target:
            assert chosen is not None
            assert chosen.shown >= other.shown


@given(signals)
def test_the_area_is_the_share_of_pairs(rows: list[tuple[int, bool, bool]]) -> None:
    values, right = np.array([row[0] for row in rows], float), np.array([row[1] for row in rows])
    pairs = [(a > b) + (a == b) / 2 for a in values[right] for b in values[~right]]
    found = auroc(values, right)
    assert found == (pytest.approx(sum(pairs) / len(pairs)) if pairs else None)
