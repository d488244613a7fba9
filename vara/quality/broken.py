"""Deliberately broken arms of a run: what a gate has to notice. Pure, and the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from vara.quality.judging import Qrels
from vara.quality.split import Query, Runs

Docs = Sequence[str]


def shuffled_ids(runs: Runs, doc_ids: Docs, seed: int) -> Runs:
    """Return the runs of an index whose ids are shuffled against its rows: each document answers under another id.

    Args:
        runs: system → query_id → document ids, best first.
        doc_ids: the corpus, in its order.
        seed: of the permutation, which is the same for all systems.
    """
    rows = np.random.default_rng(seed).permutation(len(doc_ids))
    called = {doc: doc_ids[row] for doc, row in zip(doc_ids, rows, strict=True)}
    return _each(runs, lambda docs: [called[doc] for doc in docs])


def reversed_order(runs: Runs) -> Runs:
    """Return the runs worst first, as of an engine that takes distances for similarities.

    Example:
        >>> reversed_order({"bm25": {"q": ["a", "b"]}})
        {'bm25': {'q': ['b', 'a']}}
    """
    return _each(runs, lambda docs: docs[::-1])


def half_lost(runs: Runs, seed: int) -> Runs:
    """Return the runs without half of each list, at random places; of an odd number the smaller half stays."""
    draw = np.random.default_rng(seed)

    def kept(docs: Docs) -> Docs:
        places = np.sort(draw.permutation(len(docs))[: len(docs) // 2])
        return [docs[place] for place in places]

    return _each(runs, kept)


def labels_of_others(queries: Sequence[Query], qrels: Qrels, min_relevance: int) -> Qrels | None:
    """Return labels under the wrong queries: those of another split, or of the next query where there is one split.

    As many queries of a split have an answer as before, so that no gate can fail for want of one.

    Args:
        queries: all of them.
        qrels: query_id → doc_id → grade.
        min_relevance: the lowest grade that counts as relevant.

    Returns:
        query_id → doc_id → grade; None where no query has another one to get labels of.
    """
    members: dict[str, list[str]] = {}
    for query in sorted(queries, key=lambda one: one.query_id):
        if (
            query.split is not None
            and max(qrels.get(query.query_id, {}).values(), default=0) >= min_relevance
        ):
            members.setdefault(query.split, []).append(query.query_id)
    mixed: dict[str, Mapping[str, int]] = {}
    for split, own in members.items():
        others = [query for name, ids in members.items() if name != split for query in ids]
        givers = others or own[1:] + own[:1]
        if givers == own:
            return None
        mixed |= {query: qrels[givers[place % len(givers)]] for place, query in enumerate(own)}
    return mixed or None


def _each(runs: Runs, change: Callable[[Docs], Docs]) -> Runs:
    return {system: {query: change(docs) for query, docs in run.items()} for system, run in runs.items()}
