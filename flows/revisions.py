"""Git revisions, read without touching the working tree: what a name means, and what a file held there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from vara.errors import Problem, examples, near_names


def commit_of(root: Path, name: str) -> str | None:
    """Return the commit that a tag, branch, abbreviation or expression (HEAD~1) names; None where it names none.

    Raises:
        Problem: git finds more than one.
    """
    if name.startswith("-"):
        return None
    done = _git(root, "rev-parse", "--verify", f"{name}^{{commit}}")
    if "ambiguous" in done.stderr:
        said = done.stderr.splitlines()[0].partition(": ")[2]
        remedy = "Write more of the commit, or refs/heads/… or refs/tags/…."
        raise Problem("revision", said, where=name, remedy=remedy)
    return done.stdout.strip() if done.returncode == 0 else None


def file_at(root: Path, commit: str, path: str) -> bytes | None:
    """Return what a file held at a commit, by its path in the workspace; None where there was none."""
    command = ["git", "show", f"{commit}:./{path}"]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def last_change(root: Path, commit: str, path: str) -> int | None:
    """Return when a file last changed up to a commit, in seconds since 1970; None where it never stood there."""
    done = _git(root, "log", "-1", "--format=%ct", commit, "--", path)
    return int(done.stdout) if done.returncode == 0 and done.stdout.strip() else None


def is_unchanged(root: Path, path: str) -> bool:
    """Return whether a file stands in HEAD exactly as it is on disk."""
    tracked = _git(root, "ls-files", "--error-unmatch", "--", path).returncode == 0
    return tracked and _git(root, "diff", "--quiet", "HEAD", "--", path).returncode == 0


def check_out(root: Path, commit: str, folder: Path) -> Path:
    """Put a commit's files into a clone of their own, and return what is this workspace there.

    Raises:
        Problem: git cannot; with its own words.
    """
    prefix = _git(root, "rev-parse", "--show-prefix").stdout.strip()
    top = _git(root, "rev-parse", "--show-toplevel").stdout.strip()
    for where, words in (
        (root, ("clone", "--quiet", "--shared", "--no-checkout", top, str(folder))),
        (folder, ("checkout", "--quiet", "--detach", commit)),
    ):
        done = _git(where, *words)
        if done.returncode:
            remedy = "Run `git fsck`, or fetch the commit again."
            raise Problem("git", done.stderr.strip().splitlines()[-1], where=commit[:12], remedy=remedy)
    return folder / prefix


def unknown(root: Path, name: str) -> Problem:
    """Return the problem of a name that git does not know, with what to do about it."""
    found = f"git knows no revision {name!r}"
    inside = _git(root, "rev-parse", "--is-inside-work-tree")
    if inside.returncode:
        return Problem(
            "arm", f"{found}: this is no git repository", where=str(root), remedy="Name a trial: trials/NAME."
        )
    if _git(root, "rev-parse", "--is-shallow-repository").stdout.strip() == "true":
        remedy = "Run `git fetch --unshallow --tags`, then compare again."
        return Problem("arm", f"{found}: this clone is shallow", remedy=remedy)
    listed = _git(root, "for-each-ref", "--format=%(refname:short)").stdout.split()
    trials = sorted(f"trials/{path.parent.name}" for path in root.glob("trials/*/params.yaml"))
    if f"trials/{name}" in trials:
        return Problem("arm", found, remedy=f"The trial is called trials/{name}.")
    remedy = f"{near_names(name, [*listed, *trials])} Or `.`, or settings like pool.depth=10."
    return Problem(
        "arm",
        found,
        expected=f"a revision, a trial ({examples(trials) or 'none yet'}) or settings",
        remedy=remedy,
    )


def _git(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(
        ["git", *words], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
