"""What a query may see, in the two forms that searches take: a mask over rows, and conditions for an engine."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasks.read import Corpus
from vara.index.facets import Only, conditions
from vara.index.scope import Scope

PARAMS = ("pool.exclude_self", "pool.filter")
"""The parameters that are read here."""


@dataclass(frozen=True)
class Query:
    """What a search is asked.

    Attributes:
        query_id: its id.
        text: its text.
        allowed: the audiences that it may read for.
        scope: the metadata that documents have to have for it, as JSON; None: any.
    """

    query_id: str
    text: str
    allowed: Sequence[str] | None
    scope: str | None


QUERY_COLUMNS = ("query_id", "text", "allowed", "scope")
"""The columns of the queries' table that make a `Query`."""


class Admission:
    """Archive, filter, permissions, a query's own scope and self-retrieval: all that acts before any cut."""

    def __init__(self, corpus: Corpus, params: Mapping[str, Any]) -> None:
        """Prepare the masks; pool.filter and pool.exclude_self are read."""
        hiding = corpus.documents.select("archived", "audience", "metadata").to_dict(as_series=False)
        self._wanted: Mapping[str, Any] = params["pool.filter"]
        self._scope = Scope(hiding["archived"], hiding["audience"], hiding["metadata"], self._wanted)
        self._row = {doc_id: row for row, doc_id in enumerate(corpus.doc_ids)}
        self._excludes_self: bool = params["pool.exclude_self"]

    def visible(self, query: Query) -> NDArray[np.bool_]:
        """Return bool (n,): the documents that the query may see."""
        visible = self._scope.visible(query.allowed, query.scope)
        if not self._is_excluded(query.query_id):
            return visible
        others = visible.copy()
        others[self._row[query.query_id]] = False
        return others

    def only(self, query: Query) -> Only:
        """Return the conditions under which an engine finds exactly these documents."""
        without = frozenset([query.query_id]) if self._is_excluded(query.query_id) else frozenset[str]()
        return Only(conditions(query.allowed, self._wanted, json.loads(query.scope or "{}")), without)

    def _is_excluded(self, query_id: str) -> bool:
        return self._excludes_self and query_id in self._row
