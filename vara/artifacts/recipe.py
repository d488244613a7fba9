"""The recipe of an artifact: everything that decides its content, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from vara.artifacts.canonical import canonical, digest
from vara.artifacts.code import Closure
from vara.artifacts.step import Output, Settings, Step
from vara.params import select


@dataclass(frozen=True)
class Recipe:
    """What decides the content of an artifact, the same on every platform.

    Attributes:
        task: the step's name.
        inputs: {input name: what identifies it}.
        params: {dotted name: value} of exactly the parameters that the step reads.
        models: {parameter: model fingerprint}.
        code: {module: digest of its normalised tree}, the import closure of the step.
        libraries: {distribution: public version} imported in that closure.
    """

    task: str
    inputs: Mapping[str, Any]
    params: Mapping[str, Any]
    models: Mapping[str, str]
    code: Mapping[str, str]
    libraries: Mapping[str, str]

    def facts(self) -> dict[str, Any]:
        """Return the recipe as plain values."""
        return asdict(self)

    def digest(self) -> str:
        """Return the SHA-256 of the recipe."""
        return digest(self.facts())


def recipe_of(
    step: Step, code: Closure, inputs: Mapping[str, Output], flat: Mapping[str, Any], settings: Settings
) -> Recipe:
    """Return the recipe of `step`, whose code is `code`, on `inputs`."""
    params = select(flat, step.params)
    identities = {name: dict(output.identity) for name, output in sorted(inputs.items())}
    return Recipe(
        task=step.name,
        inputs={**identities, **step.files(params, settings)},
        params=params,
        models=dict(step.models(params, settings)),
        code=code.meaning,
        libraries=code.versions,
    )


def key_of(recipe: Recipe, platform: Mapping[str, str]) -> str:
    """Return the artifact's key: SHA-256 of recipe and platform, as 64 hex digits."""
    return digest([recipe.digest(), platform])


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return in words what differs between two recipes: "params embed.max_length 256 → 512"."""
    words: list[str] = []
    for part in ("params", "inputs", "models", "code", "libraries"):
        before, after = old[part], new[part]
        for name in sorted({*before, *after}):
            if before.get(name) == after.get(name):
                continue
            change = f"{part} {name}"
            if part in ("params", "libraries"):
                change += f" {_shown(before, name)} → {_shown(after, name)}"
            words.append(change)
    return words


def _shown(values: Mapping[str, Any], name: str) -> str:
    if name not in values:
        return "(none)"
    value = values[name]
    return value if isinstance(value, str) else canonical(value)
