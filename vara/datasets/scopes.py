"""Rules of a query's scope against the documents: does it name something, and do the labels stay within it?"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from vara.datasets.findings import Findings
from vara.datasets.links import Parts
from vara.datasets.matches import Fields
from vara.errors import near_names


def check_scopes(parts: Parts, findings: Findings) -> None:
    """Check each query's scope, and the labels of queries whose scope names fields that exist.

    **Conventions** What a scope misses is only said when every document could be read.
    """
    asked = parts.queries.filter(parts.queries["scope"].is_not_null())
    if asked.is_empty() or parts.documents.is_empty():
        return
    fields = Fields(parts.documents["metadata"].to_list())
    scopes: dict[str, str] = dict(asked.select("query_id", "scope").iter_rows())
    unknown = {
        query: names
        for query, scope in scopes.items()
        if (names := [name for name in json.loads(scope) if not fields.has(name)])
    }
    known = {query: scope for query, scope in scopes.items() if query not in unknown}
    if findings.complete("corpus.jsonl"):
        for query, names in unknown.items():
            for name in names:
                near = near_names(name, fields.names()).removesuffix(".")
                what = f"query {query}: {name!r}. {near}"
                findings.add("unknown-scope", parts.query_ids.place(query), what=what)
        _check_reach(parts, fields, known, findings=findings)
    _check_labels(parts, fields, known, findings=findings)


def _check_reach(parts: Parts, fields: Fields, scopes: Mapping[str, str], *, findings: Findings) -> None:
    """Report queries that may see no document at all within their scope."""
    closed = parts.documents["archived"].to_numpy()
    audiences = parts.documents["audience"].to_list()
    allowed: dict[str, list[str] | None] = dict(parts.queries.select("query_id", "allowed").iter_rows())
    for query, scope in scopes.items():
        audience: Collection[str | None] = (None, *(allowed[query] or ()))
        rows = (fields.matching(scope) & ~closed).nonzero()[0]
        if not any(audiences[row] in audience for row in rows):
            findings.add("empty-scope", parts.query_ids.place(query), what=f"query {query}: {scope}")


def _check_labels(parts: Parts, fields: Fields, scopes: Mapping[str, str], *, findings: Findings) -> None:
    rows = {doc_id: row for row, doc_id in enumerate(parts.documents["doc_id"])}
    for label in parts.labels:
        scope, row = scopes.get(label.query_id), rows.get(label.doc_id)
        if scope is not None and row is not None and not fields.matching(scope)[row]:
            what = f"query {label.query_id} document {label.doc_id}, scope {scope}"
            findings.add("out-of-scope-label", label.where, what=what)
