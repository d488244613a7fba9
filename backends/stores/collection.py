"""A collection as a resource: filled, checked, and made again from its vectors when it is not as it was.

The vectors are the artifact; a collection can always be made from them. How it is kept between runs is for
`shelf` (folders) and `served` (a server).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from backends.stores.access import Access, Engine
from backends.stores.edge import EdgeStore
from backends.stores.memory import MemoryStore
from backends.stores.protocol import Info, Points, Spec, VectorStore
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
        facets_digest: digest of what each document holds, whatever their order. Where an audience changed, or how
            facets are written, the collection is another one, and nobody asks the old one.
    """

    spec: Spec
    count: int
    ids_digest: str
    facets_digest: str

    @property
    def name(self) -> str:
        """Return the collection's name: collections of different recipes never meet."""
        return f"c-{digest(asdict(self))[:32]}"


@dataclass(frozen=True)
class Opened:
    """A collection that is ready to search: `store` has it under `name`."""

    store: VectorStore
    recipe: Recipe
    info: Info

    @property
    def name(self) -> str:
        """Return the collection's name."""
        return self.recipe.name


def recipe_of(points: Points, spec: Spec) -> Recipe:
    """Return the recipe of a collection of these points; their order does not matter."""
    ids = points.ids
    return Recipe(spec, len(ids), digest(sorted(ids)), digest(sorted(_marks(points))))


def load(
    store: VectorStore, recipe: Recipe, points: Points, watch: Watch, *, name: str | None = None
) -> Info:
    """Fill a new collection and check it.

    Args:
        store: where.
        recipe: what it has to hold.
        points: what it is filled with.
        watch: is told how far it is.
        name: its name; None: that of its recipe.

    Returns:
        What the store says, after count, dimension, ids, facets and fingerprint were found to be the recipe's.

    Raises:
        Problem: points or collection are not what the recipe says.
    """
    name, count = name or recipe.name, len(points.ids)
    store.create(name, recipe.spec)
    for start in range(0, count, _BATCH):
        store.upsert(name, points.part(slice(start, start + _BATCH)))
        watch.progress(min(start + _BATCH, count), count, "points")
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
    marks: list[str] = []
    wanted = dimension = recipe.spec.dimension
    for some in store.scroll(name):
        ids += some.ids
        marks += _marks(some)
        if some.vectors.shape[1] != wanted:
            dimension = some.vectors.shape[1]
    compared = (
        ("count", info.count, recipe.count),
        ("dimension", dimension, wanted),
        ("ids", digest(sorted(ids))[:12], recipe.ids_digest[:12]),
        ("facets", digest(sorted(marks))[:12], recipe.facets_digest[:12]),
        ("fingerprint", info.spec.fingerprint[:12], recipe.spec.fingerprint[:12]),
    )
    wrong = [f"{what} {found}, not {right}" for what, found, right in compared if found != right]
    if wrong:
        remedy = "Run the index stage on these vectors again."
        raise Problem("collection", examples(wrong, 5), where=name, remedy=remedy)
    return info


@contextmanager
def open_index(
    engine: Engine,
    root: Path,
    recipe: Recipe,
    supply: Callable[[], Points],
    watch: Watch,
    *,
    digest_of: Digest = file_digest,
) -> Iterator[Opened]:
    """Open the collection of a recipe, making it first where it is missing, incomplete, damaged or another.

    Args:
        engine: "edge" keeps it under `root`; "memory" fills it each time; a server keeps it for everybody.
        root: the folder of all collections, and of the locks of their builders.
        recipe: what it has to hold.
        supply: gives the points; called only when the collection is made.
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
            yield Opened(memory, recipe, load(memory, recipe, supply(), watch))
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
        yield Opened(edge, recipe, edge.info(recipe.name))


@contextmanager
def _open_served(
    access: Access, root: Path, recipe: Recipe, supply: Callable[[], Points], watch: Watch
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
        yield Opened(store, recipe, served.ready(root))


def _marks(points: Points) -> list[str]:
    """Return a digest of what each document holds; of a million documents these stay in memory, not all facets."""
    return [digest([one, list(held)]) for one, held in zip(points.ids, points.facets, strict=True)]


def _build(root: Path, recipe: Recipe, points: Points, watch: Watch) -> Path:
    """Fill a collection aside and return its folder."""
    aside = root / f".building-{recipe.name}"
    shutil.rmtree(aside, ignore_errors=True)
    with closing(EdgeStore(aside)) as store:
        load(store, recipe, points, watch)
    return aside / recipe.name
