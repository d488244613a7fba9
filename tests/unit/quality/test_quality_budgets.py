"""Error budgets, by hand: what a window burns, and what happens when it is spent."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.quality.budgets import Burnt, burn
from vara.quality.gatefile import Budget

KEY = "test.reranked.nDCG@10"
NONE: dict[str, Any] = {KEY: None}


def budget(allowed: float = 0.1, window: int = 3, when_spent: str = "fail") -> Budget:
    return Budget.model_validate(
        {"name": "one", "metric": KEY, "target": 0.55, "allowed": allowed, "window": window, "when_spent": when_spent}
    )  # fmt: skip


def readings(*values: float) -> list[dict[str, float]]:
    """Return readings, newest first."""
    return [{KEY: value} for value in values]


def test_a_window_burns_what_it_lacks() -> None:
    # max(0, .55 - .60) + (.55 - .51) + (.55 - .47) = 0 + .04 + .08 = .12, of .1
    assert burn(budget(), readings(0.60, 0.51, 0.47)) == Burnt(
        3, 0, 1.2, "red", "0.12 of 0.1 burnt in 3 readings"
    )


def test_all_of_it_is_not_more_than_it() -> None:
    # .05 + .05 = .1 of .1; in binary it would be more
    assert (0.55 - 0.50) + (0.55 - 0.50) > 0.1
    found = burn(budget(), readings(0.50, 0.50))
    assert (found.share, found.verdict) == (1.0, "green")
    assert burn(budget(), readings(0.50, 0.4999999999)).verdict == "red"


def test_a_reading_above_the_target_pays_nothing_back() -> None:
    assert burn(budget(), readings(1.0, 0.44)).share == 1.1


def test_only_the_newest_readings_count() -> None:
    assert burn(budget(window=2), readings(0.55, 0.50, 0.0)) == Burnt(
        2, 0, 0.5, "green", "0.05 of 0.1 burnt in 2 readings"
    )


@pytest.mark.parametrize("bad", [NONE, {}, {KEY: math.nan}, {KEY: "0.6"}, {KEY: 10**400}])
def test_a_reading_without_a_value_burns_the_whole_target(bad: dict[str, Any]) -> None:
    # .55 + 0 of .6
    assert burn(budget(0.6), [bad, {KEY: 0.9}]) == Burnt(
        2, 1, 0.9166666667, "green", "0.55 of 0.6 burnt in 2 readings, 1 without a value"
    )


@pytest.mark.parametrize(
    ("odd", "said"), [(46, "46"), (-1, "-1"), (1.0000001, "1.0000001"), (-1e-9, "-1e-9")]
)
def test_a_reading_that_is_no_share_has_no_value_and_is_named(odd: float, said: str) -> None:
    # .55 + .55 + 0 of .6
    assert burn(budget(0.6), [NONE, {KEY: odd}, {KEY: 0.9}]) == Burnt(
        3, 2, 1.833333333, "red",
        f"1.10 of 0.6 burnt in 3 readings, 2 without a value (the newest: {KEY} is {said}, no share between 0 and 1)",
    )  # fmt: skip


def test_before_the_figure_existed_there_was_no_reading() -> None:
    assert burn(budget(), [{KEY: 0.6}, {}, {}]).readings == 1
    assert burn(budget(), [{KEY: 0.6}, {}, NONE]).readings == 3  # null is a reading, and what follows it too


def test_no_reading_is_no_pass() -> None:
    for nothing in ([], [{}], [{}, {}]):
        assert burn(budget(), nothing) == Burnt(0, 0, None, "red", f"no reading of {KEY} in the window")
    assert burn(budget(when_spent="warn"), []).verdict == "warning"


def test_a_spent_budget_may_only_warn() -> None:
    assert burn(budget(when_spent="warn"), readings(0.0)).verdict == "warning"
    assert burn(budget(when_spent="warn"), readings(0.55)).verdict == "green"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(0, 5), st.floats(0, 1))
def test_a_better_reading_never_burns_more(values: list[float], place: int, more: float) -> None:
    better = list(values)
    better[place % len(values)] = min(1.0, better[place % len(values)] + more)
    before, after = (burn(budget(window=6), readings(*one)).share for one in (values, better))
    assert before is not None
    assert after is not None
    assert after <= before
