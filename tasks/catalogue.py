"""Reading what is looked at beyond relevance: categories, dates and vectors of the documents, and who may see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tasks.truth import Truth
from vara.artifacts.step import Job
from vara.datasets.tables import read_table
from vara.index.scope import Scope
from vara.index.vectors import read_embeddings
from vara.quality.shown import Catalogue

if TYPE_CHECKING:
    import polars as pl

CATEGORY, DATE = "category", "updated_at"
"""The document metadata by which variety and freshness are measured."""

_ISO = r"^(\d{4}-\d{2}-\d{2})(?:$|[T ])"


def read_catalogue(job: Job, truth: Truth) -> tuple[Catalogue, dict[str, NDArray[np.bool_]]]:
    """Return the documents that have a vector, and of each split those that at least one of its queries may see.

    **Conventions**: a category is any value but null, compared as its JSON text (a string as itself). A date is an
    ISO day, alone or before a time; what is none is counted in a note, and the document has no date. Archived
    documents are seen by nobody. `pool.filter` is the search's own choice: what it hides is still missed.
    """
    embeddings = read_embeddings(job.inputs["embed"].folder)
    documents = _documents(job, embeddings.doc_ids)
    dates = documents["date"]
    unread = int((documents["given"].is_not_null() & dates.is_null()).sum())
    if unread:
        job.watch.note(f"documents whose {DATE} is no ISO date have no age: {unread}")
    catalogue = Catalogue(
        rows={doc_id: row for row, doc_id in enumerate(documents["doc_id"])},
        categories=documents["category"].to_list(),
        days=dates.to_physical().cast(float).fill_null(np.nan).to_numpy(),
        vectors=embeddings.documents,
    )
    return catalogue, _visible(job, documents, truth)


def _documents(job: Job, with_vector: Sequence[str]) -> pl.DataFrame:
    """Return a row a vector, in their order."""
    import polars as pl

    table = read_table(job.inputs["documents"].folder / "documents.parquet", "documents")
    metadata = pl.col("metadata").str
    given = metadata.json_path_match(f"$.{DATE}")
    return pl.DataFrame({"doc_id": with_vector}).join(
        table.select(
            "doc_id",
            "archived",
            "audience",
            "metadata",
            category=metadata.json_path_match(f"$.{CATEGORY}"),
            given=given,
            date=given.str.extract(_ISO).str.to_date("%Y-%m-%d", strict=False),
        ),
        on="doc_id",
        how="left",
        maintain_order="left",
    )


def _visible(job: Job, documents: pl.DataFrame, truth: Truth) -> dict[str, NDArray[np.bool_]]:
    """Return split → bool (n,): the documents that one of its queries may see."""
    hiding = documents.select("archived", "audience", "metadata").to_dict(as_series=False)
    scope = Scope(hiding["archived"], hiding["audience"], hiding["metadata"], {})
    queries = read_table(job.inputs["queries"].folder / "queries.parquet", "queries")
    limits = {
        query_id: (tuple(allowed or ()), within)
        for query_id, allowed, within in queries.select("query_id", "allowed", "scope").iter_rows()
    }
    by_split: dict[str, set[tuple[tuple[str, ...], str | None]]] = {}
    for query in truth.queries:
        if query.split is not None:
            by_split.setdefault(query.split, set()).add(limits[query.query_id])
    return {
        split: np.any([scope.visible(*limit) for limit in kinds], axis=0) for split, kinds in by_split.items()
    }
