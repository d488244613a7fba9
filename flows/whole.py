"""Folders and files that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vara.errors import Problem


@contextmanager
def whole(target: Path) -> Iterator[Path]:
    """Yield an empty folder beside `target`, which becomes it in one step; after an exception it is removed.

    Raises:
        Problem: something is there already.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Problem(str(target), "something is there already", remedy="Name a folder that is new or empty.")
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        folder.chmod(0o755)
        yield folder
        folder.rename(target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; one that has this content already stays untouched."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_bytes(content)
    part.replace(path)
