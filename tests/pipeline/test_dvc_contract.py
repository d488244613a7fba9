"""dvc.yaml and lab/dvc.yaml say about each stage exactly what its step says."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from flows.pipeline import LAB, PIPELINE, STEPS
from tests.conftest import ROOT
from vara.artifacts.code import CODE, closure
from vara.artifacts.step import Step

Stages = dict[str, dict[str, Any]]
ROOT_STAGES: Stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
LAB_STAGES: Stages = yaml.safe_load((ROOT / "lab/dvc.yaml").read_text())["stages"]
STAGES = {**ROOT_STAGES, **LAB_STAGES}
EACH = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)


def paths(entries: list[Any]) -> set[str]:
    return {entry if isinstance(entry, str) else next(iter(entry)) for entry in entries}


def test_the_stages_are_the_steps_in_order() -> None:
    assert list(ROOT_STAGES) == [step.name for step in PIPELINE]
    assert list(LAB_STAGES) == [step.name for step in LAB]


def test_only_what_is_measured_is_in_the_laboratory() -> None:
    """It runs in the root, so that its paths are those of every other stage."""
    assert [step.measured for step in STEPS] == [False] * len(PIPELINE) + [True] * len(LAB)
    assert all(stage["wdir"] == ".." for stage in LAB_STAGES.values())
    assert not any("wdir" in stage for stage in ROOT_STAGES.values())


@EACH
def test_a_stage_is_one_command(step: Step) -> None:
    assert STAGES[step.name]["cmd"] == f"python -m flows {step.name}"
    assert STAGES[step.name]["desc"]


@EACH
def test_declared_parameters_are_the_ones_read(step: Step) -> None:
    assert sorted(STAGES[step.name].get("params", [])) == sorted(step.params)


@EACH
def test_outputs_are_what_the_step_publishes(step: Step) -> None:
    stage = STAGES[step.name]
    assert paths(stage.get("outs", [])) == {name for name in step.publishes if name.startswith("build/")}
    metrics = {name for name in step.publishes if name.startswith(("metrics/", "lab/metrics/"))}
    assert paths(stage.get("metrics", [])) == metrics
    assert paths(stage.get("plots", [])) == {name for name in step.publishes if name.startswith("plots/")}


@EACH
def test_no_output_is_in_dvc_cache(step: Step) -> None:
    """A plain `dvc pull` fails on cached outputs that no remote has."""
    stage = STAGES[step.name]
    entries = [*stage.get("outs", []), *stage.get("metrics", []), *stage.get("plots", [])]
    assert all(next(iter(entry.values()))["cache"] is False for entry in entries)


@EACH
def test_the_code_that_a_step_can_reach_is_a_dependency(step: Step) -> None:
    deps = [dep for dep in STAGES[step.name]["deps"] if not dep.startswith(("build/", "$"))]
    for name, path in closure(step.run.__module__, CODE).modules.items():
        file = path.relative_to(CODE).as_posix()
        if path.read_bytes().strip():  # an empty __init__ says nothing
            assert any(file == dep or file.startswith(f"{dep}/") for dep in deps), (
                f"{step.name} reaches {name}"
            )


@EACH
def test_inputs_are_dependencies(step: Step) -> None:
    conditional = {name for names in step.reads_when.values() for name in names}
    read = {*step.reads, *conditional}
    inputs = {f"{name}.json" if name.startswith("metrics/") else f"build/{name}.json" for name in read}
    assert {dep for dep in STAGES[step.name]["deps"] if dep.startswith(("build/", "metrics/"))} == inputs
    assert "requirements.lock" in STAGES[step.name]["deps"]


def test_labels_reach_only_what_evaluates() -> None:
    """Neither the search nor anything before it can see a label."""
    for name in ("embed", "index", "pool", "rerank"):
        deps = STAGES[name]["deps"]
        assert not any("label" in dep or "${dataset" in dep or dep.startswith("data") for dep in deps)
    reading = {step.name for step in STEPS if "labels" in step.reads}
    assert reading == {
        "evaluate",
        "calibrate",
        "latency",
    }  # the last only to know which queries are in its split


def test_nothing_reads_a_verdict() -> None:
    """The gate is a leaf: whatever it says, every number is the same."""
    assert not any("metrics/gate.json" in stage["deps"] for stage in STAGES.values())
    assert not any("metrics/gate" in step.reads for step in STEPS)
