"""Waiting until a server has indexed a collection, as far as it means to."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from backends.stores.retries import Patience
from vara.errors import Problem
from vara.watch import Watch


def wait_until_indexed(
    look: Callable[[], Any], where: str, *, wanted: int, patience: Patience, watch: Watch
) -> None:
    """Look at a collection again and again until the server has nothing left to do with it.

    Args:
        look: returns what the server says of it (qdrant-client's CollectionInfo).
        where: collection and server, for messages.
        wanted: points that have to be in the graph; 0: it gets none.
        patience: how often to look, and when to give up.
        watch: is told how many points are in the graph.

    Raises:
        Problem: the server failed, or takes longer.
    """
    deadline = time.monotonic() + patience.settle_s
    while True:
        state = look()
        if error := _error(state):
            remedy = "See the server's log, drop the collection and run the index stage again."
            raise Problem("collection", f"indexing failed: {error}", where=where, remedy=remedy)
        indexed = int(state.indexed_vectors_count or 0)
        # The server says green for a moment before it begins, so the count has to agree.
        if str(state.status) == "green" and not _waiting(state) and indexed >= wanted:
            return
        if time.monotonic() > deadline:
            found = (
                f"{state.status} after {patience.settle_s:g} s, {indexed:,} of {wanted:,} points in the graph"
            )
            remedy = "Give the server more cores, and run the index stage again."
            raise Problem("collection", found, expected="green, all of them", where=where, remedy=remedy)
        watch.progress(min(indexed, wanted), wanted, "points indexed")
        time.sleep(patience.poll_s)


def _error(state: Any) -> str:
    said = getattr(state.optimizer_status, "error", "")
    return said or ("the server says no more" if str(state.status) == "red" else "")


def _waiting(state: Any) -> int:
    """Return how many updates are accepted and not yet applied."""
    return state.update_queue.length if state.update_queue else 0
