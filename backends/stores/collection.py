"""A collection as a resource: filled, checked, and made again from its vectors when it is not as it was.

The vectors are the artifact; a collection can always be made from them. How it is kept between runs is for
`shelf` (folders) and `served` (a server).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from backends.stores.access import Access, Engine
from backends.stores.edge import EdgeStore
from backends.stores.memory import MemoryStore
from backends.stores.protocol import Info, Payload, Spec, VectorStore
from backends.stores.served import Served
from backends.stores.server import ServerStore
from backends.stores.shelf import Copy, Digest, alone, is_whole, publish
from vara.artifacts.canonical import digest, file_digest
from vara.errors import Problem, examples
from vara.watch import Watch

_BATCH = 1000


@dataclass(frozen=True)
class Recipe:
    """What a collection has to hold.

    Attributes:
        spec: dimension, fingerprint of the vectors, graph.
        count: points.
        ids_digest: digest of the sorted document ids.
    """

    spec: Spec
    count: int
    ids_digest: str

    @property
    def name(self) -> str:
        """Return the collection's name: collections of different recipes never meet."""
        return f"c-{digest(asdict(self))[:32]}"


class Content(NamedTuple):
    """What a collection is filled with: ids, float32 (n, dim) in their order, and payloads or None."""

    ids: Sequence[str]
    vectors: NDArray[np.float32]
    payloads: Sequence[Payload] | None = None


@dataclass(frozen=True)
class Opened:
    """A collection that is ready to search: `store` has it under `name`."""

    store: VectorStore
    name: str
    info: Info


def recipe_of(ids: Sequence[str], spec: Spec) -> Recipe:
    """Return the recipe of a collection of these documents; their order does not matter."""
    return Recipe(spec, len(ids), digest(sorted(ids)))


def load(
    store: VectorStore, recipe: Recipe, content: Content, watch: Watch, *, name: str | None = None
) -> Info:
    """Fill a new collection and check it.

    Args:
        store: where.
        recipe: what it has to hold.
        content: what it is filled with.
        watch: is told how far it is.
        name: its name; None: that of its recipe.

    Returns:
        What the store says, after count, dimension, ids and fingerprint were found to be the recipe's.

    Raises:
        Problem: content or collection are not what the recipe says.
    """
    ids, vectors, payloads = content
    name = name or recipe.name
    store.create(name, recipe.spec)
    for start in range(0, len(ids), _BATCH):
        part = slice(start, start + _BATCH)
        store.upsert(name, ids[part], vectors[part], payloads[part] if payloads else None)
        watch.progress(min(start + _BATCH, len(ids)), len(ids), "points")
    store.settle(name)
    return check(store, recipe, name=name)


def check(store: VectorStore, recipe: Recipe, *, name: str | None = None) -> Info:
    """Read a collection back, compare it with its recipe, and return what the store says of it.

    Args:
        store: where it is.
        recipe: what it has to hold.
        name: its name; None: that of its recipe.

    Raises:
        Problem: naming every difference.
    """
    name = name or recipe.name
    info = store.info(name)
    ids: list[str] = []
    wanted = dimension = recipe.spec.dimension
    for some, vectors in store.scroll(name):
        ids += some
        if vectors.shape[1] != wanted:
            dimension = vectors.shape[1]
    compared = (
        ("count", info.count, recipe.count),
        ("dimension", dimension, wanted),
        ("ids", digest(sorted(ids))[:12], recipe.ids_digest[:12]),
        ("fingerprint", info.spec.fingerprint[:12], recipe.spec.fingerprint[:12]),
    )
    wrong = [f"{what} {found}, not {right}" for what, found, right in compared if found != right]
    if wrong:
        remedy = "Run the index stage on these vectors again."
        raise Problem("collection", examples(wrong, 4), where=name, remedy=remedy)
    return info


@contextmanager
def open_index(
    engine: Engine,
    root: Path,
    recipe: Recipe,
    supply: Callable[[], Content],
    watch: Watch,
    *,
    digest_of: Digest = file_digest,
) -> Iterator[Opened]:
    """Open the collection of a recipe, making it first where it is missing, incomplete, damaged or another.

    Args:
        engine: "edge" keeps it under `root`; "memory" fills it each time; a server keeps it for everybody.
        root: the folder of all collections, and of the locks of their builders.
        recipe: what it has to hold.
        supply: gives the content; called only when the collection is made.
        watch: is told what happens.
        digest_of: SHA-256 of a file; the artifact store's own remembers what it has seen.

    Yields:
        The opened collection. What is written to it is gone afterwards; on a server nobody may write to it.
    """
    if isinstance(engine, Access):
        with _open_served(engine, root, recipe, supply, watch) as opened:
            yield opened
        return
    if engine == "memory":
        with closing(MemoryStore()) as memory:
            yield Opened(memory, recipe.name, load(memory, recipe, supply(), watch))
        return
    identity = {**asdict(recipe), "engine": f"qdrant-edge-py {version('qdrant-edge-py')}"}
    with alone(root, recipe.name):
        if not is_whole(root / recipe.name, identity, digest_of):
            watch.note(f"building collection {recipe.name}")
            made = _build(root, recipe, supply(), watch)
            publish(made, root / recipe.name, identity, digest_of)
            made.parent.rmdir()
        copy = Copy(root, recipe.name)
    with closing(copy), closing(EdgeStore(copy.root)) as edge:
        yield Opened(edge, recipe.name, edge.info(recipe.name))


@contextmanager
def _open_served(
    access: Access, root: Path, recipe: Recipe, supply: Callable[[], Content], watch: Watch
) -> Iterator[Opened]:
    if access.warning:
        watch.note(access.warning)
    with closing(ServerStore(access, watch=watch)) as store:
        served = Served(
            store,
            recipe.name,
            is_whole=lambda info: (info.spec, info.count) == (recipe.spec, recipe.count),
            fill=lambda name: load(store, recipe, supply(), watch, name=name),
            watch=watch,
        )
        yield Opened(store, recipe.name, served.ready(root))


def _build(root: Path, recipe: Recipe, content: Content, watch: Watch) -> Path:
    """Fill a collection aside and return its folder."""
    aside = root / f".building-{recipe.name}"
    shutil.rmtree(aside, ignore_errors=True)
    with closing(EdgeStore(aside)) as store:
        load(store, recipe, content, watch)
    return aside / recipe.name
