"""Known numbers on real collections: data in tests/expected, measured in workspaces as they are shipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import ROOT
from tests.workspace import make_shipped

FOLDER = ROOT / "tests/expected"
EXPECTED: dict[str, dict[str, Any]] = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.yaml"))
}


def where_is(name: str, shared: Path) -> Path:
    """Return the folder of a collection: the shipped one is here, the others beside this repository."""
    return ROOT / "data/helpdesk" if name == "helpdesk" else shared / "data" / name


def measured(name: str, source: Path, root: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each expected run of a collection and the metrics that it has now; all runs share one workspace."""
    sandbox = make_shipped(root)
    shutil.copytree(source, sandbox.root / "data" / name, dirs_exist_ok=True)
    for run in EXPECTED[name]["runs"]:
        settings = [f"dataset.path=data/{name}", *run["settings"]]
        words = [word for setting in settings for word in ("--set", setting)]
        yield run, sandbox.pipeline("--out", "trials/expected", *words)["metrics"]["evaluate"]
