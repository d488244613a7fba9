"""Notes and progress on a terminal or in a log: a line every two seconds at first, rarer as the work goes on."""

from __future__ import annotations

import logging
import sys
import time

log = logging.getLogger("vara")
_EVERY_S = 2.0
_SHARE = 0.1
"""A line comes when this share of the time spent so far has passed since the last one, and _EVERY_S at least."""


class Terminal:
    """A watch that writes to the log `vara`."""

    def __init__(self) -> None:
        self._started: tuple[float, int] | None = None
        self._last = 0.0

    def note(self, text: str) -> None:
        """Log the note."""
        log.info("  %s", text)

    def progress(self, done: int, total: int, unit: str) -> None:
        """Log done, total, rate and time left from time to time, and the end of work that was logged."""
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
            log.info("  %d of %d %s, %.0f/s, %.0f s left", done, total, unit, rate, (total - done) / rate)
        if ended:
            self._started = None


def log_to_stderr() -> None:
    """Send the log `vara` to stderr as bare lines; stdout belongs to what was asked for."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    log.handlers = [handler]
    log.setLevel(logging.INFO)
    log.propagate = False
