"""Fusion inside a frozen pool: two scores of the same candidates become one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def fuse(dense: NDArray[np.float32], lexical: NDArray[np.float32], weight: float) -> NDArray[np.float32]:
    """Return weight · minmax(dense) + (1 − weight) · minmax(lexical) of one query's candidates.

    Each score is stretched to 0..1 within the pool, so that a cosine and a BM25 score can be added. A score that is
    the same for all candidates says nothing and becomes 0 for all.

    Args:
        dense: float32 (depth,), cosines.
        lexical: float32 (depth,), BM25 scores.
        weight: share of the dense score, 0..1.

    Returns:
        float32 (depth,) in the order given, summed in float64 and rounded once.

    Source: E. Fox and J. Shaw, "Combination of Multiple Searches", TREC-2 (1994), CombSUM on min-max scores.

    Example:
        >>> fuse(np.float32([0.9, 0.5, 0.7]), np.float32([0, 8, 4]), 0.6).round(2).tolist()
        [0.6000000238418579, 0.4000000059604645, 0.5]
    """
    return (weight * _minmax(dense) + (1 - weight) * _minmax(lexical)).astype(np.float32)


def _minmax(scores: NDArray[np.float32]) -> NDArray[np.float64]:
    wide = scores.astype(np.float64)
    if not wide.size or wide.max() == wide.min():
        return np.zeros_like(wide)
    stretched: NDArray[np.float64] = (wide - wide.min()) / (wide.max() - wide.min())
    return stretched
