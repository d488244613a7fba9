"""Notes and progress on a terminal or in a log: a line every two seconds at first, rarer as the work goes on."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable

log = logging.getLogger("vara")
_EVERY_S = 2.0
_SHARE = 0.1
"""A line comes when this share of the time spent so far has passed since the last one, and _EVERY_S at least."""


class Terminal:
    """A watch that writes lines, to the log `vara` if nothing else is said."""

    def __init__(self, say: Callable[[str], None] | None = None) -> None:
        self._say = say or _say
        self._started: tuple[float, int] | None = None
        self._last = 0.0

    def note(self, text: str) -> None:
        """Write the note."""
        self._say(text)

    def progress(self, done: int, total: int, unit: str) -> None:
        """Write done, total, rate and time left from time to time, and the end of work that was written about."""
        now = time.monotonic()
        if self._started is None or done == 0:
            self._started, self._last = (now, done), now
        began, before = self._started
        ended, logged = done >= total, self._last > began
        if done > before and (
            now - self._last >= max(_EVERY_S, _SHARE * (now - began)) or (ended and logged)
        ):
            self._last = now
            rate = (done - before) / (now - began)
            self._say(f"{done} of {total} {unit}, {rate:.0f}/s, {(total - done) / rate:.0f} s left")
        if ended:
            self._started = None


def _say(text: str) -> None:
    log.info("  %s", text)


def log_to_stderr() -> None:
    """Send the log `vara` to stderr as bare lines; stdout belongs to what was asked for."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    log.handlers = [handler]
    log.setLevel(logging.INFO)
    log.propagate = False
