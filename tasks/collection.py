"""Opening the collection that belongs to an embed output; a missing one is built from its vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vara.artifacts.step import Job, Output
from vara.index.vectors import read_embeddings

if TYPE_CHECKING:
    from backends.stores.collection import Opened


@contextmanager
def open_collection(job: Job, embed: Output, params: Mapping[str, Any]) -> Iterator[Opened]:
    """Open the collection of these vectors for searching.

    Args:
        job: gives the folder of collections, what the environment says of a server, and the watch.
        embed: the vectors; the recipe that made them is the collection's fingerprint.
        params: index.engine, index.m and index.ef_construct.
    """
    from backends.stores.access import engine_of
    from backends.stores.collection import Content, open_index, recipe_of
    from backends.stores.protocol import Spec

    embeddings = read_embeddings(embed.folder)
    spec = Spec(
        dimension=embeddings.documents.shape[1],
        fingerprint=embed.identity["recipe"],
        m=params["index.m"],
        ef_construct=params["index.ef_construct"],
    )
    with open_index(
        engine_of(params["index.engine"], job.settings.qdrant),
        job.settings.collections,
        recipe_of(embeddings.doc_ids, spec),
        lambda: Content(embeddings.doc_ids, embeddings.documents),
        job.watch,
        digest_of=job.settings.digest_of,
    ) as opened:
        yield opened
