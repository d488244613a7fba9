"""The artifact store: immutable folders under their keys, whole or not there at all.

Layout: `<task>/<key>/` holds payload files and `manifest.json`; `tmp/` what is being written; `locks/` one lock a
key; `quarantine/` what was found damaged. A lock is held by the kernel (flock), so that a crash releases it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vara.artifacts.canonical import file_digest, readable
from vara.artifacts.items import ItemCache
from vara.artifacts.memo import DigestMemo

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

    def folder(self, task: str, key: str) -> Path:
        """Return where the artifact is or would be."""
        return self.root / task / key

    def find(self, task: str, key: str) -> Artifact | None:
        """Return the artifact, verified, or None.

        A damaged one is moved to quarantine, so that it is computed again and can still be looked at.
        """
        folder = self.folder(task, key)
        if not folder.is_dir():
            return None
        manifest = read_manifest(folder)
        if manifest is None or self._damage(folder, manifest):
            self.quarantine(folder)
            return None
        return Artifact(folder, manifest)

    @contextmanager
    def lock(self, task: str, key: str) -> Iterator[None]:
        """Hold the key alone; others wait. Released by the kernel when the process dies."""
        path = self.root / "locks" / f"{task}-{key}"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
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
        (folder / MANIFEST).write_text(readable(manifest), encoding="utf-8")
        for path in sorted(folder.iterdir()):
            _sync(path)
        _sync(folder)
        target = self.folder(task, key)
        target.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(target)
        _sync(target.parent)
        return Artifact(target, manifest)

    def quarantine(self, folder: Path) -> Path:
        """Move a damaged artifact aside and return where to."""
        shelf = self.root / "quarantine"
        shelf.mkdir(parents=True, exist_ok=True)
        name = f"{folder.parent.name}-{folder.name}"
        target = next(path for n in range(10**6) if not (path := shelf / f"{name}-{n}").exists())
        folder.rename(target)
        return target

    def artifacts(self, task: str | None = None) -> Iterator[Artifact]:
        """Yield every artifact that has a readable manifest, in a stable order, without verifying it."""
        tasks = [self.root / task] if task else sorted(self.root.iterdir()) if self.root.is_dir() else []
        for room in tasks:
            if room.is_dir() and room.name not in ASIDE:
                for folder in sorted(room.iterdir()):
                    manifest = read_manifest(folder)
                    if manifest is not None:
                        yield Artifact(folder, manifest)

    def _damage(self, folder: Path, manifest: Mapping[str, Any]) -> list[str]:
        return damage(folder, manifest, self.digest_of)


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of an artifact folder, or None where it is missing or not readable."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None
    whole = isinstance(manifest, dict) and {"task", "key", "recipe", "outputs", "files"} <= manifest.keys()
    return manifest if whole and manifest["key"] == folder.name else None


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
