"""Timing a service: stage by stage, as one call, and under several clients at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Barrier

from tasks.admission import Query
from tasks.serving import Found, Service
from vara.index.retrieval import Rows

_NS_PER_MS = 1e6

Answer = tuple[Found, Rows]


def apart(service: Service, query: Query) -> tuple[dict[str, float], Answer]:
    """Return {stage: ms} of one query, "dense" from before encode to after search, and the answer.

    Raises:
        Exception: whatever a stage raises; a query without an answer has no duration.
    """
    started = time.perf_counter_ns()
    vector = service.encode(query)
    encoded = time.perf_counter_ns()
    found = service.search(query, vector)
    searched = time.perf_counter_ns()
    order = service.rerank(query, found)
    ended = time.perf_counter_ns()
    spans = {
        "encode": encoded - started,
        "search": searched - encoded,
        "dense": searched - started,
        "rerank": ended - searched,
    }
    return {stage: span / _NS_PER_MS for stage, span in spans.items()}, (found, order)


def together(service: Service, query: Query) -> tuple[float, Answer]:
    """Return the ms of one query from question to answer, with one clock around all stages, and the answer.

    Raises:
        Exception: as `apart`.
    """
    started = time.perf_counter_ns()
    answer = service.answer(query)
    return (time.perf_counter_ns() - started) / _NS_PER_MS, answer


@dataclass
class Load:
    """What a number of clients met together.

    Attributes:
        ms: of every query that was answered.
        errors: "query q1: what went wrong" of every query that was not.
        seconds: from the first question to the last answer.
    """

    ms: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def qps(self) -> float:
        """Return queries answered a second; those that failed do not count as answered."""
        return len(self.ms) / self.seconds


def under_load(answer: Callable[[Query], object], queries: Sequence[Query], clients: int) -> Load:
    """Let clients ask all queries, each the next one as soon as it has its answer.

    Args:
        answer: may be called from several threads at once.
        queries: asked once each, in order, by whichever client is free.
        clients: how many ask at a time.
    """
    waiting: SimpleQueue[Query] = SimpleQueue()
    for query in queries:
        waiting.put(query)
    load, gate = Load(), Barrier(clients + 1)

    def client() -> None:
        gate.wait()
        for query in _taken(waiting):
            started = time.perf_counter_ns()
            try:
                answer(query)
            except Exception as error:  # noqa: BLE001 - counted and reported, whatever it is
                load.errors.append(f"query {query.query_id}: {error}")
            else:
                load.ms.append((time.perf_counter_ns() - started) / _NS_PER_MS)

    with ThreadPoolExecutor(clients) as threads:
        running = [threads.submit(client) for _ in range(clients)]
        gate.wait()
        started = time.perf_counter_ns()
        for one in running:
            one.result()
        load.seconds = (time.perf_counter_ns() - started) / 1e9
    return load


def _taken(waiting: SimpleQueue[Query]) -> Iterator[Query]:
    while True:
        try:
            yield waiting.get_nowait()
        except Empty:
            return
