"""The laboratory: what is timed is the configured search, and its numbers are a machine's own."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.look import look
from flows.pipeline import LAB, STEPS
from flows.run import perform, plain, prepare
from flows.workspace import Workspace
from tests.conftest import ROOT
from tests.workspace import Sandbox, make_sandbox
from vara import params as parameters
from vara.artifacts.step import Outcome
from vara.errors import Problem
from vara.watch import Silence

QUICK = {"latency.warmup": 2, "latency.repeats": 2, "latency.clients": [1, 3]}
FIGURES = ("total_s", "mean_ms", "p50_ms", "p95_ms", "p99_ms", "min_ms", "max_ms")


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    sandbox = make_sandbox(tmp_path_factory.mktemp("lab") / "work space")
    flat = parameters.changed(parameters.load(sandbox.root / "params.yaml"), QUICK)
    (sandbox.root / "params.yaml").write_text(parameters.dump(flat))
    return sandbox


@pytest.fixture(autouse=True)
def own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for a measurement of somebody else."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


class Notes(Silence):
    """A watch that keeps the notes."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, text: str) -> None:
        self.lines.append(text)


def measure(sandbox: Sandbox, out: str | None = None, **changes: Any) -> tuple[list[Outcome], dict[str, Any]]:
    run = prepare(Workspace(sandbox.root), "latency", changes, out)
    outcomes = perform(run, plain(run.bench, Silence()))
    return outcomes, strict(run.target / "lab/metrics/latency.json")


def strict(path: Path) -> dict[str, Any]:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    found: dict[str, Any] = json.loads(path.read_text(), parse_constant=refuse)
    return found


def test_the_file_has_every_figure(sandbox: Sandbox) -> None:
    outcomes, found = measure(sandbox)
    assert [one.step.name for one in outcomes] == [
        step.name for step in STEPS if step.name not in ("evaluate", "calibrate", "gate")
    ]
    assert (found["dataset"], found["test.n_queries"], found["test.n_durations"]) == ("small", 4, 8)
    for stage in ("encode", "search", "dense", "rerank", "total"):
        figures = [found[f"test.{stage}.{name}"] for name in FIGURES]
        assert all(math.isfinite(value) and value > 0 for value in figures)
        # the mean of 8 durations, of which 4 are one pass
        assert found[f"test.{stage}.total_s"] == pytest.approx(4 * found[f"test.{stage}.mean_ms"] / 1000)
    for clients in (1, 3):
        assert found[f"clients.{clients}.errors"] == 0
        assert all(
            found[f"clients.{clients}.{name}"] > 0
            for name in ("qps", "mean_ms", "p50_ms", "p95_ms", "p99_ms")
        )
    assert all(found[f"loading.{part}_s"] > 0 for part in ("model", "lexical", "collection"))
    assert found["memory.before_mib"] <= found["memory.peak_mib"]
    assert found["test.ratio"] == pytest.approx(found["test.rerank.mean_ms"] / found["test.dense.mean_ms"])
    assert found["params"]["pool.depth"] == 4
    assert "dataset.path" not in found["params"]
    assert set(found["machine"]) >= {"cpu", "cores", "memory", "system", "device", "instructions"}
    assert found["load.busy"] in (True, False)


def test_parts_are_within_the_whole(sandbox: Sandbox) -> None:
    found = measure(sandbox)[1]
    parts = found["test.encode.mean_ms"] + found["test.search.mean_ms"]
    assert found["test.dense.mean_ms"] == pytest.approx(parts)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"rerank.kind": "none"},
        {"pool.retriever": "bm25"},
        {"pool.retriever": "bm25", "rerank.kind": "none"},
        {"pool.search": "ann"},
        {"pool.retriever": "hybrid"},
        {
            "pool.retriever": "hybrid",
            "pool.search": "ann",
            "pool.cap": {"dense": 3},
            "pool.title_guarantee": True,
        },
        {"pool.retriever": "hybrid", "pool.fusion": "minmax", "pool.cap": 3, "lexical.typos": True},
        {"pool.retriever": "bm25", "pool.title_guarantee": True, "pool.depth": 1, "lexical.stem": "english"},
        {"pool.title_guarantee": True, "pool.depth": 1},
        {"pool.filter": {"product": ["web", "pocket"]}},
        {"pool.filter": {"audience": "owner"}},  # nothing is left for q1, q2 and q3
        {"pool.exclude_self": True},
        {"index.engine": "memory"},
        {"latency.split": "dev"},
    ],
    ids=str,
)
def test_what_is_timed_finds_what_was_frozen(sandbox: Sandbox, changes: dict[str, Any]) -> None:
    """Permissions, filters, retriever and reranker act as in the pool; q4 may read what others may not."""
    found = measure(sandbox, **changes)[1]
    split = changes.get("latency.split", "test")
    assert (found[f"{split}.same_candidates"], found[f"{split}.same_order"]) == (1.0, 1.0)
    needs_vector = changes.get("pool.retriever") != "bm25" or changes.get("rerank.kind") != "none"
    assert (found["loading.model_s"] is None) is not needs_vector


def test_another_search_than_the_frozen_one_is_said(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service forgets permissions: q4, who may read the owner's report, no longer finds it."""
    from tasks.admission import Admission

    original = Admission.only
    monkeypatch.setattr(Admission, "only", lambda self, query: original(self, replace(query, allowed=None)))
    run = prepare(Workspace(sandbox.root), "latency", {"latency.repeats": 1}, "trials/forgetful")
    notes = Notes()
    perform(run, plain(run.bench, notes))
    found = strict(run.target / "lab/metrics/latency.json")
    assert (found["test.same_candidates"], found["test.same_order"]) == (0.75, 0.75)  # three of four
    assert "1 queries found other candidates than the frozen ones: q4" in notes.lines


def test_it_is_measured_once_and_again_when_asked(sandbox: Sandbox) -> None:
    first = measure(sandbox)[1]
    outcomes, second = measure(sandbox)
    assert outcomes[-1].state == "cached"
    assert second == first
    run = replace(prepare(Workspace(sandbox.root), "latency", {}, None), again=True)
    outcomes = perform(run, plain(run.bench, Silence()))
    assert [one.step.name for one in outcomes if one.state == "computed"] == ["latency"]
    assert strict(run.target / "lab/metrics/latency.json") != first


def test_a_query_that_fails_leaves_no_figure(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    from backends.stores.edge import EdgeStore

    def broken(*_: Any, **__: Any) -> Any:
        raise Problem("server", "no answer", remedy="Start it.")

    monkeypatch.setattr(EdgeStore, "search", broken)
    with pytest.raises(Problem, match="no answer"):
        measure(sandbox, "trials/broken", **{"latency.warmup": 0})
    assert not (sandbox.root / "trials/broken/lab").exists()


def test_a_split_without_queries(sandbox: Sandbox) -> None:
    with pytest.raises(Problem) as caught:
        measure(sandbox, **{"latency.split": "tests"})
    assert str(caught.value) == "latency.split problem: no query is in split 'tests'. Near splits: test."


def test_a_trial_has_a_laboratory_of_its_own(sandbox: Sandbox) -> None:
    before = measure(sandbox)[1]
    found = measure(sandbox, "trials/two", **{"pool.depth": 2})[1]
    trial = sandbox.root / "trials/two"
    assert sorted(path.name for path in trial.iterdir()) == ["lab", "params.yaml"]
    assert found["params"]["pool.depth"] == 2
    assert strict(sandbox.root / "lab/metrics/latency.json") == before
    run = prepare(Workspace(sandbox.root), "pipeline", {"pool.depth": 3}, "trials/two")
    perform(run, plain(run.bench, Silence()))
    assert not (trial / "lab").exists()  # it was of other parameters


def test_what_is_measured_again(sandbox: Sandbox) -> None:
    """Keys alone are compared: what a step declares changes its key, the machine too, the load and labels' file not."""
    measure(sandbox)
    workspace = Workspace(sandbox.root)
    params, bench = parameters.load(workspace.params_path), workspace.bench()

    def key(where: Any = bench, **changes: Any) -> str | None:
        *_, last = look(STEPS, parameters.changed(params, changes), where)
        return last.plan.key if last.plan else None

    here = key()
    for name, value in {"split": "dev", "warmup": 1, "repeats": 1, "clients": [1]}.items():
        assert key(**{f"latency.{name}": value}) not in (here, None)
    assert key(**{"evaluate.min_group": 1}) == here
    assert key(seed=1) == here
    elsewhere = {**bench.settings.machine, "cpu": "another"}
    assert key(replace(bench, settings=replace(bench.settings, machine=elsewhere))) not in (here, None)
    assert not {"load", "host", "hostname"} & set(bench.settings.machine)


def test_the_pipeline_measures_nothing(tmp_path: Path) -> None:
    sandbox = make_sandbox(tmp_path / "whole", code=False)
    run = prepare(Workspace(sandbox.root), "pipeline", {}, None)
    assert not [one for one in perform(run, plain(run.bench, Silence())) if one.step in LAB]
    assert not (sandbox.root / "lab").exists()


@pytest.mark.slow
def test_dvc_runs_the_laboratory_apart(tmp_path: Path) -> None:
    """A fresh clone: the root's repro measures nothing, the laboratory's makes what it needs first."""
    sandbox = make_sandbox(tmp_path / "work space", dvc=True)
    (sandbox.root / "lab").mkdir()
    shutil.copy(ROOT / "lab/dvc.yaml", sandbox.root / "lab")
    sandbox.edit("params.yaml", "repeats: 5", "repeats: 1")
    env = {"TMPDIR": str(tmp_path)}
    words = sandbox.run("dvc", "repro", "lab/dvc.yaml", env=env).stdout
    order = ["validate", "embed", "index", "pool", "rerank", "lab/dvc.yaml:latency"]
    started = [line.split("'")[1] for line in words.splitlines() if line.startswith("Running stage")]
    assert sorted(started) == sorted(order)
    assert started[-1] == order[-1]
    first = strict(sandbox.root / "lab/metrics/latency.json")
    assert "latency" not in sandbox.run("dvc", "repro", env=env).stdout
    # as in `make lab`: DVC starts it, and the store knows the machine
    again = sandbox.run("dvc", "repro", "--force", "--single-item", "lab/dvc.yaml", env=env)
    assert "latency   cached" in again.stderr
    assert strict(sandbox.root / "lab/metrics/latency.json") == first
    assert sandbox.run("dvc", "status", "--json").stdout.strip() == "{}"
    assert "test.dense.p50_ms" in sandbox.run("dvc", "metrics", "show", "--json").stdout
    why = ("python", "-m", "cli.main", "why", "latency")
    assert sandbox.run(*why).stdout == "latency: DVC would not start it; the store would hit\n"
    sandbox.edit("params.yaml", "repeats: 1", "repeats: 2")
    assert sandbox.run(*why).stdout == (
        "latency: DVC would start it (latency.repeats modified); it would compute: params latency.repeats 1 → 2\n"
    )
    assert sandbox.run("dvc", "repro", "--dry").stdout.count("Running") == 0
