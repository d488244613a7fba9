"""Files of earlier revisions, asked of git: nothing is checked out, and the workspace stays as it is."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vara.errors import Problem, near_names


@dataclass(frozen=True)
class Revision:
    """A commit and what it holds of the files that were asked for.

    Attributes:
        name: as it was asked for: a tag or a commit.
        commit: its full id.
        files: {path relative to the workspace: content}, without those that it lacks.
    """

    name: str
    commit: str
    files: Mapping[str, bytes]


def read_revision(root: Path, name: str, paths: Sequence[str]) -> Revision:
    """Return files of a revision.

    Args:
        root: the workspace, in a git repository.
        name: a tag or a commit; nothing that begins with a dash.
        paths: relative to the workspace.

    Raises:
        Problem: git knows no such commit, the clone is too shallow to hold it, or there is no repository.
    """
    shallow = _is_shallow(root)
    done = _git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if done.returncode:
        if shallow:
            raise _too_shallow(f"no revision {name!r}")
        tags = _git(root, "tag").stdout.decode().split()
        remedy = f"Fetch it (git fetch --tags), or name another. {near_names(name, tags, 'tags')}"
        raise Problem("git", f"no revision {name!r}", expected="a tag or a commit", remedy=remedy)
    commit = done.stdout.decode().strip()
    return Revision(name, commit, dict(_contents(root, commit, paths)))


def history(root: Path, path: str, most: int) -> list[bytes]:
    """Return what a file was in the revisions that changed it, along first parents, newest first.

    Args:
        root: the workspace, in a git repository.
        path: relative to the workspace.
        most: how many of them.

    Raises:
        Problem: the clone is too shallow to tell, or there is no repository.
    """
    words = ("log", "--first-parent", "--format=%H", f"--max-count={most + 1}", "--", path)
    shallow, done = _is_shallow(root), _git(root, *words)
    commits = done.stdout.decode().split()  # none before the first commit, when git log fails
    if shallow and len(commits) <= most:  # the oldest commit of a shallow clone seems to add every file
        raise _too_shallow(f"fewer than {most} earlier revisions of {path}")
    return [content for commit in commits[:most] for _, content in _contents(root, commit, [path])]


def _contents(root: Path, commit: str, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        done = _git(root, "show", f"{commit}:./{path}")
        if done.returncode == 0:
            yield path, done.stdout


def _is_shallow(root: Path) -> bool:
    done = _git(root, "rev-parse", "--is-shallow-repository")
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        remedy = "Work in a git clone, or let gates name no revision and no budget over revisions."
        raise Problem("git", words[0] if words else "no answer", where=str(root), remedy=remedy)
    return done.stdout.strip() == b"true"


def _too_shallow(found: str) -> Problem:
    return Problem(
        "git", f"{found} in this shallow clone", remedy="Fetch the rest: git fetch --unshallow --tags."
    )


def _git(root: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", *words], cwd=root, capture_output=True, check=False)
    except FileNotFoundError:
        raise Problem("git", "no such program", remedy="Install git.") from None
