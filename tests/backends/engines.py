"""The engines that one contract holds for, and names that no real server has in use."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from backends.stores.access import Access, access_of
from backends.stores.edge import EdgeStore
from backends.stores.memory import MemoryStore
from backends.stores.protocol import Points, VectorStore
from backends.stores.server import ServerStore
from tests.backends.standin import StandIn, serving
from tests.conftest import QDRANT

ENGINES = ("edge", "memory", "stand-in", "server")
"""The last is a real server; the one before it is our reading of a server's API."""

DOCS, FRESH, LIVE = (f"{word}-{uuid.uuid4().hex[:8]}" for word in ("docs", "fresh", "live"))


def bare(ids: Sequence[str], vectors: np.ndarray) -> Points:
    """Return points whose documents hold nothing."""
    return Points(ids, vectors, [[]] * len(ids))


def real_server() -> Access:
    """Return the way to the server that QDRANT_URL names, or skip the test."""
    access = access_of(QDRANT)
    if access is None:
        pytest.skip("QDRANT_URL names no server")
    return access


@contextmanager
def engine(kind: str, root: Path) -> Iterator[VectorStore]:
    """Give an empty store; on a real server nothing but this process's names is touched, and they are gone after."""
    if kind in ("edge", "memory"):
        with closing(EdgeStore(root) if kind == "edge" else MemoryStore()) as embedded:
            yield embedded
    elif kind == "stand-in":
        with serving(StandIn()) as url, closing(ServerStore(Access(url))) as remote:
            yield remote
    else:
        with closing(ServerStore(real_server())) as remote:
            try:
                yield remote
            finally:
                for name in (DOCS, FRESH):
                    remote.drop(name)
