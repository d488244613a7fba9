"""SHA-256 of files, computed once for each state of a file and remembered beside the store."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from vara.artifacts.canonical import file_digest


class DigestMemo:
    """Remembers digests by (path, size, mtime_ns, ctime_ns, inode).

    Damage that leaves all five unchanged (a flipped bit on the disk) is what `vara store verify` looks for.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, file: Path) -> str:
        """Return the SHA-256 of `file`, as 64 hex digits."""
        stat = file.stat()
        state = (str(file.resolve()), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
        with closing(self._open()) as memo:
            row = memo.execute(
                "SELECT digest FROM files WHERE path=? AND size=? AND mtime=? AND ctime=? AND inode=?", state
            ).fetchone()
            if row:
                return str(row[0])
            digest = file_digest(file)
            with memo:
                memo.execute("INSERT OR REPLACE INTO files VALUES (?,?,?,?,?,?)", (*state, digest))
        return digest

    def forget(self) -> None:
        """Drop every remembered digest."""
        with closing(self._open()) as memo, memo:
            memo.execute("DELETE FROM files")

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        memo = sqlite3.connect(self.path, timeout=60)
        memo.execute("PRAGMA journal_mode=WAL")
        memo.execute("PRAGMA synchronous=NORMAL")
        memo.execute(
            "CREATE TABLE IF NOT EXISTS files"
            " (path TEXT PRIMARY KEY, size INT, mtime INT, ctime INT, inode INT, digest TEXT)"
        )
        return memo
