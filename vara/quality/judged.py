"""A run beside its labels: one integer matrix per system, on which every measure is a few lines of numpy.

`judging` makes these values from ids; `formulas` turns them into numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

UNJUDGED = -1  # a document was returned that nobody judged
PADDING = -2  # no document was returned at this rank

BLOCK_CELLS = 1 << 20  # cells of a matrix that a formula sees at once


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What one system returned for n queries, each with at least one relevant document, as grades.

    Attributes:
        query_ids: the n queries, in the order asked for; row i of every array.
        unanswerable: queries asked for that have no relevant document; they have no row.
        missing: bool (n,), the run lacks the query. Its row is all PADDING, and it counts 0.
        relevance: int32 (n, depth), column j = rank j + 1: a grade ≥ 0, UNJUDGED or PADDING.
        n_relevant: int64 (n,), labels with relevance ≥ min_relevance, in the run or not; ≥ 1.
        ideal: int32, the positive grades of all labels, query after query, each query's from high to low.
        starts: int64 (n + 1,), query i owns `ideal[starts[i]:starts[i + 1]]`.
        min_relevance: the lowest grade that counts as relevant, ≥ 1.
    """

    query_ids: tuple[str, ...]
    unanswerable: tuple[str, ...]
    missing: NDArray[np.bool_]
    relevance: NDArray[np.int32]
    n_relevant: NDArray[np.int64]
    ideal: NDArray[np.int32]
    starts: NDArray[np.int64]
    min_relevance: int

    @property
    def hits(self) -> NDArray[np.bool_]:
        """Bool (n, depth): the document at this rank is relevant."""
        return self.relevance >= self.min_relevance

    def blocks(self) -> Iterator[tuple[slice, Judged]]:
        """Yield rows in parts of at most BLOCK_CELLS cells, so that no formula's memory grows with n."""
        step = max(1, BLOCK_CELLS // self.relevance.shape[1])
        for start in range(0, len(self.query_ids), step):
            rows = slice(start, min(start + step, len(self.query_ids)))
            starts = self.starts[rows.start : rows.stop + 1]
            yield (
                rows,
                replace(
                    self,
                    query_ids=self.query_ids[rows],
                    missing=self.missing[rows],
                    relevance=self.relevance[rows],
                    n_relevant=self.n_relevant[rows],
                    ideal=self.ideal[starts[0] : starts[-1]],
                    starts=starts - starts[0],
                ),
            )


def ceiling(judged: Judged) -> Judged:
    """Reorder each row perfectly: the most that a reranker could make of the same documents.

    **Conventions**: grades downwards, then unjudged documents, then padding. The ceiling of a condensed
    measure is that of the plain one.

    Example:
        >>> from vara.quality.judging import judge
        >>> ceiling(judge({"q": ["x", "a", "c"]}, {"q": {"a": 2, "b": 1, "c": 0}})).relevance.tolist()
        [[2, 0, -1]]
    """
    return replace(judged, relevance=-np.sort(-judged.relevance, axis=1))


def condensed(judged: Judged) -> Judged:
    """Drop the unjudged documents of each row and close the gaps.

    **Source**: T. Sakai, Alternatives to Bpref, SIGIR 2007.

    Example:
        >>> from vara.quality.judging import judge
        >>> condensed(judge({"q": ["x", "a", "c"]}, {"q": {"a": 2, "b": 1, "c": 0}})).relevance.tolist()
        [[2, 0, -2]]
    """
    kept = judged.relevance > UNJUDGED
    rows, _ = np.nonzero(kept)
    relevance = np.full_like(judged.relevance, PADDING)
    relevance[rows, (np.cumsum(kept, axis=1, dtype=np.int32) - 1)[kept]] = judged.relevance[kept]
    return replace(judged, relevance=relevance)
