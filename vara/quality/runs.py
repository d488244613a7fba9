"""Labelled quality of runs from anywhere, by the measures that somebody asks for: `vara evaluate`.

What lives here: the table of runs and measures. What does not: what the pipeline states of itself (evaluation.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vara.errors import Problem, examples
from vara.quality.bootstrap import fifth_percentile, intervals, mean
from vara.quality.figures import significant
from vara.quality.judging import Qrels
from vara.quality.measures import Measure
from vara.quality.ranking import Scores, rank_run, tied_share
from vara.quality.split import Query, Settings, Split, measure_split

Values = dict[str, dict[str, float | None]]
"""run → measure → value; None where the run shows no document for any evaluated query."""


@dataclass(frozen=True, slots=True)
class Spread:
    """What stands beside a mean: the bounds of its 95 % interval (None: no interval), and the 5th percentile."""

    low: float | None
    high: float | None
    p5: float | None


@dataclass(frozen=True, slots=True)
class Group:
    """The queries of one language or category.

    Attributes:
        n: evaluated queries.
        values: None where they are too few.
    """

    n: int
    values: Values | None


@dataclass(frozen=True, slots=True)
class RunsEvaluation:
    """What an evaluation of runs found; numbers hold 10 significant digits.

    Attributes:
        values: means over the evaluated queries.
        spreads: run → measure → spread.
        counts: n_queries, n_evaluated, n_unanswerable, n_relevant; n_missing: queries that some run lacks.
        by_run: run → n_missing, and n_ignored: queries of the run without a label.
        groups: "language=es" → group, in the order of the names.
        notices: what a reader should know that is no error.
    """

    values: Values
    spreads: dict[str, dict[str, Spread]]
    counts: dict[str, int]
    by_run: dict[str, dict[str, int]]
    groups: dict[str, Group]
    notices: tuple[str, ...]


def evaluate_runs(
    runs: Mapping[str, Scores],
    qrels: Qrels,
    measures: Sequence[Measure],
    *,
    settings: Settings,
    groups: Mapping[str, Mapping[str, str]],
) -> RunsEvaluation:
    """Measure runs on the queries that have labels.

    **Conventions** Those of `evaluation.evaluate`, but for the depth: nobody says how deep a foreign run was cut,
    so a cutoff that no ranking reaches is measured, with a notice.

    Args:
        runs: run → query_id → doc_id → finite score.
        qrels: query_id → doc_id → relevance.
        measures: what to measure.
        settings: min_relevance, min_group and seed are read; rankings are kept whole.
        groups: query_id → field → value.

    Raises:
        Problem: a run answers none of the labelled queries; or see `judging.judge`.
    """
    ranked = {name: rank_run(scores) for name, scores in runs.items()}
    for name, run in ranked.items():
        if not qrels.keys() & run.keys():
            raise _strangers(name, list(run), list(qrels))
    longest = max((len(docs) for run in ranked.values() for docs in run.values()), default=0)
    settings = replace(settings, depth=max(1, longest))
    queries = [Query(name, "all", groups.get(name, {})) for name in sorted(qrels)]
    split = measure_split("all", queries, runs=ranked, qrels=qrels, measures=measures, settings=settings)
    values, spreads = _figures(split, settings.seed)
    counts, by_run = _counts(split, ranked, qrels)
    groups_found = dict(_groups(split, settings.min_group))
    notices = (*_silences(split), *_notices(runs, ranked, measures))
    return RunsEvaluation(values, spreads, counts, by_run, groups_found, notices)


def _counts(
    split: Split, ranked: Mapping[str, Mapping[str, Sequence[str]]], qrels: Qrels
) -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    missing = {name: judged.missing for name, judged in split.judged.items()}
    counts = {
        "n_queries": len(split.queries),
        "n_evaluated": len(split.evaluated),
        "n_unanswerable": len(split.queries) - len(split.evaluated),
        "n_missing": int(np.any(list(missing.values()), axis=0).sum()),
        "n_relevant": int(split.labels.n_relevant.sum()),
    }
    by_run = {
        name: {"n_missing": int(missing[name].sum()), "n_ignored": len(run.keys() - qrels.keys())}
        for name, run in ranked.items()
    }
    return counts, by_run


def _figures(split: Split, seed: int) -> tuple[Values, dict[str, dict[str, Spread]]]:
    names = [str(measure) for measure in split.measures]
    answering = [run for run in split.values if not split.silent(run)]
    tables = [split.values[run] for run in answering]
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * (len(names) * len(answering))
    if answering and len(split.evaluated) > 1:
        low, high = intervals(np.hstack(tables), seed)
        bounds = [(significant(a), significant(b)) for a, b in zip(low, high, strict=True)]
    values: Values = {run: dict.fromkeys(names) for run in split.values}
    spreads = {run: dict.fromkeys(names, Spread(None, None, None)) for run in split.values}
    for place, run in enumerate(answering):
        for column, name in enumerate(names):
            found = split.values[run][:, column]
            ends = bounds[place * len(names) + column]
            values[run][name] = significant(mean(found))
            spreads[run][name] = Spread(*ends, significant(fifth_percentile(found)))
    return values, spreads


def _groups(split: Split, min_group: int) -> list[tuple[str, Group]]:
    found = []
    for field, value in sorted({item for query in split.queries for item in query.groups.items()}):
        rows = [row for row, query in enumerate(split.evaluated) if query.groups.get(field) == value]
        means = {run: _means(split, run, table[rows]) for run, table in split.values.items()}
        found.append((f"{field}={value}", Group(len(rows), means if len(rows) >= min_group else None)))
    return found


def _means(split: Split, run: str, table: NDArray[np.float64]) -> dict[str, float | None]:
    absent = split.silent(run) or not len(table)
    return {
        str(measure): None if absent else significant(mean(table[:, column]))
        for column, measure in enumerate(split.measures)
    }


def _silences(split: Split) -> list[str]:
    if not split.evaluated:
        return ["no query has a relevant document: there is nothing to measure"]
    return [
        f"run {run}: it holds no document for any evaluated query"
        for run in split.values
        if split.silent(run)
    ]


def _notices(
    runs: Mapping[str, Scores], ranked: Mapping[str, Mapping[str, Sequence[str]]], measures: Sequence[Measure]
) -> list[str]:
    """Say which cutoffs no ranking reaches, and how many cuts go through a tie."""
    found = []
    cutoffs = sorted({measure.cutoff for measure in measures if measure.cutoff is not None})
    for name, run in ranked.items():
        longest = max(map(len, run.values()), default=0)
        beyond = [str(measure) for measure in measures if (measure.cutoff or 0) > longest]
        if beyond:
            found.append(
                f"run {name}: no ranking is longer than {longest}, so that {', '.join(beyond)} may be another number "
                "than that of a deeper run"
            )
        rows = [[runs[name][query][doc] for doc in docs] for query, docs in run.items()]
        shares = {cutoff: tied_share(rows, cutoff) for cutoff in cutoffs}
        tied = [f"{share:.1%} of the cuts at {cutoff}" for cutoff, share in shares.items() if share]
        if tied:
            found.append(f"run {name}: {', '.join(tied)} go through a tie, where ids decide")
    return found


def _strangers(name: str, asked: Sequence[str], labelled: Sequence[str]) -> Problem:
    return Problem(
        f"run {name}",
        f"none of its {len(asked)} queries has a label ({examples(asked)})",
        expected=f"some of the {len(labelled)} labelled ones ({examples(labelled)})",
        remedy="Compare how both files write ids (padding, prefix, case), or the files themselves.",
    )
