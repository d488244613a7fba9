"""The parameters: params.yaml read, changed and written. Unknown keys are refused with near names."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from vara.errors import Problem, examples, near_names
from vara.sections import Params, Section
from vara.yaml import load_yaml, read_text


def load(path: Path) -> Params:
    """Read a parameter file.

    Raises:
        Problem: the file is missing, is not YAML, or does not fit; all problems in one message.
    """
    text = read_text(path, "Run the command in the repository's root.")
    return parse(load_yaml(text, path.name), where=path.name)


def parse(tree: Any, *, where: str) -> Params:
    """Check a tree of plain values and return it as parameters.

    Raises:
        Problem: naming up to three keys that are unknown, missing or of the wrong type.
    """
    try:
        return Params.model_validate(tree)
    except ValidationError as error:
        lines = [explain(one, Params) for one in error.errors(include_url=False)]
        raise Problem(
            where, examples(lines), remedy="Correct the named keys; params.yaml comments each one."
        ) from None


def read_changes(settings: Sequence[str]) -> dict[str, Any]:
    """Return {dotted name: value} of settings like "pool.depth=10"; values are YAML.

    Raises:
        Problem: a setting without "=", or one whose value is not YAML.
    """
    changes = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            found = f"{setting!r} has no value"
            raise Problem("--set", found, expected="name=value", remedy="Write it like pool.depth=10.")
        changes[name] = load_yaml(text, f"--set {name}")
    return changes


def changed(params: Params, changes: Mapping[str, Any], *, where: str = "--set") -> Params:
    """Return `params` with {dotted name: value} applied; `where` is what messages call the changes.

    Raises:
        Problem: an unknown name (near names are offered), or a value that does not fit.
    """
    tree = params.model_dump()
    known = params.flat()
    for name, value in changes.items():
        if name not in known:
            raise Problem(where, f"unknown parameter {name!r}", remedy=near_names(name, known))
        *section, key = name.split(".")
        target = tree[section[0]] if section else tree
        target[key] = value
    return parse(tree, where=where)


def dump(params: Params) -> str:
    """Return the parameters as YAML in the order of params.yaml."""
    text: str = yaml.safe_dump(params.model_dump(), sort_keys=False, allow_unicode=True)
    return text


def optional(model: type[BaseModel] = Params) -> type[BaseModel]:
    """Return `model` with every field optional, for a form in which an empty field means "as in params.yaml"."""
    fields: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        kind: Any = field.annotation
        if isinstance(kind, type) and issubclass(kind, Section):
            inner = optional(kind)
            fields[name] = (inner, Field(default_factory=inner, description=kind.__doc__))
        else:
            described = Annotated[kind, *field.metadata] if field.metadata else kind
            fields[name] = (described | None, None)
    return create_model(f"{model.__name__}Changes", __config__=ConfigDict(extra="forbid"), **fields)


def select(flat: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the named parameters of `flat`, sorted by name."""
    return {name: flat[name] for name in sorted(names)}


def shown(value: Any) -> str:
    """Return a value for a message: however large it is, at most some eighty characters."""
    return reprlib.repr(value)


def explain(error: Any, model: type[BaseModel]) -> str:
    """Say in words what pydantic found wrong in a tree that should have been a `model`.

    Args:
        error: one entry of `ValidationError.errors()`.
        model: what was validated; its fields are the near names of an unknown key.
    """
    path = [part for part in error["loc"] if not str(part).startswith(("constrained", "list[", "["))]
    name = ".".join(str(part) for part in path)
    if error["type"] == "extra_forbidden":
        owner: Any = model
        for part in path[:-1]:
            owner = getattr(owner, "model_fields", {})[part].annotation
        return f"unknown key {name!r} ({near_names(str(path[-1]), owner.model_fields)[:-1]})"
    if error["type"] == "missing":
        return f"missing key {name!r}"
    return f"{name}: {error['msg'][0].lower()}{error['msg'][1:]}, found {shown(error['input'])}"
