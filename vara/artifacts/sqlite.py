"""A small SQLite file that only remembers what could be computed again: damaged, it is put aside and begun anew."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from vara.artifacts.aside import put_aside

T = TypeVar("T")
log = logging.getLogger("vara")

_NOT_DAMAGE = ("locked", "full", "readonly", "unable to open", "disk I/O")
"""Words of SQLite for troubles that lie in the machine and not in the file."""


class Memory:
    """One table in one file, safe for several processes."""

    def __init__(self, path: Path, schema: str) -> None:
        self.path = path
        self._schema = schema

    def do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `work` does in one transaction.

        Raises:
            sqlite3.OperationalError: the disk is full, or cannot be written to.
        """
        try:
            return self._try(work)
        except sqlite3.DatabaseError as error:
            machine = isinstance(error, sqlite3.OperationalError) and any(
                word in str(error) for word in _NOT_DAMAGE
            )
            if machine and not self.path.is_dir():
                raise
            log.warning(
                "%s was damaged (%s); moved to %s and begun anew", self.path, error, self._set_aside()
            )
            return self._try(work)

    def _try(self, work: Callable[[sqlite3.Connection], T]) -> T:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path, timeout=60)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            with connection:
                connection.execute(self._schema)
                return work(connection)

    def _set_aside(self) -> Path:
        target = put_aside(self.path, self.path.parent / "quarantine", self.path.name)
        for ending in ("-wal", "-shm"):
            self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        return target
