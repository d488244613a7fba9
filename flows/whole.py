"""Folders and files that appear whole or not at all."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from flows.terminal import log
from vara.errors import Problem

_PART = ".part"
_ENDS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def whole(target: Path) -> Iterator[Path]:
    """Yield an empty folder beside `target`, which becomes it in one step; after an exception it is removed.

    **Conventions** SIGTERM and SIGHUP end the work like an interrupt. What a process that was killed left of the
    same target is removed; a folder that another process fills at the moment stays.

    Raises:
        Problem: something is there already, or the target is a link or the present folder.
    """
    _check(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with _interrupted_by_signals():
        folder, held = _begin(target)
        try:
            folder.chmod(0o755)
            yield folder
            folder.rename(target)
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, KeyboardInterrupt):
                log.error("Interrupted. Nothing was written; run the same command again.")
            raise
        finally:
            os.close(held)


def _check(target: Path) -> None:
    """Refuse what could not be replaced at the end, before anything is done."""
    found = ""
    if target.is_symlink():
        found = f"a link to {target.readlink()}"
    elif target.name in ("", "..") or target.resolve() == Path.cwd() or target.is_mount():
        found = f"the folder {target.resolve()}"
    if found:
        raise Problem(str(target), f"{found}, which cannot be replaced", remedy="Name a new folder.")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Problem(str(target), "something is there already", remedy="Name a folder that is new or empty.")


def _begin(target: Path) -> tuple[Path, int]:
    """Return a new folder beside the target and the lock on it, after leftovers were removed."""
    parent = os.open(target.parent, os.O_RDONLY)
    try:
        fcntl.flock(parent, fcntl.LOCK_EX)  # else another start could see the new folder before it is held
        left = re.compile(rf"\.{re.escape(target.name)}-[a-z0-9_]{{8}}{re.escape(_PART)}").fullmatch
        for path in [path for path in target.parent.iterdir() if left(path.name)]:
            _remove_if_free(path)
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}-", suffix=_PART, dir=target.parent))
        held = os.open(folder, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
    finally:
        os.close(parent)
    return folder, held


def _remove_if_free(folder: Path) -> None:
    """Remove a folder that no process holds."""
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:  # gone meanwhile, of another person, or no folder
        return
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    else:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(held)


@contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """Let the signals that end a process raise KeyboardInterrupt once; one that is ignored (nohup) stays so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ending = [one for one in _ENDS if signal.getsignal(one) == signal.SIG_DFL]

    def interrupt(*_: object) -> NoReturn:
        for one in ending:
            signal.signal(one, signal.SIG_IGN)  # nothing breaks into what removes the folder
        raise KeyboardInterrupt

    try:
        for one in ending:
            signal.signal(one, interrupt)
        yield
    finally:
        for one in ending:
            signal.signal(one, signal.SIG_DFL)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; one that has this content already stays untouched."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_bytes(content)
    part.replace(path)
