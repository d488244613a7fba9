"""From clicks to grades: clicks over expected clicks, so that a high rank alone earns nothing.

**Definition** The position-based model says P(click) = P(examined | rank) × P(attractive | query, document). A rank
expects c(rank) = clicks at this rank ÷ impressions at this rank, over the whole log; a pair's ratio is

    clicks of the pair ÷ Σ over its impressions of c(rank)

which is 1 for a document that is clicked as often as whatever stood at its ranks. Where examination is known (from
an experiment that swapped ranks), c(rank) is in proportion to it instead, with the log's number of clicks as its sum.

**Limits** Estimated from the log, c mixes examination with the ranking's own quality: good documents stand high, so
high ranks expect too much, and a ranking that was right is marked down. Documents that were never shown have no
clicks and no grade. Clicks tell what looks good in a result list, not what answered.

**Source**: V. Zhang and R. Jones, "Comparing Click Logs and Editorial Labels for Training Query Rewriting" (2007), for
clicks over expected clicks; T. Joachims, A. Swaminathan and T. Schnabel, "Unbiased Learning-to-Rank with Biased
Feedback" (2017), for the position-based model and for examination from experiments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from vara.errors import Problem, examples
from vara.judgments.events import Impression
from vara.judgments.merging import Pair

FEWEST_EXPECTED = 1.0
"""Clicks that a pair's ranks must expect before their absence says anything."""

Position = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Clicked:
    """What a log says of one pair.

    Attributes:
        pair: query_id and doc_id.
        n: impressions.
        clicks: impressions that were clicked.
        expected: clicks that its ranks expect.
    """

    pair: Pair
    n: int
    clicks: int
    expected: float

    def grade(self, thresholds: Sequence[float], fewest: int) -> int | None:
        """Return how many thresholds the ratio reaches; None where too little was seen.

        Args:
            thresholds: ratios, ascending; the first begins grade 1.
            fewest: impressions that a label needs.

        Example:
            >>> Clicked(("q", "d"), n=20, clicks=6, expected=4.0).grade([1.0, 2.0], 10)  # 6/4 = 1.5
            1
        """
        if self.n < fewest or self.expected < FEWEST_EXPECTED:
            return None
        return sum(self.clicks >= limit * self.expected for limit in thresholds)


def click_rates(impressions: Sequence[Impression]) -> dict[Position, float]:
    """Return c(rank) of each position, estimated from the log."""
    shown = Counter(one.position for one in impressions)
    clicks = Counter(one.position for one in impressions if one.clicked)
    return {position: clicks[position] / n for position, n in shown.items()}


def scaled(examination: Mapping[int, float], impressions: Sequence[Impression]) -> dict[Position, float]:
    """Return c(rank) in proportion to a known examination: with it the log's impressions expect the log's clicks.

    Args:
        examination: rank, as the log counts it → share of users who look there, above 0.
        impressions: of the log.

    Raises:
        Problem: a rank of the log is not in it.
    """
    positions = sorted({one.position for one in impressions})
    unknown = [str(rank) for _, rank in positions if rank not in examination]
    if unknown:
        found = f"no examination of rank {examples(unknown)}"
        raise Problem("examination", found, remedy="Name every rank of the log.")
    seen = fsum(examination[one.position[1]] for one in impressions)
    factor = sum(one.clicked for one in impressions) / seen
    return {position: factor * examination[position[1]] for position in positions}


def clicked(impressions: Sequence[tuple[Pair, Impression]], rates: Mapping[Position, float]) -> list[Clicked]:
    """Return what the log says of each pair, in byte order.

    Args:
        impressions: with the pair of the dataset that each is about.
        rates: c(rank).
    """
    positions: dict[Pair, Counter[Position]] = {}
    clicks: Counter[Pair] = Counter()
    for pair, one in impressions:
        positions.setdefault(pair, Counter())[one.position] += 1
        clicks[pair] += one.clicked
    return [
        Clicked(
            pair, at.total(), clicks[pair], fsum(n * rates[position] for position, n in sorted(at.items()))
        )
        for pair, at in sorted(positions.items())
    ]
