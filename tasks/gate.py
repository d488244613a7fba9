"""The gate stage: is the run good enough? Floors, allowed drops and error budgets, judged and written down.

A red gate is no error of this step: its verdict is stored and published like any figure, and then fails the run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tasks.readings import identity, read_readings
from vara.artifacts.step import Job, Made, Settings, Step
from vara.errors import Problem
from vara.quality.budgets import burn
from vara.quality.gatefile import Budget, Gate, GateFile, load_gates
from vara.quality.gates import Readings, judge
from vara.yaml import read_text

GATES = "gates.yaml"
GREEN, RED, UNJUDGED = "green", "red", "not judged"
EXIT_CODES = {GREEN: 0, RED: 1, UNJUDGED: 2}


def run(job: Job) -> Made:
    """Judge the run's metrics by gates.yaml; metrics of another dataset are not judged.

    Raises:
        Problem: gates.yaml does not fit, or names a revision that cannot be read.
    """
    present = json.loads((job.inputs["metrics/evaluate"].folder / "metrics.json").read_bytes())
    gates = read_gates(job.settings.root)
    if gates.dataset != present["dataset"]:
        why = f"{GATES} is about {gates.dataset}, these metrics are of {present['dataset']}"
        job.watch.note(f"{UNJUDGED}: {why}")
        return Made(outputs={}, metrics=_metrics(present["dataset"], UNJUDGED, why, [], []))
    readings = read_readings(gates, present, job.settings)
    judged = [_judged(gate, readings) for gate in gates.gates]
    burnt = [_burnt(budget, readings) for budget in gates.budgets]
    for one in (*judged, *burnt):
        if one["verdict"] != GREEN:
            job.watch.note(f"{one['verdict']}: {one['name']}: {one['why']}")
    red = [one["name"] for one in (*judged, *burnt) if one["verdict"] == RED]
    why = f"red: {', '.join(red)}" if red else "all are green"
    metrics = _metrics(present["dataset"], RED if red else GREEN, why, judged, burnt)
    return Made(outputs={}, metrics=metrics, items=len(judged) + len(burnt))


def read_gates(root: Path) -> GateFile:
    """Return what gates.yaml says.

    Raises:
        Problem: it is missing or does not fit.
    """
    remedy = "Restore it with git, or write one: docs/guides/gates.md."
    return load_gates(read_text(root / GATES, remedy), GATES)


def files(params: Mapping[str, Any], settings: Settings) -> dict[str, str]:  # noqa: ARG001 - the signature of a step
    """Return what identifies gates.yaml and everything that it makes the stage look at.

    What cannot be read is left out here: to look must not fail, and `run` says what is wrong.
    """
    path = settings.root / GATES
    found = {GATES: settings.digest_of(path)} if path.is_file() else {}
    try:
        return {**found, **dict(identity(read_gates(settings.root), settings))}
    except Problem:
        return found


def _judged(gate: Gate, readings: Readings) -> dict[str, Any]:
    verdict = judge(gate, readings)
    against = {"against": gate.against, "commit": readings.past[gate.against].commit} if gate.against else {}
    return {
        "name": gate.name,
        "metric": gate.metric,
        "rule": gate.rule,
        "limit": gate.limit,
        **against,
        **({"over": gate.over} if gate.over else {}),
        "value": verdict.value,
        "verdict": GREEN if verdict.green else RED,
        "why": verdict.why,
    }


def _burnt(budget: Budget, readings: Readings) -> dict[str, Any]:
    burnt = burn(budget, readings.history[budget.name])
    return {
        "name": budget.name,
        "metric": budget.metric,
        "target": budget.target,
        "allowed": budget.allowed,
        "window": budget.window,
        "when_spent": budget.when_spent,
        "readings": burnt.readings,
        "missing": burnt.missing,
        "burnt": burnt.share,
        "verdict": burnt.verdict,
        "why": burnt.why,
    }


def _metrics(dataset: str, verdict: str, why: str, gates: list[Any], budgets: list[Any]) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "verdict": verdict,
        "exit_code": EXIT_CODES[verdict],
        "why": why,
        "gates": gates,
        "budgets": budgets,
    }


STEP = Step(name="gate", run=run, reads=("metrics/evaluate",), files=files, metrics=True)
