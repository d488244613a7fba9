"""Durations in numbers: percentiles by nearest rank, means, and what a row of them says. Nothing is rounded."""

from __future__ import annotations

import math
from collections.abc import Sequence

PERCENTILES = (50, 95, 99)

RULE = "nearest rank: the smallest duration that at least this share of all durations does not exceed"


def percentile(durations: Sequence[float], percent: float) -> float:
    """Return the percentile by nearest rank: the ⌈percent / 100 · n⌉-th smallest duration.

    **Conventions**: always one of the durations, never one between two. p99 of fewer than 100 is the longest.

    Args:
        durations: at least one, in any order.
        percent: above 0, at most 100.

    Raises:
        ValueError: no duration, or a percentage out of range.

    Example:
        >>> percentile([40.0, 10.0, 30.0, 20.0], 50), percentile([40.0, 10.0, 30.0, 20.0], 95)
        (20.0, 40.0)
    """
    if not durations or not 0 < percent <= 100:
        raise ValueError(f"percentile {percent} of {len(durations)} durations")
    # The product first: 7 / 100 · 100 is more than 7.
    return sorted(durations)[math.ceil(percent * len(durations) / 100) - 1]


def spread(durations_ms: Sequence[float]) -> dict[str, float]:
    """Return {figure: ms} of one stage: mean_ms, p50_ms, p95_ms, p99_ms, min_ms, max_ms.

    Args:
        durations_ms: at least one.

    Raises:
        ValueError: no duration.
    """
    tails = {f"p{percent}_ms": percentile(durations_ms, percent) for percent in PERCENTILES}
    mean = math.fsum(durations_ms) / len(durations_ms)
    return {"mean_ms": mean, **tails, "min_ms": min(durations_ms), "max_ms": max(durations_ms)}
