"""`vara compare A B` on committed files: what an arm means, exit codes, forms, predictions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.main import main
from flows.arms import settings, source
from flows.workspace import Workspace
from tests.conftest import ROOT
from tests.unit.flows.clone import Clone
from tests.unit.flows.conftest import Vara
from tests.unit.report.arm_files import NAMES, run_files
from vara.errors import Problem

BETTER = dict.fromkeys(NAMES[:40], 1)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """Two revisions: ranks of 2, tagged v1; then forty queries better, on main."""
    made = Clone(tmp_path / "work space")
    made.commit({})
    made.git("tag", "v1")
    made.commit(BETTER)
    return made


@pytest.fixture
def vara(clone: Clone, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Vara:
    monkeypatch.chdir(clone.root)

    def call(*words: str) -> tuple[int, list[str], list[str]]:
        monkeypatch.setattr("sys.argv", ["vara", "compare", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out.splitlines(), err.splitlines()

    return call


def place(clone: Clone, name: str) -> str:
    return source(Workspace(clone.root), name).place


def test_revisions(clone: Clone) -> None:
    first, second = clone.git("rev-parse", "v1"), clone.git("rev-parse", "HEAD")
    for name in ("v1", "HEAD~1", "main^", first, first[:9]):
        assert place(clone, name) == f"commit {first[:12]}"
    for name in ("HEAD", "main", "@"):
        assert place(clone, name) == f"commit {second[:12]}"


def test_an_annotated_tag_is_its_commit(clone: Clone) -> None:
    clone.git("tag", "-a", "v2", "-m", "two")
    assert place(clone, "v2") == f"commit {clone.git('rev-parse', 'HEAD')[:12]}"


def test_folders(clone: Clone) -> None:
    clone.write(run_files({}), "trials/one")
    assert (place(clone, "."), place(clone, "workspace")) == ("the working tree", "the working tree")
    assert (place(clone, "trials/one"), place(clone, "trials/one/")) == ("trials/one", "trials/one")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "workspace",
            "arm problem: 'workspace' is the working tree and a git revision, expected one of them. ",
        ),
        ("trials/one", "arm problem: 'trials/one' is a trial and a git revision, expected one of them. "),
        ("a=b", "arm problem: 'a=b' is settings and a git revision, expected one of them. "),
        ("twice", "revision problem: refname 'twice' is ambiguous. (twice). "),
    ],
)
def test_a_name_that_means_two_things(clone: Clone, name: str, message: str) -> None:
    clone.write(run_files({}), "trials/one")
    clone.git("branch", name)
    if name == "twice":
        clone.git("tag", name, "v1")
    with pytest.raises(Problem) as caught:
        place(clone, name)
    assert str(caught.value).startswith(message)
    assert place(clone, f"refs/heads/{name}").startswith("commit ")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("v3", "git knows no revision 'v3', expected a revision, a trial (trials/one) or settings. Known names: main, v1, trials/one. Or `.`, or settings like pool.depth=10."),
        ("mian", "git knows no revision 'mian', expected a revision, a trial (trials/one) or settings. Near names: main. Or `.`, or settings like pool.depth=10."),
        ("one", "git knows no revision 'one'. The trial is called trials/one."),
        ("-v1", "git knows no revision '-v1', expected a revision, a trial (trials/one) or settings. Near names: v1. Or `.`, or settings like pool.depth=10."),
        ("", "git knows no revision '', expected a revision, a trial (trials/one) or settings. Known names: main, v1, trials/one. Or `.`, or settings like pool.depth=10."),
    ],
)  # fmt: skip
def test_a_name_that_means_nothing(clone: Clone, name: str, message: str) -> None:
    clone.write(run_files({}), "trials/one")
    with pytest.raises(Problem) as caught:
        place(clone, name)
    assert str(caught.value) == f"arm problem: {message}"


def test_a_trial_that_is_not_there(clone: Clone) -> None:
    with pytest.raises(Problem, match=r"trial problem: no trials/two. Trials: none yet\."):
        place(clone, "trials/two")


def test_a_shallow_clone_says_how_to_fetch(clone: Clone, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    clone.git("clone", "-q", "--depth", "1", f"file://{clone.top}", str(shallow))
    with pytest.raises(Problem) as caught:
        source(Workspace(shallow), "HEAD~1")
    assert str(caught.value) == (
        "arm problem: git knows no revision 'HEAD~1': this clone is shallow. "
        "Run `git fetch --unshallow --tags`, then compare again."
    )


def test_a_folder_without_git(clone: Clone, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    clone.root.joinpath(".git").rename(tmp_path / "git")
    clone.root.rename(bare)
    with pytest.raises(Problem, match="this is no git repository"):
        source(Workspace(bare), "HEAD")
    assert source(Workspace(bare), ".").arm(Workspace(bare)).place == "the working tree"


def test_settings_split_outside_of_brackets() -> None:
    assert settings("pool.depth=10,rerank.weight=0.5") == ["pool.depth=10", "rerank.weight=0.5"]
    name = "evaluate.cutoffs=[5, 10], pool.filter={product: [web, pocket]},seed=1"
    assert settings(name) == ["evaluate.cutoffs=[5, 10]", "pool.filter={product: [web, pocket]}", "seed=1"]


def test_a_workspace_in_a_folder_of_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = Clone(tmp_path / "top", "search/vara")
    inner.commit({})
    workspace = Workspace(inner.root)
    assert source(workspace, "HEAD").arm(workspace).metrics["dataset"] == "small"


def test_the_working_tree_stays_as_it_is(clone: Clone, vara: Vara) -> None:
    clone.write({"params.yaml": b"seed: 7\n"})
    assert vara("v1", "HEAD")[0] == 0
    assert (clone.root / "params.yaml").read_bytes() == b"seed: 7\n"
    assert clone.git("status", "--porcelain") == "M params.yaml"


def test_identical_arms(vara: Vara) -> None:
    code, out, err = vara("HEAD", "HEAD", "--fail-on", "regression")
    assert (code, err) == (0, [])
    assert any(line.startswith("  No difference: all 60 queries have the same nDCG@10") for line in out)


def test_two_revisions(vara: Vara) -> None:
    code, out, err = vara("v1", "HEAD")
    assert (code, err) == (0, [])
    assert any(line.startswith("  B is better: nDCG@10 0.6309 → 0.8770") for line in out)
    assert out[2] == "reranked on test, 60 queries in common"


def test_fail_on_regression(vara: Vara) -> None:
    assert vara("v1", "HEAD", "--fail-on", "regression")[0] == 0
    code, out, err = vara("HEAD", "v1", "--fail-on", "regression")
    assert code == 1
    assert any("B is worse" in line for line in out)
    assert len(err) == 1
    assert err[0].startswith(
        "comparison problem: nDCG@10 fell from 0.8770 to 0.6309, expected no regression (commit "
    )
    assert vara("HEAD", "v1")[0] == 0  # nobody asked


def test_what_cannot_fail_is_no_pass(clone: Clone, vara: Vara) -> None:
    other = {"data": {"documents": "D", "queries": "Q", "labels": "M"}}
    clone.write(run_files({}, facts=other))
    code, _, err = vara("v1", ".", "--fail-on", "regression")
    assert (code, err) == (
        2,
        [
            (
                "comparison problem: not comparable: no regression could be seen. "
                "Run both arms on the same labels and definitions, then compare."
            )
        ],
    )
    few = run_files({})
    table = few["plots/per_query.csv"].decode().splitlines()
    kept = [table[0], *(line for line in table if line.split(",")[1] in NAMES[:5])]
    clone.write({**few, "plots/per_query.csv": "\n".join(kept).encode()})
    code, _, err = vara("v1", ".", "--fail-on", "regression")
    assert (code, err[0]) == (
        2,
        "comparison problem: 5 queries in common: no regression could be seen, expected 6 or more. Label more queries.",
    )


def test_json_stands_alone_on_stdout(vara: Vara) -> None:
    code, out, err = vara("v1", "HEAD", "--json", "--system", "bm25", "--split", "test")
    assert (code, err, len(out)) == (0, [], 1)
    plain = json.loads(out[0])
    assert (plain["system"], plain["verdict"]) == ("bm25", "improvement")


def test_markdown(vara: Vara) -> None:
    code, out, _ = vara("v1", "HEAD", "--markdown")
    assert (code, out[0]) == (0, "# `v1` against `HEAD`")
    assert vara("v1", "HEAD", "--markdown", "--json")[0] == 2


def test_a_revision_without_numbers(clone: Clone, vara: Vara) -> None:
    clone.git("rm", "-q", "metrics/evaluate.json")
    clone.git("commit", "-qm", "none")
    code, _, err = vara("HEAD~1", "HEAD")
    assert code == 2
    assert err[0].startswith("metrics/evaluate.json problem: no such file (commit ")


PREDICTIONS = b"""
- {measure: nDCG@10, direction: up, at_least: 0.1}
- {measure: R@10, direction: same}
- {measure: RR@5, direction: down}
- {measure: RR@10, direction: up, query: q41}
"""


@pytest.mark.parametrize(
    ("seconds", "line"),
    [
        (1_699_999_000, "Written before B's numbers were made (committed 2023-11-14 21:56 UTC)."),
        (
            1_700_000_001,
            "NOT WRITTEN BEFORE B'S NUMBERS WERE MADE (committed 2023-11-14 22:13 UTC): these are no predictions.",
        ),
    ],
)
def test_predictions(clone: Clone, vara: Vara, seconds: int, line: str) -> None:
    clone.write({"predictions.yaml": PREDICTIONS})
    clone.git("add", "-A")
    clone.git("commit", "-qm", "predict", seconds=seconds)
    code, out, err = vara("v1", "HEAD", "--predictions", "predictions.yaml", "--json")
    assert (code, err) == (0, [])
    plain = json.loads(out[0])
    assert plain["written"] == line
    assert [(one["prediction"], one["outcome"]) for one in plain["predictions"]] == [
        ("nDCG@10 up by at least 0.1", "confirmed"),
        ("R@10 same", "confirmed"),
        ("RR@5 down", "refuted"),
        ("RR@10 of q41 up", "refuted"),
    ]
    _, out, _ = vara("v1", "HEAD", "--predictions", "predictions.yaml")
    assert f"  {line}" in out


def test_predictions_that_are_not_committed_go_by_their_file(clone: Clone, vara: Vara) -> None:
    clone.write({"p.yaml": PREDICTIONS})
    clone.write(run_files(BETTER), "trials/one")
    os.utime(clone.root / "p.yaml", (1_000, 1_000))
    _, out, _ = vara("v1", "trials/one", "--predictions", "p.yaml")
    assert "  Written before B's numbers were made (not committed, written 1970-01-01 00:16 UTC)." in out
    os.utime(clone.root / "trials/one/metrics/evaluate.json", (999, 999))
    _, out, _ = vara("v1", "trials/one", "--predictions", "p.yaml")
    assert any(line.startswith("  NOT WRITTEN BEFORE") for line in out)
    assert vara("v1", "HEAD", "--predictions", "none.yaml")[0] == 2


SCRIPT = """
import sys
sys.argv = ["vara", "compare", "v1", "HEAD"]
from cli.main import main
try:
    main()
except SystemExit:
    print(sorted({name.split(".")[0] for name in sys.modules}))
"""


def test_no_engine_and_no_model_is_loaded(clone: Clone) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=clone.root, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, capture_output=True, text=True
    )  # fmt: skip
    loaded = done.stdout.splitlines()[-1]
    heavy = (
        "torch",
        "transformers",
        "tokenizers",
        "prefect",
        "dvc",
        "qdrant_client",
        "qdrant_edge",
        "bm25s",
        "polars",
        "scipy",
    )
    assert [name for name in heavy if f"'{name}'" in loaded] == []
