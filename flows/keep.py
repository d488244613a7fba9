"""Looking after the store: list, find, verify, and collect what nothing uses any more."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from backends.stores.collection import Recipe
from backends.stores.protocol import Spec
from flows.look import reachable
from flows.workspace import Workspace
from vara.artifacts.store import MANIFEST, Artifact, Store, damage, read_manifest


def listing(workspace: Workspace) -> Iterator[str]:
    """Yield one line an artifact: step, key, size, and "in use" where the workspace or a trial would hit it."""
    bench = workspace.bench()
    used = reachable(workspace, bench)
    for folder in bench.store.folders():
        task, key = folder.parent.name, folder.name
        mark = "in use" if (task, key) in used else "" if read_manifest(folder) else "damaged"
        yield f"{task:<9} {key[:12]}  {_bytes(_size(folder)):>10}  {mark}".rstrip()


def verify(workspace: Workspace) -> Iterator[str]:
    """Yield what was read and found damaged; damaged artifacts are moved to quarantine."""
    store = workspace.bench().store
    store.digest_of.forget()
    whole = 0
    for folder in list(store.folders()):
        manifest = read_manifest(folder)
        broken = [MANIFEST] if manifest is None else damage(folder, manifest)
        if broken:
            place = store.quarantine(folder)
            yield f"{folder.parent.name} {folder.name[:12]}: damaged {', '.join(broken)}; moved to {place}"
        else:
            whole += 1
    yield f"{whole} artifacts are whole."


def collect(workspace: Workspace, *, dry_run: bool) -> Iterator[str]:
    """Remove what neither the workspace nor a trial would hit now, and yield what went and how large it was."""
    bench = workspace.bench()
    with bench.store.in_use(alone=True):  # before looking: what a run makes in between would count as unused
        used = reachable(workspace, bench)
        yield from _collect(bench.store, used, dry_run=dry_run)


def _collect(store: Store, used: Mapping[tuple[str, str], Artifact], *, dry_run: bool) -> Iterator[str]:
    total = 0
    for folder in _unused(store, used.keys(), _collections(used.values())):
        total += _size(folder)
        yield f"{'would remove' if dry_run else 'removed'} {folder.relative_to(store.root)}"
        if not dry_run:
            shutil.rmtree(folder)
    yield f"{_bytes(total)} {'would be freed' if dry_run else 'freed'}."


def _unused(store: Store, used: Iterable[tuple[str, str]], collections: set[str]) -> Iterator[Path]:
    """Yield what may go; what another process could be using is locked until the next one is asked for."""
    wanted = set(used)
    for folder in list(store.folders()):
        if (folder.parent.name, folder.name) not in wanted:
            yield folder
    yield from sorted((store.root / "quarantine").glob("*"))
    for leftover in sorted((store.root / "tmp").glob("*")):
        with _locked(store.root / "locks" / leftover.name) as free:
            if free:
                yield leftover
    for folder in sorted((store.root / "collections").glob("*/")):
        with _locked(_lock_of(folder)) as free:
            if free and folder.name not in collections:
                yield folder


def _collections(artifacts: Iterable[Artifact]) -> set[str]:
    """Return the names of the collections that belong to these artifacts of the index step."""
    facts = (one.manifest["outputs"]["index"] for one in artifacts if one.manifest["task"] == "index")
    return {
        Recipe(
            Spec(one["dimension"], one["fingerprint"], one["m"], one["ef_construct"]),
            one["count"],
            one["ids_digest"],
            one["facets_digest"],
        ).name
        for one in facts
        if "facets_digest" in one  # else: made before collections had facets, and nothing opens it any more
    }


def _lock_of(folder: Path) -> Path:
    """Return the file that is locked while a folder among the collections is in use (backends/stores/shelf.py)."""
    if folder.name.startswith(".open-"):
        return folder / "held"
    return folder.with_name(f".{folder.name.removeprefix('.building-')}.lock")


@contextmanager
def _locked(lock: Path) -> Iterator[bool]:
    """Hold a lock if it is free, and say whether it is; one that nobody ever took is."""
    try:
        file = lock.open("rb")
    except FileNotFoundError:
        yield True
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _size(folder: Path) -> int:
    return sum(512 * path.stat().st_blocks for path in folder.rglob("*") if path.is_file())


def _bytes(size: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
