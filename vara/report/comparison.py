"""Two arms compared: everything that a reader is told, as values. How it looks: comparison_text, comparison_json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from vara.datasets.differences import Difference
from vara.errors import Problem, examples
from vara.quality.comparison import Paired
from vara.quality.predictions import Outcome
from vara.report.arm import Arm, Row
from vara.report.beyond import Beyond, beyond
from vara.report.cost import Costs, costs
from vara.report.differing import Setting, incomparable, tuned, warnings
from vara.report.families import Families, families
from vara.report.groups import Group, groups
from vara.report.movers import Mover, movers
from vara.report.table import splits

Verdict = Literal[
    "improvement", "regression", "no difference", "noise", "undecided", "not comparable", "not measured"
]


@dataclass(frozen=True, slots=True)
class Foretold:
    """A prediction in words, what became of it, and the number that decided."""

    prediction: str
    outcome: Outcome
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What was found; A is the arm that is there, B the one that might replace it.

    Attributes:
        incomparable: why no verdict is given; empty where one is.
        warnings: what differs besides.
        n: queries in common.
        only: ids of the queries that one side alone has, by side.
        data: what differs between the datasets; None where nobody looked.
        predictions: None where there were none.
        written: what is known of when the predictions were written.
        tested: settings whose test values this store computed on B's labels; None where another split is compared.
    """

    a: Arm
    b: Arm
    split: str
    system: str
    incomparable: Sequence[str]
    warnings: Sequence[str]
    n: int
    only: Mapping[str, Sequence[str]]
    families: Families
    movers: Sequence[Mover]
    groups: Sequence[Group]
    costs: Costs
    beyond: Beyond
    tuned: Sequence[Setting]
    data: Sequence[Difference] | None = None
    predictions: Sequence[Foretold] | None = None
    written: str = ""
    tested: int | None = None

    @property
    def measured(self) -> tuple[Paired, ...]:
        """Return every measure that was compared."""
        return (*self.families.headline, *self.families.others, *self.families.condensed)

    @property
    def deciding(self) -> Paired | None:
        """Return the primary measure; None where an arm has no value of it."""
        found = (one for one in self.families.headline if one.measure == self.families.primary)
        return next(found, None)

    @property
    def verdict(self) -> Verdict:
        """Return the primary measure's verdict, where both arms mean the same by it."""
        if self.incomparable:
            return "not comparable"
        if self.deciding is None:
            return "not measured"
        found = self.deciding.verdict
        if found == "higher":
            return "improvement"
        return "regression" if found == "lower" else found


def compared(a: Arm, b: Arm, *, split: str | None, system: str) -> Comparison:
    """Compare one system of two arms on one split.

    Args:
        a: the arm that is there.
        b: the arm that might replace it; its seed is used.
        split: None means test, or the first that both have where there is no test.
        system: first_stage, reranked or bm25.

    Raises:
        Problem: no such split or system in an arm, or no query in common.
    """
    split = _split(a, b, split)
    left, right = _rows(a, split, system), _rows(b, split, system)
    shared = sorted(left.keys() & right.keys())
    if not shared:
        found = (
            f"no query of {split} in both: A has {examples(sorted(left))}; B has {examples(sorted(right))}"
        )
        raise Problem("comparison", found, remedy="Compare runs over the same queries.")
    both = [{query: rows[query] for query in shared} for rows in (left, right)]
    found_in = families(both[0], both[1], seed=_seed(b))
    primary = found_in.primary
    return Comparison(
        a=a,
        b=b,
        split=split,
        system=system,
        incomparable=incomparable(a, b),
        warnings=warnings(a, b),
        n=len(shared),
        only={"A": sorted(left.keys() - right.keys()), "B": sorted(right.keys() - left.keys())},
        families=found_in,
        movers=[] if primary in found_in.unmeasured else movers(both[0], both[1], primary),
        groups=groups(a, b, split=split, system=system, measure=primary),
        costs=costs(a, b),
        beyond=beyond(a, b, split=split, system=system),
        tuned=tuned(a, b),
    )


def _split(a: Arm, b: Arm, asked: str | None) -> str:
    known = [splits(arm.metrics) for arm in (a, b)]
    shared = [name for name in known[0] if name in known[1]]
    if asked is None and shared:
        return shared[0]
    if asked is None or asked not in shared:
        found = f"no split {asked} in both arms" if asked else "no split in both arms"
        sides = f"A has {examples(known[0]) or 'none'}; B has {examples(known[1]) or 'none'}"
        raise Problem("comparison", f"{found}: {sides}", remedy="Name one that both have.")
    return asked


def _rows(arm: Arm, split: str, system: str) -> dict[str, Row]:
    rows = arm.rows(split, system)
    if not rows:
        remedy = (
            "Name a system of the table: first_stage, reranked or bm25; or a split with relevant documents."
        )
        raise Problem("comparison", f"no row of {system} on {split}", where=arm.place, remedy=remedy)
    return rows


def _seed(arm: Arm) -> int:
    seed = arm.params.get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise Problem(
            "params.yaml", f"seed {seed!r}", expected="an integer ≥ 0", where=arm.place, remedy="Set it."
        )
    return seed
