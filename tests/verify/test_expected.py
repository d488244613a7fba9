"""Expected numbers on real collections, as data; they move only with a line in CHANGELOG.md under "Numbers"."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.workspace import make_shipped

EXPECTED: dict[str, Any] = yaml.safe_load((ROOT / "tests/expected/collections.yaml").read_text())


@pytest.mark.parametrize("name", EXPECTED)
def test_a_collection_gives_its_numbers(name: str, shared: Path, tmp_path: Path) -> None:
    expected = EXPECTED[name]
    source = ROOT / "data/helpdesk" if name == "helpdesk" else shared / "data" / name
    sandbox = make_shipped(tmp_path / "workspace")
    shutil.copytree(source, sandbox.root / "data" / name, dirs_exist_ok=True)
    settings = [word for setting in expected["settings"] for word in ("--set", setting)]
    metrics = sandbox.pipeline("--out", "trials/expected", *settings)["metrics"]["evaluate"]
    assert metrics["data"] == expected["data"], "the collection is another one"
    for measure, (value, tolerance) in expected["values"].items():
        assert metrics[measure] == pytest.approx(value, abs=tolerance), measure
    for better, worse, at_least in expected.get("above", []):
        assert metrics[better] - metrics[worse] >= at_least
    for measure, floor in expected.get("floors", {}).items():
        assert metrics[measure] >= floor
