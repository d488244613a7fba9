"""Execute a step: a hit costs a look, a miss is computed once while others wait."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from vara.artifacts.canonical import readable
from vara.artifacts.code import CODE, Closure, closure
from vara.artifacts.recipe import Recipe, differences, key_of, recipe_of
from vara.artifacts.step import Job, Outcome, Output, Settings, Step
from vara.artifacts.store import Artifact, Store
from vara.errors import Problem
from vara.params import select
from vara.watch import Watch


@dataclass(frozen=True)
class Bench:
    """Where steps are executed: the store and the settings that can change no number."""

    store: Store
    settings: Settings


@dataclass(frozen=True)
class Plan:
    """A step with everything that decides its key, before it is known whether it has to compute.

    Attributes:
        code: the modules that it can reach.
    """

    step: Step
    inputs: Mapping[str, Output]
    params: Mapping[str, Any]
    recipe: Recipe
    key: str
    code: Closure


def plan(step: Step, made: Mapping[str, Output], flat: Mapping[str, Any], bench: Bench) -> Plan:
    """Return the plan of `step`.

    Args:
        step: the step.
        made: the outputs of all earlier steps by name; the step sees those that it declares.
        flat: all parameters by dotted name; it sees those that it declares.
        bench: store and settings.
    """
    inputs = {name: made[name] for name in step.needs(flat)}
    code = closure(step.run.__module__, CODE, without=step.idle(flat))
    recipe = recipe_of(step, code, inputs, flat, bench.settings)
    machine = bench.settings.machine.items() if step.measured else ()
    platform = {
        **bench.settings.platform,
        **code.labels,
        **{f"machine.{name}": fact for name, fact in machine},
    }
    key = key_of(recipe, platform)
    return Plan(step, inputs, select(flat, step.params), recipe, key, code)


def execute(planned: Plan, bench: Bench, watch: Watch) -> Outcome:
    """Return the outcome of a planned step, computing it only when the store does not hold it.

    Raises:
        Problem: whatever the step raises about its input; nothing is stored then.
    """
    started = time.monotonic()
    step, key, store = planned.step, planned.key, bench.store
    found, items = store.find(step.name, key), 0
    state, why = "cached", f"store hit {key[:12]}"
    if found is None:
        with store.lock(step.name, key):
            found = store.find(step.name, key)  # somebody else may have computed it while this process waited
            if found is None:
                state, why = "computed", missing(planned.recipe, store)
                found, items = _compute(planned, bench, watch)
    return Outcome(
        step,
        state,
        why,
        planned.recipe.digest(),
        found.folder,
        outputs_of(step, found),
        items,
        time.monotonic() - started,
    )


def outputs_of(step: Step, artifact: Artifact) -> dict[str, Output]:
    """Return the artifact's outputs; one with floats is identified by its recipe beside its facts.

    A metric file is an output too, `metrics/<step>`, identified by its content: it is the same on every platform.
    """
    extra = {} if step.exact else {"recipe": artifact.manifest["recipe_digest"]}
    outputs: Mapping[str, dict[str, Any]] = artifact.manifest["outputs"]
    made = {name: Output(name, artifact.folder, facts, {**facts, **extra}) for name, facts in outputs.items()}
    for name in set(step.provides) - set(step.outputs):
        facts = {"digest": artifact.manifest["files"]["metrics.json"]["sha256"]}
        made[name] = Output(name, artifact.folder, facts, facts)
    return made


def missing(recipe: Recipe, store: Store) -> str:
    """Say why the store does not hold `recipe`: its differences to the nearest artifact of the same task."""
    candidates = [
        differences(artifact.manifest["recipe"], recipe.facts()) for artifact in store.artifacts(recipe.task)
    ]
    if not candidates:
        return "the store holds nothing of this step"
    nearest = min(candidates, key=len)
    return (
        "; ".join(nearest) if nearest else "same recipe, but made on another platform or machine, or damaged"
    )


def _compute(planned: Plan, bench: Bench, watch: Watch) -> tuple[Artifact, int]:
    step, recipe = planned.step, planned.recipe.digest()
    with bench.store.writing(step.name, planned.key) as folder:
        job = Job(
            planned.inputs,
            planned.params,
            folder,
            watch,
            bench.settings,
            items=bench.store.items,
            tested=bench.store.ledger.enter,
            recipe=recipe,
        )
        with bench.settings.alone(watch) if step.measured else nullcontext():
            made = step.run(job)
        _check_unchanged(planned, bench)
        for name, facts in made.outputs.items():
            provenance = {} if step.exact else {"recipe": recipe}
            tracked = {"output": name, **provenance, **facts, **made.bodies.get(name, {})}
            (folder / f"{name}.json").write_text(readable(tracked), encoding="utf-8")
        if made.metrics is not None:
            (folder / "metrics.json").write_text(readable(made.metrics), encoding="utf-8")
        facts = {
            "recipe_digest": recipe,
            "outputs": dict(made.outputs),
            "items": made.items,
            "recipe": planned.recipe.facts(),
            "texts": planned.code.texts,
        }
        return bench.store.publish(step.name, planned.key, folder, facts), made.items


def _check_unchanged(planned: Plan, bench: Bench) -> None:
    """Refuse to store what was perhaps made from other data or code than its key says.

    Raises:
        Problem: a file that decides the content changed between plan and result.
    """
    step, recipe = planned.step, planned.recipe
    files = {name: seen for name, seen in recipe.inputs.items() if name not in planned.inputs}
    now = dict(step.files(planned.params, bench.settings))
    models = dict(step.models(planned.params, bench.settings))
    if now != files or models != dict(recipe.models) or not planned.code.is_current:
        found = "data, models.yaml or code changed while it ran"
        raise Problem(step.name, found, remedy="Nothing was stored; run it again.")
