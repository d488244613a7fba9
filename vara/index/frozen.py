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
from vara.index.retrieval import Extent

if TYPE_CHECKING:
    from vara.index.candidates import Candidates, StoodIn

Run = Mapping[str, Sequence[str]]
"""query_id → doc_ids, best first."""

_SCORES = ("scores", "dense", "lexical", "baseline")


@dataclass(frozen=True)
class Pool:
    """What `pool` froze.

    Attributes:
        first_stage: the candidates of each query, in the first stage's order.
        guaranteed: query_id → those at the end of its candidates that are there for their title, not for a rank.
        extent: query_id → what its result says of its own completeness.
        stood_in: query_id → {fallback: {term: its stand-ins}}, where a lexical fallback acted.
        bm25: the BM25 baseline's ranking of each query.
        scores: float32, what ordered the ranked candidates, one array a query.
        dense: float32 cosines of the candidates, one array a query.
        lexical: float32 BM25 scores of the candidates, one array a query.
        baseline: float32 BM25 scores of the baseline's documents, one array a query.
        recalled: what an approximate search found of the exact pool, (credited, expected) a query; empty after an
            exact search.
    """

    first_stage: Run
    guaranteed: Run
    extent: Mapping[str, Extent]
    stood_in: Mapping[str, StoodIn]
    bm25: Run
    scores: Mapping[str, NDArray[np.float32]]
    dense: Mapping[str, NDArray[np.float32]]
    lexical: Mapping[str, NDArray[np.float32]]
    baseline: Mapping[str, NDArray[np.float32]]
    recalled: Mapping[str, tuple[int, int]]

    def n_ranked(self, query: str) -> int:
        """Return how many of a query's candidates are ranked; the others stand behind them for their title."""
        return len(self.first_stage[query]) - len(self.guaranteed.get(query, ()))

    def descending(self, scores: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
        """Return scores that put every query's candidates into the order that they have.

        A run file has no other way to say an order: what is guaranteed gets scores below those of what is ranked.

        Args:
            scores: float32, of each query's ranked candidates first.
        """
        return {
            query: _behind(row[: self.n_ranked(query)], self.guaranteed.get(query, ()))
            for query, row in scores.items()
        }


def _behind(ranked: NDArray[np.float32], guaranteed: Sequence[str]) -> NDArray[np.float32]:
    below = ranked.min(initial=0) - np.arange(1, len(guaranteed) + 1, dtype=np.float32)
    return np.concatenate([ranked, below])


def write_pool(
    candidates: Sequence[Candidates], doc_ids: Sequence[str], folder: Path
) -> dict[str, dict[str, Any]]:
    """Write the scores and return what build/pool.json tracks of the queries, by name."""
    empty = np.empty(0, dtype=np.float32)
    for name in _SCORES:
        np.save(
            folder / f"{name}.npy",
            np.concatenate([empty, *(getattr(one, name) for one in candidates)]),
            allow_pickle=False,
        )
    named = {one.query_id: [doc_ids[row] for row in one.pool] for one in candidates}
    guaranteed = {one.query_id: named[one.query_id][one.scores.size :] for one in candidates}
    recalled = {one.query_id: one.recalled for one in candidates if one.recalled is not None}
    return {
        "first_stage": named,
        "bm25": {one.query_id: [doc_ids[row] for row in one.bm25] for one in candidates},
        "extent": {one.query_id: one.extent._asdict() for one in candidates},
        "guaranteed": {query: docs for query, docs in guaranteed.items() if docs},
        "stood_in": {one.query_id: one.stood_in for one in candidates if one.stood_in},
        "recalled": recalled,
    }


def read_pool(folder: Path) -> Pool:
    """Return the pool of an artifact."""
    tracked: dict[str, Any] = json.loads((folder / "pool.json").read_bytes())
    first, bm25, guaranteed = (tracked[name] for name in ("first_stage", "bm25", "guaranteed"))
    ranked = {query: docs[: len(docs) - len(guaranteed.get(query, ()))] for query, docs in first.items()}
    arrays = {name: np.load(folder / f"{name}.npy", allow_pickle=False) for name in _SCORES}
    return Pool(
        first_stage=first,
        guaranteed=guaranteed,
        extent={query: Extent(**said) for query, said in tracked["extent"].items()},
        stood_in=tracked["stood_in"],
        bm25=bm25,
        scores=dict(_split(arrays["scores"], ranked)),
        dense=dict(_split(arrays["dense"], first)),
        lexical=dict(_split(arrays["lexical"], first)),
        baseline=dict(_split(arrays["baseline"], bm25)),
        recalled={query: (found, expected) for query, (found, expected) in tracked["recalled"].items()},
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
