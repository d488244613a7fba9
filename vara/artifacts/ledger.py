"""The ledger: which settings had their test values computed with a store, for as long as the store lives.

Unlike all else in the store it cannot be computed again: `vara store gc` leaves it alone, and a damaged one is an
error.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from vara.errors import Problem

T = TypeVar("T")

LEDGER = "ledger.sqlite"
"""Its file in the store."""

_SCHEMA = "CREATE TABLE IF NOT EXISTS tested (labels TEXT, setting TEXT, PRIMARY KEY (labels, setting))"


class Ledger:
    """Entries (labels, setting) in one SQLite file, safe for several processes; each pair counts once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def enter(self, labels: str, setting: str) -> None:
        """Note that the test values of a setting were computed.

        Args:
            labels: digest of the labels.
            setting: digest of what the measured systems were made with.

        Raises:
            Problem: the file is damaged.
            sqlite3.OperationalError: the disk is full, or cannot be written to.
        """
        row = (labels, setting)
        self._do(lambda ledger: ledger.execute("INSERT OR IGNORE INTO tested VALUES (?,?)", row))

    def count(self, labels: str) -> int:
        """Return how many settings had their values on these labels computed; no file is none.

        Raises:
            Problem: the file is damaged.
        """
        if not self.path.is_file():
            return 0
        counting = "SELECT COUNT(*) FROM tested WHERE labels=?"
        return self._do(lambda ledger: int(ledger.execute(counting, (labels,)).fetchone()[0]))

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `work` does in one transaction, on the disk when this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with closing(sqlite3.connect(self.path, timeout=60)) as connection, connection:
                connection.execute("PRAGMA synchronous=FULL")
                connection.execute(_SCHEMA)
                return work(connection)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            remedy = "Put a copy of it back; or remove it, and the count begins anew."
            raise Problem("ledger", f"damaged ({error})", where=str(self.path), remedy=remedy) from None
