"""What an arm of a comparison means: a git revision, a trial, the working tree, or settings that are run first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from backends.git import commit_of, file_at
from flows.revisions import unknown
from flows.workspace import Workspace
from vara import params as parameters
from vara.errors import Problem
from vara.report.arm import Arm, Files, read_arm

HERE = (".", "workspace")
_OPENING, _CLOSING = "[{(", "]})"


@dataclass(frozen=True)
class Source:
    """Where an arm's files are.

    Attributes:
        name: as it was asked for.
        place: what that means, for people.
        folder: the working tree or a trial; None for a revision.
        commit: of a revision; None for a folder.
    """

    name: str
    place: str
    folder: Path | None = None
    commit: str | None = None

    def arm(self, workspace: Workspace) -> Arm:
        """Read the arm.

        Raises:
            Problem: a file that a run makes is missing or damaged.
        """
        return read_arm(self.name, self.place, self._files(workspace))

    def _files(self, workspace: Workspace) -> Files:
        if self.commit is not None:
            commit = self.commit
            return lambda path: file_at(workspace.root, commit, path)
        folder = self.folder or workspace.root
        return lambda path: (folder / path).read_bytes() if (folder / path).is_file() else None


def sources(workspace: Workspace, a: str, b: str) -> tuple[Source, Source]:
    """Return what both names mean; settings beside a trial change that trial's parameters, not params.yaml.

    Raises:
        Problem: as `source`.
    """
    first = source(workspace, a, beside=b)
    return first, source(workspace, b, beside=a)


def source(workspace: Workspace, name: str, *, beside: str = ".") -> Source:
    """Return what a name means; settings are run as a trial first, unless the store has it all.

    Args:
        workspace: where revisions and trials are.
        name: of the arm.
        beside: the name of the other arm.

    Raises:
        Problem: it means nothing, or more than one thing.
    """
    folder = workspace.root / name if name.startswith("trials/") else None
    commit = commit_of(workspace.root, name)
    readings = {
        "the working tree": name in HERE,
        "a trial": folder is not None and (folder / "params.yaml").is_file(),
        "settings": "=" in name and not name.startswith("refs/"),
        "a git revision": commit is not None,
    }
    meant = [reading for reading, is_so in readings.items() if is_so]
    if len(meant) > 1:
        remedy = "Write refs/heads/… or refs/tags/… for the revision, or rename it."
        raise Problem("arm", f"{name!r} is {' and '.join(meant)}", expected="one of them", remedy=remedy)
    if meant == ["the working tree"]:
        return Source(name, "the working tree", folder=workspace.root)
    if meant == ["settings"]:
        base = workspace.kept_trial(beside) / "params.yaml" if beside.startswith("trials/") else None
        return _run(workspace, name, base)
    if meant == ["a git revision"] and commit is not None:
        return Source(name, f"commit {commit[:12]}", commit=commit)
    if folder is None:
        raise unknown(workspace.root, name)
    folder = workspace.kept_trial(name)
    return Source(name, folder.relative_to(workspace.root).as_posix(), folder=folder)


def settings(name: str) -> list[str]:
    """Split settings at the commas outside of brackets.

    Example:
        >>> settings("evaluate.cutoffs=[5,10],pool.depth=10")
        ['evaluate.cutoffs=[5,10]', 'pool.depth=10']
    """
    return ["".join(part).strip() for part in _parts(name)]


def _parts(name: str) -> Iterator[list[str]]:
    part: list[str] = []
    depth = 0
    for sign in name:
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if sign == "," and depth == 0:
            yield part
            part = []
        else:
            part.append(sign)
    yield part


def _run(workspace: Workspace, name: str, base: Path | None) -> Source:
    """Run the pipeline with these settings, as `python -m flows pipeline --set …` does."""
    from flows.run import perform, plain, prepare
    from flows.terminal import Terminal

    changes = parameters.read_changes(settings(name))
    run = prepare(workspace, "pipeline", changes, None, where=name, base=base)
    perform(run, plain(run.bench, Terminal()))
    return Source(name, run.target.relative_to(workspace.root).as_posix(), folder=run.target)
