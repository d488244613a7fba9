"""The store: whole or not at all, verified on read, computed once."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from vara.artifacts.execute import Bench, execute, plan
from vara.artifacts.step import Job, Made, Settings, Step
from vara.artifacts.store import Store, read_manifest
from vara.errors import Problem
from vara.watch import Silence

FLAT = {"pool.depth": 20, "seed": 1}


def counting(calls: list[str]) -> Any:
    def run(job: Job) -> Made:
        calls.append("run")
        (job.folder / "numbers.bin").write_bytes(bytes(range(job.params["pool.depth"])))
        return Made(
            outputs={"numbers": {"n": job.params["pool.depth"]}},
            bodies={"numbers": {"all": [1, 2]}},
            metrics={"dataset": "x"},
            items=3,
        )

    return run


def bench(root: Path, **platform: str) -> Bench:
    store = Store(root / "store")
    return Bench(
        store, Settings(root, store.root / "collections", 1, {"cpu": "avx2", **platform}, store.digest_of)
    )


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def step(calls: list[str]) -> Step:
    return Step("numbers", counting(calls), outputs=("numbers",), params=("pool.depth",), metrics=True)


def do(step: Step, where: Bench, flat: dict[str, Any] = FLAT) -> Any:
    return execute(plan(step, {}, flat, where), where, Silence())


def content(store: Store) -> dict[str, bytes]:
    return {
        path.relative_to(store.root).as_posix(): path.read_bytes()
        for path in sorted((store.root / "numbers").rglob("*"))
        if path.is_file()
    }


def test_the_second_time_is_a_hit_with_a_reason(tmp_path: Path, step: Step, calls: list[str]) -> None:
    first, second = do(step, bench(tmp_path)), do(step, bench(tmp_path))
    assert (first.state, first.why, first.items) == ("computed", "the store holds nothing of this step", 3)
    assert (second.state, second.items) == ("cached", 0)
    assert second.why == f"store hit {second.folder.name[:12]}"
    assert calls == ["run"]
    tracked = json.loads((second.folder / "numbers.json").read_text())
    assert tracked == {"output": "numbers", "recipe": second.recipe, "n": 20, "all": [1, 2]}


def test_only_declared_parameters_count(tmp_path: Path, step: Step, calls: list[str]) -> None:
    do(step, bench(tmp_path))
    assert do(step, bench(tmp_path), {**FLAT, "seed": 2}).state == "cached"
    again = do(step, bench(tmp_path), {**FLAT, "pool.depth": 21})
    assert (again.state, again.why) == ("computed", "params pool.depth 20 → 21")


def test_another_platform_has_another_key_and_the_same_recipe(tmp_path: Path, step: Step) -> None:
    here, there = do(step, bench(tmp_path)), do(step, bench(tmp_path, cpu="avx512"))
    assert here.recipe == there.recipe
    assert here.folder != there.folder
    assert there.why == "same recipe, but made on another platform or machine, or damaged"


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    "harm",
    [
        flip,
        Path.unlink,
        lambda path: path.write_bytes(b""),
        lambda path: (path.parent / "manifest.json").write_text("{"),
        lambda path: (path.parent / "manifest.json").write_text("{}"),
        lambda path: (path.parent / "manifest.json").unlink(),
    ],
    ids=["flipped bit", "missing", "empty", "half a manifest", "empty manifest", "no manifest"],
)
def test_damage_is_put_aside_and_computed_again(
    tmp_path: Path, step: Step, calls: list[str], harm: Any
) -> None:
    outcome = do(step, bench(tmp_path))
    before = content(bench(tmp_path).store)
    harm(outcome.folder / "numbers.bin")
    assert do(step, bench(tmp_path)).state == "computed"
    assert content(bench(tmp_path).store) == before
    assert len(list((tmp_path / "store/quarantine").iterdir())) == 1
    assert len(calls) == 2


def test_a_step_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def run(job: Job) -> Made:
        (job.folder / "half").write_bytes(b"half")
        raise Problem("corpus", "wrong", remedy="Mend it.")

    with pytest.raises(Problem):
        do(Step("numbers", run), bench(tmp_path))
    assert not list((tmp_path / "store/tmp").iterdir())
    assert not (tmp_path / "store/numbers").exists()


def fault_points(tmp_path: Path, step: Step, monkeypatch: pytest.MonkeyPatch) -> int:
    """Count the fsyncs and renames of one computation."""
    seen = 0
    with monkeypatch.context() as patch:

        def counted(original: Any) -> Any:
            def call(*arguments: Any) -> Any:
                nonlocal seen
                seen += 1
                return original(*arguments)

            return call

        patch.setattr(os, "fsync", counted(os.fsync))
        patch.setattr(Path, "rename", counted(Path.rename))
        do(step, bench(tmp_path))
    return seen


def test_a_fault_at_every_fsync_and_rename_costs_nothing_but_a_rerun(
    tmp_path: Path, step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = fault_points(tmp_path / "whole", step, monkeypatch)
    expected = content(bench(tmp_path / "whole").store)
    assert points == 7  # numbers.bin, numbers.json, metrics.json, manifest.json, folder; rename; parent
    for point in range(points):
        root = tmp_path / f"fault{point}"
        left = point

        def failing(original: Any) -> Any:
            def call(*arguments: Any) -> Any:
                nonlocal left
                if left == 0:
                    raise OSError(28, "No space left on device")
                left -= 1
                return original(*arguments)

            return call

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", failing(os.fsync))
            patch.setattr(Path, "rename", failing(Path.rename))
            with pytest.raises(OSError, match="No space left"):
                do(step, bench(root))
        do(step, bench(root))
        assert content(bench(root).store) == expected, f"fault at point {point}"


def test_one_computes_while_others_wait(tmp_path: Path) -> None:
    calls: list[str] = []
    together = threading.Barrier(4)
    step = Step("numbers", counting(calls), outputs=("numbers",), params=("pool.depth",))
    states: list[str] = []

    def work() -> None:
        together.wait()
        states.append(do(step, bench(tmp_path)).state)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == ["run"]
    assert sorted(states) == ["cached", "cached", "cached", "computed"]


def test_a_manifest_under_a_foreign_key_is_no_manifest(tmp_path: Path, step: Step) -> None:
    outcome = do(step, bench(tmp_path))
    moved = outcome.folder.with_name("0" * 64)
    outcome.folder.rename(moved)
    assert read_manifest(moved) is None


def test_names_in_a_manifest_cannot_lead_out_of_its_folder(
    tmp_path: Path, step: Step, calls: list[str]
) -> None:
    outcome = do(step, bench(tmp_path))
    path = outcome.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    (tmp_path / "outside").write_bytes(b"x")
    manifest["files"]["../../../outside"] = manifest["files"].pop("numbers.bin")
    path.write_text(json.dumps(manifest))
    assert do(step, bench(tmp_path)).state == "computed"
