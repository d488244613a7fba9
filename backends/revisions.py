"""Files of earlier revisions, asked of git: nothing is checked out, and the workspace stays as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from backends.git import commit_of, file_at, git, said
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
    commit = commit_of(root, name)
    if commit is None:
        if shallow:
            raise _too_shallow(f"no revision {name!r}")
        tags = (said(root, "tag") or "").split()
        remedy = f"Fetch it (git fetch --tags), or name another. {near_names(name, tags, 'tags')}"
        raise Problem("git", f"no revision {name!r}", expected="a tag or a commit", remedy=remedy)
    contents = {path: file_at(root, commit, path) for path in paths}
    return Revision(name, commit, {path: held for path, held in contents.items() if held is not None})


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
    shallow = _is_shallow(root)
    commits = (said(root, *words) or "").split()  # none before the first commit, when git log fails
    if shallow and len(commits) <= most:  # the oldest commit of a shallow clone seems to add every file
        raise _too_shallow(f"fewer than {most} earlier revisions of {path}")
    contents = (file_at(root, commit, path) for commit in commits[:most])
    return [held for held in contents if held is not None]


def _is_shallow(root: Path) -> bool:
    done = git(root, "rev-parse", "--is-shallow-repository")
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        remedy = "Work in a git clone, or let gates name no revision and no budget over revisions."
        raise Problem("git", words[0] if words else "no answer", where=str(root), remedy=remedy)
    return done.stdout.strip() == b"true"


def _too_shallow(found: str) -> Problem:
    return Problem(
        "git", f"{found} in this shallow clone", remedy="Fetch the rest: git fetch --unshallow --tags."
    )
