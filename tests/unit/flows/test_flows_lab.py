"""The laboratory's artifacts: kept by machine, published to lab/, shown with what has to be known beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cli.main import main
from flows.keep import collect, listing
from flows.pipeline import LAB, STEPS, upto
from flows.run import perform, plain, prepare
from flows.workspace import Workspace
from tests.unit.flows.stocked import make_trial, make_workspace, stock
from tests.unit.report.test_report_latency import metrics
from vara import params as parameters
from vara.artifacts.execute import Bench
from vara.watch import Silence


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = make_workspace(tmp_path / "w")
    stock(workspace, steps=STEPS)
    return workspace


def test_a_measured_step_follows_the_pipeline_and_is_followed_by_nothing(workspace: Workspace) -> None:
    flat = parameters.load(workspace.params_path).flat()
    names = [step.name for step in upto("latency", flat)]
    assert names == ["validate", "embed", "index", "pool", "rerank", "latency"]
    made = {output for step in LAB for output in step.outputs}
    assert not made & {name for step in STEPS for name in step.needs(flat)}


def test_it_is_published_to_the_laboratory(workspace: Workspace) -> None:
    run = prepare(workspace, "latency", {}, None)
    outcomes = perform(run, plain(run.bench, Silence()))
    assert [one.state for one in outcomes] == ["cached"] * 6
    written = [
        path.relative_to(workspace.root).as_posix() for path in (workspace.root / "lab").rglob("*.json")
    ]
    assert written == ["lab/metrics/latency.json"]
    assert not (workspace.root / "metrics").exists()


def test_what_this_machine_measured_is_in_use(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    make_trial(workspace, "half", **{"rerank.weight": 0.5})
    stock(workspace, workspace.trial("half") / "params.yaml", STEPS)
    lines = list(listing(workspace))
    assert len([line for line in lines if line.startswith("latency")]) == 2
    assert all(line.endswith("in use") for line in lines)
    assert list(collect(workspace, dry_run=False)) == ["0 B freed."]

    def elsewhere(self: Workspace) -> Bench:
        bench = original(self)
        return replace(bench, settings=replace(bench.settings, machine={"cpu": "another"}))

    original = Workspace.bench
    monkeypatch.setattr(Workspace, "bench", elsewhere)
    *removed, _ = collect(workspace, dry_run=False)
    assert [line.split("/")[0] for line in removed] == ["removed latency"] * 2


def shown(workspace: Workspace, *words: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.chdir(workspace.root)
    monkeypatch.setattr("sys.argv", ["vara", "show", "--lab", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_the_table_in_a_terminal(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_trial(workspace, "half", **{"rerank.weight": 0.5}).parent / "lab/metrics"
    folder.mkdir(parents=True)
    here = dict(workspace.bench().settings.machine)
    (folder / "latency.json").write_text(json.dumps(metrics(machine=here)))
    assert shown(workspace, "--trial", "half", monkeypatch=monkeypatch) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:6] == [
        "stage     total s  mean ms  p50   p95   p99",
        "dense     2.50     12.0     10.0  22.2  125",
        "– encode  0.500    10.0     8.00  20.2  123",
        "– search  1.50     11.0     9.00  21.2  124",
        "reranker  3.50     13.0     11.0  23.2  126",
        "total     4.50     14.0     12.0  24.2  127",
    ]
    assert lines[7:10] == [
        "clients  queries/s  p50 ms  p95 ms  p99 ms  errors",
        "1        66.6       9.00    30.0    31.0    0",
        "16       0.00       –       –       –       6",
    ]
    assert lines[11] == "The reranker takes 0.0125 times as long as dense."
    assert lines[-1].startswith("Measured ")  # and nothing of another machine


def test_nothing_measured_yet(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(workspace, monkeypatch=monkeypatch) == 2
    path = workspace.root / "lab/metrics/latency.json"
    assert capsys.readouterr().err == f"{path} problem: not made yet. Run `make lab` first.\n"
