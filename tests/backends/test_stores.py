"""One contract, all engines, and an oracle in numpy that shares nothing with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from backends.stores.edge import EdgeStore
from backends.stores.memory import MemoryStore
from backends.stores.points import Hit, cut, point_id
from backends.stores.protocol import Points, Spec, VectorStore
from tests.backends.engines import DOCS, ENGINES, FRESH, LIVE, bare, engine
from vara.errors import Problem

N, DIM = 300, 12
IDS = [f"doc {number}" for number in range(N)]
FACETS = [["archived=false", f"metadata.number={number}"] for number in range(N)]
SPEC = Spec(DIM, "f" * 64)


def vectors(seed: int = 0, rows: int = N) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, DIM)).astype(np.float32) * 3


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorStore]:
    with engine(request.param, tmp_path) as made:
        yield made


@pytest.fixture
def filled(store: VectorStore) -> VectorStore:
    store.create(DOCS, SPEC)
    store.upsert(DOCS, Points(IDS, vectors(), FACETS))
    store.settle(DOCS)
    return store


@pytest.mark.parametrize("other", [kind for kind in ENGINES if kind != "memory"])
def test_engines_agree(other: str, tmp_path: Path) -> None:
    with engine(other, tmp_path) as one, closing(MemoryStore()) as memory:
        for each in (one, memory):
            each.create(DOCS, SPEC)
            each.upsert(DOCS, Points(IDS, vectors(), FACETS))
        for query in vectors(seed=4, rows=20):
            left, right = one.search(DOCS, query, 25), memory.search(DOCS, query, 25)
            assert [hit.doc_id for hit in left] == [hit.doc_id for hit in right]
            np.testing.assert_allclose([hit.score for hit in left], [hit.score for hit in right], atol=1e-6)


def test_ties_at_the_cut_go_to_the_larger_id(store: VectorStore) -> None:
    store.create(DOCS, SPEC)
    same = np.repeat(vectors(rows=1), 40, axis=0)
    store.upsert(DOCS, bare([f"{number}" for number in range(40)], same))
    expected = sorted((f"{number}" for number in range(40)), reverse=True)[:3]
    assert [hit.doc_id for hit in store.search(DOCS, same[0], 3)] == expected


def test_scroll_gives_back_what_went_in(filled: VectorStore) -> None:
    seen, held = {}, {}
    for page in filled.scroll(DOCS, batch=64):
        assert len(page.ids) <= 64
        seen.update(zip(page.ids, page.vectors, strict=True))
        held.update(zip(page.ids, page.facets, strict=True))
    assert [held[one] for one in IDS] == FACETS
    unit = vectors() / np.linalg.norm(vectors(), axis=1, keepdims=True)
    np.testing.assert_allclose(np.array([seen[one] for one in IDS]), unit, atol=1e-7)


def test_upsert_replaces_and_delete_removes(filled: VectorStore) -> None:
    filled.upsert(DOCS, bare([IDS[0]], vectors(seed=5, rows=1)))
    assert filled.search(DOCS, vectors(seed=5, rows=1)[0], 1)[0].doc_id == IDS[0]
    assert filled.count(DOCS) == N
    filled.delete(DOCS, [IDS[0], "never there"])
    assert filled.count(DOCS) == N - 1
    assert filled.search(DOCS, vectors(seed=5, rows=1)[0], 1)[0].doc_id != IDS[0]


def test_an_alias_moves_in_one_step(filled: VectorStore) -> None:
    filled.create(FRESH, SPEC)
    filled.switch(LIVE, DOCS)
    assert filled.count(LIVE) == N
    filled.switch(LIVE, FRESH)
    assert filled.count(LIVE) == 0
    filled.drop(DOCS)
    with pytest.raises(Problem, match=rf"^collection problem: no {DOCS}"):
        filled.count(DOCS)
    with pytest.raises(Problem, match=rf"^collection problem: no {DOCS}"):
        filled.switch(LIVE, DOCS)


def test_a_small_collection_says_that_it_has_no_graph(filled: VectorStore) -> None:
    info = filled.info(DOCS)
    assert (info.count, info.indexed, info.spec) == (N, 0, SPEC)
    assert info.says == "no HNSW: small collection (300 points, every search is exact)"


@pytest.mark.parametrize(
    ("ids", "rows", "message"),
    [
        (["a", "b"], [[0.0] * DIM, [1.0] * DIM], "vectors problem: document a is zero"),
        (["a", "b"], [[1.0] * DIM, [np.nan] * DIM], "vectors problem: document b is not finite"),
        (["a"], [[1.0] * (DIM + 1)], r"vectors problem: shape \(1, 13\), expected \(1, 12\)"),
        (["a", "a"], [[1.0] * DIM] * 2, "vectors problem: ids that stand twice: a"),
    ],
)
def test_unfit_vectors_are_refused_before_the_engine(
    store: VectorStore, ids: list[str], rows: list[list[float]], message: str
) -> None:
    store.create(DOCS, SPEC)
    with pytest.raises(Problem, match=message):
        store.upsert(DOCS, bare(ids, np.array(rows, dtype=np.float32)))
    assert store.count(DOCS) == 0


def test_an_unfit_query_is_refused(filled: VectorStore) -> None:
    with pytest.raises(Problem, match=r"^query vector problem: it is zero"):
        filled.search(DOCS, np.zeros(DIM, dtype=np.float32), 3)
    with pytest.raises(Problem, match=r"^query vector problem: shape \(3,\), expected \(12,\)"):
        filled.search(DOCS, np.ones(3, dtype=np.float32), 3)


def test_names_are_checked(filled: VectorStore) -> None:
    with pytest.raises(Problem, match=f"{DOCS} is there already"):
        filled.create(DOCS, SPEC)
    for name in ("../docs", "Docs", "", "a/b"):
        with pytest.raises(Problem, match="the name"):
            filled.create(name, SPEC)
    with pytest.raises(Problem, match=f"{DOCS} is a collection"):
        filled.switch(DOCS, DOCS)


def test_a_point_id_is_the_uuid5_of_the_document_id() -> None:
    # Written down once: another value would orphan every collection that exists.
    assert point_id("d1") == "1472c981-d9db-559a-9eec-231960215f40"


def test_an_edge_collection_has_one_opener_and_outlives_it(tmp_path: Path) -> None:
    with closing(EdgeStore(tmp_path)) as first:
        first.create("docs", SPEC)
        first.upsert("docs", bare(IDS, vectors()))
        first.switch("live", "docs")
        with (
            closing(EdgeStore(tmp_path)) as second,
            pytest.raises(Problem, match="docs is open in another process"),
        ):
            second.count("docs")
    with closing(EdgeStore(tmp_path)) as later:
        assert later.count("live") == N
        assert later.info("live").spec == SPEC


def test_a_large_collection_has_a_graph_that_finds_nearly_all(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    plane = rng.normal(size=(16, 384))  # as in real embeddings, few directions matter: HNSW has an easy time
    rows = (rng.normal(size=(7500, 16)) @ plane).astype(np.float32)
    with closing(EdgeStore(tmp_path)) as store:
        store.create("docs", Spec(384, "f" * 64, m=16, ef_construct=64))
        store.upsert("docs", bare([str(number) for number in range(7500)], rows))
        store.settle("docs")
        assert store.info("docs").says == "HNSW over all 7,500 points"
        shared = {4: 0, 200: 0}
        for query in (rng.normal(size=(20, 16)) @ plane).astype(np.float32):
            exact = {hit.doc_id for hit in store.search("docs", query, 10)}
            for ef in shared:
                walked = store.search("docs", query, 10, exact=False, ef=ef)
                shared[ef] += len(exact & {hit.doc_id for hit in walked})
        assert shared[200] >= 190  # annR@10 of .95; builds differ from run to run
        assert shared[4] < 200  # and it is the graph that answers, not a scan


def test_the_cut_asks_again_only_while_a_tie_may_go_on() -> None:
    hits = [Hit("z", 1.0), *(Hit(f"{number:02}", 0.5) for number in range(20)), Hit("a", 0.1)]
    asked: list[int] = []

    def fetch(limit: int) -> list[Hit]:
        asked.append(limit)
        return hits[:limit]

    assert [hit.doc_id for hit in cut(fetch, 3)] == ["z", "19", "18"]
    assert asked == [4, 8, 16, 32]
    asked.clear()
    assert [hit.doc_id for hit in cut(fetch, 1)] == ["z"]
    assert asked == [2]
    assert cut(fetch, 0) == []
