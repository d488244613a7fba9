"""SHA-256 of files, computed once for each state of a file and remembered beside the store."""

from __future__ import annotations

from pathlib import Path

from vara.artifacts.canonical import file_digest
from vara.artifacts.sqlite import Memory

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS files"
    " (path TEXT PRIMARY KEY, size INT, mtime INT, ctime INT, inode INT, digest TEXT)"
)
_SEEN = "SELECT digest FROM files WHERE path=? AND size=? AND mtime=? AND ctime=? AND inode=?"


class DigestMemo:
    """Remembers digests by (path, size, mtime_ns, ctime_ns, inode).

    Damage that leaves all five unchanged (a flipped bit on the disk) is what `vara store verify` looks for.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._memory = Memory(path, _SCHEMA)

    def __call__(self, file: Path) -> str:
        """Return the SHA-256 of `file`, as 64 hex digits."""
        stat = file.stat()
        state = (str(file.resolve()), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
        seen = self._memory.do(lambda memo: memo.execute(_SEEN, state).fetchone())
        if seen:
            return str(seen[0])
        digest = file_digest(file)
        self._memory.do(
            lambda memo: memo.execute("INSERT OR REPLACE INTO files VALUES (?,?,?,?,?,?)", (*state, digest))
        )
        return digest

    def forget(self) -> None:
        """Drop every remembered digest."""
        self._memory.do(lambda memo: memo.execute("DELETE FROM files"))
