"""Copies of folders that keep their holes: an engine's files are mostly reserved space."""

from __future__ import annotations

import errno
import os
from pathlib import Path

_CHUNK = 1 << 24


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder and all below it; holes in files stay holes. `target` must not exist."""
    target.mkdir()
    for entry in sorted(source.iterdir()):
        if entry.is_dir():
            copy_folder(entry, target / entry.name)
        else:
            _copy_file(entry, target / entry.name)


def _copy_file(source: Path, target: Path) -> None:
    with source.open("rb") as read, target.open("wb") as write:
        size = os.fstat(read.fileno()).st_size
        os.truncate(write.fileno(), size)
        start = _seek(read.fileno(), 0, os.SEEK_DATA)
        while start is not None:
            end = _seek(read.fileno(), start, os.SEEK_HOLE) or size
            _copy_stretch(read.fileno(), write.fileno(), start, end)
            start = _seek(read.fileno(), end, os.SEEK_DATA)


def _seek(file: int, offset: int, what: int) -> int | None:
    try:
        return os.lseek(file, offset, what)
    except OSError as error:
        if error.errno == errno.ENXIO:  # nothing of that kind up to the end
            return None
        raise


def _copy_stretch(read: int, write: int, start: int, end: int) -> None:
    while start < end:
        part = os.pread(read, min(_CHUNK, end - start), start)
        start += os.pwrite(write, part, start)
