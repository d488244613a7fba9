"""The exact oracle: every score of every document, in double precision, with nothing of an engine in it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_QUERIES = 32
_DOCUMENTS = 16_384


def score_blocks(
    documents: NDArray[np.float32], queries: NDArray[np.float32]
) -> Iterator[NDArray[np.float32]]:
    """Yield the inner products of all documents with each query in turn.

    The products are summed in float64 and rounded once to float32, so that a processor's order of summation does
    not show. Memory stays at `_DOCUMENTS` documents in double precision and `_QUERIES` rows of scores.

    Args:
        documents: float32 (n, dim), unit rows.
        queries: float32 (q, dim), unit rows.

    Yields:
        float32 (n,): the cosines of one query, in the order of `documents`; q times.
    """
    for start in range(0, len(queries), _QUERIES):
        block = queries[start : start + _QUERIES].astype(np.float64)
        scores = np.empty((len(block), len(documents)), dtype=np.float32)
        for low in range(0, len(documents), _DOCUMENTS):
            part = documents[low : low + _DOCUMENTS].astype(np.float64)
            scores[:, low : low + len(part)] = block @ part.T
        yield from scores


def credited(
    found: NDArray[np.int64], scores: NDArray[np.float32], allowed: NDArray[np.bool_], k: int
) -> tuple[int, int]:
    """Count what an approximate search found of the true top k, ties credited.

    A found document counts when its true similarity reaches that of the k-th best, up to 1e-6 relative; each
    document counts once, however often it was returned.

    Args:
        found: row numbers that the engine returned, at most k.
        scores: float32 (n,), the true similarities.
        allowed: bool (n,), the points that pass the filter.
        k: depth.

    Returns:
        (credited, expected): expected is min(k, points that pass); annR@k is their quotient.
    """
    expected = min(k, int(allowed.sum()))
    if expected == 0:
        return 0, 0
    kth = np.partition(scores[allowed], -expected)[-expected]
    unique = np.unique(found[:k])
    reached = allowed[unique] & (scores[unique] >= kth - 1e-6 * abs(kth))
    return int(reached.sum()), expected
