"""The threshold of "no answer": below it a search says that it found nothing. Chosen on one split, reported on another.

A query's *signal* is one number that means the same for every query (a cosine, a logit, a margin of one of them). Its
first document is *shown* when the signal is ≥ the threshold: that is the one rule. A shown document that is not
relevant is a wrong answer shown; a relevant one that is held back is a right answer lost.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

DECIMALS = 4
"""Signals and thresholds are rounded to so many before they are compared, so that no processor decides."""


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """What is known of n queries of one split.

    Attributes:
        values: float64 (n,), rounded to `DECIMALS`; -inf where a query got no document at all.
        right: bool (n,), the first document is relevant.
        answerable: bool (n,), the query has a relevant document.
    """

    values: NDArray[np.float64]
    right: NDArray[np.bool_]
    answerable: NDArray[np.bool_]

    def of(self, rows: NDArray[np.bool_]) -> Signals:
        """Return those of some queries."""
        return Signals(self.values[rows], self.right[rows], self.answerable[rows])


@dataclass(frozen=True, slots=True)
class Point:
    """What a threshold does to n queries, in counts.

    Attributes:
        threshold: shown is what has at least this signal.
        n: queries.
        shown: queries whose first document is shown.
        right_shown: of these, those whose first document is relevant.
        right_lost: queries whose relevant first document is held back.
        unanswerable: queries without a relevant document.
        unanswerable_shown: of these, those that show something all the same.
    """

    threshold: float
    n: int
    shown: int
    right_shown: int
    right_lost: int
    unanswerable: int
    unanswerable_shown: int

    @property
    def wrong_shown(self) -> int:
        """Return how many queries show a document that is not relevant."""
        return self.shown - self.right_shown

    @property
    def coverage(self) -> float | None:
        """Return the share of queries that show something; None without queries."""
        return self.shown / self.n if self.n else None

    @property
    def precision(self) -> float | None:
        """Return the share of the shown documents that are relevant; None where nothing is shown."""
        return self.right_shown / self.shown if self.shown else None


def rounded(values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return signals as they are compared and written."""
    wide: NDArray[np.float64] = values.astype(np.float64)
    return wide.round(DECIMALS)


def point(signals: Signals, threshold: float) -> Point:
    """Return what a threshold does to these queries.

    Example:
        >>> two = Signals(np.array([0.8, 0.4]), np.array([True, False]), np.array([True, False]))
        >>> point(two, 0.5).coverage, point(two, 0.5).precision, point(two, 0.4).wrong_shown
        (0.5, 1.0, 1)
    """
    shown = signals.values >= threshold
    return Point(
        threshold,
        n=shown.size,
        shown=int(shown.sum()),
        right_shown=int((shown & signals.right).sum()),
        right_lost=int((~shown & signals.right).sum()),
        unanswerable=int((~signals.answerable).sum()),
        unanswerable_shown=int((shown & ~signals.answerable).sum()),
    )


def curve(signals: Signals) -> Iterator[Point]:
    """Yield what each threshold does that makes a difference, from the lowest (all shown) upwards."""
    for threshold in np.unique(signals.values[np.isfinite(signals.values)]).tolist():
        yield point(signals, threshold)


def at_precision(signals: Signals, precision: float) -> Point | None:
    """Choose the threshold of the largest coverage whose precision is at least as asked for; None where none is.

    Of equal coverage there is only one threshold, since only signals that occur are tried.
    """
    good = [one for one in curve(signals) if one.precision is not None and one.precision >= precision]
    return max(good, key=lambda one: one.shown, default=None)


def at_cost(signals: Signals, ratio: float) -> Point | None:
    """Choose the threshold of the least cost: `ratio` for a wrong answer shown, 1 for a right answer lost.

    Of equal costs the lower threshold, which shows more. None where showing nothing at all costs less than every
    threshold, or no query has a signal.
    """

    def cost(one: Point) -> float:
        return ratio * one.wrong_shown + one.right_lost

    best = min(curve(signals), key=lambda one: (cost(one), one.threshold), default=None)
    return best if best is not None and cost(best) <= int(signals.right.sum()) else None


def auroc(values: NDArray[np.float64], positive: NDArray[np.bool_]) -> float | None:
    """Return the probability that a positive has the higher value than a negative, ties counting half.

    Returns:
        None where there are not both.

    Source: J. Hanley and B. McNeil (1982): the area under the ROC curve is the Mann–Whitney statistic.

    Example:
        >>> auroc(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]))
        0.875
    """
    above, below = values[positive], np.sort(values[~positive])
    if not above.size or not below.size:
        return None
    less = np.searchsorted(below, above, side="left").sum()
    ties = np.searchsorted(below, above, side="right").sum() - less
    return float((less + ties / 2) / (above.size * below.size))


def share_interval(count: int, n: int) -> tuple[float, float] | None:
    """Return the 95 % interval of a share, count of n; None where n is 0.

    It is never narrower than what n can tell: 0 of 4 says no more than that the share is below a half.

    Source: E. Wilson (1927), score interval.

    Example:
        >>> [round(bound, 3) for bound in share_interval(0, 4)]
        [0.0, 0.49]
    """
    if n == 0:
        return None
    z = NormalDist().inv_cdf(0.975)
    share, spread = count / n, z * z / n
    centre = (share + spread / 2) / (1 + spread)
    half = math.sqrt(share * (1 - share) * spread + spread * spread / 4) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)
