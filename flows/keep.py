"""Looking after the store: list, find, verify, and collect what nothing uses any more."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from pathlib import Path

from flows.look import reachable_keys
from flows.workspace import Workspace
from vara.artifacts.store import Store, damage


def listing(workspace: Workspace) -> Iterator[str]:
    """Yield one line an artifact: step, key, size, and "in use" where the workspace or a trial would hit it."""
    bench = workspace.bench()
    used = reachable_keys(workspace, bench)
    for artifact in bench.store.artifacts():
        task, key = artifact.manifest["task"], artifact.manifest["key"]
        mark = "in use" if (task, key) in used else ""
        yield f"{task:<9} {key[:12]}  {_bytes(_size(artifact.folder)):>10}  {mark}".rstrip()


def verify(workspace: Workspace) -> Iterator[str]:
    """Yield what was read and found damaged; damaged artifacts are moved to quarantine."""
    store = workspace.bench().store
    store.digest_of.forget()
    whole = 0
    for artifact in list(store.artifacts()):
        broken = damage(artifact.folder, artifact.manifest)
        if broken:
            place = store.quarantine(artifact.folder)
            task, key = artifact.manifest["task"], artifact.manifest["key"]
            yield f"{task} {key[:12]}: damaged {', '.join(broken)}; moved to {place}"
        else:
            whole += 1
    yield f"{whole} artifacts are whole."


def collect(workspace: Workspace, *, dry_run: bool) -> Iterator[str]:
    """Remove what neither the workspace nor a trial would hit now, and yield what went and how large it was."""
    bench = workspace.bench()
    used = reachable_keys(workspace, bench)
    total = 0
    for folder in _unused(bench.store, used):
        total += _size(folder)
        yield f"{'would remove' if dry_run else 'removed'} {folder.relative_to(bench.store.root)}"
        if not dry_run:
            shutil.rmtree(folder)
    yield f"{_bytes(total)} {'would be freed' if dry_run else 'freed'}."


def _unused(store: Store, used: set[tuple[str, str]]) -> Iterator[Path]:
    for artifact in list(store.artifacts()):
        if (artifact.manifest["task"], artifact.manifest["key"]) not in used:
            yield artifact.folder
    yield from sorted((store.root / "quarantine").glob("*"))
    for leftover in sorted((store.root / "tmp").glob("*")):
        if not _held(store.root / "locks" / leftover.name):
            yield leftover


def _held(lock: Path) -> bool:
    """Return whether a living process holds a lock."""
    try:
        with lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _bytes(size: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
