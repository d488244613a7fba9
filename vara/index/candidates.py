"""Freeze the candidates of each query: what its first stage found, cut at the depth, with every score kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vara.index.exact import credited
from vara.index.facets import Only
from vara.quality.ranking import best, byte_order

Scores = NDArray[np.float32]
Rows = NDArray[np.int64]
Search = Callable[[int, Only, int], Rows]
"""An engine's answer: (query number, which documents may be found, depth) → row numbers, best first."""


@dataclass(frozen=True)
class Asked:
    """One query as the first stage sees it: its scores of all documents, and those that it may see.

    Attributes:
        visible: bool (n,), the documents that it may see.
        only: the same for an engine.
    """

    query_id: str
    dense: Scores
    lexical: Scores
    visible: NDArray[np.bool_]
    only: Only


@dataclass(frozen=True)
class Candidates:
    """The frozen candidates of one query and the BM25 baseline beside them.

    Attributes:
        pool: row numbers of the first stage's ranking, at most `depth`.
        bm25: row numbers of BM25's ranking, at most `depth`; documents without a query term are not in it.
        dense: float32 scores of the pool's documents.
        lexical: float32 BM25 scores of the pool's documents.
        baseline: float32 BM25 scores of the baseline's documents.
        recalled: what an approximate search found of the exact top `depth`, (credited, expected); None: exact search.
    """

    query_id: str
    pool: Rows
    bm25: Rows
    dense: Scores
    lexical: Scores
    baseline: Scores
    recalled: tuple[int, int] | None = None


def freeze(
    asked: Iterator[Asked],
    doc_ids: Sequence[str],
    *,
    depth: int,
    retriever: str,
    approximate: Search | None = None,
) -> Iterator[Candidates]:
    """Yield the candidates of each query, in the order of `asked`.

    **Conventions**: what a query may not see is left out before the cut, so that the pool is full whenever enough
    visible documents exist; equal scores are ordered as everywhere (vara/quality/ranking.py). An engine is not
    believed: what it repeats counts once, and what the query may not see is dropped.

    Args:
        asked: the queries with their scores.
        doc_ids: the ids of the documents, in the order of the scores.
        depth: documents kept a query.
        retriever: "dense" or "bm25": whose ranking becomes the pool.
        approximate: an engine that finds the dense candidates; their scores stay the exact ones. None: exact search.
    """
    positions = byte_order(doc_ids)

    def ranked(scores: Scores, rows: Rows) -> Rows:
        return rows[best(scores[rows], positions[rows], depth)]

    for number, query in enumerate(asked):
        rows = np.flatnonzero(query.visible)
        bm25 = ranked(query.lexical, rows[query.lexical[rows] > 0])
        pool, recalled = bm25, None
        if retriever == "dense" and approximate is None:
            pool = ranked(query.dense, rows)
        elif retriever == "dense" and approximate is not None:
            found = approximate(number, query.only, depth)
            recalled = credited(found, query.dense, query.visible, depth)
            once = np.unique(found)
            pool = ranked(query.dense, once[query.visible[once]])
        scores = query.dense[pool], query.lexical[pool], query.lexical[bm25]
        yield Candidates(query.query_id, pool, bm25, *scores, recalled)
