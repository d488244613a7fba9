"""The pipeline as a Prefect flow in which every step is a hit, beside a bare flow of as many trivial tasks.

    python benchmarks/prefect_overhead.py

One local server, started here; each repetition is a process of its own, both sides in turn. Counted are user and
system CPU seconds of these processes, not the server's. Goal: at most 0.15 CPU seconds a task more than the bare flow.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
ROUNDS, TASKS, GOAL = 5, 6, 0.15

from flows.server import reachable  # noqa: E402 - found through the line above
from tests.workspace import Sandbox, make_sandbox  # noqa: E402

BARE = f"""
from prefect import flow, task

@task
def trivial(n):
    return n

@flow
def bare():
    for n in range({TASKS}):
        trivial(n)

bare()
"""


@contextmanager
def server(home: Path) -> Iterator[dict[str, str]]:
    """Start a Prefect server on a free port and give the environment in which it is found."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {
        "PREFECT_HOME": str(home),
        "PREFECT_SERVER_API_PORT": str(port),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "DO_NOT_TRACK": "1",
    }
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1"]
    process = subprocess.Popen(
        command,
        env={**os.environ, **env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        end = time.monotonic() + 120
        while reachable(env, timeout_s=2) is None:
            assert process.poll() is None, "the server ended"
            assert time.monotonic() < end, "no healthy server after two minutes"
            time.sleep(0.5)
        yield env
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def cpu_seconds(sandbox: Sandbox, command: list[str], env: Mapping[str, str]) -> tuple[float, str]:
    """Run a command and return user and system CPU seconds, and what it wrote to stderr."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = sandbox.run(*command, env=env).stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, words


def measure(folder: Path) -> dict[str, list[float]]:
    """Return the seconds of each repetition, by side."""
    sandbox = make_sandbox(folder / "ours")
    sandbox.pipeline(env={"PREFECT_API_URL": ""})
    (sandbox.root / "bare.py").write_text(BARE)
    commands = {"bare flow": ["python", "bare.py"], "our pipeline": ["python", "-m", "flows", "pipeline"]}
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    with server(folder / "prefect") as env:
        for _ in range(ROUNDS + 1):
            for name, command in commands.items():
                spent, words = cpu_seconds(sandbox, command, env)
                hits = words.count("store hit")
                assert name == "bare flow" or (hits >= TASKS and "running without" not in words), words
                seconds[name].append(spent)
    return {name: values[1:] for name, values in seconds.items()}  # the first ones warmed the server


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        seconds = measure(Path(folder))
    print(
        f"{TASKS} tasks on a running Prefect server, CPU seconds of a process, median of {ROUNDS} (least, most):"
    )
    for name, values in seconds.items():
        print(f"  {name:<12}  {statistics.median(values):.2f}  ({min(values):.2f}, {max(values):.2f})")
    more = (statistics.median(seconds["our pipeline"]) - statistics.median(seconds["bare flow"])) / TASKS
    print(f"ours costs {more:+.3f} CPU seconds a task (goal at most {GOAL:g})")
    return 0 if more <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
