"""A folder that appears whole or not at all."""

from __future__ import annotations

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
