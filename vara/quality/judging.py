"""Join what a system returned with the labels, by id. It happens here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vara.errors import Problem, examples
from vara.quality.judged import BLOCK_CELLS, PADDING, UNJUDGED, Judged
from vara.quality.ranking import Scores, score_blocks

Qrels = Mapping[str, Mapping[str, int]]


def judge(
    run: Mapping[str, Sequence[str]],
    qrels: Qrels,
    query_ids: Iterable[str] | None = None,
    *,
    depth: int | None = None,
    min_relevance: int = 1,
) -> Judged:
    """Put the labels beside a ranked run.

    **Conventions**: a query without relevant documents gets no row; a query that the run lacks is `missing`;
    queries of the run that are not asked for are ignored. A negative grade (TREC) means unjudged.

    Args:
        run: query_id → document ids, best first.
        qrels: query_id → doc_id → grade, an integer.
        query_ids: the queries that count, each once; None takes those of `qrels`.
        depth: ranks kept; None keeps the longest ranking whole.
        min_relevance: the lowest grade that counts as relevant, ≥ 1.

    Returns:
        The run as grades.

    Raises:
        Problem: a document stands twice in a ranking; a grade is not an integer of 32 bits.

    Example:
        >>> judge({"q": ["x", "a"]}, {"q": {"a": 2, "b": 1}}).relevance.tolist()
        [[-1, 2]]
    """
    frame = _frame(qrels, query_ids, run, min_relevance)
    rankings = [run.get(query_id, ()) for query_id in frame.query_ids]
    found = _overlap(
        (dict(zip(ranking, count(), strict=False)) for ranking in rankings), frame.query_ids, qrels
    )
    lengths = np.fromiter(map(len, rankings), np.int64, len(rankings))
    repeats = np.flatnonzero(found.sizes < lengths).tolist()
    if repeats:
        raise _repeated([(frame.query_ids[row], rankings[row]) for row in repeats])
    return _filled(frame, found, np.array(found.values, np.int64), depth)


def judge_scores(
    scores: Scores,
    qrels: Qrels,
    query_ids: Iterable[str] | None = None,
    *,
    depth: int | None = None,
    min_relevance: int = 1,
) -> Judged:
    """Put the labels beside scores: the same value as `judge(rank_run(scores), …)`, several times faster.

    A measure needs the ranks of the judged documents only, and a rank is a count: one more than the
    documents of the query with a higher score, or with the same score and a larger id. Nothing is sorted.

    Args:
        scores: query_id → doc_id → finite score, in any order.
        qrels: see `judge`, likewise the other arguments.
        query_ids: see `judge`.
        depth: see `judge`.
        min_relevance: see `judge`.

    Returns:
        The run as grades.

    Raises:
        Problem: a score of a query that counts is NaN or infinite; a grade is not an integer of 32 bits.

    Example:
        >>> judge_scores({"q": {"a": 0.5, "x": 0.5}}, {"q": {"a": 2, "b": 1}}).relevance.tolist()
        [[-1, 2]]
    """
    frame = _frame(qrels, query_ids, scores, min_relevance)
    tables = [scores.get(query_id, {}) for query_id in frame.query_ids]
    found = _overlap(tables, frame.query_ids, qrels)
    own = np.array(found.values, np.float64)
    ranks, level = np.zeros(own.size, np.int64), np.zeros(own.size, np.int64)
    for start, block in score_blocks(frame.query_ids, tables):
        first, end = np.searchsorted(found.rows, (start, start + len(block))).tolist()
        step = max(1, BLOCK_CELLS // max(1, block.shape[1]))
        for some in (slice(at, min(at + step, end)) for at in range(first, end, step)):
            beside, mine = block[found.rows[some] - start], own[some, None]
            ranks[some] = np.count_nonzero(beside > mine, axis=1)
            level[some] = np.count_nonzero(beside == mine, axis=1)
    for match in np.flatnonzero(level > 1).tolist():
        document, score, beside_it = found.documents[match], own[match], tables[found.rows[match]]
        ranks[match] += sum(other > document for other, value in beside_it.items() if value == score)
    return _filled(frame, found, ranks, depth)


class _Overlap(NamedTuple):
    """The documents that were both returned and labelled, query after query; `sizes` counts returned ones."""

    rows: NDArray[np.int64]
    documents: list[str]
    values: Sequence[float]
    grades: NDArray[np.int64]
    sizes: NDArray[np.int64]


def _overlap(returned: Iterable[Mapping[str, float]], query_ids: Sequence[str], qrels: Qrels) -> _Overlap:
    """Meet each query's documents (with a rank or a score) and its labels, at the smaller side's cost."""
    documents: list[str] = []
    values: list[float] = []
    grades: list[int] = []
    n_shared, sizes = [], []
    for query_id, table in zip(query_ids, returned, strict=True):
        labels = qrels[query_id]
        shared = labels.keys() & table.keys()
        documents += shared
        values += map(table.__getitem__, shared)
        grades += map(labels.__getitem__, shared)
        n_shared.append(len(shared))
        sizes.append(len(table))
    rows = np.repeat(np.arange(len(n_shared)), np.array(n_shared, np.int64))
    return _Overlap(rows, documents, values, np.array(grades, np.int64), np.array(sizes, np.int64))


def _filled(frame: Judged, found: _Overlap, ranks: NDArray[np.int64], depth: int | None) -> Judged:
    """Write each grade at its rank (from 0) into a matrix of unjudged documents and padding."""
    longest = int(found.sizes.max(initial=1))
    width = max(1, longest if depth is None else min(depth, longest))
    relevance = np.where(np.arange(width) < found.sizes[:, None], np.int32(UNJUDGED), np.int32(PADDING))
    inside = ranks < width
    relevance[found.rows[inside], ranks[inside]] = np.maximum(found.grades[inside], UNJUDGED)
    return replace(frame, relevance=relevance)


def _frame(
    qrels: Qrels, query_ids: Iterable[str] | None, run: Mapping[str, object], min_relevance: int
) -> Judged:
    """Read the labels: everything of a `Judged` but what the system returned."""
    if min_relevance < 1:
        raise Problem(
            "evaluate.min_relevance",
            f"found {min_relevance}",
            expected="an integer of at least 1",
            remedy="Grade 0 means judged and not relevant; set it to 1 or higher.",
        )
    asked = list(qrels if query_ids is None else query_ids)
    labels = [qrels.get(query_id, {}) for query_id in asked]
    grades = _integers([row.values() for row in labels], asked)
    owner = np.repeat(np.arange(len(asked)), np.fromiter(map(len, labels), np.int64, len(labels)))
    n_relevant = np.bincount(owner[grades >= min_relevance], minlength=len(asked))
    counts = n_relevant > 0
    positive = (grades > 0) & counts[owner]
    # One sort puts queries in order and grades downwards: a key's high half is the query, the rest -grade.
    key = (owner[positive] << 32) - grades[positive]
    key.sort()
    n_positive = np.bincount(owner[positive], minlength=len(asked))[counts]
    kept = tuple(query_id for query_id, yes in zip(asked, counts.tolist(), strict=True) if yes)
    return Judged(
        query_ids=kept,
        unanswerable=tuple(query_id for query_id, yes in zip(asked, counts.tolist(), strict=True) if not yes),
        missing=np.fromiter((query_id not in run for query_id in kept), np.bool_, len(kept)),
        relevance=np.empty((len(kept), 0), np.int32),
        n_relevant=n_relevant[counts],
        ideal=((owner[positive] << 32) - key).astype(np.int32),
        starts=np.concatenate([[0], np.cumsum(n_positive)]).astype(np.int64),
        min_relevance=min_relevance,
    )


def _integers(rows: Sequence[Iterable[int]], query_ids: Sequence[str]) -> NDArray[np.int64]:
    """Return all grades as one array; a fraction would be cut to an integer in silence, so it is refused."""
    flat = np.array(list(chain.from_iterable(rows)))
    if flat.size == 0:
        return np.empty(0, np.int64)
    if flat.dtype.kind == "i" and abs(flat).max() < 2**31:
        return flat.astype(np.int64)
    bad = [
        f"query {query_id}: {grade!r}"
        for query_id, row in zip(query_ids, rows, strict=True)
        for grade in row
        if isinstance(grade, bool) or not isinstance(grade, int | np.integer) or abs(grade) >= 2**31
    ]
    raise Problem(
        "labels",
        f"{len(bad)} grade{'s' * (len(bad) > 1)} of another kind ({examples(bad)})",
        expected="integers of 32 bits",
        remedy="Write each relevance as a whole number; 0 means judged and not relevant.",
    )


def _repeated(rankings: Sequence[tuple[str, Sequence[str]]]) -> Problem:
    bad = []
    for query_id, ranking in rankings:
        twice = next(doc_id for rank, doc_id in enumerate(ranking) if doc_id in ranking[:rank])
        bad.append(f"query {query_id}, document {twice}")
    return Problem(
        "run",
        f"a document stands twice in {len(bad)} ranking{'s' * (len(bad) > 1)} ({examples(bad)})",
        expected="each document once",
        remedy="Fold the chunks of a document to its best first.",
    )
