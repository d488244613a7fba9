"""Agreement of two judges on the same pairs, beyond what chance alone would give."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Weight = Callable[[NDArray[np.int64], NDArray[np.int64]], ArrayLike]


def nominal(a: NDArray[np.int64], b: NDArray[np.int64]) -> ArrayLike:
    """Count every disagreement the same."""
    return np.not_equal(a, b)


def quadratic(a: NDArray[np.int64], b: NDArray[np.int64]) -> ArrayLike:
    """Count a disagreement by the square of its distance: 3 against 0 is nine times 1 against 0."""
    squares: NDArray[np.int64] = np.square(a - b)
    return squares


def kappa(first: Sequence[int], second: Sequence[int], weight: Weight = nominal) -> float | None:
    """Return Cohen's kappa: 1 − observed / expected weighted disagreement.

    **Conventions**: 1 is full agreement, 0 what two judges with these habits would reach by chance; None where
    chance alone leaves nothing to disagree about (both judges gave one and the same grade throughout).

    Args:
        first: grades of one judge, integers ≥ 0.
        second: grades of the other on the same pairs, in the same order.
        weight: how much a disagreement counts.

    Raises:
        ValueError: the judges graded different numbers of pairs, or none.

    Source: J. Cohen, "A coefficient of agreement for nominal scales" (1960) and "Weighted kappa" (1968); agrees
    with sklearn.metrics.cohen_kappa_score.

    Example:
        >>> kappa([1, 1, 0, 0], [1, 0, 0, 0])  # observed 1/4, expected 1/2
        0.5
    """
    if len(first) != len(second) or not first:
        raise ValueError(
            f"found {len(first)} and {len(second)} grades, expected the same number, at least one"
        )
    grades = int(max(*first, *second)) + 1
    table = np.zeros((grades, grades))
    np.add.at(table, (np.asarray(first), np.asarray(second)), 1)
    cost = np.fromfunction(lambda a, b: np.asarray(weight(a, b), dtype=float), table.shape, dtype=np.int64)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    if not (cost * expected).sum():
        return None
    return float(1 - (cost * table).sum() / (cost * expected).sum())
