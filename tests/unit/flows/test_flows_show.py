"""`vara show`, `why` and `store` on a small workspace that was really run, once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.main import app, main
from flows.show import query_lines
from flows.why import _dvc, dvc_status
from flows.workspace import Workspace
from tests.workspace import make_sandbox
from vara.errors import Problem

Vara = Callable[..., tuple[int, list[str], list[str]]]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace and a trial with a pool of one document, labels of grade 1 that do not count, and hidden labels."""
    sandbox = make_sandbox(tmp_path_factory.mktemp("show") / "work space")
    labels = sandbox.root / "data/small/qrels.tsv"
    labels.write_text(
        labels.read_text() + "q1\td6\t3\nq1\td7\t3\nq1\tdx\t3\n"
    )  # archived, the owner's, unknown
    sandbox.pipeline()
    sandbox.pipeline("--set", "pool.depth=1", "--set", "evaluate.min_relevance=2", "--set", "evaluate.cutoffs=[1]", "--out", "trials/one")  # fmt: skip
    return Workspace(sandbox.root)


@pytest.fixture
def vara(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Vara:
    """Run the command line in the workspace; (exit code, lines of stdout, lines of stderr)."""
    monkeypatch.chdir(workspace.root)

    def call(*words: str) -> tuple[int, list[str], list[str]]:
        monkeypatch.setattr("sys.argv", ["vara", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out.splitlines(), err.splitlines()

    return call


def shown(workspace: Workspace, query: str, trial: str | None = None) -> list[str]:
    return list(query_lines(workspace, workspace.trial(trial) if trial else workspace.root, query))


def documents(lines: list[str]) -> list[str]:
    """The documents of a report in its order; those that are not in the pool in brackets."""
    rows = [line.split() for line in lines[3:] if line[:5].strip() and "d" in line]
    named = [(words[5], words[0]) for words in rows if words[0].isdecimal() or words[0] == "–"]
    return [name if rank != "–" else f"({name})" for name, rank in named]


def test_one_query(workspace: Workspace) -> None:
    lines = shown(workspace, "q2")
    assert lines[0] == "q2  labels come out blank"
    assert lines[2].split() == ["after", "before", "label", "cosine", "BM25", "document"]
    first = lines[3].split()
    assert first[0] == "1"
    found = documents(lines)
    assert len(found) == 4  # the depth
    assert {"d6", "d7"}.isdisjoint(found)  # archived, and for the owner alone
    row = next(line.split() for line in lines if " d3 " in line)
    assert row[2] == "3"
    assert any(line.split() == ["first_stage", "reranked", "bm25"] for line in lines)


def test_labels_that_do_not_count_are_not_missed(workspace: Workspace) -> None:
    lines = shown(workspace, "q1")
    found = documents(lines)
    assert "(dx)" in found  # it may come, and no ranking will ever reach it
    assert {"d6", "d7", "(d6)", "(d7)"}.isdisjoint(found)
    assert [line for line in lines if "(dx)" in line or " dx " in line] == [
        "    –       –      3        –        –  dx  (not in the corpus) (not in the pool)"
    ]


def test_a_trial_by_its_own_parameters(workspace: Workspace) -> None:
    """A grade of 1 is not relevant there, so that d4 is not missed."""
    found = documents(shown(workspace, "q3", "one"))
    assert len([name for name in found if not name.startswith("(")]) == 1
    assert "(d4)" not in found
    assert "d5" in found or "(d5)" in found


def test_the_numbers_of_a_query_are_those_of_the_parameters(workspace: Workspace, tmp_path: Path) -> None:
    """They come with the rankings from the store, not from a table that another run may have left."""
    table = workspace.root / "plots/per_query.csv"
    whole = shown(workspace, "q2")
    content = table.read_bytes()
    table.unlink()
    assert shown(workspace, "q2") == whole
    table.write_bytes(content)


def test_a_query_that_nothing_answers(workspace: Workspace) -> None:
    assert shown(workspace, "q6")[-1] == (
        "No relevant document is labelled for this query: it is left out of every measure."
    )


def test_an_unknown_query(vara: Vara) -> None:
    assert vara("show", "q-1") == (2, [], ["vara show problem: no query 'q-1'. Near ids: q1."])


def test_the_result_table(vara: Vara, workspace: Workspace) -> None:
    code, out, err = vara("show")
    assert (code, err) == (0, [])
    assert out[0].split() == ["split", "system", "RR@2", "R@2", "nDCG@4", "R@4", "queries"]
    metrics = json.loads((workspace.root / "metrics/evaluate.json").read_text())
    assert out[1].startswith(f"test   first stage    {metrics['test.first_stage.RR@2']:.3f} [")
    assert len([line for line in out if line.startswith(("test", "dev"))]) == 6


def test_the_table_of_a_trial(vara: Vara) -> None:
    assert vara("show", "--trial", "trials/one/")[1][0].split() == [
        "split",
        "system",
        "RR@1",
        "R@1",
        "nDCG@1",
        "queries",
    ]
    assert vara("show", "--trial", "two") == (2, [], ["trial problem: no trials/two. Trials: one."])
    assert vara("show", "q1", "--trial", "two") == (2, [], ["trial problem: no trials/two. Trials: one."])
    assert vara("show", "--trial", "")[0] == 2


def test_the_table_goes_between_the_marks_of_a_page(vara: Vara, tmp_path: Path) -> None:
    page = tmp_path / "PAGE.md"
    page.write_text("# T\n<!-- results:start -->\n<!-- results:end -->\n")
    assert vara("show", "--readme", str(page)) == (0, [], [])
    assert page.read_text().startswith("# T\n<!-- results:start -->\n| split | system | RR@2 |")
    assert vara("show", "--readme", str(tmp_path / "none.md"))[0] == 2


def test_the_store(vara: Vara, workspace: Workspace) -> None:
    code, out, _ = vara("store", "path", "pool")
    assert code == 0
    assert (Path(out[0]) / "pool.json").read_bytes() == (workspace.root / "build/pool.json").read_bytes()
    code, out, _ = vara("store", "ls")
    assert len(out) == 9  # six of the workspace, three of the trial
    assert all(line.endswith("in use") for line in out)
    assert vara("store", "verify")[1] == ["9 artifacts are whole."]
    assert vara("store", "gc", "--dry-run")[1] == ["0 B would be freed."]  # the collection is in use as well
    assert len(list((workspace.root / ".vara/collections").glob("c-*"))) == 1


@pytest.mark.parametrize("words", [("store", "path", "pol"), ("why", "pol")])
def test_a_stage_that_is_none(vara: Vara, words: tuple[str, ...]) -> None:
    code, out, err = vara(*words)
    assert (code, out) == (2, [])
    said = " ".join(" ".join(err).replace("│", " ").split())
    assert "'pol' is no stage. Stages: validate, embed, index, pool, rerank, evaluate." in said


def test_every_command_explains_itself() -> None:
    for command in app.registered_commands:
        assert command.callback is not None
        assert command.callback.__doc__


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (None, "DVC would not start it"),
        ([], "DVC would not start it"),
        (["changed command"], "DVC would start it (changed command)"),
        (
            [{"changed deps": {"params.yaml": {"embed.model": "modified", "embed.dtype": "new"}, "backends": "modified"}}],
            "DVC would start it (embed.model modified, embed.dtype new, backends modified)",
        ),
        ([{"changed outs": {"build/embed.json": "deleted"}}], "DVC would start it (build/embed.json deleted)"),
        ([{"changed outs": {"build/embed.json": "not in cache"}}], "DVC would start it (its outputs are missing)"),
        (
            [{"changed deps": {"models.yaml": "modified"}}, {"changed outs": {"build/embed.json": "not in cache"}}],
            "DVC would start it (models.yaml modified)",
        ),
    ],
)  # fmt: skip
def test_why_dvc_would_start_a_stage(changes: list[object] | None, words: str) -> None:
    assert _dvc(changes) == words


def test_why_in_a_folder_that_dvc_does_not_know(tmp_path: Path) -> None:
    with pytest.raises(Problem) as caught:
        dvc_status(Workspace(tmp_path))
    assert str(caught.value) == (
        "dvc status problem: ERROR: you are not inside of a DVC repository (checked up to mount point '/'). "
        "Run `dvc status` and follow what it says."
    )
