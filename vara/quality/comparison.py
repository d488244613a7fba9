"""Two systems on the same queries, measure by measure: differences, intervals, chance, and one word for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vara.errors import Problem, examples
from vara.quality.bootstrap import intervals, mean
from vara.quality.figures import significant
from vara.quality.power import ALPHA, detectable
from vara.quality.significance import Chance, holm, randomisation

Values = Mapping[str, Mapping[str, float | None]]
"""query_id → measure → value; a null is refused where its measure is compared."""

Verdict = Literal["no difference", "higher", "lower", "noise", "undecided"]

FEWEST = 6
"""Queries that must have moved for p to fall below .05: 2 / 2^5 = .0625, 2 / 2^6 = .03125."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """One measure of two systems, A and B, over the queries that both have.

    Attributes:
        measure: its name.
        n: queries.
        a: mean of A.
        b: mean of B.
        difference: mean of B − A; every number here holds 10 significant digits.
        low: lower bound of its 95 % bootstrap interval; None with one query.
        high: upper bound.
        wins: queries on which B has the larger value.
        ties: queries on which both have the same, in 10 digits.
        losses: queries on which A has the larger value.
        p: of the paired randomisation test, two-sided.
        exact: whether p counts all assignments of signs, not a sample.
        p_holm: p after Holm over the measures compared together.
        detectable: the minimum detectable difference at this n (`power.detectable`).
        verdict: see `compare`.
    """

    measure: str
    n: int
    a: float
    b: float
    difference: float
    low: float | None
    high: float | None
    wins: int
    ties: int
    losses: int
    p: float
    exact: bool
    p_holm: float
    detectable: float | None
    verdict: Verdict

    @property
    def moved(self) -> int:
        """Return the number of queries whose value differs."""
        return self.wins + self.losses


def compare(a: Values, b: Values, *, seed: int, measures: Sequence[str] = ()) -> list[Paired]:
    """Compare two systems query by query on the queries that both have.

    The verdict of a measure, by the first that holds:

    * *no difference*: every query has the same value in both;
    * *higher*, *lower* (B than A): p after Holm is below .05;
    * *noise*: the difference is below what this many queries can show (`detectable`);
    * *undecided*: it is not, and p after Holm is .05 or more.

    **Conventions**: queries count in the byte order of their ids, so that neither the order of mappings nor the
    process moves a number; a query that only one side has is left out. Holm goes over the measures of this call.

    Args:
        a: query_id → measure → value; finite.
        b: the other system's.
        seed: of resampling and of the test, ≥ 0.
        measures: which, in this order; left out: those of A's first query.

    Raises:
        Problem: no query or no measure in common, or a query without a finite value for a measure.

    Example:
        >>> a = {f"q{n}": {"RR": 0.5} for n in range(8)}
        >>> b = {f"q{n}": {"RR": 1.0} for n in range(8)}
        >>> [found] = compare(a, b, seed=0)
        >>> found.difference, found.p, found.verdict  # 2 of 2^8 assignments reach .5
        (0.5, 0.0078125, 'higher')
    """
    queries = sorted(a.keys() & b.keys())
    if not queries:
        raise Problem(
            "comparison", "no query that both have", remedy="Compare runs over the same queries and split."
        )
    names = list(measures) or list(a[queries[0]])
    if not names:
        raise Problem("comparison", "no measure", remedy="Give each query at least one value.")
    left, right = (_matrix(side, queries, names) for side in (a, b))
    chances = randomisation(left, right, seed=seed)
    adjusted = holm([chance.p for chance in chances])
    low, high = intervals(right - left, seed)
    bounds = [(None, None)] * len(names) if len(queries) == 1 else list(zip(low, high, strict=True))
    return [
        _paired(name, left[:, i], right[:, i], chances[i], p_holm=adjusted[i], bounds=bounds[i])
        for i, name in enumerate(names)
    ]


def _paired(
    measure: str,
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    chance: Chance,
    *,
    p_holm: float,
    bounds: tuple[float | None, float | None],
) -> Paired:
    differences = b - a
    difference, least = significant(mean(differences)), detectable(differences)
    low, high = (None if bound is None else significant(bound) for bound in bounds)
    return Paired(
        measure=measure,
        n=len(a),
        a=significant(mean(a)),
        b=significant(mean(b)),
        difference=difference,
        low=low,
        high=high,
        wins=chance.wins,
        ties=len(a) - chance.wins - chance.losses,
        losses=chance.losses,
        p=significant(chance.p),
        exact=chance.exact,
        p_holm=significant(p_holm),
        detectable=None if least is None else significant(least),
        verdict=_verdict(chance.wins + chance.losses, difference, p_holm, least),
    )


def _verdict(moved: int, difference: float, p_holm: float, least: float | None) -> Verdict:
    if moved == 0:
        return "no difference"
    if p_holm < ALPHA:
        return "higher" if difference > 0 else "lower"
    return "noise" if least is not None and abs(difference) < least else "undecided"


def _matrix(side: Values, queries: Sequence[str], names: Sequence[str]) -> NDArray[np.float64]:
    """Return float64 (n, m), each value in 10 significant digits, as metric files have it."""
    bare = [query for query in queries if any(side[query].get(name) is None for name in names)]
    table = np.array([[side[query].get(name, np.nan) for name in names] for query in queries], np.float64)
    odd = [query for query, row in zip(queries, table, strict=True) if not np.isfinite(row).all()]
    if odd:
        what = "no value" if bare else "a value that is NaN or infinite"
        raise Problem(
            "comparison",
            f"{what} for {examples(bare or odd)}",
            expected=f"a finite number for each of {examples(list(names))}",
            remedy="Compare the measures that every query has.",
        )
    return np.array([significant(value) for value in table.ravel().tolist()]).reshape(table.shape)
