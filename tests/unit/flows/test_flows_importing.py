"""`vara import`: whole or not at all, progress, what it says, and that the result is a dataset that check takes."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.importing import Choices, import_dataset
from flows.whole import whole
from tests.conftest import ROOT
from tests.unit.datasets.sound_dataset import SOUND, write_dataset
from tests.unit.flows.conftest import Vara
from vara.errors import Problem

CSV = {
    "corpus.csv": "id,body\n001,x\n",
    "queries.csv": "id,text\nq1,y\n",
    "qrels.csv": "query_id,doc_id,score\nq1,001,1\n",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    for name, content in CSV.items():
        (folder / name).write_text(content)
    return folder


def test_an_import_and_what_comes_next(vara: Vara, source: Path, tmp_path: Path) -> None:
    target = tmp_path / "deep/target"
    code, out, err = vara("import", "csv", str(source), str(target), "--map", "documents.text=body")
    assert (code, err) == (0, [])
    assert out == [
        f"1 documents, 1 queries, 1 labels (1 test) in {target}",
        f"Next: vara check {target}",
    ]
    assert sorted(path.name for path in tmp_path.glob("deep/*")) == ["target"]
    code, out, _ = vara("check", str(target), "--json")
    assert (code, json.loads(out[0])["counts"]) == (0, {"documents": 1, "queries": 1, "labels": 1})


def test_splits_and_named_files(vara: Vara, source: Path, tmp_path: Path) -> None:
    (source / "queries.csv").rename(source / "asked.csv")
    words = ["--queries", "asked.csv", "--split", "dev", "--map", "documents.text=body"]
    code, out, _ = vara("import", "csv", str(source), str(tmp_path / "target"), *words)
    assert (code, out[0]) == (0, f"1 documents, 1 queries, 1 labels (1 dev) in {tmp_path}/target")


def test_a_broken_source_leaves_nothing(vara: Vara, source: Path, tmp_path: Path) -> None:
    (source / "corpus.csv").write_text("id,body\n001,x\n,y\n")
    code, out, err = vara("import", "csv", str(source), str(tmp_path / "target"))
    assert (code, out) == (2, [])
    assert err[0] == "import problem: 1 error:"
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_what_is_there_stays(vara: Vara, source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "mine.txt").write_text("mine")
    code, out, err = vara("import", "csv", str(source), str(target))
    assert (code, out) == (2, [])
    assert err == [f"{target} problem: something is there already. Name a folder that is new or empty."]
    assert [path.name for path in target.iterdir()] == ["mine.txt"]


def test_an_empty_folder_may_be_the_target(vara: Vara, source: Path, tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    assert (
        vara("import", "csv", str(source), str(tmp_path / "target"), "--map", "documents.text=body")[0] == 0
    )


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    def interrupted() -> None:
        with whole(tmp_path / "target") as folder:
            (folder / "half").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def refused(target: Path) -> str:
    """Return what is said before the body begins."""
    with pytest.raises(Problem) as caught, whole(target):
        pytest.fail("too late")
    return str(caught.value)


@pytest.mark.parametrize("name", [".", "..", "inner/.."])
def test_the_folder_one_is_in_is_no_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "here/inner").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here/inner" if name == ".." else tmp_path / "here")
    (tmp_path / "here/inner").rmdir() if name == "." else None
    assert refused(Path(name)) == (
        f"{name} problem: the folder {tmp_path}/here, which cannot be replaced. Name a new folder."
    )


def test_the_folder_one_is_in_by_its_whole_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "cannot be replaced" in refused(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_no_target(tmp_path: Path, there: bool) -> None:
    if there:
        (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert refused(tmp_path / "link") == (
        f"{tmp_path}/link problem: a link to {tmp_path}/real, which cannot be replaced. Name a new folder."
    )


LEFT = re.compile(r"\.target-[a-z0-9_]{8}\.part").fullmatch
WAITING = """
import sys
from pathlib import Path
from flows.terminal import log_to_stderr
from flows.whole import whole
log_to_stderr()
with whole(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("half")
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def waiting(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process, in the middle of a folder `target`."""
    words = [sys.executable, "-c", WAITING, str(tmp_path / "target")]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_leaves_nothing_and_says_so(
    tmp_path: Path, waiting: subprocess.Popen[str], name: str
) -> None:
    waiting.send_signal(getattr(signal, name))
    _, err = waiting.communicate()
    assert err.splitlines()[0] == "Interrupted. Nothing was written; run the same command again."
    assert err.splitlines()[-1] == "KeyboardInterrupt"
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_one_left_goes_at_the_next_start_and_what_another_holds_stays(
    tmp_path: Path, waiting: subprocess.Popen[str]
) -> None:
    others = [".target-settings", ".target-b-abcdefgh.part", ".other-abcdefgh.part"]
    for name in others:
        (tmp_path / name).mkdir()
    with whole(tmp_path / "target") as folder:
        assert len([path for path in tmp_path.iterdir() if LEFT(path.name)]) == 2
        (folder / "x").touch()
    assert len([path for path in tmp_path.iterdir() if LEFT(path.name)]) == 1
    waiting.kill()
    waiting.wait()
    (tmp_path / "target/x").unlink()
    with whole(tmp_path / "target"):
        assert len([path for path in tmp_path.iterdir() if LEFT(path.name)]) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["target", *others])


def test_the_handlers_of_signals_come_back(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with whole(tmp_path / "target"):
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_target_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("")
    with pytest.raises(Problem, match="something is there already"), whole(tmp_path / "target"):
        pass


class Progress:
    """A watch that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int, str]] = []
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)

    def progress(self, done: int, total: int, unit: str) -> None:
        self.told.append((done, total, unit))


def test_progress_is_told_in_megabytes_up_to_the_end(tmp_path: Path) -> None:
    rows = "".join(json.dumps({"_id": f"x{n}", "text": "a word and " * 100}) + "\n" for n in range(3000))
    source = write_dataset(tmp_path / "source", {"corpus.jsonl": SOUND["corpus.jsonl"] + rows + "\n"})
    watch = Progress()
    import_dataset("beir", source, tmp_path / "target", choices=Choices(), watch=watch)
    corpus = [(done, total) for done, total, unit in watch.told if unit == "MB of corpus.jsonl"]
    size = (source / "corpus.jsonl").stat().st_size
    assert corpus == sorted(corpus)
    assert len(corpus) >= 3
    assert {total for _, total in corpus} == {-(-size // 10**6)}
    assert corpus[-1][0] == size // 10**6
    assert watch.notes == [
        "notice blank-line (1): blank lines were skipped (corpus.jsonl:3003). Nothing needs doing."
    ]
