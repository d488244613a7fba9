"""The per-item cache: one value a text, for work that is the same whatever its company (embeddings)."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from vara.artifacts.sqlite import Memory

_BATCH = 500
# With row ids: a page of a table without them holds no value of more than a quarter of it, and a vector would take
# a page of its own, three times its size.
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS items (space TEXT, item TEXT, value BLOB, checksum BLOB,"
    " PRIMARY KEY (space, item))"
)


class ItemCache:
    """Values by (space, item digest) in one SQLite file, safe for several processes.

    A *space* names everything but the item that decides the value: model, code, libraries, platform. Each value
    carries its own checksum; a damaged one counts as absent and is computed again.
    """

    def __init__(self, path: Path) -> None:
        self._memory = Memory(path, _SCHEMA)

    def get(self, space: str, items: Sequence[str]) -> dict[str, bytes]:
        """Return {item digest: value} of those that are there."""

        def read(cache: sqlite3.Connection) -> dict[str, bytes]:
            found: dict[str, bytes] = {}
            for start in range(0, len(items), _BATCH):
                batch = items[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                rows = cache.execute(
                    f"SELECT item, value, checksum FROM items WHERE space=? AND item IN ({marks})",  # noqa: S608 - marks only
                    (space, *batch),
                )
                found.update({item: value for item, value, checksum in rows if _checksum(value) == checksum})
            return found

        return self._memory.do(read)

    def put(self, space: str, values: Mapping[str, bytes]) -> None:
        """Keep {item digest: value}, all in one transaction."""
        rows = [(space, item, value, _checksum(value)) for item, value in values.items()]
        self._memory.do(
            lambda cache: cache.executemany("INSERT OR REPLACE INTO items VALUES (?,?,?,?)", rows)
        )


def _checksum(value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=8).digest()
