"""What a step may say while it runs. How it is shown is the driver's affair (terminal, Prefect, nothing)."""

from __future__ import annotations

from typing import Protocol


class Watch(Protocol):
    """Receives notes and progress from a step."""

    def note(self, text: str) -> None:
        """Take one line for the person who watches: a count, a notice, a choice that was made."""

    def progress(self, done: int, total: int, unit: str) -> None:
        """Take the state of long work; call it as often as is handy, the driver thins it out."""


class Silence:
    """A watch that shows nothing."""

    def note(self, text: str) -> None:
        """Drop the note."""

    def progress(self, done: int, total: int, unit: str) -> None:
        """Drop the progress."""
