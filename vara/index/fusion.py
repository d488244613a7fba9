"""Fusion: several scores or ranks of the same documents become one. Inside a frozen pool, and of two retrievers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def fuse(
    dense: NDArray[np.float32], lexical: NDArray[np.float32], weight: float, n_ranked: int | None = None
) -> NDArray[np.float32]:
    """Return weight · minmax(dense) + (1 − weight) · minmax(lexical) of one query's candidates.

    Each score is stretched to 0..1 within the pool, so that a cosine and a BM25 score can be added. A score that is
    the same for all candidates says nothing and becomes 0 for all.

    Args:
        dense: float32 (depth,), cosines.
        lexical: float32 (depth,), BM25 scores.
        weight: share of the dense score, 0..1.
        n_ranked: how many of them, from the front, say what 0 and 1 are; None: all. What stands behind the ranked
            candidates then moves none of their scores.

    Returns:
        float32 (depth,) in the order given, summed in float64 and rounded once.

    Source: E. Fox and J. Shaw, "Combination of Multiple Searches", TREC-2 (1994), CombSUM on min-max scores.

    Example:
        >>> fuse(np.float32([0.9, 0.5, 0.7]), np.float32([0, 8, 4]), 0.6).round(2).tolist()
        [0.6000000238418579, 0.4000000059604645, 0.5]
    """
    return (weight * minmax(dense, n_ranked) + (1 - weight) * minmax(lexical, n_ranked)).astype(np.float32)


def minmax(scores: NDArray[np.float32], n_ranked: int | None = None) -> NDArray[np.float64]:
    """Return (score − least) / (greatest − least), both of the first `n_ranked` scores; 0 where these are equal.

    Args:
        scores: (n,), finite.
        n_ranked: how many, from the front, span the scale; None: all.
    """
    wide = scores.astype(np.float64)
    span = wide[:n_ranked]
    if not span.size or span.max() == span.min():
        return np.zeros_like(wide)
    stretched: NDArray[np.float64] = (wide - span.min()) / (span.max() - span.min())
    return stretched


def reciprocal_ranks(n: int, constant: int) -> NDArray[np.float64]:
    """Return 1 / (constant + rank) of the ranks 1..n: what reciprocal rank fusion adds up.

    Source: G. Cormack, C. Clarke and S. Büttcher, "Reciprocal Rank Fusion", SIGIR 2009; their constant is 60.

    Example:
        >>> reciprocal_ranks(2, 60).tolist() == [1 / 61, 1 / 62]
        True
    """
    weights: NDArray[np.float64] = 1.0 / (constant + np.arange(1, n + 1))
    return weights
