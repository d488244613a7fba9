"""One gate on one file of figures, by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.quality.gatefile import Gate
from vara.quality.gates import Past, Readings, Verdict, judge

KEY = "test.reranked.nDCG@10"
TRUTH = {
    "dataset": "small",
    "conventions": "version 1",
    "data": {"documents": "d", "queries": "q", "labels": "l"},
    "evaluation": {"evaluate.min_relevance": 1, "seed": 42},
}


def gate(metric: str = KEY, **rule: Any) -> Gate:
    return Gate.model_validate({"name": "one", "metric": metric, **rule})


def floored(metrics: dict[str, Any], limit: float = 0.5, metric: str = KEY) -> Verdict:
    return judge(gate(metric, floor=limit), Readings(metrics))


def dropped(now: dict[str, Any], then: dict[str, Any], limit: float = 0.02) -> Verdict:
    past = {"v1.0": Past("c" * 40, then, {})}
    return judge(gate(max_drop=limit, against="v1.0"), Readings(now, past=past))


@pytest.mark.parametrize(
    ("value", "green", "why"),
    [
        (0.5, True, "0.5 is at least 0.5"),
        (1, True, "1 is at least 0.5"),
        (0.4999999999, False, "0.4999999999 is below 0.5"),
        (0.0, False, "0.0 is below 0.5"),
    ],
)
def test_a_floor(value: float, green: bool, why: str) -> None:
    assert floored({KEY: value}) == Verdict(green, value, why)


NOTHING = [
    ({}, f"{KEY} is missing. Known keys: none."),
    ({"test.reranked.nDCG@5": 1.0}, f"{KEY} is missing. Near keys: test.reranked.nDCG@5."),
    ({KEY: None}, f"{KEY} is null (without a reason)"),
    ({KEY: None, "test.reason": "no query"}, f"{KEY} is null (no query)"),
    ({KEY: None, "test.reason": "no query", "test.reranked.reason": "empty"}, f"{KEY} is null (empty)"),
    ({KEY: math.nan}, f"{KEY} is not finite"),
    ({KEY: math.inf}, f"{KEY} is not finite"),
    ({KEY: 10**400}, f"{KEY} is not finite"),
    ({KEY: 46}, f"{KEY} is 46, no share between 0 and 1"),
    ({KEY: -0.1}, f"{KEY} is -0.1, no share between 0 and 1"),
    ({KEY: True}, f"{KEY} is no number"),
    ({KEY: "0.9"}, f"{KEY} is no number"),
]


@pytest.mark.parametrize(("metrics", "why"), NOTHING)
def test_what_is_no_value_fails_a_floor(metrics: dict[str, Any], why: str) -> None:
    """Even one of 0, below which nothing can be."""
    assert floored(metrics, 0.0) == Verdict(green=False, value=None, why=why)


@pytest.mark.parametrize(("metrics", "why"), NOTHING)
def test_what_is_no_value_fails_an_allowed_drop(metrics: dict[str, Any], why: str) -> None:
    """On either side, even where everything may be lost."""
    assert dropped(metrics, {KEY: 0.5}, 1.0) == Verdict(green=False, value=None, why=why)
    assert dropped({KEY: 0.5}, metrics, 1.0) == Verdict(green=False, value=None, why=f"in v1.0 {why}")


@pytest.mark.parametrize(
    ("after", "green", "drop"),
    [(0.54, True, 0.01), (0.53, True, 0.02), (0.5299999999, False, 0.0200000001), (0.6, True, -0.05)],
)
def test_an_allowed_drop_is_one_of_decimal_numbers(after: float, green: bool, drop: float) -> None:
    """0.55 - 0.53 is more than 0.02 in binary, and .02 in the files."""
    assert 0.55 - 0.53 > 0.02
    found = dropped({**TRUTH, KEY: after}, {**TRUTH, KEY: 0.55})
    assert (found.green, found.value) == (green, drop)
    assert found.why == f"0.55 in v1.0, {after} now{'' if green else ': too much lost'}"


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"dataset": "other"}, "dataset"),
        ({"conventions": "version 2"}, "conventions"),
        ({"data": {**TRUTH["data"], "queries": "other"}}, "data.queries"),  # type: ignore[dict-item]
        ({"data": {**TRUTH["data"], "labels": "other"}}, "data.labels"),  # type: ignore[dict-item]
        ({"evaluation": {"evaluate.min_relevance": 2}}, "evaluation.evaluate.min_relevance"),
        ({"evaluation": None}, "evaluation.evaluate.min_relevance"),
    ],
)
def test_a_drop_is_only_told_on_the_same_truth(changed: dict[str, Any], name: str) -> None:
    found = dropped({**TRUTH, KEY: 0.5}, {**TRUTH, **changed, KEY: 0.5})
    why = f"v1.0 was measured with another {name}; name a revision with the same"
    assert found == Verdict(green=False, value=None, why=why)


def test_other_documents_are_what_a_drop_is_about() -> None:
    then = {**TRUTH, "data": {**TRUTH["data"], "documents": "other"}, KEY: 0.5}  # type: ignore[dict-item]
    assert dropped({**TRUTH, KEY: 0.5}, then).green


GROUPS = {
    "test.group.language=en.reranked.nDCG@10": 0.7,
    "test.group.language=en.n": 14,
    "test.group.language=es.reranked.nDCG@10": 0.4,
    "test.group.language=de.reranked.nDCG@10": None,
    "test.group.language=de.reason": "too few: n=3",
    "test.group.category=x.reranked.nDCG@10": 0.1,
    "test.group.language=en.first_stage.nDCG@10": 0.0,
}
LANGUAGES = "test.group.language=*.reranked.nDCG@10"


def test_the_lowest_group_decides() -> None:
    assert floored(GROUPS, 0.4, LANGUAGES) == Verdict(
        green=True, value=0.4, why="all of 2 groups are at least 0.4; 1 too small"
    )
    assert floored(GROUPS, 0.5, LANGUAGES) == Verdict(
        green=False, value=0.4, why="below 0.5: test.group.language=es.reranked.nDCG@10 0.4; 1 too small"
    )
    every = floored(GROUPS, 0.4, "test.group.*.reranked.nDCG@10")
    assert (every.green, every.value) == (False, 0.1)


def test_a_group_without_a_value_fails_unless_it_is_too_small() -> None:
    silent = {**GROUPS, "test.group.language=es.reranked.nDCG@10": None, "test.group.language=es.reranked.reason": "empty"}  # fmt: skip
    assert floored(silent, 0.0, LANGUAGES) == Verdict(
        green=False, value=None, why="test.group.language=es.reranked.nDCG@10 is null (empty)"
    )
    assert not floored({**GROUPS, "test.group.language=en.reranked.nDCG@10": math.nan}, 0.0, LANGUAGES).green


def test_no_group_is_no_pass() -> None:
    few = {key: value for key, value in GROUPS.items() if "=de" in key}
    assert floored(few, 0.0, LANGUAGES) == Verdict(
        green=False, value=None, why="1 of 1 groups are too small, none is left"
    )
    assert floored({}, 0.0, LANGUAGES) == Verdict(green=False, value=None, why=f"no group fits {LANGUAGES}")


def test_a_star_takes_no_other_character_for_itself() -> None:
    """Brackets and dots of a key are themselves."""
    key = "test.group.language=en.reranked.nDCG(gain='exp')@10"
    metric = "test.group.language=*.reranked.nDCG(gain='exp')@10"
    assert floored({key: 0.5}, 0.5, metric).green
    assert not floored({key.replace(".reranked", "xreranked"): 0.5}, 0.5, metric).green


def timed(now: dict[str, Any], then: dict[str, Any] | None = None, limit: float = 1.2) -> Verdict:
    if then is None:
        return judge(gate("dense.p50_ms", max_ratio=limit, over="exact.p50_ms"), Readings({}, now))
    past = {"v1.0": Past("c" * 40, {}, then)}
    return judge(gate("dense.p50_ms", max_ratio=limit, against="v1.0"), Readings({}, now, past))


def test_a_ratio_of_times() -> None:
    assert timed({"dense.p50_ms": 12}, {"dense.p50_ms": 10}) == Verdict(
        green=True, value=1.2, why="12, dense.p50_ms 10 in v1.0"
    )
    assert timed({"dense.p50_ms": 12.001}, {"dense.p50_ms": 10}) == Verdict(
        green=False, value=1.2001, why="12.001, dense.p50_ms 10 in v1.0: too slow"
    )
    assert timed({"dense.p50_ms": 2, "exact.p50_ms": 8}, limit=0.25).value == 0.25
    assert not timed({"dense.p50_ms": 2, "exact.p50_ms": 7.9}, limit=0.25).green


@pytest.mark.parametrize(
    ("now", "then", "why"),
    [
        ({}, {"dense.p50_ms": 1}, "nothing was timed here: run `make lab`"),
        ({"dense.p50_ms": 1}, {}, "in v1.0 dense.p50_ms is missing. Known keys: none."),
        ({"dense.p50_ms": 1}, {"dense.p50_ms": None}, "in v1.0 dense.p50_ms is null (without a reason)"),
        ({"dense.p50_ms": math.nan}, {"dense.p50_ms": 1}, "dense.p50_ms is not finite"),
        ({"dense.p50_ms": 1}, {"dense.p50_ms": 0}, "1 and 0 in v1.0 are no times"),
        ({"dense.p50_ms": -1}, {"dense.p50_ms": 1}, "-1 and 1 in v1.0 are no times"),
        ({"dense.p50_ms": 1, "machine": "a"}, {"dense.p50_ms": 1, "machine": "b"}, "v1.0 was measured on another machine"),
        ({"dense.p50_ms": 1}, None, "exact.p50_ms is missing. Known keys: dense.p50_ms."),
    ],
)  # fmt: skip
def test_what_is_no_ratio_fails(now: dict[str, Any], then: dict[str, Any] | None, why: str) -> None:
    assert timed(now, then, 10) == Verdict(green=False, value=None, why=why)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_better_value_never_turns_a_gate_red(value: float, more: float, limit: float) -> None:
    better = min(1.0, value + more)
    assert floored({KEY: better}, limit).green or not floored({KEY: value}, limit).green
    then = {KEY: 0.5}
    assert dropped({KEY: better}, then, limit).green or not dropped({KEY: value}, then, limit).green
