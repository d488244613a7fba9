"""Folders that are there whole or not at all, and that nobody writes to: each reader takes a copy.

The engine writes to its files even when it only searches, and is silent about most damage. So a finished folder
carries a marker with the digest of every file, and is opened by nobody.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from backends.stores.copying import copy_folder
from vara.artifacts.canonical import readable

MARKER = "whole.json"

Digest = Callable[[Path], str]


def publish(made: Path, target: Path, identity: Mapping[str, Any], digest: Digest) -> None:
    """Mark a finished folder and move it to its place by one rename; what was there before goes.

    Args:
        made: the folder, on the file system of `target`.
        target: its place.
        identity: what it holds, as plain values.
        digest: SHA-256 of a file.
    """
    files = {name: digest(made / name) for name in _files(made)}
    with (made / MARKER).open("w", encoding="utf-8") as marker:
        marker.write(readable({**identity, "files": files}))
        marker.flush()
        os.fsync(marker.fileno())
    shutil.rmtree(target, ignore_errors=True)
    made.rename(target)


def is_whole(folder: Path, identity: Mapping[str, Any], digest: Digest) -> bool:
    """Return whether a folder was published as `identity` and still has exactly the files that it had then."""
    try:
        marker = json.loads((folder / MARKER).read_bytes())
    except (OSError, ValueError):
        return False
    files = marker.pop("files", None) if isinstance(marker, dict) else None
    if marker != identity or not isinstance(files, dict) or set(files) != set(_files(folder)):
        return False
    return all(digest(folder / name) == seen for name, seen in files.items())


@contextmanager
def alone(root: Path, name: str) -> Iterator[Path]:
    """Keep other processes from publishing or copying `root/name` meanwhile; a crash lets go. Yields the lock file."""
    root.mkdir(parents=True, exist_ok=True)
    file = root / f".{name}.lock"
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield file


class Copy:
    """A copy of `root/name` for one reader, in a folder of its own.

    Attributes:
        root: the folder that holds the copy under its name.
    """

    def __init__(self, root: Path, name: str) -> None:
        """Copy, after removing the copies of processes that were killed. To be called while `alone`."""
        self._shelf, self._name = root, name
        for left in root.glob(f".open-{name}-*"):
            held = _hold(left)
            if held is not None:
                shutil.rmtree(left)
                os.close(held)
        self.root = Path(tempfile.mkdtemp(prefix=f".open-{name}-", dir=root))
        self._held = _hold(self.root)
        copy_folder(root / name, self.root / name)

    def close(self) -> None:
        """Remove the copy; not while another process looks for copies that were left behind."""
        with alone(self._shelf, self._name):
            shutil.rmtree(self.root)
        if self._held is not None:
            os.close(self._held)


def _files(folder: Path) -> list[str]:
    found = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file())
    return [name for name in found if name != MARKER]


def _hold(folder: Path) -> int | None:
    """Mark a folder as in use for as long as this process lives; None where another process uses it."""
    held = os.open(folder / "held", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        return None
    return held
