"""One query's report, read from the committed rankings and the store."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from flows.look import made
from flows.terminal import Terminal
from flows.workspace import Workspace
from tasks.calibrate import models_of, signal_of
from tasks.truth import GROUPS, TABLES, visible_qrels
from vara import params as parameters
from vara.datasets.splits import query_splits
from vara.datasets.tables import read_table
from vara.errors import Problem, near_names
from vara.index.frozen import Pool, Reranked, read_pool, read_reranked
from vara.quality.calibrated import read_threshold
from vara.quality.calibration import rounded
from vara.report.query import Candidate, QueryReport, lines
from vara.report.table import columns, read_metrics


def query_lines(workspace: Workspace, target: Path, query_id: str, *, every: bool) -> Iterator[str]:
    """Yield the report of one query in the workspace or a trial, with every measure or with those of the table.

    Raises:
        Problem: no such query (near ids are offered), or the stages have not run.
    """
    params = parameters.load(target / "params.yaml")
    folder, found = made("evaluate", params, workspace.bench(), Terminal(), target=target)
    documents, queries, labels = (read_table(found[name].folder / f"{name}.parquet", name) for name in TABLES)
    asked = {one["query_id"]: one for one in queries.iter_rows(named=True)}
    if query_id not in asked:
        raise Problem("vara show", f"no query {query_id!r}", remedy=near_names(query_id, asked, "ids"))
    about = _about(asked[query_id], query_splits(queries, labels)[query_id])
    grades = visible_qrels(documents, queries, labels)[0].get(query_id, {})
    known = {
        doc: (title or "", body or "")
        for doc, title, body in documents.select("doc_id", "title", "text").iter_rows()
    }
    pool, reranked = read_pool(found["pool"].folder), read_reranked(found["reranked"].folder)
    candidates = _candidates(pool, reranked, query_id, known=known, grades=grades)
    shown = {candidate.doc_id for candidate in candidates}
    least = params.evaluate.min_relevance
    missing = {doc: grade for doc, grade in grades.items() if grade >= least and doc not in shown}
    names = None if every else columns(read_metrics(folder / "metrics.json"))
    measures = dict(_measures(folder / "per_query.csv", query_id, names))
    yield from lines(
        QueryReport(
            query_id,
            text=asked[query_id]["text"],
            about=about,
            extent=pool.extent[query_id].says(
                pool.n_ranked(query_id), len(pool.guaranteed.get(query_id, ()))
            ),
            verdict=_verdict(
                target / "metrics/calibrate.json",
                models_of(found["pool"].facts, found["reranked"].facts, params.calibrate.signal),
                signal_of(params.calibrate.signal, query_id, pool=pool, reranked=reranked),
            ),
            stood_in=dict(
                pair for terms in pool.stood_in.get(query_id, {}).values() for pair in terms.items()
            ),
            candidates=candidates,
            missing=missing,
            titles={doc: known[doc][0] if doc in known else "(not in the corpus)" for doc in missing},
            measures=measures,
        )
    )


def first_query(target: Path) -> str:
    """Return a query to begin with: the first of the test split in the table of queries, else the first of all.

    Raises:
        Problem: there is no such table.
    """
    path = target / "plots/per_query.csv"
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        raise Problem(str(path), "not made yet", remedy="Run `dvc repro`.") from None
    first = sorted(rows, key=lambda row: row["split"] != "test")
    return first[0]["query_id"] if first else "QUERY"


def _about(query: Mapping[str, Any], split: str | None) -> dict[str, str]:
    """Return split, groups, permissions and scope of a query, as far as it has them."""
    known = {
        "split": split,
        **{name: query[name] for name in GROUPS},
        "allowed": ", ".join(query["allowed"] or ()),
        "scope": query["scope"],
    }
    return {name: value for name, value in known.items() if value}


def _verdict(path: Path, models: Mapping[str, Any], signal: float) -> str:
    """Say whether the first document is shown at the calibrated threshold; nothing where there is none."""
    if not path.is_file() or signal == -np.inf:  # without a document there is nothing to show or to hold back
        return ""
    try:
        threshold = read_threshold(path, models)
    except Problem as problem:
        return str(problem)
    if threshold is None:
        return ""
    value = float(rounded(np.array(signal)))
    word = "shown" if value >= threshold else "held back"
    return f"first document {word}: {models['signal']} {value:g}, threshold {threshold:g}"


def _candidates(
    pool: Pool,
    reranked: Reranked,
    query_id: str,
    *,
    known: Mapping[str, tuple[str, str]],
    grades: Mapping[str, int],
) -> list[Candidate]:
    """Return the query's pool, in its order, with what became of each document."""
    n_ranked = pool.n_ranked(query_id)
    after = {doc: rank for rank, doc in enumerate(reranked.run[query_id], start=1)}
    final = dict(zip(reranked.run[query_id], reranked.scores[query_id], strict=True))
    scores = zip(pool.first_stage[query_id], pool.dense[query_id], pool.lexical[query_id], strict=True)
    return [
        Candidate(
            doc_id=doc,
            title=known[doc][0],
            text=known[doc][1],
            before=rank,
            after=after[doc],
            dense=float(dense),
            lexical=float(lexical),
            score=float(final[doc]),
            relevance=grades.get(doc),
            guaranteed=rank > n_ranked,
        )
        for rank, (doc, dense, lexical) in enumerate(scores, start=1)
    ]


def _measures(
    path: Path, query_id: str, names: Collection[str] | None
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (system, {measure: value}) of a query from the table of queries; `names` None means every measure."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["query_id"] == query_id:
                measured = {name: value for name, value in row.items() if "@" in name or name == "RR"}
                yield (
                    row["system"],
                    {name: measured[name] for name in measured if names is None or name in names},
                )
