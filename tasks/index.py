"""The index stage: load the vectors into a Qdrant collection and check that it holds them, all of them."""

from __future__ import annotations

from tasks.collection import facets_by_id, open_collection
from tasks.read import read_documents
from vara.artifacts.step import Job, Made, Step


def run(job: Job) -> Made:
    """Build the collection where it is missing, and say what was checked: count, dimension, ids, facets and so on."""
    with open_collection(job, facets_by_id(read_documents(job)), job.params) as opened:
        info, recipe = opened.info, opened.recipe
    facts = {
        "engine": job.params["index.engine"],  # as asked: what auto means differs from machine to machine
        "fingerprint": info.spec.fingerprint,
        "count": info.count,
        "dimension": info.spec.dimension,
        "m": info.spec.m,
        "ef_construct": info.spec.ef_construct,
        "ids_digest": recipe.ids_digest,
        "facets_digest": recipe.facets_digest,
    }
    checked = ", ".join(f"{name} {facts[name]}" for name in ("count", "dimension", "fingerprint"))
    job.watch.note(f"engine {info.engine}, {checked}")
    return Made(outputs={"index": facts}, items=info.count)


STEP = Step(
    name="index",
    run=run,
    outputs=("index",),
    reads=("documents", "embed"),
    spared={"vara.quality.ranking": None},  # engines order what they find by it; nothing is searched here
    params=("index.ef_construct", "index.engine", "index.m"),
)
