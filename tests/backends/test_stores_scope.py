"""What a query may see acts before the cut, on every engine: one contract, and an oracle in numpy."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.stores.edge import EdgeStore
from backends.stores.protocol import Points, Spec, VectorStore
from tests.backends.engines import DOCS, ENGINES, engine
from vara.index.facets import EVERYTHING, Only, conditions, facets_of

N, DIM = 300, 12
IDS = [f"doc {number}" for number in range(N)]
SPEC = Spec(DIM, "f" * 64)
ODD = {
    "a.b": "dot",
    "a[]": "brackets",
    'say "so"': 'a "quoted" word',
    "": "",
    "\U0001f600 é": "\U0001f600 \u0301",
    "a=b": "c=d",
    "line\nend": "\ttab\x7f",
    "long " * 100: "text " * 1000,
    "big": 10**40,
}


def metadata(row: int) -> dict[str, Any]:
    held = {"product": ("web", "pocket", "bridge")[row % 3], "codes": [f"c{row % 2}", f"c{row % 7}"]}
    return held | {"year": 2000 + row % 2, "final": row % 2 == 0} | (ODD if row == 123 else {})


def facets(row: int) -> list[str]:
    return facets_of(row % 5 == 0, "owner" if row % 4 == 0 else None, json.dumps(metadata(row)))


def rows(seed: int = 0, count: int = N) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, DIM)).astype(np.float32)


@pytest.fixture(params=ENGINES)
def filled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorStore]:
    with engine(request.param, tmp_path) as store:
        store.create(DOCS, SPEC)
        store.upsert(DOCS, Points(IDS, rows(), [facets(row) for row in range(N)]))
        store.settle(DOCS)
        yield store


def oracle(query: np.ndarray, k: int, passes: Callable[[int], bool]) -> list[str]:
    unit = rows().astype(np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    scores = unit @ (query.astype(np.float64) / np.linalg.norm(query))
    return [IDS[row] for row in sorted(range(N), key=lambda row: -scores[row]) if passes(row)][:k]


def is_public(row: int) -> bool:
    return row % 5 != 0 and row % 4 != 0


@pytest.mark.parametrize(
    ("only", "passes"),
    [
        (EVERYTHING, lambda _: True),
        (Only(conditions(None)), is_public),
        (Only(conditions(["owner"])), lambda row: row % 5 != 0),
        (Only(conditions(["owners"])), is_public),
        (Only(conditions(None, {"product": "web"})), lambda row: is_public(row) and row % 3 == 0),
        (
            Only(conditions(None, {"product": ["web", "bridge"]}, {"product": ["pocket", "bridge"]})),
            lambda row: is_public(row) and row % 3 == 2,
        ),
        (
            Only(conditions(None, {"codes": "c1"})),
            lambda row: is_public(row) and (row % 2 == 1 or row % 7 == 1),
        ),
        (Only(conditions(None, {"final": True})), lambda row: is_public(row) and row % 2 == 0),
        (Only(conditions(None, {"final": "true"})), lambda _: False),
        (Only(conditions(None, {"year": 2001.0})), lambda row: is_public(row) and row % 2 == 1),
        (Only(conditions(None, {"product": []})), lambda _: False),
        (Only(((),)), lambda _: False),
        (Only((('metadata.product="web"',), ())), lambda _: False),
        (Only((("nobody holds this",),)), lambda _: False),
        (Only(without=frozenset(IDS[::2])), lambda row: row % 2 == 1),
        (Only(without=frozenset({"never there"})), lambda _: True),
        (
            Only(conditions(None, {"product": "web"}), frozenset(IDS[:200])),
            lambda row: is_public(row) and row % 3 == 0 and row >= 200,
        ),
    ],
)
def test_a_scope_acts_before_the_cut(filled: VectorStore, only: Only, passes: Callable[[int], bool]) -> None:
    for query in rows(seed=9, count=5):
        for exact in (True, False):
            found = filled.search(DOCS, query, 10, only=only, exact=exact)
            assert [hit.doc_id for hit in found] == oracle(query, 10, passes)
    assert filled.count(DOCS, only=only) == sum(passes(row) for row in range(N))


@pytest.mark.parametrize("name", ODD)
def test_odd_names_and_values_are_told_apart(filled: VectorStore, name: str) -> None:
    value = ODD[name]
    for wanted, found in (({name: value}, [IDS[123]]), ({name: f"{value} "}, []), ({f"{name} ": value}, [])):
        only = Only(conditions(["owner"], wanted))
        assert [hit.doc_id for hit in filled.search(DOCS, rows()[0], 3, only=only)] == found


def test_the_last_visible_document_is_found_behind_all_others(filled: VectorStore) -> None:
    """The three that may be seen are the farthest of all: a scope after the cut would leave nothing."""
    query = rows(seed=3, count=1)[0]
    far = oracle(query, N, lambda _: True)[-3:]
    filled.upsert(DOCS, Points(far, rows()[[IDS.index(one) for one in far]], [["seen"]] * 3))
    for exact in (True, False):
        hits = filled.search(DOCS, query, 3, only=Only((("seen",),)), exact=exact)
        assert [hit.doc_id for hit in hits] == far


def test_what_a_document_holds_is_replaced_with_it(filled: VectorStore) -> None:
    """A document that becomes somebody's is no longer everybody's."""
    filled.upsert(DOCS, Points([IDS[1]], rows()[[1]], [facets_of(False, "owner", "{}")]))
    query = rows()[1]
    assert filled.search(DOCS, query, 1, only=Only(conditions(["owner"])))[0].doc_id == IDS[1]
    assert filled.search(DOCS, query, 1, only=Only(conditions(None)))[0].doc_id != IDS[1]


LARGE = 8_000  # of 384 dimensions: 12 MB, more than an edge collection searches without a graph
VISIBLE = {"most": 0.95, "half": 0.5, "tenth": 0.1, "few": 0.002}


def test_a_graph_finds_nearly_all_within_a_scope(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    plane = rng.normal(size=(16, 384))  # as in real embeddings, few directions matter
    vectors = (rng.normal(size=(LARGE, 16)) @ plane).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    masks = {name: rng.random(LARGE) < share for name, share in VISIBLE.items()}
    held = [
        ["archived=false", "audience=null", *(name for name, mask in masks.items() if mask[row])]
        for row in range(LARGE)
    ]
    with closing(EdgeStore(tmp_path)) as store:
        store.create("docs", Spec(384, "f" * 64, m=16, ef_construct=64))
        store.upsert("docs", Points([str(row) for row in range(LARGE)], vectors, held))
        store.settle("docs")
    with closing(EdgeStore(tmp_path)) as store:  # as it is opened later
        assert store.info("docs").indexed == LARGE
        assert store._shard("docs")[0].info().payload_schema["facets"].points == LARGE
        for name, mask in {"all": np.ones(LARGE, bool), **masks}.items():
            only = Only((*conditions(None), *(((name,),) if name != "all" else ())))
            credited = expected = 0
            for query in (rng.normal(size=(20, 16)) @ plane).astype(np.float32):
                scores = np.where(mask, vectors @ query, -np.inf)
                top = np.argsort(-scores)[: min(10, int(mask.sum()))]
                found = [
                    int(hit.doc_id) for hit in store.search("docs", query, 10, only=only, exact=False, ef=200)
                ]
                assert mask[found].all()
                assert len(found) == len(top)  # the cap is reached within the scope
                credited, expected = credited + len({*top.tolist()} & {*found}), expected + len(top)
            assert credited >= 0.95 * expected, name  # builds differ from run to run
