"""The parameters: params.yaml as frozen, typed sections. Unknown keys are refused with near names."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from vara.errors import Problem, examples, near_names
from vara.yaml import load_yaml, read_text

Scalar = str | int | bool
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Weight = Annotated[float, Field(ge=0.001, le=1_000)]
"""Far enough from what float32 rounds to nothing."""


def every_cap(cap: Any) -> Any:
    """Return a cap that is one number as that number for each list and for the total."""
    one_number = isinstance(cap, int) and not isinstance(cap, bool)
    return dict.fromkeys(("dense", "bm25", "total"), cap) if one_number else cap


class Section(BaseModel):
    """A group of parameters; values are taken as written, without conversion."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class DatasetParams(Section):
    """Which corpus, queries and labels."""

    path: Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00-\x1f]+$")]


class EmbedParams(Section):
    """How texts become vectors."""

    model: str
    dtype: Literal["float32", "bfloat16", "float16"]
    max_length: Annotated[int, Field(ge=3, le=1_000_000)]
    too_long: Literal["reject", "truncate"]


class IndexParams(Section):
    """How the collection is built."""

    engine: Literal["auto", "server", "edge", "memory"]
    m: Annotated[int, Field(ge=2, le=1024)]
    ef_construct: Annotated[int, Field(ge=4, le=100_000)]


class LexicalParams(Section):
    """How texts are matched by their words."""

    fields: Annotated[dict[str, Weight], Field(min_length=1)]
    labels: list[str]
    k1: Annotated[float, Field(ge=0, le=100)]
    b: Annotated[float, Field(ge=0, le=1)]
    stem: str
    prefixes: bool
    typos: bool


class PoolParams(Section):
    """Which candidates are frozen."""

    depth: Count
    retriever: Literal["dense", "bm25", "hybrid"]
    search: Literal["exact", "ann"]
    filter: dict[str, Scalar | list[Scalar]]
    exclude_self: bool
    cap: Annotated[dict[Literal["dense", "bm25", "total"], Count], BeforeValidator(every_cap)]
    fusion: Literal["rrf", "minmax"]
    rrf_constant: Annotated[int, Field(ge=0, le=1_000_000)]
    weights: Annotated[dict[Literal["dense", "bm25"], Weight], Field(min_length=2)]
    title_guarantee: bool


class RerankParams(Section):
    """How the frozen candidates are reordered."""

    kind: Literal["fusion", "none"]
    weight: Annotated[float, Field(ge=0, le=1)]


class EvaluateParams(Section):
    """What is measured."""

    cutoffs: Annotated[list[Count], Field(min_length=1)]
    min_relevance: Count
    min_group: Count


class CalibrateParams(Section):
    """From which signal on an answer is shown."""

    signal: Literal["cosine", "margin", "score"]
    objective: Literal["precision", "cost"]
    precision: Annotated[float, Field(gt=0, le=1)]
    cost_ratio: Annotated[float, Field(gt=0, le=1_000_000)]


class LatencyParams(Section):
    """What is timed."""

    split: Annotated[str, Field(min_length=1)]
    warmup: Annotated[int, Field(ge=0, le=1_000_000)]
    repeats: Count
    clients: Annotated[list[Annotated[int, Field(ge=1, le=1024)]], Field(min_length=1)]


class Params(Section):
    """Everything in params.yaml."""

    dataset: DatasetParams
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    embed: EmbedParams
    index: IndexParams
    lexical: LexicalParams
    pool: PoolParams
    rerank: RerankParams
    evaluate: EvaluateParams
    calibrate: CalibrateParams
    latency: LatencyParams

    def flat(self) -> dict[str, Any]:
        """Return {dotted name: value}, one entry a key of params.yaml, in its order."""
        return flatten(self)


def flatten(model: BaseModel) -> dict[str, Any]:
    """Return {dotted name: value} of a model of sections, or of the form made from one."""
    flat: dict[str, Any] = {}
    for name, value in model:
        if isinstance(value, BaseModel):
            flat.update({f"{name}.{key}": inner for key, inner in value.model_dump().items()})
        else:
            flat[name] = value
    return flat


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
