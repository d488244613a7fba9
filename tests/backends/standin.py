"""A stand-in for a Qdrant server: of its REST API only what the store calls, over loopback, always exact.

It follows Qdrant where that is known from its documentation and source: an alias operation replaces an older
meaning, dropping a collection drops its aliases, a filter without conditions passes nothing it should not. It is
our reading of the API, not the API: the contract tests also run on a real server where QDRANT_URL names one.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tests.backends.loopback import listening
from vara.index.exact import score_blocks

Answer = tuple[int, Any]


@dataclass
class Collection:
    config: dict[str, Any]
    points: dict[str, dict[str, Any]] = field(default_factory=dict)
    indexed: int = 0
    payload_schema: dict[str, Any] = field(default_factory=dict)


@dataclass
class StandIn:
    """What the server holds, and how it answers one request.

    Attributes:
        key: without it every request is refused.
        index_step: points that get into the graph between two looks at an indexing collection.
    """

    key: str = ""
    index_step: int = 10**9
    collections: dict[str, Collection] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def answer(self, method: str, path: str, body: Any, key: str) -> Answer:
        if self.key and key != self.key:
            return (
                401,
                f"Invalid API key or JWT, not {key}",
            )  # a real server is more discreet; the store may not rely on it
        with self.lock:
            for (verb, pattern), handler in _ROUTES.items():
                found = re.fullmatch(pattern, path)
                if found and verb == method:
                    return self._on(handler, found.groups(), body)
        return 404, "no such route"

    def _on(self, handler: Callable[..., Answer], names: tuple[str, ...], body: Any) -> Answer:
        if not names or handler in (_create, _drop):
            return handler(self, *names, body)
        real = self.aliases.get(names[0], names[0])
        if real not in self.collections:
            return 404, f"Not found: Collection `{names[0]}` doesn't exist!"
        return handler(self, self.collections[real], body)


def _names(server: StandIn, _: Any) -> Answer:
    return 200, {"collections": [{"name": name} for name in server.collections]}


def _aliases(server: StandIn, _: Any) -> Answer:
    pairs = server.aliases.items()
    return 200, {"aliases": [{"alias_name": alias, "collection_name": name} for alias, name in pairs]}


def _switch(server: StandIn, body: Any) -> Answer:
    for action in body["actions"]:
        made = action["create_alias"]
        if made["collection_name"] not in server.collections:
            return 404, f"Not found: Collection `{made['collection_name']}` doesn't exist!"
        if made["alias_name"] in server.collections:
            return 409, f"Conflict: Collection `{made['alias_name']}` already exists!"
        server.aliases[made["alias_name"]] = made["collection_name"]
    return 200, True


def _create(server: StandIn, name: str, body: Any) -> Answer:
    if name in server.collections or name in server.aliases:
        return 409, f"Wrong input: Collection `{name}` already exists!"
    server.collections[name] = Collection(body)
    return 200, True


def _drop(server: StandIn, name: str, _: Any) -> Answer:
    server.aliases = {alias: real for alias, real in server.aliases.items() if real != name}
    return 200, server.collections.pop(name, None) is not None


def _change(server: StandIn, collection: Collection, body: Any) -> Answer:
    collection.config["optimizers_config"].update(body["optimizers_config"])
    return 200, True


def _describe(server: StandIn, collection: Collection, _: Any) -> Answer:
    total = len(collection.points) if collection.config["optimizers_config"]["indexing_threshold"] else 0
    said, collection.indexed = collection.indexed, min(total, collection.indexed + server.index_step)
    graph = collection.config["hnsw_config"]
    config = {
        "params": {"vectors": collection.config["vectors"]},
        "hnsw_config": {
            "m": graph["m"],
            "ef_construct": graph["ef_construct"],
            "full_scan_threshold": 10_000,
        },
        "optimizer_config": {"default_segment_number": 0, "flush_interval_sec": 5},
        "metadata": collection.config.get("metadata"),
    }
    return 200, {
        "status": "green" if said in (0, total) else "yellow",  # green before it begins, as the real one
        "optimizer_status": "ok",
        "indexed_vectors_count": said,
        "points_count": len(collection.points),
        "segments_count": 1,
        "config": config,
        "payload_schema": collection.payload_schema,
    }


def _index_field(server: StandIn, collection: Collection, body: Any) -> Answer:
    entry = {"data_type": body["field_schema"], "points": len(collection.points)}
    collection.payload_schema[body["field_name"]] = entry
    return 200, {"operation_id": 0, "status": "completed"}


def _upsert(server: StandIn, collection: Collection, body: Any) -> Answer:
    size = collection.config["vectors"]["size"]
    if any(len(point["vector"]) != size for point in body["points"]):
        return 400, f"Wrong input: Vector dimension error: expected dim: {size}"
    collection.points.update({point["id"]: point for point in body["points"]})
    return 200, {"operation_id": 1, "status": "completed"}


def _delete(server: StandIn, collection: Collection, body: Any) -> Answer:
    for one in body["points"]:
        collection.points.pop(one, None)
    return 200, {"operation_id": 1, "status": "completed"}


def _count(server: StandIn, collection: Collection, body: Any) -> Answer:
    return 200, {"count": sum(passes(body.get("filter"), point) for point in collection.points.values())}


def _scroll(server: StandIn, collection: Collection, body: Any) -> Answer:
    ids = [one for one in sorted(collection.points) if one >= (body.get("offset") or "")]
    page, rest = ids[: body["limit"]], ids[body["limit"] :]
    points = [{"payload": {}, **collection.points[one]} for one in page]
    return 200, {"points": points, "next_page_offset": rest[0] if rest else None}


def _query(server: StandIn, collection: Collection, body: Any) -> Answer:
    points = [point for point in collection.points.values() if passes(body.get("filter"), point)]
    if not points:
        return 200, {"points": []}
    rows = np.array([point["vector"] for point in points], dtype=np.float32)
    scores = next(score_blocks(rows, np.array([body["query"]["nearest"]], dtype=np.float32)))
    best = np.argsort(-scores, kind="stable")[: body["limit"]]
    hits = [
        {"id": points[n]["id"], "version": 0, "score": float(scores[n]), "payload": points[n]["payload"]}
        for n in best
    ]
    return 200, {"points": hits}


def passes(wanted: Any, point: dict[str, Any]) -> bool:
    """Evaluate a filter: `must`, `must_not`, and the two conditions that the store makes."""
    if wanted is None:
        return True
    if "has_id" in wanted:
        return point["id"] in wanted["has_id"]
    if "key" in wanted:
        return not set(wanted["match"]["any"]).isdisjoint(point["payload"].get(wanted["key"], []))
    return all(passes(one, point) for one in wanted.get("must") or []) and not any(
        passes(one, point) for one in wanted.get("must_not") or []
    )


_ONE = "/collections/([^/]+)"
_ROUTES: dict[tuple[str, str], Callable[..., Answer]] = {
    ("GET", "/collections"): _names,
    ("GET", "/aliases"): _aliases,
    ("POST", "/collections/aliases"): _switch,
    ("PUT", _ONE): _create,
    ("DELETE", _ONE): _drop,
    ("PATCH", _ONE): _change,
    ("GET", _ONE): _describe,
    ("PUT", f"{_ONE}/index"): _index_field,
    ("PUT", f"{_ONE}/points"): _upsert,
    ("POST", f"{_ONE}/points/delete"): _delete,
    ("POST", f"{_ONE}/points/count"): _count,
    ("POST", f"{_ONE}/points/scroll"): _scroll,
    ("POST", f"{_ONE}/points/query"): _query,
}


@contextmanager
def serving(server: StandIn, certificate: Path | None = None) -> Iterator[str]:
    """Let a stand-in answer on loopback and yield its address."""

    def respond(request: Any, body: bytes) -> None:
        path = request.path.partition("?")[0]
        status, result = server.answer(
            request.command, path, json.loads(body) if body else None, request.headers.get("api-key", "")
        )
        said = {"result": result, "status": "ok"} if status == 200 else {"status": {"error": result}}
        request.send(status, json.dumps({**said, "time": 0.0}).encode())

    with listening(respond, certificate) as url:
        yield url
