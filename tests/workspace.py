"""Whole workspaces in temporary folders: this repository's code, a tiny model, a small dataset, git and DVC."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.backends.tiny import make_tiny_model
from tests.conftest import ROOT

CODE = ("cli", "flows", "tasks", "backends", "vara")
FILES = (
    "dvc.yaml",
    "prefect.yaml",
    "params.yaml",
    "gates.yaml",
    "requirements.lock",
    ".dvcignore",
    ".gitignore",
    "pyproject.toml",
)

DOCUMENTS = [
    (
        "d1",
        "Reset a password",
        "Open the sign-in page and choose forgotten password. A link comes by mail.",
        {},
    ),
    (
        "d2",
        "Change the mail address",
        "Open settings, then profile, and type the new address.",
        {"product": "web"},
    ),
    (
        "d3",
        "Printer prints blank labels",
        "Turn the roll round; the coated side faces the head.",
        {"product": "bridge"},
    ),
    ("d4", "Cancel a booking", "Open the calendar, click the booking and choose cancel.", {"product": "web"}),
    (
        "d5",
        "Move a booking",
        "Drag the booking to another day; the customer gets a message.",
        {"product": "web"},
    ),
    ("d6", "Old way to reset a password", "Call us and we reset the password.", {"status": "archived"}),
    ("d7", "Read the owner's report", "The report of all branches is for the owner.", {"audience": "owner"}),
    ("d8", "", "Error PK-03 means that the phone waits for the network.", {"product": "pocket"}),
]
QUERIES = [
    ("q1", "forgot my password", {"split": "test", "language": "en"}),
    ("q2", "labels come out blank", {"split": "test", "language": "en"}),
    ("q3", "move booking to friday", {"split": "test", "language": "en"}),
    ("q4", "report of all branches", {"split": "test", "language": "en", "allowed": ["owner"]}),
    ("q5", "pk-03", {"split": "dev", "language": "en"}),
    ("q6", "do you sell bicycles", {"split": "dev", "language": "en"}),
]
LABELS = [("q1", "d1", 3), ("q1", "d2", 0), ("q2", "d3", 3), ("q3", "d5", 3), ("q3", "d4", 1), ("q4", "d7", 2), ("q5", "d8", 3)]  # fmt: skip


# Green whatever a tiny model finds, as long as it finds anything.
GATES = """dataset: small
gates:
- name: anything
  metric: test.reranked.RR
  floor: 0.0
"""


def write_dataset(folder: Path) -> Path:
    """Write the small dataset in BEIR layout."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"_id": i, "title": title, "text": text, "metadata": more} for i, title, text, more in DOCUMENTS]
    asked = [{"_id": i, "text": text, "metadata": more} for i, text, more in QUERIES]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    lines = ["query-id\tcorpus-id\tscore", *(f"{q}\t{d}\t{grade}" for q, d, grade in LABELS)]
    (folder / "qrels.tsv").write_text("\n".join(lines) + "\n")
    return folder


@dataclass(frozen=True)
class Sandbox:
    """A workspace in a temporary folder, driven through real processes."""

    root: Path

    def run(
        self, *words: str, env: Mapping[str, str] | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the workspace with this environment's programs first on PATH."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        merged = {**os.environ, "PATH": path, **(env or {})}
        done = subprocess.run(words, cwd=self.root, env=merged, capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise AssertionError(f"{words} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return done

    def flows(self, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run `python -m flows …`."""
        return self.run("python", "-m", "flows", *words, **options)

    def pipeline(self, *words: str, **options: Any) -> dict[str, Any]:
        """Run the pipeline and return its JSON line."""
        answer: dict[str, Any] = json.loads(
            self.flows("pipeline", *words, "--json", **options).stdout.splitlines()[-1]
        )
        return answer

    def computed(self, *words: str, **options: Any) -> list[str]:
        """Run the pipeline and return the stages that computed."""
        return [
            stage["stage"]
            for stage in self.pipeline(*words, **options)["stages"]
            if stage["state"] == "computed"
        ]

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace text in a file of the workspace that must be there."""
        file = self.root / path
        text = file.read_text()
        assert old in text, f"{old!r} is not in {path}"
        file.write_text(text.replace(old, new, 1))

    def commit(self) -> None:
        """Commit everything."""
        self.run("git", "add", "-A")
        self.run("git", "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "state")


def make_shipped(root: Path) -> Sandbox:
    """Make a workspace as it is shipped: the real model, the dataset helpdesk."""
    root.mkdir(parents=True)
    for name in (*CODE, "data/helpdesk"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in (*FILES, "models.yaml"):
        shutil.copy(ROOT / name, root / name)
    return Sandbox(root)


def make_sandbox(root: Path, *, dvc: bool = False, code: bool = True) -> Sandbox:
    """Make a workspace with the small dataset and a tiny model.

    Args:
        root: its folder.
        dvc: put it under git and DVC.
        code: copy this repository's code, for real processes; a test that runs in this process has its own.
    """
    root.mkdir(parents=True)
    for name in CODE if code else ():
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, root / name)
    params = yaml.safe_load((root / "params.yaml").read_text())
    params["dataset"]["path"] = "data/small"
    params["embed"].update(model="tiny", max_length=192)
    params["pool"]["depth"] = 4
    params["evaluate"].update(cutoffs=[2, 4], min_group=2)
    (root / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
    (root / "models.yaml").write_text(
        yaml.safe_dump({"models": {"tiny": make_tiny_model(root / "tiny-model", positions=256)}})
    )
    (root / "gates.yaml").write_text(GATES)
    write_dataset(root / "data/small")
    sandbox = Sandbox(root)
    if dvc:
        (root / ".dvc").mkdir()
        (root / ".dvc/config").write_text("[core]\n    analytics = false\n    check_update = false\n")
        (root / ".dvc/.gitignore").write_text("/tmp\n/cache\n")
        sandbox.run("git", "init", "-q", "-b", "main")
        sandbox.commit()
    return sandbox
