"""On a server a collection is visible whole or not at all, and made again by whoever misses it."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from backends.stores import server
from backends.stores.collection import open_index, recipe_of
from backends.stores.points import point_id
from backends.stores.server import ServerStore
from tests.backends.engines import real_server
from tests.backends.proxy import after, slow
from tests.backends.scene import (
    ALIASES,
    CREATE,
    POINTS,
    RECIPE,
    SPEC,
    UPSERT,
    VECTORS,
    Scene,
    scene,
)
from tests.conftest import ROOT
from vara.errors import Problem
from vara.watch import Silence


@pytest.fixture(name="scene")
def made() -> Iterator[Scene]:
    with scene() as one:
        yield one


class Notes(Silence):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def note(self, text: str) -> None:
        self.seen.append(text)


def test_it_is_built_once_and_found_by_everybody(scene: Scene, tmp_path: Path) -> None:
    for folder in ("one", "one", "another machine"):
        assert scene.opened(tmp_path / folder) == (50, "d7")
    assert (scene.faults.count(CREATE), scene.faults.count(ALIASES)) == (
        1,
        1,
    )  # one operation makes it visible
    scene.assert_whole()


@pytest.mark.parametrize("damage", ["emptied", "points", "recipe", "alias"])
def test_what_is_not_as_it_was_is_made_again(scene: Scene, tmp_path: Path, damage: str) -> None:
    scene.opened(tmp_path)
    held = scene.held[scene.server.aliases[RECIPE.name]]
    if damage == "emptied":
        scene.held.clear()
        scene.server.aliases.clear()
    elif damage == "points":
        del held.points[point_id("d7")]
    elif damage == "recipe":
        held.config["metadata"]["vara"]["spec"]["fingerprint"] = "e" * 64
    else:
        scene.server.aliases.clear()  # somebody cleared the aliases: what they meant is left over
    assert scene.opened(tmp_path) == (50, "d7")
    assert scene.faults.count(CREATE) == 2
    scene.assert_whole()


def test_a_graph_is_built_after_the_load_and_waited_for(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "GRAPH_FROM_KB", 1)
    scene.server.index_step = 20
    scene.opened(tmp_path)
    (held,) = scene.held.values()
    assert held.indexed == 50
    assert held.payload_schema == {"facets": {"data_type": "keyword", "points": 0}}  # before the first point
    assert scene.faults.seen.index(next(line for line in scene.faults.seen if "PATCH" in line)) > max(
        number for number, line in enumerate(scene.faults.seen) if line.endswith("/points")
    )


BUILDER = """
import os, signal, sys
from pathlib import Path
from tests.backends.proxy import after, slow
from tests.backends.scene import Scene
from vara.watch import Silence

class Killed(Silence):
    def progress(self, *_):
        os.kill(os.getpid(), signal.SIGKILL)

Scene(sys.argv[1]).opened(Path(sys.argv[2]), Killed())
"""


def test_what_a_killed_builder_left_is_never_seen_and_removed_by_the_next(
    scene: Scene, tmp_path: Path
) -> None:
    words = [sys.executable, "-c", BUILDER, scene.url, str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, env={"PATH": "/bin"}, check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    (left,) = scene.held
    assert len(scene.held[left].points) == 50  # all of it, and yet nobody checked it
    assert scene.server.aliases == {}
    notes = Notes()
    assert scene.opened(tmp_path, notes) == (50, "d7")
    assert notes.seen[0] == f"removed {left}, which a builder had left behind"
    scene.assert_whole()


def test_what_another_machine_builds_stays_until_it_is_a_day_old(scene: Scene, tmp_path: Path) -> None:
    scene.opened(tmp_path)
    config = next(iter(scene.held.values())).config
    hour, day = (f"{RECIPE.name}-{'0' * 8}-{int(time.time() - age):x}-abcdef" for age in (3600, 25 * 3600))
    others = ("c-docs", f"{RECIPE.name}-notes", f"{RECIPE.name}-of-no-date")
    for name in (hour, day, *others):
        scene.held[name] = type(next(iter(scene.held.values())))(config)
    scene.server.aliases.clear()
    assert scene.opened(tmp_path) == (50, "d7")
    assert sorted(scene.held) == sorted([scene.server.aliases[RECIPE.name], hour, *others])


def test_builders_of_one_folder_take_turns(scene: Scene, tmp_path: Path) -> None:
    scene.faults.on(UPSERT, slow(0.2))
    with ThreadPoolExecutor(4) as builders:
        assert set(builders.map(lambda _: scene.opened(tmp_path), range(4))) == {(50, "d7")}
    assert scene.faults.count(CREATE) == 1
    scene.assert_whole()


def test_two_machines_that_build_at_once_see_one_whole_collection(scene: Scene, tmp_path: Path) -> None:
    both = threading.Barrier(2)
    scene.faults.on(UPSERT, after(both.wait), times=2)  # both are in the middle of it
    with ThreadPoolExecutor(2) as builders:
        found = builders.map(lambda name: scene.opened(tmp_path / name), ("one", "two"))
        assert list(found) == [(50, "d7")] * 2
    assert scene.faults.count(CREATE) == 2
    scene.assert_visible()  # two that switch within milliseconds may leave one behind
    assert len(scene.held) <= 2


def test_a_builder_takes_what_another_machine_finished_first(scene: Scene, tmp_path: Path) -> None:
    scene.faults.on(UPSERT, after(lambda: scene.opened(tmp_path / "quick")), times=1)
    assert scene.opened(tmp_path / "slow") == (50, "d7")
    assert (scene.faults.count(CREATE), scene.faults.count(ALIASES)) == (2, 1)
    scene.assert_whole()


def test_what_has_the_alias_keeps_it_until_the_new_one_is_whole(scene: Scene, tmp_path: Path) -> None:
    scene.opened(tmp_path)
    (old,) = scene.held
    del scene.held[old].points[point_id("d7")]
    meant: list[str] = []
    scene.faults.on(UPSERT, after(lambda: meant.append(scene.server.aliases[RECIPE.name])))
    scene.faults.on("points/scroll", after(lambda: meant.append(scene.server.aliases[RECIPE.name])))
    scene.opened(tmp_path)
    assert meant == [old, old]
    scene.assert_whole()


def test_two_machines_that_switch_at_once_end_with_one_collection(scene: Scene, tmp_path: Path) -> None:
    both = threading.Barrier(2)
    scene.faults.on(ALIASES, after(both.wait), times=2)  # neither saw the other's before it switched
    with ThreadPoolExecutor(2) as builders:
        found = builders.map(lambda name: scene.opened(tmp_path / name), ("one", "two"))
        assert list(found) == [(50, "d7")] * 2
    assert scene.faults.count(ALIASES) == 2
    scene.assert_whole()


def test_a_builder_whose_collection_is_taken_away_begins_again(scene: Scene, tmp_path: Path) -> None:
    scene.faults.on(UPSERT, after(scene.held.clear), times=1)
    assert scene.opened(tmp_path) == (50, "d7")
    scene.assert_whole()


def test_a_builder_gives_up_where_somebody_always_takes_it_away(scene: Scene, tmp_path: Path) -> None:
    scene.faults.on(UPSERT, after(scene.held.clear))
    with pytest.raises(Problem) as caught:
        scene.opened(tmp_path)
    found = f"{RECIPE.name} was removed 3 times while it was built"
    assert (
        str(caught.value)
        == f"collection problem: {found}. See who else clears this server, and run the stage again."
    )


def test_a_name_that_is_a_collection_is_not_overwritten(scene: Scene, tmp_path: Path) -> None:
    scene.opened(tmp_path)
    scene.held[RECIPE.name] = scene.held.pop(scene.server.aliases.pop(RECIPE.name))
    with pytest.raises(
        Problem, match=rf"^alias problem: {RECIPE.name} is a collection\. Take another name\.$"
    ):
        scene.opened(tmp_path)
    assert len(scene.held[RECIPE.name].points) == 50
    assert list(scene.held) == [RECIPE.name]


def test_on_a_real_server(tmp_path: Path) -> None:
    access = real_server()
    recipe = recipe_of(POINTS, replace(SPEC, fingerprint=uuid.uuid4().hex * 2))  # nobody has this one
    supply = iter([POINTS])
    try:
        for _ in range(2):  # the second finds what the first built
            with open_index(access, tmp_path, recipe, lambda: next(supply), Silence()) as index:
                assert (index.info.count, index.info.spec) == (50, recipe.spec)
                assert index.store.search(index.name, VECTORS[7], 1)[0].doc_id == "d7"
    finally:
        with closing(ServerStore(access)) as store:
            for name in store.names():
                if name.startswith(recipe.name):
                    store.drop(name)
