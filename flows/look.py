"""Look without computing: what each step would do now, and where its artifact is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.pipeline import PIPELINE, upto
from flows.workspace import Workspace
from vara import params as parameters
from vara.artifacts.execute import Bench, Plan, outputs_of, plan
from vara.artifacts.step import Output, Step
from vara.artifacts.store import Artifact
from vara.errors import Problem
from vara.params import Params


@dataclass(frozen=True)
class Seen:
    """One step as it stands: its plan, and its artifact where the store holds it.

    Attributes:
        plan: None where an earlier step has to compute first, so that nobody can know.
    """

    step: Step
    plan: Plan | None
    artifact: Artifact | None


def look(steps: Sequence[Step], params: Params, bench: Bench) -> Iterator[Seen]:
    """Yield each step with its plan and artifact; after a missing one, those that depend on it have no plan."""
    made: dict[str, Output] = {}
    flat = params.flat()
    for step in steps:
        if not set(step.needs(flat)) <= made.keys():
            yield Seen(step, None, None)
            continue
        planned = plan(step, made, flat, bench)
        artifact = bench.store.find(step.name, planned.key)
        if artifact:
            made.update(outputs_of(step, artifact))
        yield Seen(step, planned, artifact)


def made(stage: str, params: Params, bench: Bench) -> tuple[Path, dict[str, Output]]:
    """Return the folder in the store that holds a stage's payload, and the outputs of all that it needs.

    Raises:
        Problem: one of them has not been made under these parameters.
    """
    outputs: dict[str, Output] = {}
    folder = bench.store.root
    for seen in look(upto(stage, params.flat()), params, bench):
        if seen.artifact is None:
            found = "not in the store for the present parameters"
            raise Problem(seen.step.name, found, remedy="Run `dvc repro` first.")
        outputs.update(outputs_of(seen.step, seen.artifact))
        folder = seen.artifact.folder
    return folder, outputs


def reachable(workspace: Workspace, bench: Bench) -> dict[tuple[str, str], Artifact]:
    """Return, by task and key, every artifact that the workspace or one of its trials would hit now.

    Raises:
        Problem: parameters that do not fit, or name a model that is not there; a trial is named.
    """
    found = _hits(workspace.params_path, bench)
    for path in sorted(workspace.root.glob("trials/*/params.yaml")):
        try:
            found.update(_hits(path, bench))
        except Problem as problem:
            raise Problem(
                str(path.relative_to(workspace.root)),
                problem.found,
                expected=problem.expected,
                where=problem.where,
                remedy="Correct it, or remove the trial's folder if nobody needs it any more.",
            ) from None
    return found


def _hits(path: Path, bench: Bench) -> dict[tuple[str, str], Artifact]:
    seen = look(PIPELINE, parameters.load(path), bench)
    return {(one.step.name, one.plan.key): one.artifact for one in seen if one.plan and one.artifact}
