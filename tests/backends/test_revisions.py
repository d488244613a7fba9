"""Files of earlier revisions, from real git repositories: full, shallow, and none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from backends.git import commit_of
from backends.revisions import history, read_revision
from vara.errors import Problem

FILE = "metrics/evaluate.json"


def git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", *words],
        cwd=root, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()


def commit(root: Path, content: str, path: str = FILE) -> str:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(content)
    git(root, "add", "-A")
    git(root, "commit", "-qm", content)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Four commits: 1, 2 (tag v1.0), another file, 3 by a merge."""
    root = tmp_path / "a repository"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    commit(root, "1")
    commit(root, "2")
    git(root, "tag", "v1.0")
    commit(root, "x", "README.md")
    git(root, "switch", "-qc", "branch")
    commit(root, "on the way")
    commit(root, "3")
    git(root, "switch", "-q", "main")
    git(root, "merge", "-q", "--no-ff", "-m", "merge", "branch")
    return root


def shallow(repository: Path, depth: int) -> Path:
    clone = repository.parent / f"shallow {depth}"
    git(repository.parent, "clone", "-q", "--depth", str(depth), f"file://{repository}", str(clone))
    return clone


def refused(root: Path, name: str) -> str:
    with pytest.raises(Problem) as caught:
        read_revision(root, name, [FILE])
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_a_tag_and_a_commit(repository: Path) -> None:
    commit_id = git(repository, "rev-parse", "v1.0")
    for name in ("v1.0", commit_id, commit_id[:10]):
        found = read_revision(repository, name, [FILE, "metrics/gone.json"])
        assert (found.name, found.commit, dict(found.files)) == (name, commit_id, {FILE: b"2"})


@pytest.mark.parametrize(
    "name", ["^HEAD", "^v1.0", "v1.0..HEAD", "v1.0...HEAD", "..", "HEAD:", ":/1", f"HEAD:{FILE}", "HEAD^@", "HEAD^!", "HEAD\0", "HEAD\n", ""]
)  # fmt: skip
def test_what_does_not_name_one_commit(repository: Path, name: str) -> None:
    assert commit_of(repository, name) is None
    assert refused(repository, name).startswith(
        f"git problem: no revision {name!r}, expected a tag or a commit. "
    )


@pytest.mark.parametrize("name", ["HEAD~1", "HEAD^", "HEAD^2", "main@{0}", "refs/tags/v1.0", "HEAD^0"])
def test_what_names_one_commit(repository: Path, name: str) -> None:
    assert commit_of(repository, name) == git(repository, "rev-parse", name)


def test_an_annotated_tag_is_its_commit(repository: Path) -> None:
    git(repository, "tag", "-a", "-m", "words", "v2.0")
    assert read_revision(repository, "v2.0", [FILE]).commit == git(repository, "rev-parse", "HEAD")


def test_a_workspace_below_the_repositorys_root(repository: Path) -> None:
    commit(repository, "inner", "work/metrics/evaluate.json")
    assert read_revision(repository / "work", "HEAD", [FILE]).files == {FILE: b"inner"}
    assert history(repository / "work", FILE, 3) == [b"inner"]


def test_the_working_tree_is_no_revision(repository: Path) -> None:
    (repository / FILE).write_text("changed")
    assert read_revision(repository, "HEAD", [FILE]).files == {FILE: b"3"}
    assert history(repository, FILE, 1) == [b"3"]


def test_an_unknown_revision(repository: Path) -> None:
    assert refused(repository, "v1.1") == (
        "git problem: no revision 'v1.1', expected a tag or a commit. "
        "Fetch it (git fetch --tags), or name another. Near tags: v1.0."
    )
    assert "no revision 'v1.0:metrics'" in refused(repository, "v1.0:metrics")  # a folder is no commit


def test_a_shallow_clone_without_it(repository: Path) -> None:
    clone = shallow(repository, 1)
    remedy = "Fetch the rest: git fetch --unshallow --tags."
    for name in ("v1.0", git(repository, "rev-parse", "v1.0")):
        assert refused(clone, name) == f"git problem: no revision '{name}' in this shallow clone. {remedy}"
    assert read_revision(clone, "HEAD", [FILE]).files == {FILE: b"3"}
    git(clone, "fetch", "-q", "--unshallow", "--tags")
    assert read_revision(clone, "v1.0", [FILE]).files == {FILE: b"2"}


def test_no_repository(tmp_path: Path) -> None:
    assert refused(tmp_path, "v1.0").startswith("git problem: fatal: not a git repository")
    with pytest.raises(Problem, match="let gates name no revision and no budget over revisions"):
        history(tmp_path, FILE, 3)


def test_history_is_what_changed_the_file_along_first_parents(repository: Path) -> None:
    assert history(repository, FILE, 9) == [b"3", b"2", b"1"]
    assert history(repository, FILE, 2) == [b"3", b"2"]
    assert history(repository, "metrics/gone.json", 2) == []


def test_before_the_first_commit_there_is_no_history(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert history(tmp_path, FILE, 3) == []


def test_a_revision_without_the_file_is_no_reading(repository: Path) -> None:
    (repository / FILE).unlink()
    git(repository, "commit", "-qam", "gone")
    assert history(repository, FILE, 9) == [b"3", b"2", b"1"]


def test_a_history_that_a_shallow_clone_cuts(repository: Path) -> None:
    """Its oldest commit seems to add every file: it is no reading, and there may be others before it."""
    clone = shallow(repository, 2)
    assert history(clone, FILE, 1) == [b"3"]
    with pytest.raises(Problem) as caught:
        history(clone, FILE, 2)
    assert str(caught.value) == (
        f"git problem: fewer than 2 earlier revisions of {FILE} in this shallow clone. "
        "Fetch the rest: git fetch --unshallow --tags."
    )
