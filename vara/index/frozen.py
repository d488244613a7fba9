"""The frozen pool of one artifact: rankings as JSON, the scores that made them beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vara.artifacts.canonical import digest

if TYPE_CHECKING:
    from vara.index.candidates import Candidates

Run = Mapping[str, Sequence[str]]
"""query_id → doc_ids, best first."""


@dataclass(frozen=True)
class Pool:
    """What `pool` froze.

    Attributes:
        first_stage: the candidates of each query, in the first stage's order.
        bm25: the BM25 baseline's ranking of each query.
        dense: float32 cosines of the candidates, one array a query.
        lexical: float32 BM25 scores of the candidates, one array a query.
        baseline: float32 BM25 scores of the baseline's documents, one array a query.
        recalled: what an approximate search found of the exact pool, (credited, expected) a query; empty after an
            exact search.
    """

    first_stage: Run
    bm25: Run
    dense: Mapping[str, NDArray[np.float32]]
    lexical: Mapping[str, NDArray[np.float32]]
    baseline: Mapping[str, NDArray[np.float32]]
    recalled: Mapping[str, tuple[int, int]]


def write_pool(
    candidates: Sequence[Candidates], doc_ids: Sequence[str], folder: Path
) -> dict[str, dict[str, list[str]]]:
    """Write the scores and return the rankings, {"first_stage": run, "bm25": run}, to be tracked in build/pool.json."""
    empty = np.empty(0, dtype=np.float32)
    for name in ("dense", "lexical", "baseline"):
        np.save(
            folder / f"{name}.npy",
            np.concatenate([empty, *(getattr(one, name) for one in candidates)]),
            allow_pickle=False,
        )
    return {
        "first_stage": {one.query_id: [doc_ids[row] for row in one.pool] for one in candidates},
        "bm25": {one.query_id: [doc_ids[row] for row in one.bm25] for one in candidates},
    }


def read_pool(folder: Path) -> Pool:
    """Return the pool of an artifact."""
    tracked: dict[str, Any] = json.loads((folder / "pool.json").read_bytes())
    first, bm25 = tracked["first_stage"], tracked["bm25"]
    scores = {
        name: np.load(folder / f"{name}.npy", allow_pickle=False) for name in ("dense", "lexical", "baseline")
    }
    return Pool(
        first_stage=first,
        bm25=bm25,
        dense=dict(_split(scores["dense"], first)),
        lexical=dict(_split(scores["lexical"], first)),
        baseline=dict(_split(scores["baseline"], bm25)),
        recalled={
            query: (found, expected) for query, (found, expected) in tracked.get("recalled", {}).items()
        },
    )


@dataclass(frozen=True)
class Reranked:
    """What `rerank` made: the same candidates in another order, and the scores of that order, one array a query."""

    run: Run
    scores: Mapping[str, NDArray[np.float32]]


def read_reranked(folder: Path) -> Reranked:
    """Return the reranking of an artifact."""
    run: Run = json.loads((folder / "reranked.json").read_bytes())["reranked"]
    return Reranked(run, dict(_split(np.load(folder / "scores.npy", allow_pickle=False), run)))


def order_digest(run: Run) -> str:
    """Return what identifies a run: the SHA-256 of its queries and orders."""
    return digest({query: list(docs) for query, docs in run.items()})


def _split(scores: NDArray[np.float32], run: Run) -> Iterator[tuple[str, NDArray[np.float32]]]:
    start = 0
    for query, docs in run.items():
        yield query, scores[start : start + len(docs)]
        start += len(docs)
