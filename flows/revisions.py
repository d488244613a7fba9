"""Revisions as arms of a comparison: when their files changed, their data, and what to say of a name that is none."""

from __future__ import annotations

from pathlib import Path

from backends.git import git, said
from vara.errors import Problem, examples, near_names


def last_change(root: Path, commit: str, path: str) -> int | None:
    """Return when a file last changed up to a commit, in seconds since 1970; None where it never stood there."""
    when = said(root, "log", "-1", "--format=%ct", commit, "--", path)
    return int(when) if when else None


def is_unchanged(root: Path, path: str) -> bool:
    """Return whether a file stands in HEAD exactly as it is on disk."""
    tracked = said(root, "ls-files", "--error-unmatch", "--", path) is not None
    return tracked and said(root, "diff", "--quiet", "HEAD", "--", path) is not None


def check_out(root: Path, commit: str, folder: Path) -> Path:
    """Put a commit's files into a clone of their own, and return what is this workspace there.

    Raises:
        Problem: git cannot; with its own words.
    """
    prefix, top = (said(root, "rev-parse", f"--show-{what}") or "" for what in ("prefix", "toplevel"))
    for where, words in (
        (root, ("clone", "--quiet", "--shared", "--no-checkout", top, str(folder))),
        (folder, ("checkout", "--quiet", "--detach", commit)),
    ):
        done = git(where, *words)
        if done.returncode:
            last = done.stderr.decode(errors="replace").strip().splitlines()[-1]
            remedy = "Run `git fsck`, or fetch the commit again."
            raise Problem("git", last, where=commit[:12], remedy=remedy)
    return folder / prefix


def unknown(root: Path, name: str) -> Problem:
    """Return the problem of a name that git does not know, with what to do about it."""
    found = f"git knows no revision {name!r}"
    if said(root, "rev-parse", "--is-inside-work-tree") is None:
        return Problem(
            "arm", f"{found}: this is no git repository", where=str(root), remedy="Name a trial: trials/NAME."
        )
    if said(root, "rev-parse", "--is-shallow-repository") == "true":
        remedy = "Run `git fetch --unshallow --tags`, then compare again."
        return Problem("arm", f"{found}: this clone is shallow", remedy=remedy)
    listed = (said(root, "for-each-ref", "--format=%(refname:short)") or "").split()
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
