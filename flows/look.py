"""Look without computing: what each step would do now, and where its artifact is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.pipeline import STEPS, upto
from flows.run import check_published
from flows.terminal import log
from flows.workspace import Workspace
from vara import params as parameters
from vara.artifacts.execute import Bench, Plan, execute, outputs_of, plan
from vara.artifacts.step import Output, Step
from vara.artifacts.store import Artifact
from vara.errors import Problem
from vara.sections import Params
from vara.watch import Watch


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


def made(
    stage: str, params: Params, bench: Bench, watch: Watch, *, target: Path | None = None
) -> tuple[Path, dict[str, Output]]:
    """Return the folder in the store that holds a stage's payload, and the outputs of all that it needs.

    What the store lacks is computed: DVC takes committed metrics for a stage that has run, also in a fresh clone
    whose store is empty, and would not start it.

    Args:
        stage: its name.
        params: all parameters.
        bench: store and settings.
        watch: is told what is computed.
        target: the workspace or trial whose files have to be those that these stages publish; None: nobody asks.

    Raises:
        Problem: what a step raises about its input; or `target` was made with other data, parameters or code.
    """
    outputs: dict[str, Output] = {}
    folder = bench.store.root
    with bench.store.in_use():
        for step in upto(stage, params.flat()):
            outcome = execute(plan(step, outputs, params.flat(), bench), bench, watch)
            if target is not None:
                check_published(outcome, target)
            outputs.update(outcome.outputs)
            folder = outcome.folder
    return folder, outputs


def reachable(workspace: Workspace, bench: Bench) -> dict[tuple[str, str], Artifact]:
    """Return, by task and key, every artifact that the workspace or one of its trials would hit now.

    A trial whose parameters no longer fit can hit nothing; it is named in the log.

    Raises:
        Problem: the workspace's own parameters do not fit, or name a model that is not there.
    """
    found = _hits(workspace.params_path, bench)
    for path in sorted(workspace.root.glob("trials/*/params.yaml")):
        try:
            found.update(_hits(path, bench))
        except Problem as problem:
            log.warning("%s uses nothing of the store: %s", path.parent.relative_to(workspace.root), problem)
    return found


def _hits(path: Path, bench: Bench) -> dict[tuple[str, str], Artifact]:
    seen = look(STEPS, parameters.load(path), bench)
    return {(one.step.name, one.plan.key): one.artifact for one in seen if one.plan and one.artifact}
