"""git, asked what it knows: what a name means, and what a file held at a commit. The working tree stays as it is."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from vara.errors import Problem


def git(root: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder; it speaks English, and its exit code is for the caller to look at.

    Raises:
        Problem: there is no such program.
    """
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        return subprocess.run(["git", *words], cwd=root, env=environment, capture_output=True, check=False)
    except FileNotFoundError:
        raise Problem("git", "no such program", remedy="Install git.") from None


def said(root: Path, *words: str) -> str | None:
    """Return what git writes, without white space around it; None where it fails."""
    done = git(root, *words)
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else None


def commit_of(root: Path, name: str) -> str | None:
    """Return the commit that a tag, branch, abbreviation or expression (HEAD~1) names; None where it names none.

    **Conventions** What means a range or a file of a commit to git (^a, a..b, a:b), or begins like an option, names
    none.

    Raises:
        Problem: git finds more than one.
    """
    if name.startswith(("-", "^")) or ".." in name or ":" in name or not name.isprintable():
        return None
    done = git(root, "rev-parse", "--verify", f"{name}^{{commit}}")
    words = done.stderr.decode(errors="replace")
    if "ambiguous" in words:
        remedy = "Write more of the commit, or refs/heads/… or refs/tags/…."
        raise Problem("revision", words.splitlines()[0].partition(": ")[2], where=name, remedy=remedy)
    return done.stdout.decode().strip() if done.returncode == 0 else None


def file_at(root: Path, commit: str, path: str) -> bytes | None:
    """Return what a file held at a commit, by its path in the workspace; None where there was none."""
    done = git(root, "show", f"{commit}:./{path}")
    return done.stdout if done.returncode == 0 else None
