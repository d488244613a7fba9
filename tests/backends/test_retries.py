"""How often and how long: waits, attempts, items on their way, and what is waited for at the end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from backends.stores import retries
from backends.stores.retries import Caller, Patience, Unreachable
from backends.stores.sending import send_all
from backends.stores.settling import wait_until_indexed
from vara.errors import Problem
from vara.watch import Silence


def test_waits_double_and_are_drawn_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse

    def busy() -> NoReturn:
        raise ResourceExhaustedResponse("", 2)

    waits: list[float] = []
    monkeypatch.setattr(retries.time, "sleep", waits.append)
    call = Caller(Patience(attempts=5, first_s=1.0, longest_s=3.0), "here", random=Random(7))
    with pytest.raises(Unreachable, match=r"^server problem: 5 attempts to go on failed"):
        call("go on", busy)
    drawn = Random(7)
    # At most 1 s, 2 s, then 3 s and not 4, the longest; and each time the 2 s that the server asked for.
    assert waits == [drawn.uniform(0, longest) + 2 for longest in (1, 2, 3, 3)]


def test_our_own_mistakes_are_not_tried_again() -> None:
    calls: list[int] = []

    def wrong() -> NoReturn:
        calls.append(1)
        raise KeyError("spelling")

    with pytest.raises(KeyError):
        Caller(Patience(), "here")("go on", wrong)
    assert len(calls) == 1


def test_no_item_is_taken_before_it_can_go() -> None:
    taken: list[int] = []
    sent: list[int] = []

    def items() -> Iterator[int]:
        for number in range(20):
            assert len(taken) - len(sent) < 3
            taken.append(number)
            yield number

    def send(number: int) -> None:
        time.sleep(0.002)
        sent.append(number)
        if number == 10:
            raise ConnectionError

    with pytest.raises(ConnectionError):
        send_all(items(), send, at_once=3)
    assert len(taken) < 20  # the first failure ends it


def look(*states: dict[str, Any]) -> Any:
    """Show these states one after the other, the last for ever."""
    left = [
        SimpleNamespace(
            **{"status": "green", "optimizer_status": "ok", "update_queue": None, "indexed_vectors_count": 0}
            | state
        )
        for state in states
    ]
    return lambda: left.pop(0) if len(left) > 1 else left[0]


class Steps(Silence):
    """Remembers the progress that it is told."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, int, str]] = []

    def progress(self, done: int, total: int, unit: str) -> None:
        self.seen.append((done, total, unit))


SOON = Patience(settle_s=0.05, poll_s=0.001)


def test_settling_waits_for_the_queue_and_the_count_and_tells_how_it_goes() -> None:
    watch = Steps()
    states = (
        {"indexed_vectors_count": None},  # green before it begins
        {"status": "yellow", "indexed_vectors_count": 40},
        {"indexed_vectors_count": 100, "update_queue": SimpleNamespace(length=3)},
        {"indexed_vectors_count": 120},  # the server's count is approximate
    )
    wait_until_indexed(look(*states), "docs", wanted=100, patience=Patience(poll_s=0.001), watch=watch)
    assert watch.seen == [(done, 100, "points indexed") for done in (0, 40, 100)]


SLOW = "Give the server more cores, and run the index stage again."
BROKEN = "See the server's log, drop the collection and run the index stage again."
ERROR = SimpleNamespace(error="no space left")


@pytest.mark.parametrize(
    ("state", "found", "remedy"),
    [
        ({"status": "yellow", "indexed_vectors_count": 40}, "yellow after 0.05 s, 40 of 1,000", SLOW),
        ({"status": "grey", "indexed_vectors_count": 1000}, "grey after 0.05 s, 1,000 of 1,000", SLOW),
        ({"indexed_vectors_count": 999}, "green after 0.05 s, 999 of 1,000", SLOW),
        ({"optimizer_status": ERROR}, "indexing failed: no space left", BROKEN),
        ({"status": "red"}, "indexing failed: the server says no more", BROKEN),
    ],
)
def test_settling_ends_with_a_name_for_what_is_wrong(state: dict[str, Any], found: str, remedy: str) -> None:
    late = " points in the graph, expected green, all of them" if remedy == SLOW else ""
    with pytest.raises(Problem) as caught:
        wait_until_indexed(look(state), "docs", wanted=1000, patience=SOON, watch=Silence())
    assert str(caught.value) == f"collection problem: {found}{late} (docs). {remedy}"
