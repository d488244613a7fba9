"""What is stored under a key was made from what the key says, and nothing else is believed."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from vara.artifacts import code
from vara.artifacts.code import closure
from vara.artifacts.execute import Bench, execute, plan
from vara.artifacts.items import ItemCache
from vara.artifacts.memo import DigestMemo
from vara.artifacts.step import Job, Made, Settings, Step
from vara.artifacts.store import Store
from vara.errors import Problem
from vara.watch import Silence


def lay(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def bench(root: Path) -> Bench:
    store = Store(root / "store")
    return Bench(store, Settings(root, store.root / "collections", 1, {"cpu": "avx2"}, store.digest_of))


def reading(file: Path, meanwhile: Any = None) -> Step:
    """Return a step that copies a file, after something happened to it."""

    def run(job: Job) -> Made:
        if meanwhile:
            meanwhile()
        (job.folder / "copy").write_bytes(file.read_bytes())
        return Made(outputs={"copy": {"n": 1}})

    return Step(
        "numbers", run, outputs=("copy",), files=lambda _, settings: {"file": settings.digest_of(file)}
    )


def do(step: Step, where: Bench) -> Any:
    return execute(plan(step, {}, {}, where), where, Silence())


def test_data_that_changed_meanwhile_are_not_stored_under_the_old_key(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("old")
    with pytest.raises(Problem) as caught:
        do(reading(file, lambda: file.write_text("new and longer")), bench(tmp_path))
    assert str(caught.value) == (
        "numbers problem: data, models.yaml or code changed while it ran. Nothing was stored; run it again."
    )
    assert not list((tmp_path / "store").glob("numbers/*"))
    assert do(reading(file), bench(tmp_path)).state == "computed"


def test_code_that_changed_meanwhile_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, {"tasks/first.py": "LIMIT = 1"})
    path = tmp_path / "tasks/first.py"
    monkeypatch.setattr(code, "_SNAPSHOT", {path: path.read_bytes()})
    found = closure("tasks.first", tmp_path)
    before = found.meaning
    assert found.is_current
    path.write_text("LIMIT = 2")
    assert closure("tasks.first", tmp_path).meaning == before  # this process runs what it began with
    assert not found.is_current


@pytest.mark.parametrize(
    "forge",
    [
        lambda manifest: manifest["outputs"]["copy"].update(n=2),
        lambda manifest: manifest.update(outputs=[]),
        lambda manifest: manifest.update(files={}),
        lambda manifest: manifest["recipe"].clear(),
        lambda manifest: manifest.pop("seal"),
    ],
    ids=["a number", "outputs", "files", "recipe", "no seal"],
)
def test_an_edited_manifest_is_damage(tmp_path: Path, forge: Any, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "data"
    file.write_text("x")
    outcome = do(reading(file), bench(tmp_path))
    path = outcome.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    forge(manifest)
    path.write_text(json.dumps(manifest))
    logging.getLogger("vara").propagate = True
    assert do(reading(file), bench(tmp_path)).state == "computed"
    assert "was damaged (manifest.json); moved to" in caplog.text


def test_a_file_in_the_place_of_an_artifact_is_put_aside(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("x")
    key = plan(reading(file), {}, {}, bench(tmp_path)).key
    (tmp_path / "store/numbers").mkdir(parents=True)
    (tmp_path / "store/numbers" / key).write_text("no folder")
    assert do(reading(file), bench(tmp_path)).state == "computed"


@pytest.mark.parametrize("harm", ["garbage", "folder", "foreign"])
def test_damaged_memories_are_begun_anew(tmp_path: Path, harm: str) -> None:
    import sqlite3

    for name in ("items.sqlite", "digests.sqlite"):
        path = tmp_path / name
        if harm == "folder":
            path.mkdir()
        elif harm == "garbage":
            path.write_bytes(b"garbage!" * 100)
        else:
            with sqlite3.connect(path) as raw:
                raw.execute("CREATE TABLE items (other TEXT)")
                raw.execute("CREATE TABLE files (other TEXT)")
            raw.close()
    cache, memo = ItemCache(tmp_path / "items.sqlite"), DigestMemo(tmp_path / "digests.sqlite")
    assert cache.get("a", ["x"]) == {}
    cache.put("a", {"x": b"1"})
    assert cache.get("a", ["x"]) == {"x": b"1"}
    (tmp_path / "file").write_bytes(b"one")
    assert memo(tmp_path / "file") == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    assert len(list((tmp_path / "quarantine").iterdir())) == 2


def test_removal_and_use_exclude_each_other(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    with (
        store.in_use(),
        store.in_use(),
        pytest.raises(Problem, match="a run is using it"),
        store.in_use(alone=True),
    ):
        pass
    with store.in_use(alone=True), pytest.raises(Problem, match="vara store gc is at work"), store.in_use():
        pass


def test_every_way_to_import_is_followed(tmp_path: Path) -> None:
    files = {
        "tasks/a.py": "from vara.index import fuse\nif not TYPE_CHECKING:\n    import vara.b",
        "vara/index/__init__.py": "from .fusion import fuse",
        "vara/index/fusion.py": "from ..c import X\ndef fuse(): ...",
        "vara/b.py": "",
        "vara/c.py": "X = 1",
        "vara/both.py": "shadowed = True",
        "vara/both/__init__.py": "import vara.d",
        "vara/d.py": "",
        "tasks/b.py": "import vara.both",
    }
    lay(tmp_path, files)
    assert list(closure("tasks.a", tmp_path).modules) == [
        "tasks.a",
        "vara.b",
        "vara.c",
        "vara.index",
        "vara.index.fusion",
    ]
    assert list(closure("tasks.b", tmp_path).modules) == ["tasks.b", "vara.both", "vara.d"]


def test_only_what_speaks_to_people_is_text(tmp_path: Path) -> None:
    def meaning(line: str) -> dict[str, str]:
        lay(tmp_path, {"tasks/a.py": line})
        return closure("tasks.a", tmp_path).meaning

    assert meaning("log.info('a')") == meaning("log.info('b')")
    assert meaning("self._watch.note('a')") == meaning("self._watch.note('b')")
    assert meaning("store.info('a')") != meaning("store.info('b')")


def test_the_root_api_is_not_used_where_numbers_are_made() -> None:
    """`from vara import evaluate` would hide what it imports from the fingerprint."""
    for path in code._SNAPSHOT:
        for target in code._targets(code._read(path), ""):
            assert target not in ("vara.evaluate", "vara.load_dataset"), path
