"""A red gate under `dvc repro`: DVC says 255, and the verdict is there all the same."""

from __future__ import annotations

import json

import pytest

from tests.workspace import GATES, make_sandbox

pytestmark = pytest.mark.slow


def test_a_red_gate_leaves_its_verdict_and_everything_before_it(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    sandbox = make_sandbox(tmp_path_factory.mktemp("red") / "work space", dvc=True)
    sandbox.run("dvc", "repro")
    sandbox.commit()
    sandbox.edit("gates.yaml", "floor: 0.0", "floor: 1.0")
    sandbox.edit("params.yaml", "weight: 0.6", "weight: 0.5")

    def last() -> int:
        return sandbox.run("python", "-m", "cli.main", "gate", "--last", check=False).returncode

    assert last() == 0
    done = sandbox.run("dvc", "repro", check=False)
    assert done.returncode == 255
    assert "gate problem: red: anything (metrics/gate.json)" in done.stderr
    assert json.loads((sandbox.root / "metrics/gate.json").read_text())["verdict"] == "red"
    assert last() == 1
    # what came before is locked, nothing that git ignored is forgotten, and a red gate is judged again
    changed = sandbox.run("git", "status", "--porcelain").stdout.split()[1::2]
    assert {"dvc.lock", "metrics/evaluate.json", "metrics/gate.json"} <= set(changed)
    assert not any(".gitignore" in name or name.startswith("build") for name in changed)
    again = sandbox.run("dvc", "repro", check=False)
    assert again.returncode == 255
    assert [line for line in again.stdout.splitlines() if line.startswith("Running")] == [
        "Running stage 'gate':"
    ]
    # green again without anything else being started
    (sandbox.root / "gates.yaml").write_text(GATES)
    assert "Running stage 'gate':" in sandbox.run("dvc", "repro").stdout
    assert last() == 0
