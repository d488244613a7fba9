"""The one module that binds to Prefect: the same steps, shown as flow runs, task runs, states and artifacts.

The artifact store alone decides whether a step computes; Prefect shows what it decided.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from uuid import UUID

from prefect import flow, get_run_logger, tags, task
from prefect.artifacts import create_progress_artifact, create_table_artifact, update_progress_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.settings import PREFECT_API_URL, PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
from prefect.states import Completed, Failed

from flows.ancestry import dvc_run
from flows.run import Run, perform, prepare
from flows.terminal import Terminal
from flows.verdict import refusal
from flows.workspace import find_workspace
from vara.artifacts.execute import Plan, execute
from vara.artifacts.step import Outcome
from vara.errors import Problem
from vara.params import optional
from vara.report.latency import read_latency, stages
from vara.report.table import headline
from vara.sections import flatten

_EVERY_S = 1.0
Changes: Any = optional()
"""The form in the Prefect UI: every parameter, empty where it stays as in params.yaml."""


@flow(name="pipeline", validate_parameters=True)
def pipeline(changes: Changes = Changes(), out: str = "") -> Any:  # noqa: B008 - Prefect builds its form from the default
    """Run the pipeline from a deployment, with its own parameters into trials/<out>, else into the workspace."""
    given = {name: value for name, value in flatten(changes).items() if value is not None}
    try:
        run = prepare(find_workspace(Path.cwd()), "pipeline", given, out or None, where="parameters")
    except Problem as problem:
        return Failed(message=str(problem))
    return _Story(run).tell()


def perform_in_prefect(run: Run, server: str) -> list[Outcome]:
    """Perform `run` as a flow run on the Prefect API at `server` and return its outcomes.

    Raises:
        Problem: as the plain driver does; the flow run has then failed with the same message, and so it has after a
            red gate, whose outcomes are returned.
    """
    story = _Story(run)

    @flow(name=run.name, flow_run_name=run.title, validate_parameters=False)
    def body(parameters: dict[str, Any]) -> Any:  # noqa: ARG001 - shown in the UI
        return story.tell()

    # Without a heartbeat a short flow does not wait for its thread to end.
    with (
        temporary_settings({PREFECT_API_URL: server, PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}),
        tags(*dvc_run()),
    ):
        state: Any = body(run.params.model_dump(), return_state=True)
    if story.problem:
        raise story.problem
    if not state.is_completed() and not refusal(story.outcomes, run.target):
        state.result()  # raises what happened
    return story.outcomes


class _Story:
    """One flow run: every step a task run that waits for those whose outputs it reads."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.outcomes: list[Outcome] = []
        self.problem: Problem | None = None
        self._states: dict[str, State[Any]] = {}

    def tell(self) -> State[Any]:
        """Perform the run and return the flow run's final state."""
        try:
            self.outcomes = perform(self.run, self._do)
        except Problem as problem:
            self.problem = problem
            return Failed(message=str(problem))
        for outcome in self.outcomes:
            if "metrics/evaluate.json" in outcome.step.publishes:
                rows = headline(self.run.target / "metrics/evaluate.json")
                create_table_artifact(
                    table=rows, key="result", description=f"What a user gets: {self.run.title}"
                )
            if "lab/metrics/latency.json" in outcome.step.publishes:
                rows = stages(read_latency(self.run.target / "lab/metrics/latency.json"))
                create_table_artifact(
                    table=rows, key="latency", description=f"How long it takes: {self.run.title}"
                )
        if failure := refusal(self.outcomes, self.run.target):
            return Failed(message=str(failure))
        return Completed(message=", ".join(f"{one.step.name} {one.state}" for one in self.outcomes))

    def _do(self, planned: Plan) -> Outcome:
        name, made = planned.step.name, []

        @task(name=name, cache_policy=NO_CACHE, persist_result=False)
        def body(parameters: dict[str, Any]) -> State[Any]:  # noqa: ARG001 - shown in the UI
            try:
                outcome = execute(planned, self.run.bench, _Shown(name))
            except Problem as problem:
                self.problem = problem
                return Failed(message=str(problem))
            made.append(outcome)
            if failure := refusal(made, self.run.target):
                return Failed(message=str(failure))
            return Completed(name="Cached" if outcome.state == "cached" else None, message=outcome.why)

        upstream = [self._states[output] for output in planned.inputs]
        state: State[Any] = body(dict(planned.params), return_state=True, wait_for=upstream)
        if self.problem:
            raise self.problem
        if not made:
            state.result()  # raises what happened
        self._states.update(dict.fromkeys(made[0].outputs, state))
        return made[0]


class _Shown(Terminal):
    """A watch whose lines are the task run's logs and whose progress is an artifact too."""

    def __init__(self, name: str) -> None:
        super().__init__(get_run_logger().info)
        self._name = name
        self._artifact: UUID | None = None
        self._updated = time.monotonic()
        self.note(f"{name} begins")

    def progress(self, done: int, total: int, unit: str) -> None:
        """Log progress and update the artifact at most once a second; short work has none."""
        super().progress(done, total, unit)
        now = time.monotonic()
        if now - self._updated < _EVERY_S and (done < total or self._artifact is None):
            return
        self._updated = now
        share = 100 * done / total if total else 100.0
        if self._artifact is not None:
            update_progress_artifact(self._artifact, progress=share)
            return
        shown = create_progress_artifact(
            progress=share, key=f"{self._name}-progress", description=f"{total} {unit}"
        )
        self._artifact = shown if isinstance(shown, UUID) else None
