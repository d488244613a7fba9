"""A frozen ranking as a person reads it: each query with its documents, their scores and their labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Run = Mapping[str, Sequence[str]]
Scores = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Context:
    """What a reader wants to know beside the ids.

    Attributes:
        queries: query_id → text.
        splits: query_id → split, None where it has none.
        documents: doc_id → (title, text).
        qrels: query_id → doc_id → relevance; other documents are unjudged.
    """

    queries: Mapping[str, str]
    splits: Mapping[str, str | None]
    documents: Mapping[str, tuple[str | None, str | None]]
    qrels: Mapping[str, Mapping[str, int]]


def readable(run: Run, scores: Mapping[str, Scores], context: Context) -> Iterator[dict[str, Any]]:
    """Yield each query of a run with its ranked documents.

    **Conventions** A score is the shortest decimal that its float32 has; relevance is null where unjudged.

    Args:
        run: query_id → doc_ids, best first.
        scores: name → query_id → float32 scores in the order of the run.
        context: texts and labels.
    """
    for query_id, docs in run.items():
        labels = context.qrels.get(query_id, {})
        columns = {name: table[query_id] for name, table in scores.items()}
        yield {
            "query_id": query_id,
            "text": context.queries[query_id],
            "split": context.splits[query_id],
            "documents": [
                {
                    "rank": rank,
                    "doc_id": doc_id,
                    "title": context.documents[doc_id][0],
                    "text": context.documents[doc_id][1],
                    "scores": {name: float(shortest(row[rank - 1])) for name, row in columns.items()},
                    "relevance": labels.get(doc_id),
                }
                for rank, doc_id in enumerate(docs, start=1)
            ],
        }


def shortest(score: np.float32) -> str:
    """Return the shortest decimal from which the same float32 is read back; the order of scores survives it.

    Example:
        >>> shortest(np.float32(0.1))
        '0.1'
    """
    return str(score)
