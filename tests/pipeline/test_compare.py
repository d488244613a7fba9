"""`vara compare` on a workspace that really runs: settings as an arm, and the datasets behind revisions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.workspace import Sandbox, make_sandbox


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """Tag `git`: the dataset in git itself; tag `dvc`: tracked by DVC; tag `edited`: edited and run again."""
    made = make_sandbox(tmp_path_factory.mktemp("compare") / "work space", dvc=True)
    made.pipeline()
    made.commit()
    made.run("git", "tag", "git")
    made.run("git", "rm", "-rq", "--cached", "data/small")
    made.run("dvc", "add", "-q", "data/small")
    made.commit()
    made.run("git", "tag", "dvc")
    corpus = made.root / "data/small/corpus.jsonl"
    text = corpus.read_text().replace("Turn the roll round", "Turn the roll over")
    corpus.unlink()  # DVC may have linked it to its cache
    corpus.write_text(text + json.dumps({"_id": "d9", "title": "New", "text": "Something new."}) + "\n")
    labels = made.root / "data/small/qrels.tsv"
    text = labels.read_text().replace("q3\td4\t1", "q3\td4\t2")
    labels.unlink()
    labels.write_text(text)
    made.run("dvc", "add", "-q", "data/small")
    made.pipeline()
    made.commit()
    made.run("git", "tag", "edited")
    return made


def compare(sandbox: Sandbox, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        sandbox.run("python", "-m", "cli.main", "compare", *words, "--json").stdout
    )
    return found


EDITED = [
    {"table": "documents", "kind": "added", "n": 1, "examples": ["d9"]},
    {"table": "documents", "kind": "changed", "n": 1, "examples": ["d3: text"]},
    {"table": "labels", "kind": "changed", "n": 1, "examples": ["q3 d4: relevance 1 → 2"]},
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("a", "b", "data"), [("git", "dvc", []), ("dvc", "edited", EDITED), ("git", ".", EDITED)]
)
def test_the_datasets_behind_revisions(sandbox: Sandbox, a: str, b: str, data: list[dict[str, Any]]) -> None:
    status = sandbox.run("git", "status", "--porcelain").stdout
    found = compare(sandbox, a, b, "--data")
    assert found["data"] == data
    assert found["verdict"] == ("not comparable" if data else "no difference")
    assert not any("since its numbers were made" in line for line in found["warnings"])
    assert sandbox.run("git", "status", "--porcelain").stdout == status


@pytest.mark.slow
def test_a_dataset_that_dvc_lost_says_so(sandbox: Sandbox, tmp_path: Path) -> None:
    cache = sandbox.root / ".dvc/cache"
    cache.rename(tmp_path / "cache")
    done = sandbox.run("python", "-m", "cli.main", "compare", "dvc", "edited", "--data", check=False)
    shutil.rmtree(cache, ignore_errors=True)  # DVC makes an empty one
    (tmp_path / "cache").rename(cache)
    assert done.returncode == 2
    assert done.stderr.startswith("dvc pull problem: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_settings_are_run_as_a_trial_first(sandbox: Sandbox) -> None:
    found = compare(sandbox, ".", "pool.depth=2,rerank.kind=none")
    assert found["b"]["place"].startswith("trials/")
    assert [(one["name"], one["a"], one["b"]) for one in found["tuned"]] == [
        ("pool.depth", 4, 2),
        ("rerank.kind", "fusion", "none"),
    ]
    trial = sandbox.root / found["b"]["place"]
    assert (trial / "metrics/evaluate.json").is_file()
    assert compare(sandbox, ".", found["b"]["place"])["measures"] == found["measures"]
    # beside a trial, settings change that trial's parameters, in either place
    name = found["b"]["place"]
    for words in ((name, "seed=7"), ("seed=7", name)):
        assert [one["name"] for one in compare(sandbox, *words)["tuned"]] == ["seed"]
    done = sandbox.run("python", "-m", "cli.main", "compare", ".", "pool.dept=2", check=False)
    assert (done.returncode, done.stderr) == (
        2,
        "pool.dept=2 problem: unknown parameter 'pool.dept'. Near names: pool.depth, pool.cap.\n",
    )
