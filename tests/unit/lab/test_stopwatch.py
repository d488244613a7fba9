"""The stopwatch: what is between which clocks, and that a query without an answer has no duration."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tasks.admission import Query
from tasks.serving import Found, Service
from tasks.stopwatch import apart, together, under_load

QUERIES = [Query(f"q{number}", "text", None, None) for number in range(40)]
ORDER = np.array([1, 0])


def service(**stages: Any) -> Service:
    """A service that answers at once, but for the given stages."""
    vector = np.ones(2, np.float32)
    ready: dict[str, Any] = {
        "encode": lambda _: vector,
        "search": lambda _, vector: Found(np.array([0, 1]), 2, vector, None),
        "rerank": lambda *_: ORDER,
    }
    return Service(**{**ready, **stages}, engine="none", loading={})


def slowly(what: Any, seconds: float = 0.02) -> Any:
    def stage(*arguments: Any) -> Any:
        time.sleep(seconds)
        return what(*arguments)

    return stage


@pytest.mark.parametrize("stage", ["encode", "search", "rerank"])
def test_a_slow_stage_is_slow_where_it_belongs(stage: str) -> None:
    """At least the time that it slept; no upper bound, so that a busy machine fails nothing."""
    slow = service(**{stage: slowly(getattr(service(), stage))})
    stages, (found, order) = apart(slow, QUERIES[0])
    assert set(stages) == {"encode", "search", "dense", "rerank"}
    assert stages[stage] >= 20
    assert stages["dense"] == pytest.approx(stages["encode"] + stages["search"], abs=1e-9)
    assert (found.rows.tolist(), order.tolist()) == ([0, 1], [1, 0])
    total, (_, again) = together(slow, QUERIES[0])
    assert total >= 20
    assert again.tolist() == [1, 0]


@pytest.mark.parametrize("stage", ["encode", "search", "rerank"])
def test_a_query_that_fails_is_raised_and_not_timed(stage: str) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("no answer")

    for timing in (apart, together):
        with pytest.raises(RuntimeError, match="no answer"):
            timing(service(**{stage: broken}), QUERIES[0])


@pytest.mark.parametrize("clients", [1, 2, 8, 50])
def test_every_query_is_asked_once_by_that_many_clients(clients: int) -> None:
    asked: Counter[str] = Counter()
    lock = threading.Lock()

    def answer(query: Query) -> None:
        with lock:
            asked[query.query_id] += 1

    load = under_load(answer, QUERIES, clients)
    assert asked == Counter(query.query_id for query in QUERIES)
    assert (len(load.ms), load.errors) == (len(QUERIES), [])
    assert load.qps == len(QUERIES) / load.seconds


def test_clients_ask_at_the_same_time() -> None:
    """Three clients meet at a barrier that two could never pass."""
    meeting = threading.Barrier(3)
    load = under_load(lambda _: meeting.wait(timeout=30), QUERIES[:9], 3)
    assert (len(load.ms), load.errors) == (9, [])


def test_errors_are_counted_and_are_no_answers() -> None:
    def answer(query: Query) -> None:
        if query.query_id in ("q3", "q5"):
            raise ValueError("refused")

    load = under_load(answer, QUERIES[:10], 2)
    assert len(load.ms) == 8
    assert sorted(load.errors) == ["query q3: refused", "query q5: refused"]
    assert load.qps == 8 / load.seconds
