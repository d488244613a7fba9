"""The index stage: load the vectors into a Qdrant collection and check that it holds them, all of them."""

from __future__ import annotations

from tasks.collection import open_collection
from vara.artifacts.canonical import digest
from vara.artifacts.step import Job, Made, Step
from vara.index.vectors import read_embeddings


def run(job: Job) -> Made:
    """Build the collection where it is missing, and say what was checked: count, dimension, ids, fingerprint."""
    embeddings = read_embeddings(job.inputs["embed"].folder)
    with open_collection(job, job.inputs["embed"], job.params) as opened:
        info = opened.info
    facts = {
        "engine": job.params["index.engine"],  # as asked: what auto means differs from machine to machine
        "fingerprint": info.spec.fingerprint,
        "count": info.count,
        "dimension": info.spec.dimension,
        "m": info.spec.m,
        "ef_construct": info.spec.ef_construct,
        "ids_digest": digest(sorted(embeddings.doc_ids)),
    }
    checked = ", ".join(f"{name} {facts[name]}" for name in ("count", "dimension", "fingerprint"))
    job.watch.note(f"engine {info.engine}, {checked}")
    return Made(outputs={"index": facts}, items=info.count)


STEP = Step(
    name="index",
    run=run,
    outputs=("index",),
    reads=("embed",),
    spared={"vara.quality.ranking": None},  # engines order what they find by it; nothing is searched here
    params=("index.ef_construct", "index.engine", "index.m"),
)
