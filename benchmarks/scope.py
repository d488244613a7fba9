"""What a scope before the cap costs: inside the engine by facets and by a list of ids, and on the exact path.

    python benchmarks/scope.py

Both sides answer the same queries, by turns, in one process. The engine is an edge collection with an HNSW graph; what
it finds is compared with the exact top within the scope. `ids` is how a scope reached the engine before there were
facets: the ids of all visible documents, named again in each query; `ids ready` is the engine's share of that.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from backends.stores.edge import EdgeStore
from backends.stores.points import point_id, unit_query
from backends.stores.protocol import Points, Spec
from vara.artifacts.canonical import canonical
from vara.index.exact import credited, score_blocks
from vara.index.facets import EVERYTHING, Only, conditions, facets_of
from vara.index.scope import Scope
from vara.quality.ranking import best, byte_order

N, DIM, QUERIES, DEPTH, ROUNDS = 30_000, 384, 32, 10, 5
SHARES = {"nearly all": 0.99, "half": 0.5, "tenth": 0.1, "hundredth": 0.01}
NOISE = 1.1  # a machine that does other things besides

IDS = [f"document-{row}" for row in range(N)]
Answer = Callable[[np.ndarray], list[int]]


def data() -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Make unit vectors in weak clusters, queries like them, and which documents each scope lets pass."""
    generator = np.random.default_rng(0)
    centres = generator.normal(size=(200, DIM))
    drawn = [
        centres[generator.integers(0, 200, n)] * 0.7 + generator.normal(size=(n, DIM)) for n in (N, QUERIES)
    ]
    documents, queries = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in drawn)
    masks = {name: generator.random(N) < share for name, share in SHARES.items()}
    return documents.astype(np.float32), queries.astype(np.float32), masks


def metadata(masks: dict[str, np.ndarray]) -> list[str]:
    return [canonical({"in": [name for name, mask in masks.items() if mask[row]]}) for row in range(N)]


def by_facets(store: EdgeStore, only: Only) -> Answer:
    def answer(query: np.ndarray) -> list[int]:
        hits = store.search("docs", query, DEPTH, only=only, exact=False)
        return [int(hit.doc_id.removeprefix("document-")) for hit in hits]

    return answer


def by_ids(store: EdgeStore, mask: np.ndarray, *, ready: bool) -> Answer:
    import qdrant_edge as qe

    shard, _ = store._shard("docs")  # noqa: SLF001 - the store itself no longer takes a list of ids
    visible = [IDS[row] for row in np.flatnonzero(mask)]

    def listed() -> Any:
        return qe.Filter(must=[qe.HasIdCondition({point_id(one) for one in visible})])

    made = listed() if ready else None

    def answer(query: np.ndarray) -> list[int]:
        request = qe.QueryRequest(
            limit=DEPTH + 1,
            query=qe.Query.Nearest(unit_query(query, DIM)),
            filter=made or listed(),
            params=qe.SearchParams(exact=False),
            with_payload=["doc_id"],
        )
        hits = shard.query(request)
        return [int(hit.payload["doc_id"].removeprefix("document-")) for hit in hits][:DEPTH]

    return answer


def timed(sides: dict[str, Answer], queries: np.ndarray) -> tuple[dict[str, float], dict[str, list[Any]]]:
    """Ask all sides by turns; return ms a query in the quickest round, and what each found."""
    spent: dict[str, list[float]] = {name: [] for name in sides}
    found: dict[str, list[Any]] = {}
    for _ in range(ROUNDS):
        for name, side in sides.items():
            start = time.perf_counter()
            found[name] = [side(query) for query in queries]
            spent[name].append(1e3 * (time.perf_counter() - start) / len(queries))
    return {name: min(times) for name, times in spent.items()}, found


def recall(found: list[list[int]], scores: np.ndarray, mask: np.ndarray) -> float:
    pairs = [
        credited(np.asarray(rows, np.int64), row, mask, DEPTH)
        for rows, row in zip(found, scores, strict=True)
    ]
    assert all(mask[rows].all() for rows in found), "something hidden was found"
    return sum(right for right, _ in pairs) / sum(wanted for _, wanted in pairs)


def engine(store: EdgeStore, queries: np.ndarray, scores: np.ndarray, masks: dict[str, np.ndarray]) -> bool:
    """Print a line a scope; return whether facets never cost more than ids."""
    print(f"{'scope':<14}{'visible':>8}  {'facets':>16}  {'ids':>16}  {'ids ready':>16}   ids / facets")
    scopes = {"none": (EVERYTHING, np.ones(N, bool))} | {
        name: (Only(conditions(None, {"in": name})), mask) for name, mask in masks.items()
    }
    fine = True
    for name, (only, mask) in scopes.items():
        sides = {"facets": by_facets(store, only)}
        if name != "none":
            sides |= {word: by_ids(store, mask, ready=word != "ids") for word in ("ids", "ids ready")}
        ms, found = timed(sides, queries)
        cells = [f"{ms[side]:6.2f} ms  R {recall(found[side], scores, mask):.3f}" for side in sides]
        ratio = f"{ms['ids'] / ms['facets']:10.1f} x" if name != "none" else ""
        print(f"{name:<14}{int(mask.sum()):>8}  {'  '.join(f'{cell:>16}' for cell in cells)}  {ratio}")
        fine &= name == "none" or ms["facets"] <= ms["ids"]
    return fine


def exact(documents: np.ndarray, queries: np.ndarray, masks: dict[str, np.ndarray]) -> float:
    """Print the exact path with and without scope; return what scope costs where everything is visible."""
    scope = Scope([False] * N, [None] * N, metadata(masks), {})
    narrow = Scope([False] * N, [None] * N, metadata(masks), {"in": "tenth"})
    positions = byte_order(IDS)

    def plain() -> None:
        for scores in score_blocks(documents, queries):
            best(scores, positions, DEPTH)

    def scoped(one: Scope) -> None:
        for scores in score_blocks(documents, queries):
            rows = np.flatnonzero(one.visible(None))
            conditions(None, {})
            best(scores[rows], positions[rows], DEPTH)

    sides: dict[str, Callable[[], None]] = {
        "without scope": plain,
        "everything visible": lambda: scoped(scope),
        "a tenth visible": lambda: scoped(narrow),
    }
    spent: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(4 * ROUNDS):
        for name, side in sides.items():
            start = time.process_time()
            side()
            spent[name].append(1e3 * (time.process_time() - start) / len(queries))
    ms = {name: min(times) for name, times in spent.items()}
    for name, least in ms.items():
        print(f"{name:<22}{least:6.2f} ms   {least / ms['without scope']:5.2f} x")
    return ms["everything visible"] / ms["without scope"]


def main() -> int:
    documents, queries, masks = data()
    scores = np.array(list(score_blocks(documents, queries)))
    held = [facets_of(False, None, one) for one in metadata(masks)]
    with tempfile.TemporaryDirectory() as folder, closing(EdgeStore(Path(folder))) as store:
        start = time.perf_counter()
        store.create("docs", Spec(DIM, "f" * 64))
        store.upsert("docs", Points(IDS, documents, held))
        store.settle("docs")
        print(f"edge, {store.info('docs').says}, built in {time.perf_counter() - start:.0f} s")
        print(f"{QUERIES} queries, depth {DEPTH}, ms a query in the quickest of {ROUNDS} rounds, and recall:")
        fine = engine(store, queries, scores, masks)
    print(f"exact path, {N:,} x {DIM}, CPU ms a query in the quickest of {4 * ROUNDS} rounds:")
    ratio = exact(documents, queries, masks)
    print(f"scope on the exact path costs {ratio:.2f} x where everything is visible (limit {NOISE:g})")
    return 0 if fine and ratio <= NOISE else 1


if __name__ == "__main__":
    sys.exit(main())
