"""The per-item cache: one value a text, for work that is the same whatever its company (embeddings)."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

_BATCH = 500


class ItemCache:
    """Values by (space, item digest) in one SQLite file, safe for several processes.

    A *space* names everything but the item that decides the value: model, code, libraries, platform. Each value
    carries its own checksum; a damaged one counts as absent and is computed again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, space: str, items: Sequence[str]) -> dict[str, bytes]:
        """Return {item digest: value} of those that are there."""
        found: dict[str, bytes] = {}
        with self._open() as cache:
            for start in range(0, len(items), _BATCH):
                batch = items[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                rows = cache.execute(
                    f"SELECT item, value, checksum FROM items WHERE space=? AND item IN ({marks})",  # noqa: S608 - marks only
                    (space, *batch),
                )
                found.update({item: value for item, value, checksum in rows if _checksum(value) == checksum})
        return found

    def put(self, space: str, values: Mapping[str, bytes]) -> None:
        """Keep {item digest: value}, all in one transaction."""
        with self._open() as cache, cache:
            cache.executemany(
                "INSERT OR REPLACE INTO items VALUES (?,?,?,?)",
                [(space, item, value, _checksum(value)) for item, value in values.items()],
            )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path, timeout=60)) as cache:
            cache.execute("PRAGMA journal_mode=WAL")
            cache.execute(
                "CREATE TABLE IF NOT EXISTS items (space TEXT, item TEXT, value BLOB, checksum BLOB,"
                " PRIMARY KEY (space, item)) WITHOUT ROWID"
            )
            yield cache


def _checksum(value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=8).digest()
