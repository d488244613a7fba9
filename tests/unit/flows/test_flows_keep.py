"""Looking after the store: what is in use stays, what is damaged is named, what nobody uses goes."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from backends.stores.collection import Recipe
from backends.stores.protocol import Spec
from backends.stores.shelf import Copy, alone
from flows.keep import collect, listing, verify
from flows.look import reachable
from flows.pipeline import PIPELINE
from flows.workspace import Workspace
from tests.unit.flows.stocked import FACTS, make_trial, make_workspace, stock, write_params
from vara.artifacts.execute import Bench
from vara.artifacts.store import Artifact
from vara.errors import Problem


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path / "w")


def gone(workspace: Workspace) -> list[str]:
    *removed, _ = collect(workspace, dry_run=False)
    return [line.removeprefix("removed ") for line in removed]


def unused(workspace: Workspace, tmp_path: Path) -> dict[str, Artifact]:
    """Stock what the workspace would hit with another depth, which nothing asks for; {step: artifact}."""
    before = stock(workspace)
    other = stock(
        workspace, write_params(tmp_path / "other.yaml", **{"dataset.path": "data/small", "pool.depth": 7})
    )
    return {step: artifact for step, artifact in other.items() if artifact.folder != before[step].folder}


def on_disk(folder: Path) -> float:
    """Return the KiB that a folder's files take: whole blocks, which posix counts in units of 512 bytes."""
    return sum(path.stat().st_blocks for path in folder.iterdir()) / 2


def test_an_empty_store(workspace: Workspace) -> None:
    assert list(listing(workspace)) == []
    assert list(verify(workspace)) == ["0 artifacts are whole."]
    assert list(collect(workspace, dry_run=False)) == ["0 B freed."]


def test_a_list_says_what_is_in_use(workspace: Workspace, tmp_path: Path) -> None:
    other = unused(workspace, tmp_path)
    assert list(other) == ["pool", "rerank", "evaluate", "calibrate"]
    lines = [line.split() for line in listing(workspace)]
    assert [words[0] for words in lines] == sorted(
        [*(step.name for step in PIPELINE), "pool", "rerank", "evaluate", "calibrate"]
    )
    keys = {artifact.folder.name[:12] for artifact in other.values()}
    for words in lines:
        assert words[4:] == ([] if words[1] in keys else ["in", "use"])


def test_a_line_of_the_list(workspace: Workspace) -> None:
    artifact = stock(workspace)["pool"]
    line = f"pool      {artifact.folder.name[:12]}  {on_disk(artifact.folder):>6.1f} KiB  in use"
    assert line in list(listing(workspace))


def test_a_size_is_what_lies_on_the_disk(workspace: Workspace) -> None:
    """A memory map that nobody filled takes nothing, however long it is."""
    folder = workspace.bench().store.root / "old_step" / ("0123456789abcdef" * 4)
    folder.mkdir(parents=True)
    with (folder / "sparse").open("wb") as file:
        file.truncate(1 << 20)
    assert list(listing(workspace)) == ["old_step  0123456789ab         0 B  damaged"]
    (folder / "full").write_bytes(b"x" * (1 << 20))
    assert list(listing(workspace)) == ["old_step  0123456789ab     1.0 MiB  damaged"]


def test_what_a_trial_uses_is_in_use(workspace: Workspace, tmp_path: Path) -> None:
    unused(workspace, tmp_path)
    trial = make_trial(workspace, "seven", **{"pool.depth": 7})
    assert all(line.endswith("in use") for line in listing(workspace))
    assert gone(workspace) == []
    shutil.rmtree(trial.parent)
    assert len(gone(workspace)) == 4


def test_collecting_removes_what_nobody_uses(workspace: Workspace, tmp_path: Path) -> None:
    kept, other = stock(workspace), unused(workspace, tmp_path)
    names = sorted(f"{step}/{artifact.folder.name}" for step, artifact in other.items())
    size = sum(on_disk(one.folder) for one in other.values())
    assert list(collect(workspace, dry_run=True)) == [
        *(f"would remove {name}" for name in names),
        f"{size:.1f} KiB would be freed.",
    ]
    assert all(one.folder.is_dir() for one in other.values())
    assert list(collect(workspace, dry_run=False)) == [
        *(f"removed {name}" for name in names),
        f"{size:.1f} KiB freed.",
    ]
    assert not any(one.folder.exists() for one in other.values())
    assert all(one.folder.is_dir() for one in kept.values())
    assert list(collect(workspace, dry_run=False)) == ["0 B freed."]


def test_what_lies_downstream_of_a_lost_artifact_is_not_in_use(workspace: Workspace) -> None:
    """Nobody can know its key before the lost one is made again."""
    kept = stock(workspace)
    shutil.rmtree(kept["pool"].folder)
    assert sorted(gone(workspace)) == sorted(
        f"{name}/{kept[name].folder.name}" for name in ("rerank", "evaluate", "calibrate", "gate")
    )


def test_a_trial_whose_parameters_no_longer_fit_is_named_and_uses_nothing(
    workspace: Workspace, tmp_path: Path, said: list[str]
) -> None:
    other = unused(workspace, tmp_path)
    trial = make_trial(workspace, "old", **{"pool.depth": 7})
    trial.write_text(trial.read_text().replace("  depth: 7\n", ""))
    make_trial(workspace, "older", **{"embed.model": "all-minilm-l7-v2"})
    seven = make_trial(workspace, "seven", **{"pool.depth": 7})
    assert gone(workspace) == []  # the trial after them still counts
    shutil.rmtree(seven.parent)
    assert len(gone(workspace)) == len(other)
    old, older = (f"trials/{name} uses nothing of the store: " for name in ("old", "older"))
    assert said == 2 * [
        f"{old}params.yaml problem: missing key 'pool.depth'. Correct the named keys; params.yaml comments each one.",
        f"{older}models.yaml problem: no model 'all-minilm-l7-v2'. Near names: all-minilm-l6-v2.",
    ]


def test_parameters_of_the_workspace_that_do_not_fit_collect_nothing(workspace: Workspace) -> None:
    kept = stock(workspace)
    path, model = workspace.params_path, "all-minilm-l7-v2"
    write_params(path, **{"dataset.path": "data/small", "embed.model": model})
    with pytest.raises(Problem) as caught:
        gone(workspace)
    assert str(caught.value) == f"models.yaml problem: no model {model!r}. Near names: all-minilm-l6-v2."
    assert all(one.folder.is_dir() for one in kept.values())


def test_verify_sees_through_an_unchanged_size_and_time(workspace: Workspace) -> None:
    stocked = stock(workspace)
    file = stocked["embed"].folder / "embed.json"
    before = file.stat()
    file.write_bytes(file.read_bytes()[::-1])
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    key = stocked["embed"].folder.name
    place = workspace.root / f".vara/quarantine/embed-{key}-0"
    assert list(verify(workspace)) == [
        f"embed {key[:12]}: damaged embed.json; moved to {place}",
        "7 artifacts are whole.",
    ]
    assert place.is_dir()
    assert list(verify(workspace)) == ["7 artifacts are whole."]


def test_after_verify_no_digest_is_taken_from_memory(workspace: Workspace) -> None:
    digest_of = workspace.bench().store.digest_of
    true = digest_of(workspace.params_path)
    with closing(sqlite3.connect(digest_of.path)) as memo, memo:
        memo.execute("UPDATE files SET digest = 'of another day'")
    assert digest_of(workspace.params_path) == "of another day"
    list(verify(workspace))
    assert digest_of(workspace.params_path) == true


@pytest.mark.parametrize("content", ["", "{", "{}", None], ids=["empty", "half", "no fact", "missing"])
def test_an_artifact_without_a_manifest_is_damaged(workspace: Workspace, content: str | None) -> None:
    folder = stock(workspace)["gate"].folder
    if content is None:
        (folder / "manifest.json").unlink()
    else:
        (folder / "manifest.json").write_text(content)
    assert [line for line in verify(workspace) if line.startswith("gate")] == [
        f"gate {folder.name[:12]}: damaged manifest.json; moved to {workspace.root}/.vara/quarantine/gate-{folder.name}-0"
    ]
    assert gone(workspace) == [f"quarantine/gate-{folder.name}-0"]


def test_an_artifact_of_no_step_of_ours_goes_even_without_a_manifest(workspace: Workspace) -> None:
    key = "0123456789abcdef" * 4
    (workspace.bench().store.root / "old_step" / key).mkdir(parents=True)
    assert list(listing(workspace)) == ["old_step  0123456789ab         0 B  damaged"]
    assert gone(workspace) == [f"old_step/{key}"]


def test_what_is_being_written_stays(workspace: Workspace) -> None:
    store = workspace.bench().store
    with store.lock("pool", "alive"), store.writing("pool", "alive") as writing:
        (store.root / "tmp/pool-dead").mkdir()
        (writing / "half").write_text("half")
        assert gone(workspace) == ["tmp/pool-dead"]
        assert (writing / "half").is_file()
    # looking locks nothing new but the store as a whole
    assert sorted(path.name for path in (store.root / "locks").iterdir()) == ["pool-alive", "store"]


def test_collections(workspace: Workspace) -> None:
    """Those of artifacts in use stay, and what another process reads or builds."""
    stock(workspace)
    shelf = workspace.bench().settings.collections
    facts = FACTS["index"]
    ours = Recipe(Spec(2, "f" * 64, 16, 128), 3, facts["ids_digest"], facts["facets_digest"]).name
    assert facts["count"] == 3
    others = ["c-copied", "c-built", "c-unused"]
    for name in (ours, *others, ".building-c-built", ".building-c-dead", ".open-c-dead-x"):
        (shelf / name).mkdir(parents=True)
    with alone(shelf, "c-copied"):
        copy = Copy(shelf, "c-copied")
    with alone(shelf, "c-built"):
        assert gone(workspace) == [
            f"collections/{name}" for name in (".building-c-dead", ".open-c-dead-x", "c-copied", "c-unused")
        ]
    assert (copy.root / "c-copied").is_dir()
    copy.close()
    assert gone(workspace) == [f"collections/{name}" for name in (".building-c-built", "c-built")]
    assert [path.name for path in sorted(shelf.glob("*/"))] == [ours]


def test_an_index_of_before_there_were_facets_has_no_collection(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(FACTS["index"], "facets_digest")
    stock(workspace)
    (workspace.bench().settings.collections / "c-old").mkdir(parents=True)
    assert gone(workspace) == ["collections/c-old"]


def test_nothing_can_be_made_while_it_is_looked_for_what_is_used(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []

    def looking(where: Workspace, bench: Bench) -> dict[tuple[str, str], Artifact]:
        with pytest.raises(Problem, match="vara store gc is at work"), bench.store.in_use():
            pass
        looked.append(where)
        return reachable(where, bench)

    monkeypatch.setattr("flows.keep.reachable", looking)
    assert gone(workspace) == []
    assert looked == [workspace]
