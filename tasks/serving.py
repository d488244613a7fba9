"""The search as a service runs it: one query at a time, from a loaded model, an open collection and a BM25 index.

Nothing comes from the cache of vectors or from the frozen pool: `latency` times what happens here. The first stage is
chosen in `serving`; another one is another `search`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tasks.admission import Admission
from tasks.collection import open_collection
from tasks.read import Corpus
from vara.artifacts.step import Job
from vara.index.candidates import Rows, Scores
from vara.index.fusion import fuse
from vara.index.vectors import read_embeddings
from vara.quality.ranking import best, byte_order

if TYPE_CHECKING:
    from backends.lexical import BM25
    from backends.stores.collection import Opened

Vector = NDArray[np.float32]


@dataclass(frozen=True)
class Query:
    """What a service is asked: a text, by somebody who may read for these audiences."""

    query_id: str
    text: str
    allowed: Sequence[str] | None


@dataclass(frozen=True)
class Found:
    """What the first stage found for one query.

    Attributes:
        rows: row numbers of the candidates, best first.
        scores: float32, the first stage's scores of them.
        vector: of the query.
    """

    rows: Rows
    scores: Scores
    vector: Vector


Encode = Callable[[Query], Vector]
Search = Callable[[Query, Vector], Found]
Rerank = Callable[[Query, Found], Rows]


@dataclass(frozen=True)
class Service:
    """A search that is ready to answer; its functions may be called from several threads at once.

    Attributes:
        encode: query → unit vector.
        search: query and vector → candidates.
        rerank: query and candidates → row numbers in the order that a user sees.
        engine: what holds the vectors and how it searches, in words.
        loading: {part: seconds until it was ready}, without parts that these parameters do not need.
    """

    encode: Encode
    search: Search
    rerank: Rerank
    engine: str
    loading: Mapping[str, float]

    def answer(self, query: Query) -> tuple[Found, Rows]:
        """Return what a user of the service gets: the candidates, and their final order."""
        found = self.search(query, self.encode(query))
        return found, self.rerank(query, found)


@contextmanager
def serving(job: Job, corpus: Corpus) -> Iterator[Service]:
    """Load and open all that the configured search needs, and time each part of it.

    Args:
        job: reads `embed`, with the parameters of embed, index, pool and rerank.
        corpus: what is searched.
    """
    loading: dict[str, float] = {}
    dense, fused = job.params["pool.retriever"] == "dense", job.params["rerank.kind"] == "fusion"
    encode: Encode = _no_vector
    rerank: Rerank = _as_found
    engine = "no collection, BM25 finds the candidates"
    admission = Admission(job, corpus)
    with ExitStack() as stack:
        if dense or fused:
            with _timed(loading, "model"):
                encode = _encoder(job)
        if fused or not dense:
            with _timed(loading, "lexical"):
                bm25 = _lexical(corpus)
            search = _bm25_search(job, corpus, bm25, admission)
            rerank = _fusion(job, corpus, bm25) if fused else rerank
        if dense:
            with open_collection(job, job.inputs["embed"], job.params):
                pass  # built here where it was missing: that is no part of opening it
            with _timed(loading, "collection"):
                opened = stack.enter_context(open_collection(job, job.inputs["embed"], job.params))
            engine = f"{opened.info.engine}, {opened.info.says}"
            search = _dense_search(job, corpus, opened, admission)
        yield Service(encode, search, rerank, engine, loading)


def _encoder(job: Job) -> Encode:
    from backends.encoder import Encoder
    from backends.models import load_registry, verify

    entry = load_registry(job.settings.root / "models.yaml").entry(job.params["embed.model"])
    encoder = Encoder(
        entry,
        verify(entry, job.settings.digest_of),
        dtype=job.params["embed.dtype"],
        max_length=job.params["embed.max_length"],
    )
    too_long = job.params["embed.too_long"]

    def encode(query: Query) -> Vector:
        names = [f"query {query.query_id}"]
        vector: Vector = encoder.encode([query.text], kind="query", too_long=too_long, names=names)[0]
        return vector

    return encode


def _no_vector(query: Query) -> Vector:  # noqa: ARG001 - one of several
    """Return nothing: neither BM25 nor an order left as it was looks at a vector."""
    return np.empty(0, dtype=np.float32)


def _lexical(corpus: Corpus) -> BM25:
    from backends.lexical import BM25

    archived = corpus.documents["archived"]
    return BM25([text if not gone else "" for text, gone in zip(corpus.texts, archived, strict=True)])


def _dense_search(job: Job, corpus: Corpus, opened: Opened, admission: Admission) -> Search:
    depth, exact = job.params["pool.depth"], job.params["pool.search"] == "exact"
    row_of = {doc_id: row for row, doc_id in enumerate(corpus.doc_ids)}

    def search(query: Query, vector: Vector) -> Found:
        only = admission.only(query.query_id, query.allowed)
        hits = opened.store.search(opened.name, vector, depth, only=only, exact=exact)
        rows = np.asarray([row_of[hit.doc_id] for hit in hits], dtype=np.int64)
        return Found(rows, np.asarray([hit.score for hit in hits], dtype=np.float32), vector)

    return search


def _bm25_search(job: Job, corpus: Corpus, bm25: BM25, admission: Admission) -> Search:
    depth, positions = job.params["pool.depth"], byte_order(corpus.doc_ids)

    def search(query: Query, vector: Vector) -> Found:
        scores = bm25.scores(query.text)
        rows = np.flatnonzero(admission.visible(query.query_id, query.allowed) & (scores > 0))
        rows = rows[best(scores[rows], positions[rows], depth)]
        return Found(rows, scores[rows], vector)

    return search


def _fusion(job: Job, corpus: Corpus, bm25: BM25) -> Rerank:
    weight, dense = job.params["rerank.weight"], job.params["pool.retriever"] == "dense"
    documents, positions = read_embeddings(job.inputs["embed"].folder).documents, byte_order(corpus.doc_ids)

    def rerank(query: Query, found: Found) -> Rows:
        if dense:
            scores = fuse(found.scores, bm25.scores(query.text)[found.rows], weight)
        else:
            cosines = documents[found.rows].astype(np.float64) @ found.vector.astype(np.float64)
            scores = fuse(cosines.astype(np.float32), found.scores, weight)
        return found.rows[best(scores, positions[found.rows], len(found.rows))]

    return rerank


def _as_found(query: Query, found: Found) -> Rows:  # noqa: ARG001 - one of several
    return found.rows


@contextmanager
def _timed(loading: dict[str, float], part: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    loading[part] = time.perf_counter() - started
