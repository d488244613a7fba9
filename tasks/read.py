"""Reading what earlier stages made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vara.artifacts.step import Job
from vara.datasets.tables import read_table
from vara.datasets.text import embedded_text

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Corpus:
    """The documents that have a text, and all queries.

    Attributes:
        documents: the documents' table without empty ones, in corpus order; row i has vector i.
        queries: the queries' table.
    """

    documents: pl.DataFrame
    queries: pl.DataFrame

    @cached_property
    def doc_ids(self) -> list[str]:
        """Return the documents' ids."""
        ids: list[str] = self.documents["doc_id"].to_list()
        return ids

    @cached_property
    def id_array(self) -> NDArray[Any]:
        """Return the documents' ids for elementwise comparison."""
        return np.asarray(self.doc_ids, dtype=object)

    @cached_property
    def texts(self) -> list[str]:
        """Return each document's embedded text."""
        return [
            embedded_text(title, text) for title, text in self.documents.select("title", "text").iter_rows()
        ]


def read_corpus(job: Job) -> Corpus:
    """Return the corpus that a job reads as `documents` and `queries`."""
    queries = read_table(job.inputs["queries"].folder / "queries.parquet", "queries")
    return Corpus(read_documents(job), queries)


def read_documents(job: Job) -> pl.DataFrame:
    """Return the documents that a job reads and that have a text, in corpus order."""
    import polars as pl

    documents = read_table(job.inputs["documents"].folder / "documents.parquet", "documents")
    has_text = [bool(embedded_text(*row)) for row in documents.select("title", "text").iter_rows()]
    return documents.filter(pl.Series(has_text, dtype=pl.Boolean))
