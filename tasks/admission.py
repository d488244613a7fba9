"""What a query may see, in the two forms that searches take: a mask over rows, and a condition for an engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backends.stores.protocol import EVERYTHING, Only
from tasks.read import Corpus
from vara.artifacts.step import Job
from vara.index.scope import Scope


class Admission:
    """The scope of a search that goes on: what one set of permissions means is worked out once and kept."""

    def __init__(self, job: Job, corpus: Corpus) -> None:
        """Prepare the masks; pool.filter and pool.exclude_self are read."""
        hiding = corpus.documents.select("archived", "audience", "metadata").to_dict(as_series=False)
        self._scope = Scope(
            hiding["archived"], hiding["audience"], hiding["metadata"], job.params["pool.filter"]
        )
        self._ids = corpus.id_array
        self._known = frozenset(corpus.doc_ids) if job.params["pool.exclude_self"] else frozenset()
        self._conditions: dict[tuple[str, ...], Only] = {}

    def visible(self, query_id: str, allowed: Sequence[str] | None) -> NDArray[np.bool_]:
        """Return bool (n,): the documents that the query may see."""
        visible = self._scope.visible(allowed)
        return visible & (self._ids != query_id) if query_id in self._known else visible

    def only(self, query_id: str, allowed: Sequence[str] | None) -> Only:
        """Return the condition under which an engine finds exactly these documents."""
        if query_id in self._known:
            return Only(ids=frozenset(self._ids[self.visible(query_id, allowed)].tolist()))
        key = tuple(sorted(set(allowed or ())))
        if key not in self._conditions:
            visible = self._scope.visible(allowed)
            self._conditions[key] = (
                EVERYTHING if visible.all() else Only(ids=frozenset(self._ids[visible].tolist()))
            )
        return self._conditions[key]
