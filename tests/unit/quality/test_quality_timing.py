"""Durations in numbers: every percentile is a duration that was measured."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.quality.timing import percentile, spread

DURATIONS = st.lists(st.floats(0, 1e6), min_size=1, max_size=300)


@pytest.mark.parametrize(
    ("n", "percent", "expected"),
    [
        (1, 50, 1),
        (4, 50, 2),  # 50 · 4 / 100 = 2
        (5, 50, 3),  # 2.5, so the third
        (48, 95, 46),  # 45.6
        (48, 99, 48),  # 47.52: of 48 queries p99 is the longest
        (100, 95, 95),
        (100, 99, 99),
        (100, 7, 7),  # 7 / 100 · 100 is 7.000000000000001, and the eighth would be wrong
        (300, 99, 297),
        (7, 100, 7),
    ],
)
def test_the_nearest_rank_by_hand(n: int, percent: int, expected: int) -> None:
    assert percentile([float(one) for one in range(n, 0, -1)], percent) == expected


@given(DURATIONS, st.integers(1, 100))
def test_numpy_agrees(durations: list[float], percent: int) -> None:
    """Its inverted_cdf computes percent / 100 first; ranks that are whole numbers may fall to the next one."""
    ours = percentile(durations, percent)
    assert ours in durations
    if percent * len(durations) % 100:
        assert ours == np.percentile(durations, percent, method="inverted_cdf")


@given(DURATIONS)
def test_order_does_not_matter_and_tails_are_ordered(durations: list[float]) -> None:
    figures = spread(durations)
    assert figures == spread(sorted(durations))
    assert (
        figures["min_ms"] <= figures["p50_ms"] <= figures["p95_ms"] <= figures["p99_ms"] <= figures["max_ms"]
    )


def test_a_spread_by_hand() -> None:
    assert spread([1.25, 4.0, 2.0, 2.75]) == {
        "mean_ms": 2.5,  # 10 / 4
        "p50_ms": 2.0,
        "p95_ms": 4.0,
        "p99_ms": 4.0,
        "min_ms": 1.25,
        "max_ms": 4.0,
    }


def test_nothing_is_never_a_duration() -> None:
    with pytest.raises(ValueError, match="percentile 50 of 0 durations"):
        spread([])
    with pytest.raises(ValueError, match="percentile 0 of 1 durations"):
        percentile([1.0], 0)
