"""Rules between the files: do labels, documents and queries belong together? And the split of a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vara.datasets.findings import Findings
from vara.datasets.ids import Ids, similar_id
from vara.datasets.labels import Label

if TYPE_CHECKING:
    import polars as pl

_INPUTS = {"document": ("corpus.jsonl", "no-documents"), "query": ("queries.jsonl", "no-queries")}


@dataclass(frozen=True, slots=True)
class Parts:
    """What was read from the three inputs, before it is known whether they belong together."""

    documents: pl.DataFrame
    queries: pl.DataFrame
    labels: Sequence[Label]
    doc_ids: Ids
    query_ids: Ids
    in_one_file: bool


def check_links(parts: Parts, findings: Findings) -> None:
    """Check what the files say about one another.

    **Conventions** A label's id that is not found is counted and kept; when none is found, that is an error.
    What is missing is only said of files that could be read completely, lest one bad line cause a hundred
    findings.
    """
    _check_known([(x.doc_id, x.where) for x in parts.labels], parts.doc_ids, findings, kind="document")
    _check_known([(x.query_id, x.where) for x in parts.labels], parts.query_ids, findings, kind="query")
    if not parts.labels and findings.complete("qrels"):
        findings.add("no-labels", "qrels.tsv" if parts.in_one_file else "qrels")
    _check_visible(parts, findings)
    _check_splits(parts, findings)
    _check_answers(parts, findings)


def _check_known(named: Sequence[tuple[str, str]], known: Ids, findings: Findings, *, kind: str) -> None:
    file, none = _INPUTS[kind]
    if not findings.complete(file):
        return
    if not known:
        findings.add(none, file)
        return
    unknown = [(name, where) for name, where in named if name not in known]
    code = f"no-known-{kind}" if len(unknown) == len(named) else f"unknown-{kind}"
    for name, where in unknown:
        similar = similar_id(name, known)
        hint = f", but {known.place(similar)} has {similar}" if similar else ""
        findings.add(code, where, what=f"{kind} {name}{hint}")


def _check_visible(parts: Parts, findings: Findings) -> None:
    archived = set(parts.documents.filter("archived")["doc_id"])
    restricted = parts.documents.filter(parts.documents["audience"].is_not_null())
    audiences: dict[str, str] = dict(restricted.select("doc_id", "audience").iter_rows())
    if not archived and not audiences:
        return
    allowed: dict[str, list[str] | None] = dict(parts.queries.select("query_id", "allowed").iter_rows())
    for label in parts.labels:
        pair = f"query {label.query_id} document {label.doc_id}"
        if label.doc_id in archived:
            findings.add("archived-label", label.where, what=pair)
        audience = audiences.get(label.doc_id)
        if (
            audience is not None
            and label.query_id in allowed
            and audience not in (allowed[label.query_id] or ())
        ):
            findings.add("hidden-label", label.where, what=f"{pair}, audience {audience}")


def _check_splits(parts: Parts, findings: Findings) -> None:
    own: Mapping[str, str | None] = dict(parts.queries.select("query_id", "split").iter_rows())
    in_files: dict[str, str] = {}
    for label in parts.labels:
        if label.split is None or label.query_id not in own:
            continue
        other = own[label.query_id] or in_files.setdefault(label.query_id, label.split)
        if other != label.split:
            what = f"query {label.query_id} is also in {other}"
            findings.add("split-contradiction", label.where, what=what)
    for name, split in own.items():
        if split is None and parts.in_one_file:
            findings.add("missing-split", parts.query_ids.place(name), what=f"query {name}")


def _check_answers(parts: Parts, findings: Findings) -> None:
    if not parts.labels or not findings.complete("qrels"):
        return
    labelled = {label.query_id for label in parts.labels}
    answered = {label.query_id for label in parts.labels if label.relevance > 0}
    for name, split in parts.queries.select("query_id", "split").iter_rows():
        if name in answered:
            continue
        code = "unanswerable-query" if split is not None or name in labelled else "unlabelled-query"
        if code == "unanswerable-query" or not parts.in_one_file:  # there, missing-split has said it
            findings.add(code, parts.query_ids.place(name), what=f"query {name}")
