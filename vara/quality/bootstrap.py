"""What stands beside a mean: its interval over other samples of queries, and the queries that fare worst."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
DRAWS_AT_ONCE = 1 << 22  # 32 MiB of int64, and as much of counts


def mean(values: NDArray[np.float64]) -> float:
    """Average n ≥ 1 values; the sum is exact, so neither their order nor the processor matters.

    Example:
        >>> mean(np.array([1.0, 0.2]))
        0.6
    """
    return math.fsum(values.tolist()) / len(values)


def intervals(
    columns: NDArray[np.float64], seed: int, resamples: int = RESAMPLES
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bound the mean of each column by a 95 % percentile bootstrap over its rows.

    A resample draws n rows with replacement; all columns share the draws, so that systems and measures stay
    paired. Of the resamples' means in ascending order the bounds are number ⌈resamples / 40⌉ from below and
    from above (the 250th of 10,000): order statistics, never between two of them.

    **Conventions**: draws come from Generator(PCG64(seed)) and depend on seed and n alone. One row has no
    spread to learn from: the bounds would meet, so it is the caller's part not to show them.

    Args:
        columns: float64 (n, m), n ≥ 1 queries, m things measured on each.
        seed: of the generator, ≥ 0.
        resamples: how many.

    Returns:
        (low, high), each float64 (m,).

    **Source**: B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.

    Example:
        >>> low, high = intervals(np.array([[0.0], [1.0], [1.0], [1.0]]), seed=0)
        >>> low.tolist(), high.tolist()
        ([0.25], [1.0])
    """
    n = len(columns)
    generator = np.random.Generator(np.random.PCG64(seed))
    means = np.empty((resamples, columns.shape[1]))
    step = max(1, DRAWS_AT_ONCE // n)
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        draws = generator.integers(0, n, size=(size, n))
        draws += np.arange(size)[:, None] * n
        counts = np.bincount(draws.ravel(), minlength=size * n).reshape(size, n)
        means[start : start + size] = counts.astype(np.float64) @ columns / n
    means.sort(axis=0)
    edge = -(-resamples // 40)
    return means[edge - 1], means[resamples - edge]


def fifth_percentile(values: NDArray[np.float64]) -> float:
    """Find the value that at least 5 % of the queries do not exceed.

    It is the ⌈5 n / 100⌉-th smallest of n ≥ 1 values: definition 1 of R. Hyndman, Y. Fan, Sample Quantiles in
    Statistical Packages, 1996 (numpy's `inverted_cdf`), always a value that some query has.

    Example:
        >>> fifth_percentile(np.array([0.9, 0.1, 0.5]))
        0.1
    """
    place = -(-5 * len(values) // 100) - 1
    return float(np.partition(values, place)[place])
