"""Broken datasets at the door: the whole message on stderr, exit code 2, no traceback, nothing written."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from flows.__main__ import main
from tests.faults.dataset_cases import CASES, Case
from tests.workspace import Sandbox, make_sandbox


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return make_sandbox(tmp_path_factory.mktemp("faults") / "work space", code=False)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_broken_dataset_is_refused_at_the_door(
    case: Case,
    sandbox: Sandbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = case.build(tmp_path)
    monkeypatch.chdir(sandbox.root)
    assert main(["validate", "--set", f"dataset.path={folder}", "--out", f"trials/{tmp_path.name}"]) == 2
    words = capsys.readouterr()
    assert words.out == ""
    assert case.message_for(folder) in words.err
    assert "Traceback" not in words.err
    assert not (sandbox.root / "trials").exists()


def test_the_process_says_the_same_and_ends_with_2(sandbox: Sandbox, tmp_path: Path) -> None:
    case = CASES[0]
    folder = case.build(tmp_path)
    done = sandbox.run(
        sys.executable, "-m", "flows", "validate", "--set", f"dataset.path={folder}", check=False
    )
    assert done.returncode == 2
    assert done.stderr.endswith(case.message_for(folder) + "\n")
