"""The flat keys of metrics/evaluate.json: numbers, counts, and reasons where there is none.

**Form**: a value that cannot be had is None, and a neighbouring key that ends in `.reason` says why, for
all that starts like it: `test.group.language=es.reason` speaks of every `test.group.language=es.…`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from vara.quality.bootstrap import fifth_percentile, intervals, mean
from vara.quality.formulas import values
from vara.quality.judged import ceiling
from vara.quality.ranking import tied_share
from vara.quality.split import Settings, Split

Figure = float | int | str | None
Figures = Iterator[tuple[str, Figure]]
RankedScores = Mapping[str, Mapping[str, Sequence[float] | NDArray[np.floating]]]

POOL = "first_stage"  # the system whose ranking is the pool that rerankers reorder
NOTHING_RELEVANT = "no query with a relevant document"
UNANSWERED = "the run answers none of the evaluated queries"
EMPTY = "the run holds no document for any evaluated query"


def figures(split: Split, settings: Settings, scores: RankedScores) -> dict[str, Figure]:
    """Say everything about one split.

    Args:
        split: judged and measured.
        settings: how.
        scores: system → query_id → scores, best first, where a system has them; tells ties at a cut.

    Returns:
        Flat keys that start with the split's name; numbers hold 10 significant digits.
    """
    parts = (
        _counts(split),
        _systems(split, settings),
        _ceiling(split),
        _misses(split, settings),
        _tied_cuts(split, settings, scores),
        _groups(split, settings),
    )
    return {f"{split.name}.{key}": value for part in parts for key, value in part}


def significant(value: float) -> float:
    """Keep 10 significant digits.

    Example:
        >>> significant(2 / 3)
        0.6666666667
    """
    return float(f"{value:.10g}")


def _counts(split: Split) -> Figures:
    """`n_missing` counts queries that at least one system lacks; where systems differ, each has its own."""
    missing = {system: judged.missing for system, judged in split.judged.items()}
    yield "n_queries", len(split.queries)
    yield "n_evaluated", len(split.evaluated)
    yield "n_unanswerable", len(split.queries) - len(split.evaluated)
    yield "n_missing", int(np.any(list(missing.values()), axis=0).sum())
    yield "n_relevant", int(split.labels.n_relevant.sum())
    if len({rows.tobytes() for rows in missing.values()}) > 1:
        yield from ((f"{system}.n_missing", int(rows.sum())) for system, rows in missing.items())


def silence(split: Split, system: str) -> str | None:
    """Say why a system has no numbers; None where it has some, or where the split itself has none."""
    if not split.evaluated or not split.silent(system):
        return None
    return UNANSWERED if split.judged[system].missing.all() else EMPTY


def _systems(split: Split, settings: Settings) -> Figures:
    """Mean, 95 % interval and 5th percentile of every measure."""
    n = len(split.evaluated)
    if n == 0:
        yield "reason", NOTHING_RELEVANT
    elif n == 1:
        yield "interval.reason", "one query has no interval"
    columns = split.shown()
    answering = [system for system in split.values if not split.silent(system)]
    bounds = _bounds([split.values[system][:, columns] for system in answering], settings.seed)
    for system, table in split.values.items():
        answers = system in answering
        if reason := silence(split, system):
            yield f"{system}.reason", reason
        for column in columns:
            key, found = f"{system}.{split.measures[column]}", table[:, column]
            low, high = next(bounds) if answers else (None, None)
            yield key, significant(mean(found)) if answers else None
            yield f"{key}.low", low
            yield f"{key}.high", high
            yield f"{key}.p5", significant(fifth_percentile(found)) if answers else None


def _bounds(tables: Sequence[NDArray[np.float64]], seed: int) -> Iterator[tuple[float | None, float | None]]:
    """Yield the interval of each column of each table, all from the same draws; one row has none."""
    if tables and len(tables[0]) > 1:
        for low, high in zip(*intervals(np.hstack(tables), seed), strict=True):
            yield significant(low), significant(high)
    else:
        yield from repeat((None, None), sum(table.shape[1] for table in tables))


def _ceiling(split: Split) -> Figures:
    """The pool in perfect order: Judged would not change, and the condensed ceiling is the plain one."""
    if POOL not in split.judged:
        return
    perfect = ceiling(split.judged[POOL])
    absent = split.silent(POOL)
    for measure in split.measures:
        if measure.family != "Judged" and not measure.judged_only:
            yield f"ceiling.{measure}", None if absent else significant(mean(values(perfect, measure)))
    if reason := silence(split, POOL):
        yield "ceiling.reason", reason


def _misses(split: Split, settings: Settings) -> Figures:
    """Relevant documents that are not shown: absent from the pool, or in it but below the cutoff.

    A pool is the system's own ranking down to the depth: the same documents for first stage and reranker.
    Where nothing came back nothing can be badly ranked: no credit, but null.
    """
    for system, judged in split.judged.items():
        if reason := silence(split, system):
            yield f"miss.{system}.reason", reason
        hits, absent = judged.hits, split.silent(system)
        in_pool = int(hits.sum())
        yield f"miss.{system}.not_in_pool", None if absent else int(judged.n_relevant.sum()) - in_pool
        for cutoff in settings.cutoffs:
            badly_ranked = in_pool - int(hits[:, :cutoff].sum())
            yield f"miss.{system}.badly_ranked@{cutoff}", None if absent else badly_ranked


def _tied_cuts(split: Split, settings: Settings, scores: RankedScores) -> Figures:
    """Share of queries that ids and not scores cut; at the pool's depth the next score is not known."""
    for system in split.judged:
        if system not in scores:
            continue
        rows = [scores[system][q.query_id] for q in split.queries if q.query_id in scores[system]]
        for cutoff in (k for k in settings.cutoffs if k < settings.depth):
            share = tied_share(rows, cutoff)
            yield f"{system}.tied_cuts@{cutoff}", None if share is None else significant(share)
            if share is None:
                reason = silence(split, system) or f"no ranking goes beyond rank {cutoff}"
                yield f"{system}.tied_cuts@{cutoff}.reason", reason


def _groups(split: Split, settings: Settings) -> Figures:
    """Means over the evaluated queries of each group; too few of them show none."""
    columns = split.shown()
    for group in sorted({item for query in split.queries for item in query.groups.items()}):
        key = f"group.{group[0]}={group[1]}"
        rows = [row for row, query in enumerate(split.evaluated) if group in query.groups.items()]
        few = len(rows) < max(1, settings.min_group)
        yield f"{key}.n", len(rows)
        if few:
            yield f"{key}.reason", f"too few: n={len(rows)}"
        for system, table in split.values.items():
            absent = few or split.silent(system)
            if not few and (reason := silence(split, system)):
                yield f"{key}.{system}.reason", reason
            for column in columns:
                value = None if absent else significant(mean(table[rows, column]))
                yield f"{key}.{system}.{split.measures[column]}", value
