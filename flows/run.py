"""A run: steps in order, each executed by a driver, what they publish copied to the workspace or a trial."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.pipeline import PIPELINE, upto
from flows.terminal import log
from flows.whole import write_whole
from flows.workspace import Workspace
from vara import params as parameters
from vara.artifacts.canonical import digest
from vara.artifacts.execute import Bench, Plan, execute, plan
from vara.artifacts.step import Outcome, Output, Step
from vara.errors import Problem
from vara.sections import Params
from vara.watch import Watch

Do = Callable[[Plan], Outcome]
"""A driver: executes one planned step."""


@dataclass(frozen=True)
class Run:
    """One run of a flow.

    Attributes:
        name: the flow's name: "pipeline" or a stage.
        steps: in order; each finds its inputs among the outputs of those before it.
        params: all parameters.
        bench: store and settings.
        target: where build/, metrics/, plots/ and lab/ are written: the workspace or a trial.
        trial: whether `target` is a trial; it keeps the parameters that made it.
        only: publish this stage alone; the others are then upstream of it and must be what `target` says they are.
        again: measure anew what the store holds of a measured step.
    """

    name: str
    steps: Sequence[Step]
    params: Params
    bench: Bench
    target: Path
    trial: bool = False
    only: str | None = None
    again: bool = False

    @property
    def title(self) -> str:
        """Return what the run is called where many are listed: its name, and the trial's if it is one."""
        return f"{self.name} trials/{self.target.name}" if self.trial else self.name


def prepare(
    workspace: Workspace,
    stage: str,
    changes: Mapping[str, Any],
    out: str | None,
    *,
    where: str = "--set",
    base: Path | None = None,
) -> Run:
    """Return the run: in the workspace, or with changed parameters or `out` in a trial that keeps its parameters.

    Args:
        workspace: where the parameters and the store are.
        stage: a stage's name, or "pipeline".
        changes: {dotted name: value} of parameters that are others than in params.yaml.
        out: a trial's name.
        where: what the person who gave `changes` calls them, for messages.
        base: the parameters that are changed; None: params.yaml.

    Raises:
        Problem: parameters that do not fit, or a trial's name that is none.
    """
    params = parameters.changed(parameters.load(base or workspace.params_path), changes, where=where)
    trial = bool(changes) or out is not None
    target = workspace.trial(digest(params.flat())[:12] if out is None else out) if trial else workspace.root
    if trial:
        log.info("vara: %s", target.relative_to(workspace.root))
    whole = stage == "pipeline"
    return Run(
        name=stage,
        steps=PIPELINE if whole else upto(stage, params.flat()),
        params=params,
        bench=workspace.bench(),
        target=target,
        trial=trial,
        only=None if whole else stage,
    )


def perform(run: Run, do: Do) -> list[Outcome]:
    """Execute the run's steps and publish what they made.

    Raises:
        Problem: a step's input is wrong, or an upstream stage in the workspace was made with other settings.
    """
    made: dict[str, Output] = {}
    outcomes = []
    with run.bench.store.in_use():
        for step in run.steps:
            planned = plan(step, made, run.params.flat(), run.bench)
            if run.again and step.measured:
                run.bench.store.forget(step.name, planned.key)
            outcome = do(planned)
            if run.trial:
                _begin_trial(run)
            if run.only in (None, step.name):
                publish(outcome, run.target)
            else:
                check_published(outcome, run.target)
            made.update(outcome.outputs)
            outcomes.append(outcome)
    return outcomes


def plain(bench: Bench, watch: Watch) -> Do:
    """Return the driver that executes a step here and now."""
    return lambda planned: execute(planned, bench, watch)


def publish(outcome: Outcome, target: Path) -> None:
    """Copy what DVC tracks of an outcome into `target`, each file whole or not at all; equal files stay untouched."""
    for name, payload in outcome.step.publishes.items():
        write_whole(target / name, (outcome.folder / payload).read_bytes())


def report(outcomes: Sequence[Outcome], target: Path) -> dict[str, Any]:
    """Return the run as the JSON that other programs read: its stages, and their metric files in `target` by name.

    A stage above the one that was asked for publishes nothing, and may have no metric file there.
    """
    stages = [
        {
            "stage": one.step.name,
            "state": one.state,
            "items_computed": one.items,
            "seconds": round(one.seconds, 3),
            "why": one.why,
        }
        for one in outcomes
    ]
    paths = {one.step.name: target / one.step.metric_file for one in outcomes if one.step.metrics}
    metrics = {name: json.loads(path.read_bytes()) for name, path in paths.items() if path.is_file()}
    return {"stages": stages, "metrics": metrics}


def check_published(outcome: Outcome, target: Path) -> None:
    """Refuse to go on from a stage whose files in `target` are others than it would publish now.

    Raises:
        Problem: naming the file, and what makes it anew.
    """
    for name, payload in outcome.step.publishes.items():
        path = target / name
        if (
            name.startswith(("build/", "metrics/"))
            and path.is_file()
            and path.read_bytes() != (outcome.folder / payload).read_bytes()
        ):
            stage = outcome.step.name
            trial = target.parent.name == "trials"
            again = f"python -m flows pipeline --set … --out trials/{target.name}"
            raise Problem(
                f"trials/{target.name}/{name}" if trial else name,
                "made with other data, parameters or code than the present ones",
                remedy=f"Run `{again}` again."
                if trial
                else f"Run `dvc repro {stage}`, or `python -m flows {stage}`.",
            )


def _begin_trial(run: Run) -> None:
    """Write the trial's parameters; what other parameters made there before goes."""
    path, text = run.target / "params.yaml", parameters.dump(run.params)
    if path.is_file() and path.read_text(encoding="utf-8") != text:
        for room in ("build", "metrics", "plots", "lab"):
            shutil.rmtree(run.target / room, ignore_errors=True)
    write_whole(path, text.encode())
