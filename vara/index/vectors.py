"""The embeddings of one artifact: float32 rows beside the ids that they belong to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vara.artifacts.canonical import canonical
from vara.errors import Problem

TOLERANCE = 1e-5
"""How far a row's norm may be from 1."""

_ROWS = 16_384
"""Rows that are in double precision at one time."""


@dataclass(frozen=True)
class Embeddings:
    """Unit vectors of documents and queries.

    Attributes:
        doc_ids: ids of the documents that have a vector, in corpus order.
        documents: float32 (n, dim), row i belongs to doc_ids[i].
        query_ids: ids of all queries, in file order.
        queries: float32 (q, dim).
    """

    doc_ids: Sequence[str]
    documents: NDArray[np.float32]
    query_ids: Sequence[str]
    queries: NDArray[np.float32]


def write_embeddings(embeddings: Embeddings, folder: Path) -> None:
    """Write the embeddings as .npy and .json files after checking them.

    Raises:
        Problem: a row is not finite or not of length 1.
    """
    _check(embeddings.documents, embeddings.doc_ids, "document")
    _check(embeddings.queries, embeddings.query_ids, "query")
    np.save(folder / "documents.npy", embeddings.documents, allow_pickle=False)
    np.save(folder / "queries.npy", embeddings.queries, allow_pickle=False)
    (folder / "doc_ids.json").write_text(canonical(list(embeddings.doc_ids)), encoding="utf-8")
    (folder / "query_ids.json").write_text(canonical(list(embeddings.query_ids)), encoding="utf-8")


def read_embeddings(folder: Path) -> Embeddings:
    """Return the embeddings of an artifact; the documents' matrix is mapped, not loaded."""
    return Embeddings(
        doc_ids=json.loads((folder / "doc_ids.json").read_bytes()),
        documents=np.load(folder / "documents.npy", mmap_mode="r", allow_pickle=False),
        query_ids=json.loads((folder / "query_ids.json").read_bytes()),
        queries=np.load(folder / "queries.npy", allow_pickle=False),
    )


def _check(vectors: NDArray[np.float32], ids: Sequence[str], kind: str) -> None:
    if len(vectors) != len(ids):
        raise Problem(
            "embeddings",
            f"{len(vectors)} vectors for {len(ids)} {kind} ids",
            remedy="Report this as a defect of vara.",
        )
    wrong = np.flatnonzero(~(np.abs(_norms(vectors) - 1) <= TOLERANCE))
    if wrong.size:
        raise Problem(
            "embeddings",
            f"{wrong.size} vectors are not finite or not of length 1",
            where=f"{kind} {ids[int(wrong[0])]}",
            remedy="Choose embed.dtype float32, or another model.",
        )


def _norms(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return float64 (n,): the length of each row."""
    norms = np.empty(len(vectors), dtype=np.float64)
    for start in range(0, len(vectors), _ROWS):
        part = slice(start, start + _ROWS)
        norms[part] = np.linalg.norm(vectors[part].astype(np.float64), axis=1)
    return norms
