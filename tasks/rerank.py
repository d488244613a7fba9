"""The rerank stage: the frozen candidates in another order; never another document."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vara.artifacts.step import Job, Made, Step
from vara.errors import Problem
from vara.index.frozen import Pool, Run, order_digest, read_pool
from vara.index.fusion import fuse
from vara.index.retrieval import reordered
from vara.quality.ranking import byte_order


def run(job: Job) -> Made:
    """Score each (query, candidate) pair and order the candidates by it."""
    pool = read_pool(job.inputs["pool"].folder)
    scores = score(pool, kind=job.params["rerank.kind"], weight=job.params["rerank.weight"])
    reranked: dict[str, list[str]] = {}
    ordered = [np.empty(0, dtype=np.float32)]
    for query, docs in pool.first_stage.items():
        order = reordered(scores[query], byte_order(docs), pool.n_ranked(query))
        reranked[query] = [docs[row] for row in order]
        ordered.append(scores[query][order])
    check_permutation(pool.first_stage, reranked)
    np.save(job.folder / "scores.npy", np.concatenate(ordered), allow_pickle=False)
    settings = {name: job.params[f"rerank.{name}"] for name in ("kind", "weight")}
    facts = {"queries": len(reranked), "settings": settings, "digest": order_digest(reranked)}
    pairs = sum(len(docs) for docs in reranked.values())
    return Made(outputs={"reranked": facts}, bodies={"reranked": {"reranked": reranked}}, items=pairs)


def score(pool: Pool, *, kind: str, weight: float) -> dict[str, NDArray[np.float32]]:
    """Return float32 (candidates,) scores of each query, in pool order; kind "none" keeps the order of the pool."""
    if kind == "none":
        return {
            query: np.arange(len(docs), 0, -1, dtype=np.float32) for query, docs in pool.first_stage.items()
        }
    return {
        query: fuse(pool.dense[query], pool.lexical[query], weight, pool.n_ranked(query))
        for query in pool.first_stage
    }


def check_permutation(before: Run, after: Run) -> None:
    """Refuse a reranking that lost, repeated or added a document.

    Raises:
        Problem: naming the first such query.
    """
    for query, docs in before.items():
        if sorted(docs) != sorted(after.get(query, ())):
            raise Problem(
                "reranked",
                "not the same documents as in the pool",
                where=f"query {query}",
                remedy="Report this as a defect of vara.",
            )


STEP = Step(
    name="rerank", run=run, outputs=("reranked",), reads=("pool",), params=("rerank.kind", "rerank.weight")
)
