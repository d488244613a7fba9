"""The order of documents: score descending, then doc_id descending by UTF-8 bytes. It stands only here.

The tie rule is trec_eval's, so that ties agree with the field's reference. Python compares strings by code
point, which is the order of their UTF-8 bytes; that is why no id is ever encoded here. What a rank is worth
is the affair of `formulas`; where scores come from, of the backends.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vara.errors import Problem, examples

BLOCK_CELLS = 1 << 20  # scores held at once as float64: 8 MiB, whatever the size of the run

Scores = Mapping[str, Mapping[str, float]]
Run = dict[str, list[str]]


def byte_order(ids: Sequence[str]) -> NDArray[np.int64]:
    """Place each id in the ascending order of UTF-8 bytes.

    Args:
        ids: n document ids; an id that stands twice gets one place.

    Returns:
        int64 (n,), `positions[i] < positions[j]` exactly when `ids[i]` comes before `ids[j]`; from 0.

    Example:
        >>> byte_order(["9", "10", "é", "z"]).tolist()
        [1, 0, 3, 2]
    """
    places = {doc_id: place for place, doc_id in enumerate(sorted(set(ids)))}
    return np.fromiter(map(places.__getitem__, ids), np.int64, len(ids))


def best(scores: ArrayLike, positions: NDArray[np.int64], depth: int) -> NDArray[np.int64]:
    """Find the exact top `depth` of one row of scores without sorting the row.

    **Conventions**: a tie at the cut goes to the larger document id, exactly as after a full sort.

    Args:
        scores: (n,), finite, any float type; compared as given.
        positions: int64 (n,), from `byte_order` over the ids of the same columns.
        depth: how many to return, ≥ 0; all n where n is smaller.

    Returns:
        int64 (min(n, depth),): indices into the row, best first.

    Raises:
        Problem: a score is NaN or infinite.

    Example:
        >>> best([0.5, 0.9, 0.5], byte_order(["a", "b", "c"]), 2).tolist()
        [1, 2]
    """
    row = np.asarray(scores)
    if not np.isfinite(row).all():
        column = int(np.flatnonzero(~np.isfinite(row))[0])
        raise _not_finite([f"column {column}: {row[column]}"])
    chosen = np.arange(row.size)
    if 0 < depth < row.size:
        bar = np.partition(row, row.size - depth)[row.size - depth]  # the score of rank `depth`
        above, level = np.flatnonzero(row > bar), np.flatnonzero(row == bar)
        seats = depth - above.size  # at least one: the bar's own
        largest = np.argpartition(positions[level], level.size - seats)[level.size - seats :]
        chosen = np.concatenate([above, level[largest]])
    return chosen[np.lexsort((positions[chosen], row[chosen]))[::-1]][:depth]


def ranked(scores: Mapping[str, float], depth: int | None = None) -> list[str]:
    """Order the documents of one query.

    Args:
        scores: doc_id → finite score.
        depth: documents kept; None keeps all.

    Returns:
        Document ids, best first.

    Raises:
        Problem: a score is NaN or infinite.

    Example:
        >>> ranked({"9": 1.0, "10": 1.0, "b": 2.0})
        ['b', '9', '10']
    """
    bad = [f"document {doc_id}: {score}" for doc_id, score in scores.items() if not math.isfinite(score)]
    if bad:
        raise _not_finite(bad)
    return sorted(scores, key=lambda doc_id: (scores[doc_id], doc_id), reverse=True)[:depth]


def rank_run(scores: Scores, depth: int | None = None) -> Run:
    """Order the documents of every query: what `ranked` does, for many queries at once.

    **Conventions**: the order of queries is kept, the order of documents in a mapping never matters.

    Args:
        scores: query_id → doc_id → finite score; rows may differ in length.
        depth: documents kept a query; None keeps all.

    Returns:
        query_id → document ids, best first.

    Raises:
        Problem: a score is NaN or infinite; query and document are named, three of them at most.

    Example:
        >>> rank_run({"q1": {"a": 0.1, "b": 0.3}, "q2": {}})
        {'q1': ['b', 'a'], 'q2': []}
    """
    query_ids, rows = list(scores), list(scores.values())
    run: Run = {}
    for start, block in score_blocks(query_ids, rows):
        order = np.argsort(-block, axis=1)
        rankings = []
        for row, columns in zip(rows[start : start + len(block)], order.tolist(), strict=True):
            documents = list(row)
            rankings.append([documents[column] for column in columns[: len(documents)]])
        for row_number, first, end in _tied_stretches(np.take_along_axis(block, order, axis=1)):
            rankings[row_number][first:end] = sorted(rankings[row_number][first:end], reverse=True)
        run.update(zip(query_ids[start:], (ranking[:depth] for ranking in rankings), strict=False))
    return run


def score_blocks(
    query_ids: Sequence[str], rows: Sequence[Mapping[str, float]]
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Cut a run into matrices of a bounded size.

    Args:
        query_ids: names of the rows, for the error message.
        rows: doc_id → score, one mapping a query.

    Yields:
        The number of the block's first row, and its float64 scores in the mappings' own order, padded at
        the right with -inf (no score that is let through is that low).

    Raises:
        Problem: a score is NaN or infinite; all of them are counted, three named.
    """
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    start = 0
    while start < len(rows):
        widest = np.maximum.accumulate(lengths[start : start + BLOCK_CELLS])
        cells = widest * np.arange(1, widest.size + 1)
        end = start + max(1, int(np.searchsorted(cells, BLOCK_CELLS, side="right")))
        inside = lengths[start:end]
        every = chain.from_iterable(row.values() for row in rows[start:end])
        flat = np.fromiter(every, np.float64, int(inside.sum()))
        if not np.isfinite(flat).all():
            raise _not_finite(_find_not_finite(query_ids, rows))
        if inside.min() == inside.max():  # the usual case, a pool of one depth: nothing to pad
            yield start, flat.reshape(end - start, -1)
        else:
            block = np.full((end - start, int(inside.max())), -np.inf)
            block[np.arange(block.shape[1]) < inside[:, None]] = flat
            yield start, block
        start = end


def tied_share(scores: Iterable[Sequence[float] | NDArray[np.floating]], cut: int) -> float | None:
    """Share of queries whose cut after rank `cut` goes through a tie, so that ids and not scores decided it.

    Args:
        scores: a row of scores for each query, best first.
        cut: the last rank kept, ≥ 1.

    Returns:
        Queries with `score[cut] == score[cut + 1]` (ranks from 1) / queries with more than `cut` documents;
        None where no query has that many.

    Example:
        >>> tied_share([[0.9, 0.5, 0.5], [0.9, 0.5, 0.1], [0.9]], 2)
        0.5
    """
    through = [bool(row[cut - 1] == row[cut]) for row in scores if len(row) > cut]
    return sum(through) / len(through) if through else None


def _tied_stretches(ordered: NDArray[np.float64]) -> Iterator[tuple[int, int, int]]:
    """Yield (row, first, end) of each stretch of equal scores in rows sorted downwards; padding is no tie."""
    width = ordered.shape[1]
    same = np.zeros(ordered.shape, bool)
    same[:, :-1] = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] > -np.inf)
    at = np.flatnonzero(same)
    gap = np.diff(at) > 1
    firsts, lasts = at[np.append(True, gap)[: at.size]], at[np.append(gap, True)[: at.size]]
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        yield first // width, first % width, last % width + 2


def _find_not_finite(query_ids: Sequence[str], rows: Sequence[Mapping[str, float]]) -> list[str]:
    return [
        f"query {query_id}, document {doc_id}: {score}"
        for query_id, row in zip(query_ids, rows, strict=True)
        for doc_id, score in row.items()
        if not math.isfinite(score)
    ]


def _not_finite(found: Sequence[str]) -> Problem:
    return Problem(
        "run",
        f"{len(found)} score{'s' * (len(found) > 1)} without a place in any order ({examples(found)})",
        expected="finite numbers",
        remedy="Repair the system that gave them: a NaN or an infinity is a failure, not a low score.",
    )
