"""Freeze the candidates of each query: what its first stage found, cut at the depth, with every score kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vara.index.exact import credited
from vara.index.retrieval import Extent, Ranking, Retrieval, Rows, Scores, ranking
from vara.quality.ranking import byte_order

Search = Callable[[int], Rows]
"""An engine's answer for one query: depth → row numbers, best first."""

Recalled = tuple[int, int]
StoodIn = Mapping[str, Mapping[str, Sequence[str]]]
"""{fallback: {term of the query that no visible document holds: terms that stood in for it}}."""


@dataclass(frozen=True)
class Asked:
    """One query as the first stage sees it.

    Attributes:
        dense: float32 (n,), exact cosines of all documents.
        lexical: float32 (n,), BM25 scores of all documents; 0 where no term of the query stands.
        visible: bool (n,), the documents that it may see.
        titled: rows of the documents whose title contains it; empty where nothing is guaranteed.
        stood_in: what lexical fallbacks did.
        approximate: an engine that finds the dense candidates; None: exact search.
    """

    query_id: str
    dense: Scores
    lexical: Scores
    visible: NDArray[np.bool_]
    titled: Rows
    stood_in: StoodIn
    approximate: Search | None = None


@dataclass(frozen=True)
class Candidates:
    """The frozen candidates of one query and the BM25 baseline beside them.

    Attributes:
        pool: row numbers of the first stage's ranking, at most `depth`, and of the guaranteed documents behind it.
        scores: float32 scores that ordered the ranking; none of the guaranteed documents.
        dense: float32 cosines of the pool's documents.
        lexical: float32 BM25 scores of the pool's documents.
        bm25: row numbers of BM25's ranking, at most `depth`; documents without a query term are not in it.
        baseline: float32 BM25 scores of the baseline's documents.
        extent: total, truncated, limit.
        stood_in: what lexical fallbacks did.
        recalled: what an approximate search found of the exact dense ranking, (credited, expected); None: exact search.
    """

    query_id: str
    pool: Rows
    scores: Scores
    dense: Scores
    lexical: Scores
    bm25: Rows
    baseline: Scores
    extent: Extent
    stood_in: StoodIn
    recalled: Recalled | None = None


def freeze(asked: Iterator[Asked], doc_ids: Sequence[str], retrieval: Retrieval) -> Iterator[Candidates]:
    """Yield the candidates of each query, in the order of `asked`.

    **Conventions**: what a query may not see is left out before any cut, so that the pool is full whenever enough
    visible documents exist; equal scores are ordered as everywhere (vara/quality/ranking.py). An engine is not
    believed: what it repeats counts once, and what the query may not see is dropped. Guaranteed documents that the
    ranking holds stay where they are; the others follow it, best first, and take nobody's place.

    Args:
        asked: the queries with their scores.
        doc_ids: the ids of the documents, in the order of the scores.
        retrieval: which retrievers, how many candidates, how they are joined.
    """
    positions = byte_order(doc_ids)
    for query in asked:
        bm25 = _words(query, retrieval, positions)
        lists, matched, recalled = _ranked_lists(query, retrieval, positions, bm25=bm25)
        first = retrieval.joined(lists, positions)
        behind = _guaranteed(query, retrieval, first.rows, positions)
        pool = np.concatenate([first.rows, behind])
        yield Candidates(
            query.query_id,
            pool=pool,
            scores=first.scores,
            dense=query.dense[pool],
            lexical=query.lexical[pool],
            bm25=bm25.rows[: retrieval.kept],
            baseline=bm25.scores[: retrieval.kept],
            extent=retrieval.extent(matched, first.rows.size + _n_matching(query, retrieval, behind)),
            stood_in=query.stood_in,
            recalled=recalled,
        )


def _words(query: Asked, retrieval: Retrieval, positions: NDArray[np.int64]) -> Ranking:
    """Return BM25's ranking, as deep as the first stage and the baseline beside it look; it is made once for both."""
    asked = retrieval.asked_of("bm25") if "bm25" in retrieval.lists else retrieval.kept
    depth = None if asked is None else max(asked, retrieval.kept)
    return ranking(query.lexical, _holding(query), positions, depth)


def _ranked_lists(
    query: Asked, retrieval: Retrieval, positions: NDArray[np.int64], *, bm25: Ranking
) -> tuple[Mapping[str, Ranking], Mapping[str, int], Recalled | None]:
    """Return what each retriever hands over, how many documents it matched, and an engine's recall."""
    lists: dict[str, Ranking] = {}
    matched: dict[str, int] = {}
    recalled = None
    if "bm25" in retrieval.lists:
        matched["bm25"] = _holding(query).size
        depth = retrieval.asked_of("bm25")
        lists["bm25"] = Ranking(bm25.rows[:depth], bm25.scores[:depth])
    if "dense" in retrieval.lists:
        rows, depth = np.flatnonzero(query.visible), retrieval.asked_of("dense")
        matched["dense"] = rows.size
        if query.approximate is not None and depth is not None:
            found = query.approximate(depth)
            recalled = credited(found, query.dense, query.visible, depth)
            once = np.unique(found)
            rows = once[query.visible[once]]
        lists["dense"] = ranking(query.dense, rows, positions, depth)
    return lists, matched, recalled


def _guaranteed(query: Asked, retrieval: Retrieval, first: Rows, positions: NDArray[np.int64]) -> Rows:
    """Return the guaranteed documents that the ranking does not hold, best first."""
    titled = query.titled[query.visible[query.titled]]
    scores = query.dense if "dense" in retrieval.lists else query.lexical
    return ranking(scores, np.setdiff1d(titled, first), positions, None).rows


def _n_matching(query: Asked, retrieval: Retrieval, rows: Rows) -> int:
    """Return how many visible documents a retriever matches: a dense search all of them, BM25 those with a score."""
    return rows.size if "dense" in retrieval.lists else int(np.count_nonzero(query.lexical[rows] > 0))


def _holding(query: Asked) -> Rows:
    """Return the visible documents that hold a term of the query; BM25 ranks no others."""
    rows: Rows = np.flatnonzero(query.visible & (query.lexical > 0))
    return rows
