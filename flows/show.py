"""One query's report, read from the committed rankings and the store."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path

from flows.look import outputs_upto
from flows.workspace import Workspace
from vara import params as parameters
from vara.artifacts.step import Output
from vara.datasets.tables import read_table
from vara.errors import Problem
from vara.index.frozen import read_pool, read_reranked
from vara.report.query import Candidate, QueryReport, lines


def query_lines(workspace: Workspace, target: Path, query_id: str) -> Iterator[str]:
    """Yield the report of one query in the workspace or a trial.

    Raises:
        Problem: no such query (near ids are offered), or the stages have not run.
    """
    found = outputs_upto("evaluate", parameters.load(target / "params.yaml"), workspace.bench())
    queries = read_table(found["queries"].folder / "queries.parquet", "queries")
    texts = dict(queries.select("query_id", "text").iter_rows())
    if query_id not in texts:
        near = difflib.get_close_matches(query_id, list(texts), n=3, cutoff=0.3) or list(texts)[:3]
        raise Problem("vara show", f"no query {query_id!r}", remedy=f"Near ids: {', '.join(near)}.")
    measures = dict(_measures(target / "plots/per_query.csv", query_id))
    yield from lines(_report(found, query_id, texts[query_id], measures))


def _report(
    found: Mapping[str, Output], query_id: str, text: str, measures: Mapping[str, Mapping[str, str]]
) -> QueryReport:
    pool, reranked = read_pool(found["pool"].folder), read_reranked(found["reranked"].folder)
    documents = read_table(found["documents"].folder / "documents.parquet", "documents")
    labels = read_table(found["labels"].folder / "labels.parquet", "labels")
    grades = {
        doc: grade
        for query, doc, grade in labels.select("query_id", "doc_id", "relevance").iter_rows()
        if query == query_id
    }
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
    missing = {doc: grade for doc, grade in grades.items() if grade > 0 and doc not in after}
    titles = {doc: known[doc][0] if doc in known else "(not in the corpus)" for doc in missing}
    return QueryReport(query_id, text, candidates, missing, titles, measures)


def _measures(path: Path, query_id: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (system, {measure: value}) of a query from the table of queries."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row.pop("query_id") == query_id:
                yield (
                    row.pop("system"),
                    {name: value for name, value in row.items() if "@" in name or name == "RR"},
                )
