"""Approximate candidates: the collection's own search in the place of the exact one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from tasks.collection import open_collection
from tasks.read import Corpus
from vara.artifacts.step import Job
from vara.errors import Problem
from vara.index.facets import Only
from vara.index.retrieval import Rows
from vara.index.vectors import read_embeddings

Searching = Callable[[int, Only, int], Rows]
"""(query number, which documents may be found, depth) → row numbers, best first."""


@contextmanager
def searching(job: Job, corpus: Corpus) -> Iterator[Searching]:
    """Open the collection and give its search; permissions and filters act inside the engine.

    Raises:
        Problem: only a part of the collection is in its graph, so that no claim about the graph would hold.
    """
    rows = {doc_id: row for row, doc_id in enumerate(corpus.doc_ids)}
    queries = read_embeddings(job.inputs["embed"].folder).queries
    index = job.inputs["index"].facts
    params = {f"index.{name}": index[name] for name in ("engine", "m", "ef_construct")}
    with open_collection(job, corpus.documents, params) as opened:
        if 0 < opened.info.indexed < opened.info.count:
            found = f"{opened.info.indexed} of {opened.info.count} points are in the graph"
            raise Problem("collection", found, remedy="Remove it (vara store gc) and run the index stage.")
        job.watch.note(opened.info.says)

        def search(number: int, only: Only, depth: int) -> Rows:
            hits = opened.store.search(opened.name, queries[number], depth, only=only, exact=False)
            return np.asarray([rows[hit.doc_id] for hit in hits], dtype=np.int64)

        yield search
