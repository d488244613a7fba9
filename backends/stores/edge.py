"""The `edge` engine: qdrant-edge-py, Qdrant itself in this process, with HNSW where a collection is large.

A collection is a folder: `spec.json` and the engine's shard. An alias is a file with a collection's name.
The engine writes to its files even when it only searches, so one process has a collection open at a time;
`opening.open_index` gives each reader a copy of its own.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

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

INDEXING_THRESHOLD_KB = 10_000
"""KiB of vectors in a segment from which HNSW is built; below, and under narrow filters, search is exact."""

_SPEC, _SHARD, _LOCK, _ALIAS = "spec.json", "shard", "lock", ".alias"


class EdgeStore:
    """Collections in the folders of `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._open: dict[str, tuple[Any, Spec, IO[str]]] = {}

    def create(self, name: str, spec: Spec) -> None:
        """Make an empty collection."""
        import qdrant_edge as qe

        folder = self.root / check_name(name)
        if folder.exists() or self._pointer(name).exists():
            raise Problem(
                "collection", f"{name} is there already", remedy="Drop it first, or take another name."
            )
        (folder / _SHARD).mkdir(parents=True)
        graph = qe.HnswIndexConfig(spec.m, spec.ef_construct, full_scan_threshold=INDEXING_THRESHOLD_KB)
        config = qe.EdgeConfig(
            vectors=qe.EdgeVectorParams(size=spec.dimension, distance=qe.Distance.Dot),
            hnsw_config=graph,
            optimizers=qe.EdgeOptimizersConfig(indexing_threshold=INDEXING_THRESHOLD_KB),
            wal_enabled=False,  # a log is 128 MiB of file; we flush, and a broken collection is built anew
        )
        lock = _lock(folder)
        shard = qe.EdgeShard.create(str(folder / _SHARD), config)
        # Before the graph is built: it then gets edges within what filters let pass.
        shard.update(qe.UpdateOperation.create_field_index(FACETS, qe.PayloadSchemaType.Keyword))
        self._open[name] = (shard, spec, lock)
        (folder / _SPEC).write_text(json.dumps(asdict(spec)), encoding="utf-8")

    def upsert(self, name: str, points: Points) -> None:
        """Insert or replace points; they are durable after `settle`."""
        import qdrant_edge as qe

        shard, spec = self._shard(name)
        unit = prepared(points, spec.dimension)
        made = [
            qe.Point(point_id(one), row.tolist(), payload_of(one, facets))
            for one, row, facets in zip(points.ids, unit, points.facets, strict=True)
        ]
        if made:
            shard.update(qe.UpdateOperation.upsert_points(made))

    def delete(self, name: str, ids: Sequence[str]) -> None:
        """Remove points."""
        import qdrant_edge as qe

        shard, _ = self._shard(name)
        shard.update(qe.UpdateOperation.delete_points([point_id(one) for one in ids]))

    def settle(self, name: str) -> None:
        """Build the HNSW graph where the collection is large enough, and write all to the disk."""
        shard, _ = self._shard(name)
        shard.optimize()
        shard.flush()

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
        """Return the k best points."""
        import qdrant_edge as qe

        shard, spec = self._shard(name)
        query = qe.Query.Nearest(unit_query(vector, spec.dimension))
        how = qe.SearchParams(exact=exact, hnsw_ef=ef)
        condition = _filter(only)

        def fetch(limit: int) -> list[Hit]:
            request = qe.QueryRequest(
                limit=limit, query=query, filter=condition, params=how, with_payload=[DOC_ID]
            )
            return [Hit(point.payload[DOC_ID], point.score) for point in shard.query(request)]

        return cut(fetch, k)

    def scroll(self, name: str, *, batch: int = 1000) -> Iterator[Points]:
        """Yield all points."""
        import qdrant_edge as qe

        shard, _ = self._shard(name)
        offset = None
        while True:
            request = qe.ScrollRequest(
                offset=offset, limit=batch, with_payload=[DOC_ID, FACETS], with_vector=True
            )
            records, offset = shard.scroll(request)
            if records:
                vectors = np.array([one.vector for one in records], dtype=np.float32)
                ids = [one.payload[DOC_ID] for one in records]
                yield Points(ids, vectors, [one.payload[FACETS] for one in records])
            if offset is None:
                return

    def count(self, name: str, *, only: Only = EVERYTHING) -> int:
        """Return the number of points that pass `only`."""
        import qdrant_edge as qe

        shard, _ = self._shard(name)
        return int(shard.count(qe.CountRequest(exact=True, filter=_filter(only))))

    def info(self, name: str) -> Info:
        """Return what the engine says of a collection."""
        shard, spec = self._shard(name)
        engine = shard.info()
        return Info("edge", spec, int(engine.points_count), int(engine.indexed_vectors_count))

    def switch(self, alias: str, name: str) -> None:
        """Let `alias` mean `name`: a reader finds the old collection or the new one, never none."""
        if (self.root / check_name(alias)).exists():
            raise Problem("alias", f"{alias} is a collection", remedy="Take another name.")
        self._folder(name)
        fresh = self._pointer(alias).with_suffix(f".{os.getpid()}")
        fresh.write_text(name, encoding="utf-8")
        fresh.replace(self._pointer(alias))

    def drop(self, name: str) -> None:
        """Remove a collection."""
        self._close(name)
        shutil.rmtree(self.root / check_name(name), ignore_errors=True)

    def close(self) -> None:
        """Write all to the disk and let other processes open the collections."""
        for name in list(self._open):
            self._close(name)

    def _close(self, name: str) -> None:
        if name in self._open:
            shard, _, lock = self._open.pop(name)
            shard.flush()
            shard.close()
            lock.close()

    def _pointer(self, alias: str) -> Path:
        return self.root / f"{alias}{_ALIAS}"

    def _folder(self, name: str) -> Path:
        pointer = self._pointer(check_name(name))
        folder = self.root / (pointer.read_text(encoding="utf-8") if pointer.is_file() else name)
        if not (folder / _SPEC).is_file():
            raise Problem("collection", f"no {name}", where=str(self.root), remedy="Run the index stage.")
        return folder

    def _shard(self, name: str) -> tuple[Any, Spec]:
        folder = self._folder(name)
        if folder.name not in self._open:
            import qdrant_edge as qe

            lock = _lock(folder)
            spec = Spec(**json.loads((folder / _SPEC).read_text(encoding="utf-8")))
            self._open[folder.name] = (qe.EdgeShard.load(str(folder / _SHARD)), spec, lock)
        shard, spec, _ = self._open[folder.name]
        return shard, spec


def _lock(folder: Path) -> IO[str]:
    file = (folder / _LOCK).open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise Problem(
            "collection",
            f"{folder.name} is open in another process",
            where=str(folder),
            remedy="Wait for it, or read a copy.",
        ) from None
    return file


def _filter(only: Only) -> Any:
    import qdrant_edge as qe

    if not only.holds and not only.without:
        return None
    return qe.Filter(
        must=[qe.FieldCondition(FACETS, match=qe.MatchAny(list(either))) for either in only.holds],
        must_not=[qe.HasIdCondition({point_id(one) for one in only.without})] if only.without else None,
    )
