"""Opening the collection that belongs to documents and their vectors; a missing one is built from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vara.artifacts.step import Job
from vara.index.facets import Facets, facets_of
from vara.index.vectors import read_embeddings

if TYPE_CHECKING:
    import polars as pl

    from backends.stores.collection import Opened


def facets_by_id(documents: pl.DataFrame) -> dict[str, Facets]:
    """Return what each document holds."""
    rows = documents.select("doc_id", "archived", "audience", "metadata").iter_rows()
    return {doc_id: facets_of(*more) for doc_id, *more in rows}


@contextmanager
def open_collection(job: Job, held: Mapping[str, Facets], params: Mapping[str, Any]) -> Iterator[Opened]:
    """Open the collection of these documents for searching.

    Args:
        job: gives the vectors (the recipe that made them is the collection's fingerprint), the folder of collections,
            what the environment says of a server, and the watch.
        held: what each document holds, by its id.
        params: index.engine, index.m and index.ef_construct.
    """
    from backends.stores.access import engine_of
    from backends.stores.collection import open_index, recipe_of
    from backends.stores.protocol import Points, Spec

    embed = job.inputs["embed"]
    embeddings = read_embeddings(embed.folder)
    spec = Spec(
        dimension=embeddings.documents.shape[1],
        fingerprint=embed.identity["recipe"],
        m=params["index.m"],
        ef_construct=params["index.ef_construct"],
    )
    points = Points(embeddings.doc_ids, embeddings.documents, [held[doc_id] for doc_id in embeddings.doc_ids])
    with open_index(
        engine_of(params["index.engine"], job.settings.qdrant),
        job.settings.collections,
        recipe_of(points, spec),
        lambda: points,
        job.watch,
        digest_of=job.settings.digest_of,
    ) as opened:
        yield opened
