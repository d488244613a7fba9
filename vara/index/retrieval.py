"""The first stage's rules: how many candidates each retriever hands over, how two rankings become one, what is kept.

Pure: rankings come in and one goes out. Who made them, an exact search, an engine or BM25, does not matter here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vara.index.fusion import minmax, reciprocal_ranks
from vara.quality.ranking import best

PARAMS = ("pool.cap", "pool.depth", "pool.fusion", "pool.retriever", "pool.rrf_constant", "pool.weights")
"""The parameters that are the first stage's rules."""

Scores = NDArray[np.float32]
Rows = NDArray[np.int64]
RETRIEVERS = {"dense": ("dense",), "bm25": ("bm25",), "hybrid": ("dense", "bm25")}


class Ranking(NamedTuple):
    """Documents by row number, best first, and the float32 scores that put them there."""

    rows: Rows
    scores: Scores


class Extent(NamedTuple):
    """What one query's result says of its own completeness.

    Attributes:
        total: documents that its retrievers matched, before anything was cut off.
        truncated: whether some of them are not in the result.
        limit: the number at which the ranking was cut; None where nothing was cut, and where two retrievers were
            cut apart, so that no one number says what is missing.
    """

    total: int
    truncated: bool
    limit: int | None

    def says(self, n_ranked: int, n_guaranteed: int = 0) -> str:
        """Return it in words.

        Args:
            n_ranked: documents that the result ranks.
            n_guaranteed: those that it holds for their title.

        Example:
            >>> Extent(187, truncated=True, limit=20).says(20)
            '20 of 187 matching documents, cut at 20'
        """
        words = f"{n_ranked} of {self.total} matching documents"
        if self.truncated:
            words += f", cut at {self.limit}" if self.limit else ", each retriever's list cut apart"
        return f"{words}, and {n_guaranteed} guaranteed by their title" if n_guaranteed else words


@dataclass(frozen=True)
class Retrieval:
    """How candidates are chosen.

    Attributes:
        depth: documents kept a query.
        retriever: "dense", "bm25" or "hybrid".
        caps: {"dense" | "bm25" | "total": candidates}; one that is not named is not capped.
        fusion: "rrf" or "minmax": how hybrid makes one ranking of two.
        constant: what rrf adds to each rank.
        weights: of the rankings in hybrid, by retriever.
    """

    depth: int
    retriever: str
    caps: Mapping[str, int]
    fusion: str
    constant: int
    weights: Mapping[str, float]

    @property
    def lists(self) -> tuple[str, ...]:
        """Return the retrievers whose rankings the first stage is made of."""
        return RETRIEVERS[self.retriever]

    @property
    def kept(self) -> int:
        """Return how many ranked documents the result may have: the depth, and no more than the caps let through."""
        cut = min(self.depth, self.caps.get("total", self.depth))
        return min(cut, sum(self.caps.get(name, cut) for name in self.lists))

    def asked_of(self, retriever: str) -> int | None:
        """Return how many candidates a retriever is asked for; None: all that match."""
        return self.caps.get(retriever) if len(self.lists) > 1 else self.kept

    def joined(self, found: Mapping[str, Ranking], positions: NDArray[np.int64]) -> Ranking:
        """Return the first stage's ranking.

        **Conventions**: a document that one retriever did not hand over gets nothing from it. Sums are made in
        float64 and rounded once; equal ones are ordered as everywhere (vara/quality/ranking.py).

        Args:
            found: what each of `lists` handed over.
            positions: int64 (n,), the byte order of all documents' ids.
        """
        if len(self.lists) == 1:
            rows, scores = found[self.retriever]
            return Ranking(rows[: self.kept], scores[: self.kept])
        every = np.concatenate([found[name].rows for name in self.lists])
        worth = np.concatenate([self.weights[name] * self._worth(found[name]) for name in self.lists])
        rows, where = np.unique(every, return_inverse=True)
        summed = np.bincount(where, worth, minlength=rows.size).astype(np.float32)
        order = best(summed, positions[rows], self.kept)
        return Ranking(rows[order], summed[order])

    def _worth(self, ranking: Ranking) -> NDArray[np.float64]:
        if self.fusion == "rrf":
            return reciprocal_ranks(ranking.rows.size, self.constant)
        return minmax(ranking.scores)

    def extent(self, matched: Mapping[str, int], n_shown: int) -> Extent:
        """Return what a result says of its completeness.

        Args:
            matched: documents that each of `lists` matched; a dense search matches all that it may see.
            n_shown: matched documents in the result.
        """
        total = max(matched[name] for name in self.lists)  # BM25 matches a part of what a dense search does
        if total <= n_shown:
            return Extent(total, truncated=False, limit=None)
        cut_apart = len(self.lists) > 1 and any(
            matched[name] > self.caps.get(name, total) for name in self.lists
        )
        return Extent(total, truncated=True, limit=None if cut_apart else self.kept)


def ranking(scores: Scores, rows: Rows, positions: NDArray[np.int64], depth: int | None) -> Ranking:
    """Return some documents in the order of their scores.

    Args:
        scores: float32 (n,), of all documents.
        rows: which of them.
        positions: int64 (n,), the byte order of all documents' ids.
        depth: how many at most; None: all.
    """
    order = best(scores[rows], positions[rows], rows.size if depth is None else depth)
    return Ranking(rows[order], scores[rows[order]])


def reordered(scores: Scores, positions: NDArray[np.int64], n_ranked: int) -> Rows:
    """Return the places of a query's candidates in the order of new scores.

    Args:
        scores: float32 (candidates,), new ones.
        positions: int64 (candidates,), the byte order of their ids.
        n_ranked: how many of them, from the front, are ranked; the others are guaranteed and stay behind them.
    """
    parts = (np.arange(n_ranked), np.arange(n_ranked, scores.size))
    return np.concatenate([part[best(scores[part], positions[part], part.size)] for part in parts])


def retrieval_of(params: Mapping[str, Any]) -> Retrieval:
    """Return the rules that the `pool.…` parameters say."""
    return Retrieval(
        depth=params["pool.depth"],
        retriever=params["pool.retriever"],
        caps=params["pool.cap"],
        fusion=params["pool.fusion"],
        constant=params["pool.rrf_constant"],
        weights=params["pool.weights"],
    )
