"""`python -m flows`: what it says of a run, and its exit code."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from flows import __main__ as flows
from flows.terminal import log
from tests.workspace import Sandbox, make_sandbox

Flows = Callable[..., tuple[int, list[str], list[str]]]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return make_sandbox(tmp_path_factory.mktemp("main") / "work space", code=False)


@pytest.fixture
def run(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Flows:
    """Run a flow in the workspace; (exit code, lines of stdout, lines of stderr without what steps say and times)."""
    monkeypatch.chdir(sandbox.root)
    monkeypatch.setattr(log, "handlers", log.handlers)
    monkeypatch.setattr(log, "propagate", log.propagate)
    monkeypatch.setattr(log, "level", log.level)

    def call(*words: str) -> tuple[int, list[str], list[str]]:
        code = flows.main(list(words))
        out, err = capsys.readouterr()
        lines = [line for line in err.splitlines() if not line.startswith("  ")]
        timeless = [re.sub(r" +\d+\.\d s  ", " … ", line) for line in lines]
        return code, out.splitlines(), [re.sub(r"[0-9a-f]{12}$", "KEY", line) for line in timeless]

    return call


def test_what_a_run_says(run: Flows) -> None:
    nothing = "the store holds nothing of this step"
    assert run("pipeline") == (
        0,
        [],
        [
            f"validate  computed … {nothing} (8 items)",  # documents
            f"embed     computed … {nothing} (14 items)",  # documents and queries
            f"index     computed … {nothing} (8 items)",
            f"pool      computed … {nothing} (6 items)",  # queries
            f"rerank    computed … {nothing} (24 items)",  # four candidates a query
            f"evaluate  computed … {nothing} (6 items)",
            f"calibrate computed … {nothing} (6 items)",
            f"gate      computed … {nothing} (1 items)",
            "The result table: vara show",
        ],
    )
    code, out, err = run("pipeline", "--json")
    stages = ["validate", "embed", "index", "pool", "rerank", "evaluate", "calibrate", "gate"]
    assert (code, err) == (
        0,
        [*(f"{stage:<9} cached … store hit KEY" for stage in stages), "The result table: vara show"],
    )
    (line,) = out
    assert [one["stage"] for one in json.loads(line)["stages"]] == stages


def test_of_one_stage_those_above_it_are_named_when_they_compute(run: Flows, sandbox: Sandbox) -> None:
    run("pipeline")
    assert run("pool") == (0, [], ["pool      cached … store hit KEY"])
    shutil.rmtree(sandbox.root / ".vara/validate")
    assert run("pool") == (
        0,
        [],
        [
            "validate  computed … the store holds nothing of this step (8 items)",
            "pool      cached … store hit KEY",
        ],
    )


def test_a_trial_says_where_its_table_is(run: Flows) -> None:
    run("pipeline")
    code, _, err = run("pipeline", "--set", "rerank.weight=0.5", "--out", "trials/half")
    assert (code, err[0], err[-1]) == (0, "vara: trials/half", "The result table: vara show --trial half")
    assert err[-5:-1] == [
        "rerank    computed … params rerank.weight 0.6 → 0.5 (24 items)",
        "evaluate  computed … inputs reranked (6 items)",
        "calibrate computed … inputs reranked (6 items)",
        "gate      computed … inputs metrics/evaluate (1 items)",
    ]
    _, _, err = run("rerank", "--set", "rerank.weight=0.5", "--out", "trials/half")
    assert err == ["vara: trials/half", "rerank    cached … store hit KEY"]


def test_a_measurement_says_where_its_table_is(
    run: Flows, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # waits for nobody
    run("pipeline")
    quick = ("--set", "latency.repeats=1", "--out", "trials/quick")
    code, _, err = run("latency", *quick)
    assert (code, err) == (
        0,
        [
            "vara: trials/quick",
            # 4 queries: encode, search, dense, rerank, total
            "latency   computed … the store holds nothing of this step (20 items)",
            "The table: vara show --lab --trial quick",
        ],
    )
    assert run("latency", *quick)[2][1] == "latency   cached … store hit KEY"
    again = "latency   computed … the store holds nothing of this step (20 items)"
    assert run("latency", "--again", *quick)[2][1] == again


@pytest.mark.parametrize("stage", ["pool", "pipeline"])
def test_only_a_measurement_is_made_again(run: Flows, capsys: pytest.CaptureFixture[str], stage: str) -> None:
    with pytest.raises(SystemExit) as ended:
        run(stage, "--again")
    assert ended.value.code == 2
    words = "--again is for measured stages: elsewhere the same input gives the same output"
    assert capsys.readouterr().err.endswith(f"{words}\n")


def test_a_mistake_is_one_line(run: Flows) -> None:
    message = "--set problem: unknown parameter 'pool.dept'. Near names: pool.depth, pool.cap."
    assert run("pipeline", "--set", "pool.dept=3") == (2, [], [message])


def test_an_interruption_says_how_to_go_on(run: Flows, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(flows, "drive", interrupted)
    words = "Interrupted. What was finished is kept; run the same command again to go on."
    assert run("pipeline") == (130, [], [words])


def test_a_store_that_is_a_file(run: Flows, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("VARA_STORE", str(tmp_path / "file"))
    assert run("pipeline") == (
        2,
        [],
        [
            f"store problem: {tmp_path}/file is no folder that can be written to. Set VARA_STORE to one, or unset it."
        ],
    )
