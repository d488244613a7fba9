"""How far annotators agree: every two of them, on the pairs that both judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from vara.judgments.merging import Pair
from vara.judgments.sheets import Row
from vara.quality.agreement import kappa, quadratic


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two annotators.

    Attributes:
        one: a name; the two are in byte order.
        other: a name.
        n: pairs that both judged, ≥ 1.
        same: share of equal grades.
        kappa: Cohen's, of the grades; None where chance alone leaves nothing to disagree about.
        quadratic: the same, a disagreement counted by the square of its distance.
    """

    one: str
    other: str
    n: int
    same: float
    kappa: float | None
    quadratic: float | None


def agreements(rows: Iterable[Row]) -> list[Agreement]:
    """Return the agreement of every two annotators who judged a pair in common.

    Args:
        rows: judged, one a pair and annotator; of more the first counts.

    Example:
        >>> said = {"ana": (1, 1, 0, 0), "ben": (1, 0, 0, 0)}
        >>> rows = [
        ...     Row(query_id="q", doc_id=str(n), relevance=grade, annotator=name)
        ...     for name, grades in said.items()
        ...     for n, grade in enumerate(grades)
        ... ]
        >>> [found] = agreements(rows)
        >>> found.n, found.same, found.kappa
        (4, 0.75, 0.5)
    """
    said: dict[str, dict[Pair, int]] = {}
    for row in rows:
        if row.relevance is not None:
            said.setdefault(row.annotator, {}).setdefault(row.pair, row.relevance)
    found = (_agreement(one, other, said) for one, other in combinations(sorted(said), 2))
    return [one for one in found if one is not None]


def _agreement(one: str, other: str, said: dict[str, dict[Pair, int]]) -> Agreement | None:
    both = sorted(said[one].keys() & said[other].keys())
    if not both:
        return None
    a, b = ([said[name][pair] for pair in both] for name in (one, other))
    same = sum(x == y for x, y in zip(a, b, strict=True)) / len(both)
    return Agreement(one, other, len(both), same, kappa(a, b), kappa(a, b, quadratic))
