"""The dataset behind an arm: from its folder, or from git and DVC as they were at its commit."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.arms import Source
from flows.revisions import check_out
from flows.workspace import Workspace
from vara.datasets.dataset import Dataset, load_dataset
from vara.datasets.tables import table_digest
from vara.errors import Problem
from vara.report.arm import Arm


def dataset_of(workspace: Workspace, source: Source, arm: Arm) -> Dataset:
    """Return the dataset that an arm names.

    Raises:
        Problem: it cannot be had, or breaks a rule.
    """
    with _folder(workspace, source, str(arm.params.get("dataset.path"))) as folder:
        return load_dataset(folder)


def changed_since(arm: Arm, dataset: Dataset) -> list[str]:
    """Return the tables of an arm's dataset that are others than its numbers were made with."""
    made_with = arm.metrics.get("data")
    digests = {name: table_digest(frame) for name, frame in dataset.tables.items()}
    return [name for name in digests if isinstance(made_with, dict) and made_with.get(name) != digests[name]]


@contextmanager
def _folder(workspace: Workspace, source: Source, path: str) -> Iterator[Path]:
    if source.commit is None or Path(path).is_absolute():
        yield workspace.root / path
        return
    with tempfile.TemporaryDirectory(prefix="vara-") as temporary:
        root = check_out(workspace.root, source.commit, Path(temporary) / "clone")
        if not (root / path).is_dir():
            _pull(workspace.root, root, path)
        yield root / path


def _pull(here: Path, clone: Path, path: str) -> None:
    """Fetch a dataset that DVC tracks: from this workspace's cache and remotes, as its own settings say.

    Raises:
        Problem: DVC cannot; with its own words.
    """
    private = here / ".dvc/config.local"
    if private.is_file():
        (clone / ".dvc/config.local").write_bytes(private.read_bytes())
    cache = _dvc(here, "cache", "dir").strip()
    _dvc(clone, "cache", "dir", "--local", cache)
    _dvc(clone, "pull", "--quiet", path)


def _dvc(root: Path, *words: str) -> str:
    command = [sys.executable, "-m", "dvc", *words]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines()
        remedy = "Fetch that revision's data here (`dvc fetch --all-commits`), then compare again."
        raise Problem(f"dvc {words[0]}", said[0] if said else "no answer", remedy=remedy)
    return done.stdout
