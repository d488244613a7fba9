"""The collection's own search: approximate candidates in the place of the exact ones, and what a service would ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tasks.collection import facets_by_id, open_collection
from tasks.read import Corpus
from vara.artifacts.step import Job
from vara.errors import Problem
from vara.index.facets import Only, shared
from vara.index.retrieval import Rows

if TYPE_CHECKING:
    from backends.stores.collection import Opened


@dataclass(frozen=True)
class Engine:
    """An opened collection that answers with row numbers; permissions and filters act inside it.

    Attributes:
        opened: the collection.
        rows: the row number of each document's id.
        everywhere: facets that all documents hold, which no condition need name.
        exact: whether every point is compared.
    """

    opened: Opened
    rows: Mapping[str, int]
    everywhere: frozenset[str]
    exact: bool

    @property
    def says(self) -> str:
        """Return in words what it is and how it searches."""
        info = self.opened.info
        return f"{info.engine}, exact search" if self.exact else f"{info.engine}, {info.says}"

    def find(self, vector: NDArray[np.float32], only: Only, depth: int) -> Rows:
        """Return the row numbers of the documents nearest to a vector, best first, at most `depth`."""
        hits = self.opened.store.search(
            self.opened.name, vector, depth, only=only.beyond(self.everywhere), exact=self.exact
        )
        return np.asarray([self.rows[hit.doc_id] for hit in hits], dtype=np.int64)


@contextmanager
def searching(job: Job, corpus: Corpus, params: Mapping[str, Any], *, exact: bool) -> Iterator[Engine]:
    """Open the collection for searching.

    Args:
        job: see `open_collection`.
        corpus: the documents that it holds.
        params: index.engine, index.m and index.ef_construct.
        exact: whether every point is compared.

    Raises:
        Problem: only a part of the collection is in its graph, so that no claim about the graph would hold.
    """
    held = facets_by_id(corpus.documents)
    with open_collection(job, held, params) as opened:
        if not exact and 0 < opened.info.indexed < opened.info.count:
            found = f"{opened.info.indexed} of {opened.info.count} points are in the graph"
            raise Problem("collection", found, remedy="Remove it (vara store gc) and run the index stage.")
        rows = {doc_id: row for row, doc_id in enumerate(corpus.doc_ids)}
        yield Engine(opened, rows, shared(held.values()), exact)
