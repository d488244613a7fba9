"""Beyond relevance: how varied and how fresh a result is, and whom a search never shows.

Nothing here knows a label. Rankings are lists of row numbers of documents; what a row has (category, vector,
date) comes in as one array over all documents.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

DECIMALS = 3
"""To so many the mean distance of a split is rounded: processors, which differ by some 3e-8, rarely show in it."""

Rows = NDArray[np.int64]


def distinct(ranking: Rows, categories: Sequence[str | None], cutoff: int) -> int | None:
    """Count the categories among the first `cutoff` documents; None where none of them has one.

    Example:
        >>> distinct(np.array([0, 1, 2]), ["billing", "billing", "login"], 3)
        2
    """
    found = {categories[row] for row in ranking[:cutoff]} - {None}
    return len(found) or None


def intra_list_distance(ranking: Rows, vectors: NDArray[np.float32], cutoff: int) -> float | None:
    """Average 1 − cosine over all pairs of the first `cutoff` documents; None with fewer than two.

    Args:
        ranking: row numbers, best first.
        vectors: float32 (n, dim), unit rows.
        cutoff: ranks looked at.

    Source: C.-N. Ziegler et al., "Improving Recommendation Lists Through Topic Diversification", WWW 2005.

    Example:
        >>> intra_list_distance(np.array([0, 1]), np.float32([[1, 0], [0, 1]]), 2)
        1.0
    """
    top = vectors[ranking[:cutoff]].astype(np.float64)
    if len(top) < 2:
        return None
    upper = np.triu_indices(len(top), k=1)
    return float(np.mean(1 - (top @ top.T)[upper]))


def median_age(ranking: Rows, days: NDArray[np.float64], cutoff: int, *, newest: float) -> float | None:
    """Return the median age of the first `cutoff` documents, in days before the newest document of the corpus.

    No clock is asked: the same corpus has the same ages tomorrow. Documents without a date are left out; None where
    none of them has one.

    Args:
        ranking: row numbers, best first.
        days: float64 (n,), each document's date in days since any day; NaN where it has none.
        cutoff: ranks looked at.
        newest: the largest of the days.

    Example:
        >>> median_age(np.array([0, 1, 2]), np.array([10.0, 4.0, np.nan]), 3, newest=10.0)
        3.0
    """
    dated = days[ranking[:cutoff]]
    ages = newest - dated[~np.isnan(dated)]
    return float(np.median(ages)) if ages.size else None


def exposures(rankings: Sequence[Rows], n_documents: int, cutoff: int) -> NDArray[np.int64]:
    """Count in how many results each document is among the first `cutoff`.

    Returns:
        int64 (n_documents,).
    """
    shown = np.concatenate([np.empty(0, np.int64), *(ranking[:cutoff] for ranking in rankings)])
    return np.bincount(shown, minlength=n_documents)


def never_shown(exposure: NDArray[np.int64]) -> float | None:
    """Return the share of the documents that no result shows; None without documents."""
    return float(np.mean(exposure == 0)) if exposure.size else None


def gini(exposure: NDArray[np.int64]) -> float | None:
    """Return the Gini coefficient of exposure: 0 where all documents are shown alike, near 1 where one is shown always.

    G = Σ (2 i − n − 1) · x_i ÷ (n Σ x_i) over the exposures in ascending order, i from 1. None where nothing is shown.

    Source: C. Gini (1912), in the form of A. Deaton (1997).

    Example:
        >>> gini(np.array([1, 1, 1, 1])), gini(np.array([0, 0, 0, 4]))
        (0.0, 0.75)
    """
    total, n = int(exposure.sum()), exposure.size
    if total == 0:
        return None
    ranks = 2 * np.arange(1, n + 1) - n - 1
    return int((ranks * np.sort(exposure)).sum()) / (n * total)
