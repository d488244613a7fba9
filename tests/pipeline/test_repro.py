"""Real `dvc repro`: twice the same bytes, elsewhere the same bytes, after a change only what it reaches."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from tests.workspace import Sandbox, make_sandbox

pytestmark = pytest.mark.slow

STAGES = ["validate", "embed", "index", "pool", "rerank", "evaluate", "calibrate", "gate"]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """A workspace with a space in its path, reproduced once and committed."""
    sandbox = make_sandbox(tmp_path_factory.mktemp("repro") / "work space", dvc=True)
    sandbox.run("dvc", "repro")
    sandbox.commit()
    return sandbox


def tracked(root: Path) -> dict[str, bytes]:
    files = [
        root / "dvc.lock",
        *(path for name in ("build", "metrics", "plots") for path in sorted((root / name).iterdir())),
    ]
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in files if path.name != ".gitignore"
    }


def started(words: str) -> list[str]:
    return [line.split("'")[1] for line in words.splitlines() if line.startswith("Running stage")]


def test_the_second_repro_starts_nothing(sandbox: Sandbox) -> None:
    before = tracked(sandbox.root)
    words = sandbox.run("dvc", "repro").stdout
    assert started(words) == []
    assert tracked(sandbox.root) == before
    assert sandbox.run("git", "status", "--porcelain").stdout == ""


def test_a_clone_elsewhere_makes_the_same_bytes(sandbox: Sandbox, tmp_path: Path) -> None:
    clone = tmp_path / "some where" / "else"
    sandbox.run("git", "clone", "-q", str(sandbox.root), str(clone))
    there = Sandbox(clone)
    assert there.run("dvc", "pull", check=False).returncode == 0
    there.run("dvc", "repro")
    assert tracked(clone) == tracked(sandbox.root)
    assert there.run("git", "status", "--porcelain").stdout == ""
    assert there.run("dvc", "status", "--json").stdout.strip() == "{}"


@pytest.mark.parametrize(
    ("old", "new", "starts", "computes"),
    [
        (
            "depth: 4",
            "depth: 3",
            ["pool", "rerank", "evaluate", "calibrate", "gate"],
            ["pool", "rerank", "evaluate", "calibrate", "gate"],
        ),
        (
            "weight: 0.6",
            "weight: 0.5",
            ["rerank", "evaluate", "calibrate", "gate"],
            ["rerank", "evaluate", "calibrate", "gate"],
        ),
        ("m: 16", "m: 8", ["index", "pool"], ["index"]),
        ("seed: 42", "seed: 1", ["evaluate", "gate"], ["evaluate", "gate"]),
    ],
)
def test_a_changed_parameter_starts_and_computes(
    sandbox: Sandbox, old: str, new: str, starts: list[str], computes: list[str]
) -> None:
    sandbox.edit("params.yaml", old, new)
    done = sandbox.run("dvc", "repro")
    lines = [line.split() for line in done.stderr.splitlines()]
    assert started(done.stdout) == starts
    own = {words[0] for words in lines if words[1:2] == ["computed"] and words[0] in STAGES}
    assert own == set(computes)
    sandbox.edit("params.yaml", new, old)
    sandbox.run("dvc", "repro")
    assert sandbox.run("git", "status", "--porcelain").stdout == ""


def test_hits_cross_over_between_drivers(sandbox: Sandbox) -> None:
    """DVC computed; the plain driver hits, and the other way round, from queued experiments too."""
    assert sandbox.computed() == []
    # the plain driver computes, DVC hits
    assert sandbox.computed("--set", "pool.depth=2") == ["pool", "rerank", "evaluate", "calibrate", "gate"]
    sandbox.edit("params.yaml", "depth: 4", "depth: 2")
    assert " computed " not in sandbox.run("dvc", "repro").stderr
    sandbox.edit("params.yaml", "depth: 2", "depth: 4")
    sandbox.run("dvc", "repro")
    # a queued experiment runs in a temporary copy and finds the same store
    sandbox.run("dvc", "exp", "run", "--queue", "-S", "pool.depth=2", "--name", "two")
    sandbox.run("dvc", "queue", "start", "--jobs", "1")
    for _ in range(120):
        state = sandbox.run("dvc", "queue", "status").stdout
        if "Success" in state or "Failed" in state:
            break
        sandbox.run("sleep", "1")
    assert "Success" in state
    logs = sandbox.run("dvc", "queue", "logs", "two").stdout
    assert "store hit" in logs
    assert " computed " not in logs
    # a lost collection costs no hit, and is made again by the first who asks it
    shutil.rmtree(sandbox.root / ".vara/collections")
    assert sandbox.computed() == []
    assert "building collection" in sandbox.flows("pipeline", "--set", "pool.search=ann").stderr


def test_why_answers_for_dvc_and_the_store(sandbox: Sandbox) -> None:
    def why(stage: str) -> str:
        return sandbox.run("python", "-m", "cli.main", "why", stage).stdout.strip()

    assert why("embed") == "embed: DVC would not start it; the store would hit"
    sandbox.edit("tasks/embed.py", "    corpus = read_corpus(job)", "    corpus = read_corpus(job)  # all")
    assert why("embed") == (
        "embed: DVC would start it (tasks/embed.py modified); the store would hit"
        " (only comments, docstrings, formatting or messages changed in tasks/embed.py)"
    )
    sandbox.edit("tasks/embed.py", "  # all", "")
    sandbox.edit("params.yaml", "max_length: 192", "max_length: 128")
    assert why("embed") == (
        "embed: DVC would start it (embed.max_length modified); it would compute: params embed.max_length 192 → 128; models embed.model"
    )
    assert why("pool").endswith("it follows the stages before it, of which one would compute")
    sandbox.edit("params.yaml", "max_length: 128", "max_length: 192")


def test_a_stage_by_hand_refuses_an_upstream_of_another_kind(sandbox: Sandbox) -> None:
    sandbox.edit("params.yaml", "max_length: 192", "max_length: 128")
    done = sandbox.flows("pool", check=False)
    sandbox.edit("params.yaml", "max_length: 128", "max_length: 192")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "build/embed.json problem: made with other data, parameters or code than the present ones. "
        "Run `dvc repro embed`, or `python -m flows embed`."
    )


def test_a_trial_leaves_the_workspace_alone(sandbox: Sandbox) -> None:
    before = tracked(sandbox.root)
    report = sandbox.pipeline("--set", "pool.depth=3", "--out", "trials/three")
    assert tracked(sandbox.root) == before
    trial = sandbox.root / "trials/three"
    assert sorted(path.name for path in trial.iterdir()) == ["build", "metrics", "params.yaml", "plots"]
    assert yaml.safe_load((trial / "params.yaml").read_text())["pool"]["depth"] == 3
    assert report["metrics"]["evaluate"] == json.loads((trial / "metrics/evaluate.json").read_text())
    assert [stage["stage"] for stage in report["stages"]] == STAGES
    assert sandbox.run("git", "status", "--porcelain").stdout == ""
