"""The ledger of a workspace that really runs: what was computed on test counts, once a setting; a hit counts nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from cli.main import main as vara
from flows.keep import collect
from flows.run import perform, plain, prepare
from flows.tested import n_tested
from flows.workspace import Workspace
from tests.workspace import make_sandbox
from vara.errors import Problem
from vara.watch import Silence


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_sandbox(tmp_path_factory.mktemp("ledger") / "work space", code=False).root


@pytest.fixture
def workspace(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace whose store is new, and which is the present folder."""
    monkeypatch.setenv("VARA_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(root)
    shutil.rmtree(root / "trials", ignore_errors=True)
    return Workspace(root)


def computed(workspace: Workspace, **changes: Any) -> list[str]:
    named = {name.replace("__", "."): value for name, value in changes.items()}
    run = prepare(workspace, "pipeline", named, "trials/x" if named else None)
    return [one.step.name for one in perform(run, plain(run.bench, Silence())) if one.state == "computed"]


def metrics(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "metrics/evaluate.json").read_bytes())
    return found


def count(workspace: Workspace) -> int:
    return n_tested(workspace, metrics(workspace.root))


def test_settings_count_and_hits_do_not(workspace: Workspace) -> None:
    computed(workspace)
    assert count(workspace) == 1
    assert computed(workspace) == []
    assert count(workspace) == 1
    computed(workspace, pool__depth=2)
    assert count(workspace) == 2
    # other measures of the same systems are no other setting
    assert computed(workspace, evaluate__cutoffs=[1]) == ["evaluate", "gate"]
    assert count(workspace) == 2
    # the same again, because nothing of it was kept
    list(collect(workspace, dry_run=False))
    assert "evaluate" in computed(workspace, pool__depth=2)
    assert count(workspace) == 2


def test_other_documents_are_no_other_setting(workspace: Workspace) -> None:
    computed(workspace)
    corpus = workspace.root / "data/small/corpus.jsonl"
    before = corpus.read_text()
    corpus.write_text(before.replace("Turn the roll round", "Turn the roll over"))
    assert "evaluate" in computed(workspace)
    corpus.write_text(before)
    assert count(workspace) == 1


def test_other_labels_are_counted_apart(workspace: Workspace) -> None:
    computed(workspace)
    computed(workspace, pool__depth=2)
    labels = workspace.root / "data/small/qrels.tsv"
    before = labels.read_text()
    labels.write_text(before.replace("q1\td1\t3", "q1\td1\t2"))
    computed(workspace)
    assert count(workspace) == 1
    labels.write_text(before)
    computed(workspace)
    assert count(workspace) == 2


def test_without_a_test_split_nothing_counts(workspace: Workspace) -> None:
    queries = workspace.root / "data/small/queries.jsonl"
    before = queries.read_text()
    queries.write_text(before.replace('"test"', '"train"'))
    assert "evaluate" in computed(workspace)
    queries.write_text(before)
    assert count(workspace) == 0


def test_the_ledger_is_in_no_key_and_no_output(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store with a long ledger gives the same bytes under the same key as one without."""
    computed(workspace)
    files = {path.name: path.read_bytes() for path in (tmp_path / "store/evaluate").glob("*/*")}
    (key,) = (tmp_path / "store/evaluate").iterdir()
    monkeypatch.setenv("VARA_STORE", str(tmp_path / "other"))
    workspace.bench()
    for n in range(5):
        workspace.ledger.enter(metrics(workspace.root)["data"]["labels"], str(n))
    assert "evaluate" in computed(workspace)
    (again,) = (tmp_path / "other/evaluate").iterdir()
    assert again.name == key.name
    assert {path.name: path.read_bytes() for path in again.iterdir()} == files
    assert count(workspace) == 6


def said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    monkeypatch.setattr("sys.argv", ["vara", *words])
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        vara()
    assert not ended.value.code
    return capsys.readouterr().out


def test_a_comparison_says_how_often_test_was_looked_at(
    workspace: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    computed(workspace)
    one = said(capsys, monkeypatch, "compare", ".", ".")
    ledger = "(ledger of this store; it knows only what was computed with it)"
    assert f"  Test values of 1 setting were computed on these labels {ledger}." in one
    two = said(capsys, monkeypatch, "compare", ".", "pool.depth=2")
    assert f"  Test values of 2 settings were computed on these labels {ledger}." in two
    assert json.loads(said(capsys, monkeypatch, "compare", ".", ".", "--json"))["tested"] == 2
    assert "ledger" not in said(capsys, monkeypatch, "compare", ".", ".", "--split", "dev")
    assert said(capsys, monkeypatch, "store", "tested") == "2\n"


def test_a_store_that_computed_nothing_says_so(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    computed(workspace)
    monkeypatch.setenv("VARA_STORE", str(tmp_path / "fresh"))
    words = said(capsys, monkeypatch, "compare", ".", ".")
    assert "This store has computed no test values on these labels; a store knows only" in words
    assert not (tmp_path / "fresh").exists()


def test_metrics_without_labels(workspace: Workspace) -> None:
    with pytest.raises(Problem, match=r"evaluate.json problem: it names no labels, expected data.labels"):
        n_tested(workspace, {"data": {}})
