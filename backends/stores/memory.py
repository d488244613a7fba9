"""The `memory` engine: qdrant-client's local mode. Always exact; for tests and small collections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.stores.conditions import condition
from backends.stores.points import (
    DOC_ID,
    FACETS,
    check_name,
    cut,
    payload_of,
    point_id,
    prepared,
    unit_query,
)
from backends.stores.protocol import Hit, Info, Points, Spec
from vara.errors import Problem
from vara.index.facets import EVERYTHING, Only


class MemoryStore:
    """Collections in this process, gone with it."""

    def __init__(self) -> None:
        from qdrant_client import QdrantClient

        self._client: Any = QdrantClient(":memory:")
        self._specs: dict[str, Spec] = {}
        self._aliases: dict[str, str] = {}

    def create(self, name: str, spec: Spec) -> None:
        """Make an empty collection."""
        from qdrant_client import models

        if check_name(name) in self._specs or name in self._aliases:
            raise Problem(
                "collection", f"{name} is there already", remedy="Drop it first, or take another name."
            )
        vectors = models.VectorParams(size=spec.dimension, distance=models.Distance.DOT)
        self._client.create_collection(name, vectors_config=vectors)
        self._specs[name] = spec

    def upsert(self, name: str, points: Points) -> None:
        """Insert or replace points."""
        from qdrant_client import models

        real = self._real(name)
        unit = prepared(points, self._specs[real].dimension)
        made = [
            models.PointStruct(id=point_id(one), vector=row.tolist(), payload=payload_of(one, facets))
            for one, row, facets in zip(points.ids, unit, points.facets, strict=True)
        ]
        if made:
            self._client.upsert(real, made)

    def delete(self, name: str, ids: Sequence[str]) -> None:
        """Remove points."""
        from qdrant_client import models

        self._client.delete(self._real(name), models.PointIdsList(points=[point_id(one) for one in ids]))

    def settle(self, name: str) -> None:
        """Do nothing but check the name: there is no graph, and nothing is durable."""
        self._real(name)

    def search(
        self,
        name: str,
        vector: NDArray[np.float32],
        k: int,
        *,
        only: Only = EVERYTHING,
        exact: bool = True,  # noqa: ARG002 - this engine knows nothing else
        ef: int | None = None,  # noqa: ARG002 - likewise
    ) -> list[Hit]:
        """Return the k best points."""
        real = self._real(name)
        query, passes = unit_query(vector, self._specs[real].dimension), condition(only)

        def fetch(limit: int) -> list[Hit]:
            answer = self._client.query_points(
                real, query=query, limit=limit, query_filter=passes, with_payload=[DOC_ID]
            )
            return [Hit(point.payload[DOC_ID], point.score) for point in answer.points]

        return cut(fetch, k)

    def scroll(self, name: str, *, batch: int = 1000) -> Iterator[Points]:
        """Yield all points."""
        real, offset = self._real(name), None
        while True:
            records, offset = self._client.scroll(
                real, limit=batch, offset=offset, with_vectors=True, with_payload=[DOC_ID, FACETS]
            )
            if records:
                vectors = np.array([one.vector for one in records], dtype=np.float32)
                ids = [one.payload[DOC_ID] for one in records]
                yield Points(ids, vectors, [one.payload[FACETS] for one in records])
            if offset is None:
                return

    def count(self, name: str, *, only: Only = EVERYTHING) -> int:
        """Return the number of points that pass `only`."""
        return int(self._client.count(self._real(name), count_filter=condition(only), exact=True).count)

    def info(self, name: str) -> Info:
        """Return what is known of a collection."""
        return Info("memory", self._specs[self._real(name)], self.count(name), indexed=0)

    def switch(self, alias: str, name: str) -> None:
        """Let `alias` mean `name`."""
        if check_name(alias) in self._specs:
            raise Problem("alias", f"{alias} is a collection", remedy="Take another name.")
        self._real(name)
        self._aliases[alias] = name

    def drop(self, name: str) -> None:
        """Remove a collection."""
        if self._specs.pop(name, None):
            self._client.delete_collection(name)

    def close(self) -> None:
        """Release the client."""
        self._client.close()

    def _real(self, name: str) -> str:
        real = self._aliases.get(name, name)
        if real not in self._specs:
            raise Problem("collection", f"no {name}", remedy="Run the index stage.")
        return real
