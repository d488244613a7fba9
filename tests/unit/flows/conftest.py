"""What the drivers' tests share: the lines of the log `vara`, whatever another test has done to it."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from flows.terminal import log


class Listener(logging.Handler):
    """Keeps every line."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@pytest.fixture
def said() -> Iterator[list[str]]:
    """The lines logged so far."""
    listener, handlers, level = Listener(), log.handlers, log.level
    log.handlers = [listener]
    log.setLevel(logging.INFO)
    yield listener.lines
    log.handlers = handlers
    log.setLevel(level)
