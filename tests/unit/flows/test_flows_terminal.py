"""Notes and progress as lines: few of them, with rate and time left."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator

import pytest

from flows.terminal import Terminal, log, log_to_stderr


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which stands still until a test moves it."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_a_note_is_one_line(said: list[str]) -> None:
    Terminal().note("100 % of %s are truncated")
    assert said == ["  100 % of %s are truncated"]


def test_quick_work_says_nothing(said: list[str], clock: list[float]) -> None:
    watch = Terminal()
    for done in range(1, 101):
        clock[0] += 0.0199
        watch.progress(done, 100, "texts")
    assert said == []


def test_a_line_every_two_seconds_and_one_at_the_end(said: list[str], clock: list[float]) -> None:
    watch = Terminal()
    watch.progress(0, 100, "texts")
    for done in range(1, 101):
        clock[0] += 0.0625  # 16 texts a second, 6.25 s in all
        watch.progress(done, 100, "texts")
    assert said == [
        "  32 of 100 texts, 16/s, 4 s left",  # 68 / 16 = 4.25
        "  64 of 100 texts, 16/s, 2 s left",  # 36 / 16 = 2.25
        "  96 of 100 texts, 16/s, 0 s left",  # 4 / 16 = .25
        "  100 of 100 texts, 16/s, 0 s left",
    ]


def test_the_next_work_starts_its_own_clock(said: list[str], clock: list[float]) -> None:
    watch = Terminal()
    watch.progress(0, 10, "texts")
    clock[0] += 5
    watch.progress(10, 10, "texts")
    clock[0] += 100
    watch.progress(0, 40, "points")
    clock[0] += 1
    watch.progress(10, 40, "points")
    clock[0] += 1
    watch.progress(20, 40, "points")
    assert said == ["  10 of 10 texts, 2/s, 0 s left", "  20 of 40 points, 10/s, 2 s left"]


def test_work_that_was_half_done_is_not_counted_as_fast(said: list[str], clock: list[float]) -> None:
    watch = Terminal()
    watch.progress(900, 1000, "texts")  # what the cache held
    clock[0] += 2
    watch.progress(920, 1000, "texts")
    assert said == ["  920 of 1000 texts, 10/s, 8 s left"]


def test_work_that_stands_still_has_no_rate_to_tell(said: list[str], clock: list[float]) -> None:
    watch = Terminal()
    watch.progress(1, 10, "texts")
    clock[0] += 3
    watch.progress(1, 10, "texts")
    assert said == []


def test_nothing_to_do(said: list[str], clock: list[float]) -> None:
    watch = Terminal()
    watch.progress(0, 0, "texts")
    clock[0] += 3
    watch.progress(0, 0, "texts")
    assert said == []


def test_lines_grow_rarer_as_the_work_goes_on(said: list[str], clock: list[float]) -> None:
    watch = Terminal()
    watch.progress(0, 100, "texts")
    for done in range(1, 101):
        clock[0] += 1
        watch.progress(done, 100, "texts")
    # every 2 s, and from 20 s on when a tenth of the time so far has passed: 23 - 20 ≥ 2.3, 26 - 23 ≥ 2.6, …
    seconds = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 23, 26, 29, 33, 37, 42, 47, 53, 59, 66, 74, 83, 93, 100]
    assert said == [f"  {done} of 100 texts, 1/s, {100 - done} s left" for done in seconds]


def test_another_place_for_the_lines(said: list[str], clock: list[float]) -> None:
    lines: list[str] = []
    watch = Terminal(lines.append)
    watch.note("a note")
    watch.progress(0, 10, "texts")
    clock[0] += 5
    watch.progress(10, 10, "texts")
    assert lines == ["a note", "10 of 10 texts, 2/s, 0 s left"]
    assert said == []


@pytest.fixture
def untouched() -> Iterator[None]:
    before = log.handlers, log.level, log.propagate
    yield
    log.handlers, log.propagate = before[0], before[2]
    log.setLevel(before[1])


def test_the_log_goes_to_stderr_as_bare_lines(untouched: None, capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr()
    log_to_stderr()  # a second call adds no second line
    log.info("one")
    log.debug("not this")
    assert capsys.readouterr() == ("", "one\n")
    assert [type(handler) for handler in log.handlers] == [logging.StreamHandler]
    assert log.handlers[0].stream is sys.stderr  # type: ignore[attr-defined]
