"""What a load sends: facets indexed first, points in parcels, and all of it to the last bit."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.stores import server
from backends.stores.retries import Refused
from backends.stores.server import ServerStore
from tests.backends.proxy import says
from tests.backends.scene import FACETS, IDS, PAYLOAD_INDEX, POINTS, SPEC, UPSERT, VECTORS, Scene, scene


@pytest.fixture(name="scene")
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setattr(server, "PARCEL_BYTES", 2000)
    with scene() as one:
        yield one


def test_a_collection_whose_facets_cannot_be_indexed_is_not_used(scene: Scene, tmp_path: Path) -> None:
    scene.faults.on(PAYLOAD_INDEX, says(400, "no"))
    with pytest.raises(
        Refused, match=r"^server problem: it refuses to index facets of c-\S+: HTTP 400 Bad Request, no"
    ):
        scene.opened(tmp_path)
    assert (scene.held, scene.server.aliases) == ({}, {})


def test_parcels_are_small_and_few_on_their_way(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    going = most = 0
    lock = threading.Lock()

    def weigh(request: Any, body: bytes, forward: Any) -> None:
        nonlocal going, most
        with lock:
            sizes.append(len(body))
            going += 1
            most = max(most, going)
        time.sleep(0.02)
        with lock:
            going -= 1
        request.send(*forward(body))

    scene.faults.on(UPSERT, weigh)
    with closing(ServerStore(scene.access)) as store:
        store.create("docs", SPEC)
        store.upsert("docs", POINTS)
    assert len(sizes) >= 8
    assert max(sizes) <= 2000
    assert 2 <= most <= server.AT_ONCE
    assert len(scene.held["docs"].points) == 50


def test_vectors_arrive_to_the_last_bit_and_facets_with_them(scene: Scene) -> None:
    with closing(ServerStore(scene.access)) as store:
        store.create("docs", SPEC)
        store.upsert("docs", POINTS)
        seen = {
            one: (row, held)
            for page in store.scroll("docs", batch=7)
            for one, row, held in zip(*page, strict=True)
        }
    unit = VECTORS / np.linalg.norm(VECTORS.astype(np.float64), axis=1, keepdims=True)
    np.testing.assert_array_equal(np.array([seen[one][0] for one in IDS]), unit.astype(np.float32))
    assert [seen[one][1] for one in IDS] == FACETS
