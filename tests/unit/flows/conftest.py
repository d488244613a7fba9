"""What the drivers' tests share: the lines of the log `vara`, and one small workspace that was really run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import pytest

from cli.main import main
from flows.terminal import log
from flows.workspace import Workspace
from tests.workspace import make_sandbox

Vara = Callable[..., tuple[int, list[str], list[str]]]


class Listener(logging.Handler):
    """Keeps every line."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@pytest.fixture
def said() -> Iterator[list[str]]:
    """The lines logged so far."""
    listener, handlers, level = Listener(), log.handlers, log.level
    log.handlers = [listener]
    log.setLevel(logging.INFO)
    yield listener.lines
    log.handlers = handlers
    log.setLevel(level)


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace and a trial with a pool of one document, labels of grade 1 that do not count, and hidden labels."""
    sandbox = make_sandbox(tmp_path_factory.mktemp("show") / "work space", code=False)
    labels = sandbox.root / "data/small/qrels.tsv"
    labels.write_text(
        labels.read_text() + "q1\td6\t3\nq1\td7\t3\nq1\tdx\t3\n"
    )  # archived, the owner's, unknown
    sandbox.pipeline()
    sandbox.pipeline("--set", "pool.depth=1", "--set", "evaluate.min_relevance=2", "--set", "evaluate.cutoffs=[1]", "--out", "trials/one")  # fmt: skip
    return Workspace(sandbox.root)


@pytest.fixture
def vara(ran: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Vara:
    """Run the command line in the workspace; (exit code, lines of stdout, lines of stderr)."""
    monkeypatch.chdir(ran.root)

    def call(*words: str) -> tuple[int, list[str], list[str]]:
        monkeypatch.setattr("sys.argv", ["vara", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out.splitlines(), err.splitlines()

    return call
