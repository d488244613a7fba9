"""A run: what it publishes and where, and what it refuses to build on. Everything is a hit: nothing is computed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from flows.look import look, made
from flows.pipeline import PIPELINE
from flows.run import Run, perform, plain, prepare, report
from flows.workspace import Workspace
from tests.unit.flows.stocked import make_trial, make_workspace, stock
from vara import params as parameters
from vara.artifacts.step import Outcome
from vara.errors import Problem
from vara.watch import Silence

PUBLISHED = sorted(name for step in PIPELINE for name in step.publishes)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = make_workspace(tmp_path / "w")
    stock(workspace)
    return workspace


def run(prepared: Run) -> list[Outcome]:
    return perform(prepared, plain(prepared.bench, Silence()))


def files(folder: Path) -> list[str]:
    found = (path for name in ("build", "metrics", "plots") for path in (folder / name).glob("*"))
    return sorted(path.relative_to(folder).as_posix() for path in found)


def test_the_pipeline_publishes_what_dvc_tracks(workspace: Workspace) -> None:
    outcomes = run(prepare(workspace, "pipeline", {}, None))
    assert [(one.step, one.state, one.items) for one in outcomes] == [
        (step, "cached", 0) for step in PIPELINE
    ]
    assert files(workspace.root) == PUBLISHED
    assert json.loads((workspace.root / "metrics/evaluate.json").read_text())["step"] == "evaluate"


def test_an_equal_file_is_not_written_again(workspace: Workspace) -> None:
    run(prepare(workspace, "pipeline", {}, None))
    before = {name: (workspace.root / name).stat() for name in PUBLISHED}
    (workspace.root / "build/pool.json").write_text("another")
    run(prepare(workspace, "pipeline", {}, None))
    after = {name: (workspace.root / name).stat() for name in PUBLISHED}
    assert [name for name in PUBLISHED if before[name].st_ino != after[name].st_ino] == ["build/pool.json"]
    assert [name for name in PUBLISHED if before[name].st_mtime_ns != after[name].st_mtime_ns] == [
        "build/pool.json"
    ]
    assert (workspace.root / "build/pool.json").read_text() != "another"


def test_one_stage_publishes_its_own(workspace: Workspace) -> None:
    outcomes = run(prepare(workspace, "pool", {}, None))
    assert [one.step.name for one in outcomes] == ["validate", "embed", "pool"]  # exact search needs no index
    assert files(workspace.root) == ["build/pool.json"]


def test_a_stage_refuses_an_upstream_that_was_made_otherwise(workspace: Workspace) -> None:
    run(prepare(workspace, "pipeline", {}, None))
    (workspace.root / "build/embed.json").write_text("{}")
    with pytest.raises(Problem) as caught:
        run(prepare(workspace, "pool", {}, None))
    assert str(caught.value) == (
        "build/embed.json problem: made with other data, parameters or code than the present ones. "
        "Run `dvc repro embed`, or `python -m flows embed`."
    )
    (workspace.root / "build/index.json").write_text("{}")  # no upstream of embed
    run(prepare(workspace, "embed", {}, None))
    run(prepare(workspace, "pool", {}, None))


def test_other_parameters_go_to_a_trial(workspace: Workspace, said: list[str]) -> None:
    stock(workspace, make_trial(workspace, "seven", **{"pool.depth": 7}))
    one = prepare(workspace, "pipeline", {"pool.depth": 7}, "trials/seven")
    run(one)
    assert one.target == workspace.root / "trials/seven"
    assert files(one.target) == PUBLISHED
    assert files(workspace.root) == []
    assert parameters.load(one.target / "params.yaml").pool.depth == 7
    unnamed = prepare(workspace, "pipeline", {"pool.depth": 7}, None)
    run(unnamed)
    assert unnamed.target.parent == one.target.parent
    assert len(unnamed.target.name) == 12
    assert (
        unnamed.target == prepare(workspace, "pipeline", {"pool.depth": 7}, None).target
    )  # named by what it is
    assert unnamed.target != prepare(workspace, "pipeline", {"pool.depth": 8}, None).target
    assert said[:2] == ["vara: trials/seven", f"vara: trials/{unnamed.target.name}"]


def test_wrong_parameters_leave_no_trial(workspace: Workspace) -> None:
    message = "problem: unknown parameter 'pool.dept'. Near names: pool.depth, pool.cap."
    for where, more in {"--set": {}, "parameters": {"where": "parameters"}}.items():
        with pytest.raises(Problem) as caught:
            prepare(workspace, "pipeline", {"pool.dept": 7}, "seven", **more)
        assert str(caught.value) == f"{where} {message}"
    assert not (workspace.root / "trials").exists()


def test_what_a_run_is_called(workspace: Workspace) -> None:
    assert prepare(workspace, "pipeline", {}, None).title == "pipeline"
    assert prepare(workspace, "pool", {}, None).title == "pool"
    assert prepare(workspace, "pipeline", {}, "trials/seven").title == "pipeline trials/seven"
    unnamed = prepare(workspace, "pool", {"pool.depth": 7}, None)
    assert unnamed.title == f"pool trials/{unnamed.target.name}"


def test_the_report_for_other_programs(workspace: Workspace) -> None:
    prepared = prepare(workspace, "pipeline", {}, None)
    outcomes = run(prepared)
    found = report(outcomes, prepared.target)
    assert found["stages"][1] == {
        "stage": "embed",
        "state": "cached",
        "items_computed": 0,
        "seconds": round(outcomes[1].seconds, 3),
        "why": f"store hit {outcomes[1].folder.name[:12]}",
    }
    assert list(found["metrics"]) == ["validate", "evaluate", "calibrate", "gate"]
    assert found["metrics"]["evaluate"]["step"] == "evaluate"


def test_the_report_of_one_stage_in_a_fresh_workspace(workspace: Workspace) -> None:
    """Nothing was published of the stages above it, so there is no metric file of theirs."""
    prepared = prepare(workspace, "pool", {}, None)
    assert report(run(prepared), prepared.target)["metrics"] == {}
    prepared = prepare(workspace, "evaluate", {}, None)
    assert list(report(run(prepared), prepared.target)["metrics"]) == ["evaluate"]


def test_looking_computes_nothing_and_knows_no_more_than_it_can(workspace: Workspace) -> None:
    params, bench = parameters.load(workspace.params_path), workspace.bench()
    assert all(seen.artifact for seen in look(PIPELINE, params, bench))
    changed = parameters.changed(params, {"pool.depth": 7})
    seen = {one.step.name: one for one in look(PIPELINE, changed, bench)}
    assert [name for name, one in seen.items() if one.artifact is None] == [
        "pool",
        "rerank",
        "evaluate",
        "calibrate",
        "gate",
    ]
    assert [name for name, one in seen.items() if one.plan is None] == [
        "rerank",
        "evaluate",
        "calibrate",
        "gate",
    ]


def test_where_a_stage_lies(workspace: Workspace) -> None:
    params, bench = parameters.load(workspace.params_path), workspace.bench()
    folder, outputs = made("rerank", params, bench, Silence())
    assert folder.parent == workspace.root / ".vara/rerank"
    assert list(outputs) == [
        "documents",
        "queries",
        "labels",
        "metrics/validate",
        "embed",
        "pool",
        "reranked",
    ]
    assert outputs["reranked"].folder == folder


def test_what_the_store_lacks_is_computed_and_may_be_refused(workspace: Workspace) -> None:
    """The dataset of this workspace is no dataset, so that its first step refuses it."""
    shutil.rmtree(workspace.root / ".vara/validate")
    params, bench = parameters.load(workspace.params_path), workspace.bench()
    with pytest.raises(Problem) as caught:
        made("pool", params, bench, Silence())
    assert str(caught.value) == (
        f"Dataset small problem: 3 errors in {workspace.root}/data/small:\n"
        "  error bad-json (2): a line is not JSON. Write one JSON object on each line.\n"
        "      corpus.jsonl:1 Expecting value at column 1\n"
        "      queries.jsonl:1 Expecting value at column 1\n"
        "  error bad-header (1): the first line of a label file is not query-id, corpus-id, score (and source, if any). "
        "Put these names on the first line, separated by tabs.\n"
        "      qrels.tsv:1 qrels.tsv\n"
        "Nothing was written. Correct the errors at the places named above and run this again."
    )
    assert not (workspace.root / ".vara/validate").exists()
