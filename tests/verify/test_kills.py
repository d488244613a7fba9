"""Real kills at random moments: the rerun gives the same bytes, and nothing half-written is ever taken for whole."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.workspace import Sandbox, make_sandbox

KILLS = 25


def payload(root: Path) -> dict[str, bytes]:
    """Return every payload file of every artifact, and all that DVC tracks."""
    store = [
        path
        for path in (root / ".vara").glob("*/*/*")
        if path.is_file() and path.parts[-3] not in ("tmp", "quarantine", "collections")
    ]
    tracked = [path for room in ("build", "metrics", "plots") for path in (root / room).glob("*")]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted([*store, *tracked])}


def kill_after(sandbox: Sandbox, seconds: float) -> bool:
    process = subprocess.Popen(
        [sys.executable, "-m", "flows", "pipeline"],
        cwd=sandbox.root,
        env=os.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(seconds)
    alive = process.poll() is None
    if alive:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return alive


def test_killed_at_any_moment_the_rerun_gives_the_same_bytes(tmp_path: Path) -> None:
    whole = make_sandbox(tmp_path / "whole")
    started = time.monotonic()
    whole.pipeline()
    duration = time.monotonic() - started
    expected = payload(whole.root)
    moments = random.Random(0)
    killed = 0
    for number in range(KILLS):
        sandbox = make_sandbox(tmp_path / f"killed{number}")
        killed += kill_after(sandbox, moments.uniform(0.2, duration))
        sandbox.pipeline()
        assert payload(sandbox.root) == expected
        assert not list((sandbox.root / ".vara/quarantine").glob("*"))
    assert killed >= KILLS // 2
