"""The artifact store: immutable folders under their keys, whole or not there at all.

Layout: `<task>/<key>/` holds payload files and `manifest.json`; `tmp/` what is being written; `locks/` one lock a
key; `quarantine/` what was found damaged. A lock is held by the kernel (flock), so that a crash releases it.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vara.artifacts.aside import put_aside
from vara.artifacts.canonical import digest, file_digest, readable
from vara.artifacts.items import ItemCache
from vara.artifacts.ledger import LEDGER, Ledger
from vara.artifacts.memo import DigestMemo
from vara.errors import Problem

log = logging.getLogger("vara")

MANIFEST = "manifest.json"
ASIDE = ("tmp", "locks", "quarantine", "collections")
"""Folders of the store that are no task."""


@dataclass(frozen=True)
class Artifact:
    """A whole, verified artifact."""

    folder: Path
    manifest: Mapping[str, Any]


class Store:
    """Finds, writes and verifies artifacts below one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.digest_of = DigestMemo(root / "digests.sqlite")
        self.items = ItemCache(root / "items.sqlite")
        self.ledger = Ledger(root / LEDGER)

    def folder(self, task: str, key: str) -> Path:
        """Return where the artifact is or would be."""
        return self.root / task / key

    def find(self, task: str, key: str) -> Artifact | None:
        """Return the artifact, verified, or None.

        A damaged one is moved to quarantine, so that it is computed again and can still be looked at.
        """
        folder = self.folder(task, key)
        if not folder.exists():
            return None
        manifest = read_manifest(folder)
        broken = [MANIFEST] if manifest is None else damage(folder, manifest, self.digest_of)
        if manifest is None or broken:
            names = ", ".join(broken)
            log.warning("%s %s was damaged (%s); moved to %s", task, key[:12], names, self.quarantine(folder))
            return None
        return Artifact(folder, manifest)

    @contextmanager
    def lock(self, task: str, key: str) -> Iterator[None]:
        """Hold the key alone; others wait. Released by the kernel when the process dies."""
        path = self.root / "locks" / f"{task}-{key}"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                log.info("  waiting for another process that computes %s", task)
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    @contextmanager
    def in_use(self, *, alone: bool = False) -> Iterator[None]:
        """Keep the store's artifacts from being removed meanwhile; `alone`: be the one who may remove them.

        Raises:
            Problem: somebody uses the store who should not, or removes from it.
        """
        path = self.root / "locks" / "store"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w") as file:
            try:
                fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            except BlockingIOError:
                found = "a run is using it" if alone else "vara store gc is at work"
                raise Problem("store", found, where=str(self.root), remedy="Wait until it ends.") from None
            yield

    @contextmanager
    def writing(self, task: str, key: str) -> Iterator[Path]:
        """Give an empty folder to write payload files into; the caller holds the lock. Removed on failure."""
        folder = self.root / "tmp" / f"{task}-{key}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def publish(self, task: str, key: str, folder: Path, facts: Mapping[str, Any]) -> Artifact:
        """Make a written folder the artifact, by one rename after everything is on the disk."""
        files = {
            path.name: {"bytes": path.stat().st_size, "sha256": file_digest(path)}
            for path in sorted(folder.iterdir())
        }
        manifest = {"task": task, "key": key, **facts, "files": files}
        manifest["seal"] = digest(manifest)
        (folder / MANIFEST).write_text(readable(manifest), encoding="utf-8")
        for path in sorted(folder.iterdir()):
            _sync(path)
        _sync(folder)
        target = self.folder(task, key)
        target.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(target)
        _sync(target.parent)
        return Artifact(target, manifest)

    def forget(self, task: str, key: str) -> None:
        """Remove an artifact that has to be made anew although nothing that decides its key has changed."""
        with self.lock(task, key):
            shutil.rmtree(self.folder(task, key), ignore_errors=True)

    def quarantine(self, folder: Path) -> Path:
        """Move a damaged artifact aside and return where to."""
        return put_aside(folder, self.root / "quarantine", f"{folder.parent.name}-{folder.name}")

    def folders(self, task: str | None = None) -> Iterator[Path]:
        """Yield the folder of every artifact in a stable order, also of one whose manifest cannot be read."""
        rooms = [self.root / task] if task else sorted(self.root.glob("*"))
        for room in rooms:
            if room.is_dir() and room.name not in ASIDE:
                yield from (path for path in sorted(room.iterdir()) if path.is_dir() and is_key(path.name))

    def artifacts(self, task: str | None = None) -> Iterator[Artifact]:
        """Yield every artifact that has a readable manifest, in a stable order, without verifying it."""
        for folder in self.folders(task):
            manifest = read_manifest(folder)
            if manifest is not None:
                yield Artifact(folder, manifest)


def is_key(name: str) -> bool:
    """Return whether a folder's name can be the key of an artifact."""
    return len(name) == 64 and set(name) <= set("0123456789abcdef")


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of an artifact folder, or None where it is missing or not as it was sealed."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        seal = manifest.pop("seal")
        whole = seal == digest(manifest) and manifest["key"] == folder.name
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return None
    return manifest if whole else None


def damage(folder: Path, manifest: Mapping[str, Any], digest_of: Any = file_digest) -> list[str]:
    """Return the names of payload files that are missing, of another size or of another digest."""
    broken = []
    for name, facts in manifest["files"].items():
        path = folder / Path(name).name
        if not path.is_file() or path.stat().st_size != facts["bytes"] or digest_of(path) != facts["sha256"]:
            broken.append(name)
    return broken


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
