"""One query's report, read from the committed rankings and the store."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.look import made
from flows.workspace import Workspace
from vara import params as parameters
from vara.artifacts.step import Output
from vara.datasets.tables import read_table
from vara.errors import Problem
from vara.index.frozen import read_pool, read_reranked
from vara.index.scope import Scope
from vara.report.query import Candidate, QueryReport, lines

if TYPE_CHECKING:
    import polars as pl


def query_lines(workspace: Workspace, target: Path, query_id: str) -> Iterator[str]:
    """Yield the report of one query in the workspace or a trial.

    Raises:
        Problem: no such query (near ids are offered), or the stages have not run.
    """
    params = parameters.load(target / "params.yaml")
    folder, found = made("evaluate", params, workspace.bench())
    queries = read_table(found["queries"].folder / "queries.parquet", "queries")
    asked = {
        one["query_id"]: one for one in queries.select("query_id", "text", "allowed").iter_rows(named=True)
    }
    if query_id not in asked:
        near = difflib.get_close_matches(query_id, list(asked), n=3, cutoff=0.3) or list(asked)[:3]
        raise Problem("vara show", f"no query {query_id!r}", remedy=f"Near ids: {', '.join(near)}.")
    measures = dict(_measures(folder / "per_query.csv", query_id))
    yield from lines(_report(found, asked[query_id], measures, params.evaluate.min_relevance))


def _report(
    found: Mapping[str, Output],
    query: Mapping[str, Any],
    measures: Mapping[str, Mapping[str, str]],
    min_relevance: int,
) -> QueryReport:
    query_id = query["query_id"]
    pool, reranked = read_pool(found["pool"].folder), read_reranked(found["reranked"].folder)
    documents = read_table(found["documents"].folder / "documents.parquet", "documents")
    grades = _grades(found, query, documents)
    known = {
        doc: (title or "", body or "")
        for doc, title, body in documents.select("doc_id", "title", "text").iter_rows()
    }
    after = {doc: rank for rank, doc in enumerate(reranked.run[query_id], start=1)}
    candidates = [
        Candidate(
            doc_id=doc,
            title=known[doc][0],
            text=known[doc][1],
            before=rank,
            after=after[doc],
            dense=float(dense),
            lexical=float(lexical),
            relevance=grades.get(doc),
        )
        for rank, (doc, dense, lexical) in enumerate(
            zip(pool.first_stage[query_id], pool.dense[query_id], pool.lexical[query_id], strict=True),
            start=1,
        )
    ]
    missing = {doc: grade for doc, grade in grades.items() if grade >= min_relevance and doc not in after}
    titles = {doc: known[doc][0] if doc in known else "(not in the corpus)" for doc in missing}
    return QueryReport(query_id, query["text"], candidates, missing, titles, measures)


def _grades(found: Mapping[str, Output], query: Mapping[str, Any], documents: pl.DataFrame) -> dict[str, int]:
    """Return the labels that count for a query: those of documents that it may see, or that nobody knows."""
    labels = read_table(found["labels"].folder / "labels.parquet", "labels")
    hidden = documents.select("archived", "audience", "metadata").to_dict(as_series=False)
    scope = Scope(hidden["archived"], hidden["audience"], hidden["metadata"], {})
    visible = dict(zip(documents["doc_id"], scope.visible(query["allowed"]), strict=True))
    return {
        doc: grade
        for name, doc, grade in labels.select("query_id", "doc_id", "relevance").iter_rows()
        if name == query["query_id"] and visible.get(doc, True)
    }


def _measures(path: Path, query_id: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (system, {measure: value}) of a query from the table of queries."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row.pop("query_id") == query_id:
                yield (
                    row.pop("system"),
                    {name: value for name, value in row.items() if "@" in name or name == "RR"},
                )
