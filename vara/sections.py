"""The sections of params.yaml: what may be set, of which type, within which bounds. Nothing else is let in."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

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
