"""A workspace whose store holds an artifact of every step, under its real key, without anything being computed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from flows.pipeline import PIPELINE
from flows.workspace import Workspace
from tests.conftest import ROOT
from vara import params as parameters
from vara.artifacts.canonical import digest, readable
from vara.artifacts.execute import outputs_of, plan
from vara.artifacts.step import Output, Step
from vara.artifacts.store import Artifact

FACTS: dict[str, Any] = {
    "index": {
        "dimension": 2,
        "fingerprint": "f" * 64,
        "m": 16,
        "ef_construct": 128,
        "count": 3,
        "ids_digest": digest(["a", "b", "c"]),
        "facets_digest": digest({"a": [], "b": [], "c": []}),
    }
}


def make_workspace(root: Path, **changes: Any) -> Workspace:
    """Make a workspace with the shipped parameters and a dataset of three lines."""
    (root / "data/small").mkdir(parents=True)
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        (root / "data/small" / name).write_text(name)
    shutil.copy(ROOT / "models.yaml", root)
    (root / "dvc.yaml").touch()
    write_params(root / "params.yaml", **{"dataset.path": "data/small", **changes})
    return Workspace(root)


def write_params(path: Path, **changes: Any) -> Path:
    """Write the shipped parameters with changes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(parameters.dump(parameters.changed(parameters.load(ROOT / "params.yaml"), changes)))
    return path


def make_trial(workspace: Workspace, name: str, **changes: Any) -> Path:
    """Keep the parameters of a trial."""
    return write_params(workspace.trial(name) / "params.yaml", **{"dataset.path": "data/small", **changes})


def stock(
    workspace: Workspace, path: Path | None = None, steps: Sequence[Step] = PIPELINE
) -> dict[str, Artifact]:
    """Put an artifact of every step of the pipeline, or of `steps`, into the store, as these parameters would look for it; {step: artifact}."""
    bench = workspace.bench()
    flat = parameters.load(path or workspace.params_path).flat()
    made: dict[str, Output] = {}
    found = {}
    for step in steps:
        planned = plan(step, made, flat, bench)
        artifact = bench.store.find(step.name, planned.key)
        if artifact is None:
            facts = {
                "recipe_digest": planned.recipe.digest(),
                "outputs": {name: FACTS.get(name, {"of": step.name}) for name in step.outputs},
                "items": 1,
                "recipe": planned.recipe.facts(),
                "texts": planned.code.texts,
            }
            with bench.store.writing(step.name, planned.key) as folder:
                write_payload(step, folder, yaml.safe_dump(dict(planned.params)))
                artifact = bench.store.publish(step.name, planned.key, folder, facts)
        made.update(outputs_of(step, artifact))
        found[step.name] = artifact
    return found


def write_payload(step: Step, folder: Path, params: str) -> None:
    """Write every file that a step publishes; each says under which parameters it was made."""
    for payload in step.publishes.values():
        (folder / payload).write_text(readable({"step": step.name, "params": params}))
