"""Which DVC process started this one: found in real process trees."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.ancestry import dvc_run
from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="no /proc here")

STAGE = "from flows.ancestry import dvc_run; print(*dvc_run())"
DVC = """
import os, subprocess, sys
own = open("/proc/self/stat").read().rpartition(")")[2].split()[19]
print(f"dvc-{os.getpid()}-{own}", flush=True)
for word in sys.argv[1:]:
    command = [sys.executable, "-c", word]
    if os.environ.get("SHELL_BETWEEN"):
        command = ["sh", "-c", '"$0" "$@"; true', *command]
    subprocess.run(command, check=True)
"""


def run(command: list[str], folder: Path, **env: str) -> list[str]:
    merged = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    return subprocess.run(
        command, cwd=folder, env=merged, capture_output=True, text=True, check=True
    ).stdout.split("\n")[:-1]


def dvc(folder: Path) -> Path:
    """Write a program that is called as DVC is and starts stages as DVC does."""
    folder.mkdir(exist_ok=True)
    script = folder / "dvc"
    script.write_text(DVC)
    return script


@pytest.mark.parametrize("between", ["", "1"], ids=["started at once", "through a shell"])
def test_stages_of_one_repro_share_a_tag(tmp_path: Path, between: str) -> None:
    script = dvc(tmp_path / "a folder (1) with brackets")
    command = [sys.executable, str(script), STAGE, STAGE]
    tag, *stages = run(command, tmp_path, DVC_STAGE="embed", SHELL_BETWEEN=between)
    assert stages == [tag, tag]
    other, *_ = run(command, tmp_path, DVC_STAGE="embed")
    assert other != tag


def test_dvc_started_as_a_module(tmp_path: Path) -> None:
    (tmp_path / "dvc.py").write_text(DVC)
    command = [sys.executable, "-m", "dvc", STAGE]
    tag, stage = run(command, tmp_path, DVC_STAGE="embed", PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    assert stage == tag


def test_the_nearest_dvc_counts(tmp_path: Path) -> None:
    """A queued experiment runs one `dvc` inside another."""
    inner = (
        f"import subprocess, sys; subprocess.run([sys.executable, {str(dvc(tmp_path / 'b'))!r}, {STAGE!r}])"
    )
    outer_tag, inner_tag, stage = run(
        [sys.executable, str(dvc(tmp_path / "b")), inner], tmp_path, DVC_STAGE="embed"
    )
    assert stage == inner_tag != outer_tag


def test_without_a_dvc_above_there_is_no_tag(tmp_path: Path) -> None:
    assert run([sys.executable, "-c", STAGE], tmp_path, DVC_STAGE="embed") == [""]


def test_outside_a_stage_nobody_looks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DVC_STAGE", raising=False)
    assert dvc_run() == ()
    command = [sys.executable, str(dvc(tmp_path / "c")), STAGE]
    assert run(command, tmp_path)[1] == ""
