"""The search as a service runs it: one query at a time, from a loaded model, an open collection and a BM25 index.

Nothing comes from the cache of vectors or from the frozen pool: `latency` times what happens here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tasks.admission import Admission, Query
from tasks.approximate import Engine, searching
from tasks.lexical import lexical_index
from tasks.read import Corpus
from vara.artifacts.step import Job
from vara.index.fusion import fuse
from vara.index.retrieval import Ranking, Retrieval, Rows, Scores, ranking, reordered, retrieval_of
from vara.index.titles import Titles
from vara.index.vectors import read_embeddings
from vara.quality.ranking import byte_order

if TYPE_CHECKING:
    from backends.lexical.bm25 import BM25

Vector = NDArray[np.float32]


@dataclass(frozen=True)
class Found:
    """What the first stage found for one query.

    Attributes:
        rows: row numbers of the candidates: the ranked ones, best first, then those that their title guarantees.
        n_ranked: how many are ranked.
        vector: of the query; of no component where nothing looks at it.
        words: float32 (n,), BM25 scores of all documents, where the search needed them.
    """

    rows: Rows
    n_ranked: int
    vector: Vector
    words: Scores | None


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
        job: reads `embed`, with the parameters of embed, index, lexical, pool and rerank.
        corpus: what is searched.
    """
    loading: dict[str, float] = {}
    retrieval, fused = retrieval_of(job.params), job.params["rerank.kind"] == "fusion"
    encode: Encode = _no_vector
    bm25 = engine = None
    with ExitStack() as stack:
        if fused or "dense" in retrieval.lists:
            with _timed(loading, "model"):
                encode = _encoder(job)
        if fused or "bm25" in retrieval.lists:
            with _timed(loading, "lexical"):
                bm25 = lexical_index(corpus.documents, job.params)
        if "dense" in retrieval.lists:
            exact = job.params["pool.search"] == "exact"
            with searching(job, corpus, job.params, exact=exact):
                pass  # built here where it was missing: that is no part of opening it
            with _timed(loading, "collection"):
                engine = stack.enter_context(searching(job, corpus, job.params, exact=exact))
        first = FirstStage(job, corpus, retrieval, engine, bm25)
        says = engine.says if engine else "no collection, BM25 finds the candidates"
        yield Service(encode, first.search, first.fused if fused else _as_found, says, loading)


class FirstStage:
    """Candidates for one query at a time, by the same rules as the frozen pool's, and their fusion."""

    def __init__(
        self, job: Job, corpus: Corpus, retrieval: Retrieval, engine: Engine | None, bm25: BM25 | None
    ) -> None:
        self._retrieval, self._engine, self._bm25 = retrieval, engine, bm25
        self._admission = Admission(corpus, job.params)
        self._positions = byte_order(corpus.doc_ids)
        self._documents = read_embeddings(job.inputs["embed"].folder).documents
        self._weight: float = job.params["rerank.weight"]
        guaranteed = job.params["pool.title_guarantee"]
        self._titles = Titles(corpus.documents["title"].to_list()) if guaranteed else None

    def search(self, query: Query, vector: Vector) -> Found:
        """Return the candidates of a query."""
        lists: dict[str, Ranking] = {}
        words = None
        if "bm25" in self._retrieval.lists and self._bm25 is not None:
            visible = self._admission.visible(query)
            words = self._bm25.answer(query.text, visible).scores
            rows = np.flatnonzero(visible & (words > 0))
            lists["bm25"] = ranking(words, rows, self._positions, self._retrieval.asked_of("bm25"))
        if self._engine is not None:
            depth = self._retrieval.asked_of("dense") or len(self._positions)
            rows = self._engine.find(vector, self._admission.only(query), depth)
            lists["dense"] = Ranking(rows, self._cosines(rows, vector))
        first = self._retrieval.joined(lists, self._positions).rows
        behind = self._guaranteed(query, vector, words, first)
        return Found(np.concatenate([first, behind]), first.size, vector, words)

    def fused(self, query: Query, found: Found) -> Rows:
        """Return the candidates in the order of fused scores."""
        words = found.words
        if words is None and self._bm25 is not None:
            words = self._bm25.answer(query.text, self._admission.visible(query)).scores
        lexical = np.zeros(found.rows.size, np.float32) if words is None else words[found.rows]
        scores = fuse(self._cosines(found.rows, found.vector), lexical, self._weight, found.n_ranked)
        return found.rows[reordered(scores, self._positions[found.rows], found.n_ranked)]

    def _guaranteed(self, query: Query, vector: Vector, words: Scores | None, first: Rows) -> Rows:
        if self._titles is None:
            return np.empty(0, dtype=np.int64)
        titled = self._titles.holding(query.text)
        rows = np.setdiff1d(titled[self._admission.visible(query)[titled]], first)
        scores = self._cosines(rows, vector) if words is None or self._engine is not None else words[rows]
        return rows[reordered(scores, self._positions[rows], rows.size)]

    def _cosines(self, rows: Rows, vector: Vector) -> Scores:
        return (self._documents[rows].astype(np.float64) @ vector.astype(np.float64)).astype(np.float32)


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


def _as_found(query: Query, found: Found) -> Rows:  # noqa: ARG001 - one of several
    return found.rows


@contextmanager
def _timed(loading: dict[str, float], part: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    loading[part] = time.perf_counter() - started
