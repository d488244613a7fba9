"""What a million documents occupy: collections of the edge engine by data type and dimension, and vara's own files.

    python benchmarks/sizes.py                              # 20,000 vectors a collection; a few minutes
    python benchmarks/sizes.py --write docs/guides/scale.md # replaces the table there

Each collection holds random unit vectors and has its HNSW graph (m 16, ef_construct 128). Disk is what its blocks
occupy, since the engine's files are mostly holes. RAM is by how much a fresh process grows that opens it and searches
1,000 times; with float32 and nothing else it is a collection as vara makes it, the others are the engine's alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from backends.stores.edge import INDEXING_THRESHOLD_KB, EdgeStore  # noqa: E402 - found through the line above
from backends.stores.protocol import Spec  # noqa: E402
from benchmarks.marks import write_between  # noqa: E402
from benchmarks.process import Memory, disk, memory  # noqa: E402
from vara.artifacts.items import ItemCache  # noqa: E402
from vara.report.table import markdown  # noqa: E402

MILLION, GB = 1_000_000, 1_000_000_000
BATCH, QUERIES, WORDS = 1000, 1000, 11
HEAD = dict.fromkeys(("dimension", "what", "raw", "disk", "RAM"), "–")
SHARD = "c/shard"
DIMENSIONS = (384, 768, 1024)
OURS = "float32"
KINDS = (OURS, "float16", "uint8", "float32 and int8 scalar", "float32 and 1-bit binary")
BYTES = {
    OURS: 4.0,
    "float16": 2.0,
    "uint8": 1.0,
    "float32 and int8 scalar": 5.0,
    "float32 and 1-bit binary": 4.125,
}
"""Bytes of a component, as arithmetic has it; a quantised collection keeps the originals beside."""


def vectors(n: int, dimension: int, seed: int) -> NDArray[np.float32]:
    """Return random unit rows."""
    rows = np.random.default_rng(seed).normal(size=(n, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def build(folder: Path, kind: str, n: int, dimension: int) -> None:
    """Build a collection with its graph; float32 through vara's store, the others through the engine itself."""
    if kind != OURS:
        _build_with_engine(folder, kind, n, dimension)
        return
    store = EdgeStore(folder)
    store.create("c", Spec(dimension, "f" * 64))
    for start in range(0, n, BATCH):
        ids = [f"d{number:07}" for number in range(start, start + BATCH)]
        store.upsert("c", ids, vectors(BATCH, dimension, start))
    store.settle("c")
    indexed = store.info("c").indexed
    store.close()
    assert indexed == n, f"{indexed} of {n} in the graph"


def _build_with_engine(folder: Path, kind: str, n: int, dimension: int) -> None:
    import qdrant_edge as qe

    types = {"float16": qe.VectorStorageDatatype.Float16, "uint8": qe.VectorStorageDatatype.Uint8}
    quantised = {
        "float32 and int8 scalar": partial(qe.ScalarQuantizationConfig, qe.ScalarType.Int8, always_ram=True),
        "float32 and 1-bit binary": partial(qe.BinaryQuantizationConfig, always_ram=True),
    }
    config = qe.EdgeConfig(
        vectors=qe.EdgeVectorParams(
            size=dimension,
            distance=qe.Distance.Dot,
            datatype=types.get(kind),
            quantization_config=quantised[kind]() if kind in quantised else None,
        ),
        hnsw_config=qe.HnswIndexConfig(16, 128, full_scan_threshold=INDEXING_THRESHOLD_KB),
        optimizers=qe.EdgeOptimizersConfig(indexing_threshold=100),  # a graph whatever the size
        wal_enabled=False,
    )
    shard = folder / SHARD
    shard.mkdir(parents=True)
    engine = qe.EdgeShard.create(str(shard), config)
    for start in range(0, n, BATCH):
        rows = _stored(vectors(BATCH, dimension, start), kind)
        points = [
            qe.Point(f"{number:032x}", row.tolist(), {"doc_id": f"d{number:07}"})
            for number, row in enumerate(rows, start=start)
        ]
        engine.update(qe.UpdateOperation.upsert_points(points))
    engine.optimize()
    engine.flush()
    indexed = int(engine.info().indexed_vectors_count)
    engine.close()
    assert indexed == n, f"{indexed} of {n} in the graph"


def _stored(rows: NDArray[np.float32], kind: str) -> NDArray[np.float32]:
    """Return what is sent: uint8 holds whole numbers from 0 to 255."""
    return np.clip(np.rint(rows * 500 + 128), 0, 255) if kind == "uint8" else rows


def search(folder: Path, dimension: int, kind: str) -> dict[str, int]:
    """Open a collection, search it, and return by how many bytes this process grew.

    A small one of the same kind was opened and searched before, so that code, threads and buffers do not count.
    """
    queries = _stored(vectors(QUERIES, dimension, 10**9), kind)
    with tempfile.TemporaryDirectory(prefix="vara-sizes-") as small:
        _build_with_engine(Path(small), kind, 2 * BATCH, dimension)
        first = _searched(Path(small), queries)
        before = memory(os.getpid())
        second = _searched(folder, queries)
        after = memory(os.getpid())
        for engine in (first, second):
            engine.close()
    return _grown(before, after)


def _searched(folder: Path, queries: NDArray[np.float32]) -> Any:
    import qdrant_edge as qe

    engine = qe.EdgeShard.load(str(folder / SHARD))
    how = qe.SearchParams(exact=False)
    for query in queries:
        nearest = qe.Query.Nearest(query.tolist())
        found = engine.query(qe.QueryRequest(limit=20, query=nearest, params=how, with_payload=["doc_id"]))
        assert len(found) == 20, f"{len(found)} found"
    return engine


def lexical(n: int) -> dict[str, int]:
    """Index n texts of eleven words for BM25, and return by how many bytes this process grew."""
    from backends.lexical import BM25

    rng = random.Random(1)  # noqa: S311 - the same texts every time
    words = [f"w{number}" for number in range(20_000)]
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    texts = [" ".join(rng.choices(words, cum_weights=weights, k=WORDS)) for _ in range(n)]
    BM25(texts[:100])
    before = memory(os.getpid())
    index = BM25(texts)
    after = memory(os.getpid())
    assert index.scores(texts[0]).any()
    return _grown(before, after)


def _grown(before: Memory, after: Memory) -> dict[str, int]:
    return {"resident": after.resident - before.resident, "own": after.anonymous - before.anonymous}


def items(folder: Path, n: int, dimension: int) -> int:
    """Return the bytes on the disk of the per-text cache with n vectors."""
    cache = ItemCache(folder / "items.sqlite")
    for start in range(0, n, BATCH):
        rows = vectors(BATCH, dimension, start)
        cache.put("5" * 64, {f"{start + row:064x}": bytes(4) + rows[row].tobytes() for row in range(BATCH)})
    return disk(folder / "items.sqlite")


def measure(folder: Path, n: int, dimension: int) -> list[dict[str, str]]:
    """Return the rows of one dimension."""
    raw = n * dimension * 4
    files = {
        "documents.npy, the vectors of an embed artifact": raw,
        "items.sqlite": items(folder, n, dimension),
    }
    one = {"dimension": str(dimension), "raw": _million(raw, n), "RAM": "–"}
    rows = [{**HEAD, **one, "what": what, "disk": _million(size, n)} for what, size in files.items()]
    for kind in KINDS:
        place = folder / kind.replace(" ", "-")
        _child("build", place, kind, n, dimension)
        grown = _child("search", place, kind, n, dimension)
        sizes = {"raw": _million(n * dimension * BYTES[kind], n), "disk": _million(disk(place), n)}
        what = f"collection, {kind}{' (as vara makes it)' if kind == OURS else ''}"
        rows.append({**HEAD, **one, "what": what, **sizes, "RAM": _ram(grown, n)})
        print(" | ".join(rows[-1].values()), flush=True)
    return rows


def _child(what: str, folder: Path, kind: str, n: int, dimension: int) -> Any:
    """Do one thing in a fresh process and return what it says."""
    words = [sys.executable, __file__, "--child", json.dumps([what, str(folder), kind, n, dimension])]
    done = subprocess.run(
        words, check=True, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    return json.loads(done.stdout)


def _obey(what: str, folder: str, kind: str, n: int, dimension: int) -> None:
    if what == "build":
        build(Path(folder), kind, n, dimension)
        print("null")
    else:
        print(json.dumps(lexical(n) if what == "lexical" else search(Path(folder), dimension, kind)))


def _million(size: float, n: int) -> str:
    return f"{size / n * MILLION / GB:.2f}"


def _ram(grown: dict[str, int], n: int) -> str:
    return f"{_million(grown['resident'], n)} ({_million(grown['own'], n)} its own)"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--vectors", type=int, default=20_000)
    parser.add_argument("--write", type=Path, help="a document with the marks sizes:start and sizes:end")
    parser.add_argument("--child", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        _obey(*options.child)
        return
    n = options.vectors
    rows: list[dict[str, str]] = []
    for dimension in DIMENSIONS:
        with tempfile.TemporaryDirectory(prefix="vara-sizes-") as folder:
            rows += measure(Path(folder), n, dimension)
    words = _child("lexical", Path(), OURS, n, 0)
    what = f"BM25 index, {WORDS} words a document"
    rows.append({**HEAD, "dimension": "any", "what": what, "RAM": _ram(words, n)})
    text = f"GB (10⁹ bytes) per million documents, measured with {n:,}:\n\n{markdown(rows)}"
    print(f"\n{text}")
    if options.write:
        write_between(options.write, "sizes", text)


if __name__ == "__main__":
    main()
