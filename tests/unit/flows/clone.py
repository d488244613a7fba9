"""A clone whose revisions hold the committed files of runs: what `vara compare` reads, without a run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.unit.report.arm_files import Ranks, run_files


class Clone:
    """A git repository with params.yaml and dvc.yaml in its root, or in a folder of it."""

    def __init__(self, top: Path, folder: str = "") -> None:
        self.root = top / folder
        self.root.mkdir(parents=True)
        (self.root / "dvc.yaml").write_text("stages: {}\n")
        (self.root / ".gitignore").write_text("trials/\n")
        self.top = top
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str, seconds: int = 1_700_000_000) -> str:
        """Run git as somebody, at some time."""
        who = {f"GIT_{role}_{what}": "t@t" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        when = {f"GIT_{role}_DATE": f"{seconds} +0000" for role in ("AUTHOR", "COMMITTER")}
        done = subprocess.run(
            ["git", *words],
            cwd=self.top,
            env={**os.environ, **who, **when},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def write(self, files: Mapping[str, bytes], where: str = "") -> None:
        """Write files into the working tree, or a folder of it."""
        for name, content in files.items():
            path = self.root / where / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def commit(self, ranks: Ranks, *, seconds: int = 1_700_000_000) -> str:
        """Commit a run, and return the commit."""
        self.write(run_files(ranks))
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "run", seconds=seconds)
        return self.git("rev-parse", "HEAD")
