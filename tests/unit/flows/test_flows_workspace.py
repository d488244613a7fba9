"""Where a run happens, and what the environment may say about it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from flows.workspace import Workspace, find_workspace, platform_facts, store_path, usable, workers
from vara.errors import Problem


@pytest.mark.parametrize("name", ["three", "trials/three", "three/", "trials/three/"])
def test_a_trial_is_one_folder_in_trials(name: str) -> None:
    assert Workspace(Path("/w")).trial(name) == Path("/w/trials/three")


@pytest.mark.parametrize("name", ["a.b", "..a", "mit leer", "ñ", "trials-2"])
def test_a_trial_may_have_an_odd_name(name: str) -> None:
    assert Workspace(Path("/w")).trial(name) == Path("/w/trials") / name


@pytest.mark.parametrize(
    "name",
    ["", "/", ".", "..", "trials/", "trials/.", "trials/..", "../x", "trials/../x", "a/b", "a/..", "/tmp/x", "trials/trials/x", "trials//tmp", "~/x"],
)  # fmt: skip
def test_a_name_that_leads_out_of_trials_is_refused(name: str) -> None:
    with pytest.raises(Problem) as caught:
        Workspace(Path("/w")).trial(name)
    assert str(caught.value) == (
        f"trial problem: {name!r} is not a name, expected trials/NAME. Name one folder in trials/."
    )


@pytest.mark.parametrize(
    "name", ["a\nb", "trials/a\rb", "a\tb", "\x1b[31m", "a\x7f", "a\x85b", "a\u2028b", "\0"]
)
def test_a_name_that_breaks_a_line_is_refused(name: str) -> None:
    with pytest.raises(Problem, match=r"is not a name, expected trials/NAME\.") as caught:
        Workspace(Path("/w")).trial(name)
    assert str(caught.value).isprintable()


def workspace(folder: Path, *files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        (folder / name).touch()
    return folder


def test_the_nearest_folder_upwards_with_both_files(tmp_path: Path) -> None:
    outer = workspace(tmp_path, "params.yaml", "dvc.yaml")
    inner = workspace(outer / "trials/one", "params.yaml")  # a trial keeps its parameters and is no workspace
    assert find_workspace(outer) == find_workspace(inner) == Workspace(outer)
    nested = workspace(outer / ".dvc/tmp/exps/x", "params.yaml", "dvc.yaml")
    assert find_workspace(nested / "data") == Workspace(nested)


def test_no_workspace_anywhere(tmp_path: Path) -> None:
    with pytest.raises(Problem) as caught:
        find_workspace(tmp_path)
    assert str(caught.value) == (
        f"workspace problem: no params.yaml and dvc.yaml here or above ({tmp_path}). Run the command inside a clone of vara."
    )


@pytest.mark.parametrize(
    ("environment", "path"),
    [
        ({}, "/w/.vara"),
        ({"DVC_ROOT": "/real"}, "/real/.vara"),  # DVC's copy of a workspace uses the real one's store
        ({"DVC_ROOT": ""}, "/w/.vara"),
        ({"VARA_STORE": ""}, "/w/.vara"),
        ({"VARA_STORE": "/big/store"}, "/big/store"),
        ({"VARA_STORE": "/big/store", "DVC_ROOT": "/real"}, "/big/store"),
    ],
)
def test_where_the_store_is(environment: dict[str, str], path: str) -> None:
    assert store_path(Path("/w"), environment) == Path(path)


def test_a_store_is_never_relative(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert store_path(Path("/w"), {"VARA_STORE": "s"}) == tmp_path / "s"
    assert store_path(Path("/w"), {"VARA_STORE": "~/s"}) == Path.home() / "s"


def test_the_folder_of_the_store_is_made_and_used_again(tmp_path: Path) -> None:
    assert usable(tmp_path / "a/store") == tmp_path / "a/store"
    (tmp_path / "a/store/file").touch()
    assert usable(tmp_path / "a/store") == tmp_path / "a/store"
    assert sorted(path.name for path in (tmp_path / "a/store").iterdir()) == ["file", "vara-store"]


def test_a_folder_of_something_else_is_no_store(tmp_path: Path) -> None:
    """The first run would find nothing in it, and vara store gc would take what it found for leftovers."""
    (tmp_path / "photo").touch()
    assert unusable(tmp_path) == (
        f"store problem: {tmp_path} is a folder with other files. Set VARA_STORE to an empty folder, or unset it."
    )
    assert [path.name for path in tmp_path.iterdir()] == ["photo"]


def unusable(path: Path) -> str:
    with pytest.raises(Problem) as caught:
        usable(path)
    return str(caught.value)


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_store_that_is_a_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    assert unusable(tmp_path / name) == (
        f"store problem: {tmp_path / name} is no folder that can be written to. Set VARA_STORE to one, or unset it."
    )


@pytest.fixture
def nobody() -> Iterator[Path]:
    """A folder that every user may enter; root, who may write everywhere, looks at it as a user who may not."""
    with TemporaryDirectory() as name:
        folder, user = Path(name), os.getuid()
        folder.chmod(0o755)
        if user == 0:
            os.setreuid(65534, -1)  # os.access asks for the real user
        yield folder
        if user == 0:
            os.setreuid(0, -1)


@pytest.mark.skipif(not hasattr(os, "setreuid"), reason="no users here")
@pytest.mark.parametrize("mode", [0o555, 0o666], ids=["no writing", "no entering"])
def test_a_store_that_cannot_be_written_to_is_refused(nobody: Path, mode: int) -> None:
    store = nobody / "store"
    store.mkdir()
    store.chmod(mode)
    assert unusable(store) == (
        f"store problem: {store} is no folder that can be written to. Set VARA_STORE to one, or unset it."
    )
    store.chmod(0o777)
    assert usable(store) == store


def test_a_bench_on_a_store_that_is_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("VARA_STORE", str(tmp_path / "file"))
    with pytest.raises(Problem, match=r"^store problem: .*/file is no folder"):
        Workspace(tmp_path).bench()


@pytest.mark.parametrize(("named", "count"), [("1", 1), ("8", 8), ("08", 8)])
def test_as_many_workers_as_were_asked_for(named: str, count: int) -> None:
    assert workers({"VARA_WORKERS": named}) == count


@pytest.mark.skipif(sys.platform != "linux", reason="cores of one process are a Linux notion")
@pytest.mark.parametrize("environment", [{}, {"VARA_WORKERS": ""}])
def test_else_as_many_as_there_are_cores_for_this_process(environment: dict[str, str]) -> None:
    assert workers(environment) == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("named", ["0", "00", "-1", "1.5", "two", " 2", "²", "1e1"])
def test_workers_that_are_no_number_are_refused(named: str) -> None:
    with pytest.raises(Problem) as caught:
        workers({"VARA_WORKERS": named})
    assert str(caught.value) == (
        f"VARA_WORKERS problem: {named!r}, expected a positive integer. Set it to a number of cores."
    )


def test_the_bench_of_a_workspace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VARA_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("VARA_WORKERS", "3")
    bench = Workspace(tmp_path).bench()
    assert bench.store.root == tmp_path / "store"
    assert bench.settings.root == tmp_path
    assert bench.settings.collections == tmp_path / "store/collections"
    assert bench.settings.workers == 3
    assert bench.settings.platform == platform_facts()
    assert (tmp_path / "store").is_dir()


def test_what_may_change_the_last_bit_of_a_float() -> None:
    facts = platform_facts()
    assert list(facts) == ["architecture", "cpu", "device", "python"]
    assert facts["python"] == f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert all(facts.values())
