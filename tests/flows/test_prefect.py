"""The same steps on a real Prefect server: states, reasons, tags, artifacts, and a deployment run by a worker."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.workspace import Sandbox, make_sandbox

pytestmark = [pytest.mark.prefect, pytest.mark.slow, pytest.mark.xdist_group("prefect")]


@dataclass(frozen=True)
class Server:
    """A Prefect server of ours and how to reach it."""

    url: str
    env: dict[str, str]

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(
            f"{self.url}{path}", json.dumps(body or {}).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def flow_runs(self) -> list[Any]:
        runs: list[Any] = self.ask("/flow_runs/filter", {"sort": "START_TIME_DESC", "limit": 50})
        return runs

    def task_runs(self, flow_run: str) -> dict[str, Any]:
        runs = self.ask("/task_runs/filter", {"flow_runs": {"id": {"any_": [flow_run]}}})
        return {run["name"].rpartition("-")[0]: run for run in runs}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(url: str, process: subprocess.Popen[bytes], seconds: int = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert process.poll() is None, "the server ended"
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=1) as answer:
                if answer.read() == b"true":
                    return
        except OSError:
            time.sleep(0.3)
    raise AssertionError("no healthy Prefect server")


def stop(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    port = free_port()
    url = f"http://127.0.0.1:{port}/api"
    env = {
        "PREFECT_HOME": str(tmp_path_factory.mktemp("prefect")),
        "PREFECT_SERVER_API_PORT": str(port),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_API_URL": url,
    }
    program = Path(sys.executable).with_name("prefect")
    process = subprocess.Popen(
        [program, "server", "start", "--host", "127.0.0.1"],
        env={**os.environ, **env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_until_healthy(url, process)
        yield Server(url, env)
    finally:
        stop(process)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return make_sandbox(tmp_path_factory.mktemp("flows") / "work space", dvc=True)


def test_hits_cross_over_and_say_why(server: Server, sandbox: Sandbox) -> None:
    # Prefect computes …
    first = sandbox.pipeline(env=server.env)
    assert [stage["state"] for stage in first["stages"]] == ["computed"] * 8
    run = server.flow_runs()[0]
    assert (run["state"]["type"], run["parameters"]["parameters"]["pool"]["depth"]) == ("COMPLETED", 4)
    # … the plain driver hits …
    assert sandbox.computed() == []
    # … the plain driver computes, and Prefect shows the hit with its reason.
    assert sandbox.computed("--set", "pool.depth=3") == ["pool", "rerank", "evaluate", "calibrate", "gate"]
    assert sandbox.computed("--set", "pool.depth=3", env=server.env) == []
    tasks = server.task_runs(server.flow_runs()[0]["id"])
    assert set(tasks) == {"validate", "embed", "index", "pool", "rerank", "evaluate", "calibrate", "gate"}
    for task in tasks.values():
        assert (task["state"]["name"], task["state"]["type"]) == ("Cached", "COMPLETED")
        assert task["state"]["message"].startswith("store hit ")


def test_the_graph_shows_what_waits_for_what(server: Server, sandbox: Sandbox) -> None:
    sandbox.pipeline(env=server.env)
    tasks = server.task_runs(server.flow_runs()[0]["id"])
    names = {task["id"]: name for name, task in tasks.items()}
    waits = {
        name: {names[one["id"]] for one in task["task_inputs"].get("wait_for", [])}
        for name, task in tasks.items()
    }
    assert waits["embed"] == {"validate"}
    assert waits["pool"] == {"validate", "embed"}
    assert waits["evaluate"] == {"validate", "embed", "pool", "rerank"}
    assert waits["gate"] == {"evaluate"}


def test_logs_and_the_result_table_are_there(server: Server, sandbox: Sandbox) -> None:
    sandbox.pipeline(env=server.env)
    run = server.flow_runs()[0]
    logs = [
        log["message"] for log in server.ask("/logs/filter", {"logs": {"flow_run_id": {"any_": [run["id"]]}}})
    ]
    assert "validate begins" in logs
    artifacts = server.ask("/artifacts/filter", {"artifacts": {"flow_run_id": {"any_": [run["id"]]}}})
    table = next(artifact for artifact in artifacts if artifact["key"] == "result")
    rows = json.loads(table["data"])
    assert {row["system"] for row in rows} == {"first stage", "reranked", "BM25 baseline"}


def test_the_stages_of_one_repro_share_a_tag(server: Server, sandbox: Sandbox) -> None:
    sandbox.run("dvc", "repro", env=server.env)
    runs = server.flow_runs()[:8]
    assert {server.ask("/flows/filter", {"flows": {"id": {"any_": [run["flow_id"]]}}})[0]["name"] for run in runs} == {
        "validate", "embed", "index", "pool", "rerank", "evaluate", "calibrate", "gate",
    }  # fmt: skip
    tags = {tuple(run["tags"]) for run in runs}
    assert len(tags) == 1
    assert next(iter(tags))[0].startswith("dvc-")


def test_a_red_gate_fails_the_flow_after_its_verdict(server: Server, sandbox: Sandbox) -> None:
    sandbox.edit("gates.yaml", "floor: 0.0", "floor: 1.0")
    done = sandbox.flows("pipeline", "--json", env=server.env, check=False)
    sandbox.edit("gates.yaml", "floor: 1.0", "floor: 0.0")
    assert done.returncode == 1
    assert json.loads(done.stdout.splitlines()[-1])["metrics"]["gate"]["verdict"] == "red"
    words = "gate problem: red: anything (metrics/gate.json). `vara gate --last` shows every gate."
    assert done.stderr.splitlines()[-1] == words
    assert "Traceback" not in done.stderr
    run = server.flow_runs()[0]
    assert (run["state"]["type"], run["state"]["message"]) == ("FAILED", words)
    states = {name: task["state"]["type"] for name, task in server.task_runs(run["id"]).items()}
    assert states.pop("gate") == "FAILED"
    assert set(states.values()) == {"COMPLETED"}


def test_a_users_mistake_fails_the_flow_with_the_same_words_and_no_traceback(
    server: Server, sandbox: Sandbox
) -> None:
    done = sandbox.flows("pipeline", "--set", "dataset.path=nowhere", env=server.env, check=False)
    plain = sandbox.flows("pipeline", "--set", "dataset.path=nowhere", check=False)
    assert (done.returncode, plain.returncode) == (2, 2)
    assert "Traceback" not in done.stderr
    words = plain.stderr.partition("Dataset nowhere problem")[2]
    assert words
    assert done.stderr.endswith(f"Dataset nowhere problem{words}")
    state = server.flow_runs()[0]["state"]
    assert state["type"] == "FAILED"
    assert state["message"].startswith("Dataset nowhere problem")


def test_an_emptied_database_costs_no_hit(server: Server, sandbox: Sandbox) -> None:
    end = time.monotonic() + 60
    while (runs := server.flow_runs()) and time.monotonic() < end:
        request = urllib.request.Request(f"{server.url}/flow_runs/{runs[0]['id']}", method="DELETE")
        with contextlib.suppress(urllib.error.HTTPError):  # the server is busy writing; ask again
            urllib.request.urlopen(request, timeout=10).close()
    assert server.flow_runs() == []
    assert sandbox.computed(env=server.env) == []


def test_a_measurement_is_a_flow_with_its_table(server: Server, sandbox: Sandbox) -> None:
    sandbox.flows("latency", "--set", "latency.repeats=1", "--out", "trials/timed", env=server.env)
    run = server.flow_runs()[0]
    assert (run["name"], run["state"]["type"]) == ("latency trials/timed", "COMPLETED")
    assert {"pool", "rerank", "latency"} <= set(server.task_runs(run["id"]))
    tables = server.ask("/artifacts/latest/filter", {"artifacts": {"key": {"any_": ["latency"]}}})
    (table,) = [json.loads(one["data"]) for one in tables]
    assert [row["stage"] for row in table] == ["dense", "– encode", "– search", "reranker", "total"]


def test_a_deployment_is_run_by_a_worker(server: Server, sandbox: Sandbox) -> None:
    sandbox.run("prefect", "work-pool", "create", "vara", "--type", "process", env=server.env)
    sandbox.run("prefect", "--no-prompt", "deploy", "--all", env=server.env)
    before = (sandbox.root / "metrics/evaluate.json").read_bytes()
    deployment = server.ask("/deployments/filter")[0]
    form = deployment["parameter_openapi_schema"]
    assert set(form["properties"]) == {"changes", "out"}
    run = server.ask(
        f"/deployments/{deployment['id']}/create_flow_run",
        {"parameters": {"changes": {"pool": {"depth": 2}}, "out": "from-ui"}},
    )
    sandbox.run("prefect", "worker", "start", "--pool", "vara", "--run-once", env=server.env)
    state: dict[str, Any] = {}
    for _ in range(90):
        with urllib.request.urlopen(f"{server.url}/flow_runs/{run['id']}", timeout=10) as answer:
            state = json.loads(answer.read())["state"]
        if state["type"] in ("COMPLETED", "FAILED", "CRASHED"):
            break
        time.sleep(1)
    assert state["type"] == "COMPLETED", state["message"]
    trial = json.loads((sandbox.root / "trials/from-ui/metrics/evaluate.json").read_text())
    assert trial["systems"]["pool"]["depth"] == 2
    assert (sandbox.root / "metrics/evaluate.json").read_bytes() == before
