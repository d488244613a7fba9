"""The truth of an evaluation: queries with their splits and groups, and the labels that count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vara.artifacts.step import Job, Output
from vara.datasets.splits import query_splits
from vara.datasets.tables import Table, read_table
from vara.index.scope import Scope
from vara.quality.split import Query

if TYPE_CHECKING:
    import polars as pl

TABLES: tuple[Table, ...] = ("documents", "queries", "labels")
CONVENTIONS = "docs/conventions.md, version 1"
"""What the numbers mean; stands in every metric file."""

GROUPS = ("language", "category")
"""The query metadata by which results are shown apart."""


@dataclass(frozen=True)
class Truth:
    """What systems are measured against.

    Attributes:
        queries: all of them, in file order.
        qrels: query_id → doc_id → grade, without labels on documents that the query may not see.
        sources: source → its share of `qrels`.
        notices: what was left out, and how much of it.
    """

    queries: list[Query]
    qrels: dict[str, dict[str, int]]
    sources: dict[str, dict[str, dict[str, int]]]
    notices: tuple[str, ...]


def read_truth(job: Job) -> Truth:
    """Return the truth that a job reads as `documents`, `queries` and `labels`."""
    return truth_of(job.inputs)


def truth_of(inputs: Mapping[str, Output]) -> Truth:
    """Return the truth of these outputs; `documents`, `queries` and `labels` are among them."""
    documents, queries, labels = (
        read_table(inputs[name].folder / f"{name}.parquet", name) for name in TABLES
    )
    qrels, hidden = visible_qrels(documents, queries, labels)
    splits = query_splits(queries, labels)
    asked = [
        Query(
            query_id, splits[query_id], {field: value for field, value in group.items() if value is not None}
        )
        for query_id, group in zip(
            queries["query_id"], queries.select(GROUPS).iter_rows(named=True), strict=True
        )
    ]
    notices = (
        (f"{hidden} labels are on documents that their query cannot see and do not count",) if hidden else ()
    )
    return Truth(asked, qrels, _by_source(labels, qrels), notices)


def visible_qrels(
    documents: pl.DataFrame, queries: pl.DataFrame, labels: pl.DataFrame
) -> tuple[dict[str, dict[str, int]], int]:
    """Return the labels that count, query_id → doc_id → grade, and how many do not.

    **Conventions**: archived documents and those outside a query's permissions or scope are outside its truth;
    labels of ids that the corpus lacks stay, since a run can never reach them and recall must say so.
    """
    hiding = documents.select("archived", "audience", "metadata").to_dict(as_series=False)
    scope = Scope(hiding["archived"], hiding["audience"], hiding["metadata"], {})
    rows = {doc_id: row for row, doc_id in enumerate(documents["doc_id"])}
    limits = {
        query_id: limit for query_id, *limit in queries.select("query_id", "allowed", "scope").iter_rows()
    }
    graded: dict[str, dict[str, int]] = {}
    for query_id, doc_id, relevance in labels.select("query_id", "doc_id", "relevance").iter_rows():
        graded.setdefault(query_id, {})[doc_id] = relevance
    qrels: dict[str, dict[str, int]] = {}
    for query_id, grades in graded.items():
        seen = scope.visible(*limits.get(query_id, (None, None)))
        counting = {
            doc_id: grade for doc_id, grade in grades.items() if doc_id not in rows or seen[rows[doc_id]]
        }
        if counting:
            qrels[query_id] = counting
    return qrels, labels.height - sum(map(len, qrels.values()))


def _by_source(
    labels: pl.DataFrame, qrels: Mapping[str, Mapping[str, int]]
) -> dict[str, dict[str, dict[str, int]]]:
    apart: dict[str, dict[str, dict[str, int]]] = {}
    for query_id, doc_id, source in labels.select("query_id", "doc_id", "source").iter_rows():
        grades = qrels.get(query_id, {})
        if doc_id in grades:
            apart.setdefault(source, {}).setdefault(query_id, {})[doc_id] = grades[doc_id]
    return apart
