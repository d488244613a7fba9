"""Why would a stage run? DVC decides whether it starts, the store whether it computes; both are asked."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from flows.look import Seen, look
from flows.pipeline import LAB, PIPELINE, upto
from flows.workspace import Workspace
from vara import params as parameters
from vara.artifacts.execute import Bench, missing
from vara.errors import Problem


def why(workspace: Workspace, stage: str | None) -> Iterator[str]:
    """Yield one line a stage: what DVC would do and why, then what the store would do and why.

    Args:
        workspace: where to look.
        stage: one stage, or None for all of the pipeline.

    Raises:
        Problem: DVC cannot tell.
    """
    params = parameters.load(workspace.params_path)
    bench = workspace.bench()
    status = dvc_status(workspace)
    moving: dict[str, str] = {}  # output → the stage that DVC would start and that may make it otherwise
    for seen in look(upto(stage, params.flat()) if stage else PIPELINE, params, bench):
        step = seen.step
        changes = status.get(f"lab/dvc.yaml:{step.name}" if step in LAB else step.name)
        before = list(dict.fromkeys(moving[name] for name in step.needs(params.flat()) if name in moving))
        if changes or before:
            moving.update(dict.fromkeys(step.provides, step.name))
        if stage in (None, step.name):
            yield f"{step.name}: {_dvc(changes, before)}; {_store(seen, bench)}"


def dvc_status(workspace: Workspace) -> dict[str, list[Any]]:
    """Return what `dvc status` says, by stage.

    Raises:
        Problem: DVC fails, with its own words.
    """
    command = [sys.executable, "-m", "dvc", "status", "--json"]
    done = subprocess.run(command, cwd=workspace.root, capture_output=True, text=True, check=False)
    if done.returncode:
        words = done.stderr.strip().splitlines()
        raise Problem(
            "dvc status",
            words[0] if words else "no answer",
            remedy="Run `dvc status` and follow what it says.",
        )
    status: dict[str, list[Any]] = json.loads(done.stdout)
    return status


def _dvc(changes: list[Any] | None, before: Sequence[str]) -> str:
    if not changes:
        return (
            f"DVC would start it if {', '.join(before)} came out otherwise"
            if before
            else "DVC would not start it"
        )
    words = []
    for change in changes:
        if isinstance(change, str):
            words.append(change)
            continue
        for kind, entries in change.items():
            words.extend(
                f"{name} {what}"
                for name, what in _flat(entries)
                if (kind, what) != ("changed outs", "not in cache")
            )
    return f"DVC would start it ({', '.join(words) or 'its outputs are missing'})"


def _flat(entries: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, what in entries.items():
        if isinstance(what, dict):
            yield from what.items()
        else:
            yield name, what


def _store(seen: Seen, bench: Bench) -> str:
    if seen.plan is None:
        return "it follows the stages before it, of which one would compute"
    if seen.artifact is None:
        return f"it would compute: {missing(seen.plan.recipe, bench.store)}"
    before = seen.artifact.manifest["texts"]
    changed = [
        name.replace(".", "/") + ".py"
        for name, text in seen.plan.code.texts.items()
        if before.get(name) != text
    ]
    only = (
        f" (only comments, docstrings, formatting or messages changed in {', '.join(changed)})"
        if changed
        else ""
    )
    return f"the store would hit{only}"
