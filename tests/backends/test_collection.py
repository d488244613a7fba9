"""A collection is there whole or not at all, is made again when it is not as it was, and is never another's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.stores.collection import check, load, open_index, recipe_of
from backends.stores.copying import copy_folder
from backends.stores.memory import MemoryStore
from backends.stores.protocol import Points, Spec
from tests.conftest import ROOT
from vara.errors import Problem
from vara.index.facets import Only
from vara.watch import Silence

IDS = [f"d{number}" for number in range(50)]
VECTORS = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
FACETS = [["archived=false", f"metadata.product={number % 3}"] for number in range(50)]
POINTS = Points(IDS, VECTORS, FACETS)
SPEC = Spec(8, "f" * 64)
RECIPE = recipe_of(POINTS, SPEC)


class Supply:
    """The content, and how often it was asked for."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> Points:
        self.asked += 1
        return POINTS


def opened(root: Path, supply: Any, recipe: Any = RECIPE, engine: Any = "edge") -> tuple[int, str]:
    with open_index(engine, root, recipe, supply, Silence()) as index:
        return index.info.count, index.store.search(index.name, VECTORS[7], 1)[0].doc_id


@pytest.mark.parametrize("engine", ["edge", "memory"])
def test_an_open_collection_answers(tmp_path: Path, engine: str) -> None:
    assert opened(tmp_path, Supply(), engine=engine) == (50, "d7")


def test_it_is_built_once_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    supply = Supply()
    assert opened(tmp_path, supply) == opened(tmp_path, supply) == (50, "d7")
    assert supply.asked == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([RECIPE.name, f".{RECIPE.name}.lock"])


def test_many_may_read_at_once_and_what_they_write_is_theirs(tmp_path: Path) -> None:
    supply = Supply()
    with (
        open_index("edge", tmp_path, RECIPE, supply, Silence()) as one,
        open_index("edge", tmp_path, RECIPE, supply, Silence()) as two,
    ):
        one.store.delete(one.name, ["d7"])
        assert (one.store.count(one.name), two.store.count(two.name)) == (49, 50)
    assert opened(tmp_path, supply) == (50, "d7")
    assert supply.asked == 1


def test_readers_that_come_and_go_do_not_disturb_each_other(tmp_path: Path) -> None:
    supply = Supply()
    with ThreadPoolExecutor(8) as readers:
        answers = list(readers.map(lambda _: opened(tmp_path, supply), range(200)))
    assert set(answers) == {(50, "d7")}
    assert supply.asked == 1
    assert not list(tmp_path.glob(".open-*"))


@pytest.mark.parametrize(
    "other", [replace(SPEC, fingerprint="e" * 64), replace(SPEC, m=8), replace(SPEC, ef_construct=64)]
)
def test_another_recipe_is_another_collection(tmp_path: Path, other: Spec) -> None:
    supply = Supply()
    opened(tmp_path, supply)
    opened(tmp_path, supply, recipe=recipe_of(POINTS, other))
    assert supply.asked == 2


def test_a_changed_audience_is_another_collection(tmp_path: Path) -> None:
    """The vectors are the same; but what was everybody's is in the old collection for everybody."""
    supply = Supply()
    opened(tmp_path, supply)
    owned = Points(IDS, VECTORS, [[*FACETS[0], 'audience="owner"'], *FACETS[1:]])
    recipe = recipe_of(owned, SPEC)
    assert replace(recipe, facets_digest=RECIPE.facets_digest) == RECIPE
    assert recipe.name != RECIPE.name
    with open_index("edge", tmp_path, recipe, lambda: owned, Silence()) as index:
        assert index.store.count(index.name, only=Only((('audience="owner"',),))) == 1


def test_who_holds_what_is_in_the_recipe() -> None:
    swapped = Points(IDS, VECTORS, [FACETS[1], FACETS[0], *FACETS[2:]])
    assert recipe_of(swapped, SPEC).facets_digest != RECIPE.facets_digest


def test_every_kind_of_damage_is_noticed_and_repaired(tmp_path: Path) -> None:
    supply = Supply()
    opened(tmp_path, supply)
    files = [
        path for path in sorted((tmp_path / RECIPE.name).rglob("*")) if path.is_file() and path.stat().st_size
    ]
    assert len(files) > 8
    for asked, file in enumerate(
        path.relative_to(tmp_path) for path in files if "segments" not in path.parts
    ):
        damaged = tmp_path / file
        content = bytearray(damaged.read_bytes())
        content[len(content) // 2] ^= 1
        damaged.write_bytes(content)
        assert opened(tmp_path, supply) == (50, "d7")
        assert supply.asked == asked + 2, file
    asked = supply.asked
    next(
        (tmp_path / RECIPE.name).rglob("chunk_0.mmap")
    ).unlink()  # the vectors: the engine itself does not mind
    assert opened(tmp_path, supply) == (50, "d7")
    assert supply.asked == asked + 1


def test_a_collection_of_another_engine_version_is_made_again(tmp_path: Path) -> None:
    supply = Supply()
    opened(tmp_path, supply)
    marker = tmp_path / RECIPE.name / "whole.json"
    marker.write_text(marker.read_text().replace("qdrant-edge-py 0.", "qdrant-edge-py 9."))
    opened(tmp_path, supply)
    assert supply.asked == 2


def test_an_interrupted_load_is_never_taken_for_a_whole_one(tmp_path: Path) -> None:
    class KilledError(Exception):
        pass

    class Killer(Silence):
        def progress(self, *_: object) -> None:
            raise KilledError

    supply = Supply()
    with pytest.raises(KilledError), open_index("edge", tmp_path, RECIPE, supply, Killer()):
        pass
    assert not (tmp_path / RECIPE.name).exists()
    assert opened(tmp_path, supply) == (50, "d7")
    assert supply.asked == 2


READER = """
import sys, time
from pathlib import Path
from backends.stores.collection import open_index
from tests.backends.test_collection import RECIPE, Supply
from vara.watch import Silence
with open_index("edge", Path(sys.argv[1]), RECIPE, Supply(), Silence()):
    print("open", flush=True)
    time.sleep(60)
"""


def test_the_copy_of_a_killed_reader_is_removed_and_that_of_a_living_one_is_not(tmp_path: Path) -> None:
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    with reader:
        assert reader.stdout
        assert reader.stdout.readline() == "open\n"
        opened(tmp_path, Supply())
        assert len(list(tmp_path.glob(".open-*"))) == 1
        os.kill(reader.pid, signal.SIGKILL)
    opened(tmp_path, Supply())
    assert not list(tmp_path.glob(".open-*"))


SEARCHER = """
import sys
from pathlib import Path
from backends.stores.collection import open_index
from tests.backends.test_collection import RECIPE, VECTORS, Supply
from vara.watch import Silence
with open_index("edge", Path(sys.argv[1]), RECIPE, Supply(), Silence()) as index:
    print("open", flush=True)
    sys.stdin.readline()
    print(index.info.count, index.store.search(index.name, VECTORS[7], 1)[0].doc_id, flush=True)
"""


def test_two_processes_search_at_once(tmp_path: Path) -> None:
    opened(tmp_path, Supply())
    command = [sys.executable, "-c", SEARCHER, str(tmp_path)]
    start = partial(
        subprocess.Popen, command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with start() as one, start() as two:
        for process in (one, two):  # both have it open before either searches
            assert process.stdout
            assert process.stdout.readline() == "open\n"
        answers = [process.communicate("search\n", timeout=60)[0] for process in (one, two)]
    assert answers == ["50 d7\n", "50 d7\n"]
    assert (one.returncode, two.returncode) == (0, 0)


def test_a_load_that_lacks_points_is_refused() -> None:
    with closing(MemoryStore()) as store, pytest.raises(Problem) as caught:
        load(store, RECIPE, POINTS.part(slice(49)), Silence())
    assert str(caught.value).startswith("collection problem: count 49, not 50, ids ")
    assert str(caught.value).endswith(f"({RECIPE.name}). Run the index stage on these vectors again.")


def test_a_load_of_other_ids_is_refused() -> None:
    with (
        closing(MemoryStore()) as store,
        pytest.raises(Problem, match=r"^collection problem: ids \w+, not \w+, facets \w+, not \w+ \("),
    ):
        load(store, RECIPE, Points(["x", *IDS[1:]], VECTORS, FACETS), Silence())


def test_a_load_of_other_facets_is_refused() -> None:
    with (
        closing(MemoryStore()) as store,
        pytest.raises(Problem, match=r"^collection problem: facets \w+, not \w+ \("),
    ):
        load(store, RECIPE, Points(IDS, VECTORS, [[], *FACETS[1:]]), Silence())


def test_a_check_reads_the_fingerprint() -> None:
    with closing(MemoryStore()) as store:
        load(store, RECIPE, POINTS, Silence())
        other = replace(RECIPE, spec=replace(SPEC, fingerprint="e" * 64))
        store.create(other.name, SPEC)
        store.upsert(other.name, POINTS)
        with pytest.raises(Problem, match="fingerprint ffffffffffff, not eeeeeeeeeeee"):
            check(store, other)


def test_a_recipe_does_not_depend_on_the_order_of_documents() -> None:
    assert recipe_of(POINTS.part(slice(None, None, -1)), SPEC) == RECIPE


def test_a_copy_keeps_bytes_and_holes(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    with (tmp_path / "a/b/sparse").open("wb") as file:
        file.seek(50_000_000)
        file.write(b"middle")
        file.truncate(90_000_000)
    (tmp_path / "a/empty").touch()
    (tmp_path / "a/text").write_text("text")
    start = time.monotonic()
    copy_folder(tmp_path / "a", tmp_path / "copy")
    assert time.monotonic() - start < 5
    for name in ("b/sparse", "empty", "text"):
        assert (tmp_path / "copy" / name).read_bytes() == (tmp_path / "a" / name).read_bytes()
    assert (tmp_path / "copy/b/sparse").stat().st_blocks * 512 < 1_000_000
