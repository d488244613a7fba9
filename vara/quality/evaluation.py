"""Labelled quality of one or more systems: the one function that the evaluate step and notebooks call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vara.errors import Problem, examples
from vara.quality.figures import POOL, Figure, RankedScores, figures, significant
from vara.quality.judging import Qrels
from vara.quality.measures import standard
from vara.quality.sources import by_source
from vara.quality.split import Query, Runs, Settings, Split, measure_split

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What an evaluation found.

    Attributes:
        metrics: the flat keys of metrics/evaluate.json; strict JSON, 10 significant digits.
        per_query: a row for each split, evaluated query and system: plots/per_query.csv.
        notices: what a reader should know that is no error.
    """

    metrics: dict[str, Figure]
    per_query: pl.DataFrame
    notices: tuple[str, ...]


def evaluate(
    runs: Runs,
    queries: Sequence[Query],
    qrels: Qrels,
    *,
    settings: Settings,
    scores: RankedScores | None = None,
    sources: Mapping[str, Qrels] | None = None,
) -> Evaluation:
    """Measure every system on every split.

    **Conventions**: those of `formulas`. A query with relevant documents that a run lacks counts 0
    (`n_missing`); a query without relevant documents is counted and left out (`n_unanswerable`); a query of
    a run that belongs to no split is ignored with a notice; a cutoff beyond the depth is left out with a
    notice. A system without a document for any evaluated query of a split has nulls and a reason there, and
    nulls in the table; where others have documents an empty list counts 0. The condensed nDCG is shown at a
    cutoff where Judged differs between systems. Neither the order of queries nor that of labels matters.

    Args:
        runs: system → query_id → document ids, best first; the ceiling is that of `first_stage`, the pool.
        queries: all queries, each once.
        qrels: query_id → doc_id → grade, an integer ≥ 0; whether the ids exist was checked before.
        settings: cutoffs, depth, levels, seed.
        scores: system → query_id → scores, best first; tells how many cuts go through a tie.
        sources: source → its share of `qrels`; counted, and measured apart where a split has several.

    Returns:
        Metrics, the table of queries, notices.

    Raises:
        Problem: no system, no query with a split, a query that stands twice; or see `judging.judge`.
    """
    splits = _by_split(queries)
    if not runs or not splits:
        found = "no query that belongs to a split" if runs else "no system"
        raise Problem(
            "evaluation", f"found {found}", expected="at least one", remedy="There is nothing to measure."
        )
    cutoffs = sorted({cutoff for cutoff in settings.cutoffs if cutoff <= settings.depth})
    settings, asked = replace(settings, cutoffs=cutoffs), settings.cutoffs
    measures = standard(cutoffs)
    measured = [
        measure_split(name, members, runs=runs, qrels=qrels, measures=measures, settings=settings)
        for name, members in splits.items()
    ]
    metrics: dict[str, Figure] = {}
    for split in measured:
        metrics |= figures(split, settings, scores or {})
        apart = by_source(split, sources or {}, runs=runs, settings=settings)
        metrics |= {f"{split.name}.{key}": value for key, value in apart}
    notices = _notices(runs, queries, asked, settings.depth)
    return Evaluation(metrics, _table(measured), notices)


def _by_split(queries: Sequence[Query]) -> dict[str, list[Query]]:
    """Put each query in its split, splits and queries in the byte order of their names."""
    ordered = sorted(queries, key=lambda query: query.query_id)
    twice = [one.query_id for one, other in pairwise(ordered) if one.query_id == other.query_id]
    if twice:
        raise Problem(
            "queries",
            f"found {examples(twice)} twice",
            expected="each query once",
            remedy="Drop the repeats.",
        )
    names = sorted({query.split for query in ordered if query.split is not None})
    return {name: [query for query in ordered if query.split == name] for name in names}


def _notices(runs: Runs, queries: Sequence[Query], cutoffs: Sequence[int], depth: int) -> tuple[str, ...]:
    beyond = [
        f"cutoff {cutoff} is left out: the pool keeps {depth} documents a query, and a measure at {cutoff} "
        "would be another number under the same name"
        for cutoff in cutoffs
        if cutoff > depth
    ]
    known = {query.query_id for query in queries if query.split is not None}
    homeless = len(queries) - len(known)
    apart = [f"queries that belong to no split are not evaluated: {homeless}"] if homeless else []
    foreign = {system: sorted(run.keys() - known) for system, run in runs.items()}
    ignored = [
        f"{system}: queries of the run that belong to no split are ignored: {len(ids)} ({examples(ids)})"
        for system, ids in foreign.items()
        if ids
    ]
    unpooled = [] if POOL in runs else [f"no ceiling: none of the systems is called {POOL}"]
    return (*beyond, *apart, *ignored, *unpooled)


def _table(splits: Sequence[Split]) -> pl.DataFrame:
    """Lay out a row per (split, query, system), in this order.

    The rank is null where nothing relevant came back, and a measure where the system is silent in the split.
    """
    import polars as pl

    frames = []
    for split in splits:
        systems, n = list(split.judged), len(split.evaluated)
        hits = [judged.hits for judged in split.judged.values()]
        first = [np.where(found.any(axis=1), found.argmax(axis=1) + 1, 0) for found in hits]
        columns: dict[str, Sequence[str] | NDArray[np.generic]] = {
            "split": [split.name] * (n * len(systems)),
            "query_id": [query.query_id for query in split.evaluated for _ in systems],
            "system": systems * n,
            "n_relevant": np.repeat(split.labels.n_relevant, len(systems)),
            "n_relevant_in_pool": _interleaved([found.sum(axis=1) for found in hits]),
            "first_relevant_rank": _interleaved(first),
        }
        for place, measure in enumerate(split.measures):
            shown = [
                np.full(n, np.nan) if split.silent(system) else table[:, place]
                for system, table in split.values.items()
            ]
            columns[str(measure)] = _rounded(_interleaved(shown))
        text = dict.fromkeys(["split", "query_id", "system"], pl.String)
        frames.append(pl.DataFrame(columns, schema_overrides=text))
    rank = pl.col("first_relevant_rank")
    return pl.concat(frames).with_columns(
        pl.when(rank > 0).then(rank).alias("first_relevant_rank"), pl.col(pl.Float64).fill_nan(None)
    )


def _interleaved(columns: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
    return np.stack(columns, axis=1).ravel()


def _rounded(column: NDArray[np.generic]) -> NDArray[np.float64]:
    different, where = np.unique(column, return_inverse=True)
    return np.array([significant(value) for value in different.tolist()], np.float64)[where]
