"""A stand-in, a proxy that can fail before it, and a small collection to load through both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from backends.stores.access import Access
from backends.stores.collection import open_index, recipe_of
from backends.stores.points import point_id
from backends.stores.protocol import Points, Spec
from backends.stores.retries import Patience
from tests.backends.proxy import Faults, between
from tests.backends.standin import Collection, StandIn, serving
from vara.watch import Silence, Watch

IDS = [f"d{number}" for number in range(50)]
VECTORS = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
FACETS = [["archived=false", f"metadata.product={number % 3}"] for number in range(50)]
POINTS = Points(IDS, VECTORS, FACETS)
SPEC = Spec(8, "f" * 64)
RECIPE = recipe_of(POINTS, SPEC)
KEY = "s3cret-key"
FAST = Patience(attempts=4, first_s=0.01, longest_s=0.05, answer_s=10, settle_s=0.3, poll_s=0.01)

UPSERT, CREATE, ALIASES = r"PUT .*/points$", r"PUT /collections/[^/]+$", r"POST /collections/aliases$"
PAYLOAD_INDEX = r"PUT .*/index$"


@dataclass
class Scene:
    """The server, what stands before it, and the way there."""

    url: str
    server: StandIn = field(default_factory=StandIn)
    faults: Faults = field(default_factory=Faults)
    answer_s: int = 10  # a busy machine is no fault

    @property
    def access(self) -> Access:
        return Access(self.url, KEY, patience=replace(FAST, answer_s=self.answer_s))

    @property
    def held(self) -> dict[str, Collection]:
        return self.server.collections

    def opened(self, root: Path, watch: Watch | None = None) -> tuple[int, str]:
        """Open the collection, building it where that is needed; (points, what is nearest to document d7)."""
        with open_index(self.access, root, RECIPE, lambda: POINTS, watch or Silence()) as index:
            return index.info.count, index.store.search(index.name, VECTORS[7], 1)[0].doc_id

    def assert_visible(self) -> None:
        """What everybody sees has all points, each once."""
        assert list(self.server.aliases) == [RECIPE.name]
        assert sorted(self.held[self.server.aliases[RECIPE.name]].points) == sorted(map(point_id, IDS))

    def assert_whole(self) -> None:
        """And the server holds nothing else."""
        self.assert_visible()
        assert list(self.held) == list(self.server.aliases.values())


@contextmanager
def scene() -> Iterator[Scene]:
    made = Scene("", StandIn(key=KEY))
    with serving(made.server) as direct, between(direct, made.faults) as url:
        made.url = url
        yield made
