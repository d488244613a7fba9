"""Which measures of two tables of queries are compared, and in what company: Holm is over a family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vara.quality.bootstrap import mean
from vara.quality.comparison import Paired, compare
from vara.quality.figures import significant
from vara.quality.measures import Measure, parse
from vara.report.arm import Row

PREFERRED = 10

Rows = Mapping[str, Row]


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of the top k that is judged (`Judged@k`), in both arms."""

    measure: str
    a: float
    b: float


@dataclass(frozen=True, slots=True)
class Families:
    """Every measure of two tables, each where it belongs.

    Attributes:
        primary: the measure that decides: nDCG@10, or nDCG at the middle cutoff, or RR where there is no cutoff.
        headline: the measures of the result table, the primary among them; Holm is over them.
        others: all other measures; Holm is over them.
        condensed: nDCG over judged documents alone, at cutoffs where coverage differs; Holm is over them.
        coverage: how much is known at each cutoff, which is not how good it is.
        unmeasured: what one arm has no value of, or no column for.
    """

    primary: str
    headline: Sequence[Paired]
    others: Sequence[Paired]
    condensed: Sequence[Paired]
    coverage: Sequence[Coverage]
    unmeasured: Sequence[str]


def families(a: Rows, b: Rows, *, seed: int) -> Families:
    """Compare every measure that both tables have, in three families.

    The primary is chosen among the columns that both have, measured or not: no other measure takes its place.

    Args:
        a: query_id → row of A.
        b: of B, the same queries.
        seed: of resampling and of the test.
    """
    left, right = (next(iter(rows.values())).values for rows in (a, b))
    shared = {name: parse(name) for name in left if name in right}
    silent = [name for name in shared if any(row.values[name] is None for row in (*a.values(), *b.values()))]
    primary, table = _headline(shared)
    kept = {name: measure for name, measure in shared.items() if name not in silent}
    coverage = [_coverage(name, a, b) for name in kept if kept[name].family == "Judged"]
    differing = {kept[one.measure].cutoff for one in coverage if one.a != one.b}
    condensed = [name for name, measure in kept.items() if measure.judged_only]
    shown = [name for name in condensed if kept[name].cutoff in differing]
    headline = [name for name in table if name in kept]
    others = [
        name for name in kept if name not in (*headline, *condensed, *(one.measure for one in coverage))
    ]
    values = [{query: row.values for query, row in rows.items()} for rows in (a, b)]
    parts = [
        compare(values[0], values[1], seed=seed, measures=names) if names else []
        for names in (headline, others, shown)
    ]
    alone = [name for name in (*left, *right) if name not in shared]
    return Families(primary, parts[0], parts[1], parts[2], coverage, [*silent, *alone])


def _headline(measures: Mapping[str, Measure]) -> tuple[str, list[str]]:
    """Return the primary measure, and with it those of the result table for whatever cutoffs there are."""
    cutoffs = sorted({one.cutoff for one in measures.values() if one.cutoff is not None})
    if not cutoffs:
        return "RR", ["RR"]
    primary = f"nDCG@{PREFERRED if PREFERRED in cutoffs else cutoffs[len(cutoffs) // 2]}"
    names = [f"RR@{cutoffs[0]}", f"R@{cutoffs[0]}", primary, f"R@{cutoffs[-1]}"]
    return primary, list(dict.fromkeys(names))


def _coverage(name: str, a: Rows, b: Rows) -> Coverage:
    means = [
        significant(mean(np.array([row.values[name] for row in rows.values()], np.float64)))
        for rows in (a, b)
    ]
    return Coverage(name, *means)
