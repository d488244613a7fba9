"""What every vector store can do. A collection holds unit vectors under document ids, compared by product.

Engines differ in how they search, never in what an id, a filter or a tie means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from vara.index.facets import EVERYTHING, Facets, Only


@dataclass(frozen=True)
class Spec:
    """What a collection is made for; it never takes vectors of another recipe.

    Attributes:
        dimension: components of a vector.
        fingerprint: digest of the recipe of its vectors.
        m: edges a node of the HNSW graph.
        ef_construct: candidates looked at while the graph is built.
    """

    dimension: int
    fingerprint: str
    m: int = 16
    ef_construct: int = 128


class Points(NamedTuple):
    """Documents as a collection holds them.

    Attributes:
        ids: document ids.
        vectors: float32 (n, dim), row i belongs to ids[i].
        facets: what each document holds, for filters.
    """

    ids: Sequence[str]
    vectors: NDArray[np.float32]
    facets: Sequence[Facets]

    def part(self, rows: slice) -> Points:
        """Return a stretch of them."""
        return Points(self.ids[rows], self.vectors[rows], self.facets[rows])


class Hit(NamedTuple):
    """A found document and its similarity, as the engine computed it."""

    doc_id: str
    score: float


@dataclass(frozen=True)
class Info:
    """What an engine says of a collection.

    Attributes:
        indexed: points that are in an HNSW graph.
    """

    engine: str
    spec: Spec
    count: int
    indexed: int

    @property
    def says(self) -> str:
        """Return in words how an approximate search would run."""
        if self.indexed == 0:
            return f"no HNSW: small collection ({self.count:,} points, every search is exact)"
        if self.indexed < self.count:
            return f"HNSW over {self.indexed:,} of {self.count:,} points"
        return f"HNSW over all {self.count:,} points"


class VectorStore(Protocol):
    """Named collections. A `name` may be an alias, but for create, switch and drop."""

    def create(self, name: str, spec: Spec) -> None:
        """Make an empty collection. Problem: there is one of that name."""

    def upsert(self, name: str, points: Points) -> None:
        """Insert or replace points. Problem: zero, not finite, of another dimension, or ids twice."""

    def delete(self, name: str, ids: Sequence[str]) -> None:
        """Remove points; ids that are not there do not matter."""

    def settle(self, name: str) -> None:
        """Build what the engine would build in the background, and make all durable."""

    def search(
        self,
        name: str,
        vector: NDArray[np.float32],
        k: int,
        *,
        only: Only = EVERYTHING,
        exact: bool = True,
        ef: int | None = None,
    ) -> list[Hit]:
        """Return the k best points, best first, ties by document id descending (see `points.cut`).

        Args:
            name: collection.
            vector: (dimension,), any length but zero.
            k: how many, fewer where fewer pass `only`.
            only: which points may be found.
            exact: whether every point is compared, or the HNSW graph is walked where there is one.
            ef: candidates of that walk; None: the engine's choice.
        """

    def scroll(self, name: str, *, batch: int = 1000) -> Iterator[Points]:
        """Yield all points, at most `batch` at a time, in the order of the engine."""

    def count(self, name: str, *, only: Only = EVERYTHING) -> int:
        """Return the exact number of points that pass `only`."""

    def info(self, name: str) -> Info:
        """Return what the engine says of a collection. Problem: there is none."""

    def switch(self, alias: str, name: str) -> None:
        """Let `alias` mean the collection `name` from now on, in one step."""

    def drop(self, name: str) -> None:
        """Remove a collection; one that is not there does not matter."""

    def close(self) -> None:
        """Release all that is open."""
