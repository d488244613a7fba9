"""A dataset as a whole: read, linted, typed. The door for notebooks, the validate step and `vara check`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vara.datasets.beir import find_layout
from vara.datasets.documents import document_rows
from vara.datasets.findings import Finding, Findings, refuse_errors
from vara.datasets.ids import Ids
from vara.datasets.labels import read_labels
from vara.datasets.links import Parts, check_links
from vara.datasets.names import dataset_name
from vara.datasets.queries import query_rows
from vara.datasets.schemas import validate_table
from vara.datasets.scopes import check_scopes
from vara.datasets.splits import query_splits
from vara.datasets.tables import Table, to_frame
from vara.datasets.text import is_blank

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Dataset:
    """Three typed tables (docs/datamodel.md) and what the rules found.

    Args:
        name: the folder's name (names.py).
        documents: doc_id, title, text, metadata, archived, audience.
        queries: query_id, text, split, metadata, language, category, allowed, scope.
        labels: query_id, doc_id, relevance, source, split.
        findings: errors first.
    """

    name: str
    documents: pl.DataFrame
    queries: pl.DataFrame
    labels: pl.DataFrame
    findings: tuple[Finding, ...]

    @property
    def tables(self) -> dict[Table, pl.DataFrame]:
        """Return the tables by name."""
        return {"documents": self.documents, "queries": self.queries, "labels": self.labels}


def load_dataset(path: str | Path) -> Dataset:
    """Return a BEIR dataset that breaks no rule of severity error.

    Args:
        path: folder with corpus.jsonl, queries.jsonl and either qrels.tsv or qrels/<split>.tsv.

    Raises:
        Problem: at least one error; its text is the whole report.
    """
    folder = Path(path)
    dataset = read_dataset(folder)
    refuse_errors(folder, dataset.findings)
    for table, frame in dataset.tables.items():
        validate_table(frame, table)
    return dataset


def read_dataset(folder: Path) -> Dataset:
    """Return whatever can be read of a dataset, with every finding; rows that broke a rule may be missing."""
    findings = Findings()
    parts = read_parts(folder, findings)
    return as_dataset(folder, parts, findings.all())


def read_parts(folder: Path, findings: Findings) -> Parts:
    """Return the tables, the judgments and the places of ids; what is wrong, also between them, becomes findings."""
    layout = find_layout(folder, findings)
    doc_ids, query_ids = Ids(findings), Ids(findings)
    documents = to_frame(
        "documents", document_rows(layout.corpus, findings, ids=doc_ids) if layout.corpus else ()
    )
    queries = to_frame(
        "queries", query_rows(layout.queries, findings, ids=query_ids) if layout.queries else ()
    )
    labels = read_labels(layout.labels, findings)
    parts = Parts(documents, queries, labels, doc_ids, query_ids, None in layout.labels)
    if not findings.has("missing-folder"):
        check_links(parts, findings)
        check_scopes(parts, findings)
    return parts


def as_dataset(folder: Path, parts: Parts, found: tuple[Finding, ...]) -> Dataset:
    """Return the dataset that these parts are, each label in the split of its file or of its query."""
    own: dict[str, str | None] = dict(parts.queries.select("query_id", "split").iter_rows())
    rows = (
        (label.query_id, label.doc_id, label.relevance, label.source, label.split or own.get(label.query_id))
        for label in parts.labels
    )
    name = dataset_name(str(folder))
    return Dataset(name, parts.documents, parts.queries, to_frame("labels", rows), found)


def dataset_counts(dataset: Dataset) -> dict[str, Any]:
    """Return a dataset's counts (metrics/validate.json): sizes, splits, grades, findings."""
    documents, labels = dataset.documents, dataset.labels
    splits = query_splits(dataset.queries, labels)
    blank = (is_blank(a) and is_blank(b) for a, b in documents.select("title", "text").iter_rows())
    return {
        "dataset": dataset.name,
        "documents": {
            "n": documents.height,
            "n_archived": int(documents["archived"].sum()),
            "n_restricted": documents.height - documents["audience"].null_count(),
            "n_empty": sum(blank),
        },
        "queries": {
            "n": len(splits),
            "n_without_split": sum(split is None for split in splits.values()),
            "n_by_split": _tally(split for split in splits.values() if split is not None),
        },
        "labels": {
            "n": labels.height,
            "n_by_relevance": _tally(labels["relevance"]),
            "n_by_source": _tally(labels["source"]),
            "n_by_split": _tally(labels["split"].drop_nulls()),
        },
        "findings": {finding.code: finding.count for finding in dataset.findings},
        "severity": {finding.code: finding.severity for finding in dataset.findings},
    }


def _tally(values: Any) -> dict[str, int]:
    return {str(value): count for value, count in sorted(Counter(values).items())}
