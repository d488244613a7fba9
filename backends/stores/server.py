"""The `server` engine: collections on a Qdrant server, over a network that may fail.

Points go in parcels, a few at once; each request is tried again while there is hope (`retries`). A collection
carries its `Spec` in its metadata, so that one of another recipe is never taken for it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.stores.access import Access
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
from backends.stores.retries import Absent, Caller, Refused
from backends.stores.sending import parcels, send_all
from backends.stores.settling import wait_until_indexed
from vara.artifacts.canonical import canonical
from vara.errors import Problem
from vara.index.facets import EVERYTHING, Only
from vara.watch import Silence, Watch

GRAPH_FROM_KB = 10_000
"""KiB of vectors from which a collection gets HNSW, all of it; below, every search is exact."""

PARCEL_BYTES = 2 << 20
"""JSON of one upsert; a server takes 32 MiB unless told otherwise."""

AT_ONCE = 4
"""Upserts on their way."""

_FLOAT_BYTES, _POINT_BYTES = 22, 100
_MARK = "vara"


class ServerStore:
    """Collections of one server.

    Args:
        access: the way to it.
        watch: is told how indexing goes.
        random: draws the waits between attempts.
    """

    def __init__(self, access: Access, *, watch: Watch | None = None, random: Random | None = None) -> None:
        self._client: Any = access.connect()
        self._where, self._patience, self._watch = access.where, access.patience, watch or Silence()
        self._call = Caller(access.patience, access.where, secret=access.key, random=random)
        self._specs: dict[str, Spec] = {}

    def create(self, name: str, spec: Spec) -> None:
        """Make an empty collection. Its graph waits for `settle`: building it while points come in costs twice."""
        from qdrant_client import models

        made = uuid.uuid4().hex
        vectors = models.VectorParams(size=spec.dimension, distance=models.Distance.DOT)
        graph = models.HnswConfigDiff(m=spec.m, ef_construct=spec.ef_construct)
        later = models.OptimizersConfigDiff(indexing_threshold=0)
        mark = {_MARK: {"spec": asdict(spec), "made": made}}
        try:
            self._call(
                f"create {check_name(name)}",
                lambda: self._client.create_collection(
                    name, vectors, hnsw_config=graph, optimizers_config=later, metadata=mark
                ),
            )
        except Refused as refusal:
            if not self._is_there(name):
                raise
            if self._mark(name)[1].get("made") != made:  # else: done at an attempt whose answer was lost
                remedy = "Drop it first, or take another name."
                raise Problem("collection", f"{name} is there already", remedy=remedy) from refusal
        # Before the graph is built: it then gets edges within what filters let pass.
        keyword, index = models.PayloadSchemaType.KEYWORD, self._client.create_payload_index
        self._call(f"index {FACETS} of {name}", lambda: index(name, FACETS, keyword, wait=True), name=name)

    def upsert(self, name: str, points: Points) -> None:
        """Insert or replace points: all of them, or a Problem."""
        ids, _, facets = points
        unit = prepared(points, self._spec(name).dimension)
        row = _POINT_BYTES + _FLOAT_BYTES * unit.shape[1]
        sizes = (row + len(canonical([one, *held]).encode()) for one, held in zip(ids, facets, strict=True))

        def send(part: slice) -> None:
            from qdrant_client import models

            made = [
                models.PointStruct(id=point_id(one), vector=vector.tolist(), payload=payload_of(one, held))
                for one, vector, held in zip(ids[part], unit[part], facets[part], strict=True)
            ]
            self._call("upsert points", lambda: self._client.upsert(name, made, wait=True), name=name)

        send_all(parcels(sizes, PARCEL_BYTES), send, at_once=AT_ONCE)

    def delete(self, name: str, ids: Sequence[str]) -> None:
        """Remove points."""
        from qdrant_client import models

        gone = models.PointIdsList(points=[point_id(one) for one in ids])
        self._call("delete points", lambda: self._client.delete(name, gone, wait=True), name=name)

    def settle(self, name: str) -> None:
        """Have the graph built where the collection is large enough, and wait for it."""
        from qdrant_client import models

        count = self.count(name)
        large = count * self._spec(name).dimension * 4 >= GRAPH_FROM_KB * 1024
        if large:  # in every segment, however small: a graph over a part of the points answers for none
            now = models.OptimizersConfigDiff(indexing_threshold=1)
            update = self._client.update_collection
            self._call(f"index {name}", lambda: update(name, optimizers_config=now), name=name)
        wait_until_indexed(
            lambda: self._state(name),
            f"{name} on {self._where}",
            wanted=count if large else 0,
            patience=self._patience,
            watch=self._watch,
        )

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
        from qdrant_client import models

        query, passes = unit_query(vector, self._spec(name).dimension), condition(only)
        how = models.SearchParams(exact=exact, hnsw_ef=ef)

        def request(limit: int) -> Any:
            return self._client.query_points(
                name, query=query, limit=limit, query_filter=passes, search_params=how, with_payload=[DOC_ID]
            )

        def fetch(limit: int) -> list[Hit]:
            answer = self._call("search", lambda: request(limit), name=name)
            return [Hit(_doc_id(point), point.score) for point in answer.points]

        return cut(fetch, k)

    def scroll(self, name: str, *, batch: int = 1000) -> Iterator[Points]:
        """Yield all points."""
        offset: Any = None
        while True:
            records, offset = self._call("read points", lambda: self._page(name, batch, offset), name=name)  # noqa: B023 - called at once
            if records:
                vectors = np.array([one.vector for one in records], dtype=np.float32)
                facets = [(one.payload or {}).get(FACETS, []) for one in records]
                yield Points([_doc_id(one) for one in records], vectors, facets)
            if offset is None:
                return

    def _page(self, name: str, limit: int, offset: Any) -> Any:
        fields = [DOC_ID, FACETS]
        return self._client.scroll(name, limit=limit, offset=offset, with_vectors=True, with_payload=fields)

    def count(self, name: str, *, only: Only = EVERYTHING) -> int:
        """Return the number of points that pass `only`."""
        passes = condition(only)
        counted = self._call(
            "count points", lambda: self._client.count(name, count_filter=passes, exact=True), name=name
        )
        return int(counted.count)

    def info(self, name: str) -> Info:
        """Return what the server says of a collection. Problem: there is none, or it is not vara's."""
        state, mark = self._mark(name)
        if "spec" not in mark:
            expected = "one that vara made, on Qdrant 1.16 or newer"
            remedy = "Drop it or take another name."
            found = f"{name} carries no recipe"
            raise Problem("collection", found, expected=expected, where=self._where, remedy=remedy)
        return Info("server", Spec(**mark["spec"]), self.count(name), int(state.indexed_vectors_count or 0))

    def switch(self, alias: str, name: str) -> None:
        """Let `alias` mean `name`: one operation, after which every request finds the new collection."""
        from qdrant_client import models

        names = self.names()
        if check_name(alias) in names:
            raise Problem("alias", f"{alias} is a collection", remedy="Take another name.")
        if name not in names:
            raise Absent("collection", f"no {name}", where=self._where, remedy="Run the index stage.")
        meaning = models.CreateAlias(collection_name=name, alias_name=alias)  # replaces an older meaning
        actions = [models.CreateAliasOperation(create_alias=meaning)]
        self._call(f"switch {alias}", lambda: self._client.update_collection_aliases(actions), name=name)
        self._specs.pop(alias, None)

    def drop(self, name: str) -> None:
        """Remove a collection, and the aliases that mean it."""
        self._call(f"drop {name}", lambda: self._client.delete_collection(name))
        self._specs.clear()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def names(self) -> list[str]:
        """Return the names of all collections of the server, aliases not among them."""
        listed = self._call("list collections", self._client.get_collections)
        return sorted(one.name for one in listed.collections)

    def meaning(self, alias: str) -> str | None:
        """Return the collection that `alias` means, if it is one."""
        listed = self._call("list aliases", self._client.get_aliases).aliases
        return next((one.collection_name for one in listed if one.alias_name == alias), None)

    def _is_there(self, name: str) -> bool:
        return name in self.names() or self.meaning(name) is not None

    def _state(self, name: str) -> Any:
        return self._call(f"describe {name}", lambda: self._client.get_collection(name), name=name)

    def _mark(self, name: str) -> tuple[Any, Mapping[str, Any]]:
        state = self._state(name)
        return state, (state.config.metadata or {}).get(_MARK, {})

    def _spec(self, name: str) -> Spec:
        """Return a collection's spec, remembered: it only checks the dimension, and so does the server."""
        if name not in self._specs:
            self._specs[name] = self.info(name).spec
        return self._specs[name]


def _doc_id(point: Any) -> str:
    return str((point.payload or {}).get(DOC_ID, point.id))
