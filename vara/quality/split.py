"""One split of the queries, judged and measured for every system: what figures and tables are read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vara.quality.bootstrap import mean
from vara.quality.formulas import values
from vara.quality.judged import PADDING, Judged
from vara.quality.judging import Qrels, judge
from vara.quality.measures import Measure

Runs = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Query:
    """What an evaluation must know of a query.

    Attributes:
        query_id: as in labels and runs.
        split: `dev`, `test`, …; None belongs to none and is not evaluated.
        groups: field → value, such as `language` → `es`; a field that does not apply is left out.
    """

    query_id: str
    split: str | None
    groups: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to evaluate; all of it is in params.yaml.

    Attributes:
        cutoffs: ranks that measures look at, each ≥ 1 (`evaluate.cutoffs`).
        min_relevance: lowest grade that counts as relevant, ≥ 1 (`evaluate.min_relevance`).
        min_group: groups of fewer evaluated queries show no value, ≥ 1 (`evaluate.min_group`).
        seed: of the bootstrap (`seed`).
        depth: documents that the pool keeps a query (`pool.depth`); longer rankings are cut there.
    """

    cutoffs: Sequence[int]
    min_relevance: int
    min_group: int
    seed: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The queries of one split beside what each system made of them.

    Attributes:
        name: of the split.
        queries: all queries of the split, in the byte order of their ids.
        evaluated: those with a relevant document: row i of every array.
        measures: column j of every matrix of values.
        judged: system → n rows; labels are the same for all.
        values: system → float64 (n, m).
    """

    name: str
    queries: tuple[Query, ...]
    evaluated: tuple[Query, ...]
    measures: tuple[Measure, ...]
    judged: Mapping[str, Judged]
    values: Mapping[str, NDArray[np.float64]]

    @property
    def labels(self) -> Judged:
        """Any system's judgments, to read what is the same in all: labels and counts of labels."""
        return next(iter(self.judged.values()))

    def silent(self, system: str) -> bool:
        """Say whether no evaluated query got a document from the system: a failure, not a score of 0.

        Ranks are filled from the first on, so the first tells; without evaluated queries all are silent.
        """
        return bool((self.judged[system].relevance[:, 0] == PADDING).all())

    def shown(self) -> list[int]:
        """Return the columns to show: condensed measures where systems differ in Judged at their cutoff."""
        answers = [table for system, table in self.values.items() if not self.silent(system)]
        column = {measure: place for place, measure in enumerate(self.measures)}
        shares = {
            measure.cutoff: {f"{mean(table[:, place]):.10g}" for table in answers}
            for measure, place in column.items()
            if measure.family == "Judged"
        }
        return [column[m] for m in self.measures if not m.judged_only or len(shares[m.cutoff]) > 1]


def measure_split(
    name: str,
    queries: Sequence[Query],
    *,
    runs: Runs,
    qrels: Qrels,
    measures: Sequence[Measure],
    settings: Settings,
) -> Split:
    """Judge every system on the queries of one split, and measure it.

    Args:
        name: of the split.
        queries: all of its queries, in the byte order of their ids.
        runs: system → query_id → document ids, best first.
        qrels: query_id → doc_id → grade.
        measures: what to measure.
        settings: depth and min_relevance are read.

    Returns:
        The split; its arrays have a row for each query with a relevant document.

    Raises:
        Problem: see `judging.judge`.
    """
    ids = [query.query_id for query in queries]
    judged = {
        system: judge(run, qrels, ids, depth=settings.depth, min_relevance=settings.min_relevance)
        for system, run in runs.items()
    }
    kept = set(next(iter(judged.values())).query_ids)
    return Split(
        name=name,
        queries=tuple(queries),
        evaluated=tuple(query for query in queries if query.query_id in kept),
        measures=tuple(measures),
        judged=judged,
        values={
            system: np.column_stack([values(rows, measure) for measure in measures])
            for system, rows in judged.items()
        },
    )
